//! A Vulkan driver's figures for a kernel by `VK_KHR_pipeline_executable_properties`. wgpu does not use it, so a second
//! pipeline is made from the same SPIR-V, queried and dropped. It never runs.

use std::ffi::CString;

use ash::vk;
use wgpu::hal::api::Vulkan;

use super::passthrough::{self, ENTRY_POINT};
use crate::backend::Statistics;
use crate::job::Kernel;
use crate::shader::{Capability, Enabled};
use record::error::Result;
use record::suite::{Access, Entry, Feature, Interface};

/// The figure that a statistic stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counts {
    Registers,
    LocalBytes,
    /// Local memory of a whole subgroup.
    LocalOfSubgroup,
    WorkgroupBytes,
    BinaryBytes,
    Instructions,
}

/// Names of statistics by driver, in lower case; case is ignored. The extension defines none.
///
/// | driver | source |
/// |---|---|
/// | NVIDIA | as driver 580 reports them |
/// | RADV | Mesa, [`radv_pipeline.c`](https://gitlab.freedesktop.org/mesa/mesa/-/blob/main/src/amd/vulkan/radv_pipeline.c) |
/// | AMDVLK | xgl, [`vk_graphics_pipeline.cpp` and its like](https://github.com/GPUOpen-Drivers/xgl) |
/// | ANV | Mesa, [`anv_pipeline.c`](https://gitlab.freedesktop.org/mesa/mesa/-/blob/main/src/intel/vulkan/anv_pipeline.c) |
/// | NVK, Honeykrisp | Mesa, [`nvk_shader.c`](https://gitlab.freedesktop.org/mesa/mesa/-/blob/main/src/nouveau/vulkan/nvk_shader.c) |
const NAMES: [(&str, Counts); 20] = [
    // NVIDIA
    ("register count", Counts::Registers),
    ("local memory size", Counts::LocalBytes),
    ("shared memory size", Counts::WorkgroupBytes),
    ("binary size", Counts::BinaryBytes),
    // RADV
    ("vgprs", Counts::Registers),
    ("scratch size", Counts::LocalOfSubgroup),
    ("lds size", Counts::WorkgroupBytes),
    ("instructions", Counts::Instructions),
    // RADV, NVK
    ("code size", Counts::BinaryBytes),
    // ANV, NVK, Turnip
    ("instruction count", Counts::Instructions),
    // AMDVLK
    ("numusedvgprs", Counts::Registers),
    ("scratchmemusageinbytes", Counts::LocalBytes),
    ("ldsusagesizeinbytes", Counts::WorkgroupBytes),
    // ANV
    ("grf registers", Counts::Registers),
    ("scratch memory size", Counts::LocalOfSubgroup),
    ("workgroup memory size", Counts::WorkgroupBytes),
    // NVK
    ("number of gprs", Counts::Registers),
    ("slm size", Counts::LocalBytes),
    // Turnip
    ("registers used", Counts::Registers),
    ("overall register footprint", Counts::Registers),
];

/// The driver's figures for `kernel`; empty if the driver reports none or refuses.
pub(super) fn statistics(device: &wgpu::Device, kernel: &Kernel) -> Statistics {
    #[expect(unsafe_code, reason = "wgpu has no call for statistics")]
    // SAFETY: the device stays open as long as the guard lives, and nothing here destroys wgpu's objects.
    let Some(vulkan) = (unsafe { device.as_hal::<Vulkan>() }) else { return Statistics::default() };
    if !vulkan.enabled_device_extensions().contains(&ash::khr::pipeline_executable_properties::NAME) {
        return Statistics::default();
    }
    let varies = device.features().contains(wgpu::Features::SUBGROUP);
    let enabled = enabled(&vulkan, device.features());
    let of_entry = |entry: &Entry| {
        let spirv = spirv(kernel, entry, &enabled).ok()?;
        let reported = ask(&vulkan, (&kernel.interface, entry), &spirv, varies).ok()?;
        Some(named(reported.iter().map(|(name, value, subgroup)| (name.as_str(), *value, *subgroup))))
    };
    let reported = kernel.interface.entries.iter().filter_map(of_entry).reduce(Statistics::with).unwrap_or_default();
    // Only NVIDIA's driver reports the code size but no instruction count. Its GPUs with such matrices have 16-byte
    // instructions.
    let is_counted = device.features().contains(wgpu::Features::EXPERIMENTAL_COOPERATIVE_MATRIX);
    if is_counted && reported.instructions.is_none() { reported.counted_by_16_bytes() } else { reported }
}

/// The SPIR-V of a kernel with cooperative matrices, to be passed through because it has the operands that share memory
/// between invocations, which wgpu's own lacks (`shader::memory_model`). `None` for other kernels and APIs, and for
/// kernels with several entry points or bind groups, which cannot be passed through.
pub(super) fn shared_memory_spirv(device: &wgpu::Device, kernel: &Kernel) -> Option<Result<Vec<u32>>> {
    let has_matrices = kernel.interface.features.contains(&Feature::CooperativeMatrix);
    if !has_matrices || !kernel.is_trusted() || !kernel.interface.is_plain() {
        return None;
    }
    let features = device.features();
    #[expect(unsafe_code, reason = "wgpu does not report which features it has enabled")]
    // SAFETY: as in `statistics`.
    let vulkan =
        unsafe { device.as_hal::<Vulkan>() }.filter(|_| features.contains(wgpu::Features::PASSTHROUGH_SHADERS))?;
    Some(kernel.spirv_of(ENTRY_POINT, &enabled(&vulkan, features)))
}

/// What wgpu's `device_from_raw` has enabled on a Vulkan 1.3 device with these features. Independently of them, it
/// enables 8-bit integers, dot products and zeroed workgroup memory if the driver has them.
fn enabled(vulkan: &wgpu::hal::vulkan::Device, features: wgpu::Features) -> Enabled {
    let (mut of_1_2, mut of_1_3) =
        (vk::PhysicalDeviceVulkan12Features::default(), vk::PhysicalDeviceVulkan13Features::default());
    let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut of_1_2).push_next(&mut of_1_3);
    let instance = vulkan.shared_instance().raw_instance();
    #[expect(unsafe_code, reason = "ash has no safe functions")]
    // SAFETY: the physical device belongs to this instance. Only instances of version 1.1 or later have the function,
    // without which ash panics; devices with statistics have such an instance (`vulkan::has_statistics`).
    unsafe {
        instance.get_physical_device_features2(vulkan.raw_physical_device(), &mut all);
    }
    let has = [of_1_2.shader_int8, of_1_3.shader_integer_dot_product].map(|has| has == vk::TRUE);
    Enabled {
        is_robust: vulkan.enabled_device_extensions().contains(&ash::ext::robustness2::NAME),
        stores_zeros: of_1_3.shader_zero_initialize_workgroup_memory != vk::TRUE,
        capabilities: Some(capabilities(features, has)),
    }
}

/// The SPIR-V capabilities that wgpu allows compute kernels.
fn capabilities(features: wgpu::Features, [has_int8, has_dot_products]: [bool; 2]) -> Vec<Capability> {
    use Capability as C;
    use wgpu::Features as F;
    let subgroups = [
        C::GroupNonUniform,
        C::GroupNonUniformVote,
        C::GroupNonUniformArithmetic,
        C::GroupNonUniformBallot,
        C::GroupNonUniformShuffle,
        C::GroupNonUniformShuffleRelative,
        C::GroupNonUniformQuad,
    ];
    let dot_products = [C::DotProductInputAll, C::DotProductInput4x8Bit, C::DotProductInput4x8BitPacked, C::DotProduct];
    let has = |any: wgpu::Features| features.intersects(any);
    let optional: [(bool, &[Capability]); 10] = [
        (has(F::SUBGROUP), &subgroups),
        (has(F::BGRA8UNORM_STORAGE), &[C::StorageImageWriteWithoutFormat]),
        (has(F::SHADER_INT64), &[C::Int64]),
        (has(F::SHADER_F16), &[C::Float16]),
        (has(F::SHADER_I16), &[C::Int16]),
        (has(F::SHADER_INT64_ATOMIC_ALL_OPS | F::SHADER_INT64_ATOMIC_MIN_MAX), &[C::Int64Atomics]),
        (has(F::SHADER_FLOAT32_ATOMIC), &[C::AtomicFloat32AddEXT]),
        (has(F::EXPERIMENTAL_COOPERATIVE_MATRIX), &[C::CooperativeMatrixKHR, C::VulkanMemoryModel]),
        (has_int8, &[C::Int8]),
        (has_dot_products, &dot_products),
    ];
    // Every device has these.
    let mut all = vec![C::Shader, C::Matrix, C::Sampled1D, C::Image1D, C::ImageQuery, C::StorageImageExtendedFormats];
    all.extend(optional.iter().filter(|(has, _)| *has).flat_map(|(_, own)| *own));
    all
}

fn spirv(kernel: &Kernel, entry: &Entry, enabled: &Enabled) -> Result<Vec<u32>> {
    if kernel.module.is_empty() { kernel.spirv_of(&entry.name, enabled) } else { passthrough::specialized(kernel) }
}

/// Figures of a pipeline's statistics, each with its program's subgroup size. If there are several programs, such as
/// one per subgroup size, the maximum of each figure.
fn named<'a>(reported: impl Iterator<Item = (&'a str, u64, u32)>) -> Statistics {
    let mut statistics = Statistics::default();
    for (name, value, subgroup) in reported {
        let known = NAMES.iter().find(|(known, _)| name.eq_ignore_ascii_case(known));
        let figure = match known.map(|(_, counts)| counts) {
            Some(Counts::Registers) => &mut statistics.registers,
            Some(Counts::LocalBytes | Counts::LocalOfSubgroup) => &mut statistics.local_bytes,
            Some(Counts::WorkgroupBytes) => &mut statistics.workgroup_bytes,
            Some(Counts::BinaryBytes) => &mut statistics.binary_bytes,
            Some(Counts::Instructions) => &mut statistics.instructions,
            None => continue,
        };
        let is_of_subgroup = known.is_some_and(|(_, counts)| *counts == Counts::LocalOfSubgroup);
        let value = if is_of_subgroup { value.div_ceil(u64::from(subgroup.max(1))) } else { value };
        // NVIDIA 580 reports 16 in the upper half of every local memory size; the lower half is the size that CUDA
        // reports for the CUDA port.
        let value = if name == "Local Memory Size" { value & 0xffff_ffff } else { value };
        *figure = (*figure).max(Some(value));
    }
    statistics
}

struct Objects<'a> {
    device: &'a ash::Device,
    module: vk::ShaderModule,
    groups: Vec<vk::DescriptorSetLayout>,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
}

impl Drop for Objects<'_> {
    fn drop(&mut self) {
        #[expect(unsafe_code, reason = "ash has no safe functions")]
        // SAFETY: only `make` created these objects, from this device; they are not used again; null is ignored.
        unsafe {
            self.device.destroy_pipeline(self.pipeline, None);
            self.device.destroy_pipeline_layout(self.layout, None);
            self.groups.iter().for_each(|group| self.device.destroy_descriptor_set_layout(*group, None));
            self.device.destroy_shader_module(self.module, None);
        }
    }
}

#[expect(unsafe_code, reason = "ash has no safe functions")]
fn make<'a>(
    device: &'a ash::Device,
    (interface, entry): (&Interface, &Entry),
    spirv: &[u32],
    varies: bool,
    flags: vk::PipelineCreateFlags,
) -> Result<Objects<'a>, vk::Result> {
    let invalid = |_| vk::Result::ERROR_UNKNOWN;
    let name = CString::new(entry.name.as_str()).map_err(invalid)?;
    let mut objects = Objects {
        device,
        module: vk::ShaderModule::null(),
        groups: Vec::new(),
        layout: vk::PipelineLayout::null(),
        pipeline: vk::Pipeline::null(),
    };
    let code = vk::ShaderModuleCreateInfo::default().code(spirv);
    // SAFETY: the driver has compiled this SPIR-V for the API's own pipeline, with the same guarantees
    // (`pipelines::compile`, `passthrough::compile`). The structures outlive their calls.
    objects.module = unsafe { device.create_shader_module(&code, None)? };
    for group in bindings(interface) {
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&group);
        // SAFETY: binding numbers are unique in their group, as naga has checked.
        objects.groups.push(unsafe { device.create_descriptor_set_layout(&info, None)? });
    }
    let immediates = [vk::PushConstantRange::default()
        .stage_flags(vk::ShaderStageFlags::COMPUTE)
        .size(entry.immediate_bytes.next_multiple_of(4))];
    let mut info = vk::PipelineLayoutCreateInfo::default().set_layouts(&objects.groups);
    if entry.immediate_bytes > 0 {
        info = info.push_constant_ranges(&immediates);
    }
    // SAFETY: the group layouts belong to this device.
    objects.layout = unsafe { device.create_pipeline_layout(&info, None)? };
    // As wgpu does.
    let of_stage = if varies {
        vk::PipelineShaderStageCreateFlags::ALLOW_VARYING_SUBGROUP_SIZE
    } else {
        vk::PipelineShaderStageCreateFlags::empty()
    };
    let stage = vk::PipelineShaderStageCreateInfo::default()
        .flags(of_stage)
        .stage(vk::ShaderStageFlags::COMPUTE)
        .module(objects.module)
        .name(&name);
    let info = [vk::ComputePipelineCreateInfo::default().flags(flags).stage(stage).layout(objects.layout)];
    // SAFETY: stage and layout are of this device, which was opened with the extension of the flags.
    let made = unsafe { device.create_compute_pipelines(vk::PipelineCache::null(), &info, None) };
    let (pipelines, failed) = match made {
        Ok(pipelines) => (pipelines, None),
        Err((pipelines, error)) => (pipelines, Some(error)),
    };
    objects.pipeline = pipelines.into_iter().next().unwrap_or_default();
    failed.map_or(Ok(objects), Err)
}

/// The integer statistics of a pipeline: name, value, and the program's subgroup size. Needs the extension.
#[expect(unsafe_code, reason = "ash has no safe functions")]
fn ask(
    vulkan: &wgpu::hal::vulkan::Device,
    of: (&Interface, &Entry),
    spirv: &[u32],
    varies: bool,
) -> Result<Vec<(String, u64, u32)>, vk::Result> {
    let device = vulkan.raw_device();
    let pipeline = make(device, of, spirv, varies, vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR)?;
    let instance = vulkan.shared_instance().raw_instance();
    let calls = ash::khr::pipeline_executable_properties::Device::new(instance, device);
    let info = vk::PipelineInfoKHR::default().pipeline(pipeline.pipeline);
    // SAFETY: the pipeline is valid, and its device has the extension.
    let programs = unsafe { calls.get_pipeline_executable_properties(&info)? };
    let mut reported = Vec::new();
    for (index, program) in (0..).zip(&programs) {
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline.pipeline).executable_index(index);
        // SAFETY: the pipeline captures statistics and has a program of this index.
        for statistic in unsafe { calls.get_pipeline_executable_statistics(&info)? } {
            let value = match statistic.format {
                // SAFETY: the format states which member the driver has set.
                vk::PipelineExecutableStatisticFormatKHR::UINT64 => unsafe { statistic.value.u64 },
                vk::PipelineExecutableStatisticFormatKHR::INT64 => {
                    // SAFETY: as above.
                    u64::try_from(unsafe { statistic.value.i64 }).unwrap_or(0)
                }
                _ => continue,
            };
            if let Ok(name) = statistic.name_as_c_str() {
                reported.push((name.to_string_lossy().into_owned(), value, program.subgroup_size));
            }
        }
    }
    Ok(reported)
}

/// The bindings of each group, of all entry points. Groups between others may have none.
fn bindings(interface: &Interface) -> Vec<Vec<vk::DescriptorSetLayoutBinding<'static>>> {
    let kind = |access| match access {
        Access::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
        Access::Read | Access::ReadWrite => vk::DescriptorType::STORAGE_BUFFER,
        Access::Texture => vk::DescriptorType::SAMPLED_IMAGE,
        Access::StorageTexture => vk::DescriptorType::STORAGE_IMAGE,
    };
    let of_bindings = interface.bindings.iter().map(|own| (own.group, own.index, kind(own.access)));
    let of_samplers = interface.samplers.iter().map(|own| (own.group, own.index, vk::DescriptorType::SAMPLER));
    let mut groups: Vec<Vec<_>> = Vec::new();
    for (group, index, kind) in of_bindings.chain(of_samplers) {
        let group = group as usize;
        groups.resize_with(groups.len().max(group + 1), Vec::new);
        let binding = vk::DescriptorSetLayoutBinding::default()
            .binding(index)
            .descriptor_type(kind)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::COMPUTE);
        groups[group].push(binding);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::wgpu::gpu::Gpu;
    use crate::backend::wgpu::{Timeouts, adapters};
    use crate::engine::plan::{Request, plan};
    use crate::job::Job;
    use record::suite::{Api, Profile};

    #[test]
    fn statistics_have_the_names_of_each_driver() {
        let nvidia =
            [("Register Count", 40), ("Binary Size", 4864), ("Stack Size", 0), ("Local Memory Size", (16 << 32) + 16)];
        let in_subgroup = |subgroup: u32| move |(name, value)| (name, value, subgroup);
        let found = named(nvidia.into_iter().map(in_subgroup(32)));
        let expected = Statistics {
            registers: Some(40),
            local_bytes: Some(16),
            binary_bytes: Some(4864),
            ..Statistics::default()
        };
        assert_eq!(found, expected);
        let intel = [("Instruction Count", 90), ("Scratch Memory Size", 0), ("Scratch Memory Size", 1024)];
        let found = named(intel.into_iter().map(in_subgroup(16)));
        assert_eq!((found.local_bytes, found.instructions), (Some(64), Some(90)), "of two programs the most");
        assert_eq!(named([("Wavefronts", 8)].into_iter().map(in_subgroup(64))), Statistics::default());
    }

    #[test]
    fn capabilities_are_those_that_are_enabled() {
        let optional = [Capability::Int8, Capability::DotProduct, Capability::Float16, Capability::GroupNonUniformVote];
        let has = |features, of_driver| optional.map(|own| capabilities(features, of_driver).contains(&own));
        assert_eq!(has(wgpu::Features::empty(), [false, false]), [false; 4]);
        assert_eq!(has(wgpu::Features::empty(), [true, false]), [true, false, false, false]);
        assert_eq!(has(wgpu::Features::SHADER_F16, [false, true]), [false, true, true, false]);
        assert_eq!(has(wgpu::Features::SUBGROUP, [false, false]), [false, false, false, true]);
    }

    /// Any driver makes the second pipeline; a driver with the extension reports some statistic of every kernel.
    #[test]
    fn a_second_pipeline_of_every_kernel_can_be_made_and_asked() {
        let Some(adapter) = pollster::block_on(adapters(Some(Api::Vulkan))).into_iter().next() else {
            eprintln!("SKIPPED: there is no Vulkan device");
            return;
        };
        let gpu = pollster::block_on(Gpu::open(&adapter, Timeouts::DEFAULT)).expect("a device");
        let request = Request::new(Vec::new(), Profile::Quick);
        let jobs = plan(&request).expect("a plan").into_iter().filter_map(|case| Job::new(&case).ok());
        let mut known = std::collections::HashSet::new();
        let (mut reported, mut silent) = (0, Vec::new());
        for Job { kernel, label, .. } in jobs.filter(|job| adapter.device.check(job).is_ok()) {
            if !kernel.is_in(adapter.device.language) || !known.insert(kernel.key(adapter.device.language)) {
                continue;
            }
            #[expect(unsafe_code, reason = "wgpu has no safe function")]
            // SAFETY: as in `statistics`.
            let vulkan = unsafe { gpu.device.as_hal::<Vulkan>() }.expect("Vulkan");
            let enabled = enabled(&vulkan, gpu.device.features());
            for entry in &kernel.interface.entries {
                let spirv = spirv(&kernel, entry, &enabled).expect("translated");
                let flags = vk::PipelineCreateFlags::empty();
                let made = make(vulkan.raw_device(), (&kernel.interface, entry), &spirv, true, flags).map(drop);
                assert_eq!(made, Ok(()), "{label}");
            }
            drop(vulkan);
            let found = statistics(&gpu.device, &kernel);
            println!("{label}: {found:?}");
            if found == Statistics::default() { silent.push(label) } else { reported += 1 }
        }
        assert!(reported == 0 || silent.is_empty(), "{silent:?}");
    }
}
