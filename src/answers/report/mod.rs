//! Reports as files, tables and text: formats, their readers and writers, layout.

mod accepted;
pub mod column_list;
#[cfg(test)]
pub(crate) mod committed;
pub mod csv;
#[cfg(not(target_family = "wasm"))]
pub mod example;
#[cfg(not(target_family = "wasm"))]
mod file;
#[cfg(not(target_family = "wasm"))]
pub mod github;
mod grid;
pub mod json;
pub mod layout;
pub mod limited;
pub mod markdown;
#[cfg(not(target_family = "wasm"))]
pub mod png;
pub mod reader;
pub mod section;
pub mod table;
mod terminal;

#[cfg(not(target_family = "wasm"))]
pub use file::{CsvFile, Lock, Output, Target, check_folder, free_path, remove_lock_files, replace_file, write_file};
#[cfg(not(target_family = "wasm"))]
pub use layout::wrap;
pub use layout::{Medium, Part, Terminal, lay_out};
pub use section::{Section, apis, families_in_reading_order, findings, sections, sort_records, sort_rows, toolchains};
