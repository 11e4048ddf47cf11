//! Figures that follow from other figures.

use super::case::case_of;
use super::fault::Faults;
use crate::results::ceilings::Ceilings;
use crate::results::estimate::{POSSIBLE, estimate};
use crate::results::findings::is_software;
use crate::results::{COLUMNS, Cause, Clock, Kind, Lane, Record, Status};

/// Relative error of a figure that is computed from figures of seven digits.
const ROUNDING: f64 = 2e-6;

/// Relative error of an interval's width, which the rounded epochs of all rows of a class change a little.
const WIDTH: f64 = 2e-3;

/// No device starts a kernel in less time, in nanoseconds.
const LEAST_LAUNCH_NS: f64 = 50.0;

/// The first schema whose rows have epochs, and the moment from which on no version wrote an earlier one.
const SCHEMA_OF_EPOCHS: u64 = 2;
const EPOCHS_SINCE: &str = "2026-11-22T12";

pub(super) fn check(records: &[Record], faults: &mut Faults) {
    if let Some(row) =
        records.iter().find(|row| row.schema < Some(SCHEMA_OF_EPOCHS) && row.date.as_str() >= EPOCHS_SINCE)
    {
        let schema = row.schema.unwrap_or(0);
        faults
            .add("schema", format!("the schema is {schema}, but on {} shaderbench wrote {SCHEMA_OF_EPOCHS}", row.date));
    }
    for row in records {
        status(row, faults);
        if row.status.is_timed() {
            times(row, faults);
            rates(row, faults);
            energies(row, faults);
            ticks(row, faults);
        }
    }
    intervals(records, faults);
    let mut lanes: Vec<Lane> = Vec::new();
    for lane in records.iter().filter_map(Record::lane) {
        if !lanes.contains(&lane) {
            lanes.push(lane);
        }
    }
    // Ceilings were judged by other rules before rows had epochs.
    if records.iter().all(|row| row.schema >= Some(SCHEMA_OF_EPOCHS)) {
        lanes.into_iter().for_each(|lane| shares(records, lane, faults));
    }
}

fn status(row: &Record, faults: &mut Faults) {
    let mut add = |sentence: &str| faults.of_row("status", row, sentence);
    let has_figures = COLUMNS.iter().any(|column| column.kind == Kind::Figure && !(column.get)(row).is_empty());
    match row.status {
        Status::Ok | Status::Unverified => {
            let is_verified = case_of(row).is_none_or(|case| case.benchmark.is_verified());
            if (row.status == Status::Ok) != is_verified {
                add(if is_verified {
                    "the status is unverified, but every output of this benchmark is verified"
                } else {
                    "the status is ok, but no output of this benchmark can be verified"
                });
            }
            let needed = [row.median_ns, row.min_ns, row.mean_ns, row.ci_low_ns, row.ci_high_ns];
            if needed.iter().any(Option::is_none) || row.timer.is_none() || row.samples.is_none_or(|count| count == 0) {
                add("the status is ok, but times, samples or the clock are missing");
            }
            if row.schema >= Some(SCHEMA_OF_EPOCHS) && row.epochs_ns.is_empty() {
                add("the status is ok, but there are no epochs");
            }
            if row.cause == Some(Cause::WrongOutput) {
                add("the status is ok, but the cause says that the output is wrong");
            }
        }
        Status::Skipped => {
            if has_figures {
                add("the row is skipped, but has figures");
            }
            if row.reason.is_empty() {
                add("the row is skipped without a reason");
            }
        }
        bad @ (Status::Wrong | Status::Failed | Status::Implausible) => add(&format!(
            "the status is {}: open an issue with the report, since that is a fault of the suite or of the driver",
            bad.name()
        )),
    }
}

fn times(row: &Record, faults: &mut Faults) {
    let (Some(median), Some(min), Some(mean)) = (row.median_ns, row.min_ns, row.mean_ns) else { return };
    let epochs = &row.epochs_ns;
    let mut add = |kind: &'static str, sentence: String| faults.of_row(kind, row, &sentence);
    if row.alone_epochs_ns.len() > epochs.len() {
        add("epochs", "there are more epochs alone than epochs".to_owned());
    }
    if ![median, min, mean].iter().chain(epochs).chain(&row.alone_epochs_ns).all(|ns| POSSIBLE.contains(ns)) {
        return add("times", "a time is not possible".to_owned());
    }
    if min < LEAST_LAUNCH_NS {
        add("times", format!("min_ns is {min}: no device starts a kernel in less than {LEAST_LAUNCH_NS} ns"));
    }
    if let Some((low, high)) = row.ci_low_ns.zip(row.ci_high_ns)
        && !(low > 0.0 && low <= median && median <= high)
    {
        add("interval", format!("the interval from {low} to {high} does not contain median_ns, {median}"));
    }
    if !epochs.is_empty() {
        let mean_of_epochs = (epochs.iter().map(|ns| ns.ln()).sum::<f64>() / epochs.len() as f64).exp();
        if !is_near(median, mean_of_epochs, ROUNDING) {
            add("epochs", format!("median_ns is {median}, but the mean of the epochs is {mean_of_epochs:.3}"));
        }
    }
    let least = epochs.iter().copied().fold(median, f64::min);
    if min > least * (1.0 + ROUNDING) {
        add("min_ns", format!("min_ns, {min}, is above a median, {least}"));
    }
    if mean < min * (1.0 - ROUNDING) {
        add("mean_ns", format!("mean_ns, {mean}, is below min_ns, {min}"));
    }
    let samples = row.samples.unwrap_or(0);
    if samples < epochs.len() as u64 {
        add("samples", format!("{samples} samples cannot make {} epochs", epochs.len()));
    }
    if row.stddev_ns == Some(0.0) && !is_near(mean, min, ROUNDING) {
        add("stddev_ns", format!("stddev_ns is 0, but mean_ns, {mean}, differs from min_ns, {min}"));
    }
    // A sample below the mean by d makes the deviation at least d · √(1 / (n − 1)).
    if let Some(stddev) = row.stddev_ns
        && samples > 1
        && stddev * ((samples - 1) as f64).sqrt() < (mean - min) * (1.0 - 1e-3) - ROUNDING * mean
    {
        add("stddev_ns", format!("stddev_ns, {stddev}, is too small for min_ns, {min}, and mean_ns, {mean}"));
    }
}

fn rates(row: &Record, faults: &mut Faults) {
    let Some(median) = row.median_ns.filter(|ns| POSSIBLE.contains(ns)) else { return };
    for (name, amount, rate) in [("gb_per_s", row.bytes, row.gb_per_s), ("gflop_per_s", row.flops, row.gflop_per_s)] {
        let expected = amount.map(|amount| amount as f64 / median);
        let of = if name == "gb_per_s" { "bytes" } else { "flops" };
        match (expected, rate) {
            (Some(expected), Some(rate)) if !is_near(rate, expected, ROUNDING) => {
                faults.of_row(name, row, &format!("{name} is {rate}, but {of} ÷ median_ns is {expected:.7}"));
            }
            (Some(_), None) => faults.of_row(name, row, &format!("{name} is missing")),
            (None, Some(rate)) => faults.of_row(name, row, &format!("{name} is {rate}, but there are no {of}")),
            _ => {}
        }
    }
}

/// Energies and what follows from them.
fn energies(row: &Record, faults: &mut Faults) {
    let mut add = |sentence: String| faults.of_row("energy", row, &sentence);
    let Some(joules) = row.energy_j else {
        let rest = [row.energy_noise, row.power_w, row.sensor_w, row.gflop_per_j, row.gb_per_j];
        if rest.iter().any(Option::is_some) || !row.energies_j.is_empty() {
            add("there is power, but no energy_j".to_owned());
        }
        return;
    };
    if !row.energies_j.iter().chain([&joules]).all(|joules| *joules > 0.0) {
        return add("an energy is not above zero".to_owned());
    }
    let mean = row.energies_j.iter().sum::<f64>() / row.energies_j.len() as f64;
    if !is_near(joules, mean, ROUNDING) {
        add(format!("energy_j is {joules}, but the mean of energies_j is {mean:.3e}"));
    }
    for (name, amount, rate) in [("gb_per_j", row.bytes, row.gb_per_j), ("gflop_per_j", row.flops, row.gflop_per_j)] {
        let expected = amount.map(|amount| amount as f64 / joules / 1e9);
        let agrees = expected.zip(rate).map_or(expected.is_some() == rate.is_some(), |(a, b)| is_near(a, b, ROUNDING));
        if !agrees {
            add(format!("{name} does not follow from energy_j"));
        }
    }
}

/// A device's clock counts in ticks: a sample of k launches takes a whole number of them, and the median of an epoch a
/// whole or half number. k is that of the last epoch; earlier ones may have had another.
fn ticks(row: &Record, faults: &mut Faults) {
    let (Some(tick), Some(launches), Some(Clock::Timestamp)) = (row.tick_ns, row.launches, row.timer) else { return };
    let step = tick / launches.max(1) as f64;
    let (name, ns, step) = match (row.epochs_ns.last(), row.min_ns) {
        (Some(ns), _) => ("the last epoch", *ns, step / 2.0),
        (None, Some(ns)) => ("min_ns", ns, step),
        (None, None) => return,
    };
    if !POSSIBLE.contains(&ns) {
        return;
    }
    // Seven digits. A step of few roundings is met by chance.
    let rounding = 10_f64.powi(ns.log10().floor() as i32 - 6);
    let steps = ns / step;
    if step >= 20.0 * rounding && (steps - steps.round()).abs() * step > 0.6 * rounding {
        let sentence = format!("{name}, {ns} ns, is no multiple of the clock's step, {tick} ns in {launches} launches");
        faults.of_row("ticks", row, &sentence);
    }
}

/// Recomputes the intervals of all rows from their epochs.
fn intervals(records: &[Record], faults: &mut Faults) {
    let mut again = records.to_vec();
    estimate(&mut again);
    for (row, again) in records.iter().zip(&again) {
        if row.epochs_ns.len() < 2 || !row.status.is_timed() {
            continue;
        }
        if let Some((own, expected)) = row.noise_between.zip(again.noise_between)
            && (own - expected).abs() > 1e-3 * expected + 1e-6
        {
            let sentence = format!("noise_between is {own}, but the epochs show {expected}");
            faults.of_row("noise_between", row, &sentence);
        }
        let ends = |row: &Record| Some((row.median_ns?, row.ci_low_ns?, row.ci_high_ns?));
        let (Some(own), Some(expected)) = (ends(row), ends(again)) else { continue };
        let width = |(_, low, high): (f64, f64, f64)| (high / low).ln();
        let (got, want) = (width(own), width(expected));
        // Four roundings to seven digits.
        let allowed = WIDTH * want + 4.0 * ROUNDING;
        if got < want - allowed {
            let sentence =
                format!("the interval is ±{:.4} %, narrower than the epochs allow, ±{:.4} %", 50.0 * got, 50.0 * want);
            faults.of_row("narrow interval", row, &sentence);
        } else if got > want + allowed {
            let sentence =
                format!("the interval is ±{:.4} %, wider than the epochs show, ±{:.4} %", 50.0 * got, 50.0 * want);
            faults.of_row("wide interval", row, &sentence);
        }
    }
}

/// Recomputes ceilings and shares of one API.
fn shares(records: &[Record], lane: Lane, faults: &mut Faults) {
    let rows = || records.iter().filter(|row| row.lane() == Some(lane)).filter_map(|row| Some((case_of(row)?, row)));
    let cases: Vec<_> = rows().collect();
    let judged = |row: &&Record| row.status.is_timed() || row.status == Status::Implausible;
    let ceilings = Ceilings::from_rows(cases.iter().filter(|(_, row)| judged(row)).map(|(case, row)| (case, *row)));
    for (case, row) in cases.iter().filter(|(_, row)| row.status.is_timed()) {
        let is_software = is_software(row);
        let mut again = (*row).clone();
        if again.cause.is_some_and(Cause::is_by_ceiling) {
            (again.cause, again.reason) = (None, String::new());
        }
        ceilings.judge(case, &mut again, is_software.then_some(0.0));
        if again.status == Status::Implausible && !is_software {
            let reason = again.reason.split("; ").next().unwrap_or_default();
            faults.of_row("implausible", row, &format!("the row must be implausible: {reason}"));
            continue;
        }
        let text = |row: &Record| row.ceiling.map_or_else(|| "none".to_owned(), |ceiling| ceiling.to_string());
        if again.ceiling != row.ceiling {
            let sentence =
                format!("the ceiling is '{}', but the rows of the report make it '{}'", text(row), text(&again));
            faults.of_row("ceiling", row, &sentence);
            continue;
        }
        if let Some((own, expected)) = row.share.zip(again.share)
            && !is_near(own, expected, 2.0 * ROUNDING)
        {
            let sentence = format!("share is {own}, but the rate ÷ the rate of '{}' is {expected}", text(row));
            faults.of_row("share", row, &sentence);
        } else if row.share.is_some() != again.share.is_some() {
            faults.of_row("share", row, "share and ceiling are not both there");
        }
        let ends = |row: &Record| row.share_low.zip(row.share_high);
        if let Some(((low, high), (expected_low, expected_high))) = ends(row).zip(ends(&again))
            && !is_software
            && !(is_near(low, expected_low, 4.0 * ROUNDING) && is_near(high, expected_high, 4.0 * ROUNDING))
        {
            let sentence = format!(
                "the interval of the share is {low} to {high}, but the intervals of rate and ceiling make it \
                 {expected_low} to {expected_high}"
            );
            faults.of_row("interval of the share", row, &sentence);
        }
    }
}

fn is_near(value: f64, expected: f64, tolerance: f64) -> bool {
    (value - expected).abs() <= tolerance * expected.abs()
}
