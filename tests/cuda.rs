//! CUDA without a GPU: a missing driver is one sentence, and every CUDA kernel is declared, matches its WGSL, and compiles without a
//! warning.
#![cfg(feature = "cuda")]

#[path = "suite/device.rs"]
mod device;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use device::find;
use rayon::prelude::*;
use shaderbench::backend::Backend;
use shaderbench::backend::cuda::{Compiler, devices};
use shaderbench::engine::plan::{Request, plan};
use shaderbench::engine::verify::verify;
use shaderbench::error::Error;
use shaderbench::families::FAMILIES;
use shaderbench::job::{Job, Language};
use shaderbench::shader::twin;
use shaderbench::suite::Access;
use shaderbench::suite::{Case, Dtype, Extent, Profile, Shape};

/// One case of every CUDA kernel.
fn kernels() -> Vec<(Case, Job)> {
    let request = Request::new(Vec::new(), Profile::Thorough);
    let mut seen = BTreeMap::new();
    for case in plan(&request).expect("a plan of everything") {
        if let Ok(job) = Job::new(&case)
            && !job.kernel.cuda.is_empty()
        {
            seen.entry(job.kernel.hash(Language::Cuda)).or_insert((case, job));
        }
    }
    seen.into_values().collect()
}

#[test]
fn a_benchmark_has_the_twin_next_to_its_wgsl_and_no_other() {
    for family in FAMILIES {
        for benchmark in family.benchmarks.iter().filter(|benchmark| !benchmark.wgsl.is_empty()) {
            let is_source = |path: &PathBuf| std::fs::read_to_string(path).is_ok_and(|text| text == benchmark.wgsl);
            let own = Path::new("shaders").join(family.name).join(benchmark.name).with_extension("wgsl");
            // `safety_tax` measures other families' kernels again.
            let borrowed = || files("wgsl").into_iter().find(is_source);
            let path = Some(own).filter(is_source).or_else(borrowed).expect("the WGSL is a file");
            let twin = std::fs::read_to_string(path.with_extension("cu")).unwrap_or_default();
            assert!(
                benchmark.cuda == twin,
                "{}/{}: `cuda` must be the text of {}, or empty where that does not exist",
                family.name,
                benchmark.name,
                path.with_extension("cu").display()
            );
        }
    }
}

#[test]
fn a_twin_is_next_to_its_wgsl_file_and_names_it() {
    for path in files("cu") {
        let text = std::fs::read_to_string(&path).expect("readable");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let is_twin = path.with_extension("wgsl").exists();
        let start = if is_twin { format!("// Twin of {name}.wgsl") } else { "// CUDA alone: ".to_owned() };
        assert!(text.starts_with(&start), "{}", path.display());
        assert!(!text.contains("#include"), "{}: NVRTC has no headers", path.display());
    }
}

#[test]
fn a_cu_file_without_wgsl_is_a_benchmark_for_cuda_only_with_a_reason() {
    let mut alone = Vec::new();
    for family in FAMILIES {
        for benchmark in family.benchmarks {
            // A benchmark without a kernel may be for CUDA only, too.
            let is_alone = benchmark.wgsl.is_empty() && !benchmark.cuda.is_empty();
            let name = format!("{}/{}", family.name, benchmark.name);
            assert!(benchmark.only_cuda.is_none() || benchmark.wgsl.is_empty(), "{name}");
            assert!(benchmark.only_cuda.is_some() || !is_alone, "{name}");
            if is_alone {
                let path = Path::new("shaders").join(family.name).join(benchmark.name).with_extension("cu");
                assert_eq!(std::fs::read_to_string(&path).ok().as_deref(), Some(benchmark.cuda), "{}", path.display());
                alone.push(path);
            }
        }
    }
    let mut files = files("cu");
    files.retain(|path| !path.with_extension("wgsl").exists());
    alone.sort();
    assert_eq!(files, alone);
}

fn files(extension: &str) -> Vec<PathBuf> {
    let list = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path()).collect()
    };
    let mut files: Vec<_> =
        list(Path::new("shaders")).iter().filter(|path| path.is_dir()).flat_map(|family| list(family)).collect();
    files.retain(|path| path.extension().is_some_and(|found| found == extension));
    files.sort();
    files
}

/// Parameters of the entry point, one declaration each.
fn parameters(twin: &str) -> Vec<String> {
    let code: String =
        twin.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join(" ");
    let entry = code.split("extern \"C\"").last().expect("an entry point");
    let list = entry.split_once("kernel(").expect("named kernel").1;
    let list = list.split_once(')').expect("a list that ends").0;
    list.split(',').map(|parameter| parameter.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn parameters_are_the_bindings_in_their_order() {
    for (case, job) in kernels() {
        let declared = parameters(case.benchmark.cuda);
        let bindings = &job.kernel.interface.bindings;
        let passed: Vec<_> =
            bindings.iter().filter(|binding| !twin::is_constant(&job.kernel.cuda, &binding.name)).collect();
        let name = |parameter: &String| {
            let last = parameter.rsplit([' ', '*', '&']).next().unwrap_or_default();
            last.to_owned()
        };
        let names: Vec<_> = declared.iter().map(name).collect();
        assert_eq!(names, passed.iter().map(|b| b.name.clone()).collect::<Vec<_>>(), "{case}: {declared:?}");
        for (parameter, binding) in declared.iter().zip(passed) {
            let (is_pointer, is_const) = (parameter.contains('*'), parameter.starts_with("const "));
            let is_right = match binding.access {
                Access::Read => is_pointer && is_const,
                Access::ReadWrite => is_pointer && !is_const,
                Access::Uniform => !is_pointer,
                Access::Texture => parameter.contains("cudaTextureObject_t"),
            };
            assert!(is_right, "{case}: '{parameter}' for a binding that is {:?}", binding.access);
        }
        for binding in bindings.iter().filter(|binding| twin::is_constant(&job.kernel.cuda, &binding.name)) {
            assert_eq!(binding.access, Access::Uniform, "{case}: {}", binding.name);
        }
    }
}

/// The compiler, from the folder `NVRTC_LIB` or Python's package; prints a message if there is none.
fn compiler() -> Option<Compiler> {
    let python = "import nvidia.cu13; print(list(nvidia.cu13.__path__)[0])";
    let output = Command::new("python3").args(["-c", python]).stderr(Stdio::null()).output().ok();
    let package = output.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()).join("lib"));
    let folders: Vec<_> = std::env::var_os("NVRTC_LIB").map(PathBuf::from).into_iter().chain(package).collect();
    Compiler::find(&folders).inspect_err(|error| eprintln!("SKIPPED: {error}")).ok()
}

#[test]
fn every_twin_compiles_without_a_warning_for_old_and_new_devices() {
    let Some(compiler) = compiler() else { return };
    let newest = compiler.capabilities().last().copied().expect("a target");
    let capabilities: Vec<u32> =
        [75, 80, 90, newest].into_iter().filter(|asked| compiler.capabilities().contains(asked)).collect();
    // Parameters change only numbers: the first and the last set of each kernel and type are enough.
    let mut programs: BTreeMap<String, Vec<(Case, Job)>> = BTreeMap::new();
    for (case, job) in kernels() {
        programs.entry(format!("{} {}", case.name(), case.shape.dtype.name())).or_default().push((case, job));
    }
    let programs: Vec<(Case, Job)> = programs
        .into_values()
        .flat_map(|mut all| {
            all.sort_by_key(|(case, _)| case.params_text());
            let last = if all.len() > 1 { all.pop() } else { None };
            all.truncate(1);
            all.into_iter().chain(last)
        })
        .collect();
    assert!(!programs.is_empty());
    programs.par_iter().for_each(|(case, job)| {
        // A twin that does not depend on the architecture compiles for the oldest and the newest only: the prelude has a single
        // distinction.
        let is_dependent = case.benchmark.cuda.contains("__CUDA_ARCH__");
        let ends = [capabilities.first(), capabilities.last()].map(|end| end.expect("one at least"));
        let asked: BTreeSet<u32> =
            capabilities.iter().filter(|one| is_dependent || ends.contains(one)).copied().collect();
        for capability in &asked {
            let target = compiler.target(*capability).expect("supported");
            assert_eq!(target, format!("sm_{capability}"));
            let compiled = compiler.compile(&job.kernel.cuda, &target);
            let compiled = compiled.unwrap_or_else(|error| panic!("{case} for {target}: {error}"));
            assert_eq!(compiled.log, "", "{case} for {target}");
            assert!(compiled.image.starts_with(b"\x7fELF"), "{case} for {target} is no machine code");
        }
    });
    eprintln!("{} programs compiled for {capabilities:?} by NVRTC {:?}", programs.len(), compiler.version());
}

#[test]
fn compile_errors_name_file_and_line_and_unknown_devices_get_the_nearest_target() {
    let Some(compiler) = compiler() else { return };
    let (case, job) = kernels().into_iter().find(|(case, _)| case.name() == "transpose/tiled").expect("tiled");
    let faulty = job.kernel.cuda.replace("output[y", "outptu[y");
    let error = compiler.compile(&faulty, "sm_90").expect_err("no such variable").to_string();
    let line = case.benchmark.cuda.lines().position(|line| line.contains("output[y")).expect("the line") + 1;
    assert!(error.contains(&format!("transpose/tiled.cu({line})")) && error.contains("outptu"), "{error}");
    assert!(!error.contains('\n'), "{error}");
    let newest = compiler.capabilities().last().copied().expect("a target");
    assert_eq!(compiler.target(newest + 1).expect("the nearest"), format!("compute_{newest}"));
    let ptx = compiler.compile(&job.kernel.cuda, &format!("compute_{newest}")).expect("compiles");
    assert_eq!(ptx.image.last(), Some(&0), "PTX ends with a zero");
    let error = compiler.target(10).expect_err("too old");
    assert!(error.to_string().contains("the device has 1.0"), "{error}");
}

fn shaderbench(arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_shaderbench"));
    let output = command.args(arguments).current_dir(folder.path()).stdin(Stdio::null()).output().expect("starts");
    assert_eq!(std::fs::read_dir(folder.path()).expect("readable").count(), 0, "{arguments:?} leaves nothing behind");
    output
}

#[test]
fn a_missing_driver_is_reported_in_one_sentence() {
    if devices().is_ok() {
        eprintln!("SKIPPED: there is a CUDA device here");
        return;
    }
    for arguments in [&["run", "--backend", "cuda"][..], &["devices", "--backend", "cuda"]] {
        let output = shaderbench(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.starts_with("error: ") && said.contains("NVIDIA's driver"), "{said}");
    }
    // Without --backend cuda, a missing driver is not mentioned.
    let output = shaderbench(&["devices"]);
    let said = [output.stdout, output.stderr].concat();
    assert!(!String::from_utf8_lossy(&said).to_lowercase().contains("cuda"), "{}", String::from_utf8_lossy(&said));
}

/// The only test of this binary that runs kernels: after the fault, the driver may refuse the whole process.
#[test]
fn an_illegal_address_loses_the_device_and_a_new_one_opens_or_the_error_explains_why_not() {
    let Some(mut backend) = device::cuda() else { return };
    let (family, benchmark) = find("ceiling/fma");
    let shape = Shape { dtype: Dtype::F32, extent: Extent::Linear(1024), params: BTreeMap::new() };
    let case = Case::new(family, benchmark, shape);
    let mut job = Job::new(&case).expect("valid");
    assert!(job.kernel.cuda.contains("output[i] ="), "the twin no longer contains the replaced text");
    // Terabytes past every allocation.
    job.kernel.cuda = job.kernel.cuda.replace("output[i] =", "output[i + (1ull << 42)] =");
    pollster::block_on(async {
        let mut prepared = backend.prepare(&job).await.expect("prepared");
        let error = prepared.sample(1).await.expect_err("an illegal address");
        assert!(matches!(error, Error::Lost(_)) && error.ends_device(), "{error}");
        std::mem::forget(prepared);
        if let Err(error) = backend.reopen().await {
            // After an illegal address, drivers of CUDA 13 refuse the whole process.
            assert!(
                matches!(error, Error::NoDevice(_)) && error.to_string().contains("run the remaining cases"),
                "{error}"
            );
            return;
        }
        let job = Job::new(&case).expect("valid");
        let mut prepared = backend.prepare(&job).await.expect("prepared");
        prepared.sample(1).await.expect("the new context runs");
        assert_eq!(verify(prepared.as_mut(), &job).await.expect("readable"), None);
    });
}
