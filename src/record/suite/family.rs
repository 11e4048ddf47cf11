use std::fmt;

use super::benchmark::Benchmark;
use super::scalar::Scalar;
use super::tag::Tag;

/// Kernels that do the same job.
pub struct Family {
    /// Name of the family and of its folders in `shaders/` and `src/kernels/`.
    pub name: &'static str,
    /// One sentence for the reader.
    pub summary: &'static str,
    /// Topics by which `--tag` selects families.
    pub tags: &'static [Tag],
    /// The expected speed and its reason, in words: the derivation of [`Benchmark::model`] where there is one.
    pub model_text: &'static str,
    /// Whether its table groups rows by kernel (they do different things) rather than by type and size.
    pub is_by_kernel: bool,
    /// Its benchmarks; the others are compared with the first.
    pub benchmarks: &'static [Benchmark],
    /// The family's jobs in the summary and in `cost`.
    pub headlines: &'static [Headline],
    /// How the page draws its rows.
    pub chart: Chart,
}

impl Family {
    /// Defaults for the fields that a literal leaves out.
    pub const BLANK: Self = Self {
        name: "",
        summary: "",
        tags: &[],
        model_text: "",
        is_by_kernel: false,
        benchmarks: &[],
        headlines: &[],
        chart: Chart::Ladder(""),
    };
}

/// A job that a reader asks for: the summary shows the fastest kernel that does it.
#[derive(Debug)]
pub struct Headline {
    /// The job's name for the reader.
    pub name: &'static str,
    /// Position in the summary, most requested first; the last are left out. [`Self::NO_PLACE`]: only in `cost`.
    pub place: u8,
    /// The benchmarks that do this job; all of the family if there are none.
    pub benchmarks: &'static [&'static str],
    /// The job's simplest kernel, compared with the fastest; empty if there is none.
    pub naive: &'static str,
    /// Type of the elements; `None` for any.
    pub scalar: Option<Scalar>,
    /// Whether only the largest size counts; otherwise the fastest of all sizes does.
    pub is_largest: bool,
    /// Why WGSL takes longer than CUDA at sizes that saturate a GPU, in at most 12 columns, if an experiment shows it
    /// (docs/research/2026-11-25-portable-cost.md); else empty.
    pub cause: &'static str,
}

impl Headline {
    /// The place of jobs that the summary leaves out.
    pub const NO_PLACE: u8 = u8::MAX;

    /// A job on f32 at its largest size: defaults for the fields that a literal leaves out.
    pub const F32: Self = Self {
        name: "",
        place: Self::NO_PLACE,
        benchmarks: &[],
        naive: "",
        scalar: Some(Scalar::F32),
        is_largest: true,
        cause: "",
    };

    /// A family's whole job, with any type.
    pub const WHOLE: Self = Self { scalar: None, ..Self::F32 };
}

/// How the page draws a family's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chart {
    /// Kernels as bars under this title; without a title, in the chart with a menu of families.
    Ladder(&'static str),
    /// A chart made for the family.
    Own,
}

impl fmt::Debug for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
