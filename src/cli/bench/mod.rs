//! `bench`: user kernels, timed and verified like the suite's own.

mod builder;
mod init;

pub use builder::Bench;

use clap::Subcommand;

use super::declaration::Own;
use super::output::say;
use super::shaders::is_unread;
use super::{bundle, run};
use record::error::Result;
use record::suite::{Benchmark, Declaration};

const FILES: &str = "Kernels, baseline first (.wgsl, .spv, .cu, .comp, .hlsl, .slang), or one .toml file";
const UNCHECKED: &str = "Run without run-time checks";

/// Arguments of `bench`: the options of `run`, and what a TOML file can say.
#[derive(clap::Args)]
#[group(skip)]
#[command(subcommand_negates_reqs = true)]
#[command(mut_arg("filters", |arg| arg.value_name("FILE").required(true).help(FILES).long_help(format!(
    "{FILES}\n\nA .toml file next to the kernel declares what the kernel's interface cannot: sizes, parameters and \
     expected values."
))))]
#[command(mut_arg("profile", |arg| arg.help("Sampling time [default: standard on a GPU, else quick]")))]
#[command(mut_arg("unchecked", |arg| arg.hide_short_help(false).help(UNCHECKED).long_help(format!(
    "{UNCHECKED}\n\nOut-of-bounds accesses are then undefined behavior. The suite's own kernels also run without these \
     checks."
))))]
#[command(mut_args(|arg| match arg.get_id().as_str() {
    "shaders" | "tags" => arg.hide(true),
    "against" | "time" | "resume" | "json" | "anonymous" | "table" | "dry_run" | "save_image" => arg.hide_short_help(true),
    _ => arg,
}))]
pub(super) struct Arguments {
    #[command(flatten)]
    run: run::Arguments,
    #[command(flatten)]
    own: Own,
    #[command(subcommand)]
    task: Option<Task>,
}

/// What `bench` does besides measuring.
#[derive(Subcommand)]
enum Task {
    /// Write a TOML file for a kernel, or an example kernel and TOML file
    Init(init::Arguments),
    /// Try to reproduce a wrong result from the folder that the run wrote
    Replay(bundle::Arguments),
}

pub(super) fn bench(arguments: Arguments) -> Result<u8> {
    let Arguments { mut run, own, task } = arguments;
    match &task {
        Some(Task::Init(arguments)) => return init::init(arguments).map(|()| 0),
        Some(Task::Replay(arguments)) => return bundle::replay(arguments),
        None => {}
    }
    let family = run.load_own(own)?;
    let is_reordered = |benchmark: &Benchmark| benchmark.declared.is_some_and(Declaration::is_reordered);
    if family.benchmarks.iter().any(is_reordered) {
        say("[verify] has no tolerance: floats may differ from the reference by the rounding error of a reordered sum");
    }
    if let Some(unread) = family.benchmarks.iter().find(|own| is_unread(own)) {
        let (name, why) = (unread.name, unread.only_cuda.unwrap_or_default());
        say(&format!("{name}: {why}; Vulkan runs the SPIR-V unchanged, without bounds checks"));
    }
    run::measure(&run)
}
