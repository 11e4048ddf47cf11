//! How a run stands among other runs of the same model.
//!
//! For each headline figure, only figures of the same case with the same kernel, checks, clock and profile are
//! compared, and only rows that are `ok`. Runs of one card count as one: their mean. A card is *certainly* faster than
//! this one if it would be so in other runs, too: the variance of the difference is that of both estimates for other
//! runs of the same builds ([`Figure::error`]), and what runs of one card were seen to differ by besides.
//!
//! That this card is slower than at least k of n others is a partial conjunction of n hypotheses. With the p-values in
//! rising order, (n − k + 1) · p₍ₖ₎ is its p-value, whatever their dependence (Benjamini & Heller, *Biometrics* 64,
//! 2008); all comparisons share this run's noise. It is certain at 2.5 % divided by the number of figures, so that all
//! statements about a report hold together in 95 % of reports.

mod hints;
mod reference;
mod standing;
#[cfg(test)]
mod tests;
#[cfg(not(target_family = "wasm"))]
pub mod text;

pub use hints::{Hint, hints};
pub use reference::{Figure, Reference, Unit};
pub use standing::{EDGE, LEAST_CARDS, Standing, standings};
