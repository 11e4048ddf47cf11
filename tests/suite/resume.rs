//! Runs that are broken off and completed, and devices that go away in the middle, on a fake device.

use std::time::Instant;

use crate::common::{Behaviour, Fake, SUBJECT, Seen, Stage, cases, fake, fake_through, settings};
use shaderbench::backend::Api;
use shaderbench::backend::Backend;
use shaderbench::engine::{EarlierRows, End, Outcome, resume, run};
use shaderbench::results::{Record, Status};
use shaderbench::suite::Case;
use shaderbench::suite::Dtype;
use shaderbench::suite::Extent;

fn plan() -> Vec<Case> {
    cases(&["transpose"], &["64x96"])
}

/// Completes a run of the plan that left `records`.
fn complete(backends: &mut [&mut Fake], records: Vec<Record>, seen: &mut Seen) -> Outcome {
    let devices: Vec<_> = backends.iter().map(|backend| backend.device().clone()).collect();
    let kept = EarlierRows::new(records, &plan(), &devices, &settings()).expect("it fits");
    let mut backends: Vec<&mut dyn Backend> = backends.iter_mut().map(|b| &mut **b as &mut dyn Backend).collect();
    pollster::block_on(resume(&mut backends, &plan(), kept, &settings(), seen)).expect("the observer does not fail")
}

fn names(records: &[Record]) -> Vec<[String; 6]> {
    let name = |r: &Record| ["backend", "family", "benchmark", "dtype", "n", "params"].map(|column| r.cell(column));
    records.iter().map(name).collect()
}

/// The rows of an unbroken run.
fn whole(behaviour: fn(&str) -> Behaviour) -> Vec<Record> {
    let mut backend = fake(behaviour);
    pollster::block_on(run(&mut [&mut backend], &plan(), &settings(), &mut Seen::default())).expect("a run")
}

#[test]
fn a_run_tells_how_much_of_its_time_it_measured() {
    let mut backend = fake(|_| Behaviour::Right);
    let start = Instant::now();
    let outcome = complete(&mut [&mut backend], Vec::new(), &mut Seen::default());
    assert!(!outcome.measuring.is_zero() && outcome.measuring < start.elapsed(), "{:?}", outcome.measuring);
    let nothing = complete(&mut [&mut backend], outcome.records, &mut Seen::default());
    assert!(nothing.measuring.is_zero(), "{:?}", nothing.measuring);
}

fn place_of_subject(records: &[Record]) -> usize {
    let is_subject = |r: &Record| r.benchmark == "tiled" && r.dtype == Some(Dtype::F32) && r.params_text() == "PAD=1";
    records.iter().position(is_subject).expect("the subject has a row")
}

#[test]
fn a_run_broken_off_anywhere_is_completed_without_measuring_twice() {
    let unbroken = whole(|_| Behaviour::Right);
    for kept in 0..=unbroken.len() {
        let mut seen = Seen { last: unbroken[..kept].to_vec(), ..Seen::default() };
        let mut backend = fake(|_| Behaviour::Right);
        let outcome = complete(&mut [&mut backend], unbroken[..kept].to_vec(), &mut seen);
        assert!(matches!(outcome.end, End::Complete));
        assert_eq!(names(&outcome.records), names(&unbroken));
        assert_eq!(seen.finished, unbroken.len() - kept);
        assert_eq!(seen.places, (kept..unbroken.len()).collect::<Vec<_>>());
        for (row, before) in outcome.records.iter().zip(&unbroken[..kept]) {
            assert_eq!((row.median_ns, row.min_ns, &row.date), (before.median_ns, before.min_ns, &before.date));
        }
        // Rows are held against the ceilings that were kept, not only against those measured since.
        for (row, before) in outcome.records.iter().zip(&unbroken) {
            assert_eq!(
                (&row.ceiling, row.share.is_some()),
                (&before.ceiling, before.share.is_some()),
                "{}",
                row.name()
            );
        }
    }
}

#[test]
fn several_apis_are_completed_where_one_row_of_a_case_is_there_already() {
    let mut pair = [fake(|_| Behaviour::Right), fake_through(Api::Cuda, |_| Behaviour::Slow(2.0))];
    let [vulkan, cuda] = &mut pair;
    let unbroken = complete(&mut [vulkan, cuda], Vec::new(), &mut Seen::default()).records;
    for kept in 0..=unbroken.len() {
        let mut seen = Seen { last: unbroken[..kept].to_vec(), ..Seen::default() };
        let [vulkan, cuda] = &mut pair;
        let outcome = complete(&mut [vulkan, cuda], unbroken[..kept].to_vec(), &mut seen);
        assert_eq!(names(&outcome.records), names(&unbroken));
        assert_eq!((seen.turns.len(), seen.told), (unbroken.len() - kept, unbroken.len() - kept));
        assert_eq!(
            outcome.records[..kept].iter().map(|r| r.median_ns).collect::<Vec<_>>(),
            unbroken[..kept].iter().map(|r| r.median_ns).collect::<Vec<_>>()
        );
    }
}

#[test]
fn what_failed_is_measured_again_but_for_what_hung() {
    for (behaviour, is_again) in [
        ((|l| if l == SUBJECT { Behaviour::Lost } else { Behaviour::Right }) as fn(&str) -> Behaviour, true),
        (|l| if l == SUBJECT { Behaviour::OutOfMemory } else { Behaviour::Right }, true),
        (|l| if l == SUBJECT { Behaviour::Hanging } else { Behaviour::Right }, false),
        (|l| if l == SUBJECT { Behaviour::Wrong(3) } else { Behaviour::Right }, false),
    ] {
        let first = whole(behaviour);
        let subject = place_of_subject(&first);
        let mut seen = Seen { last: first.clone(), ..Seen::default() };
        let second = complete(&mut [&mut fake(|_| Behaviour::Right)], first.clone(), &mut seen).records;
        assert_eq!(names(&second), names(&first));
        assert_eq!(seen.places, if is_again { vec![subject] } else { Vec::new() });
        assert_eq!(second[subject].status == Status::Ok, is_again, "{}", first[subject].reason);
        // A row in the middle cannot be appended.
        assert_eq!(seen.unchanged, if is_again { vec![subject] } else { Vec::new() });
    }
}

#[test]
fn what_an_api_did_not_measure_because_its_device_hung_before_is_measured_again() {
    let (mut vulkan, mut cuda) = (fake(|_| Behaviour::Right), fake_through(Api::Cuda, |_| Behaviour::Hanging));
    let first = complete(&mut [&mut vulkan, &mut cuda], Vec::new(), &mut Seen::default()).records;
    let reason = "the device cannot be used: timed out: no answer from the device within 20 s";
    assert!(
        first.iter().filter(|row| row.backend == Some(Api::Cuda)).all(|row| row.reason == reason),
        "{}",
        first[1].reason
    );
    let mut seen = Seen { last: first.clone(), ..Seen::default() };
    let mut cuda = fake_through(Api::Cuda, |_| Behaviour::Right);
    let second = complete(&mut [&mut vulkan, &mut cuda], first, &mut seen).records;
    assert!(second.iter().all(|row| row.status != Status::Failed));
    assert!(seen.turns.iter().all(|api| *api == "cuda"));
}

#[test]
fn what_does_not_fit_is_refused_in_one_sentence() {
    type Change = fn(&mut Vec<Record>);
    let table: [(Change, &str); 11] = [
        (|rows| rows[0].device = "Fake 8000".into(), "is from another device: Fake 8000 in the file, Fake 9000 now"),
        (|rows| rows[0].driver = "fake 0.9".into(), "is from another driver: fake 0.9 in the file, fake 1.0 now"),
        (|rows| rows[0].tool_version = "0.0.1".into(), "is from another version of shaderbench: 0.0.1 in the file, "),
        (
            |rows| rows[0].cpu = "Other CPU".into(),
            "is from another CPU: Other CPU in the file, Test CPU (2 threads) now",
        ),
        (|rows| rows[0].os = "TestOS 2".into(), "is from another operating system: "),
        (|rows| rows[0].schema = Some(99), "is from another schema: 99 in the file, "),
        (|rows| rows[0].backend = Some(Api::Metal), "has rows of API metal; this run uses vulkan"),
        (|rows| rows[1].date = "2020-01-01T00:00:00Z".into(), "has rows of several runs"),
        (
            |rows| rows[0].n = Some(Extent::Linear(77)),
            "which these arguments do not measure: use the arguments of the run that wrote it",
        ),
        (|rows| drop(rows.remove(2)), "but has rows for later cases: use the arguments of"),
        (|rows| rows[1].shader_hash = "0".into(), "with another version of its kernel"),
    ];
    let unbroken = whole(|_| Behaviour::Right);
    let refusal = |rows| EarlierRows::new(rows, &plan(), &[crate::common::device()], &settings()).err();
    assert_eq!(refusal(unbroken.clone()), None);
    for (change, sentence) in table {
        let mut rows = unbroken.clone();
        change(&mut rows);
        let said = refusal(rows).expect("it does not fit");
        assert!(said.contains(sentence) && !said.contains('\n'), "{said}");
    }
}

#[test]
fn an_interrupted_run_keeps_its_finished_cases_and_is_completed_later() {
    let mut seen = Seen { stop_after: Some(4), ..Seen::default() };
    let first = complete(&mut [&mut fake(|_| Behaviour::Right)], Vec::new(), &mut seen);
    assert!(matches!(first.end, End::Interrupted));
    assert_eq!((first.records.len(), seen.finished), (4, 4));
    assert_eq!(first.records, seen.last);
    let mut seen = Seen { last: first.records.clone(), ..Seen::default() };
    let second = complete(&mut [&mut fake(|_| Behaviour::Right)], first.records, &mut seen);
    assert!(matches!(second.end, End::Complete));
    assert_eq!(names(&second.records), names(&whole(|_| Behaviour::Right)));
}

#[test]
fn earlier_rows_are_unchanged_unless_a_ceiling_rose() {
    let mut seen = Seen::default();
    let rows = complete(&mut [&mut fake(|_| Behaviour::Right)], Vec::new(), &mut seen).records;
    let ceilings = rows.iter().filter(|row| row.family == "ceiling").count();
    // Each appends its own row.
    assert_eq!(seen.unchanged[ceilings..], (ceilings..rows.len()).collect::<Vec<_>>());
    // A ceiling that is beaten is measured again, and earlier rows with it.
    let slow_read =
        |l: &str| if l.starts_with("ceiling/read") { Behaviour::SlowAtFirst(20.0) } else { Behaviour::Right };
    let mut seen = Seen::default();
    let plan = cases(&["reduction/sequential"], &["2^20"]);
    pollster::block_on(run(&mut [&mut fake(slow_read)], &plan, &settings(), &mut seen)).expect("a run");
    let has_changed = |(place, unchanged): (usize, &usize)| place > *unchanged;
    assert!(seen.unchanged.iter().enumerate().any(has_changed), "{:?}", seen.unchanged);
}

#[test]
fn a_device_lost_anywhere_in_a_case_fails_it_and_nothing_else() {
    let lost_in: [fn(&str) -> Behaviour; 5] = [
        |l| if l == SUBJECT { Behaviour::LostIn(Stage::Prepare) } else { Behaviour::Right },
        |l| if l == SUBJECT { Behaviour::LostIn(Stage::Poison) } else { Behaviour::Right },
        |l| if l == SUBJECT { Behaviour::LostIn(Stage::Sample) } else { Behaviour::Right },
        |l| if l == SUBJECT { Behaviour::LostIn(Stage::Read) } else { Behaviour::Right },
        |l| if l == SUBJECT { Behaviour::Hanging } else { Behaviour::Right },
    ];
    for behaviour in lost_in {
        let mut backend = fake(behaviour);
        let outcome = complete(&mut [&mut backend], Vec::new(), &mut Seen::default());
        let subject = place_of_subject(&outcome.records);
        for (place, row) in outcome.records.iter().enumerate() {
            assert_eq!(row.status == Status::Failed, place == subject, "{}: {}", row.name(), row.reason);
        }
        let log = backend.log.lock().expect("one thread");
        assert_eq!((log.reopened, log.dropped_lost), (1, 0));
    }
}

#[test]
fn a_device_lost_after_the_last_sample_fails_the_case_too() {
    let behaviour = |l: &str| {
        if l.starts_with("reduction/sequential f32") { Behaviour::LostIn(Stage::EndToEnd) } else { Behaviour::Right }
    };
    let mut backend = fake(behaviour);
    let plan = cases(&["reduction/sequential"], &["2^12"]);
    let rows = pollster::block_on(run(&mut [&mut backend], &plan, &settings(), &mut Seen::default())).expect("a run");
    let row = rows.iter().find(|r| r.benchmark == "sequential" && r.dtype == Some(Dtype::F32)).expect("a row");
    assert_eq!((row.status, row.reason.as_str()), (Status::Failed, "device lost: the fake was unplugged"));
    assert!(
        row.median_ns.is_none() && row.samples.is_none() && row.share.is_none() && row.all_samples_ns.is_empty(),
        "{row:?}"
    );
}

/// Large cases are tried at a small size first.
#[test]
fn a_device_lost_under_the_smaller_size_fails_the_case_and_is_left_alone() {
    let behaviour =
        |l: &str| if l.starts_with("reduction/sequential f32 262144") { Behaviour::Hanging } else { Behaviour::Right };
    let mut backend = fake(behaviour);
    let plan = cases(&["reduction/sequential"], &["2^20"]);
    let rows = pollster::block_on(run(&mut [&mut backend], &plan, &settings(), &mut Seen::default())).expect("a run");
    let row = rows.iter().find(|r| r.benchmark == "sequential" && r.dtype == Some(Dtype::F32)).expect("a row");
    assert!(row.status == Status::Failed && row.reason.starts_with("timed out"), "{}", row.reason);
    let log = backend.log.lock().expect("one thread");
    assert_eq!((log.reopened, log.dropped_lost), (1, 0));
}

#[test]
fn a_device_that_cannot_be_opened_at_once_is_opened_a_little_later() {
    let lost = |l: &str| if l == SUBJECT { Behaviour::Lost } else { Behaviour::Right };
    let mut backend = Fake { refusals: 2, ..fake(lost) };
    let outcome = complete(&mut [&mut backend], Vec::new(), &mut Seen::default());
    assert!(matches!(outcome.end, End::Complete));
    assert_eq!(outcome.records.iter().filter(|row| row.status == Status::Failed).count(), 1);
    assert_eq!(backend.log.lock().expect("one thread").reopened, 3);
}

#[test]
fn a_device_that_is_gone_for_good_ends_the_run_with_its_rows() {
    let lost = |l: &str| if l == SUBJECT { Behaviour::Lost } else { Behaviour::Right };
    let mut backend = Fake { can_reopen: false, ..fake(lost) };
    let mut seen = Seen::default();
    let outcome = complete(&mut [&mut backend], Vec::new(), &mut seen);
    let End::NoDevice(error) = outcome.end else { panic!("{:?}", outcome.end) };
    assert!(error.to_string().contains("cannot be opened again"), "{error}");
    // The row that it was lost in is the last one, and the observer has it.
    let last = outcome.records.last().expect("rows");
    assert_eq!(place_of_subject(&outcome.records), outcome.records.len() - 1);
    assert_eq!(last.reason, "device lost: the fake was unplugged");
    assert_eq!(seen.last, outcome.records);
    // With a device that holds, the rest is measured, and this row too.
    let mut seen = Seen { last: outcome.records.clone(), ..Seen::default() };
    let rows = complete(&mut [&mut fake(|_| Behaviour::Right)], outcome.records, &mut seen).records;
    assert_eq!(names(&rows), names(&whole(|_| Behaviour::Right)));
    assert!(rows.iter().all(|row| row.status != Status::Failed));
}
