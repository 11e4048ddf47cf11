use std::collections::BTreeMap;
use std::fmt;

use super::scalar::Scalar;
use super::significands::Significands;
use crate::error::{Error, Result};

/// An element type: the `T` of the shader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Dtype {
    /// `f32`.
    F32,
    /// `vec2<f32>`.
    Vec2F32,
    /// `vec4<f32>`.
    Vec4F32,
    /// `u32`.
    U32,
    /// A pixel of four 8-bit fractions: red, green, blue, opacity.
    Rgba8,
    /// `f64`.
    F64,
    /// `f16`.
    F16,
    /// `vec2<f16>`.
    Vec2F16,
    /// `f32` whose products use tf32, the upper 19 bits: 11 significant ones. Only CUDA's libraries have it.
    Tf32,
}

impl Dtype {
    /// Every element type.
    pub const ALL: [Self; 9] = [
        Self::F32,
        Self::Vec2F32,
        Self::Vec4F32,
        Self::U32,
        Self::Rgba8,
        Self::F64,
        Self::F16,
        Self::Vec2F16,
        Self::Tf32,
    ];

    /// Its name in WGSL and in the CSV.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Vec2F32 => "vec2<f32>",
            Self::Vec4F32 => "vec4<f32>",
            Self::U32 => "u32",
            Self::Rgba8 => "rgba8unorm",
            Self::F64 => "f64",
            Self::F16 => "f16",
            Self::Vec2F16 => "vec2<f16>",
            Self::Tf32 => "tf32",
        }
    }

    /// Type of a component.
    #[must_use]
    pub const fn scalar(self) -> Scalar {
        match self {
            Self::F32 | Self::Vec2F32 | Self::Vec4F32 | Self::Tf32 => Scalar::F32,
            Self::U32 => Scalar::U32,
            Self::Rgba8 => Scalar::Unorm8,
            Self::F64 => Scalar::F64,
            Self::F16 | Self::Vec2F16 => Scalar::F16,
        }
    }

    /// Bytes of an element.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Rgba8 => 4,
            _ => self.lanes() * self.scalar().bytes() as u64,
        }
    }

    /// Number of components. Sizes count pixels of pictures, and scalars of everything else.
    #[must_use]
    pub const fn lanes(self) -> u64 {
        match self {
            Self::Vec2F32 | Self::Vec2F16 => 2,
            Self::Vec4F32 => 4,
            Self::F32 | Self::U32 | Self::Rgba8 | Self::F64 | Self::F16 | Self::Tf32 => 1,
        }
    }
}

/// A size: scalars of an array, or rows by columns of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Extent {
    /// Scalars.
    Linear(u64),
    /// Rows, columns.
    Matrix(u64, u64),
    /// Three sides: M, N and K of a matrix product; depth, height and width of a volume.
    Product(u64, u64, u64),
}

impl Extent {
    /// Product of the sides; saturates beyond 64 bits, which exceeds any device.
    #[must_use]
    pub const fn count(self) -> u64 {
        match self {
            Self::Linear(n) => n,
            Self::Matrix(rows, columns) => rows.saturating_mul(columns),
            Self::Product(m, n, k) => m.saturating_mul(n).saturating_mul(k),
        }
    }

    /// The sides, as they are written.
    #[must_use]
    pub fn sides(self) -> Vec<u64> {
        match self {
            Self::Linear(n) => vec![n],
            Self::Matrix(rows, columns) => vec![rows, columns],
            Self::Product(m, n, k) => vec![m, n, k],
        }
    }

    /// Rows and columns; an array is one row, a matrix product's result is M by N.
    #[must_use]
    pub const fn matrix(self) -> (u64, u64) {
        match self {
            Self::Linear(n) => (1, n),
            Self::Matrix(rows, columns) | Self::Product(rows, columns, _) => (rows, columns),
        }
    }

    /// Depth, height and width; a matrix is one slice.
    #[must_use]
    pub const fn volume(self) -> (u64, u64, u64) {
        match self {
            Self::Product(depth, height, width) => (depth, height, width),
            Self::Linear(width) => (1, 1, width),
            Self::Matrix(height, width) => (1, height, width),
        }
    }

    /// The size in tables and sentences: `2^20` for a power of two of at least 2^10.
    #[must_use]
    pub fn short(self) -> String {
        match self {
            Self::Linear(n) if n >= 1024 && n.is_power_of_two() => format!("2^{}", n.trailing_zeros()),
            extent => extent.to_string(),
        }
    }

    /// Whether its work can be counted in 64 bits: a product of the largest sides has 2^61 operations.
    #[must_use]
    pub const fn is_countable(self) -> bool {
        match self {
            Self::Linear(_) | Self::Matrix(..) => self.count() <= MOST_ELEMENTS,
            Self::Product(m, n, k) => m <= MOST_SIDE && n <= MOST_SIDE && k <= MOST_SIDE,
        }
    }

    /// Parses `N`, `2^K`, `RxC` or `MxNxK`; [`Error::Usage`] for anything else, and for zero.
    pub fn parse(text: &str) -> Result<Self> {
        let number = |part: &str| -> Option<u64> {
            let value = match part.split_once('^') {
                Some((base, power)) => base.parse::<u64>().ok()?.checked_pow(power.parse().ok()?)?,
                None => part.replace('_', "").parse().ok()?,
            };
            (value > 0).then_some(value)
        };
        let sides: Option<Vec<u64>> = text.split(['x', 'X']).map(number).collect();
        let extent = match sides.as_deref() {
            Some([n]) => Some(Self::Linear(*n)),
            Some([rows, columns]) => Some(Self::Matrix(*rows, *columns)),
            Some([m, n, k]) => Some(Self::Product(*m, *n, *k)),
            _ => None,
        };
        let extent = extent.ok_or_else(|| {
            Error::Usage(format!(
                "'{text}' is not a size: give a number (1000003), a power (2^20) or rows x columns (512x2000)"
            ))
        })?;
        if !extent.is_countable() {
            return Err(Error::Usage(format!(
                "'{text}' is too large: at most 2^40 elements, or 2^20 per side of a matrix product"
            )));
        }
        Ok(extent)
    }
}

/// Arrays with these numbers of scalars.
pub const fn linear<const N: usize>(counts: [u64; N]) -> [Extent; N] {
    let mut extents = [Extent::Linear(0); N];
    let mut index = 0;
    while index < N {
        extents[index] = Extent::Linear(counts[index]);
        index += 1;
    }
    extents
}

/// Arrays of 2^`first` scalars and larger, each 2^`step` times the one before.
pub const fn powers<const N: usize>(first: u32, step: u32) -> [Extent; N] {
    let mut extents = [Extent::Linear(0); N];
    let mut index = 0;
    while index < N {
        extents[index] = Extent::Linear(1 << (first + step * index as u32));
        index += 1;
    }
    extents
}

/// Matrices of these rows and columns.
pub const fn matrices<const N: usize>(sides: [(u64, u64); N]) -> [Extent; N] {
    let mut extents = [Extent::Linear(0); N];
    let mut index = 0;
    while index < N {
        extents[index] = Extent::Matrix(sides[index].0, sides[index].1);
        index += 1;
    }
    extents
}

/// Products or volumes of these sides.
pub const fn products<const N: usize>(sides: [(u64, u64, u64); N]) -> [Extent; N] {
    let mut extents = [Extent::Linear(0); N];
    let mut index = 0;
    while index < N {
        extents[index] = Extent::Product(sides[index].0, sides[index].1, sides[index].2);
        index += 1;
    }
    extents
}

/// Largest number of elements, and largest side of a product: more than any device has memory for.
const MOST_ELEMENTS: u64 = 1 << 40;
const MOST_SIDE: u64 = 1 << 20;

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Linear(n) => write!(f, "{n}"),
            Self::Matrix(rows, columns) => write!(f, "{rows}x{columns}"),
            Self::Product(m, n, k) => write!(f, "{m}x{n}x{k}"),
        }
    }
}

/// The element type, size and parameters of a case.
#[derive(Debug, Clone)]
pub struct Shape {
    /// Element type.
    pub dtype: Dtype,
    /// Size.
    pub extent: Extent,
    /// Parameters by name.
    pub params: BTreeMap<String, f64>,
    /// Number of the inputs' random stream, another one in each epoch. Not part of the case's identity.
    pub stream: u64,
    /// Fraction bits of the device's texture coordinates and so of filter weights. Not part of the case's identity.
    pub sub_texel_bits: u32,
    /// The significands of the inputs. Not part of the case's identity.
    pub significands: Significands,
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        (self.dtype, self.extent, &self.params) == (other.dtype, other.extent, &other.params)
    }
}

impl Shape {
    /// A shape whose inputs are drawn from stream 0, for a device of 8 sub-texel bits.
    #[must_use]
    pub const fn new(dtype: Dtype, extent: Extent, params: BTreeMap<String, f64>) -> Self {
        Self { dtype, extent, params, stream: 0, sub_texel_bits: 8, significands: Significands::Few }
    }

    /// Parameter `name`, or `default` if the case does not set it.
    #[must_use]
    pub fn param(&self, name: &str, default: f64) -> f64 {
        self.params.get(name).copied().unwrap_or(default)
    }

    /// Number of scalars.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.extent.count()
    }

    /// Rows of a matrix or product.
    #[must_use]
    pub const fn rows(&self) -> u64 {
        self.extent.matrix().0
    }

    /// Columns of a matrix or product.
    #[must_use]
    pub const fn columns(&self) -> u64 {
        self.extent.matrix().1
    }

    /// Number of elements, each of which may be a vector.
    #[must_use]
    pub const fn elements(&self) -> u64 {
        self.count() / self.dtype.lanes()
    }

    /// Bytes of one array of the case's size.
    #[must_use]
    pub const fn array_bytes(&self) -> u64 {
        self.count().saturating_mul(self.dtype.scalar().bytes() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_limits() {
        for text in ["2^40", "2^20x2^20", "2^20x2^20x2^20", "1000003", "512x2000"] {
            assert!(Extent::parse(text).is_ok(), "{text}");
        }
        for text in ["2^41", "2^20x2^21", "2^32x2^32", "2^21x1x1"] {
            let error = Extent::parse(text).expect_err("too large").to_string();
            assert!(error.starts_with(&format!("'{text}' is too large: at most 2^40 elements")), "{error}");
        }
        for text in ["", "0", "x", "1x", "2^64", "1x2x3x4", "-1"] {
            assert!(Extent::parse(text).expect_err("no size").to_string().contains("is not a size"), "{text}");
        }
    }

    #[test]
    fn a_shape_counts_the_bytes_of_its_components() {
        let shape = |dtype| Shape::new(dtype, Extent::Linear(6), BTreeMap::new());
        for (dtype, lanes, bytes) in [(Dtype::F16, 1, 12), (Dtype::Vec2F16, 2, 12), (Dtype::Vec2F32, 2, 24)] {
            assert_eq!((dtype.lanes(), shape(dtype).array_bytes()), (lanes, bytes), "{}", dtype.name());
        }
    }
}
