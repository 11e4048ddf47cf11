//! The rows of a run, their statistics, and what follows from them. No GPU, no files.

pub mod bisect;
mod bound;
pub mod ceilings;
pub mod compare;
pub mod consistency;
pub mod estimate;
pub mod findings;
#[cfg(not(target_family = "wasm"))]
pub mod fleet;
pub mod format;
pub mod normal;
mod record;
pub mod soak;
pub mod stats;
pub mod summary;
pub mod tour;

pub use bound::Bound;
pub use record::{
    COLUMNS, CardId, Cause, Clock, Column, Conditions, Energy, Kind, Lane, Record, SCHEMA, Status, by_card, typical,
};
