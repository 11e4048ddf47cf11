//! Embeds the PTX file that `SHADERBENCH_PTX` names (see `examples/ptx.rs`), if it is set.

use std::env;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    println!("cargo::rustc-check-cfg=cfg(embedded_ptx)");
    println!("cargo::rerun-if-env-changed=SHADERBENCH_PTX");
    println!("cargo::rerun-if-changed=build.rs");
    let Some(named) = env::var_os("SHADERBENCH_PTX").filter(|name| !name.is_empty()) else {
        return ExitCode::SUCCESS;
    };
    match Path::new(&named).canonicalize() {
        Ok(path) => {
            println!("cargo::rustc-cfg=embedded_ptx");
            println!("cargo::rustc-env=SHADERBENCH_PTX_FILE={}", path.display());
            println!("cargo::rerun-if-changed={}", path.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("cargo::error=SHADERBENCH_PTX={}: {error}", named.display());
            ExitCode::FAILURE
        }
    }
}
