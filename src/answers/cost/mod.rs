//! What the portable API costs: for each job and size, the best WGSL time ÷ that of its CUDA port and ÷ the library's.

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
