//! What the portable API costs: for each job and size, the fastest WGSL kernel's time ÷ its CUDA port's and ÷ the
//! library's.

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
