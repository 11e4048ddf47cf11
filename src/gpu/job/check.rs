//! The right answer of a job.

use std::sync::{Arc, OnceLock};

use record::suite::{Oracle, Product, each};

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
    /// Which of its scalars are padding, that no kernel writes: for each of an element's; empty if none is.
    pub padding: Vec<bool>,
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
            padding: Vec::new(),
            words_each: 1,
            of_reference: None,
        }
    }

    /// Whether a scalar is padding.
    #[must_use]
    pub fn is_padding(&self, index: u64) -> bool {
        !self.padding.is_empty() && self.padding[(index % self.padding.len() as u64) as usize]
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
