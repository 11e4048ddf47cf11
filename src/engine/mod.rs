//! Runs the plan on one device through one or more APIs and produces records.
//!
//! With several APIs, each case runs on all of them in turn, so that clock and temperature drift affects all alike.
//! Each API has its own timer, canary and ceilings: its rows are never compared with another API's peaks.

mod api_run;
mod canary;
mod catalogue;
mod end_to_end;
mod energy;
mod epoch;
pub mod filter;
mod fit;
mod guard;
mod half_rounds;
mod in_kernel;
mod in_step;
mod launch_guard;
mod lost;
pub mod measure;
mod names;
mod observer;
mod other_shape;
mod pace;
mod parameters;
mod passes;
pub mod plan;
mod poisoned;
mod reference;
mod request;
mod resume;
mod rows;
mod run;
mod schedule;
mod session;
mod settings;
pub mod slope;
mod soak;
mod steps;
pub mod timer;
mod turn;
pub mod verify;
mod wrong;

pub use catalogue::catalogue;
pub use fit::{Fitted, WORKGROUP_SIZE, fit};
pub use observer::{Changes, Expected, Observer, Picture};
pub use pace::{Pace, Point, Way};
pub use resume::EarlierRows;
pub use run::{End, Outcome, resume, run};
pub use schedule::LeftOut;
pub use settings::{Epochs, Settings};
pub use soak::soak;
pub use wrong::{MOST_ELEMENTS, WrongResult, wrong_at, wrong_result};
