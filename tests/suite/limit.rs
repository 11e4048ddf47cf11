//! Runs with a time limit, and sizes above one that timed out, on a fake device.

use std::time::Duration;

use crate::common::{self, Behaviour, Fake, Recorder, cases, device, fake, fake_on, only, right, settings};
use gpu::engine::plan::{Request, plan};
use gpu::engine::{Outcome, RowTable, Settings};
use record::suite::{Api, Case, DeviceType, Dtype, Profile};
use record::{Record, Status};

/// The quick plan of a benchmark, with small sizes in reserve.
fn planned(benchmark: &str) -> Vec<Case> {
    plan(&Request { has_reserves: true, ..Request::new(vec![benchmark.to_owned()], Profile::Quick) }).expect("a plan")
}

/// A device on which a launch may take three seconds.
fn software(behaviour: impl Fn(&str) -> Behaviour + 'static) -> Fake {
    let mut fake = fake(behaviour);
    fake.device.kind = DeviceType::Software;
    fake
}

fn limited() -> Settings {
    Settings { time: Some(Duration::from_secs(100)), ..settings() }
}

fn measured(backend: &mut Fake, cases: &[Case], kept: RowTable, settings: &Settings) -> Outcome {
    let mut recorder = Recorder { is_in_any_order: true, ..Recorder::default() };
    let outcome = common::resume(&mut [backend], cases, kept, settings, &mut recorder);
    assert!(recorder.finished == 0 || outcome.records == recorder.records, "the observer has every row");
    outcome
}

fn sizes(records: &[Record], dtype: &str) -> Vec<String> {
    let rows =
        records.iter().filter(|row| row.family != "ceiling" && row.dtype_name() == dtype && row.params.is_empty());
    rows.map(Record::size).collect()
}

#[test]
fn cases_that_take_too_long_are_replaced_by_a_smaller_size() {
    let cases = planned("reduction/first_add");
    let fast = measured(&mut right(), &cases, RowTable::default(), &limited());
    assert!(fast.left_out.whole.is_empty(), "{:?}", fast.left_out);
    assert_eq!(
        sizes(&fast.records, "f32"),
        ["16777216"],
        "the largest declared size of which a buffer of 64 MiB holds the input"
    );
    // 0.2 s for 2^16 words, 0.5 s for 2^20, and 1.8 s for 2^22.
    let slow = only("reduction", Behaviour::Slow(1e5));
    let outcome = measured(&mut software(slow), &cases, RowTable::default(), &limited());
    let size: u64 = sizes(&outcome.records, "f32")[0].parse().expect("a number");
    assert!((1 << 16..1 << 24).contains(&size), "{size}");
    let smaller: Vec<String> = outcome.left_out.smaller.iter().map(|index| cases[*index].to_string()).collect();
    assert!(smaller.contains(&"reduction/first_add f32 268435456".to_owned()), "{smaller:?}");
    assert!(outcome.left_out.whole.is_empty(), "{:?}", outcome.left_out);
    let is_fine = |row: &Record| row.status == Status::Ok || row.reason.contains("the device allows");
    let faults: Vec<_> =
        outcome.records.iter().filter(|row| !is_fine(row)).map(|row| (row.name(), &row.reason)).collect();
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn a_benchmark_too_slow_at_every_size_has_one_skipped_row() {
    let cases = planned("histogram/*");
    let slow = |label: &str| if label.contains("global_atomic") { Behaviour::Slow(1e7) } else { Behaviour::Right };
    let records = measured(&mut fake(slow), &cases, RowTable::default(), &limited()).records;
    let rows: Vec<&Record> = records.iter().filter(|row| row.benchmark == "global_atomic").collect();
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].status, rows[0].median_ns), (Status::Skipped, None));
    assert!(rows[0].reason.ends_with("too long for the run's remaining time (--time)"), "{}", rows[0].reason);
    let is_fine = |row: &Record| row.status == Status::Ok || row.reason.contains("the device allows");
    assert!(records.iter().all(|row| ["global_atomic", "cub"].contains(&row.benchmark.as_str()) || is_fine(row)));
}

#[test]
fn an_api_too_slow_for_a_case_has_a_skipped_row() {
    let cases = planned("histogram/*");
    let slow = |label: &str| if label.contains("global_atomic") { Behaviour::Slow(1e7) } else { Behaviour::Right };
    let (mut fast, mut slow) = (right(), fake_on(Api::Cuda, slow));
    let mut recorder = Recorder { is_in_any_order: true, ..Recorder::default() };
    let backends: &mut [&mut dyn gpu::backend::Backend] = &mut [&mut fast, &mut slow];
    let records = common::resume(backends, &cases, RowTable::default(), &limited(), &mut recorder).records;
    let of = |api: &str| {
        records.iter().filter(|row| row.benchmark == "global_atomic" && row.api_name() == api).collect::<Vec<_>>()
    };
    for row in of("cuda") {
        assert_eq!(row.status, Status::Skipped);
        assert!(row.reason.ends_with("too long for the run's remaining time (--time)"), "{}", row.reason);
    }
    assert!(of("vulkan").len() == of("cuda").len() && !of("cuda").is_empty());
}

#[test]
fn a_run_with_a_time_limit_of_zero_skips_every_benchmark() {
    let no_time = Settings { time: Some(Duration::ZERO), ..settings() };
    let cases = planned("transpose");
    let outcome = measured(&mut right(), &cases, RowTable::default(), &no_time);
    assert!(outcome.records.iter().all(|row| row.status == Status::Skipped && row.reason.contains("(--time)")));
    let mut names: Vec<String> = cases.iter().map(Case::name).collect();
    names.dedup();
    names.sort();
    names.dedup();
    assert_eq!(outcome.records.len(), names.len());
}

/// As in the second round of a run, and in a resumed one.
#[test]
fn a_case_with_a_row_of_a_smaller_size_is_not_left_out_whole() {
    let cases = planned("reduction/first_add");
    let slow = only("reduction", Behaviour::Slow(1e5));
    let first = measured(&mut software(slow), &cases, RowTable::default(), &limited());
    assert!(first.left_out.whole.is_empty() && !first.left_out.smaller.is_empty(), "{:?}", first.left_out);
    let kept = || RowTable::resumed(first.records.clone(), &cases, &[software(slow).device], &limited());
    let no_time = Settings { time: Some(Duration::ZERO), ..limited() };
    let second = measured(&mut software(slow), &cases, kept().expect("a part of the plan"), &no_time);
    assert_eq!(second.records, first.records);
    assert_eq!((second.left_out.smaller, second.left_out.whole), (first.left_out.smaller, Vec::new()));
}

#[test]
fn a_limited_run_has_the_order_of_the_plan_and_is_completed_on_resume() {
    let cases = planned("reduction");
    let slow = only("reduction", Behaviour::Slow(1e5));
    let first = measured(&mut software(slow), &cases, RowTable::default(), &limited()).records;
    let indices = |records: &[Record]| -> Vec<usize> {
        let index = |row: &Record| {
            let is_of = |case: &Case| {
                (case.name(), case.shape.dtype.name(), case.shape.extent.to_string(), case.params_text())
                    == (row.name(), row.dtype_name(), row.size(), row.params_text())
            };
            cases.iter().position(is_of).expect("a case of the plan")
        };
        records.iter().map(index).collect()
    };
    assert!(indices(&first).is_sorted() && first.len() < cases.len());
    let kept = RowTable::resumed(first.clone(), &cases, &[device()], &limited()).expect("a part of the plan");
    let mut backend = right();
    let second = measured(&mut backend, &cases, kept, &limited()).records;
    assert!(indices(&second).is_sorted() && second.len() > first.len());
    assert!(first.iter().all(|row| second.iter().any(|other| other.identity() == row.identity())));
}

#[test]
fn sizes_above_one_that_timed_out_are_skipped() {
    let cases = cases(&["reduction/sequential"], &["2^10", "2^16", "2^20"]);
    let hanging =
        |label: &str| if label == "reduction/sequential f32 65536" { Behaviour::Hanging } else { Behaviour::Right };
    let records = measured(&mut fake(hanging), &cases, RowTable::default(), &settings()).records;
    let rows: Vec<&Record> = records.iter().filter(|row| row.name() == "reduction/sequential").collect();
    let status =
        |n: &str| rows.iter().find(|row| row.size() == n && row.dtype == Some(Dtype::F32) && row.params.is_empty());
    assert_eq!(status("1024").map(|row| row.status), Some(Status::Ok));
    assert_eq!(status("65536").map(|row| row.status), Some(Status::Failed));
    let last = status("1048576").expect("a row");
    assert_eq!((last.status, last.reason.as_str()), (Status::Skipped, "the same kernel timed out at size 65536"));
    // Another type is another kernel.
    assert!(rows.iter().filter(|row| row.dtype == Some(Dtype::U32)).all(|row| row.status == Status::Ok));
}
