//! The clock and the length of samples, and launches that would take too long, on a fake device.

use crate::common::{
    Behaviour, Clock, Recorder, cases, fake, measure, only, right, row_of, run_family, run_with, subject,
};
use record::suite::Dtype;
use record::{Record, Status};

#[test]
fn copies_have_timestamps_where_the_device_has_them_for_copies() {
    for (has_copy_timestamps, copy_clock, timer) in
        [(true, Clock::Good(32.0), "timestamp"), (true, Clock::Zero, "wall"), (false, Clock::Good(32.0), "wall")]
    {
        let mut backend = right();
        (backend.device.has_copy_timestamps, backend.copy_clock) = (has_copy_timestamps, copy_clock);
        let cases = cases(&["transfer"], &["2^10"]);
        let records = measure(&mut backend, &cases);
        // Kernels always have the timestamps of their pass.
        let kernels = |row: &&Record| row.benchmark == "pinned_by_kernel";
        assert!(records.iter().filter(kernels).all(|row| row.timer == Some(record::Clock::Timestamp)));
        let by_device = ["clear_buffer", "staging_to_device", "pinned_to_device", "device_to_staging"];
        let mut count = 0;
        for row in records.iter().filter(|row| row.family == "transfer" && row.status == Status::Ok && !kernels(row)) {
            let is_by_device = by_device.contains(&row.benchmark.as_str());
            assert_eq!(row.cell("timer"), if is_by_device { timer } else { "wall" }, "{}", row.benchmark);
            count += usize::from(is_by_device);
        }
        assert_eq!(count, by_device.len());
    }
}

#[test]
fn the_cost_of_a_call_is_not_extrapolated_to_large_sizes() {
    // 200 µs for 256 scalars, 3.5 ms for 2^22 of them.
    let mut backend = fake(|_| Behaviour::Slow(100.0));
    let cases = cases(&["transfer/write_buffer"], &["256", "2^22"]);
    let records = measure(&mut backend, &cases);
    for row in records.iter().filter(|row| row.family == "transfer") {
        assert_eq!(row.status, Status::Ok, "{}: {}", row.size(), row.reason);
    }
}

#[test]
fn a_case_is_measured_again_after_the_clock_falls() {
    let (records, _) = run_with(Behaviour::Throttled(0.7));
    let row = subject(&records);
    assert_eq!((row.status, row.reason.as_str()), (Status::Ok, ""));
    assert!(row.drift.expect("measured").abs() < 0.05, "{:?}", row.drift);
}

#[test]
fn a_noisy_case_takes_more_samples_within_the_budget() {
    let (records, _) = run_with(Behaviour::Noisy(0.5));
    let noisy = subject(&records);
    let calm = records.iter().find(|r| r.benchmark == "tiled" && r.params_text() == "PAD=0").expect("a calm row");
    assert!(noisy.noise() > calm.noise(), "{:?} {:?}", noisy.noise(), calm.noise());
    assert!(noisy.samples > calm.samples, "{:?} {:?}", noisy.samples, calm.samples);
}

#[test]
fn a_launch_longer_than_the_limit_is_skipped() {
    let mut backend = fake(only("reduction/sequential", Behaviour::Slow(1e5)));
    let cases = cases(&["reduction/sequential"], &["2^23"]);
    let records = measure(&mut backend, &cases);
    let row = row_of(&records, "reduction/sequential");
    assert_eq!(row.status, Status::Skipped);
    assert!(row.reason.starts_with("one launch would take about"), "{}", row.reason);
    let log = backend.log();
    assert!(!log.prepared.iter().any(|label| label.contains("sequential") && label.contains("8388608")));
}

/// The kernel's workgroups wait for each other: at 32 times the size, a launch may take 1024 times as long.
#[test]
fn the_launch_of_a_kernel_that_waits_is_estimated_from_two_sizes() {
    let times = |size: &str, behaviour: Behaviour| {
        let mut backend = fake(only("scan/single_pass f32", behaviour));
        let records = measure(&mut backend, &cases(&["scan/single_pass"], &[size]));
        let row = records.into_iter().find(|row| row.name() == "scan/single_pass" && row.dtype == Some(Dtype::F32));
        row.expect("a row")
    };
    let long = times("2^23", Behaviour::Quadratic);
    assert_eq!(long.status, Status::Skipped, "{}", long.reason);
    let estimate = long.reason.strip_prefix("one launch would take about ").and_then(|rest| rest.split(' ').next());
    let estimate: f64 = estimate.and_then(|seconds| seconds.parse().ok()).unwrap_or_else(|| panic!("{}", long.reason));
    // 2^23 floats in two buffers are 32 times 2 MiB, and 32² ms are 1.02 s.
    assert!((0.9..1.2).contains(&estimate), "{estimate} s");
    assert_eq!(times("2^21", Behaviour::Quadratic).status, Status::Ok);
    assert_eq!(times("2^23", Behaviour::Right).status, Status::Ok);
}

#[test]
fn invalid_timestamps_are_replaced_by_the_wall_clock() {
    for (clock, note) in [
        (Clock::Zero, "all zero"),
        (Clock::Missing, "writes no timestamps"),
        (Clock::Backwards, "run backwards"),
        (Clock::Frozen, "do not increase with the work"),
        (Clock::Scaled(2.0), "at 2.00 times the rate"),
        (Clock::Scaled(0.5), "at 0.50 times the rate"),
        (Clock::Scaled(41.7), "times the rate of the host"),
        (Clock::Scaled(1e3), "times the rate of the host"),
        (Clock::Scaled(1e-3), "times the rate of the host"),
        (Clock::Jumping, "jump"),
    ] {
        let mut backend = right();
        backend.clock = clock;
        let mut recorder = Recorder::default();
        let records = run_family(&mut backend, &mut recorder);
        assert_eq!(subject(&records).cell("timer"), "wall", "{clock:?}");
        let reason = recorder.timer.and_then(|timer| timer.note).expect("a reason");
        assert!(reason.contains(note), "{clock:?}: {reason}");
    }
}

#[test]
fn samples_are_longer_where_the_timestamp_tick_is_longer() {
    let mut backend = right();
    backend.clock = Clock::Good(65_536.0);
    let mut recorder = Recorder::default();
    let records = run_family(&mut backend, &mut recorder);
    assert_eq!(recorder.timer.expect("chosen").tick_ns, 65_536.0);
    let row = subject(&records);
    let sample = row.median_ns.expect("measured") * row.launches.expect("counted") as f64;
    assert!(sample >= 100.0 * 65_536.0 * 0.9 || row.launches == Some(1000), "{sample} {:?}", row.launches);
}
