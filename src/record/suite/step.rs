use super::interface::Interface;
use super::library::Routine;
use crate::error::{Error, Result};

/// One step of a launch. `B` identifies a buffer: by name in a benchmark's declaration, by index in a job.
#[derive(Debug, Clone, PartialEq)]
pub enum Step<B = &'static str> {
    /// Runs an entry point of the kernel.
    Dispatch(Dispatch<B>),
    /// Runs a routine of a vendor's library. Timed.
    Library {
        /// What it computes.
        routine: Routine,
        /// Its buffers; the last one is written.
        buffers: Vec<B>,
    },
    /// Copies one buffer over another of the same length. Not timed.
    Restore {
        /// Source.
        from: B,
        /// Destination.
        to: B,
    },
    /// Sets a buffer to zero. Timed only without a dispatch.
    Clear(B),
    /// Copies rows, [`Texture::pitch`](super::Texture::pitch) apart, to or from a texture. Timed without a dispatch.
    CopyRows {
        /// Source.
        from: B,
        /// Destination; one of the two is a texture.
        to: B,
    },
    /// Copies packed rows through memory with the driver's row pitch into `to`, packed again. Timed without a dispatch.
    CopyPitched {
        /// Source.
        from: B,
        /// Destination.
        to: B,
        /// The rows of both.
        rows: PackedRows,
    },
    /// Copies a buffer's contents from the host again; end to end only.
    Upload(B),
    /// Copies the initial contents of `from` from host memory into `to`. Timed without a dispatch.
    Send {
        /// Source: only its contents count.
        from: B,
        /// Destination.
        to: B,
        /// By which call.
        route: Route,
    },
    /// Copies `from` into host memory in place of the contents of `to`. Timed without a dispatch.
    Receive {
        /// Source.
        from: B,
        /// Destination: the check reads it on the host.
        to: B,
        /// By which call; wgpu cannot read back through its queue, so [`Route::Queue`] is [`Route::Staging`] there.
        route: Route,
    },
    /// Between two copies: both start at the same time in separate queues, and the next step waits for both.
    Beside,
    /// Copies the first `scalars` of a buffer to the host and adds them up there, one after the other; end to end only.
    SumOnHost {
        /// Source.
        buffer: B,
        /// Number of scalars.
        scalars: u64,
    },
}

/// A run of an entry point.
#[derive(Debug, Clone, PartialEq)]
pub struct Dispatch<B = &'static str> {
    /// Index of the entry point in [`Interface::entries`].
    pub entry: usize,
    /// Workgroups along x, y and z.
    pub groups: [u32; 3],
    /// Buffer and byte offset of three words that the device uses in place of `groups`.
    pub indirect: Option<(B, u64)>,
    /// One buffer for each binding of the kernel, in their order; if empty, each binding gets the buffer of its name.
    pub buffers: Vec<B>,
    /// The words of the immediates.
    pub immediates: Vec<u32>,
    /// Whether it counts towards the kernel time.
    pub is_timed: bool,
}

impl<B> Default for Dispatch<B> {
    fn default() -> Self {
        let (buffers, immediates) = (Vec::new(), Vec::new());
        Self { entry: 0, groups: [1; 3], indirect: None, buffers, immediates, is_timed: true }
    }
}

/// Rows without padding between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackedRows {
    /// Bytes of a row: a multiple of 4.
    pub bytes: u64,
    /// Rows of a slice.
    pub height: u64,
    /// Slices; a matrix is one.
    pub slices: u64,
}

/// A way between host memory and device memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// The queue's own staging (`write_buffer`): new memory at every call. CUDA: pageable host memory.
    Queue,
    /// A staging buffer that is mapped and copied from or to repeatedly. CUDA: pinned host memory.
    Staging,
    /// The storage buffer itself, mapped: no copy by the device. Only some devices support it.
    Mapped,
    /// A staging buffer that the host leaves alone: only the device's copy. CUDA: pinned host memory, receive only.
    StagingOnly,
    /// A buffer in host memory that the host leaves alone: only the bus transfer, send only. CUDA: pinned host memory.
    Pinned,
}

impl Step {
    /// A dispatch of `groups` workgroups in which each binding gets the buffer of its name.
    #[must_use]
    pub fn dispatch(groups: u64) -> Self {
        Self::bound(grid(groups), Vec::new())
    }

    /// One dispatch with an invocation for each element.
    #[must_use]
    pub fn covering(elements: u64, interface: &Interface) -> Vec<Self> {
        vec![Self::dispatch(elements.div_ceil(interface.invocations()))]
    }

    /// One dispatch over sides x, y and z, each with its length and the part that one workgroup covers.
    #[must_use]
    pub fn dividing(sides: [(u64, u64); 3]) -> Vec<Self> {
        let groups = |(length, part): (u64, u64)| u32::try_from(length.div_ceil(part.max(1))).unwrap_or(u32::MAX);
        vec![Self::bound(sides.map(groups), Vec::new())]
    }

    /// One call of a library's routine; the last of the buffers is written.
    #[must_use]
    pub fn library(routine: Routine, buffers: &[&'static str]) -> Vec<Self> {
        vec![Self::Library { routine, buffers: buffers.to_vec() }]
    }

    /// The step with buffer indices for a kernel with this interface. Errors are those of `index`, and
    /// [`Error::Shader`] if a dispatch does not have one buffer per binding.
    pub fn indexed(self, interface: &Interface, index: impl Fn(&str) -> Result<usize>) -> Result<Step<usize>> {
        let all = |buffers: Vec<&str>| buffers.into_iter().map(&index).collect::<Result<Vec<usize>>>();
        let bindings = &interface.bindings;
        Ok(match self {
            Self::Dispatch(Dispatch { entry, groups, indirect, buffers, immediates, is_timed }) => {
                let (given, expected) = (buffers.len(), bindings.len());
                let buffers = match given {
                    0 => all(bindings.iter().map(|binding| binding.name.as_str()).collect())?,
                    _ if given == expected => all(buffers)?,
                    _ => {
                        let why = format!("a dispatch has {given} buffers, but the kernel has {expected} bindings");
                        return Err(Error::Shader(why));
                    }
                };
                let indirect = indirect.map(|(buffer, at)| Ok::<_, Error>((index(buffer)?, at))).transpose()?;
                Step::Dispatch(Dispatch { entry, groups, indirect, buffers, immediates, is_timed })
            }
            Self::Library { routine, buffers } => Step::Library { routine, buffers: all(buffers)? },
            Self::Restore { from, to } => Step::Restore { from: index(from)?, to: index(to)? },
            Self::Clear(buffer) => Step::Clear(index(buffer)?),
            Self::CopyRows { from, to } => Step::CopyRows { from: index(from)?, to: index(to)? },
            Self::CopyPitched { from, to, rows } => Step::CopyPitched { from: index(from)?, to: index(to)?, rows },
            Self::Upload(buffer) => Step::Upload(index(buffer)?),
            Self::Send { from, to, route } => Step::Send { from: index(from)?, to: index(to)?, route },
            Self::Receive { from, to, route } => Step::Receive { from: index(from)?, to: index(to)?, route },
            Self::Beside => Step::Beside,
            Self::SumOnHost { buffer, scalars } => Step::SumOnHost { buffer: index(buffer)?, scalars },
        })
    }
}

impl Step<usize> {
    /// The buffer that the step uploads, if it is an upload.
    #[must_use]
    pub const fn uploaded(&self) -> Option<usize> {
        match self {
            Self::Upload(buffer) => Some(*buffer),
            _ => None,
        }
    }
}

impl<B> Step<B> {
    /// A dispatch of `groups` workgroups with these buffers, one for each binding.
    #[must_use]
    pub fn bound(groups: [u32; 3], buffers: Vec<B>) -> Self {
        Self::Dispatch(Dispatch { groups, buffers, ..Dispatch::default() })
    }

    /// Whether the host takes part in the step.
    pub const fn needs_host(&self) -> bool {
        match self {
            Self::Send { route, .. } | Self::Receive { route, .. } => {
                !matches!(route, Route::StagingOnly | Route::Pinned)
            }
            Self::Upload(_) | Self::SumOnHost { .. } => true,
            _ => false,
        }
    }

    /// Whether the step counts towards the kernel time.
    #[must_use]
    pub const fn is_timed(&self) -> bool {
        match self {
            Self::Dispatch(dispatch) => dispatch.is_timed,
            Self::Library { .. } => true,
            _ => false,
        }
    }

    /// The error of a backend that does not support this step.
    #[must_use]
    pub fn unsupported(&self, backend: &str) -> Error
    where
        B: std::fmt::Debug,
    {
        Error::Unsupported(format!("the {backend} backend does not support the step {self:?}"))
    }
}

/// `groups` workgroups as a grid whose sides stay within the 65,535 of every device. A grid with two sides is rounded
/// up: kernels number their workgroups by `y * width + x` and must skip the surplus.
#[must_use]
pub fn grid(groups: u64) -> [u32; 3] {
    const WIDTH: u64 = 32_768;
    let clamp = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    if groups <= WIDTH { [clamp(groups), 1, 1] } else { [clamp(WIDTH), clamp(groups.div_ceil(WIDTH)), 1] }
}
