//! `bench init`: writes the declaration of a kernel, or an example kernel with its declaration.

use std::path::{Path, PathBuf};

use crate::cli::declaration::{Own, proposal};
use crate::cli::output::print;
use answers::report::write_file;
use record::error::{Result, shown, usage};

#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Kernel to write a TOML file for, or the name of a new example
    #[arg(value_name = "FILE", default_value = "kernel")]
    file: PathBuf,
}

const WGSL: &str = include_str!("init.wgsl");
const TOML: &str = include_str!("init.toml");

pub(super) fn init(Arguments { file }: &Arguments) -> Result<()> {
    let kernel = if file.extension().is_none() { file.with_extension("wgsl") } else { file.clone() };
    if file.file_name().is_none_or(|name| name.to_string_lossy().trim().is_empty()) {
        return Err(usage!("the kernel file needs a name, for example mine.wgsl"));
    }
    let toml = kernel.with_extension("toml");
    let new = |path: &Path, text: &str| {
        if path.symlink_metadata().is_ok() {
            return Err(usage!("{} already exists: delete the file, or choose another name", shown(path)));
        }
        write_file(path, text.as_bytes(), false)
    };
    if kernel.exists() || kernel.extension().is_none_or(|end| end != "wgsl") {
        let text = proposal(&kernel, &Own::default())?.text;
        new(&toml, &text)?;
        return print(&format!("{}\nnext: shaderbench bench {}\n", shown(&toml), shown(&kernel)));
    }
    new(&kernel, WGSL)?;
    new(&toml, TOML)?;
    print(&format!("{}, {}\nnext: shaderbench bench {}\n", shown(&kernel), shown(&toml), shown(&kernel)))
}
