//! A row of a report: its fields, and the columns that write and read them.

mod cards;
mod cause;
mod columns;
mod conditions;
mod energy;
mod field;
mod identity;
mod lane;
mod row;

pub use cards::{by_card, typical};
pub use cause::Cause;
pub use columns::{COLUMNS, Column, Kind};
pub use conditions::Conditions;
pub use energy::Energy;
pub use identity::CardId;
pub use lane::Lane;
pub use row::{Clock, Record, SCHEMA, Status};
