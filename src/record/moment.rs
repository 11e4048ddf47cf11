//! A second of a long load.

use crate::suite::Reading;

/// What one second of a long load showed.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Moment {
    /// End of this second, from the start of the load, in seconds.
    pub seconds: f64,
    /// Time of one launch, in nanoseconds: mean of the second.
    pub launch_ns: f64,
    /// The card's monitor at the end; nothing without a monitor.
    pub reading: Option<Reading>,
}
