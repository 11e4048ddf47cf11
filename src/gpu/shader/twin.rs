//! CUDA twins: a benchmark's CUDA C++, with the case's element type and overrides in place.
//!
//! A twin uses `T`, `WG`, `PAD` and so on without declaring them. They are defined here, as wgpu defines the overrides
//! of the WGSL, so that both compilers get the same values. The definitions are in the text, after the prelude, and not
//! `-D` options: those would also apply to NVRTC's own headers, where `T` names template parameters.
//!
//! A kernel that WGSL cannot express is a `.cu` file without a `.wgsl` file. Its interface is read here from the
//! declaration of its entry point, and its definitions are the case's parameters.

use kernels::PRELUDE;

use super::cuda_declaration::{Declaration, bindings, declaration, element, name_of};
use record::error::{Error, Result};
use record::suite::{Case, Entry, HOST_PARAMS, Interface, Shape, Value};

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

/// Bytes of dynamic shared memory of a launch: the parameter `SHARED_BYTES`, else the constant of that name in the
/// twin's text, which must be a plain number.
#[must_use]
pub fn dynamic_bytes(case: &Case) -> u32 {
    const DECLARED: &str = "constexpr u32 SHARED_BYTES = ";
    let mut lines = case.benchmark.cuda.lines();
    let declared = lines.find_map(|line| line.strip_prefix(DECLARED)?.trim_end_matches(['u', ';']).parse().ok());
    case.shape.params.get("SHARED_BYTES").map_or(declared.unwrap_or(0), |bytes| *bytes as u32)
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
    use crate::shader::cuda_declaration::access;
    use record::suite::{Access, Profile};

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
