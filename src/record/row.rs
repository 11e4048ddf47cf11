use std::collections::BTreeMap;

use super::bound::Bound;
use super::cause::Cause;
use super::conditions::Conditions;
use crate::suite::{Api, COLD, Checks, DeviceType, Dtype, Extent, Profile, SubgroupSize, Toolchain, params_text};

/// Version of the columns. It grows when a column changes its meaning.
pub const SCHEMA: u64 = 2;

/// How a case ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Status {
    /// Verified and measured.
    #[default]
    Ok,
    /// Measured, but no reference output exists to verify it.
    Unverified,
    /// The output is wrong. The row has no time.
    Wrong,
    /// The case cannot run on this device, or does not fit in the run's time limit.
    Skipped,
    /// The case should run on this device but did not.
    Failed,
    /// A fault: verified, but more than 5 % faster than a measured peak.
    Implausible,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 6] =
        [Self::Ok, Self::Unverified, Self::Wrong, Self::Skipped, Self::Failed, Self::Implausible];

    /// The keyword in the CSV.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Unverified => "unverified",
            Self::Wrong => "wrong",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
            Self::Implausible => "implausible",
        }
    }

    /// Whether the row has a time that can be compared.
    #[must_use]
    pub const fn is_timed(self) -> bool {
        matches!(self, Self::Ok | Self::Unverified)
    }

    /// Whether a run with such a row exits with code 3 by default.
    #[must_use]
    pub const fn is_fault(self) -> bool {
        matches!(self, Self::Wrong | Self::Failed | Self::Implausible)
    }
}

/// The clock that timed a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Clock {
    /// Device timestamps.
    Timestamp,
    /// The host's clock around submit and wait.
    Wall,
}

impl Clock {
    /// Every clock.
    pub const ALL: [Self; 2] = [Self::Timestamp, Self::Wall];

    /// The keyword in the CSV.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Timestamp => "timestamp",
            Self::Wall => "wall",
        }
    }
}

/// One row: a case and its figures, or the reason why it has none. Times are nanoseconds for one launch of all the
/// case's dispatches. [`COLUMNS`](super::COLUMNS) describes each field.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
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
    pub epochs_ns: Vec<f64>,
    pub noise_within: Option<f64>,
    pub noise_between: Option<f64>,
    pub slope_ns: Option<f64>,
    pub share_low: Option<f64>,
    pub share_high: Option<f64>,
    pub canary_ns: Option<f64>,
    pub seed: Option<u64>,
    pub card: String,
    pub apis: String,
    pub l2_bytes: Option<u64>,
    pub profile: Option<Profile>,
    pub compiler: String,
    pub compiler_version: String,
    pub translation_ms: Option<f64>,
    pub pipeline_ms: Option<f64>,
    pub spirv_bytes: Option<u64>,
    pub spirv_instructions: Option<u64>,
    pub host: String,
    pub energy_j: Option<f64>,
    pub energy_noise: Option<f64>,
    pub energies_j: Vec<f64>,
    pub power_w: Option<f64>,
    pub sensor_w: Option<f64>,
    pub gflop_per_j: Option<f64>,
    pub gb_per_j: Option<f64>,
    pub alone_epochs_ns: Vec<f64>,
    pub declaration: String,
    pub items: Option<u64>,
    pub unit: String,
    pub registers: Option<u64>,
    pub local_bytes: Option<u64>,
    pub workgroup_bytes: Option<u64>,
    pub occupancy: Option<f64>,
    pub binary_bytes: Option<u64>,
    pub instructions: Option<u64>,
    pub subgroup_size_run: Option<u64>,
    pub dram_peak_gb_per_s: Option<f64>,
    pub pcie: String,
    pub cache: String,
    pub sm_mhz: Option<u64>,
    /// Cause and reason before the comparison with the ceiling replaced them. Not a column.
    pub unjudged: Option<(Option<Cause>, String)>,
    /// All samples of all epochs in order. Only in the JSON report.
    pub all_samples_ns: Vec<f64>,
    /// Number of samples in each epoch. Only in the JSON report.
    pub epoch_samples: Vec<u64>,
    /// Hash of the picture that the kernel draws. Only in the JSON report.
    pub picture_hash: Option<String>,
    /// Clocks, temperature and power around the case, if the device has a monitor. Only in the JSON report.
    pub conditions: Option<Conditions>,
}

impl Record {
    /// `family/benchmark`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.family, self.benchmark)
    }

    /// The API and the compiler that ran the kernel; `None` if the API is unknown.
    #[must_use]
    pub fn toolchain(&self) -> Option<Toolchain<'_>> {
        Some(Toolchain { api: self.backend?, compiler: &self.compiler })
    }

    /// Whether the command given to `--against` measured the row, alternating with the other rows of its report.
    #[must_use]
    pub fn is_against(&self) -> bool {
        self.toolchain().is_some_and(|toolchain| toolchain.is_against())
    }

    /// The API's name; empty if unknown.
    #[must_use]
    pub fn api_name(&self) -> &'static str {
        self.backend.map_or("", Api::name)
    }

    /// The element type's name; empty if unknown.
    #[must_use]
    pub fn dtype_name(&self) -> &'static str {
        self.dtype.map_or("", Dtype::name)
    }

    /// Whether the row's operations are FLOP: on floats, or of an unknown type.
    #[must_use]
    pub fn is_float(&self) -> bool {
        self.dtype.is_none_or(|dtype| dtype.scalar().is_float())
    }

    /// The size as text; empty if unknown.
    #[must_use]
    pub fn size(&self) -> String {
        self.n.map_or_else(String::new, |extent| extent.to_string())
    }

    /// The size as tables and sentences write it: `2^20`; empty if unknown.
    #[must_use]
    pub fn short_size(&self) -> String {
        self.n.map_or_else(String::new, Extent::short)
    }

    /// The parameters as text.
    #[must_use]
    pub fn params_text(&self) -> String {
        params_text(&self.params)
    }

    /// Marks the row `wrong` and removes the figures of earlier attempts.
    pub fn mark_wrong(&mut self, reason: String) {
        self.drop_figures();
        self.status = Status::Wrong;
        self.cause = Some(Cause::WrongOutput);
        self.reason = reason;
    }

    /// Whether each launch found emptied caches.
    #[must_use]
    pub fn is_cold(&self) -> bool {
        self.params.get(COLD).is_some_and(|value| *value != 0.0)
    }

    /// Half the width of the median's 95 % interval divided by the median. The table shows it after `±`.
    #[must_use]
    pub fn noise(&self) -> Option<f64> {
        Some((self.ci_high_ns? - self.ci_low_ns?) / 2.0 / self.median_ns?)
    }
}
