//! Kernels in GLSL with the SPIR-V that wgpu passes to Vulkan: their files, and the devices that run them.

use std::path::{Path, PathBuf};

use crate::catalogue::{benchmarks, files_below};
use crate::command::{is_installed, program};
use crate::common::{cases, device};
use crate::compilers::assert_spirv_val_accepts;
use crate::device::{adapter, fault, open};
use gpu::backend::Device;
use gpu::job::{Job, Language};
use record::suite::{Api, Feature, Value};

fn files() -> Vec<PathBuf> {
    files_below(Path::new("shaders"), "comp")
}

#[test]
fn every_glsl_file_belongs_to_a_benchmark_with_its_spirv_and_its_twin() {
    let mut with_module = Vec::new();
    for (name, _, benchmark) in benchmarks() {
        assert_eq!(benchmark.glsl.is_empty(), benchmark.spirv.is_empty(), "{name}: GLSL and SPIR-V go together");
        if benchmark.glsl.is_empty() {
            continue;
        }
        let path = Path::new("shaders").join(&name).with_extension("comp");
        assert_eq!(std::fs::read_to_string(&path).ok().as_deref(), Some(benchmark.glsl), "{}", path.display());
        let spirv = std::fs::read(path.with_extension("spv")).ok();
        assert_eq!(spirv.as_deref(), Some(benchmark.spirv), "{}", path.display());
        assert!(!benchmark.cuda.is_empty() && benchmark.wgsl.is_empty(), "{name}: its interface is the twin's");
        assert!(benchmark.only_cuda.is_some(), "{name}: other APIs need a reason");
        with_module.push(path);
    }
    with_module.sort();
    assert_eq!(files(), with_module);
}

/// A module without its generator's number.
fn code(spirv: &[u8]) -> Vec<u8> {
    [&spirv[..8], &spirv[12..]].concat()
}

#[test]
fn the_spirv_is_what_glslang_makes_of_the_glsl() {
    if !is_installed("glslangValidator") {
        return;
    }
    let installed = program("glslangValidator").args(&["--version"]).run().stdout;
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let file = path.file_name().expect("a name").to_string_lossy().into_owned();
        let binary = file.replace(".comp", ".spv");
        let version = text.lines().find_map(|line| {
            line.strip_prefix(&format!("// {binary} is what glslang "))?.strip_suffix(" makes of it:")
        });
        let version = version.expect("the version of glslang");
        let command = format!("// glslangValidator --target-env vulkan1.3 {file} -o {binary}");
        assert!(text.lines().any(|line| line == command), "{file}: no line '{command}'");
        // Other versions write other instructions, and older ones do not know the extensions.
        if !installed.contains(&format!(":{version}.")) {
            eprintln!("SKIPPED: {file}: the glslangValidator on the PATH is not {version}");
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join(&file), &text).expect("written");
        let arguments = ["--target-env", "vulkan1.3", &file, "-o", &binary];
        program("glslangValidator").args(&arguments).folder(folder.path()).run().succeeds();
        let made = std::fs::read(folder.path().join(&binary)).expect("written");
        let kept = std::fs::read(path.with_extension("spv")).expect("readable");
        assert!(code(&made) == code(&kept), "{}: compile it again: {command}", path.display());
    }
}

#[test]
fn spirv_val_accepts_every_module() {
    if !is_installed("spirv-val") {
        return;
    }
    for (name, _, benchmark) in benchmarks().into_iter().filter(|(_, _, benchmark)| !benchmark.spirv.is_empty()) {
        assert_spirv_val_accepts(&name, benchmark.spirv, "vulkan1.3");
    }
}

#[test]
fn devices_with_the_matrices_run_the_modules_and_others_skip_them() {
    let without = |feature: Feature| {
        let mut device = device();
        device.features.remove(&feature);
        device
    };
    let of_api = |api: Api, language: Language| Device { api, language, ..device() };
    let everywhere: [(Device, Option<&str>); 3] = [
        (device(), None),
        (of_api(Api::Cuda, Language::Cuda), None),
        (without(Feature::Subgroups), Some("the device has no subgroup operations")),
    ];
    for (name, feature, lacks, on_others) in [
        (
            "ceiling/tensor_int8",
            Feature::Int8Matrix,
            "the device has no cooperative matrices of 8-bit integers (16x16x32)",
            "naga has no type for 8-bit integers: only CUDA and Vulkan run this kernel",
        ),
        (
            "ceiling/tensor_bf16",
            Feature::Bf16Matrix,
            "the device has no cooperative matrices of bf16 (16x16x16)",
            "naga has no type for bf16: only CUDA and Vulkan run this kernel",
        ),
    ] {
        let job = Job::new(&cases(&[name], &[])[0]).expect("valid");
        let metal = of_api(Api::Metal, Language::Wgsl);
        let own = [(without(feature), Some(lacks)), (metal, Some(on_others))];
        for (device, reason) in everywhere.iter().chain(&own) {
            let said = device.check(&job).err().map(|error| error.to_string());
            assert_eq!(said.as_deref(), *reason, "{name} on {}", device.api);
        }
    }
}

/// Makes each matrix product but the first reuse the previous one's factor B.
fn with_repeated_factor(module: &mut [u32]) {
    const OP_COOPERATIVE_MATRIX_MUL_ADD: u32 = 4459;
    let (mut at, mut last) = (5, None);
    while let Some(first) = module.get(at).copied() {
        // The operands: type, result, A, B, C.
        if first & 0xffff == OP_COOPERATIVE_MATRIX_MUL_ADD {
            let own = module[at + 4];
            module[at + 4] = last.unwrap_or(own);
            last = Some(own);
        }
        at += (first >> 16).max(1) as usize;
    }
    assert!(last.is_some(), "there are products");
}

#[test]
fn planted_faults_in_modules_are_found() {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(adapter);
    for (name, ..) in benchmarks().into_iter().filter(|(_, _, benchmark)| !benchmark.spirv.is_empty()) {
        let job = || Job::new(&cases(&[&name], &[])[0]).expect("valid");
        let (mut right, mut fewer, mut other) = (job(), job(), job());
        match fault(&mut backend, &mut right) {
            Err(error) if error.is_skip() => {
                eprintln!("SKIPPED: {name}: {error}");
                continue;
            }
            found => assert_eq!(found.expect("it runs"), None, "{name}"),
        }
        let rounds = fewer.kernel.interface.overrides.iter_mut().find(|(name, _)| name == "ROUNDS");
        if let Some((_, Value::U32(rounds))) = rounds {
            *rounds -= 1;
        }
        // Kernels are cached by their text and their constants.
        fewer.kernel.constants.insert("ROUNDS".to_owned(), 0.0);
        assert!(fault(&mut backend, &mut fewer).expect("it runs").is_some(), "{name}: one round less is not found");
        with_repeated_factor(&mut other.kernel.module);
        assert!(fault(&mut backend, &mut other).expect("it runs").is_some(), "{name}: another factor is not found");
    }
}

#[test]
fn a_modules_hash_depends_on_its_parameters() {
    let hashes = |language| {
        let hash = |params: &str| {
            let mut job = Job::new(&cases(&["ceiling/tensor_int8"], &[])[0]).expect("valid");
            job.kernel.constants.insert("ROUNDS".to_owned(), params.parse().expect("a number"));
            job.kernel.hash(language)
        };
        ["512", "512", "4096"].map(hash)
    };
    let [first, same, other] = hashes(Language::Wgsl);
    assert!(!first.is_empty() && first == same && first != other);
}
