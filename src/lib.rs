//! A cross-vendor compute-shader benchmark suite: WGSL kernels that mirror CUDA's shared-memory experiments run through
//! wgpu on any Vulkan, Metal, DirectX 12 or OpenGL device, their CUDA twins on NVIDIA GPUs. Every result is verified,
//! timed by device timestamps if there are any, and compared with measured peaks.
//!
//! The crates in the order of data flow. A crate imports only from those above it in this table:
//!
//! | crate | contains |
//! |---|---|
//! | [`record`] | types of declarations and rows, statistics, what the rows of one device support |
//! | [`kernels`] | the benchmarks: a folder for each family of kernels, with its claims |
//! | [`gpu`] | shader translation, devices, and runs from plan to records |
//! | [`answers`] | file formats, and answers from rows; no access to devices |
//! | [`cli`] | the command line |
//!
//! [`Bench`] measures your own kernels.

/// This version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// This version with the hash of its sources, as in rows: `0.1.0+3f9c2a1`.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("SHADERBENCH_BUILD"));

pub use answers;
#[cfg(not(target_family = "wasm"))]
pub use cli::Bench;
pub use gpu;
pub use kernels;
pub use record;

#[cfg(not(target_family = "wasm"))]
pub mod cli;
