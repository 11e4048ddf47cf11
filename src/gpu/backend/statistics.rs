//! The driver's figures for a compiled kernel.

/// The driver's figures for a compiled kernel; for several kernels the maximum of each, and the lowest occupancy.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Statistics {
    /// Registers per invocation.
    pub registers: Option<u64>,
    /// Local memory per invocation, in bytes: spilled registers, and arrays that do not fit in registers.
    pub local_bytes: Option<u64>,
    /// Workgroup memory, static and dynamic, in bytes.
    pub workgroup_bytes: Option<u64>,
    /// Subgroups of this kernel that a unit can hold, as a share of the most that it can hold of any kernel.
    pub occupancy: Option<f64>,
    /// Machine code in bytes.
    pub binary_bytes: Option<u64>,
    /// Instructions of the machine code, with the padding at its end.
    pub instructions: Option<u64>,
}

impl Statistics {
    /// With the instruction count of NVIDIA's GPUs since compute capability 7.0: `nvdisasm` shows 16 bytes for each.
    #[must_use]
    pub fn counted_by_16_bytes(self) -> Self {
        Self { instructions: self.binary_bytes.map(|bytes| bytes / 16), ..self }
    }

    /// Combines the figures of two kernels of the same case.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        let lowest = [self.occupancy, other.occupancy].into_iter().flatten().reduce(f64::min);
        Self {
            registers: self.registers.max(other.registers),
            local_bytes: self.local_bytes.max(other.local_bytes),
            workgroup_bytes: self.workgroup_bytes.max(other.workgroup_bytes),
            occupancy: lowest,
            binary_bytes: self.binary_bytes.max(other.binary_bytes),
            instructions: self.instructions.max(other.instructions),
        }
    }
}
