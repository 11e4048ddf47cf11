//! Kernels in CUDA C++ by the declarations of their entry points: names, parameters and their types.

use super::layout::{Field, Layout};
use record::suite::{Access, Binding, Dtype, Layers, Scalar};

/// The layouts of the parameters of these kernels without WGSL, each once. A type that is neither CUDA's own nor a
/// struct of such types counts as u32 words.
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

pub(super) fn name_of(parameter: &str) -> String {
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

#[derive(Debug, PartialEq)]
pub(super) struct Declaration {
    /// The first argument of `__launch_bounds__`; empty if it has none.
    pub(super) bounds: String,
    pub(super) parameters: Vec<String>,
    /// Whether it is `extern "C"`: its name in the compiled program is that of the text.
    pub(super) is_plain: bool,
}

/// The declaration of an entry point, or of its template (`scan<256>`), without comments and with single spaces.
pub(super) fn declaration(twin: &str, entry: &str) -> Option<Declaration> {
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

pub(super) fn access(parameter: &str) -> Access {
    match (parameter.contains('*'), parameter.starts_with("const ")) {
        (true, true) => Access::Read,
        (true, false) => Access::ReadWrite,
        _ if parameter.contains("cudaTextureObject_t") => Access::Texture,
        _ => Access::Uniform,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY_POINT: &str = "kernel";

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
}
