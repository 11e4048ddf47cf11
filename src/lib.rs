//! A cross-vendor compute-shader benchmark suite: WGSL kernels that mirror CUDA's shared-memory experiments run through
//! wgpu on any Vulkan, Metal, DirectX 12 or OpenGL device, their CUDA twins on NVIDIA GPUs. Every result is verified,
//! timed by device timestamps, and compared with measured peaks.
//!
//! The modules in the order in which data flows. A module imports only from those above it in this table:
//!
//! | module | contains |
//! |---|---|
//! | [`error`] | what can go wrong |
//! | [`suite`] | the vocabulary of declarations and rows |
//! | [`record`] | a row, its columns and its statistics |
//! | [`claim`] | what rows of one device can support |
//! | [`families`] | the benchmarks: a folder for each family of kernels, with its claims |
//! | [`shader`] | WGSL read and translated by naga; the CUDA source of a twin |
//! | [`job`] | a case made concrete: buffers and steps |
//! | [`backend`] | devices: wgpu and CUDA |
//! | [`report`] | file formats, tables, layout |
//! | [`engine`] | a run, from plan to records |
//! | [`answers`] | what a reader asks of rows: a folder for each question, with its judge and its text |
//! | [`cli`] | the command line |
//!
//! [`Bench`] measures kernels that are not the suite's.

/// This version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// This version with the hash of its sources, as rows name it: `0.1.0+3f9c2a1`.
pub const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("SHADERBENCH_BUILD"));

#[cfg(not(target_family = "wasm"))]
pub use cli::Bench;

pub mod answers;
pub mod backend;
pub mod claim;
#[cfg(not(target_family = "wasm"))]
pub mod cli;
pub mod engine;
pub mod error;
pub mod families;
pub mod job;
pub mod record;
pub mod report;
pub mod shader;
pub mod suite;
