//! What the portable API costs: for each job and measured size, the time of the fastest WGSL kernel ÷ that of its CUDA
//! port, and ÷ that of the vendor's library.

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
