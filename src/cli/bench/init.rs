//! `bench init`: a kernel and its declaration to begin with.

use std::path::Path;

use crate::cli::output::print;
use answers::report::write_file;
use record::error::{Result, usage};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Name of the kernel: NAME.wgsl and NAME.toml are written
    #[arg(value_name = "NAME", default_value = "kernel")]
    name: String,
}

const WGSL: &str = include_str!("init.wgsl");
const TOML: &str = include_str!("init.toml");

/// Writes both files, and says what to type next.
pub(super) fn init(arguments: &Arguments) -> Result<()> {
    let stem = arguments.name.trim_end_matches(".wgsl").trim_end_matches(".toml");
    if stem.trim().is_empty() {
        return Err(usage!("give the kernel a name"));
    }
    for (end, text) in [("wgsl", WGSL), ("toml", TOML)] {
        let name = format!("{stem}.{end}");
        let path = Path::new(&name);
        if path.symlink_metadata().is_ok() {
            return Err(usage!("{name} exists: give another name"));
        }
        write_file(path, text.as_bytes(), false)?;
    }
    print(&format!("{stem}.wgsl, {stem}.toml\nnext: shaderbench bench {stem}.wgsl\n"))
}
