//! Settings of a run.

use std::time::Duration;

use super::measure::Rules;
use crate::suite::Profile;

/// Values that all rows of a run share, and the run's limits.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Start of the run, UTC, RFC 3339.
    pub date: String,
    /// Host operating system.
    pub os: String,
    /// Host CPU.
    pub cpu: String,
    /// When to stop.
    pub rules: Rules,
    /// Cases that upload more bytes than this have no end-to-end time.
    pub end_to_end_bytes: u64,
    /// Whether kernels are tuned before they are measured: see [`crate::suite::Family::tuned`].
    pub is_tuned: bool,
    /// Time limit of the run, counted from its first case. Cases that do not fit are left out, larger sizes first.
    pub time: Option<Duration>,
}

impl Settings {
    /// The settings of a profile: its time budget per case and its upload limit.
    #[must_use]
    pub fn new(profile: Profile, date: String, os: String, cpu: String) -> Self {
        let (budget_ms, min_sampling_ms, shortest_sample_us, end_to_end_bytes) = match profile {
            Profile::Quick => (100.0, 0.0, 50.0, 64 << 20),
            Profile::Standard => (500.0, 100.0, 500.0, 1 << 30),
            Profile::Thorough => (3000.0, 400.0, 1000.0, u64::MAX),
        };
        let rules = Rules {
            min_sampling_ns: min_sampling_ms * 1e6,
            shortest_sample_ns: shortest_sample_us * 1e3,
            ..Rules::with_budget(budget_ms * 1e6)
        };
        Self { date, os, cpu, rules, end_to_end_bytes, is_tuned: false, time: None }
    }
}
