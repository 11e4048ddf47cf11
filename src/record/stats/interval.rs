use crate::stats::{median_of_sorted, sorted, student};

const ALPHA: f64 = 0.05;

/// Minimum number of samples for order statistics: with fewer, even the full range covers less than 95 %.
const LEAST: usize = 6;

/// 95 % confidence interval of the median of `samples`, in the order of measurement (coverage: `examples/coverage/`).
///
/// With six samples or more, the interval uses interpolated order statistics (Hettmansperger & Sheather, *Statistics &
/// Probability Letters* 4, 1986). Whole ranks can cover more than 95 %: 98 % with ten samples. Interpolation between
/// the two pairs of ranks nearest to 95 % corrects this to within one percent, for any distribution. Correlated samples
/// (a drifting clock, two slowly alternating modes) contain less information than their number suggests, so the ranks
/// follow from the effective sample size n ÷ (1 + 2 Σ ρₖ). ρₖ is the autocorrelation at lag k of the sign of (sample −
/// median), because the median's variance is that of a count of signs (Bartlett's variance of a mean). The sum ends
/// before the first lag with ρₖ ≤ 1 ÷ √n, one standard error, so independent samples lose at most half a percent of
/// coverage. Negative correlations do not narrow the interval. With two to five samples, order statistics cannot reach
/// 95 %. The interval is then Student's for the mean of the logarithms, which assumes about log-normal noise. `None`
/// for fewer than two samples, or two to five not all above 0.
#[must_use]
pub fn median_interval(samples: &[f64]) -> Option<(f64, f64)> {
    let sorted = sorted(samples);
    match sorted.len() {
        0 | 1 => None,
        2..LEAST => interval_of_few(&sorted),
        count => {
            let median = median_of_sorted(&sorted);
            let effective = (effective_count(samples, median) as usize).clamp(LEAST, count);
            // The probability below the lower end must not depend on the number of samples.
            let rank = lower_rank(effective) * (count + 1) as f64 / (effective + 1) as f64;
            Some((at_rank(&sorted, rank), at_rank(&sorted, (count + 1) as f64 - rank)))
        }
    }
}

fn effective_count(samples: &[f64], median: f64) -> f64 {
    let sides: Vec<f64> = samples.iter().map(|x| if x == &median { 0.0 } else { (x - median).signum() }).collect();
    let count = sides.len() as f64;
    let variance: f64 = sides.iter().map(|side| side * side).sum();
    if variance == 0.0 {
        return count;
    }
    let chance = count.sqrt().recip();
    let correlation = |lag: usize| {
        let products: f64 = sides.iter().zip(&sides[lag..]).map(|(a, b)| a * b).sum();
        // The signs sum to about zero, which lowers each correlation by 1/n.
        products / variance + 1.0 / count
    };
    let correlated: f64 = (1..samples.len() / 3).map(correlation).take_while(|r| *r > chance).sum();
    count / (1.0 + 2.0 * correlated)
}

/// Rank of the lower end among `count` ≥ 6 sorted samples, from 1, perhaps between two; the upper end mirrors it.
fn lower_rank(count: usize) -> f64 {
    // P(B(n, ½) = k) by recurrence from k = 0, in logarithms so that large n do not underflow.
    let n = count as f64;
    let mut log_term = n * 0.5_f64.ln();
    // 1 − coverage of ranks (d, n + 1 − d) is 2 · P(B < d). d is the largest rank that still covers 95 %.
    let (mut outside, mut outside_next) = (0.0, 2.0 * log_term.exp());
    let mut d = 0.0;
    while outside_next <= ALPHA {
        outside = outside_next;
        log_term += (n - d).ln() - (d + 1.0).ln();
        outside_next += 2.0 * log_term.exp();
        d += 1.0;
    }
    let surplus = (ALPHA - outside) / (outside_next - outside);
    d + (n - d) * surplus / (d + (n - 2.0 * d) * surplus)
}

/// The value at `rank`, counted from 1, with linear interpolation between ranks.
fn at_rank(sorted: &[f64], rank: f64) -> f64 {
    let last = sorted.len() - 1;
    let below = ((rank - 1.0).max(0.0) as usize).min(last);
    let fraction = (rank - 1.0 - below as f64).clamp(0.0, 1.0);
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    low + (high - low) * fraction
}

fn interval_of_few(sorted: &[f64]) -> Option<(f64, f64)> {
    if sorted[0] <= 0.0 {
        return None;
    }
    let (count, median) = (sorted.len() as f64, median_of_sorted(sorted));
    // Relative to the median, so that equal samples have no rounding error.
    let logs: Vec<f64> = sorted.iter().map(|x| (x / median).ln()).collect();
    let mean = logs.iter().sum::<f64>() / count;
    let squares: f64 = logs.iter().map(|x| (x - mean).powi(2)).sum();
    let reach = student(count - 1.0) * (squares / (count - 1.0) / count).sqrt();
    Some((median * (mean - reach).exp(), median * (mean + reach).exp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers 1 to n, in an order without positive correlation.
    fn ranks(n: u32) -> Vec<f64> {
        (0..n).map(|i| f64::from(if i % 2 == 0 { i / 2 } else { n - 1 - i / 2 } + 1)).collect()
    }

    /// By hand from the binomial distribution. n = 10: ranks 2 and 9 cover 1002/1024, ranks 3 and 8 cover 912/1024.
    #[test]
    fn ranks_are_interpolated_to_95_percent() {
        for (n, low) in [(6, 1.357_143), (10, 2.657_658), (20, 6.235_234)] {
            let got = median_interval(&ranks(n)).expect("n > 1");
            assert!((got.0 - low).abs() < 1e-4, "n = {n}: {got:?}");
            assert!((got.0 + got.1 - f64::from(n + 1)).abs() < 1e-9, "n = {n}: {got:?} is not symmetric");
        }
    }

    /// Between the published sign-test rank, the largest that covers 95 %, and the next one.
    #[test]
    fn ranks_lie_beside_those_of_the_published_table() {
        for (n, rank) in [(6, 1), (8, 1), (9, 2), (10, 2), (12, 3), (15, 4), (20, 6), (25, 8), (50, 18), (100, 40)] {
            let low = lower_rank(n);
            assert!((f64::from(rank)..f64::from(rank + 1)).contains(&low), "n = {n}: {low}");
        }
    }

    #[test]
    fn a_few_samples_have_student_s_interval() {
        // Logarithms −1, 0, 1: standard error 1/√3, t with two degrees of freedom in closed form.
        let reach = 0.95 * (2.0 / (1.0 - 0.95_f64.powi(2)) / 3.0).sqrt();
        let (low, high) = median_interval(&[1.0, 1.0_f64.exp().recip(), 1.0_f64.exp()]).expect("three samples");
        assert!((low.ln() + reach).abs() < 1e-9 && (high.ln() - reach).abs() < 1e-9, "{low} {high}");
        assert_eq!(median_interval(&[7.0, 7.0, 7.0]), Some((7.0, 7.0)));
        assert_eq!(median_interval(&[0.0, 1.0, 2.0]), None);
        assert_eq!((median_interval(&[]), median_interval(&[1.0])), (None, None));
    }

    #[test]
    fn the_interval_holds_the_median_of_its_samples() {
        for samples in [&[1.0, 100.0][..], &[1.0, 1.0, 50.0], &[1.0, 1.0, 1.0, 90.0], &[1.0, 1.0, 1.0, 9.0, 99.0]] {
            let (low, high) = median_interval(samples).expect("n > 1");
            let median = median_of_sorted(samples);
            assert!(low <= median && median <= high, "{samples:?}: {low} {high}");
        }
    }

    #[test]
    fn the_interval_survives_thousands_of_samples() {
        let (low, high) = median_interval(&ranks(5000)).expect("n > 1");
        assert!(low < 2500.0 && high > 2501.0 && high - low < 160.0, "{low} {high}");
    }

    #[test]
    fn samples_that_resemble_their_neighbours_widen_the_interval() {
        let width = |samples: &[f64]| median_interval(samples).map(|(low, high)| high - low).expect("n > 1");
        // The same 200 values: shuffled, and in blocks of ten ascending values.
        let shuffled: Vec<f64> = (0..200).map(|i| f64::from(i * 77 % 200)).collect();
        let blocks: Vec<f64> = (0..200).map(|i| f64::from((i / 10) * 77 % 20 * 10 + i % 10)).collect();
        assert!((width(&shuffled) - 27.7).abs() < 1.0, "{}", width(&shuffled));
        assert!(width(&blocks) > 2.0 * width(&shuffled), "{} {}", width(&blocks), width(&shuffled));
        // A rising series has about six independent samples, but the interval is still narrower than the range.
        let rising: Vec<f64> = (0..200).map(f64::from).collect();
        assert!(width(&rising) > 100.0 && width(&rising) < 190.0, "{}", width(&rising));
    }

    #[test]
    fn samples_that_alternate_are_not_taken_for_more_than_they_are() {
        let alternating: Vec<f64> = (0..100).map(|i| if i % 2 == 0 { 1.0 } else { 2.0 }).collect();
        assert_eq!(effective_count(&alternating, 1.5), 100.0);
        assert_eq!(effective_count(&[4.0; 30], 4.0), 30.0);
    }
}
