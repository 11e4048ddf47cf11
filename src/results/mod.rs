//! What a run found: its rows, their statistics, and what follows from them. No GPU, no files.

pub mod ceilings;
pub mod compare;
pub mod format;
mod record;
pub mod stats;

pub use record::{COLUMNS, Column, Conditions, Record, SCHEMA, Status, steady};
