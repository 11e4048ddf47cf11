//! Names the build.

use std::path::Path;
use std::process::ExitCode;
use std::{fs, io};

fn main() -> ExitCode {
    let of_sources =
        || ["src", "shaders"].into_iter().try_fold(Hash::START, |hash, folder| hash.with(Path::new(folder)));
    let computed = || of_sources().map(|Hash(hash)| format!("{:07x}", hash >> 36));
    // A package has one crate of these: scripts/crates.sh names the hash of all.
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
