//! Cases: benchmarks at one size with one set of parameters.

use std::fmt;

use super::benchmark::{Benchmark, Family, Work};
use super::params::params_text;
use super::shape::Shape;

/// A benchmark at one size with one set of parameters.
#[derive(Clone)]
pub struct Case {
    /// Its family.
    pub family: &'static Family,
    /// Its benchmark.
    pub benchmark: &'static Benchmark,
    /// Type, size and parameters.
    pub shape: Shape,
}

impl Case {
    /// `family/benchmark`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.family.name, self.benchmark.name)
    }

    /// Parameters in the form of the CSV: `K=V` joined by `;`, sorted by name.
    #[must_use]
    pub fn params_text(&self) -> String {
        params_text(&self.shape.params)
    }

    /// Bytes and operations of one launch.
    #[must_use]
    pub fn work(&self) -> Work {
        (self.benchmark.work)(&self.shape)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.name(), self.shape.dtype.name(), self.shape.extent)?;
        if self.shape.params.is_empty() { Ok(()) } else { write!(f, " {}", self.params_text()) }
    }
}
