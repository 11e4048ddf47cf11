//! CUDA twins: a benchmark's CUDA C++, with the case's element type and overrides in place.
//!
//! A twin uses `T`, `WG`, `PAD` and so on without declaring them. They are defined here, as wgpu defines the overrides
//! of the WGSL, so that both compilers get the same values. The definitions are in the text, after the prelude, and not
//! `-D` options: those would also apply to NVRTC's own headers, where `T` names template parameters.
//!
//! A kernel that WGSL cannot express is a `.cu` file without a `.wgsl` file. Its interface is read here from the
//! declaration of its entry point, and its definitions are the case's parameters.

use super::layout::Layout;
use crate::error::{Error, Result};
use crate::suite::{Access, Binding, Case, Dtype, HOST_PARAMS, Interface, Scalar, Shape, Value};

/// The entry point of every twin.
pub const ENTRY_POINT: &str = "kernel";

/// The start of every twin.
const PRELUDE: &str = include_str!("../../shaders/prelude.cuh");

/// The twin of `case` with the values in `interface`: prelude, definitions, and the file's text under its own name and
/// line numbers. Empty where there is no twin.
#[must_use]
pub fn program(case: &Case, interface: &Interface) -> String {
    let twin = case.benchmark.cuda;
    if twin.is_empty() {
        return String::new();
    }
    let element = element(case.shape.dtype);
    let defined = interface.overrides.iter().map(|(name, value)| format!("#define {name} {}\n", literal(*value)));
    let defines: String = defined.collect();
    format!("{PRELUDE}\n#define T {element}\n{defines}#line 1 \"{}.cu\"\n{twin}", case.name())
}

/// The part of a [`program`] after the prelude, which all twins share.
#[must_use]
pub fn without_prelude(program: &str) -> &str {
    program.strip_prefix(PRELUDE).map_or(program, str::trim_start)
}

/// The interface of a kernel without WGSL. Its bindings are its parameters, in order. Its blocks are one-dimensional;
/// the first argument of `__launch_bounds__` is their size, as a number or a parameter of the case. Every parameter of
/// the case except [`HOST_PARAMS`] is an override of type u32.
///
/// # Errors
/// [`Error::Shader`] where the declaration lacks any of this, or a parameter is not a u32.
pub fn interface(case: &Case) -> Result<Interface> {
    let fault = |message: String| Error::Shader(format!("{}.cu: {message}", case.name()));
    let (bounds, parameters) =
        declaration(case.benchmark.cuda).ok_or_else(|| fault("there is no entry point 'kernel'".to_owned()))?;
    let overrides: Vec<(String, Value)> = overrides(&case.shape).map_err(fault)?;
    let defined = overrides.iter().find_map(|(name, value)| match value {
        Value::U32(value) if *name == bounds => Some(*value),
        _ => None,
    });
    let threads = bounds.trim_end_matches('u').parse().ok().or(defined).filter(|threads| *threads > 0);
    let threads = threads.ok_or_else(|| fault(format!("'{bounds}' is no number of threads")))?;
    let bindings = (0..).zip(&parameters).map(|(index, parameter)| Binding {
        name: name_of(parameter),
        index,
        access: access(parameter),
        is_stored: access(parameter) == Access::ReadWrite,
    });
    Ok(Interface {
        bindings: bindings.collect(),
        workgroup_size: [threads, 1, 1],
        workgroup_bytes: dynamic_bytes(case),
        overrides,
        ..Interface::default()
    })
}

/// The layouts of the parameters of a kernel without WGSL, in their order. Types that are not CUDA's own have u32 words.
/// `None` where there is no entry point.
#[must_use]
pub fn layouts(twin: &str, dtype: Dtype) -> Option<Vec<Layout>> {
    let (_, parameters) = declaration(twin)?;
    let layout = |parameter: &String| {
        let words = parameter.split([' ', '*', '&']).filter(|word| !word.is_empty());
        let words: Vec<&str> = words.filter(|word| !matches!(*word, "const" | "__restrict__" | "volatile")).collect();
        let (name, kind) = words.split_last()?;
        let (scalar, is_signed, bytes) = scalars(if *kind == ["T"] { element(dtype) } else { kind.first()? }, kind);
        let is_pointer = parameter.contains('*');
        Some(Layout {
            name: (*name).to_owned(),
            scalar,
            is_signed,
            bytes: if is_pointer { None } else { bytes },
            stride: bytes.unwrap_or(4),
        })
    };
    Some(parameters.iter().filter_map(layout).collect())
}

/// The first parameter that a kernel without WGSL writes.
#[must_use]
pub fn written(twin: &str) -> Option<String> {
    let (_, parameters) = declaration(twin)?;
    let written = parameters.iter().find(|parameter| access(parameter) == Access::ReadWrite)?;
    Some(name_of(written))
}

/// The name of a parameter.
fn name_of(parameter: &str) -> String {
    parameter.rsplit([' ', '*', '&']).next().unwrap_or_default().to_owned()
}

/// The scalar of a type of CUDA C++, whether it is signed, and the type's bytes, where they are known.
fn scalars(name: &str, all: &[&str]) -> (Scalar, bool, Option<u64>) {
    const VECTORS: [&str; 6] = ["float", "double", "uint", "int", "half", "f16x"];
    let vector = VECTORS.iter().find_map(|base| {
        let lanes = name.strip_prefix(base)?.parse().ok().filter(|lanes| (2..=4).contains(lanes))?;
        Some((base.trim_end_matches('x'), lanes))
    });
    let (base, lanes) = vector.unwrap_or((name, 1_u64));
    let (scalar, is_signed) = match base {
        "float" => (Scalar::F32, false),
        "double" => (Scalar::F64, false),
        "f16" | "half" | "__half" => (Scalar::F16, false),
        "u32" | "uint" | "uint32_t" | "unsigned" => (Scalar::U32, false),
        "int" | "i32" | "int32_t" if !all.contains(&"unsigned") => (Scalar::U32, true),
        _ => return (Scalar::U32, false, None),
    };
    (scalar, is_signed, Some(lanes * scalar.bytes() as u64))
}

/// Bytes of dynamic shared memory of a launch: the parameter `SHARED_BYTES`, else the constant of that name in the
/// twin's text, which must be a plain number.
#[must_use]
pub fn dynamic_bytes(case: &Case) -> u32 {
    const DECLARED: &str = "constexpr u32 SHARED_BYTES = ";
    let mut lines = case.benchmark.cuda.lines();
    let declared = lines.find_map(|line| line.strip_prefix(DECLARED)?.trim_end_matches(['u', ';']).parse().ok());
    case.shape.params.get("SHARED_BYTES").map_or(declared.unwrap_or(0), |bytes| *bytes as u32)
}

/// The compute capability, as 10 × major + minor, that a program declares by the line `#define CAPABILITY 89` because its
/// instructions need it.
#[must_use]
pub fn capability(program: &str) -> Option<u32> {
    program.lines().find_map(|line| line.strip_prefix("#define CAPABILITY ")?.trim_end().parse().ok())
}

/// The first argument of `__launch_bounds__` and the parameters of the entry point, without comments and with single
/// spaces.
fn declaration(twin: &str) -> Option<(String, Vec<String>)> {
    let lines: Vec<&str> = twin.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = lines.join(" ");
    let (_, entry) = code.rsplit_once("extern \"C\" __global__")?;
    let (attributes, rest) = entry.split_once(&format!("{ENTRY_POINT}("))?;
    let (parameters, _) = rest.split_once(')')?;
    let bounds = attributes.split_once("__launch_bounds__(")?.1.split([',', ')']).next()?;
    let single_spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some((single_spaced(bounds), parameters.split(',').map(single_spaced).collect()))
}

/// How a kernel accesses the argument of `parameter`.
fn access(parameter: &str) -> Access {
    match (parameter.contains('*'), parameter.starts_with("const ")) {
        (true, true) => Access::Read,
        (true, false) => Access::ReadWrite,
        _ if parameter.contains("cudaTextureObject_t") => Access::Texture,
        _ => Access::Uniform,
    }
}

fn overrides(shape: &Shape) -> Result<Vec<(String, Value)>, String> {
    let own = shape.params.iter().filter(|(name, _)| !HOST_PARAMS.contains(&name.as_str()));
    own.map(|(name, value)| {
        let is_whole = (0.0..=f64::from(u32::MAX)).contains(value) && value.fract() == 0.0;
        if !is_whole {
            return Err(format!("{name} must be a whole number of 32 bits, and is {value}"));
        }
        Ok((name.clone(), Value::U32(*value as u32)))
    })
    .collect()
}

/// An element type's name in CUDA.
#[must_use]
pub const fn element(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::F32 => "float",
        Dtype::Vec2F32 => "float2",
        Dtype::Vec4F32 => "float4",
        Dtype::U32 => "u32",
        Dtype::F64 => "double",
        Dtype::F16 => "f16",
        Dtype::Vec2F16 => "f16x2",
        Dtype::Rgba8 => "u32",
    }
}

/// A literal of CUDA C++ with the same value and type. Floats have a point or an exponent; negative numbers are in
/// parentheses.
fn literal(value: Value) -> String {
    let signed = |text: String| if text.starts_with('-') { format!("({text})") } else { text };
    match value {
        Value::Bool(value) => value.to_string(),
        Value::U32(value) => format!("{value}u"),
        Value::I32(value) => signed(value.to_string()),
        Value::F32(value) => signed(format!("{value:?}f")),
        Value::F64(value) => signed(format!("{value:?}")),
    }
}

/// Whether a twin declares `name` as constant memory at file scope (`__constant__ uint4 name[256];`), which the host
/// fills, and not as a parameter.
#[must_use]
pub fn is_constant(twin: &str, name: &str) -> bool {
    twin.lines().filter_map(|line| line.trim_start().strip_prefix("__constant__")).any(|declaration| {
        let statement = declaration.split(';').next().unwrap_or_default();
        let variable = statement.split('[').next().unwrap_or_default().trim_end();
        // With an initialiser, the host does not fill it.
        !statement.contains('=') && variable.rsplit([' ', '\t']).next() == Some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::plan::{Request, plan};
    use crate::job::{Job, Language};
    use crate::suite::Profile;

    fn case(filter: &str) -> Case {
        let filters = vec![filter.to_owned()];
        let request = Request::new(filters, Profile::Quick);
        let cases = plan(&request).expect("a plan");
        cases.into_iter().find(|case| case.name() == filter).expect("the case")
    }

    #[test]
    fn programs_declare_the_capability_that_they_need() {
        let program = "struct Sizes { u32 elements; };\n#define CAPABILITY 89\n";
        assert_eq!((capability(program), capability("#define WG 89")), (Some(89), None));
    }

    #[test]
    fn a_program_defines_type_and_overrides_and_keeps_line_numbers() {
        let job = Job::new(&case("transpose/tiled")).expect("valid");
        let text = &job.kernel.cuda;
        assert!(text.starts_with(PRELUDE), "{text}");
        let defines = "\n#define T float\n#define HEIGHT 8u\n#define PAD 0u\n#line 1 \"transpose/tiled.cu\"\n// Twin of tiled.wgsl";
        assert!(text.contains(defines), "{text}");
    }

    #[test]
    fn a_case_or_its_twin_declares_dynamic_shared_memory() {
        assert_eq!(dynamic_bytes(&case("matmul/cooperative")), 96 << 10);
        assert_eq!(dynamic_bytes(&case("workgroup_memory/dynamic_size")), 1024);
        assert_eq!(dynamic_bytes(&case("transpose/tiled")), 0);
    }

    #[test]
    fn the_hash_depends_on_the_language() {
        let job = Job::new(&case("transpose/tiled")).expect("valid");
        let mut other = job.kernel.clone();
        other.cuda.push(';');
        assert_eq!(other.hash(Language::Wgsl), job.kernel.hash(Language::Wgsl));
        assert_ne!(other.hash(Language::Cuda), job.kernel.hash(Language::Cuda));
        assert_ne!(job.kernel.hash(Language::Wgsl), job.kernel.hash(Language::Cuda));
    }

    #[test]
    fn literals_keep_their_types() {
        let written = [
            (Value::U32(256), "256u"),
            (Value::I32(3), "3"),
            (Value::I32(-3), "(-3)"),
            (Value::F32(1.0), "1.0f"),
            (Value::F32(-0.5), "(-0.5f)"),
            (Value::F32(1e-20), "1e-20f"),
            (Value::F64(0.1), "0.1"),
            (Value::Bool(true), "true"),
        ];
        for (value, text) in written {
            assert_eq!(literal(value), text);
        }
    }

    #[test]
    fn the_interface_of_a_cuda_kernel_is_read_from_its_declaration() {
        let job = Job::new(&case("sum_of_cubes/clock_in_kernel")).expect("valid");
        let interface = &job.kernel.interface;
        let names: Vec<_> = interface.bindings.iter().map(|b| (b.index, b.name.as_str(), b.access)).collect();
        let expected = [
            (0, "input", Access::Read),
            (1, "sums", Access::ReadWrite),
            (2, "times", Access::ReadWrite),
            (3, "sizes", Access::Uniform),
        ];
        assert_eq!(names, expected);
        assert_eq!(interface.workgroup_size, [256, 1, 1]);
        assert!(!job.kernel.is_empty() && job.kernel.source.is_empty());
        assert!(job.kernel.hash(Language::Wgsl).is_empty() && !job.kernel.hash(Language::Cuda).is_empty());
    }

    #[test]
    fn declarations_are_found_among_other_code() {
        let twin = "\
// extern \"C\" __global__ void kernel(int comment)
__device__ void other(int x) {}
extern \"C\" __global__ void __launch_bounds__( WG, 2) // threads
kernel(const  u32* __restrict__ input, unsigned long long* times, // in order
       cudaTextureObject_t picture, const Sizes sizes) { kernel2(); }";
        let (bounds, parameters) = declaration(twin).expect("a declaration");
        assert_eq!(bounds, "WG");
        let expected = [
            ("const u32* __restrict__ input", Access::Read),
            ("unsigned long long* times", Access::ReadWrite),
            ("cudaTextureObject_t picture", Access::Texture),
            ("const Sizes sizes", Access::Uniform),
        ];
        assert_eq!(parameters.iter().map(|p| (p.as_str(), access(p))).collect::<Vec<_>>(), expected);
        assert_eq!(declaration("__global__ void kernel() {}"), None);
        let shape = |value| Shape { params: [("WG".to_owned(), value)].into(), ..case("transpose/tiled").shape };
        assert_eq!(overrides(&shape(64.0)), Ok(vec![("WG".to_owned(), Value::U32(64))]));
        assert!(overrides(&shape(0.5)).is_err() && overrides(&shape(-1.0)).is_err());
    }

    #[test]
    fn layouts_are_read_from_the_types_of_the_parameters() {
        let twin = "\
extern \"C\" __global__ void __launch_bounds__(64) kernel(const float4* __restrict__ points, T* output, const int *signs,
    unsigned int* counts, const Sizes sizes, const f16x2* pairs, double x, uint32_t* words) {}";
        let found = layouts(twin, Dtype::F64).expect("an entry point");
        let found: Vec<_> =
            found.iter().map(|of| (of.name.as_str(), of.scalar, of.is_signed, of.bytes, of.stride)).collect();
        assert_eq!(
            found,
            [
                ("points", Scalar::F32, false, None, 16),
                ("output", Scalar::F64, false, None, 8),
                ("signs", Scalar::U32, true, None, 4),
                ("counts", Scalar::U32, false, None, 4),
                ("sizes", Scalar::U32, false, None, 4),
                ("pairs", Scalar::F16, false, None, 4),
                ("x", Scalar::F64, false, Some(8), 8),
                ("words", Scalar::U32, false, None, 4),
            ]
        );
        assert_eq!(layouts("__global__ void kernel() {}", Dtype::F32), None);
    }

    #[test]
    fn only_constant_memory_without_initialiser_is_filled_by_the_host() {
        let twin = "\
// __constant__ float4 comment[4];
__constant__ uint4 table[256];
__constant__ float4 x; // x = 1
  __constant__ u32 indented [16];
__constant__ u32 own[4] = { 1u, 2u, 3u, 4u };
extern \"C\" __global__ void kernel(const u32* __restrict__ input) {}";
        for name in ["table", "x", "indented"] {
            assert!(is_constant(twin, name), "{name}");
        }
        for name in ["comment", "own", "input", "tab", "256"] {
            assert!(!is_constant(twin, name), "{name}");
        }
    }
}
