//! Every benchmark against its oracle on a real device (a software one counts), and devices that refuse, hang or time out.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::device::{adapter, fault, find, open, stand_in};
use shaderbench::backend::wgpu::{Timeouts, WgpuBackend};
use shaderbench::backend::{Backend, DeviceType};
use shaderbench::engine::plan::{Request, plan};
use shaderbench::engine::verify::verify;
use shaderbench::error::Error;
use shaderbench::families::FAMILIES;
use shaderbench::job::{Job, Kernel, Step};
use shaderbench::suite::Feature;
use shaderbench::suite::{Benchmark, Case, Dtype, Extent, Profile, Shape};

/// Small and odd sizes: nothing, one short of a block, a block, one more, many blocks, no power of two.
fn sizes(benchmark: &Benchmark) -> Vec<Extent> {
    let declared = benchmark.cases[0].extents[0];
    if benchmark.name == "exchange" {
        if only().is_some() {
            return [1, 33, 257].map(Extent::Linear).to_vec();
        }
        // Hundreds of barriers for every element: a software device needs seconds for the larger sizes.
        return [1, 31, 33, 255, 257, 513, 1025, 2049].map(Extent::Linear).to_vec();
    }
    let linear = [1, 2, 3, 255, 256, 257, 512, 513, 1023, 1024, 1025, 4095, 16_384, 16_385, 65_537, 300_007];
    // Thousands of reads an invocation, and dozens of strides.
    let few = [1, 33, 257, 1025, 4097];
    let matrices = [(1, 1), (1, 33), (33, 1), (3, 5), (32, 32), (31, 33), (36, 64), (40, 100), (100, 257), (128, 512)];
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
    match declared {
        Extent::Linear(1) => vec![declared],
        Extent::Linear(_) if benchmark.wgsl.contains("SPAN") || benchmark.cuda.contains("SPAN") => {
            few.map(Extent::Linear).to_vec()
        }
        Extent::Linear(_) => linear.map(Extent::Linear).to_vec(),
        Extent::Matrix(..) => matrices.map(|(rows, columns)| Extent::Matrix(rows, columns)).to_vec(),
        Extent::Product(..) => products.map(|(m, n, k)| Extent::Product(m, n, k)).to_vec(),
    }
}

/// Every benchmark with every type and set of parameters that it declares, at small and odd sizes; and in f32 what is declared for types
/// that few devices have.
fn small_cases() -> Vec<Case> {
    let (mut cases, mut seen) = (Vec::new(), BTreeSet::new());
    for family in FAMILIES {
        for benchmark in family.benchmarks {
            for block in benchmark.cases {
                // What CUDA alone has is written for its own type.
                let as_well =
                    |dtype: &Dtype| if benchmark.only_cuda.is_some() { *dtype } else { stand_in(benchmark, *dtype) };
                let dtypes: BTreeSet<Dtype> = block.dtypes.iter().flat_map(|dtype| [*dtype, as_well(dtype)]).collect();
                for dtype in dtypes {
                    for params in block.params {
                        for extent in sizes(benchmark) {
                            if extent.count().is_multiple_of(dtype.lanes()) {
                                let params = params.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
                                let shape = Shape { dtype, extent, params };
                                let case = Case::new(family, benchmark, shape);
                                if seen.insert(case.to_string()) {
                                    cases.push(case);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    cases
}

/// One test for each family, which can run beside each other. Most of what they do is compiling, on one core.
mod every_benchmark_is_right_at_small_and_odd_sizes_and_stays_within_its_buffers {
    use shaderbench::suite::Benchmark;

    fn hold(family: &str) {
        let Some(adapter) = crate::device::adapter() else { return };
        let ran = super::hold_small_cases(&mut crate::device::open(adapter), |case| case.family.name == family);
        let benchmarks = crate::device::family(family).benchmarks;
        let in_wgsl = |benchmark: &&Benchmark| !benchmark.wgsl.is_empty();
        // Two benchmarks of a family at most want what a device may lack.
        let least = benchmarks.iter().filter(in_wgsl).count().saturating_sub(2).max(1) * 10;
        assert!(ran >= least || super::only().is_some(), "{ran} cases ran");
    }

    crate::device::each_family!(hold);
}

#[cfg(feature = "cuda")]
#[test]
fn every_twin_is_right_at_small_and_odd_sizes_and_stays_within_its_buffers() {
    let Some(mut backend) = crate::device::cuda() else { return };
    let ran = hold_small_cases(&mut backend, |_| true);
    assert!(ran > 50 || only().is_some(), "{ran} cases ran");
}

/// The one benchmark that `scripts/sanitize.sh` asks for: under a tool that watches every access all of them take too long.
fn only() -> Option<String> {
    std::env::var("SHADERBENCH_ONLY").ok()
}

/// Holds every small case that the device can run, of those that `is_meant`, against its oracle; gives how many there were.
fn hold_small_cases(backend: &mut dyn Backend, is_meant: impl Fn(&Case) -> bool) -> usize {
    let (mut ran, mut skipped) = (0, Vec::new());
    let is_asked_for = |case: &Case| only().is_none_or(|name| case.name() == name);
    for case in small_cases().into_iter().filter(|case| is_meant(case)).filter(is_asked_for) {
        match Job::new(&case).and_then(|mut job| fault(backend, &mut job)) {
            Ok(None) => ran += 1,
            Ok(Some(fault)) => panic!("{case}: {fault}"),
            Err(error) if error.is_skip() => skipped.push(format!("{case}: {error}")),
            Err(error) => panic!("{case}: {error}"),
        }
    }
    eprintln!("{ran} cases ran, {} were skipped: {skipped:?}", skipped.len());
    ran
}

#[test]
fn workgroup_sizes_and_tiles_of_other_devices_are_right_too() {
    let Some(adapter) = adapter() else { return };
    hold_other_sizes(&mut open(adapter));
}

#[cfg(feature = "cuda")]
#[test]
fn workgroup_sizes_of_other_devices_are_right_in_twins_too() {
    let Some(mut backend) = crate::device::cuda() else { return };
    hold_other_sizes(&mut backend);
}

fn hold_other_sizes(backend: &mut dyn Backend) {
    for size in [32.0, 64.0, 128.0, 256.0, 1024.0] {
        let request = Request {
            sizes: vec![Extent::Linear(70_001)],
            params: vec![("WG".into(), size)],
            ..Request::new(vec!["reduction".into(), "ceiling".into()], Profile::Quick)
        };
        for mut case in plan(&request).expect("every kernel there has WG, or is left as it is") {
            if case.family.name == "ceiling" && case.shape.extent != Extent::Linear(1) {
                case.shape.extent = Extent::Linear(69_996);
            }
            let mut job = Job::new(&case).expect("valid");
            match fault(backend, &mut job) {
                Ok(fault) => assert_eq!(fault, None, "{case}"),
                Err(error) => assert!(error.is_skip(), "{case}: {error}"),
            }
        }
    }
}

/// The ways through the single-pass scan that are rare on this device: where every tile is late and added up from the input, and where
/// none knows what all before it add up to.
#[test]
fn the_single_pass_scan_is_right_whichever_way_it_takes() {
    let Some(adapter) = adapter() else { return };
    let silent = ("say(tile, INCLUSIVE, before + aggregate);", "");
    let late = [("added_up(end - 1u, t)", "added_up(end, t)"), ("sums[t] += sums[t + s]", "")];
    let partial = [("near.tiles + far.tiles", "near.tiles"), ("heard(end - 1u - t)", "heard(end - 1u)")];
    let mut backend = open(adapter);
    hold_single_pass(&mut backend, "scan/single_pass", |kernel| &mut kernel.source, silent, &late, &partial);
    if !backend.device().features.contains(&Feature::Subgroups) {
        return;
    }
    let late = [("added_up(end, t,", "added_up(end + 1u, t,"), ("sum += parts[s].x", "")];
    let partial = [("(lane < stop) | is_last", "lane < stop"), ("end - 1u - min(lane, end - 1u)", "end - 1u")];
    hold_single_pass(&mut backend, "scan/single_pass_subgroup", |kernel| &mut kernel.source, silent, &late, &partial);
}

#[cfg(feature = "cuda")]
#[test]
fn the_single_pass_scan_is_right_whichever_way_its_twin_takes() {
    let Some(mut backend) = crate::device::cuda() else { return };
    let silent = ("say(state, tile, INCLUSIVE, before + aggregate);", "");
    let late = [("added_up(input, sums, end - 1u,", "added_up(input, sums, end,"), ("sums[t] += sums[t + s]", "")];
    let partial = [("near.tiles + far.tiles", "near.tiles"), ("heard(state, end - 1u - t)", "heard(state, end - 1u)")];
    hold_single_pass(&mut backend, "scan/single_pass", |kernel| &mut kernel.cuda, silent, &late, &partial);
    let silent = ("say(said + tile, INCLUSIVE, before + aggregate);", "");
    let late =
        [("added_up(input, end - 1u,", "added_up(input, end,"), ("k = lane; k < 4u * WG", "k = lane; k < 3u * WG")];
    let partial = [("said + (end - 1u - lane)", "said + (end - 1u)"), (": end - tiles;", ": end - 1u;")];
    hold_single_pass(&mut backend, "scan/single_pass_subgroup", |kernel| &mut kernel.cuda, silent, &late, &partial);
}

/// A text that goes, and what stands there instead.
type Edit = (&'static str, &'static str);

/// `silent` keeps tiles from saying what all up to their end add up to. The faults in `late` must show where every tile is added up from
/// the input, those in `partial` where tiles are silent in that way.
fn hold_single_pass(
    backend: &mut dyn Backend,
    name: &str,
    text: fn(&mut Kernel) -> &mut String,
    silent: Edit,
    late: &[Edit],
    partial: &[Edit],
) {
    let (family, benchmark) = find(name);
    let mut fault_of = |dtype, n, looks: f64, edits: &[Edit]| {
        let params = [("LOOKS".to_owned(), looks)].into();
        let case = Case::new(family, benchmark, Shape { dtype, extent: Extent::Linear(n), params });
        let mut job = Job::new(&case).expect("valid");
        for (gone, instead) in edits {
            let text = text(&mut job.kernel);
            assert!(text.contains(gone), "'{gone}' is gone from the kernel");
            *text = text.replace(gone, instead);
        }
        for step in &mut job.steps {
            // A folded grid with a surplus, as large arrays have it.
            if let Step::Dispatch { groups, .. } = step {
                *groups = [7, groups[0].div_ceil(7) + 1, 1];
            }
        }
        fault(backend, &mut job).expect("it runs")
    };
    for (dtype, n) in [(Dtype::F32, 4097), (Dtype::F32, 300_007), (Dtype::U32, 300_007)] {
        assert_eq!(fault_of(dtype, n, 0.0, &[]), None, "{n} {dtype:?}, all late");
        assert_eq!(fault_of(dtype, n, 64.0, &[silent]), None, "{n} {dtype:?}, sums of one tile only");
    }
    for planted in late {
        assert!(fault_of(Dtype::F32, 300_007, 0.0, &[*planted]).is_some(), "{planted:?} went unseen");
    }
    for planted in partial {
        assert!(fault_of(Dtype::F32, 300_007, 64.0, &[silent, *planted]).is_some(), "{planted:?} went unseen");
    }
}

fn heavy() -> Case {
    let (family, benchmark) = find("ceiling/fma");
    let params = [("ROUNDS".to_owned(), 32.0)].into();
    Case::new(family, benchmark, Shape { dtype: Dtype::F32, extent: Extent::Linear(1 << 20), params })
}

#[test]
fn a_submission_that_outlasts_patience_times_out_and_the_next_device_works() {
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
        // A software device has one processor for both devices, and the old one is still at work, for as long as it takes.
        for attempt in 1..=60 {
            backend.reopen().await.expect("a new device");
            let ran = match backend.prepare(&job).await {
                Ok(mut prepared) => match prepared.sample(1).await {
                    Ok(_) => verify(prepared.as_mut(), &job).await,
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

/// The processor time that a process uses shows that a software device works, however little of it other programs leave.
#[test]
fn a_software_device_that_works_is_waited_for_and_no_longer_than_it_may_take() {
    let Some(adapter) = adapter() else { return };
    if adapter.device.kind != DeviceType::Software {
        eprintln!("SKIPPED: the device is no software");
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
fn a_shader_that_the_driver_refuses_is_an_error_and_no_panic() {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(adapter);
    let mut job = Job::new(&heavy()).expect("valid");
    job.kernel.source = job.kernel.source.replace("output[i] =", "outptu[i] =");
    let error = pollster::block_on(backend.prepare(&job)).err().expect("no such variable");
    assert!(matches!(error, Error::Shader(_)) && error.to_string().contains("outptu"), "{error}");
}

#[cfg(feature = "cuda")]
#[test]
fn a_twin_that_the_compiler_refuses_or_that_takes_other_parameters_is_an_error() {
    let Some(mut backend) = crate::device::cuda() else { return };
    for (gone, instead, said) in [
        ("output[i] =", "outptu[i] =", "ceiling/fma.cu("),
        ("T* __restrict__ output, ", "T* __restrict__ output, u32 more, ", "the twin takes parameters of"),
    ] {
        let mut job = Job::new(&heavy()).expect("valid");
        assert!(job.kernel.cuda.contains(gone), "'{gone}' is gone from the twin");
        job.kernel.cuda = job.kernel.cuda.replace(gone, instead);
        let error = pollster::block_on(backend.prepare(&job)).err().expect("no such variable, or parameter");
        assert!(matches!(error, Error::Shader(_)) && error.to_string().contains(said), "{error}");
    }
}
