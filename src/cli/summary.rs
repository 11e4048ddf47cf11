//! `summary`: one screen of headline figures.

use std::path::PathBuf;

use super::format::{By, Format};
use super::output::{print, print_json};
use super::reports::{all_or_newest, name_runs, none_yet};
use answers::compare::Report;
use answers::report::Medium;
use answers::summary::{card, headlines, side_by_side};
use record::error::Result;
use record::format::{joined, plural};
use record::{Record, by_card, typical};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Reports, or folders of CSV reports [default: the newest in reports/, then in results/]
    ///
    /// The default is the newest report that has at least half as many benchmarks as the largest report, so that a run
    /// of one family does not hide a full run. h100 is a built-in report of an NVIDIA H100.
    #[arg(value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    format: Format,
    /// Show each card, or the median of all cards of a model
    #[arg(long, value_enum, default_value_t)]
    by: By,
}

impl Arguments {
    /// The arguments of a command line that only names reports.
    pub(super) fn of(paths: &[String]) -> Self {
        let files = paths.iter().map(PathBuf::from).collect();
        Self { files, format: Format::default(), by: By::default() }
    }
}

pub(super) fn summary(arguments: &Arguments) -> Result<()> {
    let read = all_or_newest(&arguments.files, |row| row.median_ns.is_some(), none_yet)?;
    let mut shown: Vec<(String, Vec<Record>)> = match arguments.by {
        By::Card => read.into_iter().flat_map(cards).collect(),
        By::Model => models(read),
    };
    name_runs(&mut shown);
    match (shown.as_slice(), arguments.format.medium()) {
        (several, None) => print_json(&headlines(several)),
        ([(name, records)], Some(Medium::Terminal(terminal))) => {
            print(&card(records, std::slice::from_ref(name), terminal))
        }
        (several, Some(medium)) => print(&side_by_side(several, medium)),
    }
}

/// The rows of each card of a report, named by the report and, if there are several, by the card.
fn cards(report: Report) -> Vec<(String, Vec<Record>)> {
    let cards = by_card(&report.records);
    let name = |rows: &[&Record]| {
        let id = rows[0].card_id();
        if cards.len() == 1 { report.name.clone() } else { joined([report.name.as_str(), id.host, id.name], ", ") }
    };
    cards.iter().map(|rows| (name(rows), rows.iter().copied().cloned().collect())).collect()
}

/// The typical rows of each model, named by its number of cards.
fn models(reports: Vec<Report>) -> Vec<(String, Vec<Record>)> {
    let mut models: Vec<Vec<Record>> = Vec::new();
    for record in reports.into_iter().flat_map(|report| report.records) {
        match models.iter_mut().find(|rows| rows[0].device == record.device) {
            Some(rows) => rows.push(record),
            None => models.push(vec![record]),
        }
    }
    let typical_of = |rows: Vec<Record>| {
        let name = format!("median of {}", plural(by_card(&rows).len(), "card", "cards"));
        (name, typical(&rows).into_iter().cloned().collect())
    };
    models.into_iter().map(typical_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(name: &str, cards: &[(&str, f64)]) -> Report {
        let row = |(card, median_ns): &(&str, f64)| Record {
            device: "H200".to_owned(),
            card: (*card).to_owned(),
            median_ns: Some(*median_ns),
            ..Record::default()
        };
        Report { name: name.to_owned(), records: cards.iter().map(row).collect() }
    }

    #[test]
    fn several_cards_of_a_report_are_named() {
        let names = |cards: &[(&str, f64)]| -> Vec<String> {
            super::cards(report("r.csv", cards)).into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names(&[("GPU-1", 1.0)]), ["r.csv"]);
        assert_eq!(names(&[("GPU-1", 1.0), ("GPU-2", 1.0)]), ["r.csv, GPU-1", "r.csv, GPU-2"]);
    }

    #[test]
    fn a_model_is_shown_by_its_typical_card() {
        let reports = vec![report("a", &[("GPU-1", 1.0), ("GPU-2", 3.0)]), report("b", &[("GPU-3", 2.0)])];
        let shown = models(reports);
        let [(name, rows)] = shown.as_slice() else { panic!("one model: {shown:?}") };
        assert_eq!((name.as_str(), rows.len(), rows[0].median_ns), ("median of 3 cards", 1, Some(2.0)));
    }
}
