//! The summary of reports: one screen for one report, a table for several.

mod beside;
mod card;
pub(super) mod cells;
mod common;
pub mod figures;
mod headlines;
mod texts;

pub use beside::side_by_side;
pub(super) use beside::{Figure, figures_of, in_order, letter, pair_sentences};
pub use card::{COLUMNS, LINES, SOFTWARE, card, card_within, headline, lines_of};
#[cfg(not(target_family = "wasm"))]
pub(super) use cells::size;
pub(super) use common::{Shown, UNLIKE, faster_ones, jobs_of};
pub use headlines::{Headlines, headlines};
#[cfg(not(target_family = "wasm"))]
pub(super) use texts::{Compared, compared};
pub(super) use texts::{faster, job_rate, operations, quoted_rate, quoted_time};
