//! Every WGSL file, without a GPU: it is used, it says what it is, and every platform's compiler takes it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rayon::prelude::*;
use shaderbench::engine::plan::{Request, plan};
use shaderbench::families::FAMILIES;
use shaderbench::job::{Job, Language};
use shaderbench::shader::{Shader, Target};
use shaderbench::suite::{Case, HOST_PARAMS, Profile};
use shaderbench::suite::{Checks, Constants, Feature};

fn files() -> Vec<PathBuf> {
    let list = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path()).collect()
    };
    let mut files: Vec<_> =
        list(Path::new("shaders")).iter().filter(|path| path.is_dir()).flat_map(|family| list(family)).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "wgsl"));
    files.sort();
    files
}

fn everything() -> Vec<Case> {
    let request = Request::new(Vec::new(), Profile::Thorough);
    plan(&request).expect("a plan of everything")
}

/// The case as a job; `None` where no API can do it.
fn bound(case: &Case) -> Option<Job> {
    match Job::new(case) {
        Ok(job) => Some(job),
        Err(error) => {
            assert!(error.is_skip(), "{case}: {error}");
            None
        }
    }
}

/// One case for each kernel as it is compiled: benchmark, type and overrides.
fn kernels() -> Vec<(Case, Job)> {
    let mut seen = BTreeSet::new();
    let with_job = everything().into_iter().filter_map(|case| bound(&case).map(|job| (case, job)));
    with_job.filter(|(_, job)| !job.kernel.source.is_empty() && seen.insert(job.kernel.hash(Language::Wgsl))).collect()
}

#[test]
fn every_file_is_used_by_exactly_one_benchmark() {
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let users: Vec<_> = FAMILIES
            .iter()
            .flat_map(|family| family.benchmarks.iter().map(move |benchmark| (family, benchmark)))
            .filter(|(_, benchmark)| benchmark.wgsl == text)
            // It measures other families' kernels again, with checks on.
            .filter(|(family, _)| family.name != "safety_tax" || path.starts_with("shaders/safety_tax"))
            .map(|(family, benchmark)| format!("shaders/{}/{}.wgsl", family.name, benchmark.name))
            .collect();
        assert_eq!(users, [path.to_string_lossy().into_owned()], "the file, and the benchmarks that include its text");
    }
}

#[test]
fn every_file_says_what_it_does() {
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let header: Vec<_> = text.lines().take_while(|line| line.starts_with("//")).collect();
        assert!((3..=6).contains(&header.len()), "{}: a header of three to six lines", path.display());
        for part in ["// Pattern: ", "// Work: "] {
            assert!(header.iter().any(|line| line.starts_with(part)), "{}: no line '{part}'", path.display());
        }
    }
}

#[test]
fn declarations_fit_their_shaders() {
    for case in everything() {
        if bound(&case).is_none_or(|job| job.kernel.source.is_empty()) {
            continue;
        }
        let shader = Shader::parse(case.benchmark.wgsl, case.shape.dtype.name()).expect("valid");
        for name in case.shape.params.keys() {
            let is_known = shader.overrides().contains(name.as_str()) || HOST_PARAMS.contains(&name.as_str());
            assert!(is_known, "{case}: {name} is no override of the shader");
        }
        for name in shader.overrides() {
            assert_eq!(name, name.to_uppercase(), "{case}: overrides are in capitals");
        }
    }
}

#[test]
fn every_kernel_translates_to_every_target_that_has_its_features() {
    for (case, job) in kernels() {
        let shader = Shader::parse(&job.kernel.source, case.shape.dtype.name()).expect("valid");
        for target in Target::ALL {
            let translated = shader.translate(target, &job.kernel.constants, Checks::default());
            let lacks = |of, feature| target == of && job.kernel.interface.features.contains(&feature);
            // Metal has cooperative matrices, if smaller ones: naga writes them whatever their size.
            let is_lacking = lacks(Target::Msl, Feature::F64)
                || lacks(Target::Glsl, Feature::F16)
                || lacks(Target::Glsl, Feature::CooperativeMatrix)
                || lacks(Target::Hlsl, Feature::CooperativeMatrix);
            match translated {
                Ok(text) => assert!(!text.is_empty() && !is_lacking, "{case} in {}", target.name()),
                Err(error) => assert!(is_lacking, "{case}: {error}"),
            }
        }
    }
}

/// Whether `program` can be started. A test that needs one that is not there says so on stderr.
fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        eprintln!("SKIPPED: the program '{program}' is not on the PATH");
    }
    found
}

/// Runs a checker on a file of this text; gives what it printed where it objects.
fn objection(program: &str, arguments: &[&str], name: &str, text: &[u8]) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("writable");
    let output = Command::new(program).args(arguments).arg(&path).current_dir(folder.path()).output().expect("starts");
    let said = [output.stdout, output.stderr].concat();
    (!output.status.success()).then(|| String::from_utf8_lossy(&said).into_owned())
}

/// Each text once: kernels at several sizes are one text.
fn distinct<T>(mut texts: Vec<(T, Vec<u8>)>) -> Vec<(T, Vec<u8>)> {
    let mut seen = BTreeSet::new();
    texts.retain(|(_, text)| seen.insert(text.clone()));
    texts
}

#[test]
fn tint_agrees_with_every_kernel() {
    if !has("tint") {
        return;
    }
    let mut checked = 0;
    for (case, job) in kernels() {
        let features = &job.kernel.interface.features;
        if [Feature::F64, Feature::I64, Feature::CooperativeMatrix].iter().any(|own| features.contains(own)) {
            continue; // naga's extensions, which no browser has
        }
        // As `backend/wgpu/web.rs` hands it to a browser: naga does not know these directives.
        let is_subgroups = features.contains(&Feature::Subgroups);
        let directives = if is_subgroups { "enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n" } else { "" };
        let text = format!("{directives}{}", job.kernel.source);
        let objection = objection("tint", &["--format", "wgsl", "-o", "/dev/null"], "kernel.wgsl", text.as_bytes());
        assert_eq!(objection, None, "{case}");
        checked += 1;
    }
    assert!(checked > 15, "only {checked} kernels were held against tint");
}

#[test]
fn naga_on_the_path_agrees_with_every_file() {
    if !has("naga") {
        return;
    }
    for path in files() {
        let text = std::fs::read(&path).expect("readable");
        assert_eq!(objection("naga", &[], "kernel.wgsl", &text), None, "{}", path.display());
    }
}

#[test]
fn spirv_val_agrees_with_every_kernel() {
    if !has("spirv-val") {
        return;
    }
    for (case, job) in kernels() {
        let shader = Shader::parse(&job.kernel.source, case.shape.dtype.name()).expect("valid");
        let binary =
            shader.translate(Target::SpirV, &job.kernel.constants, Checks::default()).expect("SPIR-V takes everything");
        let is_cooperative = job.kernel.interface.features.contains(&Feature::CooperativeMatrix);
        // Drivers that have cooperative matrices are of later versions.
        let target = if is_cooperative { "vulkan1.3" } else { "vulkan1.1" };
        let objection = objection("spirv-val", &["--target-env", target], "kernel.spv", &binary);
        // The number of the capability CooperativeMatrixKHR, which validators before 2023.4 do not know.
        if is_cooperative && objection.as_deref().is_some_and(|said| said.contains("Invalid capability operand: 6022"))
        {
            eprintln!("SKIPPED: {case}: this spirv-val knows no cooperative matrices");
            continue;
        }
        assert_eq!(objection, None, "{case}");
    }
}

#[test]
fn glslang_agrees_with_every_kernel() {
    if !has("glslangValidator") {
        return;
    }
    let kernels = kernels();
    let in_language = |target: Target, is_judged: fn(&BTreeSet<Feature>) -> bool| {
        let text = |(case, job): &'_ (Case, Job)| {
            let shader = Shader::parse(&job.kernel.source, case.shape.dtype.name()).expect("valid");
            shader.translate(target, &job.kernel.constants, Checks::default()).ok()
        };
        let judged = kernels.iter().filter(|(_, job)| is_judged(&job.kernel.interface.features));
        let texts: Vec<_> = judged.filter_map(|kernel| Some((kernel, text(kernel)?))).collect();
        assert!(texts.len() > 100, "only {} kernels", texts.len());
        distinct(texts)
    };
    in_language(Target::Glsl, |_| true).par_iter().for_each(|((case, job), text)| {
        // Subgroup operations are Vulkan's in glslang's eyes.
        let is_vulkan = job.kernel.interface.features.contains(&Feature::Subgroups);
        let environment = if is_vulkan { "vulkan1.1" } else { "opengl" };
        let arguments = ["-S", "comp", "--target-env", environment];
        assert_eq!(objection("glslangValidator", &arguments, "kernel.comp", text), None, "{case}");
    });
    // glslang's HLSL has no templated loads, which is how f64 and f16 are read; wgpu offers f64 on Vulkan alone.
    let is_judged =
        |features: &BTreeSet<Feature>| !features.contains(&Feature::F64) && !features.contains(&Feature::F16);
    in_language(Target::Hlsl, is_judged).par_iter().for_each(|((case, _), text)| {
        let arguments = ["-D", "-S", "comp", "-e", "main", "-V", "--target-env", "vulkan1.1"];
        let objection = objection("glslangValidator", &arguments, "kernel.hlsl", text);
        // glslang knows neither zero-casts of arrays nor wave intrinsics' newer forms: those objections are its own.
        // It also takes the function that builds a constant array, called in that constant's initialiser, for its own caller.
        let is_its_own = |said: &str| {
            ["cannot convert", "constructor", "Recursion detected:\n    Constructarray"]
                .iter()
                .any(|known| said.contains(known))
        };
        assert!(objection.as_deref().is_none_or(is_its_own), "{case}: {objection:?}");
    });
}

#[test]
fn constants_reach_the_kernel() {
    let case = everything().into_iter().find(|case| case.params_text() == "PAD=0").expect("tiled, unpadded");
    let job = Job::new(&case).expect("valid");
    assert_eq!(job.kernel.constants, Constants::from([("PAD".to_owned(), 0.0)]));
    assert_eq!(job.kernel.interface.workgroup_bytes, 32 * 32 * 4);
}

#[test]
fn hashes_of_wgsl_stay_what_they_were_in_earlier_reports() {
    let case = everything().into_iter().find(|case| case.params_text() == "PAD=1").expect("tiled, padded");
    let mut kernel = Job::new(&case).expect("valid").kernel;
    kernel.source = "source".to_owned();
    assert_eq!(kernel.hash(Language::Wgsl), "1911ecd6d383ba4e");
}
