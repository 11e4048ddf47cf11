//! From plan to record on a fake device that is right, wrong, slow, noisy, unsupported, failing, lost or hanging.

use std::collections::BTreeSet;

use crate::common::{
    Behaviour, Fake, Recorder, SUBJECT, cases, cases_of, fake, fake_on, measure, only, plan_of_subject, right, row_of,
    run, run_family, run_with, subject,
};
use gpu::engine::ceilings::Ceilings;
use record::error::Result;
use record::suite::{Api, Case, DeviceType, Dtype, Feature, Profile};
use record::{Record, Status};

fn has_no_figures(record: &Record) -> bool {
    record.median_ns.is_none() && record.gb_per_s.is_none() && record.share.is_none() && record.samples.is_none()
}

#[test]
fn a_right_answer_has_a_time_and_its_conditions() {
    let mut recorder = Recorder::default();
    let records = run_family(&mut right(), &mut recorder);
    let row = subject(&records);
    assert_eq!(recorder.finished, records.len());
    assert_eq!(row.status, Status::Ok, "{}", row.reason);
    assert_eq!(["timer", "checks", "workgroup_size"].map(|column| row.cell(column)), ["timestamp", "off", "32x8x1"]);
    assert_eq!(row.bytes, Some(2 * 64 * 96 * 4));
    let median = row.median_ns.expect("measured");
    assert!((row.gb_per_s.expect("a rate") - 2.0 * 64.0 * 96.0 * 4.0 / median).abs() < 1e-3);
    assert!(row.ci_low_ns <= row.median_ns && row.median_ns <= row.ci_high_ns);
    assert!(row.cell("ceiling") == "launch" && row.share.is_some(), "{}", row.cell("ceiling"));
    assert_eq!(row.all_samples_ns.len() as u64, row.samples.expect("counted"));
}

#[test]
fn a_wrong_answer_has_no_time() {
    let (records, _) = run_with(Behaviour::Wrong(5));
    let row = subject(&records);
    assert_eq!(row.status, Status::Wrong);
    assert!(row.reason.starts_with("element 5 is ") && row.reason.contains("must be"), "{}", row.reason);
    assert!(has_no_figures(row));
}

#[test]
fn a_kernel_that_writes_nothing_is_wrong() {
    let (records, _) = run_with(Behaviour::Idle);
    assert_eq!(subject(&records).status, Status::Wrong);
    assert!(subject(&records).reason.contains("never written"), "{}", subject(&records).reason);
}

#[test]
fn an_unsupported_case_is_skipped_and_a_broken_one_fails() {
    let table = [
        (Behaviour::Unsupported, Status::Skipped, "no such thing", 0),
        (Behaviour::Uncompilable, Status::Failed, "expected ';'", 0),
        (Behaviour::OutOfMemory, Status::Skipped, "out of memory", 0),
        (Behaviour::Lost, Status::Failed, "unplugged", 1),
        (Behaviour::Hanging, Status::Failed, "timed out", 1),
    ];
    for (behaviour, status, reason, reopened) in table {
        let (records, times) = run_with(behaviour);
        let row = subject(&records);
        assert_eq!((row.status, times), (status, reopened), "{}", row.reason);
        assert!(row.reason.contains(reason) && has_no_figures(row), "{}", row.reason);
    }
}

#[test]
fn limits_are_checked_before_a_job_is_prepared() {
    let mut backend = right();
    backend.device.max_workgroup_bytes = 1024;
    backend.device.features.clear();
    let cases = cases_of(Profile::Standard, &["transpose", "stream"], &["64x96", "4096"]);
    let records = measure(&mut backend, &cases);
    assert_eq!(subject(&records).reason, "needs 4224 bytes of workgroup memory, but the device allows 1024");
    let double = records.iter().find(|r| r.dtype == Some(Dtype::F64)).expect("a row for f64");
    assert_eq!((double.status, double.reason.as_str()), (Status::Skipped, "the device has no f64 in shaders"));
    assert!(!backend.log().prepared.iter().any(|label| label == SUBJECT));
}

#[test]
fn cases_with_mapped_storage_are_skipped_on_a_device_without_it() {
    let needs_mapping =
        |row: &Record| ["mapped_primary", "pinned_"].iter().any(|start| row.benchmark.starts_with(start));
    for (has_mappable_storage, status) in [(true, Status::Ok), (false, Status::Skipped)] {
        let mut backend = right();
        backend.device.has_mappable_storage = has_mappable_storage;
        let cases = cases(&["transfer"], &["2^10"]);
        let records = measure(&mut backend, &cases);
        let is_for_all = |row: &&Record| {
            kernels::benchmark(&row.family, &row.benchmark).is_some_and(|benchmark| benchmark.only_cuda.is_none())
        };
        for row in records.iter().filter(is_for_all) {
            let is_mapped = needs_mapping(row);
            assert_eq!(row.status, if is_mapped { status } else { Status::Ok }, "{}: {}", row.benchmark, row.reason);
            assert_eq!(row.reason.contains("that the host can map"), row.status == Status::Skipped, "{}", row.reason);
        }
        assert_eq!(records.iter().filter(|row| needs_mapping(row)).count(), 4);
    }
}

#[test]
fn a_benchmark_for_cuda_only_is_skipped_on_other_apis_with_the_reason() {
    let table = [
        ("sum_of_cubes/clock_in_kernel", "WGSL cannot read a clock"),
        ("bank_conflict/halves_direct", "standard WGSL has no 16-bit integers"),
        ("transfer/read_back_pageable", "on this API, use transfer/read_back instead"),
    ];
    for api in [Api::Vulkan, Api::Cuda] {
        for (name, why) in table {
            let mut fake = fake_on(api, |_| Behaviour::Right);
            let cases = cases(&[name], &[]);
            let records = measure(&mut fake, &cases);
            let row = records.iter().find(|row| row.name() == name).expect("a row");
            let (status, reason) = if api == Api::Cuda { (Status::Ok, "") } else { (Status::Skipped, why) };
            assert_eq!((row.status, row.reason.as_str()), (status, reason), "{name} on {api}");
            assert_eq!(row.shader_hash.is_empty(), api != Api::Cuda || name.starts_with("transfer"), "{name}");
            // The fake's workgroup times: see `Contents::Clock` in common/fake.rs.
            let in_kernel_ns = (api == Api::Cuda && name.ends_with("clock_in_kernel")).then_some(531.0);
            assert_eq!(row.in_kernel_ns, in_kernel_ns, "{name} on {api}");
        }
    }
}

#[test]
fn cooperative_matrices_have_a_ceiling_and_are_skipped_without_them() {
    for has_matrices in [true, false] {
        let mut fake = right();
        fake.device.max_workgroup_bytes = 48 << 10;
        if !has_matrices {
            fake.device.features.remove(&Feature::CooperativeMatrix);
        }
        let cases = cases(&["matmul/cooperative"], &["128x128x128"]);
        let records = measure(&mut fake, &cases);
        for row in &records {
            let (status, reason) = if has_matrices {
                (Status::Ok, "")
            } else {
                (Status::Skipped, "the device has no cooperative matrices")
            };
            assert_eq!((row.status, row.reason.as_str()), (status, reason), "{}", row.name());
            assert_eq!(row.cell("ceiling"), if has_matrices { "tensor" } else { "" }, "{}", row.name());
        }
        let names: BTreeSet<String> = records.iter().map(|row| row.name()).collect();
        assert_eq!(names, ["ceiling/tensor", "matmul/cooperative"].map(str::to_owned).into());
    }
}

#[test]
fn a_row_far_above_its_ceiling_is_implausible() {
    // A sum in a twentieth of the time that the read of its input needs.
    let mut backend = fake(only("reduction/sequential", Behaviour::Slow(0.05)));
    let cases = cases(&["reduction/sequential"], &["2^20"]);
    let records = measure(&mut backend, &cases);
    let row = row_of(&records, "reduction/sequential");
    assert_eq!(row.status, Status::Implausible, "{:?} of {}", row.share, row.cell("ceiling"));
    assert!(row.share.expect("a share") > 1.05 && row.reason.contains("no kernel can be that fast"), "{}", row.reason);
}

#[test]
fn a_ceiling_below_a_row_is_measured_again() {
    let mut backend = fake(only("ceiling/read", Behaviour::SlowAtFirst(20.0)));
    let cases = cases(&["reduction/sequential"], &["2^20"]);
    let records = measure(&mut backend, &cases);
    let row = row_of(&records, "reduction/sequential");
    assert_eq!((row.status, row.reason.as_str()), (Status::Ok, ""), "{:?} of {}", row.share, row.cell("ceiling"));
    assert!(row.share.expect("a share") <= 1.05);
    assert_shares_follow_from_the_rows(&records, &cases);
}

/// Every share in a report of one API refers to ceilings in the same report.
fn assert_shares_follow_from_the_rows(records: &[Record], cases: &[Case]) {
    let ceilings = Ceilings::from_rows(cases.iter().zip(records));
    for (case, record) in cases.iter().zip(records) {
        let mut again = record.clone();
        ceilings.judge(case, &mut again, None);
        assert_eq!(&again, record);
    }
}

#[test]
fn a_row_20_percent_above_its_ceiling_is_implausible_and_noise_is_not() {
    let mut cases = cases(&["reduction"], &["2^20"]);
    cases.retain(|case| case.benchmark.only_cuda.is_none());
    for (factor, noise, status) in [(1.0 / 1.2, 0.01, Status::Implausible), (1.0, 0.53, Status::Ok)] {
        // A uniform spread: every sample is within the noise.
        let noisy = move |label: &str| {
            let is_subject = label.starts_with("reduction/sequential");
            Behaviour::SlowAndNoisy(if is_subject { factor } else { 1.0 }, 2.0 * noise)
        };
        let records = measure(&mut fake(noisy), &cases);
        for row in &records {
            let expected = if row.benchmark == "sequential" { status } else { Status::Ok };
            assert_eq!(row.status, expected, "{}: {:?} {:?}: {}", row.name(), row.share, row.share_low, row.reason);
        }
        assert_shares_follow_from_the_rows(&records, &cases);
    }
}

#[test]
fn a_mixed_kernel_is_compared_with_the_slower_of_copying_and_computing() {
    // The ridge lies between 16 and 256 operations: the fake's time is that of its bytes, whatever it computes.
    let mut backend = fake(|label| match label {
        label if label.starts_with("ceiling/fma") => Behaviour::Slow(800.0),
        label if label.starts_with("roofline") && label.ends_with("FMAS=256") => Behaviour::Slow(4.0),
        _ => Behaviour::Right,
    });
    let cases = cases(&["roofline"], &["2^20"]);
    let measured: BTreeSet<String> =
        cases.iter().map(|case| format!("{} {}", case.name(), case.shape.dtype.scalar().name())).collect();
    let needed = ["ceiling/copy f32", "ceiling/fma f32", "ceiling/launch u32", "roofline/fma_an_element f32"];
    assert_eq!(measured, needed.map(str::to_owned).into());
    let records = measure(&mut backend, &cases);
    for (params, ceiling) in [("FMAS=1", "copy 8 MiB"), ("FMAS=16", "copy 8 MiB"), ("FMAS=256", "fma f32")] {
        let row = records.iter().find(|row| row.family == "roofline" && row.params_text() == params).expect("a row");
        assert_eq!((row.cell("ceiling").as_str(), row.status), (ceiling, Status::Ok), "{params}: {}", row.reason);
        assert!((0.5..1.05).contains(&row.share.expect("a share")), "{params}: {:?}", row.share);
        assert!(row.share_low <= row.share && row.share <= row.share_high, "{params}: {row:?}");
    }
}

fn rows_of(records: &[Record], api: &str) -> Vec<Record> {
    records.iter().filter(|row| row.api_name() == api).cloned().collect()
}

fn run_both(vulkan: &mut Fake, cuda: &mut Fake, recorder: &mut Recorder) -> Result<Vec<Record>> {
    run(&mut [vulkan, cuda], &plan_of_subject(), recorder)
}

#[test]
fn apis_take_turns_at_each_case() {
    let (mut vulkan, mut cuda) = (right(), fake_on(Api::Cuda, |_| Behaviour::Slow(2.0)));
    let mut recorder = Recorder::default();
    let records = run_both(&mut vulkan, &mut cuda, &mut recorder).expect("a run");
    // Each API comes first equally often, in an order without a period.
    let firsts: Vec<_> = recorder.turns.chunks(2).map(|turn| turn[0]).collect();
    assert_eq!(firsts[..8], ["vulkan", "cuda", "cuda", "vulkan", "cuda", "vulkan", "vulkan", "cuda"]);
    assert!(recorder.turns.chunks(2).all(|turn| turn[0] != turn[1]), "{:?}", recorder.turns);
    // Rows have the order of the plan, and for each case the order of the APIs.
    assert_eq!(recorder.rows, (1..=recorder.finished).map(|case| 2 * case).collect::<Vec<_>>());
    for pair in records.chunks(2) {
        assert_eq!((pair[0].api_name(), pair[1].api_name()), ("vulkan", "cuda"));
        assert_eq!((pair[0].name(), &pair[0].params), (pair[1].name(), &pair[1].params));
    }
    let alone = run_family(&mut right(), &mut Recorder::default());
    let names = |records: &[Record]| records.iter().map(|r| (r.name(), r.n)).collect::<Vec<_>>();
    assert_eq!(names(&alone), records.chunks(2).flat_map(|pair| names(&pair[..1])).collect::<Vec<_>>());
    // With enough memory each API keeps its inputs for the next case.
    for backend in [&vulkan, &cuda] {
        assert_eq!(backend.log().released, 0);
    }
}

#[test]
fn an_api_out_of_memory_makes_the_others_release_theirs() {
    let at_first = only("reduction/", Behaviour::OutOfMemoryAtFirst);
    let (mut vulkan, mut cuda) = (right(), fake(at_first));
    cuda.device.api = Api::Cuda;
    // Too small for another shape, whose memory would be missing first. Integers need no launch to verify precision.
    let cases = cases(&["reduction/atomic"], &["2"]);
    let records = run(&mut [&mut vulkan, &mut cuda], &cases, &mut Recorder::default()).expect("a run");
    assert!(records.iter().all(|row| row.status == Status::Ok), "{:?}", records.iter().map(|r| &r.reason));
    let short_of_memory = cases.iter().filter(|case| case.family.name == "reduction").count();
    assert_eq!(vulkan.log().released, short_of_memory);
    assert!(short_of_memory > 0);
    // A single API has no other one to release memory.
    let mut alone = fake(at_first);
    let records = measure(&mut alone, &cases);
    assert!(records.iter().any(|row| row.reason.contains("no room")));
}

#[test]
fn each_of_three_apis_is_first_equally_often() {
    let mut backends = [Api::Vulkan, Api::Gl, Api::Cuda].map(|api| fake_on(api, |_| Behaviour::Right));
    let [vulkan, gl, cuda] = &mut backends;
    let mut recorder = Recorder::default();
    run(&mut [vulkan, gl, cuda], &plan_of_subject(), &mut recorder).expect("a run");
    let firsts: Vec<_> = recorder.turns.chunks(3).map(|turn| turn[0]).collect();
    assert_eq!(firsts[..9], ["vulkan", "gl", "cuda", "gl", "cuda", "vulkan", "cuda", "vulkan", "gl"]);
}

#[test]
fn shares_are_of_the_ceilings_of_the_same_api() {
    // CUDA takes ten times as long, except for one sum: that row is above CUDA's ceiling and below Vulkan's.
    let mut vulkan = right();
    let mut cuda = fake_on(Api::Cuda, |label| {
        if label.starts_with("reduction/sequential") { Behaviour::Right } else { Behaviour::Slow(10.0) }
    });
    let cases = cases(&["reduction/sequential"], &["2^20"]);
    let records = run(&mut [&mut vulkan, &mut cuda], &cases, &mut Recorder::default()).expect("a run");
    let [vulkan, cuda] = ["vulkan", "cuda"].map(|api| rows_of(&records, api));
    let row = |api: &str| row_of(if api == "vulkan" { &vulkan } else { &cuda }, "reduction/sequential");
    assert_eq!(row("vulkan").status, Status::Ok, "{}", row("vulkan").reason);
    assert_eq!(row("cuda").status, Status::Implausible, "{:?} of {}", row("cuda").share, row("cuda").cell("ceiling"));
    let shares = [row("vulkan").share, row("cuda").share].map(|share| share.expect("a share"));
    assert!((shares[1] / shares[0] - 10.0).abs() < 0.5, "{shares:?}");
}

#[test]
fn a_lost_device_of_one_api_does_not_stop_the_other() {
    for can_reopen in [true, false] {
        let mut vulkan = right();
        let mut cuda = fake_on(Api::Cuda, only(SUBJECT, Behaviour::Lost));
        cuda.can_reopen = can_reopen;
        let records = run_both(&mut vulkan, &mut cuda, &mut Recorder::default()).expect("Vulkan is left");
        assert!(rows_of(&records, "vulkan").iter().all(|r| matches!(r.status, Status::Ok | Status::Skipped)));
        let cuda_rows = rows_of(&records, "cuda");
        let lost = cuda_rows.iter().position(|r| r == subject(&cuda_rows)).expect("its row");
        assert!(lost > 0 && lost + 1 < cuda_rows.len(), "{lost} of {}", cuda_rows.len());
        assert!(cuda_rows[lost].status == Status::Failed && cuda_rows[lost].reason.contains("unplugged"));
        assert!(cuda_rows[..lost].iter().all(|r| r.status != Status::Failed));
        for row in &cuda_rows[lost + 1..] {
            let is_gone = row.status == Status::Failed && row.reason.contains("cannot be opened again");
            assert_eq!(is_gone, !can_reopen, "{}: {}", row.name(), row.reason);
            assert!(!is_gone || has_no_figures(row));
        }
    }
}

#[test]
fn a_run_ends_when_no_api_is_left() {
    let lost = only(SUBJECT, Behaviour::Lost);
    let (mut vulkan, mut cuda) = (fake(lost), fake_on(Api::Cuda, lost));
    (vulkan.can_reopen, cuda.can_reopen) = (false, false);
    let error = run_both(&mut vulkan, &mut cuda, &mut Recorder::default()).expect_err("nothing is left");
    assert!(error.to_string().contains("cannot be opened again"), "{error}");
    let mut alone = fake(lost);
    alone.can_reopen = false;
    assert!(run(&mut [&mut alone], &plan_of_subject(), &mut Recorder::default()).is_err());
}

#[test]
fn an_api_with_wrong_arithmetic_is_not_measured_and_the_other_is() {
    let mut vulkan = right();
    let mut cuda = fake_on(Api::Cuda, |_| Behaviour::Wrong(0));
    let records = run_both(&mut vulkan, &mut cuda, &mut Recorder::default()).expect("Vulkan is left");
    assert_eq!(subject(&records).status, Status::Ok);
    assert!(records.iter().filter(|r| r.backend == Some(Api::Cuda)).all(|r| r.status == Status::Failed));
    assert!(records[1].reason.contains("gets simple arithmetic wrong"), "{}", records[1].reason);
}

#[test]
fn a_case_that_one_api_lacks_is_measured_on_the_other() {
    let mut vulkan = right();
    let mut cuda = fake_on(Api::Cuda, only(SUBJECT, Behaviour::Unsupported));
    let records = run_both(&mut vulkan, &mut cuda, &mut Recorder::default()).expect("a run");
    let [vulkan, cuda] = ["vulkan", "cuda"].map(|api| rows_of(&records, api));
    assert_eq!(subject(&vulkan).status, Status::Ok);
    assert_eq!(subject(&cuda).status, Status::Skipped);
    assert!(subject(&cuda).reason.contains("no such thing"));
}

#[test]
fn in_a_browser_checks_are_on_and_cases_without_them_are_skipped() {
    let mut browser = fake_on(Api::WebGpu, |_| Behaviour::Right);
    let cases = cases(&["transpose/tiled", "safety_tax"], &["64x96"]);
    let records = measure(&mut browser, &cases);
    assert!(records.iter().all(|record| record.cell("checks") == "on"));
    let sets_checks =
        |record: &&Record| ["BOUNDS", "LOOPS", "ZERO_INIT"].iter().any(|name| record.params.contains_key(*name));
    let (with_checks, others): (Vec<_>, Vec<_>) = records.iter().partition(sets_checks);
    assert!(!with_checks.is_empty() && with_checks.iter().all(|record| record.status == Status::Skipped));
    let reason = "browsers keep all run-time checks on: none can be turned off";
    assert!(with_checks.iter().any(|record| record.reason == reason), "{}", with_checks[0].reason);
    assert_eq!(subject(&records).status, Status::Ok);
    assert!(others.iter().all(|record| record.reason != reason));
}

#[test]
fn in_a_browser_the_launch_limit_holds_on_a_software_device_too() {
    let cases = cases(&["transpose/tiled"], &["2048x2048"]);
    let launch = |api| {
        let mut device = fake_on(api, |_| Behaviour::Slow(30_000.0));
        device.device.kind = DeviceType::Software;
        let records = run(&mut [&mut device], &cases, &mut Recorder::default());
        subject(&records.expect("runs")).clone()
    };
    let (native, browser) = (launch(Api::Vulkan), launch(Api::WebGpu));
    assert_eq!(native.status, Status::Ok, "{}", native.reason);
    assert_eq!(browser.status, Status::Skipped);
    assert!(browser.reason.contains("above the safe limit of 0.5 s on this device"), "{}", browser.reason);
}

/// A transform has certain lengths only, so the smaller launch that estimates its time has one of them too.
#[test]
fn a_slow_device_estimates_a_transform_from_fewer_of_the_same_length() {
    let mut device = fake_on(Api::WebGpu, |_| Behaviour::Slow(100.0));
    device.device.kind = DeviceType::Software;
    let cases = cases(&["fft/stockham"], &["64x256", "1001x256", "64x4096"]);
    let records = run(&mut [&mut device], &cases, &mut Recorder::default()).expect("runs");
    let own: Vec<_> = records.iter().filter(|record| record.name() == "fft/stockham").collect();
    assert!(own.len() >= 3, "{}", own.len());
    for record in own {
        assert_eq!(record.status, Status::Ok, "{} {}", record.cell("n"), record.reason);
    }
}
