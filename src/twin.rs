//! CUDA twins: a benchmark's CUDA C++ as it is compiled, with the case's element type and overrides in place.
//!
//! A twin says `T`, `WG`, `PAD` and so on without declaring them. They are defined here, as wgpu defines the overrides of the WGSL,
//! so that both compilers see the same numbers. They stand in the text, behind the prelude, and not in `-D` options, which NVRTC's own
//! headers would see too: there `T` names template parameters.

use crate::shader::{Interface, Value};
use crate::suite::{Case, Dtype};

/// The entry point of every twin.
pub const ENTRY_POINT: &str = "kernel";

/// What stands in front of every twin.
const PRELUDE: &str = include_str!("../shaders/prelude.cuh");

/// The twin of `case` with the values in `interface`: prelude, definitions, and the file's text under its own name and line numbers.
/// Empty where there is no twin.
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

/// A value as CUDA C++ writes it, of the same type. Every float has a point or an exponent, and every negative number parentheses.
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

/// Whether a twin declares `name` as constant memory at file scope (`__constant__ uint4 name[256];`), which the host fills, rather than
/// taking it as a parameter.
#[must_use]
pub fn is_constant(twin: &str, name: &str) -> bool {
    twin.lines().filter_map(|line| line.trim_start().strip_prefix("__constant__")).any(|declaration| {
        let statement = declaration.split(';').next().unwrap_or_default();
        let variable = statement.split('[').next().unwrap_or_default().trim_end();
        // An initialiser makes it a table of the program's own.
        !statement.contains('=') && variable.rsplit([' ', '\t']).next() == Some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Job, Language};
    use crate::plan::{Request, plan};
    use crate::suite::Profile;

    fn case(filter: &str) -> Case {
        let filters = vec![filter.to_owned()];
        let request = Request { filters, profile: Profile::Quick, sizes: Vec::new(), params: Vec::new() };
        let cases = plan(&request).expect("a plan");
        cases.into_iter().find(|case| case.name() == filter).expect("the case")
    }

    #[test]
    fn a_program_defines_type_and_overrides_and_keeps_line_numbers() {
        let job = Job::new(&case("transpose/tiled")).expect("valid");
        let text = &job.kernel.cuda;
        assert!(text.starts_with(PRELUDE), "{text}");
        let defines = "\n#define T float\n#define PAD 0u\n#line 1 \"transpose/tiled.cu\"\n// Twin of tiled.wgsl";
        assert!(text.contains(defines), "{text}");
    }

    #[test]
    fn what_a_kernel_is_hashed_by_depends_on_its_language() {
        let job = Job::new(&case("transpose/tiled")).expect("valid");
        let mut other = job.kernel.clone();
        other.cuda.push(' ');
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
    fn constant_memory_that_the_host_fills_is_told_from_everything_else() {
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
