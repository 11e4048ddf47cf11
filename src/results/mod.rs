//! What follows from the rows of runs. No GPU, no files.

pub mod bisect;
pub mod ceilings;
pub mod compare;
pub mod consistency;
#[cfg(not(target_family = "wasm"))]
pub mod fleet;
pub mod normal;
pub mod soak;
pub mod summary;
