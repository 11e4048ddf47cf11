//! The steps of a job.

/// A step of a launch, with the indices of its buffers in [`Job::buffers`](super::Job::buffers).
pub type Step = record::suite::Step<usize>;
