//! All errors of the program, as one enum. Usage and I/O errors end the run. An error about one case becomes that
//! case's record (see [`Error::is_skip`]), and the run continues.

mod visible;

use std::io::ErrorKind;
use std::path::PathBuf;

pub use visible::{is_hidden, shown, visible, visible_lines, visible_styled};

/// A result of the program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An [`Error::Usage`] with a text from the arguments of [`format!`].
#[macro_export]
macro_rules! usage {
    ($($sentence:tt)*) => {
        $crate::error::Error::Usage(format!($($sentence)*))
    };
}
pub use usage;

/// An error in one sentence that, where possible, states what the user can do.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line names something that does not exist, or contradicts itself.
    #[error("{0}")]
    Usage(String),
    /// There is no device to run on.
    #[error("{0}")]
    NoDevice(String),
    /// A file could not be read or written.
    #[error("cannot {action} '{}'", shown(path))]
    Io {
        /// The operation: `create`, `read`, `rename`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A report could not be parsed.
    #[error("{}, line {line}: {message}", shown(path))]
    Report {
        /// The file.
        path: PathBuf,
        /// 1-based line in the file.
        line: u64,
        /// The fault, with the name of the faulty column if there is one.
        message: String,
    },
    /// A comparison is inconclusive.
    #[error("{0}")]
    Undecided(String),
    /// The device or its API lacks something that the case needs.
    #[error("{0}")]
    Unsupported(String),
    /// A shader or its declaration is faulty.
    #[error("shader error: {0}")]
    Shader(String),
    /// The device has too little free memory.
    #[error("out of memory: {0}")]
    OutOfMemory(String),
    /// The API refused a call.
    #[error("validation error: {0}")]
    Validation(String),
    /// The device is lost; a new one has to be opened.
    #[error("device lost: {0}")]
    Lost(String),
    /// The device's timestamps contradict the host's clock.
    #[error("clock error: {0}")]
    Clock(String),
    /// A launch takes longer than the time left for the case.
    #[error("a launch takes about {}, too long for the run's remaining time (--time)", duration(*.seconds))]
    TooLong {
        /// Estimated time of one launch in seconds, from a smaller size.
        seconds: f64,
    },
    /// The device did not finish in time; a new one has to be opened.
    #[error("timed out: no response from the device within {seconds} s")]
    Timeout {
        /// The time waited, in seconds.
        seconds: f64,
    },
    /// The kernel crashed the process twice, at sizes not larger than this one.
    #[error("the same kernel crashed the process twice, first at size {0}")]
    CrashedBefore(String),
    /// The kernel timed out before, at a size not larger than this one.
    #[error("the same kernel timed out at size {0}")]
    TimedOutBefore(String),
}

impl Error {
    /// An [`Error::Io`] for a failed `action` on the file or folder at `path`.
    pub fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }

    /// Whether the case cannot run here at all, so that its row is `skipped` rather than `failed`.
    #[must_use]
    pub const fn is_skip(&self) -> bool {
        matches!(
            self,
            Self::Unsupported(_)
                | Self::OutOfMemory(_)
                | Self::TooLong { .. }
                | Self::TimedOutBefore(_)
                | Self::CrashedBefore(_)
        )
    }

    /// Whether a new device must be opened before the next case.
    #[must_use]
    pub const fn ends_device(&self) -> bool {
        matches!(self, Self::Lost(_) | Self::Timeout { .. })
    }

    /// The process's exit code if this error ends the run: 2 for usage, else 1.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        if matches!(self, Self::Usage(_)) { 2 } else { 1 }
    }

    /// The error and its causes in one line, joined by colons.
    #[must_use]
    pub fn chain(&self) -> String {
        let mut text = self.to_string();
        let action = if let Self::Io { action, .. } = self { *action } else { "read" };
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            let system = error.downcast_ref::<std::io::Error>();
            text.push_str(": ");
            text.push_str(&system.map_or_else(|| error.to_string(), |system| in_words(system, action)));
            cause = error.source();
        }
        text
    }
}

/// The message of an I/O error after an `action` such as `create`; common errors read the same on every system.
#[must_use]
pub fn in_words(error: &std::io::Error, action: &str) -> String {
    let text = error.to_string();
    // This program's own errors have a text but no OS error number.
    if error.raw_os_error().is_none() && !text.contains("(os error ") {
        return text;
    }
    match error.kind() {
        ErrorKind::NotFound if matches!(action, "read" | "start") => "no such file".to_owned(),
        ErrorKind::NotFound => "no such folder".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => text,
    }
}

/// The message on one line, safe to print: compilers and APIs write several lines, but a row's reason is one line.
pub fn one_line(message: &str) -> String {
    visible(&message.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}
fn duration(seconds: f64) -> String {
    if seconds < 0.1 { format!("{:.1} ms", 1e3 * seconds) } else { format!("{seconds:.1} s") }
}
