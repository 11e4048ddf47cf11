//! When a submission counts as hung.

use std::time::Duration;

/// Time limits for one submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Limit without a sign of progress. GPUs give no such sign.
    pub idle: Duration,
    /// Limit in total, for software devices: their progress is CPU time, and other programs may leave them little.
    pub total: Duration,
}

impl Timeouts {
    /// Samples are planned to take less than half a second: only a hung device reaches these limits.
    pub const DEFAULT: Self = Self { idle: Duration::from_secs(20), total: Duration::from_secs(300) };

    /// The same limit with and without progress.
    #[must_use]
    pub const fn fixed(limit: Duration) -> Self {
        Self { idle: limit, total: limit }
    }
}
