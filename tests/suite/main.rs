//! The integration tests as one program: linking the library into a program for each of these files would take longer than most of
//! them run. `cargo test --test suite index::` runs the tests of one file.

mod architecture;
mod browser;
mod cli;
mod common;
mod compare;
mod device;
mod explain;
mod golden;
mod gpu;
mod index;
mod kill;
mod limit;
mod mutations;
mod page;
mod pipeline;
mod resume;
mod shaders;
mod show;
mod timing;
mod trust;
mod tune;
