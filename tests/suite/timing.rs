//! Which clock times a case, for how long, and what is never launched, on a fake device.

use crate::common::{Behaviour, Clock, SUBJECT, Seen, cases, fake, run_on, settings, subject, with};
use shaderbench::engine;
use shaderbench::results::{Record, Status};
use shaderbench::suite::Dtype;

#[test]
fn copies_of_the_devices_own_have_its_clock_where_it_tells_their_time() {
    for (has_copy_timestamps, copy_clock, timer) in
        [(true, Clock::Good(32.0), "timestamp"), (true, Clock::Zero, "wall"), (false, Clock::Good(32.0), "wall")]
    {
        let mut backend = fake(|_| Behaviour::Right);
        (backend.device.has_copy_timestamps, backend.copy_clock) = (has_copy_timestamps, copy_clock);
        let cases = cases(&["transfer"], &["2^10"]);
        let records = pollster::block_on(engine::run(&mut [&mut backend], &cases, &settings(), &mut Seen::default()))
            .expect("a run");
        // A kernel's time is told by the passes' timestamps, whatever copies have.
        let kernels = |row: &&Record| row.benchmark == "pinned_by_kernel";
        assert!(records.iter().filter(kernels).all(|row| row.timer == Some(shaderbench::results::Clock::Timestamp)));
        let by_device = ["clear_buffer", "staging_to_device", "pinned_to_device", "device_to_staging"];
        let mut seen = 0;
        for row in records.iter().filter(|row| row.family == "transfer" && row.status == Status::Ok && !kernels(row)) {
            let is_by_device = by_device.contains(&row.benchmark.as_str());
            assert_eq!(row.cell("timer"), if is_by_device { timer } else { "wall" }, "{}", row.benchmark);
            seen += usize::from(is_by_device);
        }
        assert_eq!(seen, by_device.len());
    }
}

#[test]
fn what_a_call_costs_is_no_estimate_for_a_large_size() {
    // 200 µs for 256 scalars, 3.5 ms for 2^22 of them.
    let mut backend = fake(|_| Behaviour::Slow(100.0));
    let cases = cases(&["transfer/write_buffer"], &["256", "2^22"]);
    let records =
        pollster::block_on(engine::run(&mut [&mut backend], &cases, &settings(), &mut Seen::default())).expect("a run");
    for row in records.iter().filter(|row| row.family == "transfer") {
        assert_eq!(row.status, Status::Ok, "{}: {}", row.size(), row.reason);
    }
}

#[test]
fn a_clock_that_falls_is_measured_again_and_settles() {
    let (records, _) = with(|label| if label == SUBJECT { Behaviour::Throttled(0.7) } else { Behaviour::Right });
    let row = subject(&records);
    assert_eq!((row.status, row.reason.as_str()), (Status::Ok, ""));
    assert!(row.drift.expect("measured").abs() < 0.05, "{:?}", row.drift);
}

#[test]
fn noise_is_carried_and_the_budget_ends_it() {
    let (records, _) = with(|label| if label == SUBJECT { Behaviour::Noisy(0.5) } else { Behaviour::Right });
    let noisy = subject(&records);
    let calm = records.iter().find(|r| r.benchmark == "tiled" && r.params_text() == "PAD=0").expect("a calm row");
    assert!(noisy.noise() > calm.noise(), "{:?} {:?}", noisy.noise(), calm.noise());
    assert!(noisy.samples > calm.samples, "{:?} {:?}", noisy.samples, calm.samples);
}

#[test]
fn a_launch_that_would_take_too_long_is_never_launched() {
    let mut backend =
        fake(|label| if label.starts_with("reduction/sequential") { Behaviour::Slow(1e5) } else { Behaviour::Right });
    let cases = cases(&["reduction/sequential"], &["2^23"]);
    let records =
        pollster::block_on(engine::run(&mut [&mut backend], &cases, &settings(), &mut Seen::default())).expect("a run");
    let row = records.iter().find(|r| r.benchmark == "sequential" && r.dtype == Some(Dtype::F32)).expect("a row");
    assert_eq!(row.status, Status::Skipped);
    assert!(row.reason.starts_with("one launch would take about"), "{}", row.reason);
    let log = backend.log.lock().expect("one thread");
    assert!(!log.prepared.iter().any(|label| label.contains("sequential") && label.contains("8388608")));
}

#[test]
fn timestamps_that_cannot_be_trusted_give_way_to_the_wall_clock() {
    for (clock, note) in [
        (Clock::Zero, "all zero"),
        (Clock::Missing, "writes no timestamps"),
        (Clock::Backwards, "run backwards"),
        (Clock::Frozen, "do not grow"),
        (Clock::Absurd, "disagree"),
    ] {
        let mut backend = fake(|_| Behaviour::Right);
        backend.clock = clock;
        let mut seen = Seen::default();
        let records = run_on(&mut backend, &mut seen);
        assert_eq!(subject(&records).timer, Some(shaderbench::results::Clock::Wall), "{clock:?}");
        let said = seen.timer.and_then(|timer| timer.note).expect("a reason");
        assert!(said.contains(note), "{clock:?}: {said}");
    }
}

#[test]
fn the_tick_is_measured_and_samples_grow_with_it() {
    let mut backend = fake(|_| Behaviour::Right);
    backend.clock = Clock::Good(65_536.0);
    let mut seen = Seen::default();
    let records = run_on(&mut backend, &mut seen);
    assert_eq!(seen.timer.expect("chosen").tick_ns, 65_536.0);
    let row = subject(&records);
    let sample = row.median_ns.expect("measured") * row.launches.expect("counted") as f64;
    assert!(sample >= 100.0 * 65_536.0 * 0.9 || row.launches == Some(1000), "{sample} {:?}", row.launches);
}
