//! Cases and rows in columns, to keep the page small: ten devices have about 20,000 rows.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::figure::Figure;
use crate::compare::{CaseComparison, Comparison, Entry};
use record::suite::{Checks, Dtype, Extent};
use record::{Bound, Clock, Record, Status};

/// For the charts: largest parameter, and range of predicted speeds. Other values are errors and would overflow axes.
const MOST_PARAM: f64 = 1e15;
const MODELS: std::ops::RangeInclusive<f64> = 1e-9..=1e9;

/// All distinct texts, and the values that some of them stand for. Columns refer to texts by index.
#[derive(Default, Serialize)]
pub(super) struct Texts<'a> {
    #[serde(skip)]
    indices: HashMap<Cow<'a, str>, usize>,
    texts: Vec<Cow<'a, str>>,
    values: Values,
}

/// The values that some texts stand for, by text index.
#[derive(Default, Serialize)]
struct Values {
    /// Bytes per element of a type.
    element_bytes: BTreeMap<usize, u64>,
    /// The dimensions of a size: one for an array, two for a matrix, three for a matrix product or a volume.
    sides: BTreeMap<usize, Vec<u64>>,
    params: BTreeMap<usize, BTreeMap<String, f64>>,
    limits: BTreeMap<usize, &'static str>,
}

impl<'a> Texts<'a> {
    pub(super) fn index_of(&mut self, text: impl Into<Cow<'a, str>>) -> usize {
        let text = text.into();
        *self.indices.entry(text.clone()).or_insert_with(|| {
            self.texts.push(text);
            self.texts.len() - 1
        })
    }

    fn index_of_dtype(&mut self, row: &Record) -> usize {
        let index = self.index_of(row.dtype_name());
        self.values.element_bytes.insert(index, row.dtype.map_or(0, Dtype::bytes));
        index
    }

    fn index_of_size(&mut self, row: &Record) -> usize {
        let index = self.index_of(row.size());
        self.values.sides.insert(index, row.n.map_or_else(Vec::new, Extent::sides));
        index
    }

    fn index_of_params(&mut self, row: &Record) -> usize {
        let index = self.index_of(row.params_text());
        let is_sound = |value: &f64| value.abs() <= MOST_PARAM;
        let sound = || row.params.iter().filter(|(_, value)| is_sound(value));
        let params = || sound().map(|(name, value)| (name.clone(), *value)).collect();
        self.values.params.entry(index).or_insert_with(params);
        index
    }

    fn index_of_ceiling(&mut self, bound: Option<Bound>) -> usize {
        let index = self.index_of(bound.map_or_else(String::new, |bound| bound.to_string()));
        if let Some(bound) = bound {
            self.values.limits.insert(index, bound.limit.name());
        }
        index
    }
}

/// The cases in columns. Texts are indices into [`Texts`].
#[derive(Default, Serialize)]
pub(super) struct CaseColumns {
    family: Vec<usize>,
    benchmark: Vec<usize>,
    dtype: Vec<usize>,
    n: Vec<usize>,
    params: Vec<usize>,
    /// Bytes that one launch must move.
    bytes: Vec<Option<Figure>>,
    /// Operations that one launch must do.
    flops: Vec<Option<Figure>>,
    /// Speed predicted by the family's model, relative to its first row.
    model: Vec<Option<Figure>>,
    /// Index of the ceiling, from the first side whose row has one.
    ceiling: Vec<Option<usize>>,
}

/// What most sides of a case have in common, taken from the first side that has the value.
pub(super) struct Common {
    work: (Option<u64>, Option<u64>),
    ceiling: Option<Bound>,
}

impl Common {
    /// Computed once for all cases, so that a case on a thousand sides is not read again for each of them.
    pub(super) fn of(cases: &[CaseComparison]) -> Vec<Self> {
        let common = |case: &CaseComparison| {
            let ceiling = case.entries.values().find_map(|entry| entry.share.and(entry.row().ceiling));
            Self { work: (of_case(case, bytes), of_case(case, flops)), ceiling }
        };
        cases.iter().map(common).collect()
    }
}

impl CaseColumns {
    pub(super) fn new<'a>(cases: &[CaseComparison<'a>], common: &[Common], texts: &mut Texts<'a>) -> Self {
        let mut columns = Self::default();
        for (case, common) in cases.iter().zip(common) {
            let row = case.row;
            columns.family.push(texts.index_of(row.family.as_str()));
            columns.benchmark.push(texts.index_of(row.benchmark.as_str()));
            columns.dtype.push(texts.index_of_dtype(row));
            columns.n.push(texts.index_of_size(row));
            columns.params.push(texts.index_of_params(row));
            columns.bytes.push(common.work.0.map(Figure::whole));
            columns.flops.push(common.work.1.map(Figure::whole));
            columns.model.push(
                of_case(case, |row| row.model.filter(|model| MODELS.contains(model)))
                    .and_then(|model| Figure::new(model, 4)),
            );
            columns.ceiling.push(common.ceiling.map(|ceiling| texts.index_of_ceiling(Some(ceiling))));
        }
        columns
    }
}

/// The bytes, unless zero: no rate can be computed from zero.
fn bytes(row: &Record) -> Option<u64> {
    row.bytes.filter(|bytes| *bytes > 0)
}

fn flops(row: &Record) -> Option<u64> {
    row.flops.filter(|flops| *flops > 0)
}

/// The value of the first row that has one. Rows without a time have no bytes or operations.
fn of_case<T>(case: &CaseComparison, get: fn(&Record) -> Option<T>) -> Option<T> {
    case.entries.values().find_map(|entry| get(entry.row()))
}

/// Ascending indices as ranges (first, count). Most sides have nearly all cases, so there are few ranges.
#[derive(Default, Serialize)]
#[serde(transparent)]
pub(super) struct Ranges(Vec<(usize, usize)>);

impl Ranges {
    pub(super) fn push(&mut self, index: usize) {
        match self.0.last_mut() {
            Some((first, count)) if *first + *count == index => *count += 1,
            _ => self.0.push((index, 1)),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|(_, count)| count).sum()
    }
}

#[derive(Default, Serialize)]
pub(super) struct SideColumns {
    /// Indices of the cases.
    case: Ranges,
    median_ns: Vec<Option<Figure>>,
    /// Distance of the lower end of the 95 % interval, relative to the median, in units of 1/10,000.
    below: Vec<Option<Figure>>,
    /// Distance of the upper end, likewise.
    above: Vec<Option<Figure>>,
    /// Share of the side's own ceiling, 1 = the ceiling.
    share: Vec<Option<Figure>>,
    /// Rows whose ceiling differs from the case's: row, ceiling.
    ceiling: Vec<(usize, usize)>,
    /// Rows that are not `ok` or have a note: row, status, reason.
    notes: Vec<(usize, &'static str, usize)>,
    /// Rows with run-time checks: row, checks.
    checks: Vec<(usize, usize)>,
    /// Rows with another clock than device timestamps: row, clock.
    timer: Vec<(usize, usize)>,
    /// Rows of a run with `--compiler`: row, milliseconds for translation and for pipeline creation, instructions.
    compiled: Vec<(usize, [Option<Figure>; 3])>,
    /// Rows with energy: row, joules per launch, watts.
    energy: Vec<(usize, [Option<Figure>; 2])>,
    /// Rows whose bytes or operations differ from the case's: row, bytes, operations.
    work: Vec<(usize, Option<Figure>, Option<Figure>)>,
}

impl SideColumns {
    pub(super) fn new<'a>(comparison: &Comparison<'a>, common: &[Common], side: usize, texts: &mut Texts<'a>) -> Self {
        let mut columns = Self::default();
        for (index, _, entry) in comparison.on_side(side) {
            columns.push(index, &common[index], entry, texts);
        }
        columns
    }

    fn push<'a>(&mut self, index: usize, common: &Common, entry: &Entry<'a>, texts: &mut Texts<'a>) {
        let (at, row) = (self.case.len(), entry.row());
        let timing = entry.timing;
        let reach = |end: fn((f64, f64)) -> f64| {
            timing.and_then(|timing| Figure::distance(timing.median_ns, end(timing.interval?)))
        };
        self.case.push(index);
        self.median_ns.push(timing.and_then(|timing| Figure::new(timing.median_ns, 5)));
        self.below.push(reach(|interval| interval.0));
        self.above.push(reach(|interval| interval.1));
        self.share.push(entry.share.and_then(|share| Figure::new(share, 4)));
        if entry.share.is_some() && row.ceiling != common.ceiling {
            self.ceiling.push((at, texts.index_of_ceiling(row.ceiling)));
        }
        if row.status != Status::Ok || !row.reason.is_empty() {
            self.notes.push((at, row.status.name(), texts.index_of(row.reason.as_str())));
        }
        if let Some(checks) = row.checks.filter(|checks| *checks != Checks::default()) {
            self.checks.push((at, texts.index_of(checks.name())));
        }
        if let Some(clock) = row.timer.filter(|clock| *clock != Clock::Timestamp) {
            self.timer.push((at, texts.index_of(clock.name())));
        }
        let figure = |value: Option<f64>| value.and_then(|value| Figure::new(value, 4));
        if row.translation_ms.is_some() || row.pipeline_ms.is_some() || row.spirv_instructions.is_some() {
            let instructions = row.spirv_instructions.map(Figure::whole);
            self.compiled.push((at, [figure(row.translation_ms), figure(row.pipeline_ms), instructions]));
        }
        if row.energy_j.is_some() || row.power_w.is_some() {
            self.energy.push((at, [figure(row.energy_j), figure(row.power_w)]));
        }
        let work = (bytes(row), flops(row));
        if timing.is_some() && work != common.work {
            self.work.push((at, work.0.map(Figure::whole), work.1.map(Figure::whole)));
        }
    }
}
