//! The vocabulary in which benchmarks are declared: see [`Family`] and [`Benchmark`].
//!
//! A benchmark is one literal of [`Benchmark`] beside one WGSL file. The literal holds what the shader cannot say; what the shader
//! does say (bindings, workgroup size, workgroup memory, features) is read from it and not repeated here. What WGSL cannot say and CUDA
//! can has a `.cu` file instead, which is read likewise.

mod buffer;
pub mod cycle;
pub mod input;
mod interface;
mod shape;
pub mod source;
mod step;
pub(crate) mod vectors;

use std::collections::BTreeMap;
use std::fmt;

use rayon::prelude::*;

pub use buffer::{Buffer, Contents, Format, POISON, ROW_PITCH, Texture};
use input::Values;
pub use interface::{Access, Binding, Checks, Constants, Feature, Interface, Value};
pub use shape::{Dtype, Extent, Scalar, Shape};
pub use step::{Route, Routine, Step};

/// Kernels that do the same job.
pub struct Family {
    /// Name of the family: also of its folder under `shaders/` and of its file in `families/`.
    pub name: &'static str,
    /// One sentence for the reader.
    pub summary: &'static str,
    /// What speed to expect and why, in words: how [`Benchmark::model`] comes about where there is one.
    pub model_text: &'static str,
    /// Whether its table groups rows by kernel (they do different things) rather than by type and size (they do the same).
    pub is_by_kernel: bool,
    /// What `--tune` chooses for the device, in the kernels that have it; empty where the family's model or finding is about it.
    pub tuned: &'static [Choice],
    /// Its benchmarks; the first is what the others are compared with.
    pub benchmarks: &'static [Benchmark],
}

/// One way to do a family's job.
#[derive(Clone, Copy)]
pub struct Benchmark {
    /// Name, unique in the family: also of its WGSL file.
    pub name: &'static str,
    /// One sentence for the reader.
    pub summary: &'static str,
    /// What its number tells, and what to hold it against.
    pub look_for: &'static str,
    /// What usually keeps it from being faster.
    pub limited_by: &'static str,
    /// Bytes and operations of one launch in words where the kernel has no WGSL whose header says so; else empty.
    pub work_text: &'static str,
    /// Workloads of the source articles that it answers.
    pub sources: &'static [&'static str],
    /// The kernel; empty where the API itself is measured, or CUDA alone has it.
    pub wgsl: &'static str,
    /// Its CUDA twin, the same algorithm in the `.cu` beside the WGSL file, or what CUDA alone has; empty where there is none.
    pub cuda: &'static str,
    /// Why CUDA alone has it: what other APIs' rows say. `None` for every other benchmark.
    pub only_cuda: Option<&'static str>,
    /// Element types, sizes and parameters, by the profile from which on they run.
    pub cases: &'static [Cases],
    /// A size below all of them, which a run with a time limit takes where one launch of the smallest is too long. `None` where the smallest is
    /// small enough for any device.
    pub small: Option<Extent>,
    /// Buffers, each named after the binding that it serves unless a step says otherwise.
    pub buffers: fn(&Shape, &Interface) -> Vec<Buffer>,
    /// One launch.
    pub steps: fn(&Shape, &Interface) -> Vec<Step>,
    /// One launch with its copies from and to the host, where that is part of the benchmark.
    pub end_to_end: Option<fn(&Shape, &Interface) -> Vec<Step>>,
    /// Bytes and operations of one launch.
    pub work: fn(&Shape) -> Work,
    /// Whether its launches follow dependent loads of 4 bytes each, so that its result is the time of one load.
    pub is_latency: bool,
    /// The limit that binds it; `None` where no measured one does.
    pub ceiling: Option<Limit>,
    /// Whether its own rate is a measurement of that limit.
    pub sets_ceiling: bool,
    /// How far each element of the output may lie from the answer; `None` where rounding plays no part and it must be exact.
    pub tolerance: Option<fn(&Shape, &Interface) -> Oracle>,
    /// What the family's model predicts: the speed relative to the first row of the same type and size.
    pub model: Option<fn(&Shape) -> f64>,
    /// The answer.
    pub check: Check,
}

impl Benchmark {
    /// A benchmark without a kernel: what a literal does not state is as here.
    pub const BLANK: Self = Self {
        name: "",
        summary: "",
        look_for: "",
        limited_by: "",
        work_text: "",
        sources: &[],
        wgsl: "",
        cuda: "",
        only_cuda: None,
        cases: &[],
        small: None,
        buffers: |_, _| Vec::new(),
        steps: |_, _| Vec::new(),
        end_to_end: None,
        work: |_| Work { bytes: 0, flops: 0 },
        is_latency: false,
        ceiling: None,
        sets_ceiling: false,
        tolerance: None,
        model: None,
        check: Check { buffer: "", scalars: all, oracle: |_, _| each(|_| 0.0) },
    };
}

/// Parameters that steer the harness rather than the shader. `INPUT`: the constant that fills the input. `BOUNDS`, `LOOPS`,
/// `ZERO_INIT`: 1 adds that run-time check, see [`Checks`]. `PITCHED`: 1 pads rows to 256 bytes. `ANGLE`: degrees by which a picture is
/// turned. `SHARED_BYTES`: bytes of shared memory that a launch asks for, where CUDA alone has the kernel.
pub const HOST_PARAMS: &[&str] = &["INPUT", "BOUNDS", "LOOPS", "ZERO_INIT", "PITCHED", "ANGLE", "SHARED_BYTES"];

/// Those of [`HOST_PARAMS`] that add a run-time check.
pub const CHECK_PARAMS: &[&str] = &["BOUNDS", "LOOPS", "ZERO_INIT"];

impl Checks {
    /// The checks that a case's parameters ask for.
    #[must_use]
    pub fn of(shape: &Shape) -> Self {
        let is_on = |name| shape.param(name, 0.0) != 0.0;
        Self { bounds: is_on("BOUNDS"), loops: is_on("LOOPS"), zero_init: is_on("ZERO_INIT") }
    }
}

/// A set of parameters: overrides of the shader, or [`HOST_PARAMS`].
pub type Params = &'static [(&'static str, f64)];

/// An override that `--tune` may set, and the values that it tries.
pub type Choice = (&'static str, &'static [f64]);

/// The invocations of a workgroup, from the smallest subgroup that is common to the most that any API allows.
pub const WORKGROUP_SIZES: &[Choice] = &[("WG", &[32.0, 64.0, 128.0, 256.0, 512.0, 1024.0])];

/// One parameter at N values in a row, from `first` on.
pub(crate) const fn ladder<const N: usize>(name: &'static str, first: u32) -> [[(&'static str, f64); 1]; N] {
    let mut rungs = [[(name, 0.0)]; N];
    let mut place = 0;
    while place < N {
        rungs[place] = [(name, first as f64 + place as f64)];
        place += 1;
    }
    rungs
}

/// The rungs of a [`ladder`] as sets of parameters.
pub(crate) const fn rungs<const N: usize>(ladder: &'static [[(&'static str, f64); 1]; N]) -> [Params; N] {
    let mut rungs: [Params; N] = [&[]; N];
    let mut place = 0;
    while place < N {
        rungs[place] = &ladder[place];
        place += 1;
    }
    rungs
}

/// A block of a benchmark's cases: every type at every size with every set of parameters, from a profile on.
pub struct Cases {
    /// The least profile that runs them.
    pub from: Profile,
    /// Element types.
    pub dtypes: &'static [Dtype],
    /// Sizes.
    pub extents: &'static [Extent],
    /// Sets of parameters.
    pub params: &'static [Params],
}

/// How much of the suite a run measures, and how long it may take over each case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(not(target_family = "wasm"), derive(clap::ValueEnum))]
pub enum Profile {
    /// The headline sizes; with a time limit, under a minute on a software device.
    Quick,
    /// Every size, a few minutes on a GPU.
    Standard,
    /// Every size, sampled for as long as it takes to settle.
    Thorough,
}

impl Profile {
    /// Every profile, the shortest first.
    pub const ALL: [Self; 3] = [Self::Quick, Self::Standard, Self::Thorough];

    /// As the command line takes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Standard => "standard",
            Self::Thorough => "thorough",
        }
    }
}

/// What one launch must do, whatever the kernel: reads plus writes in bytes, and arithmetic operations (an FMA is two).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Bytes.
    pub bytes: u64,
    /// Operations.
    pub flops: u64,
}

/// A limit of the device that the family `ceiling` measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// Reading and writing memory in equal parts, by working set.
    Copy,
    /// Reading memory, by working set.
    Read,
    /// Writing memory, by working set.
    Fill,
    /// Fused multiply-adds, by type.
    Fma,
    /// Products of f16 matrices, summed in f32, by tensor cores.
    Tensor,
    /// Reading workgroup memory.
    Workgroup,
    /// Launching a kernel that does nothing.
    Launch,
}

impl Limit {
    /// Every limit.
    pub const ALL: [Self; 7] =
        [Self::Copy, Self::Read, Self::Fill, Self::Fma, Self::Tensor, Self::Workgroup, Self::Launch];

    /// As the column `ceiling` names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Copy => "copy",
            Self::Read => "read",
            Self::Fill => "fill",
            Self::Fma => "fma",
            Self::Tensor => "tensor",
            Self::Workgroup => "workgroup",
            Self::Launch => "launch",
        }
    }

    /// Whether the limit depends on how much memory is touched.
    #[must_use]
    pub const fn is_memory(self) -> bool {
        matches!(self, Self::Copy | Self::Read | Self::Fill)
    }
}

/// The right answer: writes the elements from an index on into a slice.
pub type Oracle = Box<dyn Fn(u64, &mut [f64]) + Send + Sync>;

/// An oracle from a function of the index. Outputs have up to 2^28 elements: the call through the box is paid once a slice.
pub fn each(value: impl Fn(u64) -> f64 + Send + Sync + 'static) -> Oracle {
    Box::new(move |first, values| {
        for (index, slot) in (first..).zip(values) {
            *slot = value(index);
        }
    })
}

/// The same for few outputs of thousands of terms each: they are spread over the cores here, whatever piece of them is asked for.
pub(crate) fn each_on_all_cores(value: impl Fn(u64) -> f64 + Send + Sync + 'static) -> Oracle {
    Box::new(move |first, values| {
        values.par_iter_mut().enumerate().for_each(|(k, slot)| *slot = value(first + k as u64));
    })
}

/// The oracle of what is copied: the input itself.
pub(crate) fn copied(values: Values, scalar: Scalar) -> Oracle {
    Box::new(move |first, slots| values.elements(scalar, first, 1, slots))
}

/// Cuts the slots from element `first` on where rows of `length` end: `fill` gets each piece with its row and the column of its first
/// element. A row is divided for once, and not at every element.
pub(crate) fn by_rows(first: u64, mut slots: &mut [f64], length: u64, mut fill: impl FnMut(u64, u64, &mut [f64])) {
    let (mut row, mut column) = (first / length, first % length);
    while !slots.is_empty() {
        let (piece, rest) = slots.split_at_mut((length - column).min(slots.len() as u64) as usize);
        fill(row, column, piece);
        (row, column, slots) = (row + 1, 0, rest);
    }
}

/// How an output is held against its oracle. Comparison is exact but where [`Benchmark::tolerance`] says otherwise: inputs are chosen so
/// that rounding plays no part.
#[derive(Clone, Copy)]
pub struct Check {
    /// The buffer that holds the answer.
    pub buffer: &'static str,
    /// How many of its scalars are the answer.
    pub scalars: fn(&Shape, &Interface) -> u64,
    /// The right ones.
    pub oracle: fn(&Shape, &Interface) -> Oracle,
}

/// Every scalar of an output as large as the case.
#[must_use]
pub const fn all(shape: &Shape, _: &Interface) -> u64 {
    shape.count()
}

/// A benchmark at one size with one set of parameters.
#[derive(Clone)]
pub struct Case {
    /// Its family.
    pub family: &'static Family,
    /// Its benchmark.
    pub benchmark: &'static Benchmark,
    /// Type, size and parameters.
    pub shape: Shape,
    is_trusted: bool,
}

impl Case {
    /// A case of `benchmark`. Its WGSL is trusted if it is one of `family`.
    #[must_use]
    pub fn new(family: &'static Family, benchmark: &'static Benchmark, shape: Shape) -> Self {
        let is_trusted = family.benchmarks.iter().any(|own| own.wgsl == benchmark.wgsl);
        Self { family, benchmark, shape, is_trusted }
    }

    /// Whether the WGSL may run without run-time checks.
    #[must_use]
    pub const fn is_trusted(&self) -> bool {
        self.is_trusted
    }

    /// Lets the WGSL run without run-time checks.
    ///
    /// # Safety
    /// At every shape that the case is given, the WGSL accesses no buffer out of bounds, its loops end, and its integer divisions neither divide by zero nor
    /// overflow.
    #[expect(unsafe_code, reason = "a promise about the kernel that the compiler cannot check")]
    pub const unsafe fn trust(&mut self) {
        self.is_trusted = true;
    }

    /// The run-time checks that an API adds which can switch them: those that the parameters ask for; all where the WGSL is not trusted.
    #[must_use]
    pub fn checks(&self) -> Checks {
        if self.is_trusted { Checks::of(&self.shape) } else { Checks::ALL }
    }

    /// `family/benchmark`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}/{}", self.family.name, self.benchmark.name)
    }

    /// Parameters as the CSV writes them: `K=V` joined by `;`, sorted by name.
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

/// `groups` workgroups as a grid whose sides stay within the 65,535 that every device has. Where one side does not suffice the
/// grid is rounded up: kernels number their workgroups by `y * width + x` and must leave the surplus idle.
#[must_use]
pub fn grid(groups: u64) -> [u32; 3] {
    const WIDTH: u64 = 32_768;
    let clamp = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
    if groups <= WIDTH { [clamp(groups), 1, 1] } else { [clamp(WIDTH), clamp(groups.div_ceil(WIDTH)), 1] }
}

/// A uniform buffer of the given words, padded to the 16 bytes that uniform blocks are aligned to.
#[must_use]
pub fn uniform(name: &'static str, words: &[u64]) -> Buffer {
    let mut words: Vec<u32> = words.iter().map(|&word| u32::try_from(word).unwrap_or(u32::MAX)).collect();
    words.resize(words.len().next_multiple_of(4), 0);
    Buffer { name, scalars: words.len() as u64, contents: Contents::Words(words) }
}

/// Parameters as the CSV writes them: `K=V` joined by `;`, sorted by name.
#[must_use]
pub fn params_text(params: &BTreeMap<String, f64>) -> String {
    let pairs: Vec<_> = params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join(";")
}

/// Reads what [`params_text`] writes; empty text is no parameters.
///
/// # Errors
/// The part that is no parameter.
pub fn parse_params(text: &str) -> Result<BTreeMap<String, f64>, String> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let value = value.parse::<f64>().ok().filter(|value| value.is_finite())?;
        (!name.is_empty()).then(|| (name.to_owned(), value))
    };
    let pairs = text.split(';').filter(|part| !part.is_empty());
    pairs.map(|part| pair(part).ok_or_else(|| format!("'{part}' is no parameter: give NAME=NUMBER"))).collect()
}

/// Binary units of bytes, the largest first, each with its power of two.
const BINARY_UNITS: [(u32, &str); 4] = [(30, "GiB"), (20, "MiB"), (10, "KiB"), (0, "B")];

/// A number of bytes in the largest binary unit that divides it.
#[must_use]
pub fn binary_size(bytes: u64) -> String {
    let divides = |(shift, _): &(u32, &str)| *shift == 0 || bytes >> shift > 0 && bytes.is_multiple_of(1 << shift);
    let (shift, unit) = BINARY_UNITS.into_iter().find(divides).unwrap_or((0, "B"));
    format!("{} {unit}", bytes >> shift)
}

/// Reads what [`binary_size`] writes.
#[must_use]
pub fn parse_binary_size(text: &str) -> Option<u64> {
    let (number, unit) = text.split_once(' ')?;
    let (shift, _) = BINARY_UNITS.into_iter().find(|(_, name)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}
