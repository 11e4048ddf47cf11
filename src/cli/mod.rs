//! The command line.

mod arguments;
mod bench;
mod bisect;
mod bundle;
mod compare;
mod compiler;
mod describe;
mod devices;
mod estimate;
mod explain;
mod format;
mod grouping;
mod host;
mod index;
mod interrupt;
mod learn;
mod list;
mod merge;
mod messages;
mod output;
mod outputs;
mod pictures;
mod program;
mod progress;
mod report;
mod reports;
mod run;
mod selection;
mod shaders;
mod show;
mod steps;
mod summary;
mod target;
mod values;
mod watchdog;

pub use program::main;
