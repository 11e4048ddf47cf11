//! Every benchmark against its oracle on a real (or software) device, and submissions that fail or time out.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::catalogue::{benchmark, benchmarks, few_rounds};
use crate::device::{adapter, common_dtype, fault, open};
use gpu::backend::Backend;
use gpu::backend::wgpu::{Timeouts, WgpuBackend};
use gpu::engine::checks::output::verify;
use gpu::engine::plan::{Request, plan};
use gpu::job::Job;
use record::error::Error;
use record::suite::{Benchmark, Case, DeviceType, Dtype, Extent, Profile, Shape};

/// Small and odd sizes: one element, around a block, many blocks, no power of two.
fn sizes(benchmark: &Benchmark) -> Vec<Extent> {
    let declared = benchmark.representative().1[0];
    if benchmark.name == "exchange" {
        if only().is_some() {
            return [1, 33, 257].map(Extent::Linear).to_vec();
        }
        // With hundreds of barriers for each element, a software device needs seconds for larger sizes.
        return [1, 31, 33, 255, 257, 513, 1025, 2049].map(Extent::Linear).to_vec();
    }
    let linear = [1, 2, 3, 255, 256, 257, 512, 513, 1023, 1024, 1025, 4095, 16_384, 16_385, 65_537, 300_007];
    // For kernels with thousands of reads per invocation and dozens of strides.
    let few = [1, 33, 257, 1025, 4097];
    let matrices = [(1, 1), (1, 33), (33, 1), (3, 5), (32, 32), (31, 33), (36, 64), (40, 100), (100, 257), (128, 512)];
    // Rows that exceed the registers of a workgroup, or of several chunks.
    let long_rows = [(5, 8200), (3, 8209)];
    let products = [
        (1, 1, 1),
        (1, 33, 5),
        (33, 1, 17),
        (3, 5, 2),
        (16, 16, 16),
        (31, 33, 35),
        (64, 64, 64),
        (65, 66, 67),
        (70, 100, 30),
        (130, 260, 40),
        (130, 260, 96),
        (136, 264, 128),
    ];
    // Only powers of two from 256 to 4096 are supported.
    let transforms = [(1, 256), (16, 256), (17, 256), (3, 512), (9, 1024), (3, 2048), (1, 4096), (5, 4096)];
    let sequences = [(1, 1), (33, 1), (1, 33), (3, 5), (2, 16), (2, 64), (2, 65), (5, 100), (1, 130), (1, 257)];
    match declared {
        Extent::Matrix(..) if benchmark.name == "stockham" => {
            transforms.map(|(count, points)| Extent::Matrix(count, points)).to_vec()
        }
        // Heads by length: the work grows with the square of the length.
        Extent::Matrix(..) if benchmark.wgsl.contains("CAUSAL") => {
            sequences.map(|(heads, length)| Extent::Matrix(heads, length)).to_vec()
        }
        // Dispatches of a submission.
        Extent::Linear(_) if benchmark.host_part.is_some() => (1..=12).map(Extent::Linear).collect(),
        Extent::Linear(1) => vec![declared],
        // A software device needs a third of a microsecond for an atomic operation.
        Extent::Linear(_) if benchmark.name.contains("_atomic_") => few.map(Extent::Linear).to_vec(),
        Extent::Linear(_) if benchmark.wgsl.contains("SPAN") || benchmark.cuda.contains("SPAN") => {
            few.map(Extent::Linear).to_vec()
        }
        // With divisions of 64 bits in each step, a software device needs a second for the largest size.
        Extent::Linear(_) if benchmark.wgsl.contains("CHAINS") => {
            linear[..15].iter().map(|n| Extent::Linear(*n)).collect()
        }
        Extent::Linear(_) => linear.map(Extent::Linear).to_vec(),
        Extent::Matrix(..) => {
            let sides = matrices.into_iter().chain(long_rows);
            sides.map(|(rows, columns)| Extent::Matrix(rows, columns)).collect()
        }
        Extent::Product(..) => products.map(|(m, n, k)| Extent::Product(m, n, k)).to_vec(),
    }
}

/// Random streams, which the cases use in turn.
const STREAMS: [u64; 3] = [0, 1, 7];

/// Each size of a kernel runs with one in so many sets of type and parameters, in turn, or with all of them if
/// `SHADERBENCH_ALL` is set. Every size and every set has a case in each run.
const TURNS: usize = 4;

/// Every benchmark with all its types and parameters at small and odd sizes, and in f32 where its types are rare.
fn small_cases() -> Vec<Case> {
    let (mut cases, mut seen) = (Vec::new(), BTreeSet::new());
    let is_all = std::env::var_os("SHADERBENCH_ALL").is_some();
    for (_, family, benchmark) in benchmarks() {
        // Benchmarks only for CUDA support their own types only.
        let also = |dtype: Dtype| if benchmark.only_cuda.is_some() { dtype } else { common_dtype(benchmark, dtype) };
        let mut sets = Vec::new();
        for block in benchmark.cases {
            let dtypes: BTreeSet<Dtype> = block.dtypes.iter().flat_map(|dtype| [*dtype, also(*dtype)]).collect();
            for (dtype, params) in dtypes.iter().flat_map(|dtype| block.params.iter().map(move |one| (*dtype, one))) {
                let declared = params.iter().map(|(name, value)| ((*name).to_owned(), *value));
                let params = few_rounds(family.name, declared);
                if !sets.contains(&(dtype, params.clone())) {
                    sets.push((dtype, params));
                }
            }
        }
        let fits = |extent: Extent, dtype: Dtype| extent.count().is_multiple_of(dtype.lanes());
        let mut planned = vec![Vec::new(); sets.len()];
        for (turn, extent) in sizes(benchmark).into_iter().enumerate() {
            let fitting: Vec<usize> = (0..sets.len()).filter(|set| fits(extent, sets[*set].0)).collect();
            let turns = if is_all { 1 } else { TURNS.min(fitting.len()).max(1) };
            fitting.into_iter().skip(turn % turns).step_by(turns).for_each(|set| planned[set].push(extent));
        }
        for ((dtype, params), mut extents) in sets.into_iter().zip(planned) {
            if extents.is_empty() {
                extents.extend(sizes(benchmark).into_iter().find(|extent| fits(*extent, dtype)));
            }
            for extent in extents {
                let stream = STREAMS[cases.len() % STREAMS.len()];
                let shape = Shape { stream, ..Shape::new(dtype, extent, params.clone()) };
                let case = Case::new(family, benchmark, shape);
                if seen.insert(case.to_string()) {
                    cases.push(case);
                }
            }
        }
    }
    cases
}

mod every_benchmark_is_right_at_small_and_odd_sizes_and_stays_within_its_buffers {
    use record::suite::Benchmark;

    fn verify_family(family: &str) {
        let Some(adapter) = crate::device::adapter() else { return };
        let ran = super::verify_small_cases(&mut crate::device::open(adapter), |case| case.family.name == family);
        let benchmarks = crate::catalogue::family(family).benchmarks;
        let in_wgsl = |benchmark: &&Benchmark| !benchmark.wgsl.is_empty();
        // A device may lack features for two benchmarks of a family at most.
        let least = benchmarks.iter().filter(in_wgsl).count().saturating_sub(2).max(1) * 5;
        assert!(ran >= least || super::only().is_some(), "{ran} cases ran");
    }

    crate::device::each_family!(verify_family);
}

#[test]
fn small_cases_of_every_benchmark_draw_from_every_stream() {
    let cases = small_cases();
    for (name, _, benchmark) in benchmarks().into_iter().filter(|(.., benchmark)| sizes(benchmark).len() > 1) {
        let of_benchmark = cases.iter().filter(|case| std::ptr::eq(case.benchmark, benchmark));
        let streams: BTreeSet<u64> = of_benchmark.map(|case| case.shape.stream).collect();
        assert_eq!(streams, BTreeSet::from(STREAMS), "{name}");
    }
}

/// A backend keeps large inputs for the next job, whose stream may be another.
#[test]
fn a_cached_input_is_replaced_by_that_of_another_stream() {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(adapter);
    let (family, benchmark) = benchmark("transpose/tiled");
    for stream in [0, 1, 1, 0] {
        let shape = Shape::new(Dtype::F32, Extent::Matrix(512, 512), Default::default());
        let job = Job::new(&Case::new(family, benchmark, Shape { stream, ..shape })).expect("valid");
        assert!(job.buffers.iter().any(|buffer| buffer.is_shareable()), "the input is cached");
        let mismatch = pollster::block_on(async {
            let mut prepared = backend.prepare(&job).await?;
            prepared.sample(1).await?;
            verify(prepared.as_mut(), &job, 7).await
        });
        assert_eq!(mismatch.expect("it runs"), None, "stream {stream}");
    }
}

#[cfg(feature = "cuda")]
#[test]
fn every_twin_is_right_at_small_sizes_and_stays_within_its_buffers() {
    let Some(mut backend) = crate::device::cuda() else { return };
    let ran = verify_small_cases(&mut backend, |_| true);
    assert!(ran > 50 || only().is_some(), "{ran} cases ran");
}

/// The benchmark that `scripts/sanitize.sh` runs: under compute-sanitizer, all of them take too long.
fn only() -> Option<String> {
    std::env::var("SHADERBENCH_ONLY").ok()
}

/// Verifies the selected small cases that the device supports. Returns their number.
fn verify_small_cases(backend: &mut dyn Backend, is_selected: impl Fn(&Case) -> bool) -> usize {
    let (mut ran, mut skipped) = (0, Vec::new());
    let is_requested = |case: &Case| only().is_none_or(|name| case.name() == name);
    for case in small_cases().into_iter().filter(|case| is_selected(case)).filter(is_requested) {
        match Job::new(&case).and_then(|mut job| fault(backend, &mut job)) {
            Ok(None) => ran += 1,
            Ok(Some(fault)) => panic!("{case}, stream {}: {fault}", case.shape.stream),
            Err(error) if error.is_skip() => skipped.push(format!("{case}: {error}")),
            Err(error) => panic!("{case}: {error}"),
        }
    }
    eprintln!("{ran} cases ran, {} were skipped: {skipped:?}", skipped.len());
    ran
}

#[test]
fn every_workgroup_size_of_reductions_and_ceilings_is_right() {
    let Some(adapter) = adapter() else { return };
    verify_other_sizes(&mut open(adapter));
}

#[cfg(feature = "cuda")]
#[test]
fn every_workgroup_size_of_the_cuda_twins_is_right() {
    let Some(mut backend) = crate::device::cuda() else { return };
    verify_other_sizes(&mut backend);
}

fn verify_other_sizes(backend: &mut dyn Backend) {
    for size in [32.0, 64.0, 128.0, 256.0, 1024.0] {
        let request = Request {
            sizes: vec![Extent::Linear(70_001)],
            params: vec![("WG".into(), size)],
            ..Request::new(vec!["reduction".into(), "ceiling".into()], Profile::Quick)
        };
        for mut case in plan(&request).expect("a plan") {
            if case.family.name == "ceiling" && case.shape.extent != Extent::Linear(1) {
                case.shape.extent = Extent::Linear(69_996);
            }
            case.shape.params = few_rounds("ceiling", std::mem::take(&mut case.shape.params).into_iter());
            let mut job = Job::new(&case).expect("valid");
            match fault(backend, &mut job) {
                Ok(fault) => assert_eq!(fault, None, "{case}"),
                Err(error) => assert!(error.is_skip(), "{case}: {error}"),
            }
        }
    }
}

fn heavy() -> Case {
    let (family, benchmark) = benchmark("ceiling/fma");
    let params = [("ROUNDS".to_owned(), 32.0)].into();
    Case::new(family, benchmark, Shape::new(Dtype::F32, Extent::Linear(1 << 20), params))
}

#[test]
fn a_submission_longer_than_the_timeout_fails_and_a_new_device_works() {
    let Some(adapter) = adapter() else { return };
    pollster::block_on(async {
        let mut backend =
            WgpuBackend::open(adapter, Timeouts::fixed(Duration::from_millis(100))).await.expect("the device opens");
        let job = Job::new(&heavy()).expect("valid");
        let mut prepared = backend.prepare(&job).await.expect("prepared");
        let mut launches = 1;
        let error = loop {
            match prepared.sample(launches).await {
                Ok(_) if launches < 4096 => launches *= 4,
                Ok(_) => panic!("{launches} launches took less than a tenth of a second"),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, Error::Timeout { .. }) && error.ends_device(), "{error}");
        std::mem::forget(prepared);
        let mut small = heavy();
        small.shape.extent = Extent::Linear(1024);
        let job = Job::new(&small).expect("valid");
        // On a software device, the old submission still runs and occupies the cores.
        for attempt in 1..=60 {
            backend.reopen().await.expect("a new device");
            let ran = match backend.prepare(&job).await {
                Ok(mut prepared) => match prepared.sample(1).await {
                    Ok(_) => verify(prepared.as_mut(), &job, 7).await,
                    Err(error) => {
                        std::mem::forget(prepared);
                        Err(error)
                    }
                },
                Err(error) => Err(error),
            };
            match ran {
                Ok(mismatch) => return assert_eq!(mismatch, None),
                Err(Error::Timeout { .. }) if attempt < 60 => std::thread::sleep(Duration::from_secs(1)),
                Err(error) => panic!("the new device does not run: {error}"),
            }
        }
    });
}

/// A working software device uses processor time, on a busy machine too.
#[test]
fn a_working_software_device_times_out_at_its_working_limit_only() {
    let Some(adapter) = adapter() else { return };
    if adapter.device.kind != DeviceType::Software {
        eprintln!("SKIPPED: the device is not a software device");
        return;
    }
    pollster::block_on(async {
        let open = async |idle: u64, working: u64| {
            let patience = Timeouts { idle: Duration::from_millis(idle), total: Duration::from_millis(working) };
            WgpuBackend::open(adapter.clone(), patience).await.expect("the device opens")
        };
        let job = Job::new(&heavy()).expect("valid");
        let mut patient = open(200, 600_000).await;
        let mut prepared = patient.prepare(&job).await.expect("prepared");
        let mut launches = 1;
        while prepared.sample(launches).await.expect("it works").wall_ns < 1e9 {
            launches *= 2;
        }
        let mut strict = open(200, 400).await;
        let mut prepared = strict.prepare(&job).await.expect("prepared");
        let error = prepared.sample(launches).await.expect_err("it takes a second");
        assert!(matches!(error, Error::Timeout { seconds } if seconds == 0.4), "{error}");
        std::mem::forget(prepared);
    });
}

#[test]
fn a_shader_that_does_not_compile_is_an_error() {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(adapter);
    let mut job = Job::new(&heavy()).expect("valid");
    job.kernel.source = job.kernel.source.replace("output[i] =", "outptu[i] =");
    let error = pollster::block_on(backend.prepare(&job)).err().expect("no such variable");
    assert!(matches!(error, Error::Shader(_)) && error.to_string().contains("outptu"), "{error}");
}

#[cfg(feature = "cuda")]
#[test]
fn a_twin_that_does_not_compile_or_has_other_parameters_is_an_error() {
    let Some(mut backend) = crate::device::cuda() else { return };
    for (text_before, text_after, message) in [
        ("output[i] =", "outptu[i] =", "ceiling/fma.cu("),
        ("T* __restrict__ output, ", "T* __restrict__ output, u32 more, ", "the CUDA port has parameters of"),
    ] {
        let mut job = Job::new(&heavy()).expect("valid");
        assert!(job.kernel.cuda.contains(text_before), "the twin has no '{text_before}'");
        job.kernel.cuda = job.kernel.cuda.replace(text_before, text_after);
        let error = pollster::block_on(backend.prepare(&job)).err().expect("no such variable, or parameter");
        assert!(matches!(error, Error::Shader(_)) && error.to_string().contains(message), "{error}");
    }
}

#[test]
fn a_part_of_an_output_is_read_as_in_the_whole() {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(adapter);
    for (filter, size) in [("stream/copy", Extent::Linear(1 << 20)), ("transfer/read_back", Extent::Linear(1 << 18))] {
        let request = Request { sizes: vec![size], ..Request::new(vec![filter.to_owned()], Profile::Quick) };
        let case = plan(&request).expect("a plan").into_iter().find(|case| case.name() == filter).expect("planned");
        let job = Job::new(&case).expect("valid");
        let (buffer, bytes) = (job.check.buffer, job.buffers[job.check.buffer].bytes);
        pollster::block_on(async {
            let mut prepared = backend.prepare(&job).await.expect("prepared");
            prepared.sample(1).await.expect("it runs");
            let mut whole = Vec::new();
            prepared.read(buffer, bytes, &mut |_, piece| whole.extend_from_slice(piece)).await.expect("read");
            // The last of the two ranges is no multiple of 16 bytes long.
            for ranges in [vec![0..16, 48..70_048, bytes - 1024..bytes], vec![0..32, 32..bytes - 4], vec![]] {
                let mut parts = vec![Vec::new(); ranges.len()];
                let mut sink = |offset: u64, piece: &[u8]| {
                    let part = ranges.iter().rposition(|range| range.start <= offset).expect("a range");
                    assert_eq!(offset, ranges[part].start + parts[part].len() as u64, "{filter}");
                    parts[part].extend_from_slice(piece);
                };
                prepared.read_parts(buffer, ranges.clone(), &mut sink).await.expect("read");
                for (part, range) in parts.iter().zip(&ranges) {
                    assert!(part == &whole[range.start as usize..range.end as usize], "{filter} {range:?}");
                }
            }
        });
    }
}
