//! The summary's figures as texts.

use super::figures::Peak;
use crate::report::table;
use record::claim::{byte_rate, flop_rate};
use record::stats::Estimate;
use record::suite::{Limit, Scalar};
use record::{MARGIN, Record, format};

pub(crate) fn quoted_rate(rate: Estimate) -> Option<String> {
    format::quoted(rate.times(1e3), format::BYTE_RATE_UNITS)
}

/// How the speeds of two sides compare.
pub(crate) enum Compared {
    /// The same within the margin of verdicts.
    Same,
    /// `1.48× faster`, `1.03× slower`.
    By(String),
    /// The noise hides which side is faster.
    Unclear,
}

/// Compares a side that is `ratio` times as fast as another. `mark` writes the noise.
pub(crate) fn compared(ratio: Estimate, mark: fn(f64) -> String) -> Compared {
    let Estimate { low, high, .. } = ratio;
    if 1.0 / (1.0 + MARGIN) <= low && high <= 1.0 + MARGIN {
        return Compared::Same;
    }
    let (word, factor) = match () {
        () if low > 1.0 => ("faster", ratio),
        () if high < 1.0 => ("slower", ratio.recip()),
        () => return Compared::Unclear,
    };
    match format::quotable(factor) {
        Some(noise) => Compared::By(format!("{}{} {word}", format::ratio(factor.value), mark(noise))),
        None => Compared::Unclear,
    }
}

/// The comparison as text: `1.48× faster`, `1.48× ±3 % faster`, `same`, `unclear`.
pub(crate) fn faster(ratio: Estimate) -> String {
    faster_with(ratio, format::plus_minus)
}

/// The comparison for a narrow cell: `1.48×± faster`.
pub(super) fn faster_in_cell(ratio: Estimate) -> String {
    faster_with(ratio, format::plus_minus_sign)
}

fn faster_with(ratio: Estimate, mark: fn(f64) -> String) -> String {
    match compared(ratio, mark) {
        Compared::Same => "same".to_owned(),
        Compared::By(text) => text,
        Compared::Unclear => "unclear".to_owned(),
    }
}

/// Removes units that the next figure repeats: `3.11 ±3 %`, `7.50 TB/s`, `149 ns`.
pub(super) fn without_repeated_units(figures: Vec<String>) -> Vec<String> {
    let unit = |figure: &String| figure.split(' ').nth(1).map(str::to_owned);
    let units: Vec<Option<String>> = figures.iter().map(unit).chain([None]).collect();
    let is_repeated = |index: usize| units[index].is_some() && units[index] == units[index + 1];
    let without = |(at, figure): (usize, String)| match units[at].as_ref().filter(|_| is_repeated(at)) {
        Some(unit) => figure.replacen(&format!(" {unit}"), "", 1),
        None => figure,
    };
    figures.into_iter().enumerate().map(without).collect()
}

/// `f32`, `mma f16`: the rate of the subgroup's matrix instruction, which may be below the tensor cores' peak.
pub(crate) fn arithmetic_name(peak: &Peak) -> String {
    let scalar = peak.scalar.map_or("", Scalar::name);
    if peak.limit == Limit::Tensor { "mma f16".to_owned() } else { scalar.to_owned() }
}

/// Operations per second, from 10^9: `33.2 TOP/s` for integers, `65.6 TFLOP/s` for floats.
pub(crate) fn operations(peak: &Peak, gflop_per_s: Estimate) -> Option<String> {
    let is_float = peak.limit != Limit::TensorInt8 && peak.scalar.is_none_or(Scalar::is_float);
    format::quoted(gflop_per_s.times(1e3), format::operation_units(is_float).0)
}

/// The rate of a job: bytes if the row counts any, else operations. If too noisy to quote, the row's own rate.
pub(crate) fn job_rate(row: &Record) -> String {
    let rate = match row.gb_per_s {
        Some(_) => byte_rate(row).and_then(quoted_rate),
        None => {
            flop_rate(row).and_then(|rate| format::quoted(rate.times(1e3), format::operation_units(row.is_float()).0))
        }
    };
    rate.unwrap_or_else(|| table::rate(row))
}

pub(crate) fn quoted_time(ns: Estimate) -> Option<String> {
    format::quoted(ns, format::TIME_UNITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_says_its_direction_and_nothing_that_noise_may_be() {
        let estimate = |value: f64, noise: f64| {
            faster(Estimate { value, low: value / (1.0 + noise), high: value * (1.0 + noise) })
        };
        assert_eq!(
            [1.48, 0.68, 22.71, 0.97].map(|value| estimate(value, 0.004)),
            ["1.48× faster", "1.47× slower", "22.7× faster", "1.03× slower"]
        );
        assert_eq!([estimate(1.003, 0.004), estimate(0.996, 0.001)], ["same", "same"]);
        assert_eq!([estimate(1.003, 0.05), estimate(3.0, 0.5), estimate(0.3, 5.0)], ["unclear"; 3]);
        assert_eq!(estimate(2.0, 0.05), "2.00× ±5 % faster");
    }

    #[test]
    fn a_unit_stands_once() {
        let shown = |figures: &[&str]| {
            without_repeated_units(figures.iter().map(|figure| (*figure).to_owned()).collect()).join(", ")
        };
        assert_eq!(shown(&["3.11 TB/s ±3 %", "7.50 TB/s ±4 %", "149 GB/s"]), "3.11 ±3 %, 7.50 TB/s ±4 %, 149 GB/s");
        assert_eq!((shown(&["2 ns"]), shown(&[])), ("2 ns".to_owned(), String::new()));
    }
}
