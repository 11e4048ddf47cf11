//! Runs on fake devices, and an observer that records them.

use super::fake::{Behaviour, Fake, fake, only};
use gpu::backend::Backend;
use gpu::engine::measure::Timer;
use gpu::engine::plan::{Request, plan};
use gpu::engine::{self, Changes, Epochs, Observer, Outcome, RowTable, Settings};
use record::error::Result;
use record::suite::{Case, Dtype, Profile, Toolchain};
use record::{Record, Status};

#[derive(Default)]
pub(crate) struct Recorder {
    pub timer: Option<Timer>,
    pub finished: usize,
    /// The API of each turn.
    pub turns: Vec<&'static str>,
    /// The case of each turn, by index.
    pub case_indices: Vec<usize>,
    /// Number of rows after each case.
    pub rows: Vec<usize>,
    /// Number of unchanged rows after each case.
    pub unchanged: Vec<usize>,
    pub records: Vec<Record>,
    pub row_calls: usize,
    /// Whether cases may run in any order, as with a time limit.
    pub is_in_any_order: bool,
    /// Number of cases after which the run is interrupted.
    pub stop_after: Option<usize>,
}

impl Observer for Recorder {
    fn timer(&mut self, _: Toolchain<'_>, timer: &Timer) {
        self.timer = Some(timer.clone());
    }
    fn start(&mut self, index: usize, case: &Case, row: &Record) {
        let api = ["vulkan", "dx12", "cuda", "gl", "webgpu"]
            .into_iter()
            .find(|api| *api == row.api_name())
            .expect("an API of the fakes");
        self.turns.push(api);
        let is_in_order = self.case_indices.last().is_none_or(|last| *last <= index);
        assert!(is_in_order || self.is_in_any_order, "cases run in order");
        self.case_indices.push(index);
        assert_eq!((row.name(), row.median_ns), (case.name(), None));
    }
    fn row(&mut self, record: &Record) {
        assert!(!record.device.is_empty());
        self.row_calls += 1;
    }
    fn finish(&mut self, records: &[Record], changes: &Changes) -> Result<()> {
        let unchanged = changes.unchanged();
        self.finished += 1;
        self.rows.push(records.len());
        self.unchanged.push(unchanged);
        let compared = unchanged.min(self.records.len());
        assert_eq!(records[..compared], self.records[..compared], "the first {unchanged} rows are unchanged");
        self.records = records.to_vec();
        Ok(())
    }
    fn is_interrupted(&self) -> bool {
        self.stop_after.is_some_and(|cases| self.finished >= cases)
    }
}

pub(crate) fn settings() -> Settings {
    let (date, os, cpu) = ("2026-01-02T03:04:05Z".into(), "TestOS 1".into(), "Test CPU (2 threads)".into());
    Settings { epochs: Epochs::ONE, ..Settings::new(Profile::Quick, date, os, cpu) }
}

/// Cases of `quick`.
pub(crate) fn cases(filters: &[&str], sizes: &[&str]) -> Vec<Case> {
    cases_of(Profile::Quick, filters, sizes)
}

pub(crate) fn cases_of(profile: Profile, filters: &[&str], sizes: &[&str]) -> Vec<Case> {
    use record::suite::Extent;
    let request = Request {
        sizes: sizes.iter().map(|size| Extent::parse(size).expect("a size")).collect(),
        ..Request::new(filters.iter().map(|filter| (*filter).to_owned()).collect(), profile)
    };
    plan(&request).expect("a plan")
}

/// The label of the case whose behaviour a test sets.
pub(crate) const SUBJECT: &str = "transpose/tiled f32 64x96 PAD=1";

pub(crate) fn is_subject(row: &Record) -> bool {
    row.name() == "transpose/tiled" && row.dtype == Some(Dtype::F32) && row.params_text() == "PAD=1"
}

pub(crate) fn plan_of_subject() -> Vec<Case> {
    cases(&["transpose"], &["64x96"])
}

pub(crate) fn run(backends: &mut [&mut dyn Backend], cases: &[Case], recorder: &mut Recorder) -> Result<Vec<Record>> {
    pollster::block_on(engine::run(backends, cases, &settings(), recorder))
}

pub(crate) fn measure(backend: &mut dyn Backend, cases: &[Case]) -> Vec<Record> {
    run(&mut [backend], cases, &mut Recorder::default()).expect("a run")
}

/// Runs the cases that have no rows yet.
pub(crate) fn resume(
    backends: &mut [&mut dyn Backend],
    cases: &[Case],
    kept: RowTable,
    settings: &Settings,
    recorder: &mut Recorder,
) -> Outcome {
    pollster::block_on(engine::resume(backends, cases, kept, settings, recorder)).expect("the observer does not fail")
}

pub(crate) fn run_family(backend: &mut Fake, recorder: &mut Recorder) -> Vec<Record> {
    run(&mut [backend], &plan_of_subject(), recorder).expect("a case does not end the run")
}

pub(crate) fn subject(records: &[Record]) -> &Record {
    records.iter().find(|row| is_subject(row)).expect("the subject has a row")
}

/// The first row of a benchmark in f32.
pub(crate) fn row_of<'a>(records: &'a [Record], name: &str) -> &'a Record {
    records.iter().find(|row| row.name() == name && row.dtype == Some(Dtype::F32)).expect("a row")
}

/// Runs with this behaviour of the subject, and asserts that no other row fails. Returns rows and number of reopenings.
pub(crate) fn run_with(behaviour: Behaviour) -> (Vec<Record>, usize) {
    let mut backend = fake(only(SUBJECT, behaviour));
    let records = run_family(&mut backend, &mut Recorder::default());
    let reopened = backend.log().reopened;
    for other in records.iter().filter(|row| !is_subject(row)) {
        assert!(
            matches!(other.status, Status::Ok | Status::Skipped),
            "{} {}: {}",
            other.name(),
            other.size(),
            other.reason
        );
    }
    (records, reopened)
}
