//! Variation between processes that the epochs of one process do not show, estimated within a comparison.

use super::series::sum;
use super::timing::Ratio;
use crate::record::stats::{Variance, median, student_quartile};

/// How intervals account for variation between processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Processes {
    /// Not at all: the epochs of a run show all of it.
    Alike,
    /// Every standard error of a class grows by one factor: noisy rows also vary most between processes.
    #[default]
    Factor,
    /// Every variance of a class grows by one sum: a process moves quiet and noisy rows alike.
    Sum,
}

/// Minimum number of pairs: with fewer, the estimate itself is a matter of chance.
pub(super) const LEAST: usize = 30;

/// Variation between processes in a class of rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Inflation {
    Factor(f64),
    Sum(Variance),
}

/// The variation that the logarithms of `ratios` show beyond their own intervals.
///
/// The ratios are those of a class of unchanged rows. Each logarithm is centred at the median of all, divided by its
/// standard error and by the upper quartile of Student's t. If the intervals are right, the median of the absolute
/// values is 1. A larger one is the factor; the sum is the variance that brings it down to 1. This is the width of an
/// empirical null distribution (Efron, *Journal of the American Statistical Association* 99, 2004), as a median absolute
/// deviation, so that fewer than half of the rows may differ. `None` if fewer than [`LEAST`] ratios have an interval.
///
/// It must not be estimated from rows that are expected to differ: other devices, cards, drivers, APIs or kernels.
/// A change of a different size in most rows of a class looks like noise and would hide itself.
pub(super) fn inflation<'a>(processes: Processes, ratios: impl Iterator<Item = &'a Ratio>) -> Option<Inflation> {
    let known: Vec<_> = ratios.filter_map(|ratio| Some((ratio.value.ln(), ratio.variance?))).collect();
    if known.len() < LEAST {
        return None;
    }
    let centre = median(&known.iter().map(|(log, _)| *log).collect::<Vec<_>>())?;
    let scale = |added: Variance| {
        let distance = |(log, own): &(f64, Variance)| {
            let variance = sum([*own, added].into_iter());
            (log - centre).abs() / variance.value.sqrt() / student_quartile(variance.degrees)
        };
        median(&known.iter().map(distance).collect::<Vec<_>>()).unwrap_or(0.0)
    };
    let added = |value: f64| Variance { value, degrees: known.len() as f64 };
    match processes {
        Processes::Alike => None,
        Processes::Factor => Some(Inflation::Factor(scale(added(0.0)).max(1.0))),
        Processes::Sum => {
            // The scale falls as the sum grows: bisection up to the largest distance.
            let most = known.iter().map(|(log, _)| (log - centre).powi(2)).fold(0.0, f64::max);
            let (mut low, mut high) = (0.0, if scale(added(0.0)) > 1.0 { most } else { 0.0 });
            for _ in 0..50 {
                let middle = f64::midpoint(low, high);
                if scale(added(middle)) > 1.0 { low = middle } else { high = middle }
            }
            Some(Inflation::Sum(added(high)))
        }
    }
}

/// The ratio with the variation between processes.
pub(super) fn inflated(ratio: &Ratio, inflation: Inflation) -> Ratio {
    let Some(own) = ratio.variance else { return *ratio };
    let variance = match inflation {
        Inflation::Factor(factor) => Variance { value: own.value * factor * factor, ..own },
        Inflation::Sum(added) if added.value > 0.0 => sum([own, added].into_iter()),
        Inflation::Sum(_) => own,
    };
    Ratio::new(ratio.value.ln(), Some(variance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::stats::random::Random;

    const DEGREES: f64 = 12.0;

    /// Ratios with the standard error `claimed`, and a scatter that is `scale` times as large.
    fn ratios(random: &mut Random, count: usize, claimed: f64, scale: f64, shift: f64) -> Vec<Ratio> {
        let variance = Some(Variance { value: claimed * claimed, degrees: DEGREES });
        let mut t = || random.normal() / random.chi(DEGREES as usize).sqrt();
        (0..count).map(|_| Ratio::new(shift + claimed * scale * t(), variance)).collect()
    }

    fn factor(ratios: &[Ratio]) -> f64 {
        match inflation(Processes::Factor, ratios.iter()) {
            Some(Inflation::Factor(factor)) => factor,
            other => panic!("{other:?}"),
        }
    }

    fn added(ratios: &[Ratio]) -> f64 {
        match inflation(Processes::Sum, ratios.iter()) {
            Some(Inflation::Sum(added)) => added.value.sqrt(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_factor_of_simulated_pairs_is_found_whatever_all_rows_share() {
        let mut random = Random(2026);
        for (scale, shift) in [(1.0, 0.0), (1.0, 0.05), (2.0, 0.0), (3.5, -0.02)] {
            let found = factor(&ratios(&mut random, 4000, 0.01, scale, shift));
            assert!((found / scale - 1.0).abs() < 0.06, "{found} for {scale}");
        }
        assert_eq!(factor(&ratios(&mut random, 4000, 0.01, 0.3, 0.0)), 1.0, "intervals are never narrowed");
        for processes in [Processes::Factor, Processes::Sum] {
            assert_eq!(inflation(processes, ratios(&mut random, LEAST - 1, 0.01, 9.0, 0.0).iter()), None);
            assert_eq!(inflation(processes, [Ratio::ONE; 100].iter()), None);
        }
        assert_eq!(inflation(Processes::Alike, ratios(&mut random, 100, 0.01, 9.0, 0.0).iter()), None);
    }

    #[test]
    fn the_sum_of_quiet_and_noisy_pairs_is_found() {
        let mut random = Random(2027);
        let mut all = ratios(&mut random, 3000, 0.002, 1.0, 0.01);
        all.extend(ratios(&mut random, 1000, 0.02, 1.0, 0.01));
        assert!(added(&all) < 0.0012, "{}", added(&all));
        for ratio in &mut all {
            *ratio = Ratio::new(ratio.value.ln() + 0.008 * random.normal(), ratio.variance);
        }
        assert!((added(&all) / 0.008 - 1.0).abs() < 0.08, "{}", added(&all));
        assert_eq!(added(&ratios(&mut random, 1000, 0.01, 0.5, 0.0)), 0.0);
    }

    #[test]
    fn a_third_of_changed_rows_hardly_widens_the_others() {
        let mut random = Random(4);
        let mut all = ratios(&mut random, 600, 0.01, 1.0, 0.0);
        all.extend(ratios(&mut random, 150, 0.01, 1.0, 0.2));
        all.extend(ratios(&mut random, 150, 0.01, 1.0, -0.3));
        assert!((1.2..2.0).contains(&factor(&all)), "{}", factor(&all));
    }

    #[test]
    fn an_inflated_ratio_has_a_wider_interval() {
        let ratio = Ratio::new(0.1, Some(Variance { value: 1e-4, degrees: DEGREES }));
        let width = |ratio: &Ratio| ratio.interval.map(|(low, high)| (high / low).ln()).expect("an interval");
        let wider = inflated(&ratio, Inflation::Factor(3.0));
        assert!((width(&wider) / width(&ratio) - 3.0).abs() < 1e-9);
        let added = Inflation::Sum(Variance { value: 8e-4, degrees: 1e6 });
        let wider = inflated(&ratio, added).variance.expect("known");
        // Welch's degrees: 9² / (1² / 12).
        assert!((wider.value - 9e-4).abs() < 1e-12 && (wider.degrees / 972.0 - 1.0).abs() < 1e-3, "{wider:?}");
        assert_eq!(inflated(&Ratio::ONE, added), Ratio::ONE);
    }
}
