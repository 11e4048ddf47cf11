//! SPIR-V files, and the commands that a declaration runs.

mod command;

pub(super) use command::{FOLDER, NOT_FOUND, printed, spirv, temporary};
