//! `summary`: one screen of headline figures.

use std::path::PathBuf;

use super::format::TableFormat;
use super::output::{print, terminal};
use super::reports;
use crate::error::Result;
use crate::report::summary::{card, side_by_side};
use crate::results::Record;

/// Arguments of `summary`.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Reports (CSV or JSON); several are shown side by side
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Format of a table of several reports
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
}

/// Runs the command.
pub(super) fn summary(arguments: &Arguments) -> Result<()> {
    let mut reports: Vec<(String, Vec<Record>)> = Vec::new();
    for path in &arguments.files {
        let report = reports::read(path)?;
        reports.extend(by_card(report.records).into_iter().map(|records| (report.name.clone(), records)));
    }
    match reports.as_slice() {
        [(name, records)] => print(&card(records, std::slice::from_ref(name), terminal())),
        several => print(&side_by_side(several, arguments.format.medium())),
    }
}

/// The rows of each card, in the order of the report.
fn by_card(records: Vec<Record>) -> Vec<Vec<Record>> {
    let mut cards: Vec<Card> = Vec::new();
    for record in records {
        match cards.iter_mut().find(|card| card.owns(&record)) {
            Some(card) => card.push(record),
            None => cards.push(Card { named: vec![0], records: vec![record] }),
        }
    }
    cards.into_iter().map(|card| card.records).collect()
}

struct Card {
    records: Vec<Record>,
    /// Indices of the first row of each run and API: later ones say nothing new about the card.
    named: Vec<usize>,
}

impl Card {
    fn owns(&self, record: &Record) -> bool {
        let named = || self.named.iter().map(|index| &self.records[*index]);
        let is_named = |row: &Record| (&row.device, &row.card) == (&record.device, &record.card);
        // A run measures one card at a time, through each API under another name.
        let is_one_run =
            |row: &Record| row.backend != record.backend && (&row.date, &row.apis) == (&record.date, &record.apis);
        named().any(is_named) || (named().any(is_one_run) && named().all(|row| row.may_be_of_one_card(record)))
    }

    fn push(&mut self, record: Record) {
        let is_known = |row: &Record| {
            row.backend == record.backend
                && (&row.date, &row.apis, &row.card) == (&record.date, &record.apis, &record.card)
        };
        if !self.named.iter().any(|index| is_known(&self.records[*index])) {
            self.named.push(self.records.len());
        }
        self.records.push(record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Api;

    fn row(backend: Api, card: &str, date: &str) -> Record {
        Record {
            device: "H200".to_owned(),
            card: card.to_owned(),
            date: date.to_owned(),
            apis: "cuda+vulkan".to_owned(),
            backend: Some(backend),
            ..Record::default()
        }
    }

    #[test]
    fn apis_of_one_run_are_one_card_however_they_name_it() {
        let sizes = |rows: &[Record]| by_card(rows.to_vec()).iter().map(Vec::len).collect::<Vec<_>>();
        let rows = [
            row(Api::Vulkan, "0000:06:00.0", "today"),
            row(Api::Cuda, "GPU-1", "today"),
            row(Api::Vulkan, "0000:06:00.0", "today"),
            row(Api::Cuda, "GPU-1", "today"),
        ];
        assert_eq!(sizes(&rows), [4]);
        // Names of one kind that differ, other runs, and rows of one API are other cards.
        let two_cards = [
            rows[0].clone(),
            row(Api::Vulkan, "0000:07:00.0", "today"),
            rows[1].clone(),
            row(Api::Cuda, "GPU-2", "today"),
        ];
        assert_eq!(sizes(&two_cards), [2, 2]);
        assert_eq!(sizes(&[rows[0].clone(), row(Api::Cuda, "GPU-1", "yesterday")]), [1, 1]);
        assert_eq!(sizes(&[rows[0].clone(), row(Api::Vulkan, "", "today")]), [1, 1]);
        // A name that an earlier run tied to the card holds for a later run alone.
        assert_eq!(sizes(&[rows[0].clone(), rows[1].clone(), row(Api::Cuda, "GPU-1", "later")]), [3]);
    }
}
