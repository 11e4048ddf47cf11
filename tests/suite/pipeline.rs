//! The whole way from plan to record, on a fake device: right, wrong, slow, noisy, unsupported, failing, lost, hanging.

use std::collections::BTreeSet;

use crate::common::{Behaviour, Fake, SUBJECT, Seen, cases, fake, fake_through, run_on, settings, subject, with};
use shaderbench::backend::Api;
use shaderbench::backend::DeviceType;
use shaderbench::engine;
use shaderbench::error::Result;
use shaderbench::results::{Record, Status};
use shaderbench::suite::Dtype;
use shaderbench::suite::Feature;

fn has_no_figures(record: &Record) -> bool {
    record.median_ns.is_none() && record.gb_per_s.is_none() && record.share.is_none() && record.samples.is_none()
}

#[test]
fn a_right_answer_has_a_time_and_its_context() {
    let mut seen = Seen::default();
    let records = run_on(&mut fake(|_| Behaviour::Right), &mut seen);
    let row = subject(&records);
    assert_eq!(seen.finished, records.len());
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
    let (records, _) = with(|label| if label == SUBJECT { Behaviour::Wrong(5) } else { Behaviour::Right });
    let row = subject(&records);
    assert_eq!(row.status, Status::Wrong);
    assert!(row.reason.starts_with("element 5 is ") && row.reason.contains("must be"), "{}", row.reason);
    assert!(has_no_figures(row));
}

#[test]
fn a_kernel_that_writes_nothing_is_seen_by_the_poison() {
    let (records, _) = with(|label| if label == SUBJECT { Behaviour::Idle } else { Behaviour::Right });
    assert_eq!(subject(&records).status, Status::Wrong);
    assert!(subject(&records).reason.contains("NaN"), "{}", subject(&records).reason);
}

#[test]
fn what_cannot_run_is_skipped_and_what_breaks_has_failed() {
    type Expectation = (fn(&str) -> Behaviour, Status, &'static str, usize);
    let table: [Expectation; 5] = [
        (|l| if l == SUBJECT { Behaviour::Unsupported } else { Behaviour::Right }, Status::Skipped, "no such thing", 0),
        (|l| if l == SUBJECT { Behaviour::Uncompilable } else { Behaviour::Right }, Status::Failed, "expected ';'", 0),
        (|l| if l == SUBJECT { Behaviour::OutOfMemory } else { Behaviour::Right }, Status::Failed, "out of memory", 0),
        (|l| if l == SUBJECT { Behaviour::Lost } else { Behaviour::Right }, Status::Failed, "unplugged", 1),
        (|l| if l == SUBJECT { Behaviour::Hanging } else { Behaviour::Right }, Status::Failed, "timed out", 1),
    ];
    for (behaviour, status, reason, reopened) in table {
        let (records, times) = with(behaviour);
        let row = subject(&records);
        assert_eq!((row.status, times), (status, reopened), "{}", row.reason);
        assert!(row.reason.contains(reason) && has_no_figures(row), "{}", row.reason);
    }
}

#[test]
fn limits_are_checked_before_anything_is_prepared() {
    let mut backend = fake(|_| Behaviour::Right);
    backend.device.max_workgroup_bytes = 1024;
    backend.device.features.clear();
    let records = run_on(&mut backend, &mut Seen::default());
    assert_eq!(subject(&records).reason, "needs 4224 bytes of workgroup memory, the device has 1024");
    let double = records.iter().find(|r| r.dtype == Some(Dtype::F64)).expect("a row for f64");
    assert_eq!((double.status, double.reason.as_str()), (Status::Skipped, "the device has no f64 in shaders"));
    assert!(!backend.log.lock().expect("one thread").prepared.iter().any(|label| label == SUBJECT));
}

#[test]
fn what_needs_mapped_storage_is_skipped_where_there_is_none() {
    let needs_mapping =
        |row: &Record| ["mapped_primary", "pinned_"].iter().any(|start| row.benchmark.starts_with(start));
    for (has_mappable_storage, status) in [(true, Status::Ok), (false, Status::Skipped)] {
        let mut backend = fake(|_| Behaviour::Right);
        backend.device.has_mappable_storage = has_mappable_storage;
        let cases = cases(&["transfer"], &["2^10"]);
        let records = pollster::block_on(engine::run(&mut [&mut backend], &cases, &settings(), &mut Seen::default()))
            .expect("a run");
        // That one is CUDA's alone.
        for row in records.iter().filter(|row| row.benchmark != "read_back_pageable") {
            let is_mapped = needs_mapping(row);
            assert_eq!(row.status, if is_mapped { status } else { Status::Ok }, "{}: {}", row.benchmark, row.reason);
            assert_eq!(row.reason.contains("that the host can map"), row.status == Status::Skipped, "{}", row.reason);
        }
        assert_eq!(records.iter().filter(|row| needs_mapping(row)).count(), 4);
    }
}

#[test]
fn what_cuda_alone_has_runs_there_and_says_why_it_does_not_elsewhere() {
    let table = [
        ("sum_of_cubes/clock_in_kernel", "WGSL cannot read a clock"),
        ("bank_conflict/halves_direct", "WGSL has no 16-bit integers"),
        ("transfer/read_back_pageable", "on this API, use transfer/read_back instead"),
    ];
    for api in [Api::Vulkan, Api::Cuda] {
        for (name, why) in table {
            let mut fake = fake(|_| Behaviour::Right);
            fake.device.api = api;
            let cases = cases(&[name], &[]);
            let records = pollster::block_on(engine::run(&mut [&mut fake], &cases, &settings(), &mut Seen::default()))
                .expect("a run");
            let row = records.iter().find(|row| row.name() == name).expect("a row");
            let (status, reason) = if api == Api::Cuda { (Status::Ok, "") } else { (Status::Skipped, why) };
            assert_eq!((row.status, row.reason.as_str()), (status, reason), "{name} on {api}");
            assert_eq!(row.shader_hash.is_empty(), api != Api::Cuda || name.starts_with("transfer"), "{name}");
            // What the fake's workgroups note: see there.
            let noted = (api == Api::Cuda && name.ends_with("clock_in_kernel")).then_some(531.0);
            assert_eq!(row.in_kernel_ns, noted, "{name} on {api}");
        }
    }
}

#[test]
fn tensor_cores_are_held_against_their_own_ceiling_and_skipped_where_there_are_none() {
    for has_them in [true, false] {
        let mut fake = fake(|_| Behaviour::Right);
        fake.device.max_workgroup_bytes = 48 << 10;
        if !has_them {
            fake.device.features.remove(&Feature::CooperativeMatrix);
        }
        let cases = cases(&["matmul/cooperative"], &[]);
        let records = pollster::block_on(engine::run(&mut [&mut fake], &cases, &settings(), &mut Seen::default()))
            .expect("a run");
        for row in &records {
            let (status, reason) =
                if has_them { (Status::Ok, "") } else { (Status::Skipped, "the device has no cooperative matrices") };
            assert_eq!((row.status, row.reason.as_str()), (status, reason), "{}", row.name());
            assert_eq!(row.cell("ceiling"), if has_them { "tensor" } else { "" }, "{}", row.name());
        }
        let names: BTreeSet<String> = records.iter().map(|row| row.name()).collect();
        assert_eq!(names, ["ceiling/tensor", "matmul/cooperative"].map(str::to_owned).into());
    }
}

#[test]
fn a_row_far_above_its_ceiling_is_implausible() {
    // A sum that takes a twentieth of the time of reading its input.
    let mut backend =
        fake(|label| if label.starts_with("reduction/sequential") { Behaviour::Slow(0.05) } else { Behaviour::Right });
    let cases = cases(&["reduction/sequential"], &["2^20"]);
    let records =
        pollster::block_on(engine::run(&mut [&mut backend], &cases, &settings(), &mut Seen::default())).expect("a run");
    let row = records.iter().find(|r| r.benchmark == "sequential" && r.dtype == Some(Dtype::F32)).expect("a row");
    assert_eq!(row.status, Status::Implausible, "{:?} of {}", row.share, row.cell("ceiling"));
    assert!(row.share.expect("a share") > 1.05 && row.reason.contains("no kernel can be that fast"), "{}", row.reason);
}

#[test]
fn a_ceiling_that_was_measured_in_a_slow_moment_is_measured_again() {
    let mut backend =
        fake(|label| if label.starts_with("ceiling/read") { Behaviour::SlowAtFirst(20.0) } else { Behaviour::Right });
    let cases = cases(&["reduction/sequential"], &["2^20"]);
    let records =
        pollster::block_on(engine::run(&mut [&mut backend], &cases, &settings(), &mut Seen::default())).expect("a run");
    let row = records.iter().find(|r| r.benchmark == "sequential" && r.dtype == Some(Dtype::F32)).expect("a row");
    assert_eq!((row.status, row.reason.as_str()), (Status::Ok, ""), "{:?} of {}", row.share, row.cell("ceiling"));
    assert!(row.share.expect("a share") <= 1.05);
}

/// Runs on two APIs of one card.
fn run_both(vulkan: &mut Fake, cuda: &mut Fake, seen: &mut Seen) -> Result<Vec<Record>> {
    let cases = cases(&["transpose"], &["64x96"]);
    pollster::block_on(engine::run(&mut [vulkan, cuda], &cases, &settings(), seen))
}

#[test]
fn several_apis_take_turns_at_each_case() {
    let (mut vulkan, mut cuda) = (fake(|_| Behaviour::Right), fake_through(Api::Cuda, |_| Behaviour::Slow(2.0)));
    let mut seen = Seen::default();
    let records = run_both(&mut vulkan, &mut cuda, &mut seen).expect("a run");
    // Each goes first equally often, in an order that no period of the plan falls into step with.
    let firsts: Vec<_> = seen.turns.chunks(2).map(|turn| turn[0]).collect();
    assert_eq!(firsts[..8], ["vulkan", "cuda", "cuda", "vulkan", "cuda", "vulkan", "vulkan", "cuda"]);
    assert!(seen.turns.chunks(2).all(|turn| turn[0] != turn[1]), "{:?}", seen.turns);
    // Rows come in the plan's order, and for each case in the order of the APIs, whichever went first.
    assert_eq!(seen.rows, (1..=seen.finished).map(|case| 2 * case).collect::<Vec<_>>());
    for pair in records.chunks(2) {
        assert_eq!((pair[0].api_name(), pair[1].api_name()), ("vulkan", "cuda"));
        assert_eq!((pair[0].name(), &pair[0].params), (pair[1].name(), &pair[1].params));
    }
    let alone = run_on(&mut fake(|_| Behaviour::Right), &mut Seen::default());
    let names = |records: &[Record]| records.iter().map(|r| (r.name(), r.n.clone())).collect::<Vec<_>>();
    assert_eq!(names(&alone), records.chunks(2).flat_map(|pair| names(&pair[..1])).collect::<Vec<_>>());
    // While there is room each keeps its inputs from case to case.
    for backend in [&vulkan, &cuda] {
        assert_eq!(backend.log.lock().expect("one thread").released, 0);
    }
}

#[test]
fn an_api_that_has_too_little_memory_gets_what_the_others_hold() {
    let at_first =
        |label: &str| if label.starts_with("reduction/") { Behaviour::OutOfMemoryAtFirst } else { Behaviour::Right };
    let (mut vulkan, mut cuda) = (fake(|_| Behaviour::Right), fake(at_first));
    cuda.device.api = Api::Cuda;
    let cases = cases(&["reduction/sequential"], &["2^12"]);
    let records =
        pollster::block_on(engine::run(&mut [&mut vulkan, &mut cuda], &cases, &settings(), &mut Seen::default()))
            .expect("a run");
    assert!(records.iter().all(|row| row.status == Status::Ok), "{:?}", records.iter().map(|r| &r.reason));
    let wanting = cases.iter().filter(|case| case.family.name == "reduction").count();
    assert_eq!(vulkan.log.lock().expect("one thread").released, wanting);
    // Alone it has nobody to ask.
    let mut alone = fake(at_first);
    let records =
        pollster::block_on(engine::run(&mut [&mut alone], &cases, &settings(), &mut Seen::default())).expect("a run");
    assert!(records.iter().any(|row| row.reason.contains("no room")));
}

#[test]
fn three_apis_go_first_equally_often() {
    let mut backends = [Api::Vulkan, Api::Gl, Api::Cuda].map(|api| fake_through(api, |_| Behaviour::Right));
    let [vulkan, gl, cuda] = &mut backends;
    let mut seen = Seen::default();
    let cases = cases(&["transpose"], &["64x96"]);
    pollster::block_on(engine::run(&mut [vulkan, gl, cuda], &cases, &settings(), &mut seen)).expect("a run");
    let firsts: Vec<_> = seen.turns.chunks(3).map(|turn| turn[0]).collect();
    assert_eq!(firsts[..9], ["vulkan", "gl", "cuda", "gl", "cuda", "vulkan", "cuda", "vulkan", "gl"]);
}

#[test]
fn rows_are_held_against_the_ceilings_of_their_own_api() {
    // All that CUDA does takes ten times as long; one of its sums is as fast as Vulkan's, which beats CUDA's ceiling and not Vulkan's.
    let mut vulkan = fake(|_| Behaviour::Right);
    let mut cuda = fake_through(Api::Cuda, |label| {
        if label.starts_with("reduction/sequential") { Behaviour::Right } else { Behaviour::Slow(10.0) }
    });
    let cases = cases(&["reduction/sequential"], &["2^20"]);
    let settings = settings();
    let mut seen = Seen::default();
    let records =
        pollster::block_on(engine::run(&mut [&mut vulkan, &mut cuda], &cases, &settings, &mut seen)).expect("a run");
    let row = |api: &str| {
        let found =
            records.iter().find(|r| r.benchmark == "sequential" && r.dtype == Some(Dtype::F32) && r.api_name() == api);
        found.expect("a row")
    };
    assert_eq!(row("vulkan").status, Status::Ok, "{}", row("vulkan").reason);
    assert_eq!(row("cuda").status, Status::Implausible, "{:?} of {}", row("cuda").share, row("cuda").cell("ceiling"));
    let shares = [row("vulkan").share, row("cuda").share].map(|share| share.expect("a share"));
    assert!((shares[1] / shares[0] - 10.0).abs() < 0.5, "{shares:?}");
}

#[test]
fn an_api_that_is_lost_does_not_stop_the_other() {
    for can_reopen in [true, false] {
        let mut vulkan = fake(|_| Behaviour::Right);
        let mut cuda =
            fake_through(Api::Cuda, |label| if label == SUBJECT { Behaviour::Lost } else { Behaviour::Right });
        cuda.can_reopen = can_reopen;
        let records = run_both(&mut vulkan, &mut cuda, &mut Seen::default()).expect("Vulkan is left");
        let of = |api: &str| records.iter().filter(|r| r.api_name() == api).cloned().collect::<Vec<_>>();
        assert!(of("vulkan").iter().all(|r| matches!(r.status, Status::Ok | Status::Skipped)));
        let cuda_rows = of("cuda");
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
fn a_run_ends_where_no_api_is_left() {
    let lost = |label: &str| if label == SUBJECT { Behaviour::Lost } else { Behaviour::Right };
    let (mut vulkan, mut cuda) = (fake(lost), fake_through(Api::Cuda, lost));
    (vulkan.can_reopen, cuda.can_reopen) = (false, false);
    let error = run_both(&mut vulkan, &mut cuda, &mut Seen::default()).expect_err("nothing is left");
    assert!(error.to_string().contains("cannot be opened again"), "{error}");
    let mut alone = fake(lost);
    alone.can_reopen = false;
    let cases = cases(&["transpose"], &["64x96"]);
    assert!(pollster::block_on(engine::run(&mut [&mut alone], &cases, &settings(), &mut Seen::default())).is_err());
}

#[test]
fn an_api_that_cannot_do_simple_arithmetic_is_out_and_the_other_is_measured() {
    let mut vulkan = fake(|_| Behaviour::Right);
    let mut cuda = fake_through(Api::Cuda, |_| Behaviour::Wrong(0));
    let records = run_both(&mut vulkan, &mut cuda, &mut Seen::default()).expect("Vulkan is left");
    assert_eq!(subject(&records).status, Status::Ok);
    assert!(records.iter().filter(|r| r.backend == Some(Api::Cuda)).all(|r| r.status == Status::Failed));
    assert!(records[1].reason.contains("gets simple arithmetic wrong"), "{}", records[1].reason);
}

#[test]
fn what_one_api_lacks_the_other_still_measures() {
    let mut vulkan = fake(|_| Behaviour::Right);
    let mut cuda =
        fake_through(Api::Cuda, |label| if label == SUBJECT { Behaviour::Unsupported } else { Behaviour::Right });
    let records = run_both(&mut vulkan, &mut cuda, &mut Seen::default()).expect("a run");
    let of = |api: &str| records.iter().filter(|r| r.api_name() == api).cloned().collect::<Vec<_>>();
    assert_eq!(subject(&of("vulkan")).status, Status::Ok);
    assert_eq!(subject(&of("cuda")).status, Status::Skipped);
    assert!(subject(&of("cuda")).reason.contains("no such thing"));
}

#[test]
fn a_browser_keeps_its_checks_on_and_rows_say_so() {
    let mut browser = fake_through(Api::WebGpu, |_| Behaviour::Right);
    let cases = cases(&["transpose/tiled", "safety_tax"], &["64x96"]);
    let records =
        pollster::block_on(engine::run(&mut [&mut browser], &cases, &settings(), &mut Seen::default())).expect("runs");
    assert!(records.iter().all(|record| record.cell("checks") == "on"));
    let asks = |record: &&Record| ["BOUNDS", "LOOPS", "ZERO_INIT"].iter().any(|name| record.params.contains_key(*name));
    let (asking, others): (Vec<_>, Vec<_>) = records.iter().partition(asks);
    assert!(!asking.is_empty() && asking.iter().all(|record| record.status == Status::Skipped));
    let why = "a browser keeps all run-time checks on: none can be switched by itself";
    assert!(asking.iter().any(|record| record.reason == why), "{}", asking[0].reason);
    assert_eq!(subject(&records).status, Status::Ok);
    assert!(others.iter().all(|record| record.reason != why));
}

#[test]
fn no_launch_runs_long_in_a_browser_even_on_a_software_device() {
    let cases = cases(&["transpose/tiled"], &["2048x2048"]);
    let launch = |api| {
        let mut device = fake_through(api, |_| Behaviour::Slow(30_000.0));
        device.device.kind = DeviceType::Software;
        let records = pollster::block_on(engine::run(&mut [&mut device], &cases, &settings(), &mut Seen::default()));
        subject(&records.expect("runs")).clone()
    };
    let (native, browser) = (launch(Api::Vulkan), launch(Api::WebGpu));
    assert_eq!(native.status, Status::Ok, "{}", native.reason);
    assert_eq!(browser.status, Status::Skipped);
    assert!(browser.reason.contains("past the 0.5 s that are safe on this device"), "{}", browser.reason);
}
