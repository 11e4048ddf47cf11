//! What a benchmark declares a launch to be made of.

use super::grid;

/// One step of a launch.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Runs the kernel. Timed.
    Dispatch {
        /// Workgroups along x, y and z.
        groups: [u32; 3],
        /// `(binding, buffer)` where a binding takes a buffer of another name.
        rebind: Vec<(&'static str, &'static str)>,
    },
    /// Runs a routine of the vendor's own library, which is compared with the suite's kernels. Timed.
    Library {
        /// What it does.
        routine: Routine,
        /// What it does it with; the last one is written.
        buffers: &'static [&'static str],
    },
    /// Copies one buffer over another of the same length. Not timed.
    Restore {
        /// Source.
        from: &'static str,
        /// Destination.
        to: &'static str,
    },
    /// Sets a buffer to zero. Not timed.
    Clear(&'static str),
    /// Copies rows, in the buffer [`ROW_PITCH`](super::ROW_PITCH) apart or a multiple of it, between a buffer and a texture. Timed where the job has no
    /// dispatch.
    CopyRows {
        /// Source.
        from: &'static str,
        /// Destination; one of the two is a texture.
        to: &'static str,
    },
    /// What no API here can do, and why: the case is `skipped` with that reason.
    Unavailable(&'static str),
    /// Copies a buffer's contents from the host again; end to end only.
    Upload(&'static str),
    /// Copies what `from` starts with out of the host's memory into `to`. Timed where the job has no dispatch.
    Send {
        /// Source: only its contents count.
        from: &'static str,
        /// Destination.
        to: &'static str,
        /// By which call.
        route: Route,
    },
    /// Copies `from` into the host's memory, where it stands for the contents of `to`. Timed likewise.
    Receive {
        /// Source.
        from: &'static str,
        /// Destination: the check reads it on the host.
        to: &'static str,
        /// By which call; wgpu's queue reads nothing back by itself, so that [`Route::Queue`] is [`Route::Staging`] there.
        route: Route,
    },
    /// Copies the first `scalars` of a buffer to the host and adds them up there, one after the other; end to end only.
    SumOnHost {
        /// Source.
        buffer: &'static str,
        /// How many.
        scalars: u64,
    },
}

/// What a vendor's library can do as well. Matrices are stored row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routine {
    /// C = A·B, with A of m×k elements and B of k×n.
    Multiply {
        /// Rows of A and C.
        m: u64,
        /// Columns of B and C.
        n: u64,
        /// Columns of A, rows of B.
        k: u64,
    },
    /// The transpose of a matrix.
    Transpose {
        /// Rows of the input.
        rows: u64,
        /// Columns of the input.
        columns: u64,
    },
}

/// A way between the host's memory and the device's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// The queue's own staging (`write_buffer`): new memory at every call. CUDA: pageable memory of the host.
    Queue,
    /// A staging buffer that is mapped and copied from or to, again and again. CUDA: pinned memory of the host.
    Staging,
    /// The storage buffer itself, mapped: no copy by the device. Only some devices can.
    Mapped,
    /// A staging buffer that the host has nothing more to do with: the device's copy alone. CUDA: pinned memory of the host, and only to
    /// receive.
    Held,
    /// A buffer in the host's memory that the host has nothing more to do with: the device's copy over the bus. CUDA: pinned memory of the
    /// host. Only to send: receiving is [`Route::Held`]'s.
    Pinned,
}

impl Step {
    /// A dispatch of `groups` workgroups with every binding served by the buffer of its name.
    #[must_use]
    pub fn dispatch(groups: u64) -> Self {
        Self::Dispatch { groups: grid(groups), rebind: Vec::new() }
    }
}
