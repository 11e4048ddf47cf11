//! What a report's own columns show about a card that is slow.

use super::reference::Reference;
use super::standing::{like, of_model};
use crate::record::{Record, stats::median};
use crate::suite::Throttle;

/// A difference from the references that may explain a slow card.
#[derive(Debug, Clone, PartialEq)]
pub enum Hint {
    /// The driver is none of the references': this one, and that of the newest.
    Driver(String, String),
    /// The canary, a kernel of arithmetic alone, takes this many times the references' median time, and more than in any
    /// of them.
    Clock(f64),
    /// The device's speed changed while this many of so many rows were measured, a larger part than in any reference.
    Unsteady(usize, usize),
    /// The monitor saw clocks limited by power (first) or by heat and power supply (second) after this many rows.
    Limited(usize, usize),
    /// Copies from the host run at this part of the references' median rate, and slower than in any of them.
    CopyIn(f64),
    /// The driver reports another size of L2 than in all references: this one and theirs, in bytes.
    L2(u64, u64),
    /// The run took turns through these APIs, and no reference did.
    Apis(String),
}

/// The canary's time and the rate of a copy vary from run to run: smaller differences are no hint.
const LEAST_DIFFERENCE: f64 = 0.05;

/// A smaller part of unsteady rows is usual.
const LEAST_UNSTEADY: f64 = 0.02;

/// What the columns of a run that is slow show, compared with the references of its model. `records` are its rows.
#[must_use]
pub fn hints(run: &Reference, records: &[Record], references: &[Reference]) -> Vec<Hint> {
    let is_comparable = |other: &&Reference| run.figures.iter().any(|figure| like(run, figure, other).is_some());
    let all: Vec<&Reference> = of_model(run, references).into_iter().filter(is_comparable).collect();
    let Some(newest) = all.iter().max_by(|a, b| a.date.cmp(&b.date)) else { return Vec::new() };
    let is_driver_new = all.iter().all(|other| other.driver != run.driver);
    [
        is_driver_new.then(|| Hint::Driver(run.driver.clone(), newest.driver.clone())),
        clock(run, &all),
        unsteady(run, &all),
        limited(records),
        copy_in(run, &all),
        l2(run, &all),
        (run.apis.contains('+') && !all.iter().any(|other| other.apis.contains('+')))
            .then(|| Hint::Apis(run.apis.clone())),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn clock(run: &Reference, all: &[&Reference]) -> Option<Hint> {
    let times: Vec<f64> = all.iter().filter_map(|other| other.canary_ns).collect();
    let (own, slowest) = (run.canary_ns?, times.iter().copied().reduce(f64::max)?);
    (own > slowest * (1.0 + LEAST_DIFFERENCE)).then_some(Hint::Clock(own / median(&times)?))
}

fn unsteady(run: &Reference, all: &[&Reference]) -> Option<Hint> {
    let part = |of: &Reference| of.rows.1 as f64 / of.rows.0.max(1) as f64;
    let most = all.iter().map(|other| part(other)).fold(LEAST_UNSTEADY, f64::max);
    (part(run) > most).then_some(Hint::Unsteady(run.rows.1, run.rows.0))
}

fn limited(records: &[Record]) -> Option<Hint> {
    let after = || records.iter().filter_map(|row| row.conditions.as_ref());
    let by_power = after().filter(|seen| seen.after.throttling.contains(&Throttle::PowerCap)).count();
    let by_heat = after().filter(|seen| seen.fault().is_some()).count();
    (by_power + by_heat > 0).then_some(Hint::Limited(by_power, by_heat))
}

fn copy_in(run: &Reference, all: &[&Reference]) -> Option<Hint> {
    let own = run.copy_in.as_ref()?;
    let speeds: Vec<f64> = all.iter().filter_map(|other| Some(like(run, own, other)?.log_speed().exp())).collect();
    let (speed, slowest) = (own.log_speed().exp(), speeds.iter().copied().reduce(f64::min)?);
    (speed * (1.0 + LEAST_DIFFERENCE) < slowest).then_some(Hint::CopyIn(speed / median(&speeds)?))
}

fn l2(run: &Reference, all: &[&Reference]) -> Option<Hint> {
    let (own, other) = (run.l2_bytes?, all.iter().find_map(|other| other.l2_bytes)?);
    let is_alone = all.iter().filter_map(|other| other.l2_bytes).all(|bytes| bytes == other && bytes != own);
    is_alone.then_some(Hint::L2(own, other))
}
