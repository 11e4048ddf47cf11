//! Runs the plan on one device through one or more APIs and produces records.
//!
//! With several APIs, each case runs on all of them in turn, so that clock and temperature drift affects all alike.
//! Each API has its own timer, canary and ceilings: its rows are never compared with another API's peaks.

pub mod ceilings;
pub mod checks;
pub mod clock;
pub mod measure;
pub mod plan;
mod program;
mod run;

pub use checks::smallest::{MOST_ELEMENTS, WrongResult, wrong_at, wrong_result};
pub use plan::catalogue::catalogue;
pub use plan::fit::{Fitted, WORKGROUP_SIZE, fit};
pub use plan::schedule::LeftOut;
pub use program::program;
pub use run::earlier::Slots;
pub use run::observer::{Changes, Expected, Observer, Picture};
pub use run::rows::RowTable;
pub use run::settings::{Epochs, Settings, stream_of};
pub use run::{End, Outcome, resume, run};
