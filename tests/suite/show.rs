//! `show` prints a kernel in each language, or one sentence why there is none. Its own tests show every kernel.

use crate::command::{Folder, Output, shaderbench};

const LANGUAGES: [&str; 6] = ["wgsl", "spirv", "msl", "hlsl", "glsl", "cuda"];

fn show(arguments: &[&str]) -> Output {
    shaderbench(&["show"]).args(arguments).run()
}

#[track_caller]
fn shown(arguments: &[&str]) -> String {
    show(arguments).succeeds().stdout
}

#[test]
fn show_says_in_one_sentence_why_it_has_no_kernel() {
    for (arguments, sentence) in [
        (
            &["matmul/cooperative", "--lang", "hlsl"][..],
            "HLSL cannot express this kernel: naga's output has no cooperative matrices",
        ),
        (
            &["transpose/tiled", "--lang", "msl", "--dtype", "f64"],
            "MSL cannot express this kernel: naga's output has no f64 in shaders",
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
        (&["ceiling/tensor_int8", "--lang", "spirv", "--checks", "on"], "is SPIR-V, which has no run-time checks"),
        (&["transpose/tiled", "--lang", "cuda", "--checks", "on"], "has no run-time checks in CUDA"),
    ] {
        let output = show(arguments).exits_with(1);
        assert!(output.stdout.is_empty() && output.sole_error().contains(sentence), "{output}");
    }
    for (arguments, sentence) in [
        (&["transpose/tilde"][..], "did you mean 'transpose/tiled'?"),
        (&["transpose"], "'transpose' matches several kernels: name one of transpose/naive_coalesced_read, "),
        (&["transpose/tiled", "--param", "PAT=1"], "did you mean 'PAD'?"),
        (&["transpose/tiled", "--shader-model", "6.0"], "--shader-model needs --lang hlsl"),
        (&["transpose/tiled", "--dtype", "f46"], "there is no element type 'f46': choose from f32, f64"),
    ] {
        let output = show(arguments).exits_with(2);
        assert!(output.stdout.is_empty() && output.stderr.contains(sentence), "{output}");
    }
}

#[test]
fn a_shown_kernel_can_be_changed_and_measured_beside_the_suite_s() {
    let folder = Folder::new();
    let name = "transpose/tiled";
    let output = folder.run(&["show", name, "-o", "new/transpose/tiled.wgsl"]).succeeds();
    assert!(output.stderr.contains(&format!("`shaderbench run {name} --against-shaders new`")), "{output}");
    let planned = folder.run(&["run", name, "--against-shaders", "new", "--dry-run"]).succeeds();
    assert!(planned.stdout.contains(name), "{planned}");
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
    // Without --checks, the parameters decide.
    assert!(shown(&["safety_tax/fma", "--lang", "hlsl", "--param", "LOOPS=1"]).contains("loop_bound"));
}

#[test]
fn show_says_which_kernels_fxc_compiles_for_minutes() {
    let note = |checks: &str, model: &str| {
        let kernel = ["bank_conflict/stride", "--lang", "hlsl", "--checks", checks, "--shader-model", model];
        show(&kernel).succeeds().stderr
    };
    let slow = "note: FXC would take minutes to compile this kernel, since it zeroes 4096 words of workgroup memory one by one";
    assert!(note("on", "5.1").starts_with(slow));
    assert_eq!([note("off", "5.1"), note("on", "6.0")], ["", ""]);
}

#[test]
fn a_kernel_in_each_language() {
    for language in LANGUAGES {
        let text =
            shown(&["ceiling/fill", "--lang", language, "--checks", if language == "cuda" { "off" } else { "on" }]);
        // Without the prelude that all CUDA ports share.
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
