//! A row of a report: its fields, the columns that write and read them, and the statistics of its times.

mod bound;
mod cards;
mod cause;
mod columns;
mod comparable;
mod compiled;
mod conditions;
mod energy;
mod field;
pub mod format;
mod identity;
mod moment;
mod row;
pub mod stats;
pub mod times;

pub use bound::{Bound, IMPLAUSIBLE};
pub use cards::{by_card, by_run, newest_runs, typical};
pub use cause::Cause;
pub use columns::{COLUMNS, Column, Kind};
pub use comparable::{Unlike, comparable};
pub use compiled::{compiled, compiled_changes};
pub use conditions::Conditions;
pub use energy::Energy;
pub use identity::CardId;
pub use moment::Moment;
pub use row::{Clock, Record, SCHEMA, Status};
