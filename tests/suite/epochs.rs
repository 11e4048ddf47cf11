//! Epochs on a fake device: how many a case has, in which order, and what they add to its row.

use crate::common::{
    self, Behaviour, Fake, SUBJECT, cases, fake, fake_on, is_subject, only, plan_of_subject, right, settings, subject,
};
use gpu::backend::Backend;
use gpu::engine::measure::Timer;
use gpu::engine::{self, Changes, End, Epochs, Expected, Observer, Outcome, RowTable, Settings};
use record::error::Result;
use record::suite::{Api, Case, Toolchain};
use record::{Record, Status};

/// Records the order of cases, and may interrupt the run.
#[derive(Default)]
struct Watch {
    /// Index and API of each case, by pass.
    passes: Vec<Vec<(usize, Option<Api>)>>,
    stop_in_pass: Option<usize>,
    announced: Vec<(usize, usize)>,
    plans: Vec<Vec<Expected>>,
}

impl Observer for Watch {
    fn timer(&mut self, _: Toolchain<'_>, _: &Timer) {}
    fn plan(&mut self, cases: &[Expected]) {
        self.plans.push(cases.to_vec());
    }
    fn start(&mut self, index: usize, _: &Case, row: &Record) {
        let pass = row.epochs_ns.len();
        self.passes.resize(self.passes.len().max(pass + 1), Vec::new());
        self.passes[pass].push((index, row.backend));
    }
    fn row(&mut self, _: &Record) {}
    fn pass(&mut self, number: usize, count: usize) {
        self.announced.push((number, count));
    }
    fn finish(&mut self, _: &[Record], _: &Changes) -> Result<()> {
        Ok(())
    }
    fn is_interrupted(&self) -> bool {
        self.stop_in_pass.is_some_and(|pass| self.announced.iter().any(|(number, _)| *number == pass))
    }
}

fn with(epochs: Epochs, seed: u64) -> Settings {
    Settings { epochs, seed, ..settings() }
}

const THREE: Epochs = Epochs { least: 3, most: 3, target: 0.0 };

fn run(backends: &mut [&mut Fake], kept: Vec<Record>, settings: &Settings, watch: &mut Watch) -> Outcome {
    let devices: Vec<_> = backends.iter().map(|backend| backend.device().clone()).collect();
    let plan = plan_of_subject();
    let kept = RowTable::resumed(kept, &plan, &devices, settings).expect("rows of this run");
    let mut backends: Vec<&mut dyn Backend> = backends.iter_mut().map(|b| &mut **b as &mut dyn Backend).collect();
    pollster::block_on(engine::resume(&mut backends, &plan, kept, settings, watch)).expect("nothing fails")
}

#[test]
fn the_plan_of_each_pass_has_the_cases_that_it_measures() {
    let mut watch = Watch::default();
    let adaptive = Epochs { least: 2, most: 8, target: 0.004 };
    let rows = run(&mut [&mut right()], Vec::new(), &with(adaptive, 7), &mut watch).records;
    let expected = |plan: &[Expected]| -> Vec<usize> {
        plan.iter().enumerate().filter(|(_, case)| case.epochs > 0).map(|(index, _)| index).collect()
    };
    let measured = |pass: &[(usize, Option<Api>)]| {
        let mut indices: Vec<usize> = pass.iter().map(|(index, _)| *index).collect();
        indices.sort_unstable();
        indices
    };
    assert!(watch.plans.len() >= 2 && watch.plans.len() == watch.passes.len(), "{:?}", watch.passes);
    for (number, (plan, pass)) in watch.plans.iter().zip(&watch.passes).enumerate() {
        assert_eq!(expected(plan), measured(pass), "pass {number}");
        assert!(plan.iter().all(|case| case.epochs == 0 || case.is_new == (number == 0)), "{plan:?}");
    }
    assert!(watch.plans[0].iter().all(|case| case.epochs == 4), "the geometric mean of 2 and 8");
    // A resumed run has only the missing epochs to measure.
    let mut resumed = Watch::default();
    let more = Epochs { least: 12, most: 12, target: 0.0 };
    run(&mut [&mut right()], rows.clone(), &with(more, 7), &mut resumed);
    for (row, case) in rows.iter().zip(&resumed.plans[0]) {
        let left = if row.median_ns.is_some() { 12 - row.epochs_ns.len() } else { 0 };
        assert_eq!(*case, Expected { is_new: false, epochs: left }, "{}", row.name());
    }
}

#[test]
fn every_measured_case_has_its_epochs_in_passes_of_random_order() {
    let mut watch = Watch::default();
    let outcome = run(&mut [&mut right()], Vec::new(), &with(THREE, 7), &mut watch);
    for row in &outcome.records {
        let epochs = if row.median_ns.is_some() { 3 } else { 0 };
        assert_eq!((row.epochs_ns.len(), row.seed), (epochs, Some(7)), "{}", row.name());
        assert_eq!(row.epoch_samples.iter().sum::<u64>(), row.samples.unwrap_or(0));
    }
    let [first, second, third] = &watch.passes[..] else { panic!("three passes: {:?}", watch.passes) };
    assert!(first.is_sorted() && !second.is_sorted() && !third.is_sorted() && second != third);
    assert_eq!(watch.announced, [(2, second.len()), (3, third.len())]);
    let order_of = |seed| {
        let mut watch = Watch::default();
        run(&mut [&mut right()], Vec::new(), &with(THREE, seed), &mut watch);
        watch.passes
    };
    assert_eq!(order_of(7), watch.passes);
    assert_ne!(order_of(8)[1], watch.passes[1]);
}

#[test]
fn rows_that_differ_between_epochs_have_more_of_them_and_a_wide_interval() {
    let epochs = Epochs { least: 2, most: 6, target: 0.01 };
    let mut backend = fake(only(SUBJECT, Behaviour::SlowAtFirst(1.3)));
    let outcome = run(&mut [&mut backend], Vec::new(), &with(epochs, 1), &mut Watch::default());
    let row = subject(&outcome.records);
    assert_eq!(row.epochs_ns.len(), 6);
    assert!((row.epochs_ns[0] / row.epochs_ns[1] - 1.3).abs() < 0.05, "{:?}", row.epochs_ns);
    assert!(row.noise_between.is_some_and(|noise| (0.05..0.2).contains(&noise)), "{:?}", row.noise_between);
    assert!(row.noise().is_some_and(|noise| noise > 0.05), "{:?}", row.noise());
    let others = outcome.records.iter().filter(|row| !is_subject(row) && row.median_ns.is_some());
    assert!(others.clone().all(|row| row.noise().is_some_and(|noise| noise <= 0.01)));
    assert!(others.clone().any(|row| row.epochs_ns.len() == 2));
}

#[test]
fn an_interrupted_run_keeps_its_epochs_and_is_resumed_with_the_rest() {
    let settings = with(THREE, 3);
    let mut watch = Watch { stop_in_pass: Some(2), ..Watch::default() };
    let outcome = run(&mut [&mut right()], Vec::new(), &settings, &mut watch);
    assert!(matches!(outcome.end, End::Interrupted));
    assert!(outcome.records.iter().all(|row| row.epochs_ns.len() <= 1));
    let before = outcome.records.clone();
    let outcome = run(&mut [&mut right()], outcome.records, &settings, &mut Watch::default());
    assert!(matches!(outcome.end, End::Complete));
    for (row, before) in outcome.records.iter().zip(&before).filter(|(row, _)| row.median_ns.is_some()) {
        assert_eq!(row.epochs_ns.len(), 3, "{}", row.name());
        assert_eq!(row.epochs_ns[0], before.epochs_ns[0], "the first epoch is kept");
    }
}

#[test]
fn apis_have_as_many_epochs_and_take_turns_at_being_first() {
    let (mut vulkan, mut cuda) = (right(), fake_on(Api::Cuda, |_| Behaviour::Right));
    let mut watch = Watch::default();
    let outcome = run(&mut [&mut vulkan, &mut cuda], Vec::new(), &with(THREE, 5), &mut watch);
    assert!(outcome.records.iter().filter(|row| row.median_ns.is_some()).all(|row| row.epochs_ns.len() == 3));
    for pass in &watch.passes[1..] {
        // The rows of a case follow each other. Only one API runs some cases.
        let of_two: Vec<_> = pass.chunk_by(|a, b| a.0 == b.0).filter(|rows| rows.len() == 2).collect();
        let alone = pass.len() - 2 * of_two.len();
        assert!(alone <= 1 && of_two.len() > 4, "{pass:?}");
        let cuda_first = of_two.iter().filter(|rows| rows[0].1 == Some(Api::Cuda)).count();
        assert!(cuda_first > 0 && cuda_first < of_two.len(), "{pass:?}");
    }
}

#[test]
fn a_row_without_memory_for_another_epoch_keeps_those_it_has() {
    let mut backend = fake(only(SUBJECT, Behaviour::Right));
    let mut watch = Watch { stop_in_pass: Some(2), ..Watch::default() };
    let settings = with(THREE, 1);
    let rows = run(&mut [&mut backend], Vec::new(), &settings, &mut watch).records;
    let mut full = fake(only(SUBJECT, Behaviour::OutOfMemory));
    let outcome = run(&mut [&mut full], rows, &settings, &mut Watch::default());
    let row = subject(&outcome.records);
    assert_eq!((row.status, row.epochs_ns.len()), (Status::Ok, 1));
    assert!(outcome.records.iter().any(|row| row.epochs_ns.len() == 3));
}

#[test]
fn a_device_lost_in_a_later_epoch_fails_the_row_and_the_run_continues() {
    let mut watch = Watch { stop_in_pass: Some(2), ..Watch::default() };
    let settings = with(THREE, 1);
    let rows = run(&mut [&mut right()], Vec::new(), &settings, &mut watch).records;
    let mut lost = fake(only(SUBJECT, Behaviour::Lost));
    let outcome = run(&mut [&mut lost], rows, &settings, &mut Watch::default());
    let row = subject(&outcome.records);
    assert_eq!((row.status, row.median_ns), (Status::Failed, None));
    assert!(outcome.records.iter().filter(|row| row.median_ns.is_some()).all(|row| row.epochs_ns.len() == 3));
    assert_eq!(lost.log().reopened, 1);
}

#[test]
fn a_kernel_that_is_wrong_in_a_later_epoch_is_wrong() {
    let mut watch = Watch { stop_in_pass: Some(2), ..Watch::default() };
    let settings = with(THREE, 1);
    let rows = run(&mut [&mut right()], Vec::new(), &settings, &mut watch).records;
    let mut wrong = fake(only(SUBJECT, Behaviour::Wrong(3)));
    let outcome = run(&mut [&mut wrong], rows, &settings, &mut Watch::default());
    let row = subject(&outcome.records);
    assert_eq!((row.status, row.median_ns, row.epochs_ns.len()), (Status::Wrong, None, 0));
}

#[test]
fn a_time_limit_ends_the_epochs() {
    let plan = cases(&["transpose"], &["64x96"]);
    let settings = Settings { time: Some(std::time::Duration::from_millis(1)), ..with(THREE, 1) };
    let mut backend = right();
    let mut recorder = common::Recorder { is_in_any_order: true, ..common::Recorder::default() };
    let outcome = common::resume(&mut [&mut backend], &plan, RowTable::default(), &settings, &mut recorder);
    assert!(outcome.records.iter().all(|row| row.epochs_ns.len() <= 1), "no time for a second pass");
}
