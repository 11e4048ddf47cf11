//! Names the build, makes the table of the kernels in `shaders`, and embeds the file of PTX that `SHADERBENCH_PTX` names (see
//! `examples/ptx.rs`), if it is set.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};

#[path = "src/suite/header.rs"]
#[expect(unreachable_pub, reason = "the library exports it")]
mod header;

fn main() -> ExitCode {
    match ["src", "shaders"].into_iter().try_fold(Hash::START, |hash, folder| hash.with(Path::new(folder))) {
        Ok(Hash(hash)) => println!("cargo::rustc-env=SHADERBENCH_BUILD={:07x}", hash >> 36),
        Err(error) => {
            println!("cargo::error=the sources of the build cannot be read: {error}");
            return ExitCode::FAILURE;
        }
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("shaders.rs");
    if let Err(error) = shaders().and_then(|table| fs::write(out, table)) {
        println!("cargo::error=the table of the kernels cannot be made: {error}");
        return ExitCode::FAILURE;
    }
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=shaders");
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

/// The table that `src/families/shaders.rs` includes, from the files `shaders/<family>/<benchmark>.*`.
fn shaders() -> io::Result<String> {
    let is_browser = env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm");
    let mut kernels = BTreeSet::new();
    for family in fs::read_dir("shaders")?.collect::<io::Result<Vec<_>>>()? {
        let files =
            if family.path().is_dir() { fs::read_dir(family.path())?.collect::<io::Result<_>>()? } else { vec![] };
        for file in files {
            let name = file.file_name().display().to_string();
            if let Some((benchmark, "wgsl" | "cu")) = name.split_once('.') {
                kernels.insert(format!("{}/{benchmark}", family.file_name().display()));
            }
        }
    }
    let mut table = "&[".to_owned();
    for kernel in kernels {
        let path = |end: &str| PathBuf::from(format!("shaders/{kernel}.{end}"));
        let text = |end| if path(end).exists() { fs::read_to_string(path(end)) } else { Ok(String::new()) };
        let (mut wgsl, mut glsl, mut cuda) = (text("wgsl")?, text("comp")?, text("cu")?);
        let spirv = if path("spv").exists() { fs::read(path("spv"))? } else { Vec::new() };
        let described = [&wgsl, &glsl, &cuda].into_iter().find(|text| !text.is_empty());
        let summary = described.map_or_else(String::new, |text| header::Header::of(text).summary);
        if is_browser {
            // A browser runs no twin. Beside WGSL it needs to know that there is one; without WGSL it reads the interface there.
            cuda = if wgsl.is_empty() || cuda.is_empty() { code(&cuda) } else { "-".to_owned() };
            (wgsl, glsl) = (code(&wgsl), String::new());
        } else if cuda.contains(HOPPER) {
            cuda = cuda.replace(HOPPER, &fs::read_to_string("shaders/hopper.cuh")?);
        }
        _ = write!(
            table,
            "Shaders {{ kernel: {kernel:?}, summary: {summary:?}, wgsl: {wgsl:?}, glsl: {glsl:?}, cuda: {cuda:?}, \
             spirv: &{spirv:?} }},"
        );
    }
    Ok(table + "]")
}

/// How a kernel asks for what the kernels for Hopper share. NVRTC reads no files.
const HOPPER: &str = "#include \"hopper.cuh\"";

/// The lines of `source` without comments. A line that starts with `// unroll` stays: it marks a loop.
fn code(source: &str) -> String {
    let is_comment = |line: &str| line.starts_with("//") && !line.starts_with("// unroll");
    let is_code = |line: &&str| !is_comment(line.trim_start());
    source.split_inclusive('\n').filter(is_code).filter(|line| line.trim() != HOPPER).collect()
}

/// FNV-1a of 64 bits over the names and texts of files. Two builds of one version have the same hash if they have the same
/// sources, in a package and in a checkout with other line ends too; a commit is not known in a package.
struct Hash(u64);

impl Hash {
    const START: Self = Self(0xcbf2_9ce4_8422_2325);

    /// The hash of what came before, and of a file or of all files below a folder in the order of their names.
    fn with(self, path: &Path) -> io::Result<Self> {
        if !path.is_dir() {
            return Ok(self.over(path.as_os_str().as_encoded_bytes()).over(&fs::read(path)?));
        }
        let mut entries = fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        entries.into_iter().try_fold(self, |hash, entry| hash.with(&entry.path()))
    }

    fn over(self, bytes: &[u8]) -> Self {
        let text = bytes.iter().filter(|byte| **byte != b'\r').map(|byte| if *byte == b'\\' { b'/' } else { *byte });
        Self(text.fold(self.0, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)))
    }
}
