use std::fmt;

use super::benchmark::{Benchmark, Work};
use super::family::Family;
use super::interface::Checks;
use super::limit::Limit;
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
    /// Whether it only replaces a size that the device lacks memory or time for, or is such a case's ceiling.
    pub is_reserve: bool,
    is_trusted: bool,
}

impl Case {
    /// A case of `benchmark`. Its WGSL or SPIR-V is trusted if it is one of `family`.
    #[must_use]
    pub fn new(family: &'static Family, benchmark: &'static Benchmark, shape: Shape) -> Self {
        let texts = |benchmark: &Benchmark| (benchmark.wgsl, benchmark.spirv);
        let is_own = family.benchmarks.iter().any(|own| texts(own) == texts(benchmark));
        let is_trusted = is_own && benchmark.declared.is_none();
        Self { family, benchmark, shape, is_reserve: false, is_trusted }
    }

    /// Whether the WGSL or the CUDA differs from the suite's.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        let texts = |benchmark: &Benchmark| (benchmark.wgsl, benchmark.cuda);
        self.benchmark.declared.is_some()
            || !self.family.benchmarks.iter().any(|own| texts(own) == texts(self.benchmark))
    }

    /// Whether the WGSL may run without run-time checks.
    #[must_use]
    pub const fn is_trusted(&self) -> bool {
        self.is_trusted
    }

    /// Lets the WGSL run without run-time checks.
    ///
    /// # Safety
    /// At every shape that the case is given, the WGSL accesses no buffer out of bounds, its loops end, and its integer
    /// divisions neither divide by zero nor overflow.
    #[expect(unsafe_code, reason = "a promise about the kernel that the compiler cannot check")]
    pub const unsafe fn trust(&mut self) {
        self.is_trusted = true;
    }

    /// The checks to add on APIs that can switch them: those that the parameters request, all if the WGSL is untrusted.
    #[must_use]
    pub fn checks(&self) -> Checks {
        if self.is_trusted { Checks::of(&self.shape) } else { Checks::ALL }
    }

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
        self.benchmark.work_at(&self.shape)
    }

    /// The working set of the memory ceiling to compare with: a launch's bytes; with cold caches, beyond all caches.
    #[must_use]
    pub fn working_set(&self) -> u64 {
        let bytes = self.work().bytes;
        if self.shape.is_cold() { bytes.max(PAST_CACHES) } else { bytes }
    }

    /// Whether its launches may find cold caches: a kernel with a ceiling that sets none and measures no latency.
    #[must_use]
    pub fn may_be_cold(&self) -> bool {
        let benchmark = self.benchmark;
        benchmark.ceiling.is_some() && !benchmark.sets_ceiling && !benchmark.is_latency && benchmark.host_part.is_none()
    }

    /// The limits of the case: [`Benchmark::ceiling`] and, if it does more than one floating-point operation for each
    /// scalar that it moves, multiply-adds or tensor cores. (Up to one is part of moving: `ceiling/read` adds each
    /// scalar that it reads.) Integer operations have no limit, since some are faster than the multiply-adds of
    /// `ceiling/mad`. The limit with the longest predicted time counts (the roofline model: Williams, Waterman &
    /// Patterson, *Communications of the ACM* 52(4), 2009).
    pub fn limits(&self) -> impl Iterator<Item = Limit> {
        let (declared, scalar, work) = (self.benchmark.ceiling, self.shape.dtype.scalar(), self.work());
        let scalars = work.bytes / scalar.bytes() as u64;
        let is_mixed = declared.is_some_and(Limit::is_in_bytes) && scalar.is_float() && work.flops > scalars;
        declared.into_iter().chain(is_mixed.then_some(self.benchmark.arithmetic))
    }
}

/// A working set of the memory ceilings beyond the caches of every GPU.
const PAST_CACHES: u64 = 512 << 20;

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.name(), self.shape.dtype.name(), self.shape.extent)?;
        if self.shape.params.is_empty() { Ok(()) } else { write!(f, " {}", self.params_text()) }
    }
}

/// Hashes of the suite's kernels for a case.
#[derive(Debug, Clone)]
pub struct Program {
    /// Hash of the WGSL kernel; empty without one.
    pub wgsl_hash: String,
    /// Hash of the CUDA kernel; empty without one.
    pub cuda_hash: String,
}
