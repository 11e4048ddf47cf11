//! Figures that follow from other figures: computed again from the written ones by the functions that made them, and
//! compared.

use super::case::case_of;
use super::fault::{Checks, Column, Fault, Kind, ROUNDING, compare};
use crate::claim::is_software;
use crate::families::raise_roofs;
use crate::record::stats::round_to_seven_digits;
use crate::record::{COLUMNS, Energy, Kind as ColumnKind, Record, Status, times::estimate};
use crate::suite::{Case, Toolchain};

/// Relative error of an interval's width, which the rounded epochs of all rows of a class change a little.
const WIDTH: f64 = 2e-3;

/// The first schema whose rows have epochs, and the moment from which on no version wrote an earlier one.
const SCHEMA_OF_EPOCHS: u64 = 2;
const EPOCHS_SINCE: &str = "2026-11-22T12";

pub(super) fn check(records: &[Record], checks: &Checks, faults: &mut Vec<Fault>) {
    if records.iter().any(|row| row.schema < Some(SCHEMA_OF_EPOCHS) && row.date.as_str() >= EPOCHS_SINCE) {
        faults.push(Fault::of_report(Kind::OldSchema));
    }
    let mut estimated = records.to_vec();
    estimate(&mut estimated);
    for (index, (row, estimated)) in records.iter().zip(&estimated).enumerate() {
        status(index, row, faults);
        if row.status.is_timed() {
            of_row(index, row, faults);
            interval(index, row, estimated, faults);
        }
    }
    let mut toolchains: Vec<Toolchain> = Vec::new();
    for toolchain in records.iter().filter_map(Record::toolchain) {
        if !toolchains.contains(&toolchain) {
            toolchains.push(toolchain);
        }
    }
    // Ceilings were judged by other rules before rows had epochs.
    if records.iter().all(|row| row.schema >= Some(SCHEMA_OF_EPOCHS)) {
        shares(records, &toolchains, checks, faults);
    }
}

fn status(index: usize, row: &Record, faults: &mut Vec<Fault>) {
    let mut add = |kind| faults.push(Fault::of_row(index, kind));
    let has_figures = COLUMNS.iter().any(|column| column.kind == ColumnKind::Figure && !(column.get)(row).is_empty());
    match row.status {
        Status::Ok | Status::Unverified => {
            let is_verified = case_of(row).is_none_or(|case| case.benchmark.is_verified());
            let expected = if is_verified { Status::Ok } else { Status::Unverified };
            if row.status != expected {
                let [written, expected] = [row.status, expected].map(|status| status.name().to_owned());
                add(Kind::Underived { column: "status", written, expected });
            }
            let needed = ["timer", "samples", "median_ns", "min_ns", "mean_ns", "ci_low_ns", "ci_high_ns"];
            let epochs = (row.schema >= Some(SCHEMA_OF_EPOCHS)).then_some("epochs_ns");
            for column in needed.into_iter().chain(epochs).filter(|column| row.cell(column).is_empty()) {
                add(Kind::Invalid { column, value: String::new() });
            }
        }
        Status::Skipped => {
            if has_figures {
                add(Kind::SkippedWithFigures);
            }
            if row.reason.is_empty() {
                add(Kind::Invalid { column: "reason", value: String::new() });
            }
        }
        bad @ (Status::Wrong | Status::Failed | Status::Implausible) => add(Kind::Bad(bad)),
    }
}

/// The median of the epochs, rates and energies.
fn of_row(index: usize, row: &Record, faults: &mut Vec<Fault>) {
    let mut again = row.clone();
    let epochs = &row.epochs_ns;
    if !epochs.is_empty() {
        let mean = epochs.iter().map(|ns| ns.ln()).sum::<f64>() / epochs.len() as f64;
        again.median_ns = Some(round_to_seven_digits(mean.exp()));
    }
    let rate = |amount: Option<u64>| Some(round_to_seven_digits(amount? as f64 / row.median_ns?));
    (again.gb_per_s, again.gflop_per_s) = (rate(row.bytes), rate(row.flops));
    (again.energy_j, again.energy_noise, again.gflop_per_j, again.gb_per_j) = (None, None, None, None);
    for joules in std::mem::take(&mut again.energies_j) {
        again.add_energy(Energy { joules, watts: 0.0, sensor_watts: None });
    }
    let columns: [Column; 7] = [
        ("median_ns", ROUNDING, 0.0),
        ("gb_per_s", ROUNDING, 0.0),
        ("gflop_per_s", ROUNDING, 0.0),
        ("energy_j", ROUNDING, 0.0),
        ("energy_noise", WIDTH, ROUNDING),
        ("gb_per_j", ROUNDING, 0.0),
        ("gflop_per_j", ROUNDING, 0.0),
    ];
    compare(index, row, &again, &columns, faults);
}

/// The interval that the epochs of all rows leave.
fn interval(index: usize, row: &Record, estimated: &Record, faults: &mut Vec<Fault>) {
    if row.epochs_ns.len() < 2 {
        return;
    }
    // Four roundings to seven digits.
    let end = WIDTH * estimated.noise().unwrap_or(0.0) + 4.0 * ROUNDING;
    let columns: [Column; 3] = [("noise_between", 1e-3, 1e-6), ("ci_low_ns", end, 0.0), ("ci_high_ns", end, 0.0)];
    compare(index, row, estimated, &columns, faults);
}

/// Ceilings and shares, which follow from the rows of each API and the roofs of all.
fn shares(records: &[Record], toolchains: &[Toolchain], checks: &Checks, faults: &mut Vec<Fault>) {
    let mut judged = records.to_vec();
    let mut known = Vec::new();
    for toolchain in toolchains {
        let own = records.iter().enumerate().filter(|(_, row)| row.toolchain() == Some(*toolchain));
        let (indices, cases): (Vec<usize>, Vec<(Case, &Record)>) =
            own.filter_map(|(index, row)| Some((index, (case_of(row)?, row)))).unzip();
        for (index, row) in indices.iter().zip((checks.judged_again)(&cases)) {
            judged[*index] = row;
        }
        known.extend(indices);
    }
    raise_roofs(&mut judged);
    for index in known {
        let (row, again) = (&records[index], &judged[index]);
        if !row.status.is_timed() {
            continue;
        }
        let is_software = is_software(row);
        if again.status == Status::Implausible && !is_software {
            let reason = again.reason.split("; ").next().unwrap_or_default().to_owned();
            faults.push(Fault::of_row(index, Kind::Implausible(reason)));
            continue;
        }
        let columns: [Column; 4] = [
            ("ceiling", 0.0, 0.0),
            ("share", 2.0 * ROUNDING, 0.0),
            ("share_low", 4.0 * ROUNDING, 0.0),
            ("share_high", 4.0 * ROUNDING, 0.0),
        ];
        // How the speed of a software device varies in a run, which widens the interval, is not in the report.
        compare(index, row, again, if is_software { &columns[..2] } else { &columns }, faults);
    }
}
