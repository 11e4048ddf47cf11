//! The command `show`: every kernel in every language, or one sentence with the reason that there is none.

use crate::catalogue::{benchmark, benchmarks};
use crate::command::{Folder, Output, is_installed, shaderbench};
use crate::compilers::{assert_glslang_accepts_glsl, assert_glslang_accepts_hlsl, assert_spirv_val_accepts};
use gpu::shader::Shader;
use rayon::prelude::*;
use record::suite::{Benchmark, Constants, Shape};

const LANGUAGES: [&str; 6] = ["wgsl", "spirv", "msl", "hlsl", "glsl", "cuda"];

fn show(arguments: &[&str]) -> Output {
    shaderbench(&["show"]).args(arguments).run()
}

/// The stdout of `show` where it succeeds.
#[track_caller]
fn shown(arguments: &[&str]) -> String {
    show(arguments).succeeds().stdout
}

/// The kernels that can be shown in a language, by name.
fn shown_in(language: &str, checks: &str) -> Vec<(String, String)> {
    let one = |name: String| {
        let output = show(&[&name, "--lang", language, "--checks", checks]);
        if output.code == Some(0) {
            assert!(output.stdout.lines().count() > 5, "{output}");
            return Some((name, output.stdout));
        }
        output.exits_with(1).sole_error();
        None
    };
    benchmarks().into_par_iter().filter_map(|(name, ..)| one(name)).collect()
}

#[test]
fn every_kernel_is_shown_in_every_language_that_can_express_it() {
    let with = |has: fn(&Benchmark) -> bool| benchmarks().iter().filter(|(_, _, benchmark)| has(benchmark)).count();
    let (kernels, twins) = (with(|one| !one.wgsl.is_empty()), with(|one| !one.cuda.is_empty()));
    let modules = with(|one| !one.spirv.is_empty());
    for language in LANGUAGES {
        let shown = shown_in(language, "off");
        let expected = match language {
            "cuda" => twins,
            // naga has no cooperative matrices (three kernels) for DirectX and OpenGL, and no f16 (a fourth) for OpenGL.
            // Metal's have 8×8 elements. Of `rates`, one adds f32 atomically.
            "hlsl" => kernels - 3 - 1,
            // Seven have f64, four divide 64-bit integers, and six have atomic operations on them.
            "msl" => kernels - 3 - 17,
            // Three have f16, two i16, fourteen i64 or u64, and one adds f32 atomically.
            "glsl" => kernels - 4 - 20 + modules,
            "spirv" => kernels + modules,
            _ => kernels,
        };
        assert_eq!(shown.len(), expected, "{language}");
    }
}

#[test]
fn show_says_in_one_sentence_why_it_has_no_kernel() {
    for (arguments, sentence) in [
        (
            &["matmul/cooperative", "--lang", "hlsl"][..],
            "HLSL cannot express this kernel: as naga writes it, it has no cooperative matrices",
        ),
        (
            &["transpose/tiled", "--lang", "msl", "--dtype", "f64"],
            "MSL cannot express this kernel: as naga writes it, it has no f64 in shaders",
        ),
        (
            &["reduction/subgroup", "--lang", "hlsl", "--shader-model", "5.1"],
            "HLSL cannot express this kernel: shader model 5.1 has no subgroup operations",
        ),
        (&["transpose/cublas"], "transpose/cublas has no kernel: it measures API or library calls"),
        (&["bank_conflict/bytes_direct"], "exists only in CUDA: WGSL has no 8-bit integers (--lang cuda shows it)"),
        (
            &["ceiling/tensor_int8"],
            "exists only in CUDA and Vulkan: naga has no type for 8-bit integers (--lang glsl, spirv and cuda show it)",
        ),
        (&["ceiling/tensor_int8", "--lang", "spirv", "--checks", "on"], "is SPIR-V, to which nothing adds checks"),
        (&["transpose/tiled", "--lang", "cuda", "--checks", "on"], "has no checks in CUDA, which adds none"),
    ] {
        let output = show(arguments).exits_with(1);
        assert!(output.stdout.is_empty() && output.sole_error().contains(sentence), "{output}");
    }
    for (arguments, sentence) in [
        (&["transpose/tilde"][..], "did you mean 'transpose/tiled'?"),
        (&["transpose"], "'transpose' matches several kernels: name one of transpose/naive_coalesced_read, "),
        (&["transpose/tiled", "--param", "PAT=1"], "did you mean 'PAD'?"),
        (&["transpose/tiled", "--shader-model", "6.0"], "--shader-model selects HLSL: pass --lang hlsl, too"),
        (&["transpose/tiled", "--dtype", "f46"], "there is no element type 'f46': there are f32, f64"),
    ] {
        let output = show(arguments).exits_with(2);
        assert!(output.stdout.is_empty() && output.stderr.contains(sentence), "{output}");
    }
}

#[test]
fn parameters_types_and_checks_reach_the_kernel() {
    for (language, part) in
        [("hlsl", "groupshared float tile[1056]"), ("msl", "T inner[1056]"), ("cuda", "#define PAD 1u")]
    {
        let padded = shown(&["transpose/tiled", "--lang", language, "--param", "PAD=1"]);
        assert!(padded.contains(part), "{padded}");
        let bare = shown(&["transpose/tiled", "--lang", language]);
        assert!(!bare.contains(part), "{bare}");
    }
    assert!(shown(&["transpose/tiled", "--dtype", "f64", "--lang", "glsl"]).contains("double"));
    let bounded =
        |checks: &str| shown(&["transpose/tiled", "--lang", "hlsl", "--checks", checks]).contains("loop_bound");
    assert!(bounded("on") && !bounded("off"));
    let packed = |model: &str| shown(&["ceiling/dot4", "--lang", "hlsl", "--shader-model", model]).contains("dot4add");
    assert!(packed("6.6") && !packed("6.0") && !packed("5.1"));
    // Without --checks the parameters decide.
    assert!(shown(&["safety_tax/fma", "--lang", "hlsl", "--param", "LOOPS=1"]).contains("loop_bound"));
}

#[test]
fn show_says_which_kernels_fxc_compiles_for_minutes() {
    let note = |checks: &str, model: &str| {
        let kernel = ["bank_conflict/stride", "--lang", "hlsl", "--checks", checks, "--shader-model", model];
        show(&kernel).succeeds().stderr
    };
    let slow = "note: FXC needs minutes for this kernel: it zeroes 4096 words of workgroup memory one by one";
    assert!(note("on", "5.1").starts_with(slow));
    assert_eq!([note("off", "5.1"), note("on", "6.0")], ["", ""]);
}

#[test]
fn shown_wgsl_is_complete_without_constants() {
    for (name, text) in shown_in("wgsl", "off") {
        let (_, benchmark) = benchmark(&name);
        let (dtypes, extents, sets) = benchmark.representative();
        let dtype = dtypes[0].name();
        let shader = Shader::parse(&text, dtype).expect("valid");
        let original = Shader::parse(benchmark.wgsl, dtype).expect("valid");
        let constants: Constants = sets[0].iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let mut constants: Constants =
            constants.into_iter().filter(|(name, _)| original.overrides().contains(name.as_str())).collect();
        let shape = Shape::new(dtypes[0], benchmark.small.unwrap_or(extents[0]), Default::default());
        constants.extend(benchmark.of_size.iter().map(|(name, value)| ((*name).to_owned(), value(&shape))));
        let alone = shader.interface(&Constants::new()).expect("resolved");
        assert_eq!(alone, original.interface(&constants).expect("resolved"), "{name}");
    }
}

#[test]
fn a_kernel_in_each_language() {
    for language in LANGUAGES {
        let text =
            shown(&["ceiling/fill", "--lang", language, "--checks", if language == "cuda" { "off" } else { "on" }]);
        // Without the prelude, which all twins share.
        let own = text.split_once("#define T").map_or(text.as_str(), |(_, own)| own);
        insta::assert_snapshot!(language, own);
    }
}

#[test]
fn out_writes_a_file_and_overwrites_one_only_with_force() {
    let folder = Folder::new();
    let show = |more: &[&str]| folder.run(&[&["show", "ceiling/fill", "--lang", "spirv"], more].concat());
    show(&["--out", "fill.spv"]).succeeds();
    assert_eq!(folder.read("fill.spv")[..4], 0x0723_0203_u32.to_le_bytes(), "SPIR-V's magic number");
    let refused = show(&["--out", "fill.spv"]).exits_with(2);
    assert!(refused.stderr.contains("fill.spv exists: name another file, or pass --force"), "{refused}");
    show(&["--out", "fill.spv", "--force"]).succeeds();
    let output = show(&["--out", "fill.spvasm"]).succeeds();
    assert!(output.stdout.is_empty(), "{output}");
    let assembly = folder.text("fill.spvasm");
    assert!(assembly.contains("OpEntryPoint GLCompute"), "{assembly}");
}

/// Browsers run kernels with checks. `shaders.rs` tests those without.
#[test]
fn spirv_val_accepts_every_kernel_with_checks() {
    if !is_installed("spirv-val") {
        return;
    }
    let folder = Folder::new();
    let accepted = benchmarks().into_par_iter().filter(|(name, ..)| {
        let file = format!("{}.spv", name.replace('/', "."));
        let is_shown = folder.run(&["show", name, "--lang", "spirv", "--checks", "on", "--out", &file]).code == Some(0);
        if is_shown {
            assert_spirv_val_accepts(name, &folder.read(&file), "vulkan1.3");
        }
        is_shown
    });
    let accepted = accepted.count();
    assert!(accepted > 60, "only {accepted} kernels");
}

#[test]
#[ignore = "takes minutes: scripts/test.sh --all"]
fn glslang_accepts_every_kernel_with_checks() {
    if !is_installed("glslangValidator") {
        return;
    }
    shown_in("glsl", "on").par_iter().for_each(|(name, source)| {
        assert_glslang_accepts_glsl(name, source.as_bytes(), source.contains("subgroup"));
    });
    let hlsl = shown_in("hlsl", "on");
    // glslang's HLSL has no templated loads, with which naga reads f64 and f16.
    let readable = hlsl.par_iter().filter(|(_, source)| !source.contains("Load<"));
    let accepted = readable.filter(|(name, source)| assert_glslang_accepts_hlsl(name, source.as_bytes())).count();
    assert!(accepted > 40, "glslang accepts only {accepted} kernels in HLSL");
}
