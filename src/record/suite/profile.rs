/// How much of the suite a run measures, and how long it measures each case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[cfg_attr(not(target_family = "wasm"), derive(clap::ValueEnum))]
pub enum Profile {
    /// Headline sizes only; by default limited to less than a minute.
    Quick,
    /// Every size, a few minutes on a GPU.
    Standard,
    /// Every size, with longer samples and more epochs.
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
