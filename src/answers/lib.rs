//! Answers to readers' questions about rows, one folder or file each, and [`report`]: files, tables, layout. No GPU.

pub mod articles;
mod cold;
pub mod compare;
#[cfg(not(target_family = "wasm"))]
pub mod cost;
#[cfg(not(target_family = "wasm"))]
pub mod facts;
#[cfg(not(target_family = "wasm"))]
pub mod fastest;
pub mod index;
#[cfg(not(target_family = "wasm"))]
pub mod links;
#[cfg(not(target_family = "wasm"))]
pub mod outliers;
pub mod page;
#[cfg(not(target_family = "wasm"))]
mod rates;
pub mod references;
pub mod report;
#[cfg(test)]
mod same_fastest;
pub mod share;
pub mod summary;
mod tables;
pub mod variants;
pub mod versus;

pub use tables::{section, tables, write};
