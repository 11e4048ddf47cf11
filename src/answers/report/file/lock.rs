//! Locks on report files, so that two runs never write the same file.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use super::output::folder;
#[cfg(unix)]
use super::output::number;
use record::error::{Error, Result, usage};

/// A lock on a report, held until dropped or until the process ends, even by a crash: the system's lock on an empty
/// file beside the report (`.r.csv.lock` for `r.csv`), because the report itself is replaced by renaming.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// `None` on a file system without locks.
    file: Option<File>,
}

impl Lock {
    /// Locks `report`, a path without symbolic links; the file need not exist. Does nothing on file systems without
    /// locks.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] naming `shown` if another run holds the lock, [`Error::Io`] if no lock file can be created.
    pub fn acquire(report: &Path, shown: &Path) -> Result<Self> {
        let busy = || {
            usage!(
                "{} is being written by another run: wait until that run ends, or name another file",
                shown.display()
            )
        };
        let path = lock_path(report);
        // The holder removes the file when it ends, and a lock on a removed file excludes nobody: try again.
        for _ in 0..100 {
            if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
                let path = path.display();
                return Err(usage!("a lock file cannot be created at {path}: move {path} away"));
            }
            // Nothing is ever written to the file, which may be the user's.
            let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
            let file = file.map_err(Error::io("create", &path))?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => {
                    held().push(path.clone());
                    return Ok(Self { path, file: Some(file) });
                }
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(busy()),
                Err(TryLockError::Error(_)) => return Ok(Self { path, file: None }),
            }
        }
        Err(busy())
    }
}

static HELD: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn held() -> MutexGuard<'static, Vec<PathBuf>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the lock files of this process, for exits that do not drop the locks.
pub fn remove_lock_files() {
    for path in held().drain(..) {
        if path.metadata().is_ok_and(|found| found.len() == 0) {
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        held().retain(|path| *path != self.path);
        let is_empty = |file: &File| file.metadata().is_ok_and(|found| found.len() == 0);
        if self.file.as_ref().is_none_or(is_empty) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// File names have at most 255 bytes.
const LONGEST: usize = 240;

fn lock_path(report: &Path) -> PathBuf {
    let name = report.file_name().unwrap_or_default().to_string_lossy();
    let stem = if name.len() <= LONGEST {
        name.into_owned()
    } else {
        Sha256::digest(name.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    };
    folder(report).join(format!(".{stem}.lock"))
}

fn is_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        matches!((file.metadata(), path.metadata()), (Ok(a), Ok(b)) if number(&a) == number(&b))
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        path.exists()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_one_lock_at_a_time_and_its_file_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["r.csv".to_owned(), "x".repeat(255)] {
            let path = folder.path().join(name);
            let first = Lock::acquire(&path, Path::new("r.csv")).expect("free");
            let refused = Lock::acquire(&path, Path::new("r.csv")).expect_err("taken");
            let sentence = "r.csv is being written by another run: wait until that run ends, or name another file";
            assert_eq!((refused.to_string().as_str(), refused.exit_code()), (sentence, 2));
            drop(first);
            assert_eq!(std::fs::read_dir(folder.path()).expect("readable").count(), 0);
            drop(Lock::acquire(&path, Path::new("r.csv")).expect("free again"));
        }
    }

    #[test]
    fn a_lock_that_a_killed_run_left_keeps_nobody_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, lock) = (folder.path().join("r.csv"), folder.path().join(".r.csv.lock"));
        std::fs::write(&lock, "").expect("written");
        drop(Lock::acquire(&path, &path).expect("stale"));
        assert!(!lock.exists());
        std::fs::write(&lock, "mine").expect("written");
        drop(Lock::acquire(&path, &path).expect("free"));
        assert_eq!(std::fs::read_to_string(&lock).expect("there"), "mine");
    }

    #[test]
    #[cfg(unix)]
    fn a_link_in_the_place_of_the_lock_file_is_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink("elsewhere", folder.path().join(".r.csv.lock")).expect("linked");
        let refused = Lock::acquire(&folder.path().join("r.csv"), Path::new("r.csv")).expect_err("a link");
        assert!(refused.to_string().contains(".r.csv.lock: move "), "{refused}");
        assert!(!folder.path().join("elsewhere").exists());
    }
}
