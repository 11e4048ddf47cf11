//! Inputs as pure functions of the index: random, the same on every machine, and never stored. A gigabyte of input
//! needs no host memory, and an oracle can read any element.

mod draw;
mod elements;
mod mixture;
mod picture;
mod random;
#[cfg(test)]
mod tests;
mod values;

pub use draw::Draw;
pub use elements::BLOCK;
pub use elements::Input;
pub(super) use random::{hash, hashes, key};
pub use values::{Scaled, Values};
