//! SPIR-V of other compilers, passed through wgpu unchanged: kernels that WGSL cannot express, and users' files.
//!
//! wgpu reads no interface from such a module: layout and bindings are the kernel's. As wgpu's Vulkan backend numbers
//! the bindings of each group of a layout without gaps, the module's numbers are replaced by these.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::memory::view_dimension;
use super::transfer::texel_format;
use crate::job::Kernel;
use crate::shader::module::{renumber, specialize};
use crate::shader::{Layout, ModuleInterface, Texels};
use record::error::{Error, Result, one_line};
use record::suite::{Access, Constants, Entry, Interface, Layers, TexelFormat};

pub(super) const ENTRY_POINT: &str = "main";

/// The SPIR-V that a kernel contains, with the values of its constants. Fails if an override of the kernel is missing.
pub(super) fn specialized(kernel: &Kernel) -> Result<Vec<u32>> {
    let mut spirv = kernel.module.clone();
    specialize(&mut spirv, &kernel.interface.overrides).map_err(fault)?;
    Ok(spirv)
}

fn fault(why: String) -> Error {
    Error::Shader(format!("the kernel's SPIR-V {why}"))
}

/// Compiles SPIR-V made from `kernel`: a pipeline per entry point. Fails with [`Error::Shader`] if its interface
/// differs from the kernel's, or the API rejects it.
pub(super) async fn compile(
    device: &wgpu::Device,
    kernel: &Kernel,
    spirv: &[u32],
) -> Result<Vec<wgpu::ComputePipeline>> {
    let layouts = kernel.layouts()?;
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let mut pipelines = Vec::new();
    for entry in &kernel.interface.entries {
        let mut spirv = spirv.to_vec();
        let name = adapt(&mut spirv, &kernel.interface, entry).map_err(fault)?;
        let [x, y, z] = entry.workgroup_size;
        let point = wgpu::PassthroughShaderEntryPoint { name: name.as_str().into(), workgroup_size: (x, y, z) };
        let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
            label: None,
            entry_points: Cow::Owned(vec![point]),
            spirv: Some(spirv.into()),
            ..Default::default()
        };
        #[expect(unsafe_code, reason = "SPIR-V from other compilers is measured unchanged")]
        // SAFETY: for a trusted kernel with cooperative matrices, the SPIR-V is naga's, with operands that only order
        // accesses. Otherwise only the module's interface is checked: a user who runs SPIR-V that naga cannot check, or
        // passes `--unchecked`, is responsible for it, as the documents and the option's help state.
        // `Device::check_kernel` refuses kernels that need run-time checks. Modules of the suite's own kernels are
        // trusted like its WGSL.
        let module = unsafe { device.create_shader_module_passthrough(descriptor) };
        let groups = groups(device, &kernel.interface, entry, &layouts);
        let groups: Vec<_> = groups.iter().map(Some).collect();
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &groups,
            immediate_size: entry.immediate_bytes.next_multiple_of(4),
        });
        pipelines.push(device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&layout),
            module: &module,
            entry_point: Some(&name),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        }));
    }
    match scope.pop().await {
        Some(error) => Err(Error::Shader(one_line(&error.to_string()))),
        None => Ok(pipelines),
    }
}

/// The layouts that wgpu would read from WGSL with this interface. Groups between others may have no bindings.
fn groups(
    device: &wgpu::Device,
    interface: &Interface,
    entry: &Entry,
    layouts: &[Layout],
) -> Vec<wgpu::BindGroupLayout> {
    let buffer = |ty| wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    let has_sampler = !entry.samplers.is_empty();
    let mut all: BTreeMap<u32, Vec<(u32, wgpu::BindingType)>> = BTreeMap::new();
    for binding in entry.bindings.iter().map(|place| &interface.bindings[*place]) {
        let layout = layouts.iter().find(|layout| layout.name == binding.name);
        let texels = layout.and_then(|layout| layout.texels);
        let view_dimension = view_dimension(layout.map_or(Layers::One, |layout| layout.layers));
        let ty = match binding.access {
            Access::Uniform => buffer(wgpu::BufferBindingType::Uniform),
            Access::Read => buffer(wgpu::BufferBindingType::Storage { read_only: true }),
            Access::ReadWrite => buffer(wgpu::BufferBindingType::Storage { read_only: false }),
            // Vulkan has one kind of storage image, whatever its access.
            Access::StorageTexture => wgpu::BindingType::StorageTexture {
                access: wgpu::StorageTextureAccess::WriteOnly,
                format: match texels {
                    Some(Texels::Storage(format)) => texel_format(format),
                    _ => texel_format(TexelFormat::Rgba8Unorm),
                },
                view_dimension,
            },
            Access::Texture => wgpu::BindingType::Texture {
                sample_type: match texels {
                    Some(Texels::Signed) => wgpu::TextureSampleType::Sint,
                    Some(Texels::Unsigned) => wgpu::TextureSampleType::Uint,
                    _ => wgpu::TextureSampleType::Float { filterable: has_sampler },
                },
                view_dimension,
                multisampled: false,
            },
        };
        all.entry(binding.group).or_default().push((binding.index, ty));
    }
    for sampler in entry.samplers.iter().map(|place| &interface.samplers[*place]) {
        let ty = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
        all.entry(sampler.group).or_default().push((sampler.index, ty));
    }
    let count = all.keys().max().map_or(0, |last| last + 1);
    let group = |number: u32| {
        let visibility = wgpu::ShaderStages::COMPUTE;
        let entry = |(binding, ty)| wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None };
        let entries: Vec<_> = all.remove(&number).unwrap_or_default().into_iter().map(entry).collect();
        device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
    };
    (0..count).map(group).collect()
}

/// Checks that a module has the interface of an entry point of its kernel, and renumbers its bindings for the Vulkan
/// layout. Returns the name of the entry point in the module. The error states what the module has instead.
fn adapt(spirv: &mut [u32], interface: &Interface, entry: &Entry) -> Result<String, String> {
    let none = Constants::new();
    let read = ModuleInterface::read(spirv, &none).map_err(|error| format!("cannot be read: {error}"))?;
    let name = [entry.name.as_str(), ENTRY_POINT].into_iter().find(|name| read.entries().contains(name));
    let name = name.ok_or_else(|| format!("has no compute entry point '{ENTRY_POINT}'"))?.to_owned();
    let own = read.interface_of(&[&name], &none).map_err(|error| error.to_string())?;
    if own.workgroup_size != entry.workgroup_size {
        let (has, wants) = (own.workgroup_size, entry.workgroup_size);
        return Err(format!("has workgroups of {has:?} invocations, but the kernel has {wants:?}"));
    }
    if own.entries[0].immediate_bytes > entry.immediate_bytes {
        let (has, wants) = (own.entries[0].immediate_bytes, entry.immediate_bytes);
        return Err(format!("has {has} B of push constants, but the kernel has {wants}"));
    }
    let of_kernel = |at: (u32, u32)| {
        let mut bindings = entry.bindings.iter().map(|place| &interface.bindings[*place]);
        bindings.find(|known| (known.group, known.index) == at)
    };
    for binding in &own.bindings {
        let Some(known) = of_kernel((binding.group, binding.index)) else { continue };
        let kind = |access: Access| match access {
            Access::Read | Access::ReadWrite => "storage buffer",
            Access::Uniform => "uniform buffer",
            Access::Texture => "texture",
            Access::StorageTexture => "storage texture",
        };
        if kind(binding.access) != kind(known.access) {
            let (has, index, wants) = (kind(binding.access), binding.index, kind(known.access));
            return Err(format!("has a {has} at binding {index}, but the kernel has a {wants}"));
        }
    }
    let unused = interface.bindings.len() as u32 + interface.samplers.len() as u32;
    renumber(spirv, &places(interface, entry), unused);
    Ok(name)
}

/// The sorted binding numbers of an entry point, by group.
fn places(interface: &Interface, entry: &Entry) -> BTreeMap<u32, Vec<u32>> {
    let bindings = entry.bindings.iter().map(|place| &interface.bindings[*place]).map(|own| (own.group, own.index));
    let samplers = entry.samplers.iter().map(|place| &interface.samplers[*place]).map(|own| (own.group, own.index));
    let mut places: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    bindings.chain(samplers).for_each(|(group, index)| places.entry(group).or_default().push(index));
    places.values_mut().for_each(|indices| indices.sort_unstable());
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::plan::{Request, plan};
    use crate::job::Job;
    use crate::shader::Shader;
    use crate::shader::module::instructions;
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
        // OpDecorate, Binding.
        let is_binding = |words: &&[u32]| words[0] & 0xffff == 71 && words.get(2) == Some(&33);
        instructions(spirv).filter(is_binding).map(|words| words[3]).collect()
    }

    #[test]
    fn bindings_are_numbered_by_their_order_and_unused_ones_come_last() {
        let (mut spirv, interface) = module(KERNEL);
        let before = bindings(&spirv);
        adapt(&mut spirv, &interface, &interface.entries[0]).expect("its own interface");
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
            adapt(&mut kernel.module, &interface, &interface.entries[0]).unwrap_or_else(|why| panic!("{case}: {why}"));
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
            ("(8, 2)", "(16, 1)", "has workgroups of [16, 1, 1] invocations, but the kernel has [8, 2, 1]"),
            (
                "@binding(7) var<uniform> sizes: vec4<u32>",
                "@binding(7) var<storage> sizes: vec4<u32>",
                "has a storage buffer at binding 7, but the kernel has a uniform buffer",
            ),
        ] {
            let (mut other, _) = module(&KERNEL.replace(from, to));
            assert_eq!(adapt(&mut other, &interface, &interface.entries[0]), Err(fault.to_owned()));
        }
        let (mut spirv, _) = module(KERNEL);
        let name = u32::from_le_bytes(*b"main");
        spirv.iter_mut().filter(|word| **word == name).for_each(|word| *word = u32::from_le_bytes(*b"boss"));
        assert_eq!(
            adapt(&mut spirv, &interface, &interface.entries[0]),
            Err("has no compute entry point 'main'".to_owned())
        );
        assert!(adapt(&mut [], &interface, &interface.entries[0]).is_err());
    }
}
