//! Kernels of the user's, declared by their interfaces, a TOML file and the command line.

mod answers;
mod buffers;
mod declared;
mod expression;
mod fields;
mod kernel;
mod launch;
mod load;
mod npy;
mod options;
mod portable;
mod script;
mod shared;
mod spec;
mod steps;
mod stored;

pub(super) use load::{family, of_folder};
pub(super) use options::Own;
pub(super) use portable::TOML;
