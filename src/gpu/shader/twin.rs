//! CUDA twins: a benchmark's CUDA C++, with the case's element type and overrides in place.
//!
//! A twin uses `T`, `WG`, `PAD` and so on without declaring them. They are defined here, as wgpu defines the overrides
//! of the WGSL, so that both compilers get the same values. The definitions are in the text, after the prelude, and not
//! `-D` options: those would also apply to NVRTC's own headers, where `T` names template parameters.
//!
//! A kernel that WGSL cannot express is a `.cu` file without a `.wgsl` file. Its interface is read here from the
//! declaration of its entry point, and its definitions are the case's parameters.

use kernels::PRELUDE;

use super::layout::{Field, Layout};
use record::error::{Error, Result};
use record::suite::{Access, Binding, Case, Dtype, Entry, HOST_PARAMS, Interface, Layers, Scalar, Shape, Value};

/// The entry point of every twin.
pub const ENTRY_POINT: &str = "kernel";

/// The twin of `case` with the values in `interface`: prelude, definitions, and the file's text under its own name and
/// line numbers. Empty if there is no twin.
#[must_use]
pub fn program(case: &Case, interface: &Interface) -> String {
    let twin = case.benchmark.cuda;
    if twin.is_empty() {
        return String::new();
    }
    let element = element(case.shape.dtype);
    let defined = interface.overrides.iter().map(|(name, value)| format!("#define {name} {}\n", literal(*value)));
    let defines: String = defined.collect();
    // A template may declare its own T.
    let is_parameter = ["typename T", "class T"].iter().any(|text| twin.contains(text));
    let of_element = if is_parameter { String::new() } else { format!("#define T {element}\n") };
    format!("{PRELUDE}\n{of_element}{defines}#line 1 \"{}.cu\"\n{twin}", case.name())
}

/// Names of a program's kernels that are not `extern "C"`, as template instances: the compiler must be asked for them.
#[must_use]
pub fn expressions(program: &str, entries: &[String]) -> Vec<String> {
    let is_named = |entry: &&String| declaration(program, entry).is_some_and(|own| !own.is_plain);
    entries.iter().filter(is_named).cloned().collect()
}

/// The names of a twin's kernels: `kernel` for the entry point `main` of the WGSL, and the same name for any other.
#[must_use]
pub fn entries(interface: &Interface) -> Vec<String> {
    let name = |entry: &Entry| if entry.name == "main" { ENTRY_POINT.to_owned() } else { entry.name.clone() };
    interface.entries.iter().map(name).collect()
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
/// [`Error::Shader`] if the declaration lacks any of this, or a parameter is not a u32.
pub fn interface(case: &Case) -> Result<Interface> {
    let benchmark = case.benchmark;
    let fault = |message: String| Error::Shader(format!("{}.cu: {message}", case.name()));
    let overrides: Vec<(String, Value)> = overrides(&case.shape).map_err(fault)?;
    let names = if benchmark.entries.is_empty() { &[ENTRY_POINT][..] } else { benchmark.entries };
    let bindings = bindings(benchmark.cuda, names);
    let entry = |name: &&str| {
        let Declaration { bounds, parameters, .. } =
            declaration(benchmark.cuda, name).ok_or_else(|| fault(format!("there is no entry point '{name}'")))?;
        let defined = overrides.iter().find_map(|(name, value)| match value {
            Value::U32(value) if *name == bounds => Some(*value),
            _ => None,
        });
        let threads = bounds.trim_end_matches('u').parse().ok().or(defined).filter(|threads| *threads > 0);
        let declared = benchmark.declared.and_then(|own| own.workgroup(&case.shape));
        let workgroup_size = declared.or(threads.map(|threads| [threads, 1, 1])).ok_or_else(|| {
            fault(if bounds.is_empty() {
                format!(
                    "'{name}' has no __launch_bounds__(THREADS): add the attribute, or set workgroup = THREADS in a \
                     .toml file"
                )
            } else {
                format!("'{bounds}' is not a valid number of threads")
            })
        })?;
        let place = |parameter: &String| bindings.iter().position(|known| known.name == name_of(parameter));
        Ok(Entry {
            name: (*name).to_owned(),
            bindings: parameters.iter().filter_map(place).collect(),
            workgroup_size,
            ..Entry::default()
        })
    };
    let entries = names.iter().map(entry).collect::<Result<Vec<Entry>>>()?;
    Ok(Interface { workgroup_size: entries[0].workgroup_size, bindings, entries, overrides, ..Interface::default() })
}

/// The layouts of the parameters of these kernels without WGSL, each once. Types other than CUDA's own and structs of
/// these are u32 words.
#[must_use]
pub fn layouts(twin: &str, entries: &[&str], dtype: Dtype) -> Vec<Layout> {
    let layout = |parameter: &String| {
        let words = parameter.split([' ', '*', '&']).filter(|word| !word.is_empty());
        let words: Vec<&str> = words.filter(|word| !matches!(*word, "const" | "__restrict__" | "volatile")).collect();
        let (name, kind) = words.split_last()?;
        let (scalar, bytes) = scalars(if *kind == ["T"] { element(dtype) } else { kind.first()? }, kind);
        let is_value = !parameter.contains('*');
        let field = |bytes: u64| Field { name: String::new(), offset: 0, scalar, count: bytes / scalar.bytes() as u64 };
        let (fields, bytes_of_value) = match bytes.filter(|_| is_value) {
            Some(bytes) => (vec![field(bytes)], Some(bytes)),
            None if is_value => {
                members(twin, kind.first()?).map_or_else(Default::default, |(own, end)| (own, Some(end)))
            }
            None => (Vec::new(), None),
        };
        Some(Layout {
            name: (*name).to_owned(),
            scalar,
            bytes: bytes_of_value,
            stride: bytes.unwrap_or(4),
            fields,
            texels: None,
            layers: Layers::One,
            is_immediate: false,
        })
    };
    let mut found: Vec<Layout> = Vec::new();
    for parameter in entries.iter().filter_map(|entry| declaration(twin, entry)).flat_map(|own| own.parameters) {
        let layout = layout(&parameter).filter(|layout| found.iter().all(|known| known.name != layout.name));
        found.extend(layout);
    }
    found
}

/// The names of the kernels in CUDA C++.
#[must_use]
pub fn names(cuda: &str) -> Vec<String> {
    let name = |text: &str| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let words = text.match_indices('(').filter_map(|(at, _)| text[..at].rsplit(|c| !is_part(c)).next());
        words.map(str::to_owned).find(|word| !word.is_empty() && word != "__launch_bounds__")
    };
    cuda.split("__global__").skip(1).filter_map(name).filter(|name| has_entry(cuda, name)).collect()
}

/// Whether a kernel without WGSL has this entry point.
#[must_use]
pub fn has_entry(twin: &str, entry: &str) -> bool {
    declaration(twin, entry).is_some()
}

/// The bindings of these kernels without WGSL: their parameters by name, in the order of their first appearance.
#[must_use]
pub fn bindings(twin: &str, entries: &[&str]) -> Vec<Binding> {
    let mut found: Vec<Binding> = Vec::new();
    for parameter in entries.iter().filter_map(|entry| declaration(twin, entry)).flat_map(|own| own.parameters) {
        let (name, access) = (name_of(&parameter), access(&parameter));
        let is_stored = access == Access::ReadWrite;
        if found.iter().all(|known| known.name != name) {
            found.push(Binding { name, group: 0, index: found.len() as u32, access, is_stored });
        }
    }
    found
}

fn name_of(parameter: &str) -> String {
    parameter.rsplit([' ', '*', '&']).next().unwrap_or_default().to_owned()
}

/// The scalar of a type of CUDA C++, and the type's bytes, where they are known.
fn scalars(name: &str, all: &[&str]) -> (Scalar, Option<u64>) {
    const VECTORS: [&str; 6] = ["float", "double", "uint", "int", "half", "f16x"];
    let vector = VECTORS.iter().find_map(|base| {
        let lanes = name.strip_prefix(base)?.parse().ok().filter(|lanes| (2..=4).contains(lanes))?;
        Some((base.trim_end_matches('x'), lanes))
    });
    let (base, lanes) = vector.unwrap_or((name, 1_u64));
    let scalar = match base {
        "float" => Scalar::F32,
        "double" => Scalar::F64,
        "f16" | "half" | "__half" => Scalar::F16,
        "u32" | "uint" | "uint32_t" | "unsigned" => Scalar::U32,
        "int" | "i32" | "int32_t" if !all.contains(&"unsigned") => Scalar::I32,
        "uint64_t" | "size_t" => Scalar::U64,
        "int64_t" => Scalar::I64,
        _ => return (Scalar::U32, None),
    };
    (scalar, Some(lanes * scalar.bytes() as u64))
}

/// The members of a struct of CUDA's scalars and vectors, and its bytes; `None` if the text declares no such struct.
fn members(twin: &str, name: &str) -> Option<(Vec<Field>, u64)> {
    let code = twin.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join(" ");
    let bodies =
        code.split("struct ").filter_map(|text| text.trim_start().strip_prefix(name)?.trim_start().strip_prefix('{'));
    let (body, _) = bodies.filter_map(|text| text.split_once('}')).next()?;
    let (mut fields, mut end, mut largest) = (Vec::new(), 0_u64, 1);
    for member in body.split(';').filter(|member| !member.trim().is_empty()) {
        let words: Vec<&str> = member.split([' ', ',', '\t']).filter(|word| !word.is_empty()).collect();
        let names = member.split(',').count();
        let (kind, names) = words.split_at_checked(words.len().checked_sub(names)?)?;
        let (scalar, bytes) = scalars(kind.first()?, kind);
        let count = bytes? / scalar.bytes() as u64;
        // Vectors of two and four scalars are aligned as a whole, to at most 16 bytes.
        let align = if count == 3 { scalar.bytes() as u64 } else { bytes?.min(16) };
        largest = align.max(largest);
        for name in names {
            let name = Some(name).filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'))?;
            let offset = end.next_multiple_of(align);
            fields.push(Field { name: (*name).to_owned(), offset, scalar, count });
            end = offset + bytes?;
        }
    }
    Some((fields, end.next_multiple_of(largest)))
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

#[derive(Debug, PartialEq)]
struct Declaration {
    /// The first argument of `__launch_bounds__`; empty if it has none.
    bounds: String,
    parameters: Vec<String>,
    /// Whether it is `extern "C"`: its name in the compiled program is that of the text.
    is_plain: bool,
}

/// The declaration of an entry point, or of its template (`scan<256>`), without comments and with single spaces.
fn declaration(twin: &str, entry: &str) -> Option<Declaration> {
    let lines: Vec<&str> = twin.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = lines.join(" ");
    let name = entry.split('<').next().unwrap_or_default().trim();
    let named = format!("{name}(");
    let single_spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut parts = code.split("__global__");
    let mut before = parts.next()?;
    for text in parts {
        let is_plain = before.trim_end().ends_with("extern \"C\"");
        before = text;
        let Some((attributes, rest)) = text.split_once(&named) else { continue };
        // The name may also occur in the body of another kernel.
        if attributes.contains(['{', ';']) || !attributes.ends_with([' ', ')']) {
            continue;
        }
        let bounds = attributes.split_once("__launch_bounds__(").and_then(|(_, rest)| rest.split([',', ')']).next());
        let (parameters, _) = rest.split_once(')')?;
        return Some(Declaration {
            bounds: single_spaced(bounds.unwrap_or_default()),
            parameters: parameters.split(',').map(single_spaced).collect(),
            is_plain,
        });
    }
    None
}

fn access(parameter: &str) -> Access {
    match (parameter.contains('*'), parameter.starts_with("const ")) {
        (true, true) => Access::Read,
        (true, false) => Access::ReadWrite,
        _ if parameter.contains("cudaTextureObject_t") => Access::Texture,
        _ => Access::Uniform,
    }
}

fn overrides(shape: &Shape) -> Result<Vec<(String, Value)>, String> {
    let params = shape.params.iter().filter(|(name, _)| !HOST_PARAMS.contains(&name.as_str()));
    params
        .map(|(name, value)| {
            let is_whole = (0.0..=f64::from(u32::MAX)).contains(value) && value.fract() == 0.0;
            if !is_whole {
                return Err(format!("{name} must be a 32-bit integer, but is {value}"));
            }
            Ok((name.clone(), Value::U32(*value as u32)))
        })
        .collect()
}

/// An element type's name in CUDA.
#[must_use]
pub const fn element(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::F32 | Dtype::Tf32 => "float",
        Dtype::Vec2F32 => "float2",
        Dtype::Vec4F32 => "float4",
        Dtype::U32 => "u32",
        Dtype::F64 => "double",
        Dtype::F16 => "f16",
        Dtype::Vec2F16 => "f16x2",
        Dtype::Rgba8 => "u32",
    }
}

/// A literal of CUDA C++ with the same value and type. Floats have a point or exponent, negative numbers parentheses.
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

/// Whether a twin declares `name` as constant memory at file scope (`__constant__ uint4 name[256];`), to be filled by
/// the host, and not as a parameter.
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
    use record::suite::Profile;

    fn case(filter: &str) -> Case {
        let filters = vec![filter.to_owned()];
        let request = Request::new(filters, Profile::Quick);
        let cases = plan(&request).expect("a plan");
        cases.into_iter().find(|case| case.name() == filter).expect("the case")
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
        let Declaration { bounds, parameters, is_plain } = declaration(twin, ENTRY_POINT).expect("a declaration");
        assert_eq!((bounds.as_str(), is_plain), ("WG", true));
        let expected = [
            ("const u32* __restrict__ input", Access::Read),
            ("unsigned long long* times", Access::ReadWrite),
            ("cudaTextureObject_t picture", Access::Texture),
            ("const Sizes sizes", Access::Uniform),
        ];
        assert_eq!(parameters.iter().map(|p| (p.as_str(), access(p))).collect::<Vec<_>>(), expected);
        let template = "template <int B> __global__ void scan(const float* in, float* out) { kernel(in); }";
        assert_eq!(declaration(template, ENTRY_POINT), None);
        let names = ["scan<256>".to_owned(), "kernel".to_owned()];
        assert_eq!(expressions(&format!("{template} {twin}"), &names), names[..1]);
        let shape = |value| Shape { params: [("WG".to_owned(), value)].into(), ..case("transpose/tiled").shape };
        assert_eq!(overrides(&shape(64.0)), Ok(vec![("WG".to_owned(), Value::U32(64))]));
        assert!(overrides(&shape(0.5)).is_err() && overrides(&shape(-1.0)).is_err());
    }

    #[test]
    fn layouts_are_read_from_the_types_of_the_parameters() {
        let twin = "\
extern \"C\" __global__ void __launch_bounds__(64) kernel(const float4* __restrict__ points, T* output, const int *signs,
    unsigned int* counts, const Sizes sizes, const f16x2* pairs, double x, uint32_t* words) {}";
        let found = layouts(twin, &[ENTRY_POINT], Dtype::F64);
        let found: Vec<_> = found.iter().map(|of| (of.name.as_str(), of.scalar, of.bytes, of.stride)).collect();
        assert_eq!(
            found,
            [
                ("points", Scalar::F32, None, 16),
                ("output", Scalar::F64, None, 8),
                ("signs", Scalar::I32, None, 4),
                ("counts", Scalar::U32, None, 4),
                ("sizes", Scalar::U32, None, 4),
                ("pairs", Scalar::F16, None, 4),
                ("x", Scalar::F64, Some(8), 8),
                ("words", Scalar::U32, None, 4),
            ]
        );
        assert_eq!(layouts("void kernel(float* x) {}", &[ENTRY_POINT], Dtype::F32), []);
    }

    #[test]
    fn a_struct_passed_by_value_has_its_fields() {
        let twin = "\
struct Other { float x; };
struct P { unsigned int rows, columns; // a comment
    float4 scale; double x; float3 y; int last; };
extern \"C\" __global__ void kernel(const P p, Unknown q) {}";
        let [p, q] = &layouts(twin, &[ENTRY_POINT], Dtype::F32)[..] else { panic!("two parameters") };
        let fields: Vec<_> = p.fields.iter().map(|of| (of.name.as_str(), of.offset, of.scalar, of.count)).collect();
        let expected = [
            ("rows", 0, Scalar::U32, 1),
            ("columns", 4, Scalar::U32, 1),
            ("scale", 16, Scalar::F32, 4),
            ("x", 32, Scalar::F64, 1),
            ("y", 40, Scalar::F32, 3),
            ("last", 52, Scalar::I32, 1),
        ];
        assert_eq!((&fields[..], p.bytes), (&expected[..], Some(64)));
        assert_eq!((&q.fields[..], q.bytes), (&[][..], None));
        assert_eq!(members("struct P { float x[4]; };", "P"), None);
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
