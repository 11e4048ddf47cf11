//! Settings of a run.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::checks::random::mixed;
use crate::engine::measure::Rules;
use record::Record;
use record::suite::Profile;

/// Values that all rows of a run share, and the run's limits.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Settings {
    /// Version of the program, as rows name it.
    pub tool_version: String,
    /// Start of the run, UTC, RFC 3339.
    pub date: String,
    /// Host operating system.
    pub os: String,
    /// Host CPU.
    pub cpu: String,
    /// Name of the host; empty if unknown.
    pub host: String,
    /// Whether rows leave out the host and hash the card.
    pub is_anonymous: bool,
    /// All APIs of the run, sorted and joined by `+`.
    pub apis: String,
    /// The profile that these settings come from.
    pub profile: Profile,
    /// When an epoch of a case stops.
    pub rules: Rules,
    /// The number of epochs of a case.
    pub epochs: Epochs,
    /// Seed of the inputs, of the order of the cases in all epochs but the first, and of buffer positions.
    pub seed: u64,
    /// Selects what a kernel must not predict even with the seed: the compared parts of outputs, the signs of
    /// Freivalds' check, the epochs searched for skipped work, and after how many launches. Drawn from the system's
    /// entropy, and recorded nowhere.
    pub secret: u64,
    /// Cases that upload more bytes than this have no end-to-end time.
    pub end_to_end_bytes: u64,
    /// Number of epochs of a case that measure its energy.
    pub energy_epochs: usize,
    /// Time limit of the run, counted from its first case. Cases that do not fit are left out, larger sizes first.
    pub time: Option<Duration>,
    /// Whether kernels compile on other threads before their cases run, where that helps.
    pub compiles_ahead: bool,
}

/// The number of epochs of a case.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Epochs {
    /// Minimum number, unless the run's time limit ends it.
    pub least: usize,
    /// Maximum number of a row whose interval is wider than `target`.
    pub most: usize,
    /// Half width of the 95 % interval, relative to the time, at which a row is precise enough.
    pub target: f64,
}

impl Epochs {
    /// A single epoch: the interval then holds for one series only, not for another run.
    pub const ONE: Self = Self { least: 1, most: 1, target: 0.0 };
}

/// The random stream of the inputs of an epoch, counted from 0, in a run with this seed.
#[must_use]
pub const fn stream_of(seed: u64, epoch: usize) -> u64 {
    mixed(seed, epoch as u64)
}

impl Settings {
    /// A row with nothing but host and card, as the run's reports name them.
    #[must_use]
    pub fn identity(&self, card: String) -> Record {
        let mut row = Record { host: self.host.clone(), card, ..Record::default() };
        if self.is_anonymous {
            row.anonymize();
        }
        row
    }

    /// The settings of a profile: its time budget per epoch, its epochs and its upload limit.
    ///
    /// The numbers of epochs follow from the variance between them (`docs/method.md`). Kernels above 100 µs vary by 0.1
    /// %: two epochs and the variance of their class suffice. Shorter ones vary by up to 1 %.
    #[must_use]
    pub fn new(profile: Profile, date: String, os: String, cpu: String) -> Self {
        let (budget_ms, min_samples, shortest_sample_us, end_to_end_bytes) = match profile {
            Profile::Quick => (15.0, 8, 200.0, 64 << 20),
            Profile::Standard => (30.0, 8, 200.0, 1 << 30),
            Profile::Thorough => (200.0, 20, 1000.0, u64::MAX),
        };
        let epochs = match profile {
            Profile::Quick => Epochs { least: 4, most: 4, target: 0.0 },
            Profile::Standard => Epochs { least: 2, most: 16, target: 0.005 },
            Profile::Thorough => Epochs { least: 8, most: 32, target: 0.0025 },
        };
        // Epochs vary by more than their samples: more samples in an epoch gain less than another epoch.
        let rules = Rules {
            min_samples,
            target_error: 0.01,
            shortest_sample_ns: shortest_sample_us * 1e3,
            ..Rules::with_budget(budget_ms * 1e6)
        };
        Self {
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            date,
            os,
            cpu,
            host: String::new(),
            is_anonymous: false,
            apis: String::new(),
            profile,
            rules,
            epochs,
            seed: 0,
            secret: 0,
            end_to_end_bytes,
            energy_epochs: 0,
            time: None,
            compiles_ahead: true,
        }
    }
}
