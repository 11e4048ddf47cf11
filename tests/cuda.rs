//! CUDA without a GPU: every twin belongs to a benchmark, has the bindings of its WGSL, and compiles without a warning.
#![cfg(feature = "cuda")]

#[path = "suite/catalogue.rs"]
mod catalogue;
#[path = "suite/command.rs"]
mod command;
#[path = "suite/device.rs"]
mod device;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use catalogue::{benchmark, benchmarks, files_below};
use command::{program, shaderbench_in_empty_folder};
use gpu::backend::Backend;
use gpu::backend::cuda::{Compiler, Ptx, PtxArchive, devices, ptx};
use gpu::engine::catalogue;
use gpu::engine::checks::output::verify;
use gpu::engine::plan::{Request, plan};
use gpu::job::{Job, Language, POISON};
use gpu::shader::{compute_capability, twin};
use rayon::prelude::*;
use record::error::Error;
use record::suite::Access;
use record::suite::{Case, Dtype, Extent, Profile, Shape};

/// One case for each kernel that is compiled.
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

/// Whether the kernel is made of a text for several (`.in`).
fn is_of_a_template(name: &str) -> bool {
    const PACKED: [&str; 4] = ["bytes", "halves", "bytes_direct", "halves_direct"];
    let (family, benchmark) = name.split_once('/').expect("a full name");
    family == "rates" || family == "bank_conflict" && PACKED.contains(&benchmark)
}

#[test]
fn the_header_of_a_cuda_file_names_its_twin_or_says_cuda_only() {
    for path in files("cu") {
        let text = std::fs::read_to_string(&path).expect("readable");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let other = ["wgsl", "comp"].into_iter().find(|end| path.with_extension(end).exists());
        let start = other.map_or_else(|| "// CUDA only: ".to_owned(), |end| format!("// Twin of {name}.{end}"));
        assert!(text.starts_with(&start), "{}", path.display());
        let text = text.replace(INCLUDE, "");
        assert!(!text.contains("#include"), "{}: NVRTC has no headers", path.display());
    }
}

/// What kernels for Hopper include.
const INCLUDE: &str = "#include \"hopper.cuh\"";
const HOPPER: &str = include_str!("../shaders/hopper.cuh");

#[test]
fn every_cuda_file_without_wgsl_belongs_to_a_benchmark_that_says_why() {
    let mut without_wgsl = Vec::new();
    for (name, _, benchmark) in benchmarks() {
        // A benchmark without a kernel may be for CUDA only too.
        let is_cuda_kernel = benchmark.wgsl.is_empty() && !benchmark.cuda.is_empty();
        assert!(benchmark.only_cuda.is_none() || benchmark.wgsl.is_empty(), "{name}");
        assert!(benchmark.only_cuda.is_some() || !is_cuda_kernel, "{name}");
        if is_cuda_kernel && !is_of_a_template(&name) {
            let path = Path::new("shaders").join(&name).with_extension("cu");
            let text = std::fs::read_to_string(&path).expect("a file");
            assert_eq!(text.replace(INCLUDE, HOPPER), benchmark.cuda, "{}", path.display());
            without_wgsl.push(path);
        }
    }
    let mut files = files("cu");
    files.retain(|path| !path.with_extension("wgsl").exists());
    without_wgsl.sort();
    assert_eq!(files, without_wgsl);
}

fn files(extension: &str) -> Vec<PathBuf> {
    files_below(Path::new("shaders"), extension)
}

/// Parameters of the entry point, one declaration each.
fn parameters(twin: &str) -> Vec<String> {
    let code: String =
        twin.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join(" ");
    let entry = code.split("extern \"C\"").last().expect("an entry point");
    let list = entry.split_once("kernel(").expect("named kernel").1;
    let list = list.split_once(')').expect("a list that ends").0;
    // What the twin puts in by the preprocessor.
    let more = twin.lines().find_map(|line| line.strip_prefix("#define WORDS")).unwrap_or_default();
    let list = list.replace(" WORDS", more);
    list.split(',').map(|parameter| parameter.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn the_parameters_of_a_twin_are_the_bindings_in_order() {
    for (case, job) in kernels() {
        let declared = parameters(case.benchmark.cuda);
        let bindings = &job.kernel.interface.bindings;
        let passed: Vec<_> =
            bindings.iter().filter(|binding| !twin::is_constant(&job.kernel.cuda, &binding.name)).collect();
        let name = |parameter: &String| {
            let last = parameter.rsplit([' ', '*', '&']).next().unwrap_or_default();
            last.to_owned()
        };
        let mut names: Vec<_> = declared.iter().map(name).collect();
        if job.kernel.interface.entries.iter().any(|entry| entry.immediate_bytes > 0) {
            names.pop();
        }
        assert_eq!(names, passed.iter().map(|b| b.name.clone()).collect::<Vec<_>>(), "{case}: {declared:?}");
        for (parameter, binding) in declared.iter().zip(passed) {
            let (is_pointer, is_const) = (parameter.contains('*'), parameter.starts_with("const "));
            let is_right = match binding.access {
                Access::Read => is_pointer && is_const,
                Access::ReadWrite => is_pointer && !is_const,
                Access::Uniform => !is_pointer,
                Access::Texture => parameter.contains("cudaTextureObject_t"),
                Access::StorageTexture => false,
            };
            assert!(is_right, "{case}: '{parameter}' for a binding that is {:?}", binding.access);
        }
        for binding in bindings.iter().filter(|binding| twin::is_constant(&job.kernel.cuda, &binding.name)) {
            assert_eq!(binding.access, Access::Uniform, "{case}: {}", binding.name);
        }
    }
}

/// NVRTC, in the folder `NVRTC_LIB` or in Python's package. Prints that the test is skipped where there is none.
fn compiler() -> Option<Compiler> {
    let python = "import nvidia.cu13; print(list(nvidia.cu13.__path__)[0])";
    let output = program("python3").args(&["-c", python]).into_command().output().ok();
    let package = output.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()).join("lib"));
    let folders: Vec<_> = std::env::var_os("NVRTC_LIB").map(PathBuf::from).into_iter().chain(package).collect();
    Compiler::find(&folders).inspect_err(|error| eprintln!("SKIPPED: {error}")).ok()
}

#[test]
fn every_twin_compiles_without_a_warning_for_old_and_new_devices() {
    let Some(compiler) = compiler() else { return };
    let newest = compiler.capabilities().last().copied().expect("an architecture");
    let capabilities: Vec<u32> =
        [75, 80, 90, newest].into_iter().filter(|capability| compiler.capabilities().contains(capability)).collect();
    // Parameters differ in numbers only: for each kernel and type, the first and the last are enough.
    let mut programs: BTreeMap<String, Vec<(Case, Job)>> = BTreeMap::new();
    for (case, job) in kernels() {
        programs.entry(format!("{} {}", case.name(), case.shape.dtype.name())).or_default().push((case, job));
    }
    let programs: Vec<(Case, Job)> = programs
        .into_values()
        .flat_map(|mut all| {
            all.sort_by_key(|(case, _)| case.params_text());
            // Of `rates` they compile slowly, and differ in which branch of one text is left.
            let has_last = all.len() > 1 && all[0].0.family.name != "rates";
            let last = if has_last { all.pop() } else { None };
            all.truncate(1);
            all.into_iter().chain(last)
        })
        .collect();
    assert!(!programs.is_empty());
    let is_all = std::env::var_os("SHADERBENCH_ALL").is_some();
    programs.par_iter().enumerate().for_each(|(index, (case, job))| {
        // A twin without a test of the architecture needs the oldest and the newest only.
        let has_test = case.benchmark.cuda.contains("__CUDA_ARCH__");
        let ends = [capabilities.first(), capabilities.last()].map(|end| end.expect("one at least"));
        let tested: BTreeSet<u32> = capabilities.iter().filter(|one| has_test || ends.contains(one)).copied().collect();
        // In turn, unless the variable asks for all.
        let own = |place: usize| is_all || place == index % tested.len();
        let tested = tested.iter().enumerate().filter(|(place, _)| own(*place)).map(|(_, one)| one);
        let needed = compute_capability::needed(&job.kernel.cuda);
        let (least, alone) = needed.map_or((0, ""), |own| (own.least, if own.is_alone { "a" } else { "" }));
        for capability in tested.map(|one| if alone.is_empty() { (*one).max(least) } else { least }) {
            let target = compiler.target(capability).expect("a known architecture");
            assert_eq!(target, format!("sm_{capability}"));
            let target = format!("{target}{alone}");
            let compiled = compiler.compile(&job.kernel.cuda, &target);
            let compiled = compiled.unwrap_or_else(|error| panic!("{case} for {target}: {error}"));
            assert_eq!(compiled.log, "", "{case} for {target}");
            assert!(compiled.image.starts_with(b"\x7fELF"), "{case} for {target} is no machine code");
        }
    });
    eprintln!("{} programs compiled for {capabilities:?} by NVRTC {:?}", programs.len(), compiler.version());
}

#[test]
fn compile_errors_name_file_and_line_and_newer_devices_get_ptx() {
    let Some(compiler) = compiler() else { return };
    let (case, job) = kernels().into_iter().find(|(case, _)| case.name() == "transpose/tiled").expect("tiled");
    let faulty = job.kernel.cuda.replace("output[y", "outptu[y");
    let error = compiler.compile(&faulty, "sm_90").expect_err("no such variable").to_string();
    let line = case.benchmark.cuda.lines().position(|line| line.contains("output[y")).expect("the line") + 1;
    assert!(error.contains(&format!("transpose/tiled.cu({line})")) && error.contains("outptu"), "{error}");
    assert!(!error.contains('\n'), "{error}");
    let newest = compiler.capabilities().last().copied().expect("an architecture");
    assert_eq!(compiler.target(newest + 1).expect("the nearest"), format!("compute_{newest}"));
    let ptx = compiler.compile(&job.kernel.cuda, &format!("compute_{newest}")).expect("compiles");
    assert_eq!(ptx.image.last(), Some(&0), "PTX ends with a zero");
    let error = compiler.target(10).expect_err("too old");
    assert!(error.to_string().contains("the device has 1.0"), "{error}");
}

/// The file of `examples/ptx.rs`, with made-up PTX in the place of NVRTC's.
#[test]
fn the_file_of_ptx_has_every_kernel_of_every_profile_and_no_other() {
    let kernels = catalogue(Language::Cuda).expect("a catalogue");
    let text = |index: usize| vec![Ptx { capability: 50, text: format!("{index}\0").into_bytes() }];
    let programs: Vec<_> =
        kernels.iter().enumerate().map(|(index, kernel)| (kernel.cuda.as_str(), text(index))).collect();
    let file = PtxArchive::write((12, 8), &programs).expect("a file");
    let archive = PtxArchive::read(&file).expect("readable");
    assert_eq!(archive.programs(), programs.len());
    for (program, expected) in &programs {
        assert_eq!(archive.find(program, 90).expect("found"), expected[0].text);
    }
    let mut planned = 0;
    for profile in Profile::ALL {
        let cases = plan(&Request::new(Vec::new(), profile)).expect("a plan of everything");
        for job in cases.iter().filter_map(|case| Job::new(case).ok()).filter(|job| !job.kernel.cuda.is_empty()) {
            archive.find(&job.kernel.cuda, 90).unwrap_or_else(|error| panic!("{}: {error}", job.label));
            planned += 1;
        }
    }
    assert!(planned > programs.len(), "{planned}");
    for (program, _) in &programs {
        for changed in [format!("{program} "), program.replacen("#define T ", "#define  T ", 1)] {
            let error = archive.find(&changed, 90).expect_err("another program");
            assert!(error.is_skip() && error.to_string().contains("needs NVRTC"), "{error}");
        }
    }
}

#[test]
fn ptx_is_stored_for_each_architecture_that_a_twin_tests() {
    let Some(compiler) = compiler() else { return };
    let kernels = catalogue(Language::Cuda).expect("a catalogue");
    // `scripts/release.sh` compiles all of them. The prelude tests the architecture, too.
    let tests = |program: &str| twin::without_prelude(program).contains("__CUDA_ARCH__");
    let some = kernels.iter().step_by(32).chain(kernels.iter().filter(|kernel| tests(&kernel.cuda)));
    let oldest = compiler.capabilities().first().copied().expect("an architecture");
    let mut with_several = 0;
    for kernel in some {
        let all = ptx(&compiler, &kernel.cuda).unwrap_or_else(|error| panic!("{}: {error}", kernel.cuda));
        assert!(all.is_sorted_by_key(|ptx| ptx.capability) && all[0].capability >= oldest);
        for Ptx { capability, text } in &all {
            let text = std::str::from_utf8(text).expect("a text");
            assert!(text.ends_with('\0') && text.matches('\0').count() == 1);
            assert!(text.contains(&format!(".visible .entry {}(", twin::ENTRY_POINT)), "{text}");
            assert!(text.contains(&format!("\n.target sm_{capability}\n")), "{text}");
        }
        if tests(&kernel.cuda) && oldest < 80 {
            // The sort tests the architecture for keys alone; the code for pairs is the same on all.
            let of_pairs = kernel.cuda.contains("#define PAIRS 1u");
            let last = if of_pairs { oldest } else { 80 };
            assert_eq!(all.last().map(|ptx| ptx.capability), Some(last), "{}", kernel.cuda);
            with_several += usize::from(all.len() > 1);
        }
    }
    assert!(oldest >= 80 || with_several > 0);
}

#[test]
fn without_a_driver_the_error_says_what_is_missing() {
    if devices().is_ok() {
        eprintln!("SKIPPED: there is a CUDA device here");
        return;
    }
    for arguments in [&["run", "--backend", "cuda"][..], &["devices", "--backend", "cuda"]] {
        let output = shaderbench_in_empty_folder(arguments).exits_with(1);
        assert!(output.sole_error().contains("NVIDIA's driver"), "{output}");
    }
    // Without `--backend cuda` nothing is printed about CUDA.
    let output = shaderbench_in_empty_folder(&["devices"]);
    assert!(![&output.stdout, &output.stderr].iter().any(|text| text.to_lowercase().contains("cuda")), "{output}");
}

/// A case, and its job with a kernel that has `code` in the place of `output[i] =`.
fn changed(code: &str) -> (Case, Job) {
    let (family, benchmark) = benchmark("ceiling/fma");
    let shape = Shape::new(Dtype::F32, Extent::Linear(1024), BTreeMap::new());
    let case = Case::new(family, benchmark, shape);
    let mut job = Job::new(&case).expect("valid");
    assert!(job.kernel.cuda.contains("output[i] ="), "the twin has no such text");
    job.kernel.cuda = job.kernel.cuda.replace("output[i] =", code);
    (case, job)
}

/// Samples of a kernel that adds one to each word of its output. Several launches are one graph, one launch is none,
/// and neither are more launches than a graph may have.
fn count_launches() {
    let Some(mut backend) = device::cuda() else { return };
    let (_, job) = changed("atomicAdd(reinterpret_cast<u32*>(&output[i]), 1u); volatile float unused =");
    pollster::block_on(async {
        let mut prepared = backend.prepare(&job).await.expect("prepared");
        // Repeated numbers use a graph again; with more than four numbers, graphs are dropped and made anew.
        for launches in [1, 2, 9, 64, 64, 333, 1000, 1001, 2, 64, 5000] {
            prepared.poison().await.expect("poisoned");
            let sample = prepared.sample(launches).await.expect("sampled");
            let mut words = Vec::new();
            let mut sink = |_: u64, bytes: &[u8]| {
                words.extend(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)));
            };
            prepared.read(job.check.buffer, 4096, &mut sink).await.expect("readable");
            assert_eq!(words, [POISON.wrapping_add(launches); 1024], "{launches} launches");
            let device_ns = sample.device_ns.expect("timed");
            assert!(device_ns > 0.0 && device_ns < sample.wall_ns * 1.1, "{launches} launches: {sample:?}");
            eprintln!("{launches} launches: {:.0} ns each", device_ns / f64::from(launches));
        }
    });
}

/// `count_launches` ran. After the illegal address the driver may reject all work of the process: the test of it waits.
static COUNTED: OnceLock<()> = OnceLock::new();

#[test]
fn graphs_run_as_many_launches_as_single_submissions_and_have_times() {
    COUNTED.get_or_init(count_launches);
}

#[test]
fn an_illegal_write_loses_the_device_and_a_new_one_is_opened() {
    COUNTED.get_or_init(count_launches);
    let Some(mut backend) = device::cuda() else { return };
    // Terabytes beyond all allocations.
    let (case, job) = changed("output[i + (1ull << 42)] =");
    pollster::block_on(async {
        let mut prepared = backend.prepare(&job).await.expect("prepared");
        let error = prepared.sample(1).await.expect_err("an illegal address");
        assert!(matches!(error, Error::Lost(_)) && error.ends_device(), "{error}");
        std::mem::forget(prepared);
        if let Err(error) = backend.reopen().await {
            // Drivers of CUDA 13 reject all later work of the process.
            assert!(
                matches!(error, Error::NoDevice(_)) && error.to_string().contains("run the remaining cases"),
                "{error}"
            );
            return;
        }
        let job = Job::new(&case).expect("valid");
        let mut prepared = backend.prepare(&job).await.expect("prepared");
        prepared.sample(1).await.expect("the new context runs");
        assert_eq!(verify(prepared.as_mut(), &job, 7).await.expect("readable"), None);
    });
}
