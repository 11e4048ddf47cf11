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
    /// Name, unique in the family. Fields left empty come from its files, `shaders/<family>/<name>.*`.
    pub name: &'static str,
    /// Another kernel whose files are used, such as `transpose/tiled`; empty if the benchmark has its own.
    pub kernel: &'static str,
    /// One sentence for the reader.
    pub summary: &'static str,
    /// What its figure shows, and what to compare it with; empty if the header of its kernel states it.
    pub look_for: &'static str,
    /// What usually limits its speed; empty if the header of its kernel states it.
    pub limited_by: &'static str,
    /// Bytes and operations of one launch in words; empty if the header of its kernel states it.
    pub work_text: &'static str,
    /// The kernel; empty if the API itself is measured or WGSL cannot express it.
    pub wgsl: &'static str,
    /// The entry points in the order in which steps number them; `main` if empty.
    pub entries: &'static [&'static str],
    /// The CUDA twin, the `.cu` beside the WGSL file, or a kernel that WGSL cannot express; empty if none.
    pub cuda: &'static str,
    /// The kernel in GLSL for readers, from the `.comp` beside the `.cu`, if WGSL cannot express it and Vulkan runs it.
    pub glsl: &'static str,
    /// The SPIR-V that glslang makes of `glsl`, passed to Vulkan unchanged; its interface is the CUDA twin's.
    pub spirv: &'static [u8],
    /// Why WGSL cannot express the kernel, as rows state it. Only CUDA runs it, and Vulkan if there is SPIR-V.
    pub only_cuda: Option<&'static str>,
    /// How the twin differs, so that the ratio of times is not the API's cost alone; `None` for the same kernel.
    pub twin_differs: Option<&'static str>,
    /// The vendor's library that is measured in place of a kernel.
    pub library: Option<Library>,
    /// Significant bits of factors or sums, if fewer than in kernels of the type, with which it is not compared.
    pub significant_bits: Option<u32>,
    /// Why no API runs this case, if none does.
    pub unsupported: fn(&Shape) -> Option<&'static str>,
    /// The cases of the profile `quick`: one size, whose rate on a large GPU is within 3 % of the largest size's. If
    /// empty, `quick` runs the [representative cases](Self::representative), and only if a filter selects them.
    pub quick: &'static [Quick],
    /// Element types, sizes and parameters of the other profiles; the first is [representative](Self::representative).
    pub cases: &'static [Cases],
    /// The values that parameters accept, if not the [default ones](Self::accepted).
    pub accepts: &'static [(&'static str, Accepted)],
    /// Overrides computed from the size, so that compilers know it. They are not parameters.
    pub of_size: &'static [OfSize],
    /// A size below `cases`, for time limits that their smallest exceeds; `None` if that is fast on every device.
    pub small: Option<Extent>,
    /// Buffers, each named after its binding unless a step binds it by position.
    pub buffers: fn(&Shape, &Interface) -> Vec<Buffer>,
    /// One launch; by default, one dispatch with an invocation per element.
    pub steps: fn(&Shape, &Interface) -> Vec<Step>,
    /// One launch with its copies from and to the host, if they are part of the benchmark.
    pub end_to_end: Option<fn(&Shape, &Interface) -> Vec<Step>>,
    /// Bytes and operations of one launch.
    pub work: fn(&Shape) -> Work,
    /// Whether it follows dependent 4-byte loads, so that its result is the time of one load.
    pub is_latency: bool,
    /// Whether its workgroups wait for each other: the time of a launch may then grow faster than its work.
    pub waits: bool,
    /// The measured peak that limits it, if any; if it moves bytes and computes, that for bytes (see `Case::limits`).
    pub ceiling: Option<Limit>,
    /// The peak for its operations, if they exceed those that are part of moving its bytes.
    pub arithmetic: Limit,
    /// Why no measured peak limits it; empty if one does.
    pub no_ceiling: &'static str,
    /// Whether its own rate measures that peak.
    pub sets_ceiling: bool,
    /// Host operations per output value, about 1 for a copy, if not proportional to bytes; else 0. If all values need
    /// more than 2^28, even the first epoch compares only parts of the output.
    pub host_cost: fn(&Shape) -> u64,
    /// The part of the host's work that is timed in place of the kernel; `None` if the kernel or a copy is timed.
    pub host_part: Option<HostPart>,
    /// The error allowed for each element of the output; `None` if it must be exact.
    pub tolerance: Option<fn(&Shape, &Interface) -> Oracle>,
    /// The error allowed on inputs with full significands, at which almost every operation rounds.
    pub bound: Bound,
    /// The size at which its precision is verified, if others hide a lower precision or take the host long.
    pub precise_at: Option<Extent>,
    /// The family's model: the speed relative to the first row of the same type and size.
    pub model: Option<fn(&Shape) -> f64>,
    /// The worst coalesced access of a subgroup to global memory, for benchmarks about access patterns.
    pub traffic: Option<fn(&Shape) -> Traffic>,
    /// How the output is verified.
    pub check: Check,
    /// The declaration of a user's kernel, in place of `buffers`, `steps`, `work`, `tolerance` and `check`.
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

    /// The first block of `cases`, which every device has time for. `explain` counts the work of its largest size,
    /// tests begin with its types and parameters, and the profile `quick` runs it if a filter selects a benchmark
    /// without [`quick`](Self::quick) cases. Panics if the benchmark declares no cases.
    #[must_use]
    pub const fn representative(&self) -> Block<'static> {
        self.cases[0].block()
    }

    /// The values that the parameter `name` accepts: declared ones, or else the defaults of every kernel.
    #[must_use]
    pub fn accepted(&self, name: &str) -> Accepted {
        let declared = self.accepts.iter().find(|(known, _)| *known == name);
        declared.map_or_else(|| Accepted::usual(name), |(_, accepted)| *accepted)
    }
}

/// An override, and its value at a size.
pub type OfSize = (&'static str, fn(&Shape) -> f64);

/// The work of one launch: bytes read and written, and operations on floats or integers (an FMA counts as two).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Bytes.
    pub bytes: u64,
    /// Operations.
    pub flops: u64,
}

/// How an output is verified: exactly, since inputs avoid rounding, unless [`Benchmark::tolerance`] allows an error.
#[derive(Clone, Copy)]
pub struct Check {
    /// The buffer with the answer.
    pub buffer: &'static str,
    /// The number of its scalars that are compared.
    pub scalars: fn(&Shape, &Interface) -> u64,
    /// The right answer.
    pub oracle: fn(&Shape, &Interface) -> Oracle,
}

impl Check {
    /// A check of the first scalars of a buffer.
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

/// A benchmark declared at run time. The methods replace functions of [`Benchmark`], see [`Benchmark::declared`].
pub trait Declaration: Send + Sync {
    /// The buffers, each named after its binding unless a step binds it by position; an error if this shape has none.
    fn buffers(&self, shape: &Shape, interface: &Interface) -> Result<Vec<Buffer>>;

    /// One launch; an error if this shape has none.
    fn steps(&self, shape: &Shape, interface: &Interface) -> Result<Vec<Step>>;

    /// Bytes and operations of one launch; 0 if unknown.
    fn work(&self, shape: &Shape) -> Work;

    /// The number of items that a launch processes, and their name: `(1 << 20, "keys")`.
    fn items(&self, _shape: &Shape) -> Option<(u64, &str)> {
        None
    }

    /// The guessed bases of its rates: `bytes`, `flops` or `items`.
    fn guesses(&self) -> &[String] {
        &[]
    }

    /// Whether there is a right output to compare with. Rows without one are `unverified`.
    fn is_verified(&self) -> bool;

    /// Whether values may differ from a reference by the error of reordered sums, since no tolerance is given.
    fn is_reordered(&self) -> bool {
        false
    }

    /// The files of the declaration by name, enough to run it elsewhere; empty if there are none.
    fn files(&self) -> &[(String, Vec<u8>)] {
        &[]
    }

    /// A hash of [the files](Self::files) that identifies the declaration; empty if there are none.
    fn hash(&self) -> &str {
        ""
    }

    /// Bytes of an element of each buffer, by name: kernels see whole elements. An error if the shape has no buffers.
    fn strides(&self, _shape: &Shape, _interface: &Interface) -> Result<Vec<(&'static str, u64)>> {
        Ok(Vec::new())
    }

    /// A likely cause of a store outside a buffer; empty if unknown.
    fn hint(&self, _shape: &Shape, _interface: &Interface) -> String {
        String::new()
    }

    /// Threads of a block along x, y and z, for a CUDA C++ kernel that does not state them.
    fn workgroup(&self, _shape: &Shape) -> Option<[u32; 3]> {
        None
    }

    /// How the sampler of this name reads.
    fn sampling(&self, _name: &str) -> Sampling {
        Sampling::LINEAR
    }

    /// The right outputs; none if there is nothing to compare with, an error if this shape has no answer.
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
    /// The error allowed for each value; `None` if they must be exact.
    pub tolerance: Option<Oracle>,
    /// Host operations per value, about 1 for a copy. If they are many, later epochs compare fewer values.
    pub cost: u64,
    /// Whether even the first epoch compares only parts of the output, since all of it would take the host too long.
    pub is_sampled: bool,
    /// The types of an element's scalars, `None` for padding that no kernel writes; empty if all have one type.
    pub element: Vec<Option<Scalar>>,
    /// The share of values that may differ by more than the tolerance.
    pub outliers: f64,
    /// Scalars per element: 2 if 64-bit numbers are compared by words, else 1.
    pub words_each: u64,
    /// The kernel whose output is the right one; it runs before the comparison.
    pub reference: Option<Reference>,
    /// Why a right value could not be computed, if that happened: a fault of the declaration, not of the kernel.
    pub fault: Arc<OnceLock<String>>,
}

#[cfg(not(target_family = "wasm"))]
impl Answer {
    /// The answer for an output that is not compared.
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

/// Most host operations for comparing a whole output: some tenths of a second.
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
