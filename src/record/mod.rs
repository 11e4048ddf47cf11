//! A row of a report: its fields, the columns that write and read them, and the statistics of its times.

mod bound;
mod cards;
mod cause;
mod columns;
mod comparable;
mod compiled;
mod conditions;
mod energy;
mod estimate;
mod field;
pub mod format;
mod identity;
mod ranking;
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
#[cfg(not(target_family = "wasm"))]
pub(crate) use estimate::time_in_run;
pub(crate) use estimate::{byte_rate, flop_rate, has_several_epochs, is_software, share, time};
pub use identity::CardId;
pub use ranking::{MARGIN, Ranking, ranking, ranking_by};
pub use row::{Clock, Record, SCHEMA, Status};
