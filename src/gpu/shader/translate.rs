//! Kernels translated by naga, with wgpu's options as far as naga's public options allow.
//!
//! Bindings have the numbers of a wgpu pipeline with an automatic layout: on Vulkan those of the WGSL; registers of
//! DirectX and slots of Metal and OpenGL are counted by kind, in the order of bindings.

use std::panic::{AssertUnwindSafe, catch_unwind};

use naga::back::{glsl, msl, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::ModuleInfo;
use naga::{CooperativeSize, Module, TypeInner};
pub use spirv::Capability;

use super::bound::{Kind, bound, entry_of, has_immediates, next};
use super::hlsl::{ShaderModel, hlsl};
use super::memory_model::with_operands;
use super::parse::Shader;
use record::error::{Error, Result};
use record::suite::{Checks, Constants, Feature};

/// A language that naga writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Vulkan's.
    SpirV,
    /// Metal's.
    Msl,
    /// DirectX 12's, for a shader model; `None`: the oldest of DXC that has the kernel's features.
    Hlsl(Option<ShaderModel>),
    /// OpenGL's.
    Glsl,
}

/// What is enabled on a Vulkan device; by default the features of Vulkan 1.3 and every capability.
#[derive(Debug, Default)]
pub struct Enabled {
    /// Whether `robustBufferAccess2` is enabled: wgpu then leaves bounds checks of buffers to the driver.
    pub is_robust: bool,
    /// Whether the kernel zeroes workgroup memory itself, since the driver cannot.
    pub stores_zeros: bool,
    /// Capabilities that the SPIR-V may use. naga avoids others where it can.
    pub capabilities: Option<Vec<Capability>>,
}

impl Target {
    /// Every target.
    pub const ALL: [Self; 4] = [Self::SpirV, Self::Msl, Self::Hlsl(None), Self::Glsl];

    /// Its usual name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SpirV => "SPIR-V",
            Self::Msl => "MSL",
            Self::Hlsl(_) => "HLSL",
            Self::Glsl => "GLSL",
        }
    }

    /// Features that it lacks, or that naga does not translate to it.
    const fn missing(self) -> &'static [Feature] {
        match self {
            Self::SpirV => &[],
            Self::Msl => &[Feature::F64, Feature::I64Division, Feature::I64Atomics],
            Self::Hlsl(_) => &[Feature::CooperativeMatrix, Feature::F32Atomics],
            Self::Glsl => &[Feature::F16, Feature::I16, Feature::I64, Feature::CooperativeMatrix, Feature::F32Atomics],
        }
    }
}

impl Shader {
    /// The kernel in the language `target`, with `constants` in place and `checks` added: SPIR-V 1.3 as little-endian
    /// bytes, MSL 2.4, HLSL (by default of shader model 6.0, with f16 6.2), or GLSL 4.50 as text.
    ///
    /// On devices with `robustBufferAccess2`, wgpu leaves bounds checks of buffers to the Vulkan driver; here the
    /// SPIR-V has them. For OpenGL, wgpu adds no bounds checks of indices and no loop bounds, but always bounds checks
    /// of texture loads.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the target cannot express the kernel; [`Error::Shader`] as for
    /// [`Shader::interface`].
    pub fn translate(&self, target: Target, constants: &Constants, checks: Checks) -> Result<Vec<u8>> {
        let lacks = |why: &str| Error::Unsupported(format!("{} cannot express this kernel: {why}", target.name()));
        if let Some(feature) = target.missing().iter().find(|feature| self.features.contains(feature)) {
            return Err(lacks(&format!("naga's output has no {}", feature.name())));
        }
        if let Target::Hlsl(Some(model)) = target
            && let Some(feature) = self.features.iter().find(|feature| !model.has(**feature))
        {
            return Err(lacks(&format!("shader model {} has no {}", model.name(), feature.name())));
        }
        let (module, info) = self.resolve(self.entry(), constants)?;
        if target == Target::Msl && has_large_matrices(&module) {
            return Err(lacks("Metal supports only 8×8 matrices"));
        }
        // naga's writers panic on some features that their target lacks.
        let written = catch_unwind(AssertUnwindSafe(|| match target {
            Target::SpirV => spirv(&module, &info, checks),
            Target::Msl => msl(&module, &info, checks),
            Target::Hlsl(model) => {
                hlsl(&module, &info, checks, model.unwrap_or_else(|| ShaderModel::least(&self.features)))
            }
            Target::Glsl => glsl(&module, &info, checks),
        }));
        match written {
            Ok(written) => written.map_err(|message| lacks(&message)),
            Err(_) => Err(lacks("naga failed to translate it")),
        }
    }
}

impl Shader {
    /// The SPIR-V that wgpu generates for Vulkan, without names.
    ///
    /// # Errors
    /// [`Error::Shader`] if naga cannot write it, and as for [`Shader::interface`].
    pub fn spirv(&self, constants: &Constants, checks: Checks) -> Result<Vec<u32>> {
        self.spirv_of(self.entry(), constants, checks, &Enabled::default())
    }

    /// The same for one entry point, on a device with `enabled`.
    ///
    /// # Errors
    /// Those of [`Shader::spirv`], and if the kernel needs a capability that is not enabled.
    pub(crate) fn spirv_of(
        &self,
        entry: &str,
        constants: &Constants,
        checks: Checks,
        enabled: &Enabled,
    ) -> Result<Vec<u32>> {
        let (module, info) = self.resolve(entry, constants)?;
        words(&module, &info, (checks, enabled), spv::WriterFlags::empty()).map_err(Error::Shader)
    }
}

/// Whether a module has cooperative matrices of more than 8×8 elements, which naga writes even for Metal.
fn has_large_matrices(module: &Module) -> bool {
    let eight = CooperativeSize::Eight;
    module.types.iter().any(|(_, own)| {
        matches!(own.inner, TypeInner::CooperativeMatrix { columns, rows, .. } if columns != eight || rows != eight)
    })
}

fn spirv(module: &Module, info: &ModuleInfo, checks: Checks) -> Result<Vec<u8>, String> {
    // Names are for readers; drivers do not need them.
    let words =
        words(module, info, (checks, &Enabled::default()), spv::WriterFlags::DEBUG | spv::WriterFlags::LABEL_VARYINGS)?;
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

fn words(
    module: &Module,
    info: &ModuleInfo,
    (checks, enabled): (Checks, &Enabled),
    flags: spv::WriterFlags,
) -> Result<Vec<u32>, String> {
    use spv::ZeroInitializeWorkgroupMemoryMode as Zero;
    let mut bounds = policies(checks.bounds);
    if enabled.is_robust {
        bounds.buffer = BoundsCheckPolicy::Unchecked;
    }
    let options = spv::Options {
        lang_version: (1, 3),
        flags,
        // As wgpu does if the driver can zero it (Vulkan 1.3): stores by the kernel take up to 14 times as long.
        zero_initialize_workgroup_memory: match (checks.zero_init, enabled.stores_zeros) {
            (false, _) => Zero::None,
            (true, false) => Zero::Native,
            (true, true) => Zero::Polyfill,
        },
        capabilities: enabled.capabilities.as_ref().map(|all| all.iter().copied().collect()),
        bounds_check_policies: bounds,
        force_loop_bounding: checks.loops,
        emit_int_div_checks: checks == Checks::ALL,
        ..Default::default()
    };
    spv::write_vec(module, info, &options, None).map(with_operands).map_err(|error| error.to_string())
}

fn msl(module: &Module, info: &ModuleInfo, checks: Checks) -> Result<Vec<u8>, String> {
    let mut resources = msl::EntryPointResources::default();
    let (mut buffers, mut textures, mut samplers) = (0, 0, 0);
    resources.immediates_buffer = has_immediates(module).then(|| next(&mut buffers));
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
        per_entry_point_map: [(entry_of(module).1, resources)].into(),
        fake_missing_bindings: false,
        zero_initialize_workgroup_memory: checks.zero_init,
        bounds_check_policies: policies(checks.bounds),
        force_loop_bounding: checks.loops,
        emit_int_div_checks: checks == Checks::ALL,
        ..Default::default()
    };
    let pipeline = msl::PipelineOptions { entry_point: Some(entry_of(module)), ..Default::default() };
    let (text, _) = msl::write_string(module, info, &options, &pipeline).map_err(|error| error.to_string())?;
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
    let (stage, entry_point) = entry_of(module);
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
            (Target::Hlsl(None), &["shape : register(b0)", "input : register(t0)", "image : register(t1)"]),
            (
                Target::Hlsl(None),
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
        let only = |name: &str| Checks::named(name).expect("a check");
        for (target, name, part) in [
            (Target::Msl, "bounds", "metal::min("),
            (Target::Msl, "loops", "loop_bound"),
            (Target::Msl, "zero-init", "tile = {}"),
            (Target::Hlsl(None), "bounds", "min("),
            (Target::Hlsl(None), "loops", "loop_bound"),
            (Target::Hlsl(None), "zero-init", "tile = (float[64])0"),
            (Target::Glsl, "zero-init", "tile = float[64]("),
        ] {
            let (without, with) = (text(target, Checks::default()), text(target, only(name)));
            assert!(!without.contains(part) && with.contains(part), "{name}: {part} in {with}");
        }
        let shader = Shader::parse(KERNEL, "f32").expect("valid");
        let binary = |checks| shader.translate(Target::SpirV, &Constants::new(), checks).expect("SPIR-V has all");
        let unchecked = binary(Checks::default());
        for name in ["bounds", "loops", "zero-init"] {
            assert!(binary(only(name)).len() > unchecked.len(), "{name}");
        }
        assert_eq!((only("loops").name(), Checks::ALL.name()), ("loops".to_owned(), "on".to_owned()));
    }

    #[test]
    fn hlsl_is_of_the_shader_model() {
        let written = |kernel: &str, model| {
            let shader = Shader::parse(kernel, "f32").expect("valid");
            let text = shader.translate(Target::Hlsl(model), &Constants::new(), Checks::default());
            text.map(|text| String::from_utf8(text).expect("text")).map_err(|error| error.to_string())
        };
        let dot = "@group(0) @binding(0) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(1)
fn main() { output[0] = dot4U8Packed(output[1], output[2]); }";
        let has_instruction = |model| written(dot, model).expect("expressible").contains("dot4add_u8packed");
        assert!(has_instruction(Some(ShaderModel::V6_6)));
        assert!(!has_instruction(Some(ShaderModel::V5_1)) && !has_instruction(None));
        let lanes = "@group(0) @binding(0) var<storage, read_write> output: array<u32>;
@compute @workgroup_size(32)
fn main() { output[0] = subgroupAdd(output[1]); }";
        assert_eq!(
            written(lanes, Some(ShaderModel::V5_1)),
            Err("HLSL cannot express this kernel: shader model 5.1 has no subgroup operations".to_owned())
        );
        assert!(written(lanes, Some(ShaderModel::V6_0)).expect("expressible").contains("WaveActiveSum"));
        let halves = "enable f16;
@group(0) @binding(0) var<storage, read_write> output: array<f16>;
@compute @workgroup_size(1)
fn main() { output[0] = output[1]; }";
        assert!(written(halves, Some(ShaderModel::V6_0)).is_err_and(|why| why.contains("shader model 6.0 has no f16")));
        assert!(written(halves, None).is_ok(), "the oldest model that has them");
    }

    #[test]
    fn spirv_uses_enabled_capabilities_only() {
        let shader = Shader::parse(
            "@group(0) @binding(0) var<storage, read_write> output: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = pack4xU8(vec4<u32>(i));
    workgroupBarrier();
    output[i] = dot4U8Packed(tile[63u - i], output[i]);
}",
            "f32",
        );
        let shader = shader.expect("valid");
        let text = |enabled: &Enabled| {
            let words = shader.spirv_of("main", &Constants::new(), Checks::ALL, enabled).expect("expressible");
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            crate::shader::module::disassemble(&bytes).expect("a module")
        };
        let uses = |text: &str| ["Int8", "DotProduct"].map(|name| text.contains(&format!("OpCapability {name}\n")));
        assert_eq!(uses(&text(&Enabled::default())), [true, true]);
        let mut capabilities = vec![Capability::Shader];
        for (more, expected) in [
            (&[][..], [false, false]),
            (&[Capability::Int8], [true, false]),
            (&[Capability::DotProduct, Capability::DotProductInput4x8BitPacked], [true, true]),
        ] {
            capabilities.extend(more);
            let enabled = Enabled { capabilities: Some(capabilities.clone()), ..Enabled::default() };
            assert_eq!(uses(&text(&enabled)), expected, "{more:?}");
        }
        let barriers = |stores_zeros| {
            let enabled = Enabled { stores_zeros, ..Enabled::default() };
            text(&enabled).matches("OpControlBarrier").count()
        };
        assert_eq!(barriers(true), barriers(false) + 1, "after the zeros");
    }

    #[test]
    fn spirv_is_disassembled() {
        let shader = Shader::parse(KERNEL, "f32").expect("valid");
        let binary = shader.translate(Target::SpirV, &Constants::new(), Checks::default()).expect("SPIR-V");
        let text = crate::shader::module::disassemble(&binary).expect("a module");
        assert!(text.contains("OpEntryPoint GLCompute") && text.contains("OpControlBarrier"), "{text}");
        assert!(crate::shader::module::disassemble(b"no module").is_err());
    }

    #[test]
    fn a_target_without_a_feature_is_an_error() {
        let shader = Shader::parse(&KERNEL.replace("textureSampleLevel", "0.5 * textureSampleLevel"), "f64");
        let shader = shader.expect("valid");
        let error = shader.translate(Target::Msl, &Constants::new(), Checks::default()).expect_err("Metal has no f64");
        assert!(error.is_skip() && error.to_string().starts_with("MSL cannot express"), "{error}");
    }
}
