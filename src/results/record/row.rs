//! One row of a report.

use std::collections::BTreeMap;

use super::cause::Cause;
use super::conditions::Conditions;
use crate::backend::{Api, DeviceType, SubgroupSize};
use crate::families::benchmark;
use crate::results::bound::Bound;
use crate::suite::{Checks, Dtype, Extent, params_text};

/// The version of the columns; it grows when one changes its meaning.
pub const SCHEMA: u64 = 1;

/// How a case ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// Verified and measured.
    #[default]
    Ok,
    /// The output was wrong: no time is given.
    Wrong,
    /// The case cannot run on this device, or has no place in this run.
    Skipped,
    /// The case should have run and did not.
    Failed,
    /// Verified, but faster than a measured limit by more than 5 %: a fault, not a record.
    Implausible,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 5] = [Self::Ok, Self::Wrong, Self::Skipped, Self::Failed, Self::Implausible];

    /// The word in the CSV.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Wrong => "wrong",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
            Self::Implausible => "implausible",
        }
    }

    /// Whether a run with such a row ends with exit code 3, unless it is told otherwise.
    #[must_use]
    pub const fn is_fault(self) -> bool {
        matches!(self, Self::Wrong | Self::Failed | Self::Implausible)
    }
}

/// The clock that timed a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Timestamps of the device.
    Timestamp,
    /// The host's clock around submission and completion.
    Wall,
}

impl Clock {
    /// Every clock.
    pub const ALL: [Self; 2] = [Self::Timestamp, Self::Wall];

    /// The word in the CSV.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timestamp => "timestamp",
            Self::Wall => "wall",
        }
    }
}

/// One row: a case and its figures, or the reason that it has none.
///
/// Times are nanoseconds for one launch of all the case's dispatches. The meaning of each field is in [`COLUMNS`].
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(missing_docs, reason = "COLUMNS documents every field in one place")]
pub struct Record {
    pub schema: Option<u64>,
    pub tool_version: String,
    pub date: String,
    pub os: String,
    pub cpu: String,
    pub device: String,
    pub vendor: String,
    pub device_type: Option<DeviceType>,
    pub driver: String,
    pub backend: Option<Api>,
    pub family: String,
    pub benchmark: String,
    pub dtype: Option<Dtype>,
    pub n: Option<Extent>,
    pub params: BTreeMap<String, f64>,
    pub workgroup_size: Option<[u32; 3]>,
    pub checks: Option<Checks>,
    pub shader_hash: String,
    pub status: Status,
    pub reason: String,
    pub timer: Option<Clock>,
    pub tick_ns: Option<f64>,
    pub samples: Option<u64>,
    pub launches: Option<u64>,
    pub median_ns: Option<f64>,
    pub min_ns: Option<f64>,
    pub mean_ns: Option<f64>,
    pub stddev_ns: Option<f64>,
    pub ci_low_ns: Option<f64>,
    pub ci_high_ns: Option<f64>,
    pub end_to_end_ns: Option<f64>,
    pub bytes: Option<u64>,
    pub flops: Option<u64>,
    pub gb_per_s: Option<f64>,
    pub gflop_per_s: Option<f64>,
    pub ceiling: Option<Bound>,
    pub share: Option<f64>,
    pub model: Option<f64>,
    pub drift: Option<f64>,
    pub in_kernel_ns: Option<f64>,
    pub subgroup_size: Option<SubgroupSize>,
    pub cause: Option<Cause>,
    /// Cause and reason before the row was compared with its ceiling, where that changed them; not a column.
    pub unjudged: Option<(Option<Cause>, String)>,
    /// Every sample of the series, in the order taken; not a column, kept for the JSON report.
    pub all_samples_ns: Vec<f64>,
    /// A hash of the picture that the kernel made, where it made one; not a column, kept for the JSON report.
    pub picture_hash: Option<String>,
    /// What the card told of its clocks, heat and power around the case, where it can; not a column, kept for the JSON report.
    pub conditions: Option<Conditions>,
}

impl Record {
    /// `family/benchmark`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.family, self.benchmark)
    }

    /// The API's name; empty where the report does not have it.
    #[must_use]
    pub fn api_name(&self) -> &'static str {
        self.backend.map_or("", Api::name)
    }

    /// The element type's name; empty where the report does not have it.
    #[must_use]
    pub fn dtype_name(&self) -> &'static str {
        self.dtype.map_or("", Dtype::name)
    }

    /// The size as it is written; empty where the report does not have it.
    #[must_use]
    pub fn size(&self) -> String {
        self.n.map_or_else(String::new, |extent| extent.to_string())
    }

    /// The parameters as they are written.
    #[must_use]
    pub fn params_text(&self) -> String {
        params_text(&self.params)
    }

    /// Marks the row `wrong`. A wrong answer has no time: figures of an earlier attempt go.
    pub fn turn_wrong(&mut self, reason: String) {
        self.drop_figures();
        self.status = Status::Wrong;
        self.cause = Some(Cause::WrongOutput);
        self.reason = reason;
    }

    /// Time of one load in nanoseconds, in rows of benchmarks that follow dependent loads of 4 bytes each.
    #[must_use]
    pub fn load_ns(&self) -> Option<f64> {
        let is_latency = benchmark(&self.family, &self.benchmark).is_some_and(|benchmark| benchmark.is_latency);
        let loads = self.bytes.filter(|bytes| *bytes > 0 && is_latency)? as f64 / 4.0;
        Some(self.median_ns? / loads)
    }

    /// Half the width of the median's 95 % interval divided by the median: the ± of the table.
    #[must_use]
    pub fn noise(&self) -> Option<f64> {
        Some((self.ci_high_ns? - self.ci_low_ns?) / 2.0 / self.median_ns?)
    }
}

/// The rows of `rows` that a statement may rest on: those whose median is known to 10 % or better, or that have none. `None` where more than
/// a tenth of the measured rows is noisier: what is left may then be no fair choice.
#[must_use]
pub fn low_noise<'a>(rows: &[&'a Record]) -> Option<Vec<&'a Record>> {
    const TOO_NOISY: f64 = 0.1;
    let low_noise: Vec<_> =
        rows.iter().filter(|row| row.noise().is_none_or(|noise| noise <= TOO_NOISY)).copied().collect();
    let measured = rows.iter().filter(|row| row.median_ns.is_some()).count();
    (10 * (rows.len() - low_noise.len()) <= measured).then_some(low_noise)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_rest_on_rows_that_are_known_well_enough() {
        let row = |noise: f64| Record {
            median_ns: Some(100.0),
            ci_low_ns: Some(100.0 - 100.0 * noise),
            ci_high_ns: Some(100.0 + 100.0 * noise),
            ..Record::default()
        };
        let count = |noises: &[f64]| {
            let rows: Vec<Record> = noises.iter().map(|noise| row(*noise)).chain([Record::default()]).collect();
            low_noise(&rows.iter().collect::<Vec<_>>()).map(|low_noise| low_noise.len())
        };
        assert_eq!(count(&[0.01; 9]), Some(10), "a row without figures stays");
        let mut noises = vec![0.01; 10];
        noises[3] = 0.2;
        assert_eq!(count(&noises), Some(10), "one of ten is left out");
        noises[4] = 0.11;
        assert_eq!(count(&noises), None, "two of ten are too many");
    }
}
