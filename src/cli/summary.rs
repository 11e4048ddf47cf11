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
pub(super) fn by_card(records: Vec<Record>) -> Vec<Vec<Record>> {
    let mut cards: Vec<Vec<Record>> = Vec::new();
    for record in records {
        let is_of = |card: &&mut Vec<Record>| {
            card.first().is_some_and(|first| (&first.device, &first.card) == (&record.device, &record.card))
        };
        match cards.iter_mut().find(is_of) {
            Some(card) => card.push(record),
            None => cards.push(vec![record]),
        }
    }
    cards
}
