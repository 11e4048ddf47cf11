//! The right answer of a job.

use std::sync::{Arc, OnceLock};

use record::suite::{Oracle, Product, Scalar, each};

/// The right output.
pub struct OutputCheck {
    /// The output: an index into [`Job::buffers`](super::Job::buffers).
    pub buffer: usize,
    /// Number of its scalars that are checked; 0 if there is no right output to compare with.
    pub scalars: u64,
    /// Bytes that a launch moves, divided by the bytes that are checked: about 2 for a copy, thousands for sums. The
    /// oracle computes a value from all that is read for it.
    pub bytes_each: u64,
    /// Whether even the first epoch compares parts of the output: see [`Answer`](record::suite::Answer).
    pub is_sampled: bool,
    /// The right values.
    pub oracle: Oracle,
    /// Largest allowed deviation of each scalar; `None` where they must be exact.
    pub tolerance: Option<Oracle>,
    /// The factors of a matrix product that is too large to check element by element.
    pub product: Option<Product>,
    /// Why a right value could not be computed: see [`Answer`](record::suite::Answer).
    pub fault: Arc<OnceLock<String>>,
    /// The type of each of an element's scalars, `None` of padding, that no kernel writes; empty if all have one type.
    pub element: Vec<Option<Scalar>>,
    /// The share of its scalars that may differ by more than the tolerance.
    pub outliers: f64,
    /// Scalars of an element: 2 where numbers of 64 bits are compared by words, else 1.
    pub words_each: u64,
    /// Where the right values are those of a reference: the bytes of its output, once it has run.
    pub of_reference: Option<Arc<OnceLock<Vec<u8>>>>,
}

impl OutputCheck {
    /// No check: there is no right output to compare with.
    pub(super) fn none() -> Self {
        Self {
            buffer: 0,
            scalars: 0,
            bytes_each: 0,
            is_sampled: false,
            oracle: each(|_| 0.0),
            tolerance: None,
            product: None,
            fault: Arc::default(),
            element: Vec::new(),
            outliers: 0.0,
            words_each: 1,
            of_reference: None,
        }
    }

    /// Whether a scalar is padding.
    #[must_use]
    pub fn is_padding(&self, index: u64) -> bool {
        !self.element.is_empty() && self.element[(index % self.element.len() as u64) as usize].is_none()
    }

    /// The type of a scalar of an output of this type.
    #[must_use]
    pub fn scalar_at(&self, scalar: Scalar, index: u64) -> Scalar {
        let own = (!self.element.is_empty()).then(|| self.element[(index % self.element.len() as u64) as usize]);
        own.flatten().filter(|own| own.bytes() == scalar.bytes()).unwrap_or(scalar)
    }

    /// The values of scalars from `first` on, each of its own type.
    pub fn decode(&self, scalar: Scalar, first: u64, bytes: &[u8], values: &mut [f64]) {
        scalar.decode(bytes, values);
        if self.element.iter().flatten().any(|own| *own != scalar) {
            let each = bytes.chunks_exact(scalar.bytes()).zip(values.chunks_exact_mut(1));
            (first..).zip(each).for_each(|(index, (bytes, value))| self.scalar_at(scalar, index).decode(bytes, value));
        }
    }

    /// Whether so many wrong scalars among those that were compared are allowed outliers. Where parts are compared, the share
    /// in them varies by its standard deviation.
    #[must_use]
    pub fn are_outliers(&self, wrong: u64, compared: u64) -> bool {
        let usual = self.outliers * compared as f64;
        let deviation = if compared < self.scalars { 3.0 * usual.sqrt() } else { 0.0 };
        wrong > 0 && self.outliers > 0.0 && wrong as f64 <= usual + deviation
    }

    /// Sum of the right values: the right result of a sum on the host, of this output or of the partial sums of an
    /// earlier pass.
    #[must_use]
    pub fn sum(&self) -> f64 {
        let mut values = vec![0.0; usize::try_from(self.scalars).unwrap_or(usize::MAX)];
        (self.oracle)(0, &mut values);
        values.iter().sum()
    }
}
