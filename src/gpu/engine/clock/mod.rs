//! The timer of launches, a canary kernel that shows changes of the device's clock, and estimates of launch times.

pub(in crate::engine) mod canary;
pub(in crate::engine) mod launch_time;
pub mod timer;
