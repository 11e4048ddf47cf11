//! The parts of the host's work for a submission.

/// A part of the host's work for a submission. A row states its time in place of the kernel's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostPart {
    /// From the first call to the end of the wait: encode, submit, wait.
    Whole,
    /// [`Self::Whole`], where each dispatch reads a uniform block of its own, which the host writes anew. The words are
    /// those of the dispatch's immediates.
    Uniforms,
    /// [`Self::Whole`], where one call submits all dispatches as a graph.
    Graph,
    /// Making the bind group of each dispatch.
    BindGroups,
    /// Recording the commands, until they can be submitted.
    Encode,
    /// The call that submits them; CUDA: the calls that launch the kernels.
    Submit,
    /// From the end of that call until the host knows that the device is done.
    Wait,
    /// Compiling the kernel, which never ran before: its override `NONCE` has a new value.
    FirstPipeline,
    /// Compiling the kernel that ran just before.
    NextPipeline,
}

impl HostPart {
    /// Whether it compiles the kernel.
    #[must_use]
    pub const fn compiles(self) -> bool {
        matches!(self, Self::FirstPipeline | Self::NextPipeline)
    }
}
