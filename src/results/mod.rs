//! The rows of a run, their statistics, and what follows from them. No GPU, no files.

pub mod bisect;
mod bound;
pub mod ceilings;
pub mod compare;
pub mod consistency;
pub mod estimate;
pub mod findings;
pub mod format;
pub mod normal;
mod record;
pub mod stats;
pub mod summary;
pub mod tour;

pub use bound::Bound;
pub use record::{COLUMNS, Cause, Clock, Column, Conditions, Kind, Lane, Record, SCHEMA, Status};
