use super::benchmark::Benchmark;

/// What a benchmark times. Each kind has its own mean: a faster launch does not make up for a slower kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum WorkKind {
    /// A kernel of the suite, of a vendor's library or of the user.
    #[default]
    Kernel,
    /// A copy by the API, without a kernel.
    Copy,
    /// Work of the host: encoding, submission, waiting, compilation.
    HostCost,
}

impl WorkKind {
    /// All kinds. The first one that a comparison has is its headline.
    pub const ALL: [Self; 3] = [Self::Kernel, Self::Copy, Self::HostCost];

    /// Its name in the plural.
    #[must_use]
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Kernel => "kernels",
            Self::Copy => "copies",
            Self::HostCost => "host costs",
        }
    }

    /// Its name before a noun: `kernel cases`.
    #[must_use]
    pub const fn adjective(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Copy => "copy",
            Self::HostCost => "host-cost",
        }
    }
}

impl Benchmark {
    /// What it times.
    #[must_use]
    pub fn work_kind(&self) -> WorkKind {
        let has_kernel = [self.wgsl, self.glsl, self.cuda].iter().any(|text| !text.is_empty())
            || !self.spirv.is_empty()
            || self.library.is_some()
            || self.declared.is_some();
        match self.host_part {
            Some(_) => WorkKind::HostCost,
            None if has_kernel => WorkKind::Kernel,
            None => WorkKind::Copy,
        }
    }
}
