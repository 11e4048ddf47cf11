//! Answers to the questions that readers ask of rows, one folder or file per question, and [`report`]: files, tables
//! and layout. Uses no GPU.

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
