use crate::error::Error;

/// Why a row has no figures, or why its figures are doubtful; [`super::Record::reason`] is the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Cause {
    /// The device or the API lacks what the case needs.
    Unsupported,
    /// A launch takes longer than the run's time limit allows.
    TimeLimit,
    /// The device did not respond in time, in this case or in a smaller one of the same kernel.
    TimedOut,
    /// The driver ended the process.
    Crashed,
    /// The driver ended the process again in a second attempt, or in smaller cases of the same kernel.
    CrashedAgain,
    /// The device was lost.
    DeviceLost,
    /// There is no device, or it cannot be used.
    NoDevice,
    /// An allocation failed.
    OutOfMemory,
    /// The kernel does not compile.
    Shader,
    /// The API refused a call.
    Validation,
    /// The output is wrong.
    WrongOutput,
    /// The device's speed changed while the case was measured.
    Unsteady,
    /// Faster than its ceiling by more than the noise.
    AboveCeiling,
    /// Faster than its ceiling, but possibly by noise.
    PerhapsAboveCeiling,
    /// None of these.
    Other,
}

impl Cause {
    /// Every cause.
    pub const ALL: [Self; 15] = [
        Self::Unsupported,
        Self::TimeLimit,
        Self::TimedOut,
        Self::Crashed,
        Self::CrashedAgain,
        Self::DeviceLost,
        Self::NoDevice,
        Self::OutOfMemory,
        Self::Shader,
        Self::Validation,
        Self::WrongOutput,
        Self::Unsteady,
        Self::AboveCeiling,
        Self::PerhapsAboveCeiling,
        Self::Other,
    ];

    /// The word in the CSV.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unsupported => "unsupported",
            Self::TimeLimit => "time-limit",
            Self::TimedOut => "timed-out",
            Self::Crashed => "crashed",
            Self::CrashedAgain => "crashed-again",
            Self::DeviceLost => "device-lost",
            Self::NoDevice => "no-device",
            Self::OutOfMemory => "out-of-memory",
            Self::Shader => "shader",
            Self::Validation => "validation",
            Self::WrongOutput => "wrong-output",
            Self::Unsteady => "unsteady",
            Self::AboveCeiling => "above-ceiling",
            Self::PerhapsAboveCeiling => "perhaps-above-ceiling",
            Self::Other => "other",
        }
    }

    /// Whether the cause follows from a comparison with a ceiling, which may still rise.
    #[must_use]
    pub const fn is_by_ceiling(self) -> bool {
        matches!(self, Self::AboveCeiling | Self::PerhapsAboveCeiling)
    }
}

impl From<&Error> for Cause {
    fn from(error: &Error) -> Self {
        match error {
            Error::Unsupported(_) => Self::Unsupported,
            Error::TooLong { .. } => Self::TimeLimit,
            Error::Timeout { .. } | Error::TimedOutBefore(_) => Self::TimedOut,
            Error::CrashedBefore(_) => Self::CrashedAgain,
            Error::Lost(_) => Self::DeviceLost,
            Error::NoDevice(_) => Self::NoDevice,
            Error::OutOfMemory(_) => Self::OutOfMemory,
            Error::Shader(_) => Self::Shader,
            Error::Validation(_) => Self::Validation,
            Error::Usage(_) | Error::Io { .. } | Error::Report { .. } | Error::Undecided(_) | Error::Clock(_) => {
                Self::Other
            }
        }
    }
}
