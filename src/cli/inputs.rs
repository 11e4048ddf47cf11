//! Reads files that the user names: only regular files, up to a maximum size.

use std::fs::File;
use std::io::{Error as IoError, ErrorKind, Read};
use std::path::Path;

use record::error::{Error, Result};

/// Maximum size of a kernel or a declaration, in bytes.
pub(super) const KERNEL: u64 = 64 << 20;

/// Maximum size of the contents of a buffer, in bytes.
pub(super) const DATA: u64 = 4 << 30;

/// Reads a file of at most `most` bytes. Refuses devices and pipes, which may never end or never deliver a byte.
pub(super) fn contents(path: &Path, most: u64) -> Result<Vec<u8>> {
    read(path, most).map_err(Error::io("read", path))
}

/// The same, with the system's error.
pub(super) fn read(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let refused = |message: String| IoError::new(ErrorKind::InvalidInput, message);
    let found = path.metadata()?;
    if !(found.is_file() || found.is_dir()) {
        return Err(refused("not a regular file".to_owned()));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(refused(format!("the file is larger than {} MiB", most >> 20)));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_up_to_their_limit_and_devices_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("k.wgsl");
        std::fs::write(&path, "12345").expect("written");
        assert_eq!(read(&path, 5).expect("small enough"), b"12345");
        assert_eq!(read(&path, 4).expect_err("too large").to_string(), "the file is larger than 0 MiB");
        if cfg!(unix) {
            let fault = contents(Path::new("/dev/zero"), 5).expect_err("a device");
            assert_eq!(fault.chain(), "cannot read '/dev/zero': not a regular file");
        }
    }
}
