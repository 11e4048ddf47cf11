//! The rows of a run so far.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::observer::Changes;
use super::one_api::ApiRun;
use super::settings::Epochs;
use kernels::raise_roofs;
use record::suite::Case;
use record::{Record, times::estimate};

/// Slots of rows that a case added or changed.
#[derive(Debug, Default)]
pub(super) struct ChangedRows {
    added: BTreeSet<usize>,
    changed: BTreeSet<usize>,
}

impl ChangedRows {
    pub(super) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty()
    }
}

/// Rows in plan order. A row's slot is the index of its case times the number of APIs, plus the index of its API.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RowTable {
    apis: usize,
    slots: Vec<usize>,
    records: Vec<Record>,
    to_repeat: BTreeSet<usize>,
}

impl RowTable {
    /// Rows with their slots in rising order, of a run through `apis` APIs; `to_repeat` are slots to measure again.
    #[must_use]
    pub fn new(apis: usize, rows: Vec<(usize, Record)>, to_repeat: BTreeSet<usize>) -> Self {
        let (slots, records) = rows.into_iter().unzip();
        Self { apis, slots, records, to_repeat }
    }

    /// The same rows in a run through `apis` APIs.
    #[must_use]
    pub fn with_apis(self, apis: usize) -> Self {
        Self { apis, ..self }
    }

    /// The rows of one API, as a table of a run through it alone.
    #[must_use]
    pub fn of_api(&self, api: usize) -> Self {
        let rows = self.iter().filter(|(slot, _)| slot % self.apis == api);
        let rows = rows.map(|(slot, record)| (slot / self.apis, record.clone()));
        let to_repeat = self.to_repeat.iter().filter(|slot| **slot % self.apis == api).map(|slot| slot / self.apis);
        Self::new(1, rows.collect(), to_repeat.collect())
    }

    /// The position of the row in a slot, if there is one.
    #[must_use]
    pub fn at(&self, slot: usize) -> Option<usize> {
        self.slots.binary_search(&slot).ok()
    }

    /// Inserts a row, or replaces the one in its slot. Returns its position, and whether it is new.
    pub fn insert(&mut self, slot: usize, record: Record) -> (usize, bool) {
        match self.slots.binary_search(&slot) {
            Ok(at) => {
                self.records[at] = record;
                (at, false)
            }
            Err(at) => {
                self.slots.insert(at, slot);
                self.records.insert(at, record);
                (at, true)
            }
        }
    }

    /// Notes that the row in a slot is measured and need not be repeated.
    pub fn is_measured(&mut self, slot: usize) {
        self.to_repeat.remove(&slot);
    }

    pub(super) fn repeat(&mut self, slots: impl IntoIterator<Item = usize>) {
        self.to_repeat.extend(slots);
    }

    /// Number of rows to measure again.
    #[must_use]
    pub fn repeats(&self) -> usize {
        self.to_repeat.len()
    }

    pub(super) fn is_repeated(&self, slot: usize) -> bool {
        self.to_repeat.contains(&slot)
    }

    /// The rows with their slots.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &Record)> {
        self.slots.iter().copied().zip(&self.records)
    }

    pub(super) fn get(&self, index: usize, api: usize) -> Option<&Record> {
        self.at(index * self.apis + api).map(|at| &self.records[at])
    }

    /// Estimates all times from their epochs, and adds changed rows to `changes`.
    fn estimate(&mut self, changes: &mut ChangedRows) {
        let before: Vec<_> = self.records.iter().map(|record| (record.median_ns, record.ci_high_ns)).collect();
        estimate(&mut self.records);
        for ((slot, record), before) in self.slots.iter().zip(&self.records).zip(before) {
            if (record.median_ns, record.ci_high_ns) != before {
                changes.changed.insert(*slot);
            }
        }
    }

    pub(super) fn lacks(&self, index: usize, api: usize) -> bool {
        let slot = index * self.apis + api;
        self.is_repeated(slot) || self.at(slot).is_none()
    }

    pub(super) fn put(&mut self, index: usize, api: usize, record: Record, changes: &mut ChangedRows) {
        let slot = index * self.apis + api;
        self.is_measured(slot);
        let (_, is_new) = self.insert(slot, record);
        if is_new { &mut changes.added } else { &mut changes.changed }.insert(slot);
    }

    /// Compares all rows of an API with its ceilings again if a ceiling rose.
    pub(super) fn judge(&mut self, cases: &[Case], runs: &mut [ApiRun], changes: &mut ChangedRows) {
        for (slot, record) in self.slots.iter().zip(&mut self.records) {
            let run = &runs[slot % self.apis];
            if !run.has_risen {
                continue;
            }
            let verdict = |record: &Record| {
                let shares = (record.share, record.share_low, record.share_high);
                (record.status, shares, record.ceiling, record.reason.clone())
            };
            let before = verdict(record);
            run.judge(&cases[slot / self.apis], record);
            if before != verdict(record) {
                changes.changed.insert(*slot);
            }
        }
        runs.iter_mut().for_each(|run| run.has_risen = false);
    }

    /// Estimates all rows from their epochs, sets the ceilings from them, and compares all rows with these.
    pub(super) fn settle(&mut self, cases: &[Case], runs: &mut [ApiRun], changes: &mut ChangedRows) {
        self.estimate(changes);
        runs.iter_mut().for_each(ApiRun::clear_ceilings);
        for (slot, record) in self.iter() {
            runs[slot % self.apis].add(&cases[slot / self.apis], record);
        }
        self.judge(cases, runs, changes);
        let raised = raise_roofs(&mut self.records);
        changes.changed.extend(raised.into_iter().map(|at| self.slots[at]));
    }

    /// The changed rows by position among all rows.
    pub(super) fn changes(&self, changes: &ChangedRows) -> Changes {
        let at = |slots: &BTreeSet<usize>| slots.iter().filter_map(|slot| self.at(*slot)).collect();
        let changed = changes.changed.difference(&changes.added).copied().collect();
        Changes { added: at(&changes.added), changed: at(&changed) }
    }

    /// The rows of a case, each with the index of its API.
    pub(super) fn of(&self, index: usize) -> impl Iterator<Item = (usize, &Record)> {
        let apis = self.apis;
        self.iter().filter(move |(slot, _)| slot / apis == index).map(move |(slot, record)| (slot % apis, record))
    }

    /// The number of further epochs that a case will probably need: as many as the most through any API.
    pub(super) fn expected(&self, index: usize, epochs: Epochs) -> usize {
        let records = (0..self.apis).filter_map(|api| self.get(index, api));
        records.map(|record| epochs.expected(record)).max().unwrap_or(0)
    }

    /// The rows, in plan order.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The cases that have a row with figures, with their indices.
    pub(super) fn measured<'a>(&self, cases: &'a [Case]) -> Vec<(usize, &'a Case)> {
        let figures = self.iter().filter(|(_, record)| record.median_ns.is_some());
        let mut indices: Vec<usize> = figures.map(|(slot, _)| slot / self.apis).collect();
        indices.dedup();
        indices.into_iter().map(|index| (index, &cases[index])).collect()
    }

    pub(super) fn has_benchmark(&self, family: &str, benchmark: &str) -> bool {
        self.records.iter().any(|record| record.family == family && record.benchmark == benchmark)
    }

    /// The rows, in plan order.
    #[must_use]
    pub fn into_records(self) -> Vec<Record> {
        self.records
    }
}
