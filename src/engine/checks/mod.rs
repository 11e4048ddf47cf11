//! Finds kernels that are wrong or skip work.

pub(in crate::engine) mod fewer_rounds;
pub(in crate::engine) mod odd_shape;
pub mod output;
pub(in crate::engine) mod outside;
pub(in crate::engine) mod reference;
pub(in crate::engine) mod skipped_work;
pub(in crate::engine) mod smallest;
