//! WGSL, parsed and validated by naga.

use std::borrow::Cow;
use std::collections::BTreeSet;
#[cfg(not(target_family = "wasm"))]
use std::sync::{Mutex, PoisonError};

use naga::back::{PipelineConstants, pipeline_constants};
use naga::valid::{Capabilities, ModuleInfo, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator};
use naga::{BinaryOperator, Binding, BuiltIn, Expression, MathFunction, Module, ShaderStage, TypeInner};

use super::unroll::{is_marked, unrolled};
use record::error::{Error, Result};
#[cfg(not(target_family = "wasm"))]
use record::suite::budget::Budget;
use record::suite::{Accepted, Constants, Feature};

/// The entry point of the suite's kernels.
pub(super) const ENTRY_POINT: &str = "main";

/// Source bytes above which parsing may take minutes: naga's time is quadratic in the expressions of a function.
#[cfg(not(target_family = "wasm"))]
pub(super) const LARGE: usize = 16 << 10;

/// The result of `read` in another thread, or an error when the time is over. The thread is then abandoned.
#[cfg(not(target_family = "wasm"))]
pub(super) fn in_time<T: Send + 'static>(
    budget: Budget,
    read: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    use std::sync::mpsc::RecvTimeoutError;

    /// The stack of the main thread.
    const STACK: usize = 256 << 20;
    let (sender, result) = std::sync::mpsc::channel();
    // After the limit, nobody receives the result.
    let work = move || drop(sender.send(read()));
    std::thread::Builder::new().stack_size(STACK).spawn(work).map_err(|error| Error::Shader(error.to_string()))?;
    result.recv_timeout(budget.left()).unwrap_or_else(|why| {
        Err(Error::Shader(match why {
            RecvTimeoutError::Timeout => too_slow(budget),
            RecvTimeoutError::Disconnected => "naga panicked while reading the kernel".to_owned(),
        }))
    })
}

#[cfg(not(target_family = "wasm"))]
fn too_slow(budget: Budget) -> String {
    format!("naga cannot read the kernel in time (split its longest function): {}", budget.exceeded())
}

/// A parsed and validated kernel.
pub struct Shader {
    source: String,
    module: Module,
    info: ModuleInfo,
    /// The default entry point: `main`, or the first.
    entry: String,
    pub(super) features: BTreeSet<Feature>,
}

impl Shader {
    /// Parses and validates `source` with `element` as the type `T`. Marked loops are unrolled to the defaults of the
    /// overrides that bound them.
    ///
    /// # Errors
    /// [`Error::Shader`] with naga's message if the source is not valid WGSL or has no compute entry point.
    pub fn parse(source: &str, element: &str) -> Result<Self> {
        Self::parse_for(source, element, &Constants::new())
    }

    /// As [`Shader::parse`], with marked loops unrolled to the values of the overrides in `constants`.
    ///
    /// # Errors
    /// As for [`Shader::parse`].
    pub fn parse_for(source: &str, element: &str, constants: &Constants) -> Result<Self> {
        Self::of(with_element(source, element), constants)
    }

    /// Parses and validates a `source` that has its element type.
    ///
    /// # Errors
    /// As for [`Shader::parse`].
    pub fn read(source: &str) -> Result<Self> {
        Self::of(source.to_owned(), &Constants::new())
    }

    fn of(source: String, constants: &Constants) -> Result<Self> {
        if is_marked(&source) {
            let source_unrolled = unrolled(&source, constants);
            // Faults are reported in the text that its author knows.
            Self::in_own_time(source)?;
            return Self::in_own_time(source_unrolled?);
        }
        Self::in_own_time(source)
    }

    fn in_own_time(source: String) -> Result<Self> {
        #[cfg(not(target_family = "wasm"))]
        if source.len() > LARGE {
            // A source that took too long fails at once when it is parsed again.
            static TOO_SLOW: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
            let known = || TOO_SLOW.lock().unwrap_or_else(PoisonError::into_inner);
            let budget = Budget::start();
            if known().contains(&source) || budget.left().is_zero() {
                return Err(Error::Shader(too_slow(budget)));
            }
            let text = source.clone();
            let read = in_time(budget, move || Self::parsed(text));
            if budget.left().is_zero() {
                known().insert(source);
            }
            return read;
        }
        Self::parsed(source)
    }

    fn parsed(source: String) -> Result<Self> {
        let module = naga::front::wgsl::parse_str(&source)
            .map_err(|error| Error::Shader(error.emit_to_string(&source).trim_end().to_owned()))?;
        let main = compute_entries(&module).find(|name| *name == ENTRY_POINT);
        let Some(entry) = main.or_else(|| compute_entries(&module).next()).map(str::to_owned) else {
            return Err(Error::Shader("there is no compute entry point".to_owned()));
        };
        let info = validator(Capabilities::all())
            .validate(&module)
            .map_err(|error| Error::Shader(error.emit_to_string(&source).trim_end().to_owned()))?;
        let features = Feature::ALL.into_iter().filter(|feature| needs((&module, &info), *feature)).collect();
        Ok(Self { source, module, info, entry, features })
    }

    /// The source, with the element type in place and marked loops unrolled.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    pub(super) const fn module(&self) -> &Module {
        &self.module
    }

    /// The default entry point.
    #[must_use]
    pub fn entry(&self) -> &str {
        &self.entry
    }

    /// Names of the compute entry points.
    #[must_use]
    pub fn entries(&self) -> Vec<&str> {
        compute_entries(&self.module).collect()
    }

    /// Names of the overrides.
    #[must_use]
    pub fn overrides(&self) -> BTreeSet<&str> {
        self.module.overrides.iter().filter_map(|(_, over)| over.name.as_deref()).collect()
    }

    /// Whether it calculates with f16 at least as often as with f32.
    #[must_use]
    pub fn has_half_arithmetic(&self) -> bool {
        let is_arithmetic = |own: &Expression| matches!(own, Expression::Binary { .. } | Expression::Math { .. });
        let all = scalars(&self.module, &self.info, is_arithmetic);
        let count =
            |width| all.iter().filter(|own| **own == naga::Scalar { kind: naga::ScalarKind::Float, width }).count();
        count(2) >= count(4)
    }

    /// The values of an override's type; `None` if there is no such override.
    #[must_use]
    pub fn accepted(&self, name: &str) -> Option<Accepted> {
        let mut overrides = self.module.overrides.iter().map(|(_, over)| over);
        let over = overrides.find(|over| over.name.as_deref() == Some(name))?;
        let TypeInner::Scalar(scalar) = self.module.types[over.ty].inner else { return None };
        Some(match scalar.kind {
            naga::ScalarKind::Bool => Accepted::SWITCH,
            naga::ScalarKind::Uint => Accepted::U32,
            naga::ScalarKind::Sint => Accepted::Integer,
            _ => Accepted::Number(if scalar.width == 8 { f64::MAX } else { f32::MAX.into() }),
        })
    }

    /// The module of an entry point, with `constants` in place of the overrides that they name.
    pub(super) fn resolve(&self, entry: &str, constants: &Constants) -> Result<(Cow<'_, Module>, Cow<'_, ModuleInfo>)> {
        let constants: PipelineConstants = constants.iter().map(|(name, value)| (name.clone(), *value)).collect();
        if !self.entries().contains(&entry) {
            let known = self.entries().join(", ");
            return Err(Error::Shader(format!("there is no compute entry point '{entry}': choose from {known}")));
        }
        let entry = Some((ShaderStage::Compute, entry));
        pipeline_constants::process_overrides(&self.module, &self.info, entry, &constants)
            .map_err(|error| Error::Shader(error.to_string()))
    }
}

fn compute_entries(module: &Module) -> impl Iterator<Item = &str> {
    module.entry_points.iter().filter(|entry| entry.stage == ShaderStage::Compute).map(|entry| entry.name.as_str())
}

fn divides_long_integers(module: &Module, info: &ModuleInfo) -> bool {
    let is_division = |expression: &Expression| {
        matches!(expression, Expression::Binary { op: BinaryOperator::Divide | BinaryOperator::Modulo, .. })
    };
    let mut divided = scalars(module, info, is_division).into_iter();
    divided.any(|scalar| scalar.width == 8 && scalar.kind != naga::ScalarKind::Float)
}

/// The scalars of the expressions like this, in all functions.
fn scalars(module: &Module, info: &ModuleInfo, is_wanted: impl Fn(&Expression) -> bool) -> Vec<naga::Scalar> {
    let functions = module.functions.iter().map(|(handle, function)| (function, &info[handle]));
    let entries = module.entry_points.iter().enumerate();
    let entries = entries.map(|(index, entry)| (&entry.function, info.get_entry_point(index)));
    let of_function = |(function, info): (&naga::Function, &naga::valid::FunctionInfo)| {
        let wanted = function.expressions.iter().filter(|(_, expression)| is_wanted(expression));
        wanted.filter_map(|(handle, _)| info[handle].ty.inner_with(&module.types).scalar()).collect::<Vec<_>>()
    };
    functions.chain(entries).flat_map(of_function).collect()
}

/// Whether a module needs a feature. It needs one of naga's capabilities if validation fails without it, which saves a
/// list of naga's types and statements. naga has no capabilities for what all of its targets have.
fn needs((module, info): (&Module, &ModuleInfo), feature: Feature) -> bool {
    let without = |capability| validator(Capabilities::all() - capability).validate(module).is_err();
    match feature {
        Feature::Subgroups => without(Capabilities::SUBGROUP),
        Feature::F64 => without(Capabilities::FLOAT64),
        Feature::F16 => without(Capabilities::SHADER_FLOAT16),
        Feature::I64 => without(Capabilities::SHADER_INT64),
        Feature::CooperativeMatrix => without(Capabilities::COOPERATIVE_MATRIX),
        Feature::Int8Matrix | Feature::Bf16Matrix => false,
        Feature::I16 => without(Capabilities::SHADER_INT16),
        Feature::I64Division => without(Capabilities::SHADER_INT64) && divides_long_integers(module, info),
        Feature::I64Atomics => without(Capabilities::SHADER_INT64_ATOMIC_ALL_OPS),
        Feature::F32Atomics => without(Capabilities::SHADER_FLOAT32_ATOMIC),
        Feature::Immediates => without(Capabilities::IMMEDIATES),
        Feature::SubgroupId => {
            let arguments = module.entry_points.iter().flat_map(|entry| &entry.function.arguments);
            let members = module.types.iter().flat_map(|(_, kind)| match &kind.inner {
                TypeInner::Struct { members, .. } => members.as_slice(),
                _ => &[],
            });
            let bindings = arguments.map(|argument| &argument.binding).chain(members.map(|member| &member.binding));
            bindings
                .flatten()
                .any(|binding| matches!(binding, Binding::BuiltIn(BuiltIn::SubgroupId | BuiltIn::NumSubgroups)))
        }
        // It depends on the texture, not on the kernel.
        Feature::FilteredF32 => false,
        Feature::PackedProduct => {
            let entries = module.entry_points.iter().map(|entry| &entry.function);
            let mut functions = module.functions.iter().map(|(_, function)| function).chain(entries);
            functions.any(|function| {
                function.expressions.iter().any(|(_, expression)| {
                    let Expression::Math { fun, .. } = expression else { return false };
                    matches!(fun, MathFunction::Dot4I8Packed | MathFunction::Dot4U8Packed)
                })
            })
        }
    }
}

fn validator(capabilities: Capabilities) -> Validator {
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    if capabilities.contains(Capabilities::SUBGROUP) {
        validator.subgroup_stages(ShaderStages::COMPUTE).subgroup_operations(SubgroupOperationSet::all());
    }
    validator
}

fn with_element(source: &str, element: &str) -> String {
    // In front of the first line, so that faults keep their line numbers.
    const ENABLE: &str = "enable f16; ";
    let mut text = String::with_capacity(ENABLE.len() + source.len());
    // A source that was parsed before, or is for f16 only, has the directive already. One without the alias may read
    // its elements as words, and needs none.
    let has_alias = source.lines().any(|line| line.starts_with("alias T ="));
    if has_alias && element.contains("f16") && !source.lines().any(|line| line.starts_with(ENABLE.trim_end())) {
        text.push_str(ENABLE);
    }
    for line in source.lines() {
        if line.starts_with("alias T =") {
            text.push_str("alias T = ");
            text.push_str(element);
            text.push(';');
        } else {
            text.push_str(line);
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::suite::{Access, Value};

    const KERNEL: &str = "\
alias T = f32;
override TILE: u32 = 8u;
override PAD: u32 = 0u;
var<workgroup> tile: array<T, TILE * (TILE + PAD)>;
@group(0) @binding(1) var<storage, read_write> output: array<T>;
@group(0) @binding(0) var<storage, read> input: array<T>;
@group(0) @binding(2) var<uniform> shape: vec4<u32>;
@compute @workgroup_size(TILE, 4)
fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = input[i];
    workgroupBarrier();
    output[i] = tile[shape.x - i];
}";

    #[test]
    fn interface_is_read_from_the_source() {
        let shader = Shader::parse(KERNEL, "f32").expect("valid");
        let constants = Constants::from([("TILE".to_owned(), 16.0), ("PAD".to_owned(), 1.0)]);
        let interface = shader.interface(&constants).expect("resolved");
        assert_eq!(interface.workgroup_size, [16, 4, 1]);
        assert_eq!(interface.workgroup_bytes, 16 * 17 * 4);
        let names: Vec<_> = interface.bindings.iter().map(|b| (b.name.as_str(), b.access)).collect();
        assert_eq!(names, [("input", Access::Read), ("output", Access::ReadWrite), ("shape", Access::Uniform)]);
        assert!(interface.features.is_empty());
    }

    #[test]
    fn overrides_are_resolved_with_their_types() {
        let kernel = "\
override WG: u32 = 8u;
override HALF: u32 = WG / 2u;
override BACK: i32 = -3;
override SCALE: f32 = 1.5;
override IS_ON: bool = false;
override IDLE: u32 = 7u;
@group(0) @binding(0) var<storage, read_write> output: array<f32, 64>;
@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) i: u32) {
    if (IS_ON) { output[i + HALF] = SCALE * f32(BACK); }
}";
        let shader = Shader::parse(kernel, "f32").expect("valid");
        let values = |constants: &[(&str, f64)]| {
            let constants = constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
            shader.interface(&constants).expect("resolved").overrides
        };
        let named = |name: &str, value| (name.to_owned(), value);
        let accepted = ["BACK", "IS_ON", "SCALE", "WG", "NONE"].map(|name| shader.accepted(name));
        let number = Accepted::Number(f32::MAX.into());
        let types = [Some(Accepted::Integer), Some(Accepted::SWITCH), Some(number), Some(Accepted::U32), None];
        assert_eq!(accepted, types);
        assert_eq!(
            values(&[]),
            [
                named("BACK", Value::I32(-3)),
                named("HALF", Value::U32(4)),
                named("IS_ON", Value::Bool(false)),
                named("SCALE", Value::F32(1.5)),
                named("WG", Value::U32(8)),
            ]
        );
        let set = values(&[("WG", 64.0), ("IS_ON", 1.0), ("SCALE", 0.25), ("BACK", 4.0)]);
        for expected in [
            named("WG", Value::U32(64)),
            named("HALF", Value::U32(32)),
            named("IS_ON", Value::Bool(true)),
            named("SCALE", Value::F32(0.25)),
            named("BACK", Value::I32(4)),
        ] {
            assert!(set.contains(&expected), "{set:?} lacks {expected:?}");
        }
    }

    #[test]
    fn element_type_changes_bytes_and_features() {
        let shader = Shader::parse(KERNEL, "f64").expect("valid");
        let interface = shader.interface(&Constants::new()).expect("defaults");
        assert_eq!(interface.workgroup_bytes, 8 * 8 * 8);
        assert_eq!(interface.features, BTreeSet::from([Feature::F64]));
    }

    #[test]
    fn textures_are_bindings_and_samplers_are_listed_separately() {
        const SAMPLED: &str = "\
@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var wrapped: sampler;
@group(0) @binding(2) var<storage, read_write> output: array<f32>;
@compute @workgroup_size(1)
fn main() {
    output[0] = textureSampleLevel(image, wrapped, vec2<f32>(0.5), 0.0).x;
}";
        let interface = Shader::parse(SAMPLED, "f32").and_then(|s| s.interface(&Constants::new())).expect("valid");
        let bindings: Vec<_> = interface.bindings.iter().map(|b| (b.index, b.access)).collect();
        assert_eq!(bindings, [(0, Access::Texture), (2, Access::ReadWrite)]);
        assert_eq!(interface.samplers.iter().map(|sampler| sampler.index).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn f16_is_enabled_once_and_only_where_it_is_used() {
        let shader = Shader::parse(KERNEL, "vec2<f16>").expect("valid");
        assert!(shader.source().starts_with("enable f16; alias T = vec2<f16>;\n"), "{}", shader.source());
        let again = Shader::parse(shader.source(), "vec2<f16>").expect("valid");
        assert_eq!(again.source(), shader.source());
        let interface = again.interface(&Constants::new()).expect("defaults");
        assert_eq!((interface.workgroup_bytes, interface.features), (8 * 8 * 4, BTreeSet::from([Feature::F16])));
        assert!(!Shader::parse(KERNEL, "f32").expect("valid").source().contains("enable"));
    }

    #[test]
    fn a_kernel_for_f16_only_keeps_its_own_directives() {
        const PRODUCT: &str = "\
// One product.
enable f16;
enable wgpu_cooperative_matrix;
@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> c: array<f32>;
@compute @workgroup_size(32)
fn main() {
    let x = coopLoadT<coop_mat16x16<f16, A>>(&a[0], 16u);
    let y = coopLoadT<coop_mat16x16<f16, B>>(&a[0], 16u);
    coopStoreT(coopMultiplyAdd(x, y, coop_mat16x16<f32, C>()), &c[0], 16u);
}
";
        let shader = Shader::parse(PRODUCT, "f16").expect("valid");
        assert_eq!(shader.source(), PRODUCT);
        let interface = shader.interface(&Constants::new()).expect("defaults");
        assert_eq!(interface.features, BTreeSet::from([Feature::F16, Feature::CooperativeMatrix]));
    }

    #[test]
    fn features_of_the_language_are_found() {
        const KERNEL: &str = "\
struct Place { @builtin(BUILTIN) number: u32 }
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
fn product(x: u32) -> u32 { return FUNCTION(x, 3u); }
@compute @workgroup_size(32)
fn main(place: Place, @builtin(subgroup_invocation_id) lane: u32) { a[place.number] = product(lane); }
";
        for (builtin, function, expected) in [
            ("subgroup_id", "dot4U8Packed", vec![Feature::Subgroups, Feature::SubgroupId, Feature::PackedProduct]),
            ("num_subgroups", "min", vec![Feature::Subgroups, Feature::SubgroupId]),
            ("local_invocation_index", "max", vec![Feature::Subgroups]),
        ] {
            let source = KERNEL.replace("BUILTIN", builtin).replace("FUNCTION", function);
            let shader = Shader::parse(&source, "u32").expect("valid");
            assert_eq!(shader.features, BTreeSet::from_iter(expected), "{builtin} {function}");
        }
    }

    #[test]
    fn errors_name_their_cause() {
        let error = Shader::parse("fn main() { let x = ; }", "f32").err().expect("no WGSL");
        assert!(error.to_string().contains("expected expression"), "{error}");
        let shader = Shader::parse(KERNEL, "f32").expect("valid");
        let constants = Constants::from([("TIEL".to_owned(), 16.0)]);
        assert!(shader.interface(&constants).is_err());
    }
}
