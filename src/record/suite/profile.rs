//! How much of the suite a run measures.

/// How much of the suite a run measures, and how long it measures each case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[cfg_attr(not(target_family = "wasm"), derive(clap::ValueEnum))]
pub enum Profile {
    /// The headline sizes; with a time limit, under a minute on a software device.
    Quick,
    /// Every size, a few minutes on a GPU.
    Standard,
    /// Every size, sampled for as long as it takes to settle.
    Thorough,
}

impl Profile {
    /// Every profile, the shortest first.
    pub const ALL: [Self; 3] = [Self::Quick, Self::Standard, Self::Thorough];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Standard => "standard",
            Self::Thorough => "thorough",
        }
    }
}
