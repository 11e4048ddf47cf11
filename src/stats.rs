//! Pure functions from samples to figures.

/// The figures of one series of samples. All times in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Middle sample; the mean of the middle two where their number is even.
    pub median: f64,
    /// Smallest sample.
    pub min: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Sample standard deviation (divisor n − 1); `None` for a single sample.
    pub stddev: Option<f64>,
    /// 95 % confidence interval of the median, see [`median_interval`]; `None` for a single sample.
    pub interval: Option<(f64, f64)>,
}

/// Summarises `samples`; `None` where there are none.
#[must_use]
pub fn summarize(samples: &[f64]) -> Option<Summary> {
    let sorted = sorted(samples);
    let (&min, count) = (sorted.first()?, sorted.len() as f64);
    let mean = sorted.iter().sum::<f64>() / count;
    let stddev = (sorted.len() > 1).then(|| {
        let squares: f64 = sorted.iter().map(|x| (x - mean).powi(2)).sum();
        (squares / (count - 1.0)).sqrt()
    });
    Some(Summary { median: median_of_sorted(&sorted), min, mean, stddev, interval: median_interval(&sorted) })
}

/// Median of `samples` in any order; `None` where there are none.
#[must_use]
pub fn median(samples: &[f64]) -> Option<f64> {
    (!samples.is_empty()).then(|| median_of_sorted(&sorted(samples)))
}

/// Standard error of the mean divided by the mean: stddev ÷ √n ÷ mean. `None` below two samples.
#[must_use]
pub fn relative_standard_error(samples: &[f64]) -> Option<f64> {
    let summary = summarize(samples)?;
    Some(summary.stddev? / (samples.len() as f64).sqrt() / summary.mean)
}

/// 95 % confidence interval of the median of `sorted`, by order statistics.
///
/// The ranks are the widest pair (i, n + 1 − i) whose binomial coverage, 1 − 2 · P(B(n, ½) < i), is still at least 95 %
/// (Conover, *Practical Nonparametric Statistics*, §3.2); no distribution is assumed. Below six samples no pair reaches 95 %:
/// the interval is then minimum to maximum, which covers 1 − 2^(1−n). `None` below two samples.
#[must_use]
pub fn median_interval(sorted: &[f64]) -> Option<(f64, f64)> {
    let n = sorted.len();
    if n < 2 {
        return None;
    }
    // P(B(n, ½) = k) by recurrence from k = 0, in logarithms so that large n do not underflow.
    let mut log_term = n as f64 * 0.5_f64.ln();
    let mut below = 0.0;
    let mut rank = 0;
    for k in 0..n / 2 {
        below += log_term.exp();
        if below > 0.025 {
            break;
        }
        rank = k + 1;
        log_term += ((n - k) as f64).ln() - ((k + 1) as f64).ln();
    }
    let low = rank.saturating_sub(1);
    Some((sorted[low], sorted[n - 1 - low]))
}

/// The step of the clock that measured `values`: the largest step of which all of them are multiples (Euclid's algorithm, to within
/// a hundredth). With a few dozen different values it is the true one; `None` where all are zero or negative.
#[must_use]
pub fn clock_step(values: &[f64]) -> Option<f64> {
    const ZERO: f64 = 0.01;
    let common = |mut a: f64, mut b: f64| {
        while b > ZERO {
            (a, b) = (b, a % b);
            // A remainder just short of the divisor is a rounded zero.
            if a - b < ZERO {
                b = 0.0;
            }
        }
        a
    };
    values.iter().copied().filter(|value| *value > ZERO).reduce(common)
}

/// `value` rounded to seven significant digits: more than any clock here can tell, and short enough to read.
#[must_use]
pub fn round_to_seven_digits(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    format!("{value:.6e}").parse().unwrap_or(value)
}

fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn median_of_sorted(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        let s = summarize(&[4.0, 1.0, 3.0, 2.0]).expect("four samples");
        assert_eq!((s.median, s.min, s.mean), (2.5, 1.0, 2.5));
        assert!((s.stddev.expect("n > 1") - (5.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(summarize(&[]), None);
        let one = summarize(&[7.0]).expect("one sample");
        assert_eq!((one.stddev, one.interval), (None, None));
    }

    /// Ranks from the published table of the sign test at 95 %: n → lower rank (1-based).
    #[test]
    fn interval_ranks_match_the_published_table() {
        for (n, rank) in [(6, 1), (8, 1), (9, 2), (10, 2), (12, 3), (15, 4), (20, 6), (25, 8), (50, 18), (100, 40)] {
            let sorted: Vec<f64> = (1..=n).map(f64::from).collect();
            let (low, high) = median_interval(&sorted).expect("n > 1");
            assert_eq!((low, high), (f64::from(rank), f64::from(n + 1 - rank)), "n = {n}");
        }
    }

    #[test]
    fn interval_of_few_samples_is_their_range() {
        assert_eq!(median_interval(&[1.0, 5.0]), Some((1.0, 5.0)));
        assert_eq!(median_interval(&[1.0, 2.0, 3.0, 4.0, 9.0]), Some((1.0, 9.0)));
    }

    #[test]
    fn interval_survives_thousands_of_samples() {
        let sorted: Vec<f64> = (0..5000).map(f64::from).collect();
        let (low, high) = median_interval(&sorted).expect("n > 1");
        assert!(low < 2499.5 && high > 2499.5 && high - low < 160.0, "{low} {high}");
    }

    #[test]
    fn clock_step_is_found() {
        assert_eq!(clock_step(&[64.0, 160.0, 128.0, 128.0]), Some(32.0));
        assert_eq!(clock_step(&[100.0, 0.0, 100.0]), Some(100.0));
        assert_eq!(clock_step(&[0.0, 0.0]), None);
        let period = f64::from(83.333_336_f32);
        let step = clock_step(&[17.0, 1_000_001.0, 123_457.0].map(|ticks| ticks * period)).expect("three values");
        assert!((step - period).abs() < 0.01, "{step}");
    }

    #[test]
    fn rounding_keeps_seven_digits() {
        assert_eq!(round_to_seven_digits(1_234.567_891_2), 1_234.568);
        assert_eq!(round_to_seven_digits(0.0), 0.0);
    }
}
