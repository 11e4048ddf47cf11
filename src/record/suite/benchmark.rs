//! Benchmarks as they are declared.

use std::sync::{Arc, OnceLock};

use super::accepted::Accepted;
use super::bound::Bound;
use super::buffer::{Buffer, Sampling};
use super::case_blocks::{Block, Cases, Quick};
use super::host_part::HostPart;
use super::interface::Interface;
use super::library::Library;
use super::limit::Limit;
use super::oracle::{Oracle, each};
use super::scalar::Scalar;
use super::shape::{Extent, Shape};
use super::step::Step;
use super::traffic::Traffic;
use crate::error::Result;

/// One way to do a family's job.
#[derive(Clone, Copy)]
pub struct Benchmark {
    /// Name, unique in the family, and of its files: `shaders/<family>/<name>.*`. Texts and programs that a literal leaves
    /// empty are those of the files.
    pub name: &'static str,
    /// The family and name of another kernel, such as `transpose/tiled`, whose files it has; empty if it has its own.
    pub kernel: &'static str,
    /// One sentence for the reader.
    pub summary: &'static str,
    /// What its figure shows, and what to compare it with; empty where the header of its kernel says so.
    pub look_for: &'static str,
    /// What usually limits its speed; empty where the header of its kernel says so.
    pub limited_by: &'static str,
    /// Bytes and operations of one launch in words; empty where the header of its kernel says so.
    pub work_text: &'static str,
    /// The kernel; empty where the API itself is measured, or WGSL cannot express it.
    pub wgsl: &'static str,
    /// The entry points of the kernel, in the order in which steps number them; `main` where none is named.
    pub entries: &'static [&'static str],
    /// Its CUDA twin, from the `.cu` beside the WGSL file, or the kernel that WGSL cannot express; empty where there is none.
    pub cuda: &'static str,
    /// The same kernel in GLSL, from the `.comp` beside the `.cu`, where WGSL cannot express it and Vulkan runs it; else
    /// empty. Only people read it.
    pub glsl: &'static str,
    /// The SPIR-V that glslang makes of it, which wgpu passes to Vulkan's driver as it is; its interface is the twin's.
    pub spirv: &'static [u8],
    /// Why there is no WGSL version, which rows give as their reason: only CUDA runs it, and Vulkan if there is SPIR-V. `None` for
    /// every other benchmark.
    pub only_cuda: Option<&'static str>,
    /// What the twin does that the kernel does not, where it is no copy of it: the ratio of their times then is not the cost
    /// of the API alone. `None` where the twin is the same kernel.
    pub twin_differs: Option<&'static str>,
    /// The vendor's library that does the job, where that is measured in place of a kernel.
    pub library: Option<Library>,
    /// Significant bits of its factors or sums, where other kernels of its type have more: it is not compared with those.
    pub significant_bits: Option<u32>,
    /// Why no API runs this case, where that is so.
    pub unsupported: fn(&Shape) -> Option<&'static str>,
    /// What the profile `quick` measures: one size, at which the rate is within 3 % of that at the largest size on a large
    /// GPU. Empty where the benchmark is no part of `quick`, which then runs its
    /// [representative cases](Self::representative), and only if a filter selects it.
    pub quick: &'static [Quick],
    /// Element types, sizes and parameters of the other profiles; the first block is the
    /// [representative](Self::representative).
    pub cases: &'static [Cases],
    /// The values that its parameters accept, where not every value of their type does.
    pub accepts: &'static [(&'static str, Accepted)],
    /// Overrides that follow from the size, so that compilers know them. They are no parameters.
    pub of_size: &'static [OfSize],
    /// A size smaller than those of `cases`, used under a time limit where one launch of the smallest is too long. `None`
    /// where the smallest is small enough for any device.
    pub small: Option<Extent>,
    /// Buffers, each named after its binding unless a step binds it by position.
    pub buffers: fn(&Shape, &Interface) -> Vec<Buffer>,
    /// One launch; unless a literal says so, one dispatch with an invocation for each element.
    pub steps: fn(&Shape, &Interface) -> Vec<Step>,
    /// One launch with its copies from and to the host, where that is part of the benchmark.
    pub end_to_end: Option<fn(&Shape, &Interface) -> Vec<Step>>,
    /// Bytes and operations of one launch.
    pub work: fn(&Shape) -> Work,
    /// Whether it follows dependent loads of 4 bytes each, so that its result is the time of one load.
    pub is_latency: bool,
    /// Whether its workgroups wait for each other: a launch's time may then grow faster than its work.
    pub waits: bool,
    /// The peak that limits it; `None` where no measured one does. If it moves bytes and computes, the peak for bytes:
    /// [`Case::limits`](super::Case::limits) adds the other.
    pub ceiling: Option<Limit>,
    /// The peak of its operations where they are more than part of moving its bytes.
    pub arithmetic: Limit,
    /// Why no measured peak limits it; empty where one does.
    pub no_ceiling: &'static str,
    /// Whether its own rate is a measurement of that peak.
    pub sets_ceiling: bool,
    /// Operations of the host for each value of the answer, about 1 for a copy, where the bytes of a launch do not tell;
    /// else 0. If all values need more than 2^28, even the first epoch compares parts of the output.
    pub host_cost: fn(&Shape) -> u64,
    /// The part of the host's work that is timed in place of the kernel; `None` where the kernel or a copy is.
    pub host_part: Option<HostPart>,
    /// The error allowed for each element of the output; `None` where it must be exact.
    pub tolerance: Option<fn(&Shape, &Interface) -> Oracle>,
    /// The error allowed on inputs with full significands, at which almost every operation rounds.
    pub bound: Bound,
    /// The size at which its precision is verified, where another one hides a lower precision or takes the host long.
    pub precise_at: Option<Extent>,
    /// The prediction of the family's model: the speed relative to the first row of the same type and size.
    pub model: Option<fn(&Shape) -> f64>,
    /// The access of a subgroup to global memory that is coalesced worst, where the benchmark is about access patterns.
    pub traffic: Option<fn(&Shape) -> Traffic>,
    /// The answer.
    pub check: Check,
    /// The declaration of a kernel that is not the suite's, in place of `buffers`, `steps`, `work`, `tolerance` and `check`.
    pub declared: Option<&'static dyn Declaration>,
}

impl Benchmark {
    /// Defaults for the fields that a literal leaves out.
    pub const BLANK: Self = Self {
        name: "",
        kernel: "",
        summary: "",
        look_for: "",
        limited_by: "",
        work_text: "",
        wgsl: "",
        entries: &[],
        cuda: "",
        glsl: "",
        spirv: &[],
        only_cuda: None,
        twin_differs: None,
        library: None,
        significant_bits: None,
        unsupported: |_| None,
        quick: &[],
        cases: &[],
        accepts: &[],
        of_size: &[],
        small: None,
        buffers: |_, _| Vec::new(),
        steps: |shape, interface| Step::covering(shape.elements(), interface),
        end_to_end: None,
        work: |_| Work { bytes: 0, flops: 0 },
        is_latency: false,
        waits: false,
        ceiling: None,
        arithmetic: Limit::Fma,
        no_ceiling: "",
        sets_ceiling: false,
        host_cost: |_| 0,
        host_part: None,
        tolerance: None,
        bound: Bound::Tolerance,
        precise_at: None,
        model: None,
        traffic: None,
        check: Check { buffer: "", scalars: all, oracle: |_, _| each(|_| 0.0) },
        declared: None,
    };
}

impl Benchmark {
    /// All cases that the benchmark declares, in any profile.
    pub fn blocks(&self) -> impl Iterator<Item = Block<'static>> {
        self.quick.iter().map(Quick::block).chain(self.cases.iter().map(Cases::block))
    }

    /// The cases that stand for the benchmark, which every device has time for: the first block of `cases`. `explain` counts
    /// the work of its largest size, tests begin with its types and parameters, and the profile `quick` runs it where a
    /// filter selects a benchmark without [`quick`](Self::quick) cases.
    ///
    /// # Panics
    /// If the benchmark declares no cases.
    #[must_use]
    pub const fn representative(&self) -> Block<'static> {
        self.cases[0].block()
    }

    /// The values that the parameter `name` accepts: those that the declaration states, else those that every kernel
    /// accepts.
    #[must_use]
    pub fn accepted(&self, name: &str) -> Accepted {
        let declared = self.accepts.iter().find(|(known, _)| *known == name);
        declared.map_or_else(|| Accepted::usual(name), |(_, accepted)| *accepted)
    }
}

/// An override, and its value at a size.
pub type OfSize = (&'static str, fn(&Shape) -> f64);

/// The work of one launch, whatever the kernel: bytes read and written, and operations on floats or integers (an FMA is
/// two).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Bytes.
    pub bytes: u64,
    /// Operations.
    pub flops: u64,
}

/// How an output is verified. Elements must be exact unless [`Benchmark::tolerance`] allows an error: inputs are chosen
/// so that no rounding occurs.
#[derive(Clone, Copy)]
pub struct Check {
    /// The buffer with the answer.
    pub buffer: &'static str,
    /// The number of its scalars that are the answer.
    pub scalars: fn(&Shape, &Interface) -> u64,
    /// The right answer.
    pub oracle: fn(&Shape, &Interface) -> Oracle,
}

impl Check {
    /// The answer is the first scalars of a buffer.
    #[must_use]
    pub const fn of(
        buffer: &'static str,
        scalars: fn(&Shape, &Interface) -> u64,
        oracle: fn(&Shape, &Interface) -> Oracle,
    ) -> Self {
        Self { buffer, scalars, oracle }
    }
}

/// A single scalar.
#[must_use]
pub const fn one(_: &Shape, _: &Interface) -> u64 {
    1
}

/// As many scalars as the case has.
#[must_use]
pub const fn all(shape: &Shape, _: &Interface) -> u64 {
    shape.count()
}

/// The declaration of a benchmark whose buffers, steps and answers are not known when the program is built. Its methods
/// take the place of the functions of [`Benchmark`]: see [`Benchmark::declared`].
pub trait Declaration: Send + Sync {
    /// The buffers, each named after its binding unless a step binds it by position.
    ///
    /// # Errors
    /// If there are no such buffers for this shape.
    fn buffers(&self, shape: &Shape, interface: &Interface) -> Result<Vec<Buffer>>;

    /// One launch.
    ///
    /// # Errors
    /// If there is no such launch for this shape.
    fn steps(&self, shape: &Shape, interface: &Interface) -> Result<Vec<Step>>;

    /// Bytes and operations of one launch; 0 where they are not known.
    fn work(&self, shape: &Shape) -> Work;

    /// What a launch processes in the user's own count, and what that is called: `(1 << 20, "keys")`.
    fn items(&self, _shape: &Shape) -> Option<(u64, &str)> {
        None
    }

    /// What its rates follow from that is a guess: `bytes`, `flops` or `items`.
    fn guesses(&self) -> &[String] {
        &[]
    }

    /// Whether there is an answer to compare the output with. Rows without one are `unverified`.
    fn is_verified(&self) -> bool;

    /// Whether values may differ from a reference's by the error of a sum in another order, since no tolerance is given.
    fn is_reordered(&self) -> bool {
        false
    }

    /// The files that declare it, by their names: enough to run it elsewhere. Empty if it comes from no files.
    fn files(&self) -> &[(String, Vec<u8>)] {
        &[]
    }

    /// A hash of [these files](Self::files), which tells declarations apart; empty if there are none.
    fn hash(&self) -> &str {
        ""
    }

    /// Bytes of an element of each buffer: kernels are told whole elements as its length. The suite's own know more.
    ///
    /// # Errors
    /// If there are no such buffers for this shape.
    fn strides(&self, _shape: &Shape, _interface: &Interface) -> Result<Vec<(&'static str, u64)>> {
        Ok(Vec::new())
    }

    /// What a store outside of a buffer may come from; empty if nothing is known.
    fn hint(&self, _shape: &Shape, _interface: &Interface) -> String {
        String::new()
    }

    /// Threads of a block along x, y and z, of a kernel in CUDA C++ that does not say.
    fn workgroup(&self, _shape: &Shape) -> Option<[u32; 3]> {
        None
    }

    /// How the sampler of this name reads.
    fn sampling(&self, _name: &str) -> Sampling {
        Sampling::LINEAR
    }

    /// The right outputs; none if there is nothing to compare with.
    ///
    /// # Errors
    /// If there is no answer for this shape.
    fn answers(&self, shape: &Shape, interface: &Interface) -> Result<Vec<Answer>>;
}

/// The right output of a declared benchmark.
pub struct Answer {
    /// The buffer with the output.
    pub buffer: &'static str,
    /// The number of its scalars that are compared.
    pub scalars: u64,
    /// The right values. Those of a [reference](Self::reference) are in its [`Reference::output`].
    pub oracle: Oracle,
    /// The error allowed for each value; `None` where they must be exact.
    pub tolerance: Option<Oracle>,
    /// Operations of the host for each value, about 1 for a copy: where they are many, later epochs compare fewer values.
    pub cost: u64,
    /// Whether even the first epoch compares parts of the output, since all of it would take the host too long.
    pub is_sampled: bool,
    /// The type of each of an element's scalars, `None` of padding, that no kernel writes; empty if all have one type.
    pub element: Vec<Option<Scalar>>,
    /// The share of values that may differ by more than the tolerance.
    pub outliers: f64,
    /// Scalars of an element: 2 where numbers of 64 bits are compared by words, else 1.
    pub words_each: u64,
    /// The kernel whose output is the right one; it runs before the comparison.
    pub reference: Option<Reference>,
    /// Why a right value could not be computed, once that happened: then the declaration is at fault, not the kernel.
    pub fault: Arc<OnceLock<String>>,
}

#[cfg(not(target_family = "wasm"))]
impl Answer {
    /// Of an output that nothing is compared with.
    pub fn unknown(buffer: &'static str, element: Vec<Option<Scalar>>) -> Self {
        Self {
            buffer,
            scalars: 0,
            oracle: each(|_| f64::NAN),
            tolerance: None,
            cost: 1,
            is_sampled: false,
            element,
            outliers: 0.0,
            words_each: 1,
            reference: None,
            fault: Arc::default(),
        }
    }
}

/// Another kernel whose output is the right one.
pub struct Reference {
    /// The kernel, with the same buffers.
    pub benchmark: &'static Benchmark,
    /// Bytes of its output, once it has run.
    pub output: Arc<OnceLock<Vec<u8>>>,
}

/// Operations of the host for one comparison of a whole output: some tenths of a second.
const MOST_OPERATIONS: u64 = 1 << 28;

impl Benchmark {
    /// Its buffers at a shape.
    pub fn declared_buffers(&self, shape: &Shape, interface: &Interface) -> Result<Vec<Buffer>> {
        self.declared.map_or_else(|| Ok((self.buffers)(shape, interface)), |own| own.buffers(shape, interface))
    }

    /// One launch of it at a shape.
    pub fn declared_steps(&self, shape: &Shape, interface: &Interface) -> Result<Vec<Step>> {
        self.declared.map_or_else(|| Ok((self.steps)(shape, interface)), |own| own.steps(shape, interface))
    }

    /// Bytes and operations of one launch.
    #[must_use]
    pub fn work_at(&self, shape: &Shape) -> Work {
        self.declared.map_or_else(|| (self.work)(shape), |own| own.work(shape))
    }

    /// Whether its output is compared with the right one.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.declared.is_none_or(Declaration::is_verified)
    }

    /// The right outputs at a shape; none if there is nothing to compare with.
    pub fn declared_answers(&self, shape: &Shape, interface: &Interface) -> Result<Vec<Answer>> {
        if let Some(own) = self.declared {
            return own.answers(shape, interface);
        }
        let scalars = (self.check.scalars)(shape, interface);
        let bytes = self.work_at(shape).bytes;
        let host_cost = (self.host_cost)(shape);
        Ok(vec![Answer {
            buffer: self.check.buffer,
            scalars,
            oracle: (self.check.oracle)(shape, interface),
            tolerance: self.tolerance.map(|tolerance| tolerance(shape, interface)),
            cost: host_cost.max(bytes / (scalars * shape.dtype.scalar().bytes() as u64).max(1)),
            is_sampled: scalars.saturating_mul(host_cost) > MOST_OPERATIONS,
            element: Vec::new(),
            outliers: 0.0,
            words_each: 1,
            reference: None,
            fault: Arc::default(),
        }])
    }
}
