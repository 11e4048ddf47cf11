//! A cross-vendor compute-shader benchmark suite: WGSL kernels that mirror CUDA's shared-memory experiments run through
//! wgpu on any Vulkan, Metal, DirectX 12 or OpenGL device, their CUDA twins on NVIDIA GPUs. Every result is verified,
//! timed by device timestamps, and compared with measured peaks.
//!
//! The crates in the order in which data flows. A crate imports only from those above it in this table:
//!
//! | crate | contains |
//! |---|---|
//! | [`record`] | the vocabulary of declarations, a row, its statistics, what rows of one device can support |
//! | [`kernels`] | the benchmarks: a folder for each family of kernels, with its claims |
//! | [`gpu`] | shaders translated, devices, and a run from plan to records |
//! | [`answers`] | file formats, and what a reader asks of rows; it knows no device |
//! | [`cli`] | the command line |
//!
//! [`Bench`] measures kernels that are not the suite's.

/// This version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// This version with the hash of its sources, as rows name it: `0.1.0+3f9c2a1`.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("SHADERBENCH_BUILD"));

pub use answers;
#[cfg(not(target_family = "wasm"))]
pub use cli::Bench;
pub use gpu;
pub use kernels;
pub use record;

#[cfg(not(target_family = "wasm"))]
pub mod cli;
