//! Metal without a Mac: what a Metal device is given is compiled against declarations of Metal's standard library.

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

/// Names declared twice in one scope, with their lines. naga declares the operands of packed dot products so, if two
/// products in a function share one (wgpu#9540).
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

/// Why no Metal compiler would take a kernel; `None` if nothing is wrong with it, as far as declarations tell.
fn metal_rejection(text: &str) -> Option<String> {
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/metal").display().to_string();
    // Metal's literals are of single precision, and its suffix `h` and its attributes are not those of C++.
    let arguments = ["-std=c++17", "-fsyntax-only", "-fsingle-precision-constant", "-Wno-attributes"];
    let arguments = [&arguments[..], &["-Wno-literal-suffix", "-I", &include, "-x", "c++"]].concat();
    let unknown = text.split("[[").skip(1).find(|rest| {
        let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next();
        !name.is_some_and(|name| ATTRIBUTES.contains(&name))
    });
    // Overloads by address space alone.
    let text = text.replace("threadgroup A *", "metal::in_threadgroup<A> ");
    unknown
        .map(|rest| format!("no attribute: {}", rest.chars().take(40).collect::<String>()))
        .or_else(|| rejection("g++", &arguments, "kernel.metal", text.as_bytes()))
}

#[test]
fn a_compiler_accepts_every_metal_kernel() {
    if !is_installed("g++") {
        return;
    }
    let texts: BTreeSet<(String, String)> =
        texts_in(Target::Msl).into_iter().map(|(case, text)| (text, case)).collect();
    let rejected: Vec<_> =
        texts.par_iter().filter_map(|(text, case)| Some(format!("{case}: {}", metal_rejection(text)?))).collect();
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
    assert_eq!(metal_rejection(&right), None);
    for (body, why) in [
        ("uint b = 1u;\nuint b = 2u;", "redeclaration"),
        ("metal::float4 v = metal::uint4(1u);", "conversion"),
        ("metal::float4 v = metal::float4(1.0, 2.0, 3.0);", "no matching function"),
        ("a[0] = metal::min(1.0, 2u);", "no matching function"),
        ("a[0] = metal::sine(1.0);", "not a member"),
        ("metal::simdgroup_half16x16 m;", "not a member"),
        ("double d = 1.0", "expected"),
    ] {
        let rejection = metal_rejection(&kernel(body)).unwrap_or_else(|| panic!("accepted: {body}"));
        assert!(rejection.contains(why), "{body}: {rejection}");
    }
    let attribute = right.replace("thread_position_in_grid", "position_of_thread");
    assert!(metal_rejection(&attribute).is_some_and(|text| text.starts_with("no attribute: position_of_thread")));
}
