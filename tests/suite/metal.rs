//! Metal without a Mac: generated MSL is compiled against declarations of Metal's standard library.

use crate::command::is_installed;
use crate::compilers::rejection;
use crate::shaders::{declared, texts_in};
use gpu::shader::Target;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;

/// Attributes that kernels of this suite may have, by the Metal Shading Language Specification, section 5.2.
const ATTRIBUTES: [&str; 13] = [
    "buffer",
    "max_total_threads_per_threadgroup",
    "sampler",
    "simdgroup_index_in_threadgroup",
    "simdgroups_per_threadgroup",
    "texture",
    "thread_index_in_simdgroup",
    "thread_index_in_threadgroup",
    "thread_position_in_grid",
    "thread_position_in_threadgroup",
    "threadgroup_position_in_grid",
    "threadgroups_per_grid",
    "threads_per_simdgroup",
];

/// Lines that declare a name again in its scope, as naga does for packed dot products with a shared operand
/// (wgpu#9540).
fn declared_twice(text: &str) -> Vec<&str> {
    let (mut scopes, mut twice) = (vec![BTreeSet::new()], Vec::new());
    for line in text.lines() {
        if let (Some((_, name)), Some(scope)) = (declared(line), scopes.last_mut())
            && !scope.insert(name)
        {
            twice.push(line);
        }
        for brace in line.chars() {
            match brace {
                '{' => scopes.push(BTreeSet::new()),
                '}' => drop(scopes.pop()),
                _ => {}
            }
        }
    }
    twice
}

#[test]
fn no_metal_kernel_declares_a_name_twice() {
    assert_eq!(declared_twice("uint a = 1;\n{ \nuint a = 2;\n}\nuint a = 3;\n"), ["uint a = 3;"]);
    for (case, text) in texts_in(Target::Msl) {
        assert_eq!(declared_twice(&text), [""; 0], "{case}");
    }
}

/// Why no Metal compiler would accept one of these kernels, given with their names, as far as declarations show. A
/// compiler spends most of its time on its start and the library, so it gets several kernels at once.
fn metal_rejection(kernels: &[(String, String)]) -> Option<String> {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/metal").display().to_string();
    // Metal's literals have single precision; its suffix `h` and its attributes are not those of C++.
    let arguments = ["-std=c++17", "-fsyntax-only", "-fsingle-precision-constant", "-Wno-attributes"];
    let arguments = [&arguments[..], &["-Wno-literal-suffix", "-I", &include, "-x", "c++"]].concat();
    let mut all = "#include <metal_stdlib>\n#include <simd/simd.h>\n".to_owned();
    for (index, (text, name)) in kernels.iter().enumerate() {
        let unknown = text.split("[[").skip(1).find(|rest| {
            let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next();
            !name.is_some_and(|name| ATTRIBUTES.contains(&name))
        });
        if let Some(rest) = unknown {
            return Some(format!("{name}: no attribute: {}", rest.chars().take(40).collect::<String>()));
        }
        // C++ has no overloads by address space.
        let text = text.replace("threadgroup A *", "metal::in_threadgroup<A> ");
        all += &format!("namespace kernel{index} {{\n#line 1 \"{name}\"\n{text}\n}}\n");
    }
    rejection("g++", &arguments, "kernels.metal", all.as_bytes())
}

#[test]
fn a_compiler_accepts_every_metal_kernel() {
    if !is_installed("g++") {
        return;
    }
    let texts: BTreeSet<(String, String)> =
        texts_in(Target::Msl).into_iter().map(|(case, text)| (text, case)).collect();
    let texts: Vec<_> = texts.into_iter().collect();
    let rejected: Vec<_> = texts.par_chunks(50).filter_map(metal_rejection).collect();
    assert_eq!(rejected, [""; 0]);
    eprintln!("{} kernels in Metal's language, none rejected", texts.len());
}

#[test]
fn wrong_metal_kernels_are_rejected() {
    if !is_installed("g++") {
        return;
    }
    let kernel = |body: &str| {
        format!(
            "#include <metal_stdlib>\n#include <simd/simd.h>\nusing metal::uint;\nkernel void main_(\n  \
             metal::uint3 id [[thread_position_in_grid]]\n, device float* a [[buffer(0)]]) {{\n{body}\n}}\n"
        )
    };
    let right =
        kernel("metal::float4 v = metal::float4(1.0, a[0], metal::float2(2.0)); a[id.x] = metal::min(v.x, 0.5);");
    let rejection =
        |text: &str| metal_rejection(&[(right.clone(), "right".to_owned()), (text.to_owned(), "name".to_owned())]);
    assert_eq!(rejection(&right), None);
    for (body, why) in [
        ("uint b = 1u;\nuint b = 2u;", "redeclaration"),
        ("metal::float4 v = metal::uint4(1u);", "conversion"),
        ("metal::float4 v = metal::float4(1.0, 2.0, 3.0);", "no matching function"),
        ("a[0] = metal::min(1.0, 2u);", "no matching function"),
        ("a[0] = metal::sine(1.0);", "not a member"),
        ("metal::simdgroup_half16x16 m;", "not a member"),
        ("double d = 1.0", "expected"),
    ] {
        let text = rejection(&kernel(body)).unwrap_or_else(|| panic!("accepted: {body}"));
        assert!(text.contains(why) && text.contains("name:"), "{body}: {text}");
    }
    let attribute = right.replace("thread_position_in_grid", "position_of_thread");
    assert!(rejection(&attribute).is_some_and(|text| text.starts_with("name: no attribute: position_of_thread")));
}
