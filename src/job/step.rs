//! What one launch consists of.

use crate::error::Error;
use crate::suite::{Route, Routine};

/// One step of a launch. Buffers are indices into [`Job::buffers`](super::Job::buffers).
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Runs the kernel. Timed.
    Dispatch {
        /// Workgroups along x, y and z.
        groups: [u32; 3],
        /// One buffer for each binding of the interface, in its order.
        buffers: Vec<usize>,
    },
    /// Runs a routine of the vendor's own library. Timed.
    Library {
        /// The routine.
        routine: Routine,
        /// Its operands; the last one is the result.
        buffers: Vec<usize>,
    },
    /// Copies one buffer over another. Not timed.
    Restore {
        /// Source.
        from: usize,
        /// Destination.
        to: usize,
    },
    /// Sets a buffer to zero. Not timed.
    Clear(usize),
    /// Copies rows between a texture and a buffer, where they are [`Texture::pitch`](super::Texture::pitch) bytes
    /// apart.
    CopyRows {
        /// Source.
        from: usize,
        /// Destination.
        to: usize,
    },
    /// Uploads a buffer's initial contents again; end to end only.
    Upload(usize),
    /// Copies the initial contents of `from` from host memory into `to`.
    Send {
        /// Source: only its initial contents are used.
        from: usize,
        /// Destination.
        to: usize,
        /// The API call.
        route: Route,
    },
    /// Copies `from` into host memory. Reading `to` then reads that copy.
    Receive {
        /// Source.
        from: usize,
        /// Destination.
        to: usize,
        /// The API call.
        route: Route,
    },
    /// Reads back the first `bytes` of a buffer and sums its scalars on the host; end to end only.
    SumOnHost {
        /// Source.
        buffer: usize,
        /// Length in bytes.
        bytes: u64,
    },
}

impl Step {
    /// The buffer of a [`Step::Upload`].
    #[must_use]
    pub const fn uploaded(&self) -> Option<usize> {
        match self {
            Self::Upload(buffer) => Some(*buffer),
            _ => None,
        }
    }

    /// Whether the host takes part in the step.
    pub(super) const fn needs_host(&self) -> bool {
        match self {
            Self::Send { route, .. } | Self::Receive { route, .. } => !matches!(route, Route::Held | Route::Pinned),
            Self::Upload(_) | Self::SumOnHost { .. } => true,
            _ => false,
        }
    }

    /// Whether the step counts toward the kernel time.
    #[must_use]
    pub const fn is_timed(&self) -> bool {
        matches!(self, Self::Dispatch { .. } | Self::Library { .. })
    }

    /// The error of a backend that does not run this step.
    #[must_use]
    pub fn unsupported(&self, backend: &str) -> Error {
        Error::Unsupported(format!("the {backend} backend does not run the step {self:?}"))
    }
}
