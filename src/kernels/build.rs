//! Makes the table of the kernels in `shaders`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

#[expect(unreachable_pub, reason = "the library exports it")]
mod header;

fn main() -> io::Result<()> {
    // A package has a copy of the folder, which scripts/crates.sh makes.
    let folders = ["shaders", "../../shaders"].into_iter().map(Path::new);
    let folder = folders.filter_map(|folder| folder.canonicalize().ok()).next();
    let folder = folder.ok_or_else(|| io::Error::other("the folder `shaders` is missing"))?;
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=SHADERBENCH_SHADERS={}", folder.display());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("shaders.rs");
    fs::write(out, table(&folder)?)
}

/// The table that `shaders.rs` includes, from the files `shaders/<family>/<benchmark>.*`.
fn table(folder: &Path) -> io::Result<String> {
    let is_browser = env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm");
    let mut kernels = BTreeSet::new();
    for family in fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()? {
        let files =
            if family.path().is_dir() { fs::read_dir(family.path())?.collect::<io::Result<_>>()? } else { vec![] };
        for file in files {
            let name = file.file_name().display().to_string();
            if let Some((benchmark, "wgsl" | "cu" | "header")) = name.split_once('.') {
                kernels.insert(format!("{}/{benchmark}", family.file_name().display()));
            }
        }
    }
    let mut table = "&[".to_owned();
    for kernel in kernels {
        let path = |end: &str| folder.join(format!("{kernel}.{end}"));
        let text = |end| if path(end).exists() { fs::read_to_string(path(end)) } else { Ok(String::new()) };
        let (mut wgsl, mut glsl, mut cuda) = (text("wgsl")?, text("comp")?, text("cu")?);
        // The texts of a benchmark without a kernel of its own; those of kernels are read where they are printed.
        let own = header::Header::of(&text("header")?);
        let spirv = if path("spv").exists() { fs::read(path("spv"))? } else { Vec::new() };
        let described = [&wgsl, &glsl, &cuda].into_iter().find(|text| !text.is_empty());
        let summary = described.map_or(own.summary, |text| header::Header::of(text).summary);
        if is_browser {
            // A browser runs no twin: it needs to know that one exists or, without WGSL, to read the interface there.
            cuda = if wgsl.is_empty() || cuda.is_empty() { code(&cuda) } else { "-".to_owned() };
            (wgsl, glsl) = (code(&wgsl), String::new());
        } else if cuda.contains(HOPPER) {
            cuda = cuda.replace(HOPPER, &fs::read_to_string(folder.join("hopper.cuh"))?);
        }
        _ = write!(
            table,
            "Shaders {{ kernel: {kernel:?}, summary: {summary:?}, work: {:?}, look_for: {:?}, limits: {:?}, \
             wgsl: {wgsl:?}, glsl: {glsl:?}, cuda: {cuda:?}, spirv: &{spirv:?} }},",
            own.work, own.look_for, own.limits
        );
    }
    Ok(table + "]")
}

/// Replaced by hopper.cuh, which kernels for Hopper share: NVRTC reads no files.
const HOPPER: &str = "#include \"hopper.cuh\"";

/// `source` without its comment lines, except `// unroll`, which marks a loop.
fn code(source: &str) -> String {
    let is_comment = |line: &str| line.starts_with("//") && !line.starts_with("// unroll");
    let is_code = |line: &&str| !is_comment(line.trim_start());
    source.split_inclusive('\n').filter(is_code).filter(|line| line.trim() != HOPPER).collect()
}
