//! Resuming interrupted runs, and devices lost during a run, on a fake device.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::common::{
    self, Behaviour, Fake, Recorder, SUBJECT, Stage, cases, fake, fake_on, is_subject, measure, only, plan_of_subject,
    right, row_of, run, settings,
};
use gpu::backend::Backend;
use gpu::engine::{End, Outcome, RowTable, Slots};
use record::suite::{Api, Dtype, Extent, Profile};
use record::{Cause, Record, Status};

/// Resumes a run of the subject's family that left these rows.
fn complete(backends: &mut [&mut Fake], records: Vec<Record>, recorder: &mut Recorder) -> Outcome {
    let devices: Vec<_> = backends.iter().map(|backend| backend.device().clone()).collect();
    let plan = plan_of_subject();
    let kept = RowTable::resumed(records, &plan, &devices, &settings()).expect("rows of this run");
    let mut backends: Vec<&mut dyn Backend> = backends.iter_mut().map(|b| &mut **b as &mut dyn Backend).collect();
    common::resume(&mut backends, &plan, kept, &settings(), recorder)
}

fn names(records: &[Record]) -> Vec<[String; 6]> {
    let name = |r: &Record| ["backend", "family", "benchmark", "dtype", "n", "params"].map(|column| r.cell(column));
    records.iter().map(name).collect()
}

fn uninterrupted(behaviour: impl Fn(&str) -> Behaviour + 'static) -> Vec<Record> {
    measure(&mut fake(behaviour), &plan_of_subject())
}

#[test]
fn a_run_counts_the_time_that_it_measures() {
    let mut backend = right();
    let start = Instant::now();
    let outcome = complete(&mut [&mut backend], Vec::new(), &mut Recorder::default());
    assert!(!outcome.measuring.is_zero() && outcome.measuring < start.elapsed(), "{:?}", outcome.measuring);
    let nothing = complete(&mut [&mut backend], outcome.records, &mut Recorder::default());
    assert!(nothing.measuring.is_zero(), "{:?}", nothing.measuring);
}

fn index_of_subject(records: &[Record]) -> usize {
    records.iter().position(is_subject).expect("the subject has a row")
}

#[test]
fn a_run_interrupted_after_any_row_is_resumed_without_measuring_twice() {
    let complete_rows = uninterrupted(|_| Behaviour::Right);
    for finished in 0..=complete_rows.len() {
        let mut recorder = Recorder { records: complete_rows[..finished].to_vec(), ..Recorder::default() };
        let mut backend = right();
        let outcome = complete(&mut [&mut backend], complete_rows[..finished].to_vec(), &mut recorder);
        assert!(matches!(outcome.end, End::Complete));
        assert_eq!(names(&outcome.records), names(&complete_rows));
        assert_eq!(recorder.finished, complete_rows.len() - finished);
        assert_eq!(recorder.case_indices, (finished..complete_rows.len()).collect::<Vec<_>>());
        for (row, before) in outcome.records.iter().zip(&complete_rows[..finished]) {
            assert_eq!((row.median_ns, row.min_ns, &row.date), (before.median_ns, before.min_ns, &before.date));
        }
        // Shares refer to the earlier rows' ceilings too.
        for (row, before) in outcome.records.iter().zip(&complete_rows) {
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
fn a_run_on_several_apis_is_resumed_after_any_row_of_a_case() {
    let mut pair = [right(), fake_on(Api::Cuda, |_| Behaviour::Slow(2.0))];
    let [vulkan, cuda] = &mut pair;
    let complete_rows = complete(&mut [vulkan, cuda], Vec::new(), &mut Recorder::default()).records;
    for finished in 0..=complete_rows.len() {
        let mut recorder = Recorder { records: complete_rows[..finished].to_vec(), ..Recorder::default() };
        let [vulkan, cuda] = &mut pair;
        let outcome = complete(&mut [vulkan, cuda], complete_rows[..finished].to_vec(), &mut recorder);
        assert_eq!(names(&outcome.records), names(&complete_rows));
        assert_eq!(
            (recorder.turns.len(), recorder.row_calls),
            (complete_rows.len() - finished, complete_rows.len() - finished)
        );
        assert_eq!(
            outcome.records[..finished].iter().map(|r| r.median_ns).collect::<Vec<_>>(),
            complete_rows[..finished].iter().map(|r| r.median_ns).collect::<Vec<_>>()
        );
    }
}

#[test]
fn a_failed_case_is_measured_again_unless_it_timed_out() {
    for (behaviour, is_again) in [
        (Behaviour::Lost, true),
        (Behaviour::OutOfMemory, true),
        (Behaviour::Hanging, false),
        (Behaviour::Wrong(3), false),
    ] {
        let first = uninterrupted(only(SUBJECT, behaviour));
        let subject = index_of_subject(&first);
        let mut recorder = Recorder { records: first.clone(), ..Recorder::default() };
        let second = complete(&mut [&mut right()], first.clone(), &mut recorder).records;
        assert_eq!(names(&second), names(&first));
        assert_eq!(recorder.case_indices, if is_again { vec![subject] } else { Vec::new() });
        assert_eq!(second[subject].status == Status::Ok, is_again, "{}", first[subject].reason);
        // A row in the middle changes all rows after it.
        assert_eq!(recorder.unchanged, if is_again { vec![subject] } else { Vec::new() });
    }
}

#[test]
fn a_case_that_the_time_limit_left_out_is_measured_by_the_resumed_run() {
    let complete_rows = uninterrupted(|_| Behaviour::Right);
    let subject = index_of_subject(&complete_rows);
    let mut first = complete_rows.clone();
    first[subject] = Record {
        status: Status::Skipped,
        cause: Some(Cause::TimeLimit),
        reason: "the run reached its time limit (--time) before this case".to_owned(),
        median_ns: None,
        share: None,
        ..first[subject].clone()
    };
    let mut recorder = Recorder { records: first.clone(), ..Recorder::default() };
    let second = complete(&mut [&mut right()], first, &mut recorder).records;
    assert_eq!(names(&second), names(&complete_rows));
    assert_eq!(recorder.case_indices, [subject]);
    assert_eq!((second[subject].status, second[subject].cause), (Status::Ok, None));
}

#[test]
fn rows_that_timed_out_are_measured_again_on_request() {
    let plan = common::cases(&["reduction/sequential"], &["2^10", "2^16"]);
    let small = "reduction/sequential f32 1024";
    let first = measure(&mut fake(only(small, Behaviour::Hanging)), &plan);
    let is_of_kernel = |row: &&Record| row.name() == "reduction/sequential" && row.dtype_name() == "f32";
    let statuses = |rows: &[Record]| rows.iter().filter(is_of_kernel).map(|row| row.status).collect::<Vec<_>>();
    assert_eq!(statuses(&first), [Status::Failed, Status::Skipped]);
    let resumed = |retry: bool| {
        let kept = RowTable::resumed(first.clone(), &plan, &[common::device()], &settings()).expect("of this run");
        let kept = if retry { kept.retry_timeouts() } else { kept };
        let mut recorder = Recorder { records: first.clone(), ..Recorder::default() };
        (kept.repeats(), common::resume(&mut [&mut right()], &plan, kept, &settings(), &mut recorder).records)
    };
    let (again, rows) = resumed(false);
    assert_eq!((again, statuses(&rows)), (0, statuses(&first)));
    let (again, rows) = resumed(true);
    assert_eq!((again, statuses(&rows)), (2, vec![Status::Ok, Status::Ok]));
}

#[test]
fn cases_that_failed_because_their_device_hung_earlier_are_measured_again() {
    let (mut vulkan, mut cuda) = (right(), fake_on(Api::Cuda, |_| Behaviour::Hanging));
    let first = complete(&mut [&mut vulkan, &mut cuda], Vec::new(), &mut Recorder::default()).records;
    let reason = "the device cannot be used: timed out: no response from the device within 20 s";
    assert!(
        first.iter().filter(|row| row.backend == Some(Api::Cuda)).all(|row| row.reason == reason),
        "{}",
        first[1].reason
    );
    let mut recorder = Recorder { records: first.clone(), ..Recorder::default() };
    let mut cuda = fake_on(Api::Cuda, |_| Behaviour::Right);
    let second = complete(&mut [&mut vulkan, &mut cuda], first, &mut recorder).records;
    assert!(second.iter().all(|row| row.status != Status::Failed));
    assert!(recorder.turns.iter().all(|api| *api == "cuda"));
}

#[test]
fn a_report_of_another_run_is_rejected_with_the_reason() {
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
        (|rows| rows[0].profile = Some(Profile::Thorough), "is from another profile: thorough in the file, quick now"),
        (|rows| rows[0].schema = Some(99), "is from another schema: 99 in the file, "),
        (|rows| rows[0].backend = Some(Api::Metal), "has rows of API metal, but this run uses vulkan"),
        (|rows| rows[1].date = "2020-01-01T00:00:00Z".into(), "contains rows of several runs"),
        (
            |rows| rows[0].n = Some(Extent::Linear(77)),
            "which these arguments do not measure: use the arguments of the run that wrote the file",
        ),
        (|rows| rows[1].shader_hash = "0".into(), "with another version of its kernel"),
    ];
    let complete_rows = uninterrupted(|_| Behaviour::Right);
    let rejection = |rows| RowTable::resumed(rows, &plan_of_subject(), &[common::device()], &settings()).err();
    assert_eq!(rejection(complete_rows.clone()), None);
    for (change, sentence) in table {
        let mut rows = complete_rows.clone();
        change(&mut rows);
        let reason = rejection(rows).expect("rows of another run");
        assert!(reason.contains(sentence) && !reason.contains('\n'), "{reason}");
    }
}

#[test]
fn a_hole_in_the_rows_is_filled_and_nothing_else_is_measured() {
    let whole = uninterrupted(|_| Behaviour::Right);
    let mut rows = whole.clone();
    let lost = rows.remove(2);
    let mut recorder = Recorder { records: rows.clone(), is_in_any_order: true, ..Recorder::default() };
    let filled = complete(&mut [&mut right()], rows, &mut recorder).records;
    assert_eq!(names(&filled), names(&whole));
    assert_eq!((recorder.turns.len(), filled[2].identity()), (1, lost.identity()));
}

#[test]
fn a_kernel_that_ended_the_process_twice_is_skipped_at_larger_sizes() {
    let cases = cases(&["reduction/sequential"], &["2^10", "2^12", "2^16"]);
    let rows = measure(&mut right(), &cases);
    let crash = |row: &mut Record, cause| {
        row.drop_figures();
        (row.status, row.cause) = (Status::Failed, Some(cause));
    };
    let subject = |row: &Record| row.family == "reduction" && row.dtype == Some(Dtype::F32);
    let mut kept: Vec<Record> = rows.into_iter().filter(|row| !subject(row) || row.size() != "65536").collect();
    kept.iter_mut().filter(|row| subject(row)).for_each(|row| crash(row, Cause::Crashed));
    let places = Slots::new(&cases, &[common::device()]);
    let rows = kept.into_iter().map(|row| (places.slot(&row).expect("a case of the plan"), row)).collect();
    let earlier = RowTable::new(1, rows, BTreeSet::new());
    let mut recorder = Recorder { is_in_any_order: true, ..Recorder::default() };
    let rows = common::resume(&mut [&mut right()], &cases, earlier, &settings(), &mut recorder).records;
    let last = rows.iter().find(|row| subject(row) && row.size() == "65536").expect("a row");
    assert_eq!((last.status, last.cause), (Status::Skipped, Some(Cause::CrashedAgain)), "{}", last.reason);
    assert_eq!(last.reason, "the same kernel crashed the process twice, first at size 1024");
}

#[test]
fn an_interrupted_run_keeps_its_finished_rows_and_is_resumed() {
    let mut recorder = Recorder { stop_after: Some(4), ..Recorder::default() };
    let first = complete(&mut [&mut right()], Vec::new(), &mut recorder);
    assert!(matches!(first.end, End::Interrupted));
    assert_eq!((first.records.len(), recorder.finished), (4, 4));
    assert_eq!(first.records, recorder.records);
    let mut recorder = Recorder { records: first.records.clone(), ..Recorder::default() };
    let second = complete(&mut [&mut right()], first.records, &mut recorder);
    assert!(matches!(second.end, End::Complete));
    assert_eq!(names(&second.records), names(&uninterrupted(|_| Behaviour::Right)));
}

#[test]
fn earlier_rows_change_only_when_a_ceiling_is_measured_again() {
    let mut recorder = Recorder::default();
    let rows = complete(&mut [&mut right()], Vec::new(), &mut recorder).records;
    let ceilings = rows.iter().filter(|row| row.family == "ceiling").count();
    // Each case appends its row.
    assert_eq!(recorder.unchanged[ceilings..], (ceilings..rows.len()).collect::<Vec<_>>());
    // A ceiling below a row is measured again, and earlier rows change.
    let mut recorder = Recorder::default();
    let plan = cases(&["reduction/sequential"], &["2^20"]);
    run(&mut [&mut fake(only("ceiling/read", Behaviour::SlowAtFirst(20.0)))], &plan, &mut recorder).expect("a run");
    let has_changed = |(index, unchanged): (usize, &usize)| index > *unchanged;
    assert!(recorder.unchanged.iter().enumerate().any(has_changed), "{:?}", recorder.unchanged);
}

#[test]
fn a_device_lost_in_any_stage_of_a_case_fails_that_case_only() {
    let stages = [Stage::Prepare, Stage::Poison, Stage::Sample, Stage::Read].map(Behaviour::LostIn);
    for behaviour in stages.into_iter().chain([Behaviour::Hanging]) {
        let mut backend = fake(only(SUBJECT, behaviour));
        let outcome = complete(&mut [&mut backend], Vec::new(), &mut Recorder::default());
        let subject = index_of_subject(&outcome.records);
        for (index, row) in outcome.records.iter().enumerate() {
            assert_eq!(row.status == Status::Failed, index == subject, "{}: {}", row.name(), row.reason);
        }
        let log = backend.log();
        assert_eq!((log.reopened, log.dropped_lost), (1, 0));
    }
}

#[test]
fn a_device_lost_after_the_last_sample_fails_the_case_too() {
    let mut backend = fake(only("reduction/sequential f32", Behaviour::LostIn(Stage::EndToEnd)));
    let plan = cases(&["reduction/sequential"], &["2^12"]);
    let rows = measure(&mut backend, &plan);
    let row = row_of(&rows, "reduction/sequential");
    assert_eq!((row.status, row.reason.as_str()), (Status::Failed, "device lost: the fake was unplugged"));
    assert!(
        row.median_ns.is_none() && row.samples.is_none() && row.share.is_none() && row.all_samples_ns.is_empty(),
        "{row:?}"
    );
}

/// Large cases are launched at a smaller size first.
#[test]
fn a_device_lost_at_the_smaller_size_fails_the_case() {
    let mut backend = fake(only("reduction/sequential f32 262144", Behaviour::Hanging));
    let plan = cases(&["reduction/sequential"], &["2^20"]);
    let rows = measure(&mut backend, &plan);
    let row = row_of(&rows, "reduction/sequential");
    assert!(row.status == Status::Failed && row.reason.starts_with("timed out"), "{}", row.reason);
    let log = backend.log();
    assert_eq!((log.reopened, log.dropped_lost), (1, 0));
}

#[test]
fn a_device_that_cannot_be_opened_is_tried_again_later() {
    let lost = only(SUBJECT, Behaviour::Lost);
    let mut backend = Fake { failed_reopens: 2, ..fake(lost) };
    let outcome = complete(&mut [&mut backend], Vec::new(), &mut Recorder::default());
    assert!(matches!(outcome.end, End::Complete));
    assert_eq!(outcome.records.iter().filter(|row| row.status == Status::Failed).count(), 1);
    assert_eq!(backend.log().reopened, 3);
}

#[test]
fn a_device_that_cannot_be_opened_again_ends_the_run_with_its_rows() {
    let lost = only(SUBJECT, Behaviour::Lost);
    let mut backend = Fake { can_reopen: false, ..fake(lost) };
    let mut recorder = Recorder::default();
    let outcome = complete(&mut [&mut backend], Vec::new(), &mut recorder);
    let End::NoDevice(error) = outcome.end else { panic!("{:?}", outcome.end) };
    assert!(error.to_string().contains("cannot be opened again"), "{error}");
    // The last row is that of the case that lost the device, and the observer has it.
    let last = outcome.records.last().expect("rows");
    assert_eq!(index_of_subject(&outcome.records), outcome.records.len() - 1);
    assert_eq!(last.reason, "device lost: the fake was unplugged");
    assert_eq!(recorder.records, outcome.records);
    // With a working device, that row and the rest are measured.
    let mut recorder = Recorder { records: outcome.records.clone(), ..Recorder::default() };
    let rows = complete(&mut [&mut right()], outcome.records, &mut recorder).records;
    assert_eq!(names(&rows), names(&uninterrupted(|_| Behaviour::Right)));
    assert!(rows.iter().all(|row| row.status != Status::Failed));
}
