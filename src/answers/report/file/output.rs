//! Replaces the content of a path: a file by renaming, a device or pipe by writing to it.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use record::error::{Error, Result, usage};

/// What a path leads to. Symbolic links are followed: the file at their end is replaced, and the links stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A regular file, or nothing yet.
    File(PathBuf),
    /// A character device or a pipe.
    Stream(PathBuf),
    /// This process's stdout, under any name.
    Stdout,
    /// This process's stderr, under any name.
    Stderr,
}

impl Target {
    /// Finds what `path` leads to, without changing anything.
    ///
    /// # Errors
    /// [`Error::Usage`] if `path` is a folder, a disk, a socket or empty; [`Error::Io`] if the path cannot be examined.
    pub fn of(path: &Path) -> Result<Self> {
        let refusal = |what: &str| usage!("{} is {what}: name a file", path.display());
        if path.as_os_str().is_empty() {
            return Err(usage!("a file name is empty: name a file"));
        }
        let found = match path.metadata() {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let file = end_of_links(path);
                let is_folder = path.as_os_str().to_string_lossy().ends_with(std::path::is_separator);
                let name = file.file_name().filter(|_| !is_folder).ok_or_else(|| refusal("a folder"))?;
                return Ok(Self::File(real_folder(folder(&file)).join(name)));
            }
            Err(error) => return Err(Error::io("write", path)(error)),
        };
        if found.is_dir() {
            return Err(refusal("a folder"));
        }
        if let Some(standard) = standard_stream(&found) {
            return Ok(standard);
        }
        if found.is_file() {
            return path.canonicalize().map(Self::File).map_err(Error::io("write", path));
        }
        match special_kind(&found) {
            Some(what) => Err(refusal(what)),
            None => Ok(Self::Stream(path.to_owned())),
        }
    }

    /// Whether writing would replace a file.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        matches!(self, Self::File(path) if path.symlink_metadata().is_ok())
    }

    /// Whether both are the same file, device or pipe, whatever their names.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(a), Self::File(b)) | (Self::Stream(a), Self::Stream(b)) => {
                has_same_spelling(a, b) || is_one_file(a, b)
            }
            (a, b) => a == b,
        }
    }
}

/// A place to write to, checked by [`Output::open`].
#[derive(Debug, Clone)]
pub struct Output {
    path: PathBuf,
    sink: Sink,
    /// Whether a file that exists now belongs to another program.
    is_new: Arc<AtomicBool>,
}

#[derive(Debug, Clone)]
enum Sink {
    File(PathBuf),
    Stream(Arc<File>),
    Stdout,
    Stderr,
}

impl Output {
    /// Checks that files can be created in the path's folder, or opens the device or pipe.
    ///
    /// # Errors
    /// The errors of [`Target::of`], and [`Error::Io`] if the path cannot be written.
    pub fn open(path: &Path) -> Result<Self> {
        let sink = match Target::of(path)? {
            Target::File(file) => {
                check_folder(folder(&file)).map_err(Error::io("write", path))?;
                Sink::File(file)
            }
            Target::Stream(_) => Sink::Stream(Arc::new(open_stream(path)?)),
            Target::Stdout => Sink::Stdout,
            Target::Stderr => Sink::Stderr,
        };
        Ok(Self { path: path.to_owned(), sink, is_new: Arc::default() })
    }

    /// Like [`Output::open`], for a new file. A file that another program creates in the meantime is not replaced.
    ///
    /// # Errors
    /// As for [`Output::open`].
    pub fn open_new(path: &Path) -> Result<Self> {
        let output = Self::open(path)?;
        output.is_new.store(true, Ordering::Relaxed);
        Ok(output)
    }

    /// The user's name for it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file, without symbolic links; `None` for a device or pipe.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match &self.sink {
            Sink::File(path) => Some(path),
            _ => None,
        }
    }

    /// Replaces the file's content, or writes `text` to the device or pipe. Readers of a file see either the old or the
    /// new text, never a mix. A pipe without a reader is not an error.
    ///
    /// # Errors
    /// [`Error::Io`] with the path. A file is then unchanged.
    pub fn replace(&self, text: &[u8]) -> Result<()> {
        self.replace_by(|stream| stream.write_all(text).map_err(Error::io("write", &self.path)))
    }

    /// Replaces the content with what `fill` writes, which need not fit in memory.
    ///
    /// # Errors
    /// The errors of `fill`, and [`Error::Io`] with the path. A file is then unchanged.
    pub fn replace_by(&self, fill: impl FnOnce(&mut (dyn Write + Send)) -> Result<()>) -> Result<()> {
        let fault = || Error::io("write", &self.path);
        let whole = |stream: &mut (dyn Write + Send)| fill(stream).and_then(|()| stream.flush().map_err(fault()));
        let written = match &self.sink {
            Sink::File(path) => {
                let is_new = self.is_new.load(Ordering::Relaxed);
                replace(path, is_new, |file| whole(file), fault)?;
                self.is_new.store(false, Ordering::Relaxed);
                return Ok(());
            }
            Sink::Stream(stream) => whole(&mut stream.as_ref()),
            Sink::Stdout => whole(&mut io::stdout()),
            Sink::Stderr => whole(&mut io::stderr()),
        };
        match written {
            Err(Error::Io { source, .. }) if source.kind() == ErrorKind::BrokenPipe => Ok(()),
            written => written,
        }
    }
}

/// Writes `text` to `path`, which must not exist unless `has_force`; see [`Output::replace`].
///
/// # Errors
/// The errors of [`Output::open`] and [`Output::replace`].
pub fn write_file(path: &Path, text: &[u8], has_force: bool) -> Result<()> {
    let output = if has_force { Output::open(path)? } else { Output::open_new(path)? };
    output.replace(text)
}

/// Writes `text` to `path`; see [`Output::replace`].
///
/// # Errors
/// The errors of [`Output::open`] and [`Output::replace`].
pub fn replace_file(path: &Path, text: &[u8]) -> Result<()> {
    Output::open(path)?.replace(text)
}

/// Checks that files can be created in the folder.
///
/// # Errors
/// The system's error.
pub fn check_folder(folder: &Path) -> io::Result<()> {
    temporary_file(folder).map(drop)
}

/// The first of `r-2.csv`, `r-3.csv`, … that does not exist.
#[must_use]
pub fn free_path(path: &Path) -> PathBuf {
    let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, extension) = (part(path.file_stem()), part(path.extension()));
    let dot = if extension.is_empty() { "" } else { "." };
    let numbered = |number: usize| path.with_file_name(format!("{stem}-{number}{dot}{extension}"));
    (2..).map(numbered).find(|path| path.symlink_metadata().is_err()).unwrap_or_default()
}

pub(super) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn replace<F: FnOnce(io::Error) -> Error>(
    path: &Path,
    is_new: bool,
    fill: impl FnOnce(&mut File) -> Result<()>,
    fault: impl Fn() -> F,
) -> Result<()> {
    let mut part = temporary_file(folder(path)).map_err(fault())?;
    if let Ok(earlier) = path.metadata() {
        keep_owner_and_mode(part.as_file(), &earlier).map_err(fault())?;
    }
    fill(part.as_file_mut())?;
    part.as_file().sync_data().map_err(fault())?;
    let moved = if is_new { part.persist_noclobber(path) } else { part.persist(path) };
    moved.map_err(|error| match error.error.kind() {
        ErrorKind::AlreadyExists => fault()(io::Error::new(
            ErrorKind::AlreadyExists,
            "another program created this file in the meantime, so it is not overwritten: name another file",
        )),
        _ => fault()(error.error),
    })?;
    sync_folder(path);
    Ok(())
}

/// A new file with an unpredictable name, removed unless it is renamed. Its mode obeys the umask.
fn temporary_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".shaderbench-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder).map_err(without_path)
}

/// The system's error without the random file name that the crate adds.
fn without_path(error: io::Error) -> io::Error {
    let cause = error.get_ref().and_then(std::error::Error::source);
    let code = cause.and_then(|cause| cause.downcast_ref::<io::Error>()).and_then(io::Error::raw_os_error);
    code.map_or(error, io::Error::from_raw_os_error)
}

/// The new file keeps the old one's owner and mode, so that no one else can read it.
fn keep_owner_and_mode(file: &File, earlier: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        // Only root can give files away. For other users, a file of another owner becomes their own.
        use std::os::unix::fs::{MetadataExt, fchown};
        let _ = fchown(file, Some(earlier.uid()), Some(earlier.gid()));
        file.set_permissions(earlier.permissions())?;
    }
    #[cfg(not(unix))]
    let _ = (file, earlier);
    Ok(())
}

/// Syncs the folder, so that the renamed file survives a crash. Ignores errors: some file systems cannot sync folders.
fn sync_folder(path: &Path) {
    if cfg!(unix) {
        let _ = File::open(folder(path)).and_then(|folder| folder.sync_all());
    }
}

/// The path at the end of a chain of symbolic links to a missing file.
fn end_of_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    // Systems follow at most 40 links.
    for _ in 0..40 {
        let Ok(link) = path.read_link() else { break };
        path = folder(&path).join(link);
    }
    path
}

/// The folder without symbolic links, `.` and `..`, even if its last parts are missing.
fn real_folder(folder: &Path) -> PathBuf {
    let mut missing: Vec<Component> = Vec::new();
    let mut parts = folder.components();
    loop {
        let there = if parts.as_path().as_os_str().is_empty() { Path::new(".") } else { parts.as_path() };
        if let Ok(mut real) = there.canonicalize() {
            for part in missing.iter().rev() {
                match part {
                    Component::ParentDir => drop(real.pop()),
                    part => real.push(part),
                }
            }
            return real;
        }
        match parts.next_back() {
            Some(part) => missing.push(part),
            None => return folder.to_owned(),
        }
    }
}

fn has_same_spelling(a: &Path, b: &Path) -> bool {
    // File names on these systems usually ignore case.
    if cfg!(any(windows, target_vendor = "apple")) {
        return a.to_string_lossy().to_lowercase() == b.to_string_lossy().to_lowercase();
    }
    a == b
}

/// Identifies a file on this machine.
#[cfg(unix)]
pub(super) fn number(found: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (found.dev(), found.ino())
}

/// Whether both paths lead to the same file, as hard links do.
fn is_one_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(a), Ok(b)) = (a.metadata(), b.metadata()) {
        return number(&a) == number(&b);
    }
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// The kind of the file if no report can be written to it.
fn special_kind(found: &Metadata) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = found.file_type();
        if kind.is_block_device() {
            return Some("a disk");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
    }
    let _ = found;
    None
}

/// This process's stdout or stderr, if it is that. Replacing a file that the shell opened would lose later output.
fn standard_stream(found: &Metadata) -> Option<Target> {
    #[cfg(unix)]
    {
        use std::os::fd::{AsFd, BorrowedFd};
        let is_at = |stream: BorrowedFd| {
            let opened = stream.try_clone_to_owned().and_then(|stream| File::from(stream).metadata());
            opened.is_ok_and(|opened| number(&opened) == number(found))
        };
        if is_at(io::stdout().as_fd()) {
            return Some(Target::Stdout);
        }
        if is_at(io::stderr().as_fd()) {
            return Some(Target::Stderr);
        }
    }
    let _ = found;
    None
}

/// Opens a device or pipe. A pipe without a reader is refused, because opening it would block.
fn open_stream(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
        if path.metadata().is_ok_and(|found| found.file_type().is_fifo()) {
            let refusal = || usage!("no program reads the pipe {}: start its reader first", path.display());
            let probe = OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(path);
            // Kept open until the pipe is open again, so that its reader stays.
            let _probe = match probe {
                Err(error) if error.raw_os_error() == Some(libc::ENXIO) => return Err(refusal()),
                probe => probe.map_err(Error::io("write", path))?,
            };
            return options.open(path).map_err(Error::io("write", path));
        }
    }
    options.open(path).map_err(Error::io("write", path))
}
