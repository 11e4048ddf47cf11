//! What the rows of a run have in common.

use std::time::Duration;

use super::measure::Rules;
use crate::suite::Profile;

/// What a run's rows share, and how long it may take.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Start of the run, UTC, RFC 3339.
    pub date: String,
    /// Host operating system.
    pub os: String,
    /// Host processor.
    pub cpu: String,
    /// When to stop.
    pub rules: Rules,
    /// Largest upload that the end-to-end time is taken of, in bytes.
    pub end_to_end_bytes: u64,
    /// Whether kernels are tuned before they are measured: see [`crate::suite::Family::tuned`].
    pub is_tuned: bool,
    /// How long the run may take, from its first case on. Cases that take too long for it are left out, larger sizes first.
    pub time: Option<Duration>,
}

impl Settings {
    /// The settings of a profile: its time budget for a case, and how large an upload it can afford to time.
    #[must_use]
    pub fn new(profile: Profile, date: String, os: String, cpu: String) -> Self {
        let (budget_ms, least_ms, shortest_sample_us, end_to_end_bytes) = match profile {
            Profile::Quick => (100.0, 0.0, 50.0, 64 << 20),
            Profile::Standard => (500.0, 100.0, 500.0, 1 << 30),
            Profile::Thorough => (3000.0, 400.0, 1000.0, u64::MAX),
        };
        let rules = Rules {
            least_ns: least_ms * 1e6,
            shortest_sample_ns: shortest_sample_us * 1e3,
            ..Rules::with_budget(budget_ms * 1e6)
        };
        Self { date, os, cpu, rules, end_to_end_bytes, is_tuned: false, time: None }
    }
}
