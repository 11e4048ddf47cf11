//! Kernels translated by naga, with wgpu's options as far as naga's public options allow.
//!
//! Bindings have the numbers of a wgpu pipeline with an automatic layout: on Vulkan those of the WGSL; registers of
//! DirectX and slots of Metal and OpenGL are counted by kind, in the order of bindings.

use std::panic::{AssertUnwindSafe, catch_unwind};

use naga::back::{glsl, hlsl, msl, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::ModuleInfo;
use naga::{AddressSpace, CooperativeSize, Module, ResourceBinding, ShaderStage, StorageAccess, TypeInner};
use rspirv::binary::Disassemble;

use super::parse::{ENTRY_POINT, Shader};
use crate::error::{Error, Result};
use crate::suite::{Checks, Constants, Feature};

/// A language that naga writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Vulkan's.
    SpirV,
    /// Metal's.
    Msl,
    /// DirectX 12's.
    Hlsl,
    /// OpenGL's.
    Glsl,
}

impl Target {
    /// Every target.
    pub const ALL: [Self; 4] = [Self::SpirV, Self::Msl, Self::Hlsl, Self::Glsl];

    /// Its usual name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SpirV => "SPIR-V",
            Self::Msl => "MSL",
            Self::Hlsl => "HLSL",
            Self::Glsl => "GLSL",
        }
    }

    /// Features that it lacks, or that naga does not translate to it.
    const fn missing(self) -> &'static [Feature] {
        match self {
            Self::SpirV => &[],
            Self::Msl => &[Feature::F64],
            Self::Hlsl => &[Feature::CooperativeMatrix],
            Self::Glsl => &[Feature::F16, Feature::CooperativeMatrix],
        }
    }
}

impl Shader {
    /// The kernel in the language `target`, with `constants` in place and `checks` added: SPIR-V 1.3 as little-endian
    /// bytes, MSL 2.4, HLSL of shader model 6.0 (6.2 with f16), or GLSL 4.50 as text.
    ///
    /// On devices with `robustBufferAccess2`, wgpu leaves bounds checks of buffers to the Vulkan driver; here the
    /// SPIR-V has them. For OpenGL, wgpu adds no bounds checks of indices and no loop bounds, but always bounds checks
    /// of texture loads.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the target cannot express the kernel; [`Error::Shader`] as for
    /// [`Shader::interface`].
    pub fn translate(&self, target: Target, constants: &Constants, checks: Checks) -> Result<Vec<u8>> {
        let lacks = |why: &str| Error::Unsupported(format!("{} cannot express this kernel: {why}", target.name()));
        if let Some(feature) = target.missing().iter().find(|feature| self.features.contains(feature)) {
            return Err(lacks(&format!("as naga writes it, it has no {}", feature.name())));
        }
        let (module, info) = self.resolve(constants)?;
        if target == Target::Msl && has_large_matrices(&module) {
            return Err(lacks("Metal's matrices have 8×8 elements"));
        }
        let has_f16 = self.features.contains(&Feature::F16);
        // naga's writers panic on some features that their target lacks.
        let written = catch_unwind(AssertUnwindSafe(|| match target {
            Target::SpirV => spirv(&module, &info, checks),
            Target::Msl => msl(&module, &info, checks),
            Target::Hlsl => hlsl(&module, &info, checks, has_f16),
            Target::Glsl => glsl(&module, &info, checks),
        }));
        match written {
            Ok(written) => written.map_err(|message| lacks(&message)),
            Err(_) => Err(lacks("naga failed to translate it")),
        }
    }
}

/// Whether a module has cooperative matrices of more than 8×8 elements. naga writes them for Metal as if it had them.
fn has_large_matrices(module: &Module) -> bool {
    let eight = CooperativeSize::Eight;
    module.types.iter().any(|(_, own)| {
        matches!(own.inner, TypeInner::CooperativeMatrix { columns, rows, .. } if columns != eight || rows != eight)
    })
}

/// The assembly text of a SPIR-V module.
///
/// # Errors
/// [`Error::Shader`] where `binary` is not SPIR-V.
pub fn disassemble(binary: &[u8]) -> Result<String> {
    let module = rspirv::dr::load_bytes(binary).map_err(|error| Error::Shader(format!("no SPIR-V: {error}")))?;
    Ok(module.disassemble() + "\n")
}

fn entry() -> (ShaderStage, String) {
    (ShaderStage::Compute, ENTRY_POINT.to_owned())
}

fn spirv(module: &Module, info: &ModuleInfo, checks: Checks) -> Result<Vec<u8>, String> {
    use spv::ZeroInitializeWorkgroupMemoryMode as Zero;
    let options = spv::Options {
        lang_version: (1, 3),
        // Names are for readers; drivers do not need them.
        flags: spv::WriterFlags::DEBUG | spv::WriterFlags::LABEL_VARYINGS,
        zero_initialize_workgroup_memory: if checks.zero_init { Zero::Polyfill } else { Zero::None },
        bounds_check_policies: policies(checks.bounds),
        force_loop_bounding: checks.loops,
        emit_int_div_checks: checks == Checks::ALL,
        ..Default::default()
    };
    let words = spv::write_vec(module, info, &options, None).map_err(|error| error.to_string())?;
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

fn msl(module: &Module, info: &ModuleInfo, checks: Checks) -> Result<Vec<u8>, String> {
    let mut resources = msl::EntryPointResources::default();
    let (mut buffers, mut textures, mut samplers) = (0, 0, 0);
    for (binding, kind) in bound(module, info) {
        let mut target = msl::BindTarget::default();
        match kind {
            Kind::Sampler => target.sampler = Some(msl::BindSamplerTarget::Resource(next(&mut samplers))),
            Kind::Texture => target.texture = Some(next(&mut textures)),
            kind => {
                target.buffer = Some(next(&mut buffers));
                target.mutable = kind == Kind::ReadWrite;
            }
        }
        resources.resources.insert(binding, target);
    }
    // The lengths of run-time sized arrays.
    resources.sizes_buffer = Some(buffers);
    let options = msl::Options {
        lang_version: (2, 4),
        per_entry_point_map: [(ENTRY_POINT.to_owned(), resources)].into(),
        fake_missing_bindings: false,
        zero_initialize_workgroup_memory: checks.zero_init,
        bounds_check_policies: policies(checks.bounds),
        force_loop_bounding: checks.loops,
        emit_int_div_checks: checks == Checks::ALL,
        ..Default::default()
    };
    let pipeline = msl::PipelineOptions { entry_point: Some(entry()), ..Default::default() };
    let (text, _) = msl::write_string(module, info, &options, &pipeline).map_err(|error| error.to_string())?;
    Ok(text.into_bytes())
}

fn hlsl(module: &Module, info: &ModuleInfo, checks: Checks, has_f16: bool) -> Result<Vec<u8>, String> {
    let register = |register| hlsl::BindTarget { register, ..Default::default() };
    let mut options = hlsl::Options {
        sampler_heap_target: hlsl::SamplerHeapBindTargets {
            standard_samplers: register(0),
            comparison_samplers: register(2048),
        },
        shader_model: if has_f16 { hlsl::ShaderModel::V6_2 } else { hlsl::ShaderModel::V6_0 },
        fake_missing_bindings: false,
        zero_initialize_workgroup_memory: checks.zero_init,
        restrict_indexing: checks.bounds,
        force_loop_bounding: checks.loops,
        ..Default::default()
    };
    let (mut constants, mut views, mut stores, mut samplers) = (0, 0, 0, 0);
    for (binding, kind) in bound(module, info) {
        let counter = match kind {
            Kind::Uniform => &mut constants,
            Kind::Read | Kind::Texture => &mut views,
            Kind::ReadWrite => &mut stores,
            // Samplers are in a heap that all pipelines share; the register is an index into a buffer of heap indices.
            Kind::Sampler => &mut samplers,
        };
        options.binding_map.insert(binding, register(next(counter)));
    }
    if samplers > 0 {
        options.sampler_buffer_binding_map.insert(hlsl::SamplerIndexBufferKey { group: 0 }, register(views));
    }
    options.special_constants_binding = Some(register(constants));
    let pipeline = hlsl::PipelineOptions { entry_point: Some(entry()) };
    let mut text = String::new();
    let mut writer = hlsl::Writer::new(&mut text, &options, &pipeline);
    writer.write(module, info, None).map_err(|error| error.to_string())?;
    Ok(text.into_bytes())
}

fn glsl(module: &Module, info: &ModuleInfo, checks: Checks) -> Result<Vec<u8>, String> {
    let (mut uniforms, mut storage, mut textures, mut samplers) = (0, 0, 0, 0);
    let slot = |(binding, kind)| {
        let counter = match kind {
            Kind::Uniform => &mut uniforms,
            Kind::Read | Kind::ReadWrite => &mut storage,
            Kind::Texture => &mut textures,
            Kind::Sampler => &mut samplers,
        };
        (binding, next(counter))
    };
    let options = glsl::Options {
        version: glsl::Version::Desktop(450),
        binding_map: bound(module, info).into_iter().map(slot).collect(),
        zero_initialize_workgroup_memory: checks.zero_init,
        ..Default::default()
    };
    let (stage, entry_point) = entry();
    let pipeline = glsl::PipelineOptions { shader_stage: stage, entry_point, multiview: None };
    let policies = BoundsCheckPolicies { image_load: BoundsCheckPolicy::ReadZeroSkipWrite, ..policies(false) };
    let mut text = String::new();
    glsl::Writer::new(&mut text, module, info, &options, &pipeline, policies)
        .and_then(|mut writer| writer.write())
        .map_err(|error| error.to_string())?;
    Ok(text.into_bytes())
}

const fn policies(has_checks: bool) -> BoundsCheckPolicies {
    let policy = if has_checks { BoundsCheckPolicy::Restrict } else { BoundsCheckPolicy::Unchecked };
    // naga has no checks for binding arrays; no kernel here has any.
    let binding_array = BoundsCheckPolicy::Unchecked;
    BoundsCheckPolicies { index: policy, buffer: policy, image_load: policy, binding_array }
}

/// A binding's kind, by which platforms number it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Uniform,
    Read,
    ReadWrite,
    Texture,
    Sampler,
}

/// The bindings that the kernel uses, by number.
fn bound(module: &Module, info: &ModuleInfo) -> Vec<(ResourceBinding, Kind)> {
    let used = info.get_entry_point(0);
    let mut bound = Vec::new();
    for (handle, variable) in module.global_variables.iter() {
        let Some(binding) = variable.binding.filter(|_| !used[handle].is_empty()) else { continue };
        let kind = match variable.space {
            AddressSpace::Uniform => Kind::Uniform,
            AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => Kind::ReadWrite,
            AddressSpace::Storage { .. } => Kind::Read,
            _ if matches!(module.types[variable.ty].inner, TypeInner::Sampler { .. }) => Kind::Sampler,
            _ => Kind::Texture,
        };
        bound.push((binding, kind));
    }
    bound.sort_by_key(|(binding, _)| binding.binding);
    bound
}

/// Increments the counter; returns its previous value.
fn next<N: Copy + std::ops::AddAssign + From<u8>>(counter: &mut N) -> N {
    let number = *counter;
    *counter += N::from(1);
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str = "\
alias T = f32;
@group(0) @binding(4) var<storage, read> unused: array<T>;
@group(0) @binding(3) var wrapped: sampler;
@group(0) @binding(0) var<uniform> shape: vec4<u32>;
@group(0) @binding(1) var<storage, read> input: array<T>;
@group(0) @binding(2) var image: texture_2d<f32>;
@group(0) @binding(5) var<storage, read_write> output: array<T>;
var<workgroup> tile: array<T, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32, @builtin(num_workgroups) groups: vec3<u32>) {
    tile[i] = input[i];
    workgroupBarrier();
    var sum = T(groups.x);
    for (var k = 0u; k < shape.x; k++) {
        sum += tile[k];
    }
    output[i] = sum * T(textureSampleLevel(image, wrapped, vec2<f32>(0.5), 0.0).x);
}";

    fn text(target: Target, checks: Checks) -> String {
        let shader = Shader::parse(KERNEL, "f32").expect("valid");
        let written = shader.translate(target, &Constants::new(), checks).expect("expressible");
        String::from_utf8(written).expect("text")
    }

    #[test]
    fn bindings_have_the_numbers_that_wgpu_gives_them() {
        for (target, expected) in [
            (Target::Msl, &["shape [[buffer(0)]]", "input [[buffer(1)]]", "image [[texture(0)]]"][..]),
            (Target::Msl, &["wrapped [[sampler(0)]]", "output [[buffer(2)]]", "_buffer_sizes [[buffer(3)]]"]),
            (Target::Hlsl, &["shape : register(b0)", "input : register(t0)", "image : register(t1)"]),
            (
                Target::Hlsl,
                &["output : register(u0)", "register(b1)", "nagaGroup0SamplerIndexArray : register(t2, space0)"],
            ),
            (Target::Glsl, &["std140, binding = 0", "std430, binding = 0", "std430, binding = 1"]),
        ] {
            let text = text(target, Checks::default());
            for part in expected {
                assert!(text.contains(part), "{part} in {text}");
            }
        }
    }

    #[test]
    fn requested_checks_are_added() {
        let only =
            |name: &str| Checks { bounds: name == "bounds", loops: name == "loops", zero_init: name == "zero-init" };
        for (target, name, part) in [
            (Target::Msl, "bounds", "metal::min("),
            (Target::Msl, "loops", "loop_bound"),
            (Target::Msl, "zero-init", "tile = {}"),
            (Target::Hlsl, "bounds", "min("),
            (Target::Hlsl, "loops", "loop_bound"),
            (Target::Hlsl, "zero-init", "tile = (float[64])0"),
            (Target::Glsl, "zero-init", "tile = float[64]("),
        ] {
            let (without, with) = (text(target, Checks::default()), text(target, only(name)));
            assert!(!without.contains(part) && with.contains(part), "{name}: {part} in {with}");
        }
        let shader = Shader::parse(KERNEL, "f32").expect("valid");
        let binary = |checks| shader.translate(Target::SpirV, &Constants::new(), checks).expect("SPIR-V has all");
        let bare = binary(Checks::default());
        for name in ["bounds", "loops", "zero-init"] {
            assert!(binary(only(name)).len() > bare.len(), "{name}");
        }
        assert_eq!((only("loops").name(), Checks::ALL.name()), ("loops".to_owned(), "on".to_owned()));
    }

    #[test]
    fn spirv_is_disassembled() {
        let shader = Shader::parse(KERNEL, "f32").expect("valid");
        let binary = shader.translate(Target::SpirV, &Constants::new(), Checks::default()).expect("SPIR-V");
        let text = disassemble(&binary).expect("a module");
        assert!(text.contains("OpEntryPoint GLCompute") && text.contains("OpControlBarrier"), "{text}");
        assert!(disassemble(b"no module").is_err());
    }

    #[test]
    fn a_target_without_a_feature_is_an_error() {
        let shader = Shader::parse(&KERNEL.replace("textureSampleLevel", "0.5 * textureSampleLevel"), "f64");
        let shader = shader.expect("valid");
        let error = shader.translate(Target::Msl, &Constants::new(), Checks::default()).expect_err("Metal has no f64");
        assert!(error.is_skip() && error.to_string().starts_with("MSL cannot express"), "{error}");
    }
}
