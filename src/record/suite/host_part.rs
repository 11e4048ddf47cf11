/// A part of the host's work for a submission, timed in place of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostPart {
    /// From the first call to the end of the wait: encode, submit, wait.
    Whole,
    /// [`Self::Whole`], with a uniform block per dispatch that the host rewrites with the words of the immediates.
    Uniforms,
    /// [`Self::Whole`], with one call that submits all dispatches as a graph.
    Graph,
    /// Making the bind group of each dispatch.
    BindGroups,
    /// Recording the commands, until they can be submitted.
    Encode,
    /// The call that submits them; CUDA: the calls that launch the kernels.
    Submit,
    /// From the end of that call until the host detects that the device is done.
    Wait,
    /// Compiling a kernel that never ran before: its override `NONCE` has a new value.
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
