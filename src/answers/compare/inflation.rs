//! Variation between processes that the epochs of one process do not show, estimated within a comparison.

use super::timing::Ratio;
use record::stats::{LogValue, Variance, median, student_quartile};

/// With fewer pairs, the estimate itself is mostly chance.
pub(super) const LEAST: usize = 30;

/// The factor by which the logarithms of `ratios`, a class of unchanged rows, scatter beyond their own intervals. Every
/// standard error of the class grows by it, since noisy rows also vary most between processes. `None` if fewer than
/// [`LEAST`] ratios have an interval.
///
/// Each logarithm is centred at the median of all, and divided by its standard error and by the upper quartile of
/// Student's t. If the intervals are right, the median of the absolute values is 1; a larger median is the factor. This
/// is the width of an empirical null distribution (Efron, *Journal of the American Statistical Association* 99, 2004),
/// as a median absolute deviation, so that fewer than half of the rows may differ.
///
/// The rows must not be expected to differ: not other devices, cards, drivers, APIs or kernels. A change of a different
/// size in most rows of a class would look like noise and hide itself.
pub(super) fn inflation<'a>(ratios: impl Iterator<Item = &'a Ratio>) -> Option<f64> {
    let known: Vec<_> = ratios.filter_map(|ratio| Some((ratio.value.ln(), ratio.variance?))).collect();
    if known.len() < LEAST {
        return None;
    }
    let centre = median(&known.iter().map(|(log, _)| *log).collect::<Vec<_>>())?;
    let distance =
        |(log, own): &(f64, Variance)| (log - centre).abs() / own.value.sqrt() / student_quartile(own.degrees);
    median(&known.iter().map(distance).collect::<Vec<_>>()).map(|scale| scale.max(1.0))
}

pub(super) fn inflated(ratio: &Ratio, factor: f64) -> Ratio {
    let Some(own) = ratio.variance else { return *ratio };
    let variance = Some(Variance { value: own.value * factor * factor, ..own });
    Ratio::new(LogValue { variance, ..ratio.log() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::stats::random::Random;

    const DEGREES: f64 = 12.0;

    /// Ratios that claim the standard error `claimed` but scatter `scale` times as much.
    fn ratios(random: &mut Random, count: usize, claimed: f64, scale: f64, shift: f64) -> Vec<Ratio> {
        let variance = Some(Variance { value: claimed * claimed, degrees: DEGREES });
        let mut t = || random.normal() / random.chi(DEGREES as usize).sqrt();
        (0..count).map(|_| Ratio::new(LogValue { log: shift + claimed * scale * t(), variance })).collect()
    }

    fn factor(ratios: &[Ratio]) -> f64 {
        inflation(ratios.iter()).expect("enough ratios")
    }

    #[test]
    fn the_factor_of_simulated_pairs_is_found_whatever_all_rows_share() {
        let mut random = Random(2026);
        for (scale, shift) in [(1.0, 0.0), (1.0, 0.05), (2.0, 0.0), (3.5, -0.02)] {
            let found = factor(&ratios(&mut random, 4000, 0.01, scale, shift));
            assert!((found / scale - 1.0).abs() < 0.06, "{found} for {scale}");
        }
        assert_eq!(factor(&ratios(&mut random, 4000, 0.01, 0.3, 0.0)), 1.0, "intervals are never narrowed");
        assert_eq!(inflation(ratios(&mut random, LEAST - 1, 0.01, 9.0, 0.0).iter()), None);
        assert_eq!(inflation([Ratio::ONE; 100].iter()), None);
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
        let ratio = Ratio::new(LogValue { log: 0.1, variance: Some(Variance { value: 1e-4, degrees: DEGREES }) });
        let width = |ratio: &Ratio| ratio.interval.map(|(low, high)| (high / low).ln()).expect("an interval");
        let wider = inflated(&ratio, 3.0);
        assert!((width(&wider) / width(&ratio) - 3.0).abs() < 1e-9);
        assert_eq!(inflated(&Ratio::ONE, 3.0), Ratio::ONE);
    }
}
