use std::fmt;

/// The kind of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum DeviceType {
    /// A GPU with its own memory.
    Discrete,
    /// A GPU that shares the host's memory.
    Integrated,
    /// A GPU behind a hypervisor.
    Virtual,
    /// Something else.
    Other,
    /// A driver that runs kernels on the host's CPU.
    Software,
}

impl DeviceType {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Discrete, Self::Integrated, Self::Virtual, Self::Other, Self::Software];

    /// The name in the CSV.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Other => "other",
            Self::Software => "software",
        }
    }
}

/// Invocations of a subgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SubgroupSize {
    /// Smallest size.
    pub least: u32,
    /// Largest size.
    pub most: u32,
}

impl SubgroupSize {
    /// The sizes from `least` to `most`, where 0 means that the API does not report the value.
    #[must_use]
    pub fn reported(least: u32, most: u32) -> Option<Self> {
        match (least, most) {
            (0, 0) => None,
            (0, one) | (one, 0) => Some(Self { least: one, most: one }),
            (least, most) => Some(Self { least, most }),
        }
    }
}

impl std::str::FromStr for SubgroupSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (least, most) = text.split_once('-').unwrap_or((text, text));
        match (least.parse(), most.parse()) {
            (Ok(least), Ok(most)) if 0 < least && least <= most => Ok(Self { least, most }),
            _ => Err(format!("'{text}' is not a subgroup size: give a size or a range, for example 32 or 8-32")),
        }
    }
}

impl fmt::Display for SubgroupSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.least == self.most { write!(f, "{}", self.least) } else { write!(f, "{}-{}", self.least, self.most) }
    }
}
