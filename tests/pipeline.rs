//! The whole way from plan to record, on a fake device: right, wrong, slow, noisy, unsupported, failing, lost, hanging.

mod common;

use common::{Behaviour, Clock, Fake, Seen, cases, fake, settings};
use shaderbench::record::{Record, Status};
use shaderbench::run::run;

const SUBJECT: &str = "transpose/tiled f32 64x96 PAD=1";

fn run_on(backend: &mut Fake, seen: &mut Seen) -> Vec<Record> {
    let cases = cases(&["transpose"], &["64x96"]);
    pollster::block_on(run(backend, &cases, &settings(), seen)).expect("the run goes on whatever a case does")
}

fn subject(records: &[Record]) -> &Record {
    let found = records.iter().find(|r| r.benchmark == "tiled" && r.dtype == "f32" && r.params == "PAD=1");
    found.expect("the subject has a row")
}

/// Runs with the subject behaving as given and everything else right; gives the rows and the fake's log.
fn with(behaviour: fn(&str) -> Behaviour) -> (Vec<Record>, usize) {
    let mut backend = fake(behaviour);
    let records = run_on(&mut backend, &mut Seen::default());
    let reopened = backend.log.lock().expect("one thread").reopened;
    for other in records.iter().filter(|r| *r != subject(&records)) {
        assert!(matches!(other.status, Status::Ok | Status::Skipped), "{} {}: {}", other.name(), other.n, other.reason);
    }
    (records, reopened)
}

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
    assert_eq!((row.timer.as_str(), row.checks.as_str(), row.workgroup_size.as_str()), ("timestamp", "off", "32x8x1"));
    assert_eq!(row.bytes, Some(2 * 64 * 96 * 4));
    let median = row.median_ns.expect("measured");
    assert!((row.gb_per_s.expect("a rate") - 2.0 * 64.0 * 96.0 * 4.0 / median).abs() < 1e-3);
    assert!(row.ci_low_ns <= row.median_ns && row.median_ns <= row.ci_high_ns);
    assert!(row.ceiling.starts_with("launch") && row.share.is_some(), "{}", row.ceiling);
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
    let double = records.iter().find(|r| r.dtype == "f64").expect("a row for f64");
    assert_eq!((double.status, double.reason.as_str()), (Status::Skipped, "the device has no f64 in shaders"));
    assert!(!backend.log.lock().expect("one thread").prepared.iter().any(|label| label == SUBJECT));
}

#[test]
fn what_needs_mapped_storage_is_skipped_where_there_is_none() {
    for (has_mappable_storage, status) in [(true, Status::Ok), (false, Status::Skipped)] {
        let mut backend = fake(|_| Behaviour::Right);
        backend.device.has_mappable_storage = has_mappable_storage;
        let cases = cases(&["transfer"], &["2^10"]);
        let records = pollster::block_on(run(&mut backend, &cases, &settings(), &mut Seen::default())).expect("a run");
        for row in &records {
            let is_mapped = row.benchmark.starts_with("mapped_primary");
            assert_eq!(row.status, if is_mapped { status } else { Status::Ok }, "{}: {}", row.benchmark, row.reason);
            assert_eq!(row.reason.contains("that the host can map"), row.status == Status::Skipped, "{}", row.reason);
        }
        assert_eq!(records.iter().filter(|row| row.benchmark.starts_with("mapped_primary")).count(), 2);
    }
}

#[test]
fn a_row_far_above_its_ceiling_is_implausible() {
    // A sum that takes a twentieth of the time of reading its input.
    let mut backend =
        fake(|label| if label.starts_with("reduction/sequential") { Behaviour::Slow(0.05) } else { Behaviour::Right });
    let cases = cases(&["reduction/sequential"], &["2^20"]);
    let records = pollster::block_on(run(&mut backend, &cases, &settings(), &mut Seen::default())).expect("a run");
    let row = records.iter().find(|r| r.benchmark == "sequential" && r.dtype == "f32").expect("a row");
    assert_eq!(row.status, Status::Implausible, "{:?} of {}", row.share, row.ceiling);
    assert!(row.share.expect("a share") > 1.05 && row.reason.contains("no kernel can be that fast"), "{}", row.reason);
}

#[test]
fn a_ceiling_that_was_measured_in_a_slow_moment_is_measured_again() {
    let mut backend =
        fake(|label| if label.starts_with("ceiling/read") { Behaviour::SlowAtFirst(20.0) } else { Behaviour::Right });
    let cases = cases(&["reduction/sequential"], &["2^20"]);
    let records = pollster::block_on(run(&mut backend, &cases, &settings(), &mut Seen::default())).expect("a run");
    let row = records.iter().find(|r| r.benchmark == "sequential" && r.dtype == "f32").expect("a row");
    assert_eq!((row.status, row.reason.as_str()), (Status::Ok, ""), "{:?} of {}", row.share, row.ceiling);
    assert!(row.share.expect("a share") <= 1.05);
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
    let calm = records.iter().find(|r| r.benchmark == "tiled" && r.params == "PAD=0").expect("a calm row");
    assert!(noisy.noise() > calm.noise(), "{:?} {:?}", noisy.noise(), calm.noise());
    assert!(noisy.samples > calm.samples, "{:?} {:?}", noisy.samples, calm.samples);
}

#[test]
fn a_launch_that_would_take_too_long_is_never_launched() {
    let mut backend =
        fake(|label| if label.starts_with("reduction/sequential") { Behaviour::Slow(1e5) } else { Behaviour::Right });
    let cases = cases(&["reduction/sequential"], &["2^23"]);
    let records = pollster::block_on(run(&mut backend, &cases, &settings(), &mut Seen::default())).expect("a run");
    let row = records.iter().find(|r| r.benchmark == "sequential" && r.dtype == "f32").expect("a row");
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
        assert_eq!(subject(&records).timer, "wall", "{clock:?}");
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
