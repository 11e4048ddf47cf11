//! Cases and the rows of each side, column by column: ten devices have some twenty thousand rows.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::figure::Figure;
use crate::results::compare::{Case, Entry};
use crate::results::{Bound, Clock, Record, Status};
use crate::suite::{Checks, Dtype, Extent};

/// Every text once; columns hold its index.
#[derive(Default)]
pub(super) struct Texts<'a> {
    indices: HashMap<Cow<'a, str>, usize>,
    texts: Vec<Cow<'a, str>>,
    values: Values,
}

/// What texts stand for, by their index.
#[derive(Default, Serialize)]
struct Values {
    /// Bytes of an element of a type.
    element_bytes: BTreeMap<usize, u64>,
    /// The sides of a size: one of an array, two of a matrix, three of a product or a volume.
    sides: BTreeMap<usize, Vec<u64>>,
    params: BTreeMap<usize, BTreeMap<String, f64>>,
    /// The limit of a ceiling.
    limits: BTreeMap<usize, &'static str>,
}

/// Texts, and what some of them stand for.
#[derive(Serialize)]
pub(super) struct TextTable<'a> {
    texts: Vec<Cow<'a, str>>,
    values: Values,
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
        self.values.params.entry(index).or_insert_with(|| row.params.clone());
        index
    }

    fn index_of_ceiling(&mut self, bound: Option<Bound>) -> usize {
        let index = self.index_of(bound.map_or_else(String::new, |bound| bound.to_string()));
        if let Some(bound) = bound {
            self.values.limits.insert(index, bound.limit.name());
        }
        index
    }

    pub(super) fn into_table(self) -> TextTable<'a> {
        TextTable { texts: self.texts, values: self.values }
    }
}

/// What a case is, by the case's index. Texts are indices in the list of texts.
#[derive(Default, Serialize)]
pub(super) struct CaseColumns {
    family: Vec<usize>,
    benchmark: Vec<usize>,
    dtype: Vec<usize>,
    n: Vec<usize>,
    params: Vec<usize>,
    /// Bytes that one launch must move.
    bytes: Vec<Option<Figure>>,
    /// Operations that it must do.
    flops: Vec<Option<Figure>>,
    /// Speed that the family's model predicts, relative to its first row.
    model: Vec<Option<Figure>>,
}

impl CaseColumns {
    pub(super) fn new<'a>(cases: &[Case<'a>], texts: &mut Texts<'a>) -> Self {
        let mut columns = Self::default();
        for case in cases {
            let row = case.row;
            columns.family.push(texts.index_of(row.family.as_str()));
            columns.benchmark.push(texts.index_of(row.benchmark.as_str()));
            columns.dtype.push(texts.index_of_dtype(row));
            columns.n.push(texts.index_of_size(row));
            columns.params.push(texts.index_of_params(row));
            columns.bytes.push(of_case(case, |row| row.bytes).map(Figure::whole));
            columns.flops.push(of_case(case, |row| row.flops).map(Figure::whole));
            columns.model.push(of_case(case, |row| row.model).and_then(|model| Figure::new(model, 4)));
        }
        columns
    }
}

/// The value of the first row that has it: rows without a time do not state their work.
fn of_case<T>(case: &Case, get: fn(&Record) -> Option<T>) -> Option<T> {
    case.entries.iter().flatten().find_map(|entry| get(entry.row()))
}

/// Indices one after the other, as ranges of (first, how many): most sides have nearly all cases.
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

/// The rows of a side.
#[derive(Default, Serialize)]
pub(super) struct SideColumns {
    /// Indices of the cases.
    case: Ranges,
    median_ns: Vec<Option<Figure>>,
    /// How far the 95 % interval reaches below the median, in 1/10,000 of it.
    below: Vec<Option<Figure>>,
    /// How far above.
    above: Vec<Option<Figure>>,
    /// Fraction of the side's own ceiling.
    share: Vec<Option<Figure>>,
    /// What that ceiling is, an index in the list of texts.
    ceiling: Vec<Option<usize>>,
    /// Rows that are not `ok` or have a note: row, status, reason.
    notes: Vec<(usize, &'static str, usize)>,
    /// Rows that ran with run-time checks: row, which.
    checks: Vec<(usize, usize)>,
    /// Rows that were not timed by the device's clock: row, clock.
    timer: Vec<(usize, usize)>,
    /// Rows whose bytes and operations are not the case's.
    work: Vec<(usize, Option<Figure>, Option<Figure>)>,
}

impl SideColumns {
    pub(super) fn new<'a>(cases: &[Case<'a>], side: usize, texts: &mut Texts<'a>) -> Self {
        let mut columns = Self::default();
        for (index, case) in cases.iter().enumerate() {
            if let Some(entry) = &case.entries[side] {
                columns.push(index, case, entry, texts);
            }
        }
        columns
    }

    fn push<'a>(&mut self, index: usize, case: &Case<'a>, entry: &Entry<'a>, texts: &mut Texts<'a>) {
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
        self.ceiling.push(entry.share.map(|_| texts.index_of_ceiling(row.ceiling)));
        if row.status != Status::Ok || !row.reason.is_empty() {
            self.notes.push((at, row.status.name(), texts.index_of(row.reason.as_str())));
        }
        if let Some(checks) = row.checks.filter(|checks| *checks != Checks::default()) {
            self.checks.push((at, texts.index_of(checks.name())));
        }
        if let Some(clock) = row.timer.filter(|clock| *clock != Clock::Timestamp) {
            self.timer.push((at, texts.index_of(clock.name())));
        }
        let work = (row.bytes, row.flops);
        if timing.is_some() && work != (of_case(case, |row| row.bytes), of_case(case, |row| row.flops)) {
            self.work.push((at, row.bytes.map(Figure::whole), row.flops.map(Figure::whole)));
        }
    }
}
