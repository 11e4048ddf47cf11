//! `--tune`: finds the fastest values of a kernel's free parameters on this device.
//!
//! Candidates are measured briefly and not verified. The selected one then runs like any other case, with verification.

use std::collections::HashSet;

use super::api_run::ApiRun;
use super::observer::Observer;
use super::resume::{of_case, of_record};
use super::rows::Rows;
use crate::engine::measure::Rules;
use crate::error::Result;
use crate::job::Job;
use crate::results::Record;
use crate::results::stats::Summary;
use crate::suite::Case;
use crate::suite::Value;

/// Time for a candidate, in nanoseconds.
const BUDGET_NS: f64 = 30e6;

/// Minimum gain of a candidate, as a fraction: rows with other parameters can be compared with fewer reports.
const MIN_GAIN: f64 = 0.02;

/// Sets the parameters that are fastest on the first API with a working device. Cases that already have rows stay
/// unchanged, and so do the remaining cases after an interruption.
pub(super) async fn tune(
    runs: &mut [ApiRun<'_>],
    cases: &[Case],
    rows: &Rows,
    observer: &mut dyn Observer,
) -> Vec<Case> {
    let mut cases = cases.to_vec();
    let Some(run) = runs.iter_mut().find(|run| run.session.is_ok()) else { return cases };
    let untouched = cases.iter().enumerate().filter(|(index, _)| rows.is_untouched(*index));
    let tunable: Vec<(usize, Vec<Case>)> = untouched
        .map(|(index, case)| (index, candidates(case)))
        .filter(|(_, candidates)| !candidates.is_empty())
        .collect();
    for (at, (index, candidates)) in tunable.iter().enumerate() {
        let case = &mut cases[*index];
        observer.tuning(at + 1, tunable.len(), case, &run.blank(case));
        // A case whose candidates lose the device stays unchanged.
        if let Ok(Some(variant)) = fastest_variant(run, case, candidates, observer).await {
            *case = variant;
        }
        if observer.is_interrupted() {
            break;
        }
    }
    cases
}

/// Sets each case's parameters to those in `records`, the rows of an earlier part of the same tuned run.
pub fn recall_params(cases: &mut [Case], records: &[Record]) {
    let earlier: HashSet<_> = records.iter().map(of_record).collect();
    for case in cases.iter_mut().filter(|case| !earlier.contains(&of_case(case))) {
        if let Some(tuned) = candidates(case).into_iter().find(|candidate| earlier.contains(&of_case(candidate))) {
            *case = tuned;
        }
    }
}

/// The case with each alternative value of each tunable parameter that it does not set.
pub(super) fn candidates(case: &Case) -> Vec<Case> {
    let open: Vec<_> = case.family.tuned.iter().filter(|(name, _)| !case.shape.params.contains_key(*name)).collect();
    if open.is_empty() {
        return Vec::new();
    }
    let Ok(job) = Job::new(case) else { return Vec::new() };
    let usual = |name| job.kernel.interface.overrides.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
    let with = |name: &str, value: f64| {
        let mut case = case.clone();
        case.shape.params.insert(name.to_owned(), value);
        case
    };
    let of = |(name, values): &(&'static str, &'static [f64])| -> Vec<Case> {
        let Some(usual) = usual(*name) else { return Vec::new() };
        values.iter().filter(|value| usual != Value::U32(**value as u32)).map(|value| with(name, *value)).collect()
    };
    open.into_iter().flat_map(of).collect()
}

/// The fastest candidate, if it is significantly faster than the case with its usual parameters, or if these do not
/// run.
///
/// # Errors
/// Errors that end the device.
async fn fastest_variant(
    run: &mut ApiRun<'_>,
    case: &Case,
    candidates: &[Case],
    observer: &dyn Observer,
) -> Result<Option<Case>> {
    let rules = Rules::with_budget(BUDGET_NS);
    let usual = run.trial(case, rules).await?;
    let mut fastest: Option<(&Case, Summary)> = None;
    for candidate in candidates {
        if observer.is_interrupted() {
            return Ok(None);
        }
        if let Some(summary) = run.trial(candidate, rules).await?
            && fastest.as_ref().is_none_or(|(_, best)| summary.median < best.median)
        {
            fastest = Some((candidate, summary));
        }
    }
    let Some((candidate, summary)) = fastest else { return Ok(None) };
    let Some(usual) = usual else { return Ok(Some(candidate.clone())) };
    if !is_faster(&summary, &usual) {
        return Ok(None);
    }
    // The fastest of several may be so by chance: measure both again.
    let again = run.trial(candidate, rules).await?.zip(run.trial(case, rules).await?);
    Ok(again.filter(|(summary, usual)| is_faster(summary, usual)).map(|_| candidate.clone()))
}

/// Whether `one` is below `other` by more than the minimum gain, and their intervals do not overlap.
fn is_faster(one: &Summary, other: &Summary) -> bool {
    let is_clear = one.interval.zip(other.interval).is_none_or(|((_, high), (low, _))| high < low);
    is_clear && one.median < other.median * (1.0 - MIN_GAIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::FAMILIES;
    use crate::suite::Shape;

    #[test]
    fn every_tuned_value_of_a_family_belongs_to_one_of_its_kernels() {
        for family in FAMILIES {
            for (name, values) in family.tuned {
                let cases = family.benchmarks.iter().map(|benchmark| {
                    let declared = &benchmark.cases[0];
                    let (dtype, extent) = (declared.dtypes[0], declared.extents[0]);
                    Case::new(family, benchmark, Shape::new(dtype, extent, Default::default()))
                });
                // The kernel's candidates and its usual value.
                let mut known: Vec<f64> = Vec::new();
                for case in cases {
                    known.extend(candidates(&case).iter().filter_map(|case| case.shape.params.get(*name)));
                    let job = Job::new(&case).expect("valid");
                    let usual = job.kernel.interface.overrides.iter().find(|(own, _)| own == name);
                    known.extend(
                        usual.and_then(
                            |(_, value)| if let Value::U32(own) = value { Some(f64::from(*own)) } else { None },
                        ),
                    );
                }
                assert!(values.iter().all(|value| known.contains(value)), "{} {name}: {known:?}", family.name);
            }
        }
    }

    #[test]
    fn times_must_differ_by_more_than_their_noise_and_the_minimum_gain() {
        let summary = |median: f64, half: f64| Summary {
            median,
            min: median - half,
            mean: median,
            stddev: Some(half),
            interval: Some((median - half, median + half)),
        };
        assert!(is_faster(&summary(90.0, 1.0), &summary(100.0, 1.0)));
        assert!(!is_faster(&summary(90.0, 6.0), &summary(100.0, 6.0)), "intervals overlap");
        assert!(!is_faster(&summary(98.5, 0.1), &summary(100.0, 0.1)), "the gain is too small");
        assert!(!is_faster(&summary(110.0, 1.0), &summary(100.0, 1.0)));
    }
}
