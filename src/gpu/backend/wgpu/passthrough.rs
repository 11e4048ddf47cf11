//! SPIR-V of other compilers, passed through wgpu as it is: of kernels that WGSL cannot express, and files of users.
//!
//! wgpu reads no interface from such a module: layout and bindings are those of the kernel's WGSL or CUDA twin. wgpu's Vulkan backend
//! numbers the bindings of a layout without gaps, so that the module's numbers are replaced by these.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::job::Kernel;
use crate::shader::module::{instructions, specialize, text};
use record::error::{Error, Result, one_line};
use record::suite::{Access, Interface};

/// The entry point of every module that is passed through.
pub(super) const ENTRY_POINT: &str = "main";

/// Compiles the SPIR-V of a kernel that WGSL cannot express.
///
/// # Errors
/// As of [`compile`], and where it lacks an override of the kernel.
pub(super) async fn compile_module(device: &wgpu::Device, kernel: &Kernel) -> Result<wgpu::ComputePipeline> {
    compile(device, kernel, &specialized(kernel)?).await
}

/// The SPIR-V of a kernel that WGSL cannot express, with its constants in place.
///
/// # Errors
/// Where it lacks an override of the kernel.
pub(super) fn specialized(kernel: &Kernel) -> Result<Vec<u32>> {
    let mut spirv = kernel.module.clone();
    specialize(&mut spirv, &kernel.interface.overrides).map_err(fault)?;
    Ok(spirv)
}

fn fault(why: String) -> Error {
    Error::Shader(format!("its SPIR-V {why}"))
}

/// Compiles SPIR-V that a compiler made of `kernel`.
///
/// # Errors
/// [`Error::Shader`] where it has another interface than the kernel, or the API refuses it.
pub(super) async fn compile(device: &wgpu::Device, kernel: &Kernel, spirv: &[u32]) -> Result<wgpu::ComputePipeline> {
    let mut spirv = spirv.to_vec();
    adapt(&mut spirv, &kernel.interface).map_err(fault)?;
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let [x, y, z] = kernel.interface.workgroup_size;
    let entry = wgpu::PassthroughShaderEntryPoint { name: ENTRY_POINT.into(), workgroup_size: (x, y, z) };
    let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
        label: None,
        entry_points: Cow::Owned(vec![entry]),
        spirv: Some(spirv.into()),
        ..Default::default()
    };
    #[expect(unsafe_code, reason = "other compilers' SPIR-V is measured as they write it")]
    // SAFETY: of a trusted kernel with cooperative matrices it is naga's, with operands that only order accesses. Else
    // nobody checks the module beyond its interface. Who passes `--unchecked` answers for a file's SPIR-V, as the option's
    // help says; kernels that need run-time checks do not get here (`Device::check_kernel`). Modules of the suite's own
    // kernels are trusted like its WGSL: `Device::check_kernel` refuses others.
    let module = unsafe { device.create_shader_module_passthrough(descriptor) };
    let group = layout(device, &kernel.interface, &kernel.integer_textures()?);
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&group)],
        immediate_size: 0,
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&layout),
        module: &module,
        entry_point: Some(ENTRY_POINT),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    match scope.pop().await {
        Some(error) => Err(Error::Shader(one_line(&error.to_string()))),
        None => Ok(pipeline),
    }
}

/// The layout that wgpu would read from WGSL with this interface.
fn layout(
    device: &wgpu::Device,
    interface: &Interface,
    integer_textures: &BTreeMap<u32, bool>,
) -> wgpu::BindGroupLayout {
    let buffer = |ty| wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    let has_sampler = !interface.samplers.is_empty();
    let kinds = interface.bindings.iter().map(|binding| {
        let ty = match binding.access {
            Access::Uniform => buffer(wgpu::BufferBindingType::Uniform),
            Access::Read => buffer(wgpu::BufferBindingType::Storage { read_only: true }),
            Access::ReadWrite => buffer(wgpu::BufferBindingType::Storage { read_only: false }),
            // No kernel that is passed through has one: nothing says its format.
            Access::StorageTexture => wgpu::BindingType::StorageTexture {
                access: wgpu::StorageTextureAccess::WriteOnly,
                format: wgpu::TextureFormat::Rgba8Unorm,
                view_dimension: wgpu::TextureViewDimension::D2,
            },
            Access::Texture => wgpu::BindingType::Texture {
                sample_type: match integer_textures.get(&binding.index) {
                    Some(true) => wgpu::TextureSampleType::Sint,
                    Some(false) => wgpu::TextureSampleType::Uint,
                    None => wgpu::TextureSampleType::Float { filterable: has_sampler },
                },
                view_dimension: wgpu::TextureViewDimension::D2,
                multisampled: false,
            },
        };
        (binding.index, ty)
    });
    let samplers = interface.samplers.iter().map(|sampler| {
        let kind = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
        (sampler.index, kind)
    });
    let sorted: BTreeMap<u32, wgpu::BindingType> = kinds.chain(samplers).collect();
    let visibility = wgpu::ShaderStages::COMPUTE;
    let entry = |(binding, ty)| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None };
    let entries: Vec<_> = sorted.into_iter().map(entry).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
}

// Numbers of the SPIR-V specification, version 1.6, section 3.
const OP_ENTRY_POINT: u32 = 15;
const OP_EXECUTION_MODE: u32 = 16;
const OP_CONSTANT: u32 = 43;
const OP_VARIABLE: u32 = 59;
const OP_DECORATE: u32 = 71;
const OP_EXECUTION_MODE_ID: u32 = 331;
const GL_COMPUTE: u32 = 5;
const LOCAL_SIZE: u32 = 17;
const LOCAL_SIZE_ID: u32 = 38;
const BINDING: u32 = 33;
const DESCRIPTOR_SET: u32 = 34;
const UNIFORM_CONSTANT: u32 = 0;
const PUSH_CONSTANT: u32 = 9;
const STORAGE_BUFFER: u32 = 12;

/// Checks that a module has the interface of its kernel, and gives its bindings the numbers of the Vulkan layout.
///
/// # Errors
/// What it has instead.
fn adapt(spirv: &mut [u32], interface: &Interface) -> Result<(), String> {
    let (mut entry, mut size) = (None, None);
    let (mut sets, mut classes, mut constants) = (HashMap::new(), HashMap::new(), HashMap::new());
    for instruction in instructions(spirv) {
        match (instruction[0] & 0xffff, &instruction[1..]) {
            (OP_ENTRY_POINT, [GL_COMPUTE, id, name @ ..]) if text(name) == ENTRY_POINT => entry = Some(*id),
            (OP_EXECUTION_MODE, [id, LOCAL_SIZE, x, y, z]) if entry == Some(*id) => size = Some([*x, *y, *z]),
            (OP_EXECUTION_MODE_ID, [id, LOCAL_SIZE_ID, x, y, z]) if entry == Some(*id) => {
                size = Some([*x, *y, *z]);
                constants.extend([x, y, z].map(|id| (*id, None)));
            }
            (OP_CONSTANT, [_, id, value]) => {
                constants.entry(*id).and_modify(|known| *known = Some(*value));
            }
            (OP_DECORATE, [id, DESCRIPTOR_SET, set]) => _ = sets.insert(*id, *set),
            (OP_VARIABLE, [_, id, class, ..]) => _ = classes.insert(*id, *class),
            _ => {}
        }
    }
    if entry.is_none() {
        return Err(format!("has no compute entry point '{ENTRY_POINT}'"));
    }
    let size = size.map(|size| if constants.is_empty() { size } else { size.map(|id| known(&constants, id)) });
    if size != Some(interface.workgroup_size) {
        let (has, wants) = (size.unwrap_or_default(), interface.workgroup_size);
        return Err(format!("has workgroups of {has:?} invocations, the kernel of {wants:?}"));
    }
    if classes.values().any(|class| *class == PUSH_CONSTANT) {
        return Err("has push constants, the kernel has none".to_owned());
    }
    renumber(spirv, interface, &sets, &classes)
}

fn known(constants: &HashMap<u32, Option<u32>>, id: u32) -> u32 {
    constants.get(&id).copied().flatten().unwrap_or(0)
}

/// Gives each binding its place among the kernel's bindings. One that the kernel does not use gets a number behind them.
fn renumber(
    spirv: &mut [u32],
    interface: &Interface,
    sets: &HashMap<u32, u32>,
    classes: &HashMap<u32, u32>,
) -> Result<(), String> {
    let buffers = interface.bindings.iter().map(|binding| (binding.index, Some(binding.access)));
    let kinds: BTreeMap<u32, Option<Access>> =
        buffers.chain(interface.samplers.iter().map(|sampler| (sampler.index, None))).collect();
    let mut unused = kinds.len() as u32;
    let mut at = spirv.len() - instructions(spirv).map(<[u32]>::len).sum::<usize>();
    while let Some(first) = spirv.get(at) {
        let length = (first >> 16).max(1) as usize;
        let is_decoration = first & 0xffff == OP_DECORATE && length == 4;
        let Some(words) = spirv.get_mut(at..at + length) else { break };
        at += length;
        if !is_decoration || words[2] != BINDING {
            continue;
        }
        let (id, number) = (words[1], words[3]);
        let Some((place, (_, kind))) = kinds.iter().enumerate().find(|(_, (index, _))| **index == number) else {
            words[3] = unused;
            unused += 1;
            continue;
        };
        let set = sets.get(&id).copied().unwrap_or(0);
        if set != 0 {
            return Err(format!("has a binding {number} in descriptor set {set}, the kernel in set 0"));
        }
        let is_buffer = matches!(kind, Some(Access::Read | Access::ReadWrite));
        let is_handle = matches!(kind, None | Some(Access::Texture | Access::StorageTexture));
        match classes.get(&id) {
            Some(&STORAGE_BUFFER) if !is_buffer => {
                return Err(format!("has a storage buffer at binding {number}, the kernel has none there"));
            }
            Some(&UNIFORM_CONSTANT) if !is_handle => {
                return Err(format!("has a texture or sampler at binding {number}, the kernel has none there"));
            }
            _ => words[3] = place as u32,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::plan::{Request, plan};
    use crate::job::Job;
    use crate::shader::Shader;
    use record::suite::{Checks, Constants, Profile};

    const KERNEL: &str = "@group(0) @binding(7) var<uniform> sizes: vec4<u32>;
@group(0) @binding(2) var<storage, read> input: array<u32>;
@group(0) @binding(4) var<storage, read> idle: array<u32>;
@group(0) @binding(5) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(8, 2)
fn main(@builtin(local_invocation_index) i: u32) { output[i] = input[i] + sizes.x; }";

    fn module(kernel: &str) -> (Vec<u32>, Interface) {
        let (shader, none) = (Shader::read(kernel).expect("valid"), Constants::new());
        let spirv = shader.spirv(&none, Checks::default()).expect("expressible");
        (spirv, shader.interface(&none).expect("resolved"))
    }

    fn bindings(spirv: &[u32]) -> Vec<u32> {
        let is_binding = |words: &&[u32]| words[0] & 0xffff == OP_DECORATE && words.get(2) == Some(&BINDING);
        instructions(spirv).filter(is_binding).map(|words| words[3]).collect()
    }

    #[test]
    fn bindings_are_numbered_by_their_order_and_unused_ones_come_last() {
        let (mut spirv, interface) = module(KERNEL);
        let before = bindings(&spirv);
        adapt(&mut spirv, &interface).expect("its own interface");
        let mut pairs: Vec<_> = before.into_iter().zip(bindings(&spirv)).collect();
        pairs.sort_unstable();
        let expected = [(2, 0), (4, 3), (5, 1), (7, 2)];
        assert!(pairs == expected || pairs == [expected[0], expected[2], expected[3]], "{pairs:?}");
    }

    #[test]
    fn every_module_has_the_interface_and_the_parameters_of_its_twin() {
        let mut count = 0;
        for case in plan(&Request::new(Vec::new(), Profile::Thorough)).expect("a plan of everything") {
            let Ok(Job { mut kernel, .. }) = Job::new(&case) else { continue };
            if kernel.module.is_empty() {
                continue;
            }
            let interface = kernel.interface;
            adapt(&mut kernel.module, &interface).unwrap_or_else(|why| panic!("{case}: {why}"));
            specialize(&mut kernel.module, &interface.overrides).unwrap_or_else(|why| panic!("{case}: {why}"));
            let mut numbers = bindings(&kernel.module);
            numbers.sort_unstable();
            let expected: Vec<u32> = (0..interface.bindings.len() as u32).collect();
            assert_eq!(numbers, expected, "{case}: each binding once");
            count += 1;
        }
        assert!(count >= 4, "{count} cases");
    }

    #[test]
    fn another_interface_is_refused_with_the_difference() {
        let (_, interface) = module(KERNEL);
        for (from, to, fault) in [
            ("(8, 2)", "(16, 1)", "has workgroups of [16, 1, 1] invocations, the kernel of [8, 2, 1]"),
            (
                "@binding(7) var<uniform> sizes: vec4<u32>",
                "@binding(7) var<storage> sizes: vec4<u32>",
                "has a storage buffer at binding 7, the kernel has none there",
            ),
        ] {
            let (mut other, _) = module(&KERNEL.replace(from, to));
            assert_eq!(adapt(&mut other, &interface), Err(fault.to_owned()));
        }
        let (mut spirv, _) = module(KERNEL);
        let name = u32::from_le_bytes(*b"main");
        spirv.iter_mut().filter(|word| **word == name).for_each(|word| *word = u32::from_le_bytes(*b"boss"));
        assert_eq!(adapt(&mut spirv, &interface), Err("has no compute entry point 'main'".to_owned()));
        assert!(adapt(&mut [], &interface).is_err());
    }
}
