//! The integration tests as one program: to link the library into a program for each of these files takes longer than
//! most of them run. `cargo test --test suite index::` runs the tests of one file.

mod architecture;
mod arguments;
mod browser;
mod catalogue;
mod cheats;
mod cli;
mod command;
mod common;
mod compare;
mod compilers;
mod device;
mod epochs;
mod explain;
mod files;
mod findings;
mod golden;
mod gpu;
mod hostile;
mod index;
mod kill;
mod learn;
mod limit;
mod mutations;
mod order;
mod page;
mod parameters;
mod pipeline;
mod resume;
mod shaders;
mod show;
mod streams;
mod terminal;
mod timing;
mod trust;
mod tune;
