//! `show`: every kernel in every language, or one sentence that says why not.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use rayon::prelude::*;
use shaderbench::families::FAMILIES;
use shaderbench::shader::Shader;
use shaderbench::suite::Constants;
use shaderbench::suite::{Benchmark, Family};

const LANGUAGES: [&str; 6] = ["wgsl", "spirv", "msl", "hlsl", "glsl", "cuda"];

fn show(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shaderbench"));
    command.arg("show").args(arguments).current_dir(folder).stdin(Stdio::null()).output().expect("starts")
}

/// What `show` prints where it succeeds.
fn shown(arguments: &[&str]) -> String {
    let output = show(arguments, Path::new("."));
    assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The sentence with which it refuses, and its exit code.
fn refused(arguments: &[&str]) -> (String, Option<i32>) {
    let output = show(arguments, Path::new("."));
    assert!(output.stdout.is_empty(), "{arguments:?}");
    (text(&output.stderr), output.status.code())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn all() -> Vec<(&'static Family, &'static Benchmark)> {
    let of = |family: &'static Family| family.benchmarks.iter().map(move |benchmark| (family, benchmark));
    FAMILIES.iter().copied().flat_map(of).collect()
}

/// Every benchmark in a language: those that can be shown, by name.
fn in_language(language: &str, checks: &str) -> Vec<(String, String)> {
    let one = |(family, benchmark): (&Family, &Benchmark)| {
        let name = format!("{}/{}", family.name, benchmark.name);
        let output = show(&[&name, "--lang", language, "--checks", checks], Path::new("."));
        if output.status.success() {
            let text = text(&output.stdout);
            assert!(text.lines().count() > 5, "{name} in {language}: {text}");
            return Some((name, text));
        }
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{name} in {language}: {said}");
        assert!(said.starts_with("error: ") && said.trim_end().lines().count() == 1, "{name} in {language}: {said}");
        None
    };
    all().into_par_iter().filter_map(one).collect()
}

#[test]
fn every_benchmark_is_shown_in_every_language_or_says_why_not() {
    let with = |has: fn(&Benchmark) -> bool| all().iter().filter(|(_, benchmark)| has(benchmark)).count();
    let (kernels, twins) = (with(|one| !one.wgsl.is_empty()), with(|one| !one.cuda.is_empty()));
    for language in LANGUAGES {
        let shown = in_language(language, "off");
        let expected = match language {
            "cuda" => twins,
            // Neither DirectX nor OpenGL has cooperative matrices in naga, which two kernels need; nor OpenGL f16, which a third does.
            "hlsl" => kernels - 2,
            "glsl" => kernels - 3,
            _ => kernels,
        };
        assert_eq!(shown.len(), expected, "{language}");
    }
}

#[test]
fn what_a_platform_cannot_express_is_one_sentence() {
    for (arguments, sentence) in [
        (
            &["matmul/cooperative", "--lang", "hlsl"][..],
            "HLSL cannot express this kernel: as naga writes it, it has no cooperative matrices",
        ),
        (
            &["transpose/tiled", "--lang", "msl", "--dtype", "f64"],
            "MSL cannot express this kernel: as naga writes it, it has no f64 in shaders",
        ),
        (&["transpose/cublas"], "transpose/cublas has no kernel: it measures API or library calls"),
        (&["bank_conflict/bytes_direct"], "exists only in CUDA: WGSL has no 8-bit integers (--lang cuda shows it)"),
        (&["transpose/tiled", "--lang", "cuda", "--checks", "on"], "has no checks in CUDA, which adds none"),
    ] {
        let (said, code) = refused(arguments);
        assert!(said.contains(sentence) && said.lines().count() == 1, "{arguments:?}: {said}");
        assert_eq!(code, Some(1), "{said}");
    }
    for (arguments, sentence) in [
        (&["transpose/tilde"][..], "did you mean 'transpose/tiled'?"),
        (&["transpose"], "'transpose' matches several kernels: name one of transpose/naive_coalesced_read, "),
        (&["transpose/tiled", "--param", "PAT=1"], "did you mean 'PAD'?"),
        (&["transpose/tiled", "--dtype", "f46"], "there is no element type 'f46': there are f32, f64"),
    ] {
        let (said, code) = refused(arguments);
        assert!(said.contains(sentence), "{arguments:?}: {said}");
        assert_eq!(code, Some(2), "{said}");
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
    // Without a word on checks the parameters say which.
    assert!(shown(&["safety_tax/fma", "--lang", "hlsl", "--param", "LOOPS=1"]).contains("loop_bound"));
}

#[test]
fn the_wgsl_that_is_shown_stands_for_itself() {
    for (name, text) in in_language("wgsl", "off") {
        let benchmark = all().into_iter().find(|(family, one)| format!("{}/{}", family.name, one.name) == name);
        let benchmark = benchmark.expect("known").1;
        let block = &benchmark.cases[0];
        let dtype = block.dtypes[0].name();
        let shader = Shader::parse(&text, dtype).expect("valid");
        let original = Shader::parse(benchmark.wgsl, dtype).expect("valid");
        let constants: Constants = block.params[0].iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let constants: Constants =
            constants.into_iter().filter(|(name, _)| original.overrides().contains(name.as_str())).collect();
        let alone = shader.interface(&Constants::new()).expect("resolved");
        assert_eq!(alone, original.interface(&constants).expect("resolved"), "{name}");
    }
}

#[test]
fn a_kernel_looks_like_this_on_each_platform() {
    for language in LANGUAGES {
        let text =
            shown(&["ceiling/fill", "--lang", language, "--checks", if language == "cuda" { "off" } else { "on" }]);
        // Neither the prelude, which every twin has, nor the generator's version is the kernel's.
        let own = text.split_once("#define T").map_or(text.as_str(), |(_, own)| own);
        insta::assert_snapshot!(language, own);
    }
}

#[test]
fn files_are_written_and_not_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["ceiling/fill", "--lang", "spirv", "--out", "fill.spv"];
    let write = |more: &[&str]| show(&[&arguments, more].concat(), folder.path());
    assert!(write(&[]).status.success());
    let binary = std::fs::read(folder.path().join("fill.spv")).expect("written");
    assert_eq!(binary[..4], 0x0723_0203_u32.to_le_bytes(), "SPIR-V's magic number");
    let again = write(&[]);
    assert_eq!(again.status.code(), Some(2));
    assert!(
        text(&again.stderr).contains("fill.spv exists: name another file, or pass --force"),
        "{}",
        text(&again.stderr)
    );
    assert!(write(&["--force"]).status.success());
    let output = show(&["ceiling/fill", "--lang", "spirv", "--out", "fill.spvasm"], folder.path());
    assert!(output.status.success() && output.stdout.is_empty());
    let assembly = std::fs::read_to_string(folder.path().join("fill.spvasm")).expect("text");
    assert!(assembly.contains("OpEntryPoint GLCompute"), "{assembly}");
}

/// Whether `program` can be started. A test that needs one that is not there says so on stderr.
fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        eprintln!("SKIPPED: the program '{program}' is not on the PATH");
    }
    found
}

/// What a checker says of a file where it objects.
fn objection(program: &str, arguments: &[&str], path: &Path) -> Option<String> {
    // glslangValidator leaves its binary where it runs.
    let folder = path.parent().expect("a folder");
    let output = Command::new(program).args(arguments).arg(path).current_dir(folder).output().expect("starts");
    let said = [output.stdout, output.stderr].concat();
    (!output.status.success()).then(|| text(&said))
}

/// tests/shaders.rs holds what is measured, without checks, against the checkers; these are what browsers run.
#[test]
fn spirv_val_agrees_with_every_kernel_that_has_checks() {
    if !has("spirv-val") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let judged = all().into_par_iter().filter_map(|(family, benchmark)| {
        let name = format!("{}/{}", family.name, benchmark.name);
        let file = format!("{}.{}.spv", family.name, benchmark.name);
        let output = show(&[&name, "--lang", "spirv", "--checks", "on", "--out", &file], folder.path());
        output
            .status
            .success()
            .then(|| (objection("spirv-val", &["--target-env", "vulkan1.3"], &folder.path().join(file)), name))
    });
    let judged: Vec<_> = judged.collect();
    assert!(judged.len() > 60, "only {} kernels", judged.len());
    for (objection, name) in judged {
        // The number of the capability CooperativeMatrixKHR, which validators before 2023.4 do not know.
        if objection.as_deref().is_some_and(|said| said.contains("Invalid capability operand: 6022")) {
            eprintln!("SKIPPED: {name}: this spirv-val knows no cooperative matrices");
        } else {
            assert_eq!(objection, None, "{name}");
        }
    }
}

#[test]
fn glslang_agrees_with_every_kernel_that_has_checks() {
    if !has("glslangValidator") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let judge = |language: &str, name: &str, source: &str, arguments: &[&str]| {
        let path = folder.path().join(format!("{}.{language}", name.replace('/', ".")));
        std::fs::write(&path, source).expect("written");
        objection("glslangValidator", arguments, &path)
    };
    in_language("glsl", "on").par_iter().for_each(|(name, source)| {
        // Subgroup operations are Vulkan's in glslang's eyes.
        let environment = if source.contains("subgroup") { "vulkan1.1" } else { "opengl" };
        let objection = judge("glsl", name, source, &["-S", "comp", "--target-env", environment]);
        assert_eq!(objection, None, "{name}");
    });
    let hlsl = in_language("hlsl", "on");
    // glslang's HLSL has no templated loads, which is how f64 and f16 are read.
    let judged = hlsl.par_iter().filter(|(_, source)| !source.contains("Load<"));
    let is_taken = |(name, source): &&(String, String)| {
        let arguments = ["-D", "-S", "comp", "-e", "main", "-V", "--target-env", "vulkan1.1"];
        let said = judge("hlsl", name, source, &arguments);
        // It rejects the cast of zero to an array, with which naga zeroes workgroup memory, and wave intrinsics' newer forms, and takes
        // the function that builds a constant array for its own caller: those objections are its own.
        let own = ["cannot convert", "constructor", "Recursion detected:\n    Constructarray"];
        let is_its_own = |said: &str| own.iter().any(|known| said.contains(known));
        assert!(said.as_deref().is_none_or(is_its_own), "{name}: {said:?}");
        said.is_none()
    };
    let taken = judged.filter(is_taken).count();
    assert!(taken > 40, "glslang took only {taken} kernels in HLSL");
}
