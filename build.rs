//! Sets `SHADERBENCH_BUILD`, which identifies the build by a hash of its sources.

use std::path::Path;
use std::process::ExitCode;
use std::{fs, io};

fn main() -> ExitCode {
    let of_sources =
        || ["src", "shaders"].into_iter().try_fold(Hash::START, |hash, folder| hash.with(Path::new(folder)));
    let computed = || of_sources().map(|Hash(hash)| format!("{:07x}", hash >> 36));
    // A package contains only one of the crates: scripts/crates.sh stores the hash of all of them in build.hash.
    match fs::read_to_string("build.hash").or_else(|_| computed()) {
        Ok(hash) => println!("cargo::rustc-env=SHADERBENCH_BUILD={}", hash.trim()),
        Err(error) => {
            println!("cargo::error=the sources of the build cannot be read: {error}");
            return ExitCode::FAILURE;
        }
    }
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=shaders");
    println!("cargo::rerun-if-changed=build.rs");
    ExitCode::SUCCESS
}

/// 64-bit FNV-1a over the names and texts of files, whatever their line ends: a package knows no commit.
struct Hash(u64);

impl Hash {
    const START: Self = Self(0xcbf2_9ce4_8422_2325);

    /// Continues the hash over a file, or over all files below a folder in the order of their names.
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
