//! What the portable API costs: for each job, the time of the fastest WGSL kernel ÷ that of its CUDA twin and ÷ that of the
//! vendor's library, at every size that was measured.

mod cases;
mod elsewhere;
mod json;
mod library;
#[cfg(test)]
mod tests;
mod text;

pub use cases::Cost;
pub use json::{Costs, json};
pub use library::{BesideLibrary, libraries};
pub use text::{LINES, screen};
