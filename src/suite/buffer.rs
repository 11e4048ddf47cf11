//! What a benchmark declares to be allocated, and what it holds before the first launch.

use super::cycle::Cycle;
use super::input::Values;

/// A buffer of a job.
pub struct Buffer {
    /// Name by which steps and bindings find it.
    pub name: &'static str,
    /// Length in scalars of the case's element type (or f32 for [`Contents::PoisonF32`], u32 words for [`Contents::Words`], [`Contents::Cycle`] and
    /// [`Contents::Clock`]).
    pub scalars: u64,
    /// What it holds before the first launch.
    pub contents: Contents,
}

/// What a buffer holds before a launch.
#[derive(Debug, Clone, PartialEq)]
pub enum Contents {
    /// Random input.
    Input(Values),
    /// The same in the host's memory, where kernels reach it.
    InputOnHost(Values),
    /// The kernel's own constants, for a uniform buffer, or what one launch hands to the next.
    Words(Vec<u32>),
    /// A walk through memory for dependent loads.
    Cycle(Cycle),
    /// A 2-D texture; the host sees its texels row by row, without padding.
    Texture(Texture),
    /// Garbage that no right answer contains: an output.
    Poison,
    /// The same, of f32 whatever the element type: sums of products of narrower numbers.
    PoisonF32,
    /// The same, where each workgroup notes the time at its start and at its end: two counts of nanoseconds of one clock, of 64 bits each.
    Clock,
}

/// A 2-D texture of one level.
#[derive(Debug, Clone, PartialEq)]
pub struct Texture {
    /// Texels of a row.
    pub width: u64,
    /// Rows.
    pub height: u64,
    /// What a texel is.
    pub format: Format,
    /// What the texels hold, in the order of rows; [`Contents::Poison`] for one that is written.
    pub texels: Box<Contents>,
}

impl Texture {
    /// Bytes of its texels.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.width * self.height * self.format.bytes()
    }

    /// Bytes from one row to the next in a buffer that it is copied from or to.
    #[must_use]
    pub const fn pitch(&self) -> u64 {
        (self.width * self.format.bytes()).next_multiple_of(ROW_PITCH)
    }
}

/// What a texel is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Four 8-bit fractions: what pictures are, and every device filters.
    Rgba8Unorm,
    /// One word.
    R32Uint,
    /// Four words.
    Rgba32Uint,
}

impl Format {
    /// Bytes of a texel.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Rgba8Unorm | Self::R32Uint => 4,
            Self::Rgba32Uint => 16,
        }
    }
}

/// Rows that are copied to or from textures begin at multiples of this many bytes: wgpu's rule, and what CUDA's pitched allocations
/// round to or divide.
pub const ROW_PITCH: u64 = 256;

/// The word that fills outputs before they are checked: an unlikely integer, a NaN, as two words a NaN again, and as two halves two.
pub const POISON: u32 = 0xffc0_fead;
