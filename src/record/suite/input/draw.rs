use super::elements::Input;
use super::random::key;
use super::values::{Scaled, Values};
use crate::suite::scalar::Scalar;

/// Parameters with which a device draws the elements of an input itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw {
    /// Position of the input's first element in the random stream.
    pub position: u64,
    /// The stream's key.
    pub key: u32,
    /// How an element follows from its random bits.
    pub kind: DrawKind,
    /// Elements of a row, or keys; 0 if all are in one row.
    pub row: u64,
    /// The key of what a row's elements have in common.
    pub row_key: u32,
    /// The largest k of [`Values::Scaled`].
    pub most: u32,
}

/// How an element follows from its 32 random bits, as `fill.wgsl` numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum DrawKind {
    /// The bits, without zero.
    Whole,
    /// [`Values::Wide`] of f32.
    Fraction,
    /// [`Values::Wide`] of f16.
    Half,
    /// [`Values::Signed`] of f32.
    SignedFraction,
    /// [`Values::Signed`] of f16.
    SignedHalf,
    /// [`Values::Summable`].
    Summable,
    /// [`Values::Signs`].
    Sign,
    /// [`Values::Digits`].
    Digit,
    /// [`Values::Any`].
    Any,
    /// [`Values::Scaled`].
    Scaled,
    /// [`Values::LogitRows`].
    LogitRow,
    /// [`Values::SortKeys`].
    SortKey,
    /// [`Values::Queries`].
    Query,
    /// [`Values::AttentionKeys`].
    AttentionKey,
}

impl Input {
    /// How to draw elements of this type; `None` for inputs and types that only the host writes.
    pub fn draw(self, scalar: Scalar) -> Option<Draw> {
        if !matches!(scalar, Scalar::U32 | Scalar::F32 | Scalar::F16) || self.is_general(scalar) {
            return None;
        }
        // In the order of `Values::drawn`.
        let kind = match (self.values.kind(), scalar) {
            (Values::Digits, _) => DrawKind::Digit,
            (Values::LogitRows(_), Scalar::F32) => DrawKind::LogitRow,
            (Values::SortKeys(_), Scalar::U32) => DrawKind::SortKey,
            (
                Values::Wide
                | Values::Signed
                | Values::Any
                | Values::Scaled(_)
                | Values::Summable
                | Values::SummableFrom(_)
                | Values::Signs
                | Values::Logits,
                Scalar::U32,
            ) => DrawKind::Whole,
            (Values::Queries(_), Scalar::F16 | Scalar::F32) => DrawKind::Query,
            (Values::AttentionKeys(_), Scalar::F16 | Scalar::F32) => DrawKind::AttentionKey,
            (Values::Any, _) => DrawKind::Any,
            (Values::Scaled(_), _) => DrawKind::Scaled,
            (Values::Wide, Scalar::F32) => DrawKind::Fraction,
            (Values::Wide, Scalar::F16) => DrawKind::Half,
            (Values::Signed, Scalar::F32) => DrawKind::SignedFraction,
            (Values::Signed, Scalar::F16) => DrawKind::SignedHalf,
            (Values::Signs, _) => DrawKind::Sign,
            (Values::Summable | Values::SummableFrom(_), _) => DrawKind::Summable,
            _ => return None,
        };
        let (row, most) = match self.values {
            Values::LogitRows(row) | Values::SortKeys(row) | Values::Queries(row) | Values::AttentionKeys(row) => {
                (row, 0)
            }
            Values::Scaled(Scaled { row: Scaled::ONE_ROW, most, .. }) => (0, most),
            Values::Scaled(Scaled { row, most, .. }) => (row, most),
            _ => (0, 0),
        };
        let (position, key) = (self.values.position(0), key(self.stream));
        Some(Draw { position, key, kind, row, row_key: self.row_key(), most })
    }
}
