//! Geometric means of ratios whose rows vary together.

use std::collections::BTreeMap;

use super::series::{Series, larger};
use super::timing::Ratio;
use record::stats::{LogValue, Variance, sum};
use record::times::mean_and_squares;

pub(super) struct Member<'s, 'a> {
    pub(super) ratio: Ratio,
    pub(super) origin: Origin<'s, 'a>,
}

#[derive(Clone, Copy)]
pub(super) enum Origin<'s, 'a> {
    Copy,
    /// Two independent sides, with the variances of their means.
    Sides([(&'s Series<'a>, Option<Variance>); 2]),
    /// Differences between two APIs that took turns.
    Turns(&'s Series<'a>),
}

/// Geometric mean of ratios; `None` if there are none.
///
/// Rows of one epoch or run vary together, for example with clock rate or load. For each side (or for the differences
/// of two APIs that took turns), the mean over rows of the distance from each row's own mean shows this shared
/// variation, epoch by epoch and run by run. Its variance, with the degrees of freedom of epochs or runs, is used if
/// larger than that of independent rows. The variances of two sides add up (Welch's test). If any ratio has no
/// interval, neither has the mean.
pub(super) fn geometric_mean(members: &[Member]) -> Option<Ratio> {
    let count = members.len() as f64;
    let log = members.iter().map(|member| member.ratio.value.ln()).sum::<f64>() / count;
    if members.is_empty() {
        return None;
    }
    let changed: Vec<&Member> = members.iter().filter(|member| !matches!(member.origin, Origin::Copy)).collect();
    if changed.is_empty() {
        return Some(Ratio::ONE);
    }
    let Some(independent) = changed.iter().map(|member| member.ratio.variance).collect::<Option<Vec<_>>>() else {
        return Some(Ratio::new(LogValue { log, variance: None }));
    };
    let scaled = |variance: Variance| Variance { value: variance.value / (count * count), ..variance };
    let independent = scaled(sum(independent.into_iter()));
    // Copies contribute no variation.
    let part = (changed.len() as f64 / count).powi(2);
    let moving =
        |series: &[&Series]| together(series).map(|variance| Variance { value: variance.value * part, ..variance });
    let turns: Option<Vec<&Series>> = changed
        .iter()
        .map(|member| if let Origin::Turns(series) = member.origin { Some(series) } else { None })
        .collect();
    let variance = if let Some(turns) = turns {
        larger(Some(independent), moving(&turns))
    } else {
        let sides = [0, 1].map(|side| {
            let (series, own): (Vec<&Series>, Vec<Option<Variance>>) = changed
                .iter()
                .filter_map(|member| if let Origin::Sides(sides) = member.origin { Some(sides[side]) } else { None })
                .unzip();
            larger(Some(scaled(sum(own.into_iter().flatten()))), moving(&series))
        });
        // If some APIs took turns and others did not, their ratios count as independent.
        let both = sum(sides.into_iter().flatten());
        larger(Some(independent), Some(both))
    };
    Some(Ratio::new(LogValue { log, variance }))
}

/// Variance of the mean over rows from their shared variation; `None` without epochs and runs, and for a single row,
/// whose own variance is the better estimate.
fn together(all: &[&Series]) -> Option<Variance> {
    if all.len() < 2 {
        return None;
    }
    // Epochs are passes over the plan. A row with fewer epochs than most has missed an unknown pass.
    let mut lengths: BTreeMap<usize, usize> = BTreeMap::new();
    all.iter().flat_map(|series| &series.runs).for_each(|run| *lengths.entry(run.logs.len()).or_default() += 1);
    let epochs = lengths.into_iter().max_by_key(|(length, number)| (*number, *length))?.0;
    let runs = all.iter().map(|series| series.runs.len()).max()?;
    let mut by_date: BTreeMap<&str, Vec<&[f64]>> = BTreeMap::new();
    for run in all.iter().flat_map(|series| &series.runs).filter(|run| run.logs.len() == epochs) {
        by_date.entry(&run.record.date).or_default().push(&run.logs);
    }
    let (mut squares, mut degrees) = (0.0, 0);
    for rows in by_date.values() {
        let mut shifts = vec![0.0; epochs];
        for logs in rows {
            let mean = mean_and_squares(logs).0;
            shifts.iter_mut().zip(*logs).for_each(|(shift, log)| *shift += (log - mean) / rows.len() as f64);
        }
        squares += mean_and_squares(&shifts).1;
        degrees += epochs - 1;
    }
    let between_epochs = (degrees > 0)
        .then(|| Variance { value: squares / degrees as f64 / (epochs * runs) as f64, degrees: degrees as f64 });
    let mut by_date: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for series in all.iter().filter(|series| series.runs.len() == runs) {
        let mean = series.mean();
        for run in &series.runs {
            by_date.entry(&run.record.date).or_default().push(run.mean() - mean);
        }
    }
    let shifts: Vec<f64> = by_date.values().map(|shifts| mean_and_squares(shifts).0).collect();
    let between_runs = (shifts.len() > 1).then(|| Variance {
        value: mean_and_squares(&shifts).1 / (shifts.len() - 1) as f64 / runs as f64,
        degrees: (shifts.len() - 1) as f64,
    });
    larger(between_epochs, between_runs).filter(|variance| variance.value > 0.0)
}
