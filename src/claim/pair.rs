//! Times and rates of rows with 95 % intervals, and what two of them show.

use crate::record::Record;
use crate::record::stats::{self, Estimate};
use crate::suite::DeviceType;

/// Epochs from which on a row's interval includes the variation between them.
const SEVERAL: usize = 2;

/// Whether the row was measured with several placements of its buffers.
pub(crate) fn has_several_epochs(row: &Record) -> bool {
    row.epochs_ns.len() >= SEVERAL
}

/// Whether a driver runs the kernels on the host's CPU: caches, banks and lines are then those of the CPU, shared with
/// other programs.
pub(crate) fn is_software(row: &Record) -> bool {
    row.device_type == Some(DeviceType::Software)
}

/// What a row with one epoch may differ by with another placement of its buffers, on a log scale: kernels of microseconds
/// do so by up to this much (`docs/method.md`).
const ONE_PLACEMENT: f64 = 0.05;

/// What a row on a software device may differ by in another run, on a log scale: other programs share its cores, for
/// longer than a run takes.
const SHARED_CORES: f64 = 0.6;

/// Time of one launch in nanoseconds; `None` for a row without an interval, which supports nothing.
///
/// The interval of a row with one epoch does not include the variation between runs. An allowance for it is added in
/// quadrature; on a software device always.
pub(crate) fn time(row: &Record) -> Option<Estimate> {
    let (median, low, high) = (row.median_ns?, row.ci_low_ns?, row.ci_high_ns?);
    if !(low > 0.0 && low <= median && median <= high) {
        return None;
    }
    let allowance = match (is_software(row), has_several_epochs(row)) {
        (true, _) => SHARED_CORES,
        (_, true) => 0.0,
        (_, false) => ONE_PLACEMENT,
    };
    let reach = |ratio: f64| ratio.ln().hypot(allowance).exp();
    Some(Estimate { value: median, low: median / reach(median / low), high: median * reach(high / median) })
}

/// `amount` per launch over the row's time.
fn per_time(row: &Record, rate: Option<f64>) -> Option<Estimate> {
    let (rate, time) = (rate.filter(|rate| *rate > 0.0)?, time(row)?);
    Some(Estimate { value: rate, low: rate * time.value / time.high, high: rate * time.value / time.low })
}

/// Bytes per second, in GB/s.
pub(crate) fn byte_rate(row: &Record) -> Option<Estimate> {
    per_time(row, row.gb_per_s)
}

/// Operations per second, in GFLOP/s.
pub(crate) fn flop_rate(row: &Record) -> Option<Estimate> {
    per_time(row, row.gflop_per_s)
}

/// The row's part of the peak that limits it; the peak counts as exact, since the row is judged by it.
pub(crate) fn share(row: &Record) -> Option<Estimate> {
    per_time(row, row.share)
}

/// `estimate` times an exact number above zero.
pub(crate) fn scaled(estimate: Estimate, factor: f64) -> Estimate {
    Estimate { value: estimate.value * factor, low: estimate.low * factor, high: estimate.high * factor }
}

/// The difference of two independent estimates. The distances to the ends of their intervals are combined in
/// quadrature, separately for each end (Zou & Donner, *Statistics in Medicine* 27, 2008).
pub(crate) fn difference(a: Estimate, b: Estimate) -> Estimate {
    let value = a.value - b.value;
    Estimate {
        value,
        low: value - (a.value - a.low).hypot(b.high - b.value),
        high: value + (a.high - a.value).hypot(b.value - b.low),
    }
}

/// The level of several estimates of about the same figure: their median, and an interval that contains all of theirs.
pub(crate) fn level(estimates: &[Estimate]) -> Option<Estimate> {
    let values: Vec<f64> = estimates.iter().map(|estimate| estimate.value).collect();
    let ends = |pick: fn(f64, f64) -> f64, of: fn(&Estimate) -> f64| estimates.iter().map(of).reduce(pick);
    Some(Estimate {
        value: stats::median(&values)?,
        low: ends(f64::min, |estimate| estimate.low)?,
        high: ends(f64::max, |estimate| estimate.high)?,
    })
}

/// Whether the intervals of two estimates do not overlap.
pub(crate) fn differ(a: Estimate, b: Estimate) -> bool {
    a.low > b.high || b.low > a.high
}

/// Half the width of the interval over the value.
pub(crate) fn noise(estimate: Estimate) -> f64 {
    (estimate.high - estimate.low) / 2.0 / estimate.value
}

/// What two figures show of each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Comparison {
    /// Their intervals do not overlap: the ratio.
    Differ(Estimate),
    /// Their intervals overlap, and both are narrow.
    Alike,
}

/// Intervals up to this relative half width are narrow enough to call two figures alike.
const NARROW: f64 = 0.05;

/// Compares `a` with `b`; `None` where the intervals overlap because they are wide.
pub(crate) fn compare(a: Estimate, b: Estimate) -> Option<Comparison> {
    if differ(a, b) {
        return stats::ratio(a, b).map(Comparison::Differ);
    }
    (noise(a) <= NARROW && noise(b) <= NARROW).then_some(Comparison::Alike)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(epochs: usize, kind: DeviceType) -> Record {
        Record {
            device_type: Some(kind),
            median_ns: Some(1e6),
            ci_low_ns: Some(0.999e6),
            ci_high_ns: Some(1.001e6),
            gb_per_s: Some(100.0),
            samples: Some(20),
            epochs_ns: vec![1e6; epochs],
            ..Record::default()
        }
    }

    #[test]
    fn one_epoch_leaves_the_variation_between_runs_to_be_added() {
        let noise = |epochs, kind| noise(time(&row(epochs, kind)).expect("a time"));
        assert!((noise(3, DeviceType::Discrete) - 0.001).abs() < 1e-5);
        assert!((0.04..0.06).contains(&noise(0, DeviceType::Discrete)));
        assert!(noise(3, DeviceType::Software) > 0.3);
        assert_eq!(time(&Record { ci_low_ns: None, ..row(3, DeviceType::Discrete) }), None);
    }

    #[test]
    fn a_rate_has_the_interval_of_its_time() {
        let rate = byte_rate(&row(3, DeviceType::Discrete)).expect("a rate");
        assert!((rate.low - 100.0 / 1.001).abs() < 1e-6 && (rate.high - 100.0 / 0.999).abs() < 1e-6, "{rate:?}");
    }

    #[test]
    fn wide_intervals_show_nothing() {
        let of = |value: f64, noise: f64| Estimate { value, low: value * (1.0 - noise), high: value * (1.0 + noise) };
        assert_eq!(compare(of(1.0, 0.01), of(1.01, 0.01)), Some(Comparison::Alike));
        assert_eq!(compare(of(1.0, 0.2), of(1.01, 0.01)), None);
        let Some(Comparison::Differ(ratio)) = compare(of(2.0, 0.1), of(1.0, 0.1)) else { panic!("they differ") };
        assert!(ratio.low < 2.0 && ratio.high > 2.0 && ratio.low > 1.7, "{ratio:?}");
    }
}
