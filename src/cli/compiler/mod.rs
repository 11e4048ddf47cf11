//! What users compile themselves: SPIR-V files, and the commands that a declaration runs.

mod command;
mod file;

pub(super) use command::{printed, spirv};
pub(super) use file::Files;
