//! The summary's figures as texts in cells, for the lines of the terminal and the tables of the page.

use super::figures::{Best, Peak, Space, beside};
use super::texts::{arithmetic_name, faster, job_rate, operations, quoted_rate, quoted_time};
use crate::report::table;
use kernels::beyond_mma;
use record::claim::flop_rate;
use record::suite::{Extent, Limit, binary_range, binary_size};
use record::{Record, format, stats::Estimate};

/// A level of memory; `None` if a figure is unknown or too noisy to quote.
#[derive(serde::Serialize)]
pub(crate) struct Level {
    pub(crate) name: String,
    pub(crate) read: Option<String>,
    /// Peak bandwidth from the driver's figures; only the terminal shows it.
    #[serde(skip)]
    pub(crate) peak: Option<String>,
    /// Bytes read and written.
    pub(crate) copy: Option<String>,
    /// Latency of a dependent load.
    pub(crate) latency: Option<String>,
    /// The size, measured and reported by the driver; for workgroup memory, the number of banks.
    pub(crate) size: Option<String>,
}

impl From<&Space> for Level {
    fn from(space: &Space) -> Self {
        let size = space.size.map(|(least, most)| binary_range(least, most));
        let size = match (size, space.driver_bytes) {
            (Some(size), Some(bytes)) => Some(format!("{size} (driver: {})", binary_size(bytes))),
            (None, Some(bytes)) => Some(format!("{} (driver)", binary_size(bytes))),
            (size, None) => size,
        };
        Self {
            name: space.name.clone(),
            read: space.read.and_then(quoted_rate),
            peak: space.driver_peak.map(format::byte_rate),
            copy: space.copy.and_then(quoted_rate),
            latency: space.latency.and_then(quoted_time),
            size: size.or_else(|| space.banks.map(|banks| format!("{banks} banks"))),
        }
    }
}

/// Name, rate as text, and rate in 10^9 operations per second of each arithmetic peak. If a kernel in `all`, the rows
/// of the card, multiplies f16 faster than the subgroup's matrix instruction, its rate follows.
pub(crate) fn arithmetic(peaks: &[Peak], all: &[&Record]) -> Vec<(String, String, Estimate)> {
    let of_arithmetic = peaks.iter().filter(|peak| matches!(peak.limit, Limit::Fma | Limit::Tensor));
    let cells = |peak: &Peak| {
        let rate = peak.gflop_per_s?;
        let instruction = (arithmetic_name(peak), operations(peak, rate)?, rate);
        let beyond = beyond_mma(all).filter(|_| peak.limit == Limit::Tensor).and_then(|row| {
            let rate = flop_rate(row)?;
            Some((row.benchmark.clone(), operations(peak, rate)?, rate))
        });
        Some([Some(instruction), beyond])
    };
    of_arithmetic.filter_map(cells).flatten().flatten().collect()
}

/// The cells of a job's line in the summary.
pub(crate) struct Job {
    pub(crate) name: &'static str,
    pub(crate) size: String,
    pub(crate) kernel: String,
    pub(crate) rate: String,
    pub(crate) share: Option<f64>,
    pub(crate) share_text: String,
    /// Speed relative to the naive kernel; empty if there is none, or if they do not certainly differ.
    pub(crate) naive: String,
    pub(crate) marks: Marks,
}

#[derive(Clone, Copy)]
pub(crate) struct Marks {
    /// No other kernel of the job has a rate.
    pub(crate) is_only: bool,
    /// Another kernel may be as fast.
    pub(crate) is_tied: bool,
    /// Smaller than the size at which the rate saturates.
    pub(crate) is_small: bool,
    /// Bytes that fit in a cache.
    pub(crate) is_cached: bool,
    /// Faster than the measured peak.
    pub(crate) is_above: bool,
}

impl From<&Best<'_>> for Job {
    fn from(best: &Best) -> Self {
        let row = best.row;
        let share_text = table::share_text(row);
        let naive = best.over_naive.and_then(|ratio| {
            Some(format!("{}{}", format::ratio(ratio.value), format::plus_minus_sign(format::quotable(ratio)?)))
        });
        let in_l2 = || row.bytes.zip(row.l2_bytes).is_some_and(|(bytes, l2)| bytes <= l2);
        let marks = Marks {
            is_only: best.is_only,
            is_tied: !best.is_only && best.is_tied(),
            is_small: best.is_small,
            is_cached: row.gb_per_s.is_some() && (row.ceiling.is_some_and(|bound| bound.is_cached) || in_l2()),
            is_above: row.share.is_some_and(|share| (share * 100.0).round() > 100.0),
        };
        Self {
            name: best.job.name,
            size: size(row),
            kernel: row.benchmark.clone(),
            rate: job_rate(row),
            share: row.share,
            share_text,
            naive: naive.unwrap_or_default(),
            marks,
        }
    }
}

/// How the library compares with a job's kernel, if both were measured: ratio of speeds, and `cuBLAS 1.05× faster`.
pub(crate) fn library(best: &Best, all: &[&Record]) -> Option<(f64, String)> {
    let beside = beside(best.row, all)?;
    Some((beside.ratio.value, format!("{} {}", beside.library, faster(beside.ratio))))
}

/// The meaning of the marks that occur in these jobs.
pub(crate) fn marks_of(jobs: &[Job]) -> Vec<&'static str> {
    let is_any = |is_set: fn(&Marks) -> bool| jobs.iter().any(|job| is_set(&job.marks));
    let meanings = [
        (is_any(|marks| marks.is_above), "! above 100 %"),
        (is_any(|marks| marks.is_tied), "~ another kernel is as fast"),
        (is_any(|marks| marks.is_cached), "* fits in a cache: not a DRAM rate"),
        (is_any(|marks| marks.is_small), "< too small for the full rate"),
    ];
    meanings.into_iter().filter(|(is_there, _)| *is_there).map(|(_, meaning)| meaning).collect()
}

/// The size of a row: `2^28`, `8192²`, `4096³`; for attention, heads × length × width.
pub(crate) fn size(row: &Record) -> String {
    let Some(extent) = row.n else { return String::new() };
    let mut sides = extent.sides();
    sides.extend(row.params.get("D").map(|width| *width as u64));
    match (extent, sides.as_slice()) {
        (Extent::Linear(_), [_]) => extent.short(),
        (_, [side, others @ ..]) if others.iter().all(|other| other == side) && others.len() < 3 => {
            format!("{side}{}", ["", "²", "³"][others.len()])
        }
        (_, sides) => sides.iter().map(u64::to_string).collect::<Vec<_>>().join("×"),
    }
}
