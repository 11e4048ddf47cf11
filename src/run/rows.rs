//! The rows of a run so far.

use std::collections::BTreeSet;

use super::kept::Kept;
use super::lane::Lane;
use crate::record::Record;
use crate::suite::Case;

/// Rows in the plan's order. A row's slot is its case's place times the number of APIs, plus its API's number.
pub(super) struct Rows {
    apis: usize,
    slots: Vec<usize>,
    records: Vec<Record>,
    /// Slots whose rows are to be measured again.
    again: BTreeSet<usize>,
}

impl Rows {
    pub(super) fn new(kept: Kept, apis: usize) -> Self {
        let slots = (0..kept.records.len()).collect();
        Self { apis, slots, records: kept.records, again: kept.again }
    }

    /// Each with its slot.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Record)> {
        self.slots.iter().copied().zip(&self.records)
    }

    /// Whether no API has a row for the case.
    pub(super) fn is_untouched(&self, place: usize) -> bool {
        self.of(place).next().is_none()
    }

    pub(super) fn lacks(&self, place: usize, api: usize) -> bool {
        let slot = place * self.apis + api;
        self.again.contains(&slot) || self.slots.binary_search(&slot).is_err()
    }

    /// Puts a row into its slot, in place of one that was there; gives how many rows before it are as they were.
    pub(super) fn put(&mut self, place: usize, api: usize, record: Record) -> usize {
        let slot = place * self.apis + api;
        self.again.remove(&slot);
        match self.slots.binary_search(&slot) {
            Ok(at) => {
                self.records[at] = record;
                at
            }
            Err(at) => {
                self.slots.insert(at, slot);
                self.records.insert(at, record);
                at
            }
        }
    }

    /// Holds all rows of APIs whose ceilings rose against them again; gives how many rows before the first that changed are as they were.
    pub(super) fn hold(&mut self, cases: &[Case], lanes: &mut [Lane]) -> usize {
        let mut unchanged = self.records.len();
        for (at, (slot, record)) in self.slots.iter().zip(&mut self.records).enumerate() {
            let lane = &lanes[slot % self.apis];
            if !lane.has_risen {
                continue;
            }
            let before = (record.status, record.share, record.ceiling.clone(), record.reason.clone());
            lane.ceilings.hold(&cases[slot / self.apis], record);
            if before != (record.status, record.share, record.ceiling.clone(), record.reason.clone()) {
                unchanged = unchanged.min(at);
            }
        }
        lanes.iter_mut().for_each(|lane| lane.has_risen = false);
        unchanged
    }

    /// The rows of a case, each with its API's number.
    pub(super) fn of(&self, place: usize) -> impl Iterator<Item = (usize, &Record)> {
        let apis = self.apis;
        self.iter().filter(move |(slot, _)| slot / apis == place).map(move |(slot, record)| (slot % apis, record))
    }

    pub(super) fn records(&self) -> &[Record] {
        &self.records
    }

    pub(super) fn into_records(self) -> Vec<Record> {
        self.records
    }
}
