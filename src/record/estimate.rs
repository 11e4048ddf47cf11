use super::Record;
use super::stats::Estimate;
use crate::suite::DeviceType;

/// With this many epochs, a row's interval includes the variation between them.
const SEVERAL: usize = 2;

/// Whether the row was measured with several placements of its buffers.
pub fn has_several_epochs(row: &Record) -> bool {
    row.epochs_ns.len() >= SEVERAL
}

/// Whether a driver runs the kernels on the host's CPU, whose caches are shared with other programs.
pub fn is_software(row: &Record) -> bool {
    row.device_type == Some(DeviceType::Software)
}

/// Allowance for one epoch, in logarithms: buffer placement changes short kernels by up to this (`docs/method.md`).
const ONE_PLACEMENT: f64 = 0.05;

/// Allowance for another run on a software device, on a log scale: other programs use its cores for longer than a run.
const SHARED_CORES: f64 = 0.6;

/// Time of one launch in nanoseconds; `None` without an interval. That of one epoch does not include run-to-run
/// variation: an allowance is added in quadrature, on a software device always.
pub fn time(row: &Record) -> Option<Estimate> {
    with_allowance(row, if is_software(row) { SHARED_CORES } else { placement(row) })
}

/// [`time`] for comparison within one run: whatever slows the whole run slows every row.
pub fn time_in_run(row: &Record) -> Option<Estimate> {
    with_allowance(row, placement(row))
}

fn placement(row: &Record) -> f64 {
    if has_several_epochs(row) { 0.0 } else { ONE_PLACEMENT }
}

fn with_allowance(row: &Record, allowance: f64) -> Option<Estimate> {
    let (median, low, high) = (row.median_ns?, row.ci_low_ns?, row.ci_high_ns?);
    if !(low > 0.0 && low <= median && median <= high) {
        return None;
    }
    let reach = |ratio: f64| ratio.ln().hypot(allowance).exp();
    Some(Estimate { value: median, low: median / reach(median / low), high: median * reach(high / median) })
}

/// `rate` with the relative interval of the row's time.
fn per_time(row: &Record, rate: Option<f64>) -> Option<Estimate> {
    let (rate, time) = (rate.filter(|rate| *rate > 0.0)?, time(row)?);
    Some(Estimate { value: rate, low: rate * time.value / time.high, high: rate * time.value / time.low })
}

/// Bytes per second, in GB/s.
pub fn byte_rate(row: &Record) -> Option<Estimate> {
    per_time(row, row.gb_per_s)
}

/// Operations per second, in GFLOP/s.
pub fn flop_rate(row: &Record) -> Option<Estimate> {
    per_time(row, row.gflop_per_s)
}

/// The row's share of the peak that limits it. The peak counts as exact.
pub fn share(row: &Record) -> Option<Estimate> {
    per_time(row, row.share)
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
        let noise =
            |time: Option<Estimate>| time.map(|time| (time.high - time.low) / 2.0 / time.value).expect("a time");
        let noise_of = |epochs, kind| noise(time(&row(epochs, kind)));
        assert!((noise_of(3, DeviceType::Discrete) - 0.001).abs() < 1e-5);
        assert!((0.04..0.06).contains(&noise_of(0, DeviceType::Discrete)));
        assert!(noise_of(3, DeviceType::Software) > 0.3);
        assert!((noise(time_in_run(&row(3, DeviceType::Software))) - 0.001).abs() < 1e-5);
        assert_eq!(time(&Record { ci_low_ns: None, ..row(3, DeviceType::Discrete) }), None);
    }

    #[test]
    fn a_rate_has_the_interval_of_its_time() {
        let rate = byte_rate(&row(3, DeviceType::Discrete)).expect("a rate");
        assert!((rate.low - 100.0 / 1.001).abs() < 1e-6 && (rate.high - 100.0 / 0.999).abs() < 1e-6, "{rate:?}");
    }
}
