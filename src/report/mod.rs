//! Reports: pure functions of records, and the writers of report files.

pub mod comparison;
pub mod csv;
#[cfg(not(target_family = "wasm"))]
pub mod example;
#[cfg(not(target_family = "wasm"))]
pub mod export;
#[cfg(not(target_family = "wasm"))]
mod file;
#[cfg(not(target_family = "wasm"))]
pub mod host;
pub mod html;
pub mod index;
mod intake;
pub mod json;
mod layout;
mod limited;
pub mod markdown;
#[cfg(not(target_family = "wasm"))]
pub mod normal;
#[cfg(not(target_family = "wasm"))]
pub mod outliers;
#[cfg(not(target_family = "wasm"))]
pub mod png;
pub mod reader;
mod section;
#[cfg(not(target_family = "wasm"))]
pub mod soak;
pub mod summary;
pub mod table;
mod tables;
pub mod tour;
pub mod versus;

#[cfg(not(target_family = "wasm"))]
pub use file::{CsvFile, Lock, Output, Target, check_folder, replace_file};
#[cfg(not(target_family = "wasm"))]
pub(crate) use layout::wrap;
pub use layout::{Medium, Part, Terminal, lay_out};
pub use section::{Section, apis, families_in_reading_order, findings, lanes, sections, sort_records, sort_rows};
pub use tables::{compilers, section, tables, write};
