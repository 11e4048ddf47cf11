//! Types without GPU or files: what a benchmark declares ([`suite`]), a report's rows with their columns and
//! statistics, and what the rows of one device support ([`claim`]).

pub mod claim;
pub mod error;
pub mod suite;

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
pub use estimate::{byte_rate, flop_rate, has_several_epochs, is_software, share, time, time_in_run};
pub use identity::CardId;
pub use ranking::{MARGIN, MARGIN_IN_TURNS, Ranking, ranking, ranking_by};
pub use row::{Clock, Record, SCHEMA, Status};
