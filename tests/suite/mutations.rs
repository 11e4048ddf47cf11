//! Verification finds every planted fault, at least two per kernel, on a real (or software) device.

use std::path::Path;

use crate::catalogue::{benchmark, benchmarks, files_below};
use crate::device::{adapter, common_dtype, fault, open};
use gpu::job::Job;
use gpu::shader::Shader;
use record::suite::{Benchmark, Case, Dtype, Extent, Family, Params, Shape};
use record::suite::{DeviceType, Interface};

/// A planted fault: the kernel, the replaced text, and its replacement.
pub(crate) type Mutation = (&'static str, &'static str, &'static str);

/// The faults of `shaders/<family>/<benchmark>.faults` (see `shaders/README.md`) below a line `section`, or at the top
/// of the file for `""`, each with the parameters of that line.
pub(crate) fn planted(section: &str) -> Vec<(Mutation, Params)> {
    let mut found = Vec::new();
    for path in files_below(Path::new("shaders"), "faults") {
        let name = path.strip_prefix("shaders").expect("below it").with_extension("");
        let name: &str = name.to_str().expect("a kernel's name").replace('\\', "/").leak();
        let all = std::fs::read_to_string(&path).expect("readable");
        let text = |line: &str, mark: &str| -> Option<&'static str> {
            Some(line.strip_prefix(mark)?.strip_prefix(' ').unwrap_or_default().replace("\\n", "\n").leak())
        };
        let (mut params, mut is_wanted): (Params, bool) = (&[], section.is_empty());
        let mut lines = all.lines().filter(|line| !line.starts_with('#'));
        while let Some(line) = lines.next() {
            let Some(before) = text(line, "-") else {
                let (kind, given) = line.split_once(' ').unwrap_or((line, ""));
                let given =
                    given.split_once('=').map(|(name, value)| (name.to_owned(), value.parse().expect("a number")));
                assert!(["cuda", "special"].contains(&kind), "{name}: '{line}' is no fault");
                is_wanted = kind == section;
                params = given.map(|(name, value)| (&*name.leak(), value)).into_iter().collect::<Vec<_>>().leak();
                continue;
            };
            let after = lines.next().and_then(|line| text(line, "+"));
            let after = after.unwrap_or_else(|| panic!("{name}: a line with '+' must follow '{before}'"));
            if is_wanted {
                found.push(((name, before, after), params));
            }
        }
    }
    found
}

/// Used by faults of `spmv`: past and present hashes for matrices, without the run's seed.
const SPECIAL_FUNCTIONS: &str = "
fn high_product(a: u32, b: u32) -> u32 {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let mid = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let other = (a & 0xffffu) * (b >> 16u) + (mid & 0xffffu);
    return (a >> 16u) * (b >> 16u) + (mid >> 16u) + (other >> 16u);
}
fn murmured(index: u32) -> u32 {
    var h = index ^ 0x5eedc0deu;
    h = (h ^ (h >> 16u)) * 0x85ebca6bu;
    h = (h ^ (h >> 13u)) * 0xc2b2ae35u;
    return h ^ (h >> 16u);
}
fn hashed(index: u32) -> u32 {
    var h = index ^ 0x5eedc0deu;
    h = (h ^ (h >> 16u)) * 0x7feb352du;
    h = (h ^ (h >> 15u)) * 0x846ca68bu;
    return h ^ (h >> 16u);
}
";

/// Benchmarks that measure another one's kernel, where its faults are planted.
const BORROWED: &[&str] = &[
    "safety_tax/fma",
    "safety_tax/transpose",
    "safety_tax/matmul",
    "host_cost/encode",
    "host_cost/bind_group",
    "host_cost/submit",
    "host_cost/wait",
    "host_cost/indirect",
    "host_cost/pipeline_again",
];

/// Sizes at which a planted fault must be found: odd ones, with several workgroups.
pub(crate) fn sizes(case: &str) -> &'static [Extent] {
    match case.split('/').next() {
        Some("pitched") if case.ends_with("3d") => &[Extent::Product(5, 7, 129)],
        Some("pitched") => &[Extent::Matrix(100, 257)],
        Some("barrier") => &[Extent::Linear(1025), Extent::Linear(2048)],
        Some("bank_conflict") => &[Extent::Linear(1025), Extent::Linear(4097)],
        Some("rates") => &[Extent::Linear(1025), Extent::Linear(4097)],
        // Dispatches of a submission: an even number of exchanged lanes would be right again.
        Some("host_cost") => &[Extent::Linear(13)],
        Some("fft") => &[Extent::Matrix(19, 256), Extent::Matrix(5, 2048)],
        Some("stencil") if case.ends_with("3d") => &[Extent::Product(37, 21, 140), Extent::Product(9, 19, 101)],
        Some("stencil") => &[Extent::Matrix(70, 132), Extent::Matrix(100, 257)],
        Some("transpose") => &[Extent::Matrix(64, 96), Extent::Matrix(100, 257)],
        Some("attention") => &[Extent::Matrix(3, 100), Extent::Matrix(2, 257)],
        Some("gemv") => {
            &[Extent::Matrix(101, 257), Extent::Matrix(67, 512), Extent::Matrix(7, 8200), Extent::Matrix(6, 9001)]
        }
        // The longest row has all four loads of a round beyond the registers.
        Some("softmax" | "rmsnorm") => {
            &[Extent::Matrix(101, 257), Extent::Matrix(67, 512), Extent::Matrix(7, 8200), Extent::Matrix(3, 16_404)]
        }
        Some("texture") => &[Extent::Matrix(64, 96), Extent::Matrix(101, 257)],
        Some("matmul") if case.ends_with("cooperative") => {
            &[Extent::Product(133, 267, 70), Extent::Product(130, 260, 40), Extent::Product(136, 264, 128)]
        }
        Some("matmul") if case.ends_with("wgmma") => &[Extent::Product(133, 264, 72), Extent::Product(300, 512, 128)],
        Some("matmul") if case.ends_with("double_buffered") => {
            &[Extent::Product(133, 267, 37), Extent::Product(128, 256, 48)]
        }
        Some("matmul") => &[Extent::Product(65, 67, 33), Extent::Product(70, 100, 37)],
        _ => &[Extent::Linear(70_001), Extent::Linear(69_996), Extent::Linear(16_384)],
    }
}

/// Parameters of the representative cases, last ones first: a fault may be in code that only some of them have.
fn parameters(benchmark: &Benchmark) -> Vec<Params> {
    let (_, _, declared) = benchmark.representative();
    if declared.is_empty() { vec![&[]] } else { declared.iter().rev().copied().collect() }
}

/// The job with the last of the benchmark's first parameters.
#[cfg(feature = "cuda")]
fn job(family: &'static Family, benchmark: &'static Benchmark, dtype: Dtype, extent: Extent) -> Job {
    job_with(family, benchmark, dtype, extent, parameters(benchmark)[0])
}

fn job_with(
    family: &'static Family,
    benchmark: &'static Benchmark,
    dtype: Dtype,
    extent: Extent,
    params: Params,
) -> Job {
    job_of_stream(family, benchmark, dtype, extent, params, STREAMS[0])
}

/// Streams of the epochs in which a planted fault must be found: any but 0, which a formula may know.
const STREAMS: [u64; 2] = [5, 7];

fn job_of_stream(
    family: &'static Family,
    benchmark: &'static Benchmark,
    dtype: Dtype,
    extent: Extent,
    params: Params,
    stream: u64,
) -> Job {
    let params = params.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let shape = Shape { stream, ..Shape::new(dtype, extent, params) };
    Job::new(&Case::new(family, benchmark, shape)).expect("valid")
}

/// The faults at the top of the files: wrong indices, missing barriers, skipped tails, lost lanes.
pub(crate) fn at_top() -> Vec<Mutation> {
    planted("").into_iter().map(|(fault, _)| fault).collect()
}

/// Every planted fault: those in files, and two in each kernel of `rates` (one text), three in chains of atomic
/// operations.
fn mutations() -> Vec<Mutation> {
    let rates = benchmarks().into_iter().filter(|(_, family, _)| family.name == "rates").flat_map(|(name, ..)| {
        let name: &'static str = name.leak();
        let word = name.contains("_atomic_").then_some((name, "return p;", "return i % WG;"));
        let sum = (name, "stored(x.g.a) + stored(x.h.a)", "stored(x.g.a) + stored(x.g.a)");
        [(name, "one_more(x.f, m)", "x.f"), sum].into_iter().chain(word)
    });
    // An exponential of 12 bits.
    let coarse = ("rates/f32_exp2", "exp2(-x)", "bitcast<f32>(bitcast<u32>(exp2(-x)) & 0xfffff000u)");
    at_top().into_iter().chain(rates).chain([coarse]).collect()
}

mod planted_faults_are_found {
    crate::device::each_family!(find_in);

    fn find_in(family: &str) {
        super::find_planted_faults_of(family);
    }
}

fn find_planted_faults_of(family: &str) {
    let Some(adapter) = adapter() else { return };
    let is_software = adapter.device.kind == DeviceType::Software;
    let mut backend = open(adapter);
    for (name, before, after) in mutations().into_iter().filter(|(name, ..)| name.split('/').next() == Some(family)) {
        let (family, benchmark) = benchmark(name);
        let dtype = *benchmark.cases.iter().flat_map(|cases| cases.dtypes).next_back().expect("a type");
        let dtype = common_dtype(benchmark, dtype);
        let mut is_found = false;
        let extents = || sizes(name).iter().filter(|extent| extent.count().is_multiple_of(dtype.lanes()));
        for (params, extent) in
            parameters(benchmark).into_iter().flat_map(|params| extents().map(move |extent| (params, extent)))
        {
            let mut job = job_with(family, benchmark, dtype, *extent, params);
            assert!(benchmark.wgsl.contains(before), "{name}: the kernel has no '{before}'");
            let faulty = benchmark.wgsl.replace(before, after);
            let shader = Shader::parse_for(&faulty, dtype.name(), &job.kernel.constants);
            let shader = shader.expect("a planted fault is valid WGSL");
            job.kernel.source = shader.source().to_owned();
            let interface: Interface = shader.interface(&job.kernel.constants).expect("resolved");
            assert_eq!(interface.bindings, job.kernel.interface.bindings, "{name}: a planted fault keeps the bindings");
            match fault(&mut backend, &mut job) {
                Ok(fault) => is_found = fault.is_some(),
                Err(error) if error.is_skip() => is_found = true,
                Err(error) => panic!("{name}: {error}"),
            }
            if is_found {
                break;
            }
        }
        // A race may give the right result on a GPU. It always shows on a software device, which runs each invocation
        // up to the next barrier, and one tile after the other.
        let is_race = before.contains("Barrier") && !after.contains("Barrier") || before == "before + aggregate)";
        if is_race && !is_found && !is_software {
            eprintln!("{name}: '{}' is a race with the right result on this device", before.trim());
            continue;
        }
        assert!(is_found, "{name}: '{before}' -> '{after}' is not found");
    }
}

mod kernels_that_are_right_for_special_inputs_only_are_found {
    crate::device::each_family!(find_in);

    fn find_in(family: &str) {
        super::find_special_changes_of(family);
    }
}

fn find_special_changes_of(family: &str) {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(adapter);
    let mut hidden = Vec::new();
    let special = planted("special").into_iter().filter(|((name, ..), _)| name.split('/').next() == Some(family));
    for ((name, before, after), only) in special {
        let (family, benchmark) = benchmark(name);
        let dtypes = || benchmark.cases.iter().flat_map(|cases| cases.dtypes).copied();
        // Integers have no special inputs.
        let dtype = dtypes().find(|dtype| dtype.scalar().is_float()).or_else(|| dtypes().next()).expect("a type");
        let dtype = common_dtype(benchmark, dtype);
        let sets = if only.is_empty() { parameters(benchmark) } else { vec![only] };
        let extents = || sizes(name).iter().filter(|extent| extent.count().is_multiple_of(dtype.lanes()));
        let all = STREAMS.into_iter().flat_map(|stream| {
            sets.iter().flat_map(move |params| extents().map(move |extent| (*params, *extent, stream)))
        });
        let mut is_found = false;
        for (params, extent, stream) in all {
            let mut job = job_of_stream(family, benchmark, dtype, extent, params, stream);
            assert!(benchmark.wgsl.contains(before), "{name}: the kernel has no '{before}'");
            let faulty = benchmark.wgsl.replace(before, after) + SPECIAL_FUNCTIONS;
            let shader = Shader::parse_for(&faulty, dtype.name(), &job.kernel.constants);
            job.kernel.source = shader.expect("a planted fault is valid WGSL").source().to_owned();
            match fault(&mut backend, &mut job) {
                Ok(fault) => is_found = fault.is_some(),
                Err(error) if error.is_skip() => is_found = true,
                Err(error) => panic!("{name}: {error}"),
            }
            if is_found {
                break;
            }
        }
        if !is_found {
            hidden.push(format!("{name}: '{before}' -> '{after}'"));
        }
    }
    assert!(hidden.is_empty(), "not found:\n{}", hidden.join("\n"));
}

#[cfg(feature = "cuda")]
#[test]
fn planted_faults_in_cuda_kernels_are_found() {
    let mut backend = crate::device::cuda();
    for ((name, before, after), _) in planted("cuda") {
        let (family, benchmark) = benchmark(name);
        assert!(benchmark.cuda.contains(before), "{name}: the kernel has no '{before}'");
        let Some(backend) = &mut backend else { continue };
        let (dtypes, extents, _) = benchmark.representative();
        let extents = if extents[0].count() == 1 { extents } else { sizes(name) };
        let is_found = extents.iter().any(|extent| {
            let mut job = job(family, benchmark, dtypes[0], *extent);
            job.kernel.cuda = job.kernel.cuda.replace(before, after);
            match fault(backend, &mut job) {
                // The kernel needs two cards.
                Err(error) if error.is_skip() => {
                    eprintln!("SKIPPED: {name}: {error}");
                    true
                }
                found => found.unwrap_or_else(|error| panic!("{name}: {error}")).is_some(),
            }
        });
        assert!(is_found, "{name}: '{before}' -> '{after}' is not found");
    }
}

fn assert_two_faults(mutations: &[Mutation], has_faults: impl Fn(&str, &Benchmark) -> bool) {
    for (name, ..) in benchmarks().into_iter().filter(|(name, _, benchmark)| has_faults(name, benchmark)) {
        let count = mutations.iter().filter(|(mutated, ..)| *mutated == name).count();
        assert!(count >= 2, "{name} has {count}");
    }
}

#[cfg(feature = "cuda")]
#[test]
fn every_kernel_in_cuda_only_has_at_least_two_planted_faults() {
    let faults: Vec<Mutation> = planted("cuda").into_iter().map(|(fault, _)| fault).collect();
    assert_two_faults(&faults, |_, benchmark| benchmark.wgsl.is_empty() && !benchmark.cuda.is_empty());
}

#[test]
fn the_documents_number_of_planted_faults_is_right() {
    let count = mutations().len();
    let hundreds = format!("more than {} ", count / 100 * 100);
    for path in ["README.md", "docs/method.md"] {
        let text = std::fs::read_to_string(path).expect("readable");
        assert!(text.contains(&hundreds), "{path}: {count} faults are planted");
    }
}

#[test]
fn every_wgsl_kernel_has_at_least_two_planted_faults() {
    assert_two_faults(&mutations(), |name, benchmark| !benchmark.wgsl.is_empty() && !BORROWED.contains(&name));
}
