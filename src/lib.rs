//! A cross-vendor compute-shader benchmark suite: WGSL kernels that mirror CUDA's shared-memory experiments, run through wgpu on any
//! Vulkan, Metal, DirectX 12 or OpenGL device, and their CUDA twins on NVIDIA's; verified, timed by device timestamps, and held against
//! measured ceilings.
//!
//! The way of the data, top to bottom; a module imports only from those below it:
//!
//! | module | holds |
//! |---|---|
//! | [`cli`] | arguments, devices, files, progress |
//! | [`run`] | case by case from plan to record, through one API or several in turns |
//! | [`report`] | table, CSV, JSON, HTML, comparisons: pure functions of records |
//! | [`compare`] | reports against each other: which rows meet, and what may be said of them |
//! | [`plan`] | what to run |
//! | [`ceilings`] | rows against measured limits |
//! | [`measure`], [`verify`] | sampling; output against oracle |
//! | [`backend`] | devices; the only doors to wgpu and to CUDA |
//! | [`monitor`] | the card's own word on clocks, heat and power |
//! | [`job`] | a case made concrete: buffers and steps |
//! | [`twin`] | its CUDA C++, with type and parameters in place |
//! | [`families`] | the families: their benchmarks, declared, and their oracles |
//! | [`suite`] | the vocabulary in which a benchmark is declared |
//! | [`shader`] | the only door to naga |
//! | [`record`] | one row, and its columns |
//! | [`stats`], [`api`], [`error`] | numbers; the APIs; what can go wrong |

/// This version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

pub mod api;
pub mod backend;
pub mod ceilings;
#[cfg(not(target_family = "wasm"))]
pub mod cli;
pub mod compare;
pub mod error;
pub mod families;
pub mod job;
pub mod measure;
pub mod monitor;
pub mod plan;
pub mod record;
pub mod report;
pub mod run;
pub mod shader;
pub mod stats;
pub mod suite;
pub mod twin;
pub mod verify;
