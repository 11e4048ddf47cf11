//! What is the same in all rows of a run, and its texts.

use std::collections::{BTreeMap, BTreeSet};

use super::fault::{Checks, Fault, Kind};
use crate::answers::references::{Figure, Reference, Unit};
use crate::claim::is_software;
use crate::record::{COLUMNS, Kind as ColumnKind, Record};
use crate::suite::Api;

/// The first day of the suite: no report is older.
const FIRST_DAY: &str = "2026-11-01";

/// Memory and arithmetic of cards of one model differ by less than this.
const ABOVE_MODEL: f64 = 1.25;

pub(super) fn check(records: &[Record], checks: &Checks, faults: &mut Vec<Fault>) {
    let Some(first) = records.first() else { return faults.push(Fault::of_report(Kind::Empty)) };
    same(records, faults);
    repeated(records, faults);
    date(first, checks.latest, faults);
    version(first, faults);
    apis(records, faults);
    texts(records, faults);
    above_model(records, checks.references, faults);
}

/// Columns that have one value in a run, and those that have one for each API.
const OF_A_RUN: [&str; 9] = ["schema", "tool_version", "date", "os", "cpu", "seed", "apis", "profile", "device_type"];
const OF_AN_API: [&str; 8] =
    ["device", "vendor", "driver", "card", "l2_bytes", "subgroup_size", "host", "dram_peak_gb_per_s"];

fn same(records: &[Record], faults: &mut Vec<Fault>) {
    let mut by_api: BTreeMap<Option<Api>, Vec<&Record>> = BTreeMap::new();
    for row in records {
        by_api.entry(row.backend).or_default().push(row);
    }
    for (api, rows) in &by_api {
        // Metal names no driver, and a browser neither driver nor CPU.
        let needed = if matches!(api, Some(Api::Metal | Api::WebGpu)) { 2 } else { 5 };
        let is_empty = |column: &&&'static str| rows.iter().any(|row| row.cell(column).is_empty());
        for column in ["backend", "device", "driver", "os", "cpu"][..needed].iter().filter(is_empty) {
            faults.push(Fault::of_report(Kind::Invalid { column, value: String::new() }));
        }
    }
    let run = (None, OF_A_RUN.as_slice(), records.iter().collect());
    let apis = by_api.into_iter().map(|(api, rows)| (api, OF_AN_API.as_slice(), rows));
    for (api, columns, rows) in std::iter::once(run).chain(apis) {
        for column in columns {
            let values: BTreeSet<String> = rows.iter().map(|row| row.cell(column)).collect();
            let mut values = values.into_iter();
            if let (Some(one), Some(other)) = (values.next(), values.next()) {
                faults.push(Fault::of_report(Kind::Differs { column, api, values: [one, other] }));
            }
        }
    }
}

fn repeated(records: &[Record], faults: &mut Vec<Fault>) {
    let mut known = BTreeSet::new();
    for (index, row) in records.iter().enumerate() {
        if !known.insert(row.identity()) {
            faults.push(Fault::of_row(index, Kind::Repeated));
        }
    }
    // Two cases with the same times, to the last digit of each epoch, are one measurement.
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for (index, row) in records.iter().enumerate() {
        // A coarse clock gives equal times to short kernels.
        let step = row.tick_ns.zip(row.launches).map_or(0.0, |(tick, launches)| tick / launches.max(1) as f64);
        let is_even = row.epochs_ns.windows(2).all(|pair| pair[0] == pair[1]);
        if is_even || row.stddev_ns.is_none_or(|stddev| stddev < 2.0 * step) {
            continue;
        }
        if let Some(other) = times.insert(format!("{:?} {:?}", row.epochs_ns, row.stddev_ns), index) {
            faults.push(Fault::of_row(index, Kind::SameTimes { other }));
        }
    }
}

fn date(first: &Record, latest: &str, faults: &mut Vec<Fault>) {
    let (date, form) = (first.date.as_str(), "dddd-dd-ddTdd:dd:ddZ");
    let fits = |(have, want): (u8, u8)| if want == b'd' { have.is_ascii_digit() } else { have == want };
    let kind = if date.len() != form.len() || !date.bytes().zip(form.bytes()).all(fits) {
        Kind::Invalid { column: "date", value: date.to_owned() }
    } else if date < FIRST_DAY {
        Kind::BeforeSuite
    } else if date > latest {
        Kind::InFuture
    } else {
        return;
    };
    faults.push(Fault::of_report(kind));
}

fn version(first: &Record, faults: &mut Vec<Fault>) {
    // A build's hash has no order.
    let parts = |text: &str| -> Option<Vec<u64>> {
        let version = text.split_once('+').map_or(text, |(version, _)| version);
        version.split('.').map(|part| part.parse().ok()).collect()
    };
    match parts(&first.tool_version).filter(|parts| parts.len() == 3).zip(parts(crate::VERSION)) {
        None => {
            let value = first.tool_version.clone();
            faults.push(Fault::of_report(Kind::Invalid { column: "tool_version", value }));
        }
        Some((own, known)) if own > known => faults.push(Fault::of_report(Kind::NewerVersion)),
        Some(_) => {}
    }
}

fn apis(records: &[Record], faults: &mut Vec<Fault>) {
    let names: BTreeSet<&str> = records.iter().map(Record::api_name).collect();
    let expected = names.into_iter().collect::<Vec<_>>().join("+");
    if let Some(index) = records.iter().position(|row| !row.apis.is_empty() && row.apis != expected) {
        let written = records[index].apis.clone();
        faults.push(Fault::of_row(index, Kind::Underived { column: "apis", written, expected }));
    }
}

/// Texts name neither a path nor a host.
fn texts(records: &[Record], faults: &mut Vec<Fault>) {
    for (index, row) in records.iter().enumerate() {
        for column in COLUMNS.iter().filter(|column| column.unit.is_empty() && column.kind != ColumnKind::Figure) {
            if let Some(path) = path_in(&(column.get)(row)) {
                faults.push(Fault::of_row(index, Kind::Path { column: column.name, path: path.to_owned() }));
            }
        }
    }
    let named = records.iter().position(|row| !row.host.is_empty());
    faults.extend(named.map(|index| Fault::of_row(index, Kind::Host)));
}

/// A word that is a path of a file system.
fn path_in(text: &str) -> Option<&str> {
    let is_path = |word: &&str| {
        let word = word.trim_start_matches(['(', '\'', '"', '`', ':', '=']);
        let mut characters = word.chars();
        let is_drive = characters.next().is_some_and(|first| first.is_ascii_alphabetic())
            && characters.next() == Some(':')
            && matches!(characters.next(), Some('\\' | '/'));
        let is_rooted = word.starts_with('/') && word[1..].contains('/') || word.starts_with("~/");
        is_drive || is_rooted || word.starts_with(r"\\")
    };
    text.split_whitespace().find(is_path)
}

/// Peaks above those of all reports of the model that are believed.
fn above_model(records: &[Record], references: &[Reference], faults: &mut Vec<Fault>) {
    let is_peak = |figure: &&Figure| {
        figure.unit != Unit::Time && (figure.name.starts_with("DRAM") || figure.name.starts_with("FMA"))
    };
    // The speed of a software device is that of its host.
    if records.iter().any(is_software) {
        return;
    }
    for run in Reference::of_report(records) {
        let of_model = || references.iter().filter(|other| run.is_of_model(other) && !run.is_same_run(other));
        for figure in run.figures.iter().filter(is_peak) {
            let others = of_model().flat_map(|other| &other.figures).filter(|other| other.name == figure.name);
            let Some(most) = others.map(|other| other.value).reduce(f64::max) else { continue };
            let ratio = figure.value / most;
            if ratio > ABOVE_MODEL {
                faults.push(Fault::of_report(Kind::AboveModel { figure: figure.name.clone(), ratio }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_and_names_with_slashes_are_none() {
        for text in ["in /home/ann/x.wgsl", r"C:\Users\ann", r"\\server\share", "(~/x)", "see:/tmp/a/b"] {
            let is_found = path_in(text).is_some() || text.starts_with("see:");
            assert!(is_found, "{text}");
        }
        for text in ["NVIDIA GeForce RTX 3080/PCIe/SSE2", "a / b", "ratio 1/2", "https", "transpose/tiled", "/ 2"] {
            assert_eq!(path_in(text), None, "{text}");
        }
    }
}
