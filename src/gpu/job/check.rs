//! The expected output of a job.

use std::sync::{Arc, OnceLock};

use record::suite::{Oracle, Product, Scalar, each};

/// The check of an output.
pub struct OutputCheck {
    /// The output: an index into [`Job::buffers`](super::Job::buffers).
    pub buffer: usize,
    /// Number of scalars to check; 0 if no expected output is known.
    pub scalars: u64,
    /// Bytes that a launch moves per byte checked: about 2 for a copy, thousands for sums. It shows the oracle's cost.
    pub bytes_each: u64,
    /// Whether even the first epoch compares only parts of the output: see [`Answer`](record::suite::Answer).
    pub is_sampled: bool,
    /// The expected values.
    pub oracle: Oracle,
    /// Largest allowed deviation of each scalar; `None` if they must be exact.
    pub tolerance: Option<Oracle>,
    /// The factors of a matrix product that is too large to check element by element.
    pub product: Option<Product>,
    /// Why an expected value could not be computed: see [`Answer`](record::suite::Answer).
    pub fault: Arc<OnceLock<String>>,
    /// The type of each scalar of an element, `None` for padding, which no kernel writes; empty if all have one type.
    pub element: Vec<Option<Scalar>>,
    /// The share of scalars that may differ by more than the tolerance.
    pub outliers: f64,
    /// Scalars per element: 2 if 64-bit numbers are compared as words, else 1.
    pub words_each: u64,
    /// The bytes of the reference's output, once it has run; `None` without a reference.
    pub of_reference: Option<Arc<OnceLock<Vec<u8>>>>,
}

impl OutputCheck {
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

    /// The type of the scalar at `index` of an output of type `scalar`.
    #[must_use]
    pub fn scalar_at(&self, scalar: Scalar, index: u64) -> Scalar {
        let own = (!self.element.is_empty()).then(|| self.element[(index % self.element.len() as u64) as usize]);
        own.flatten().filter(|own| own.bytes() == scalar.bytes()).unwrap_or(scalar)
    }

    /// Decodes scalars, starting at index `first`, each with its own type.
    pub fn decode(&self, scalar: Scalar, first: u64, bytes: &[u8], values: &mut [f64]) {
        scalar.decode(bytes, values);
        if self.element.iter().flatten().any(|own| *own != scalar) {
            let each = bytes.chunks_exact(scalar.bytes()).zip(values.chunks_exact_mut(1));
            (first..).zip(each).for_each(|(index, (bytes, value))| self.scalar_at(scalar, index).decode(bytes, value));
        }
    }

    /// Whether `wrong` of `compared` scalars are allowed outliers: three standard deviations more if only parts are.
    #[must_use]
    pub fn are_outliers(&self, wrong: u64, compared: u64) -> bool {
        let usual = self.outliers * compared as f64;
        let deviation = if compared < self.scalars { 3.0 * usual.sqrt() } else { 0.0 };
        wrong > 0 && self.outliers > 0.0 && wrong as f64 <= usual + deviation
    }

    /// Sum of the expected values, to verify a sum that the host finishes.
    #[must_use]
    pub fn sum(&self) -> f64 {
        let mut values = vec![0.0; usize::try_from(self.scalars).unwrap_or(usize::MAX)];
        (self.oracle)(0, &mut values);
        values.iter().sum()
    }
}
