/// A limit of the device, with its peak measured by the family `ceiling`.
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
    /// [`Self::Tensor`] with bf16 factors.
    TensorBf16,
    /// [`Self::Tensor`] with tf32 factors.
    TensorTf32,
    /// [`Self::Tensor`] with fp8 factors.
    TensorFp8,
    /// Products of 8-bit integers, summed in 32 bits, by tensor cores.
    TensorInt8,
    /// Reading workgroup memory.
    Workgroup,
    /// Launching a kernel that does nothing.
    Launch,
}

impl Limit {
    /// Every limit.
    pub const ALL: [Self; 11] = [
        Self::Copy,
        Self::Read,
        Self::Fill,
        Self::Fma,
        Self::Tensor,
        Self::TensorBf16,
        Self::TensorTf32,
        Self::TensorFp8,
        Self::TensorInt8,
        Self::Workgroup,
        Self::Launch,
    ];

    /// Its name in the column `ceiling`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Read => "read",
            Self::Fill => "fill",
            Self::Fma => "fma",
            Self::Tensor => "tensor",
            Self::TensorBf16 => "tensor_bf16",
            Self::TensorTf32 => "tensor_tf32",
            Self::TensorFp8 => "tensor_fp8",
            Self::TensorInt8 => "tensor_int8",
            Self::Workgroup => "workgroup",
            Self::Launch => "launch",
        }
    }

    /// Whether the rate is in bytes, not in operations or launches.
    #[must_use]
    pub const fn is_in_bytes(self) -> bool {
        self.is_memory() || matches!(self, Self::Workgroup)
    }

    /// Whether tensor cores are the limit. `ceiling/tensor*` measures only subgroup instructions; others differ in
    /// speed.
    #[must_use]
    pub const fn is_tensor(self) -> bool {
        matches!(self, Self::Tensor | Self::TensorBf16 | Self::TensorTf32 | Self::TensorFp8 | Self::TensorInt8)
    }

    /// Whether the rate is in operations.
    #[must_use]
    pub const fn is_arithmetic(self) -> bool {
        matches!(self, Self::Fma) || self.is_tensor()
    }

    /// Whether the limit depends on the size of the working set.
    #[must_use]
    pub const fn is_memory(self) -> bool {
        matches!(self, Self::Copy | Self::Read | Self::Fill)
    }
}
