//! How many significant bits inputs have. With few, results are exact, but a kernel of low precision passes too.

/// The significands of a shape's float inputs. Integers, constants, ramps and pictures of bytes are the same in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Significands {
    /// Few bits, as in the declared values: nothing rounds.
    #[default]
    Few,
    /// At most this many bits, or those of the type if it has fewer, of both signs and over six binades.
    Full(u32),
    /// The magnitudes of the same values, not for kernels: a sum's oracle then gives the sum of its terms' magnitudes.
    Magnitudes(u32),
}

impl Significands {
    /// Whether inputs are magnitudes.
    pub const fn are_magnitudes(self) -> bool {
        matches!(self, Self::Magnitudes(_))
    }

    /// Whether inputs have few bits, so that sums of them are exact.
    pub const fn are_few(self) -> bool {
        matches!(self, Self::Few)
    }
}
