//! What time is: the timer of launches, a kernel whose time shows changes of the device's clock, and how long a launch may
//! take.

pub(in crate::engine) mod canary;
pub(in crate::engine) mod launch_time;
pub mod timer;
