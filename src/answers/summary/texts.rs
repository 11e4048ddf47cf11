//! Figures of the summary, with the digits that their intervals leave.

use super::figures::Peak;
use crate::answers::compare::MARGIN;
use crate::claim::{byte_rate, flop_rate};
use crate::record::stats::Estimate;
use crate::record::{Record, format};
use crate::report::table;
use crate::suite::{Limit, Scalar};

/// A figure in the first of `units` that fits, after multiplication by `factor`; `None` if it is too noisy to quote.
pub(in crate::answers) fn quoted(estimate: Estimate, units: &[&str], factor: f64) -> Option<String> {
    let digits = format::digits(estimate.value, estimate.low, estimate.high)?;
    Some(format::scaled(format::rounded(estimate.value, digits) * factor, units, digits))
}

/// A rate in GB/s.
pub(in crate::answers) fn quoted_rate(rate: Estimate) -> Option<String> {
    quoted(rate, format::BYTE_RATE_UNITS, 1000.0)
}

/// A ratio, with three digits at most: with those that its interval leaves, and with one more where the rounded number would
/// lie outside of it.
pub(in crate::answers) fn quoted_ratio(ratio: Estimate) -> Option<String> {
    let least = format::digits(ratio.value, ratio.low, ratio.high)?.min(3);
    let is_inside = |digits: &usize| (ratio.low..=ratio.high).contains(&format::rounded(ratio.value, *digits));
    let digits = (least..=3).find(is_inside).unwrap_or(3);
    Some(format!("{}×", format::significant(format::rounded(ratio.value, digits), digits)))
}

/// How the speeds of two sides compare.
pub(in crate::answers) enum Compared {
    /// The same within the margin of verdicts.
    Same,
    /// `1.48× faster`, `1.03× slower`.
    By(String),
    /// The noise hides which.
    Unclear,
}

/// How a side compares whose speed is `ratio` times that of another.
pub(in crate::answers) fn compared(ratio: Estimate) -> Compared {
    let Estimate { value, low, high } = ratio;
    if 1.0 / (1.0 + MARGIN) <= low && high <= 1.0 + MARGIN {
        return Compared::Same;
    }
    let (word, factor) = match () {
        () if low > 1.0 => ("faster", ratio),
        () if high < 1.0 => ("slower", Estimate { value: 1.0 / value, low: 1.0 / high, high: 1.0 / low }),
        () => return Compared::Unclear,
    };
    quoted_ratio(factor).map_or(Compared::Unclear, |factor| Compared::By(format!("{factor} {word}")))
}

/// The same in a cell: `1.48× faster`, `same`, `unclear`.
pub(in crate::answers) fn faster(ratio: Estimate) -> String {
    match compared(ratio) {
        Compared::Same => "same".to_owned(),
        Compared::By(text) => text,
        Compared::Unclear => "unclear".to_owned(),
    }
}

/// Figures without their units where the next one has the same: `3.109`, `7.5 TB/s`, `149 ns`.
pub(super) fn bare(figures: Vec<String>) -> Vec<String> {
    let unit = |figure: &String| figure.rsplit_once(' ').map(|(_, unit)| unit.to_owned());
    let units: Vec<Option<String>> = figures.iter().map(unit).chain([None]).collect();
    let is_repeated = |index: usize| units[index].is_some() && units[index] == units[index + 1];
    let number =
        |figure: String| figure.rsplit_once(' ').map_or_else(|| figure.clone(), |(number, _)| number.to_owned());
    figures.into_iter().enumerate().map(|(at, figure)| if is_repeated(at) { number(figure) } else { figure }).collect()
}

/// `f32`, `mma f16`: of tensor cores what a subgroup's matrix instruction reaches, which need not be their peak.
pub(in crate::answers) fn arithmetic_name(peak: &Peak) -> String {
    let scalar = peak.scalar.map_or("", Scalar::name);
    if peak.limit == Limit::Tensor { "mma f16".to_owned() } else { scalar.to_owned() }
}

/// Operations per second, from 10^9: `33.2 TOP/s` for integers, `65.6 TFLOP/s` for floats.
pub(in crate::answers) fn operations(peak: &Peak, gflop_per_s: Estimate) -> Option<String> {
    quoted(gflop_per_s, format::operation_units(peak.scalar.is_none_or(Scalar::is_float)).0, 1000.0)
}

/// The rate of a job: of bytes where the row counts any, else of operations. Too noisy to quote, it is the row's own.
pub(in crate::answers) fn job_rate(row: &Record) -> String {
    let rate = match row.gb_per_s {
        Some(_) => byte_rate(row).and_then(quoted_rate),
        None => flop_rate(row).and_then(|rate| quoted(rate, format::operation_units(row.is_float()).0, 1000.0)),
    };
    rate.unwrap_or_else(|| table::rate(row))
}

/// A time in nanoseconds.
pub(in crate::answers) fn quoted_time(ns: Estimate) -> Option<String> {
    quoted(ns, format::TIME_UNITS, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_says_its_direction_and_nothing_that_noise_may_be() {
        let of = |value: f64, noise: f64| {
            faster(Estimate { value, low: value / (1.0 + noise), high: value * (1.0 + noise) })
        };
        assert_eq!(
            [1.48, 0.68, 22.71, 0.97].map(|value| of(value, 0.004)),
            ["1.48× faster", "1.47× slower", "22.7× faster", "1.03× slower"]
        );
        assert_eq!([of(1.003, 0.004), of(0.996, 0.001)], ["same", "same"]);
        assert_eq!([of(1.003, 0.05), of(3.0, 0.5), of(0.3, 5.0)], ["unclear"; 3]);
    }

    /// Three digits are within 0.5 % of the ratio.
    #[test]
    fn a_quoted_ratio_lies_in_its_interval() {
        for (step, noise) in (0..500).flat_map(|step| [0.006, 0.01, 0.03, 0.1, 0.2].map(|noise| (step, noise))) {
            let value = 0.5 + 0.0137 * f64::from(step);
            let ratio = Estimate { value, low: value * (1.0 - noise), high: value * (1.0 + noise) };
            let Some(text) = quoted_ratio(ratio) else { continue };
            let quoted: f64 = text.trim_end_matches('×').parse().expect("a number");
            assert!((ratio.low..=ratio.high).contains(&quoted), "{text} of {ratio:?}");
        }
    }

    #[test]
    fn a_unit_stands_once() {
        let of = |figures: &[&str]| bare(figures.iter().map(|figure| (*figure).to_owned()).collect()).join(", ");
        assert_eq!(of(&["3.109 TB/s", "7.5 TB/s", "149 GB/s"]), "3.109, 7.5 TB/s, 149 GB/s");
        assert_eq!((of(&["2 ns"]), of(&[])), ("2 ns".to_owned(), String::new()));
    }
}
