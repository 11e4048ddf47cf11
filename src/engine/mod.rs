//! Runs: one card through one API or several, from plan to records.
//!
//! Several APIs take turns at each case, so that drift of clocks and temperature affects all of them alike. Each has its own
//! timer, canary and ceilings: no row of one API is judged by what another measured.

mod api_run;
mod canary;
mod in_kernel;
mod launch_guard;
mod lost;
pub mod measure;
mod observer;
pub mod plan;
mod resume;
mod rows;
mod run;
mod schedule;
mod session;
mod settings;
mod tune;
mod turn;
pub mod verify;

pub use observer::{Changes, Observer};
pub use resume::EarlierRows;
pub use run::{End, Outcome, resume, run};
pub use settings::Settings;
pub use tune::recall_params;
