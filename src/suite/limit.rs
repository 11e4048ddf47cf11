//! Limits of a device.

/// A limit of the device, whose peak the family `ceiling` measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Limit {
    /// Reading and writing memory in equal parts, by working set.
    Copy,
    /// Reading memory, by working set.
    Read,
    /// Writing memory, by working set.
    Fill,
    /// Fused multiply-adds, by type.
    Fma,
    /// Products of f16 matrices, summed in f32, by tensor cores.
    Tensor,
    /// Reading workgroup memory.
    Workgroup,
    /// Launching a kernel that does nothing.
    Launch,
}

impl Limit {
    /// Every limit.
    pub const ALL: [Self; 7] =
        [Self::Copy, Self::Read, Self::Fill, Self::Fma, Self::Tensor, Self::Workgroup, Self::Launch];

    /// Its name in the column `ceiling`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Read => "read",
            Self::Fill => "fill",
            Self::Fma => "fma",
            Self::Tensor => "tensor",
            Self::Workgroup => "workgroup",
            Self::Launch => "launch",
        }
    }

    /// Whether the rate is in bytes, not in operations or launches.
    #[must_use]
    pub const fn is_in_bytes(self) -> bool {
        self.is_memory() || matches!(self, Self::Workgroup)
    }

    /// Whether the limit depends on the size of the working set.
    #[must_use]
    pub const fn is_memory(self) -> bool {
        matches!(self, Self::Copy | Self::Read | Self::Fill)
    }
}
