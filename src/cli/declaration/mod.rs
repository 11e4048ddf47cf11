//! Kernels of the user's, declared by their interfaces, a TOML file and the command line.

mod answers;
mod declared;
mod expression;
mod kernel;
mod load;
mod options;
mod portable;
mod script;
mod spec;

pub(super) use load::{family, of_folder};
pub(super) use options::Own;
pub(super) use portable::TOML;
