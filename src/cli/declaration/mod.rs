//! Kernels of the user's, declared by their interfaces, a TOML file and the command line.

mod answers;
mod buffers;
mod data_file;
mod declared;
mod expression;
mod fields;
mod kernel;
mod launch;
mod load;
mod npy;
mod options;
mod portable;
mod proposal;
mod script;
mod shared;
mod source;
mod spec;
mod steps;
mod stored;

pub(super) use load::{family, of_folder};
pub(super) use options::Own;
pub(super) use portable::TOML;
pub(super) use proposal::{check_declared, proposal};
