//! A case made concrete: the compiled kernel's interface bound to buffers, and the steps of one launch.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::error::{Error, Result};
use crate::shader::{Access, Constants, Interface, Shader};
use crate::suite::input::Values;
use crate::suite::{Case, Extent, HOST_PARAMS, Oracle, Step as Declared};
pub use crate::suite::{Checks, Contents, Format, POISON, ROW_PITCH, Route, Routine, Scalar, Shape, Texture};
use crate::twin;

/// Everything that a backend needs to run a case.
pub struct Job {
    /// `family/benchmark dtype n params`, for labels and messages.
    pub label: String,
    /// What to compile.
    pub kernel: Kernel,
    /// What to allocate.
    pub buffers: Vec<Buffer>,
    /// One launch.
    pub steps: Vec<Step>,
    /// One launch with its copies from and to the host; empty where the benchmark has none.
    pub end_to_end: Vec<Step>,
    /// The answer.
    pub check: Check,
}

/// A kernel as it is compiled.
#[derive(Clone)]
pub struct Kernel {
    /// WGSL, with the case's element type; empty where there is none.
    pub source: String,
    /// CUDA C++ of the same algorithm, with the case's element type and overrides (see [`crate::twin`]); empty where there is none.
    pub cuda: String,
    /// Why there is CUDA C++ alone, where that is so.
    pub only_cuda: Option<&'static str>,
    /// Bytes of shared memory that a launch asks for beyond what the CUDA C++ declares.
    pub dynamic_bytes: u32,
    /// Values of the overrides.
    pub constants: Constants,
    /// What it needs.
    pub interface: Interface,
    /// What the API is to add to it.
    pub checks: Checks,
}

impl Kernel {
    /// The kernel of `case`; one without source or interface where the API itself is measured.
    fn new(case: &Case) -> Result<Self> {
        let (source, shape) = (case.benchmark.wgsl, &case.shape);
        let (dtype, lanes) = (shape.dtype, shape.dtype.lanes());
        if !shape.count().is_multiple_of(lanes) {
            let (name, n) = (dtype.name(), shape.extent);
            return Err(Error::Unsupported(format!(
                "{n} scalars are no whole number of {name}: take a multiple of {lanes}"
            )));
        }
        let is_override = |name: &str| !HOST_PARAMS.contains(&name);
        let constants: Constants =
            shape.params.iter().filter(|(name, _)| is_override(name)).map(|(k, v)| (k.clone(), *v)).collect();
        let checks = Checks::of(shape);
        let (source, interface) = if !source.is_empty() {
            let shader = Shader::parse(source, shape.dtype.name())?;
            (shader.source().to_owned(), shader.interface(&constants)?)
        } else if !case.benchmark.cuda.is_empty() {
            (String::new(), twin::interface(case)?)
        } else {
            (String::new(), Interface::default())
        };
        let cuda = twin::program(case, &interface);
        let (only_cuda, dynamic_bytes) = (case.benchmark.only_cuda, twin::dynamic_bytes(shape));
        Ok(Self { source, cuda, only_cuda, dynamic_bytes, constants, interface, checks })
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.source.is_empty() && self.cuda.is_empty()
    }

    /// Sixteen hexadecimal digits that change with what is compiled: the source in that language, the element type and the constants.
    /// Checks have a column of their own. Empty where there is nothing to compile in that language.
    #[must_use]
    pub fn hash(&self, language: Language) -> String {
        let mut hasher = Fnv::default();
        match language {
            Language::Wgsl if self.source.is_empty() => return String::new(),
            Language::Wgsl => {
                self.source.hash(&mut hasher);
                for (name, value) in &self.constants {
                    (name, value.to_bits()).hash(&mut hasher);
                }
            }
            Language::Cuda if self.cuda.is_empty() => return String::new(),
            // Its constants are part of the text.
            Language::Cuda => self.cuda.hash(&mut hasher),
        }
        format!("{:016x}", hasher.finish())
    }

    /// A key for caches in this process.
    #[must_use]
    pub fn key(&self, language: Language) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.hash(language), self.checks).hash(&mut hasher);
        hasher.finish()
    }
}

/// A language that kernels are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// WebGPU's.
    Wgsl,
    /// CUDA C++.
    Cuda,
}

/// Sixteen hexadecimal digits that change with `bytes`.
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    let mut hasher = Fnv::default();
    hasher.write(bytes);
    format!("{:016x}", hasher.finish())
}

/// FNV-1a: stable across versions of Rust, which the standard hasher is not.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// A buffer or texture to allocate.
#[derive(Debug, Clone, PartialEq)]
pub struct Buffer {
    /// Name, for labels.
    pub name: &'static str,
    /// Type of its scalars.
    pub scalar: Scalar,
    /// Length in bytes, a multiple of 16.
    pub bytes: u64,
    /// What it holds before the first launch.
    pub contents: Contents,
    /// Whether a kernel or a copy writes it, so that it cannot be shared between jobs.
    pub is_written: bool,
    /// Whether it is bound as a uniform buffer.
    pub is_uniform: bool,
    /// Whether the host reaches into it where it lies.
    pub mapping: Option<Mapping>,
    /// Whether it lies in staging memory, which copies alone reach.
    pub is_staging: bool,
}

/// What the host does with a buffer that it maps where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapping {
    /// Writes it.
    Write,
    /// Reads it.
    Read,
    /// Nothing: it lies in the host's memory, where the device reaches it.
    Pinned,
}

impl Buffer {
    /// Writes the bytes from `offset` on that the buffer starts with. `offset` and the length are multiples of 16.
    pub fn fill(&self, offset: u64, bytes: &mut [u8]) {
        match &self.contents {
            Contents::Input(values) => values.encode(self.scalar, offset / self.scalar.bytes() as u64, bytes),
            Contents::Words(words) => {
                let words = words.iter().skip(offset as usize / 4).copied().chain(std::iter::repeat(0));
                for (word, slot) in words.zip(bytes.chunks_exact_mut(4)) {
                    slot.copy_from_slice(&word.to_le_bytes());
                }
            }
            Contents::Cycle(cycle) => cycle.encode(offset / 4, bytes),
            Contents::Poison | Contents::PoisonF32 | Contents::Clock => {
                bytes.chunks_exact_mut(4).for_each(|slot| slot.copy_from_slice(&POISON.to_le_bytes()));
            }
            Contents::Texture(texture) => {
                Self { contents: (*texture.texels).clone(), ..self.clone() }.fill(offset, bytes);
            }
        }
    }

    /// Whether it is worth keeping for the next job, which often starts with the same: a large input that nobody writes.
    #[must_use]
    pub fn is_shareable(&self) -> bool {
        let is_fixed = !self.is_written && self.mapping.is_none();
        is_fixed && matches!(self.contents, Contents::Input(_)) && self.bytes >= 1 << 20
    }

    /// Whether both hold the same before a launch, whatever they are called.
    #[must_use]
    pub fn is_same_input(&self, other: &Self) -> bool {
        (self.scalar, self.bytes, &self.contents) == (other.scalar, other.bytes, &other.contents)
    }

    /// Whether the host fills it in staging memory, for the device to copy.
    #[must_use]
    pub fn is_staged_to_send(&self) -> bool {
        self.is_staging && self.mapping == Some(Mapping::Write)
    }

    /// The texture, where it is one.
    #[must_use]
    pub const fn texture(&self) -> Option<&Texture> {
        match &self.contents {
            Contents::Texture(texture) => Some(texture),
            _ => None,
        }
    }

    /// Whether it holds garbage before a launch.
    #[must_use]
    pub fn is_output(&self) -> bool {
        let contents = self.texture().map_or(&self.contents, |texture| texture.texels.as_ref());
        matches!(contents, Contents::Poison | Contents::PoisonF32 | Contents::Clock)
    }
}

/// One step of a launch; buffers by their place in [`Job::buffers`].
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Runs the kernel. Timed.
    Dispatch {
        /// Workgroups along x, y and z.
        groups: [u32; 3],
        /// One buffer for each binding of the interface, in its order.
        buffers: Vec<usize>,
    },
    /// Runs a routine of the vendor's own library. Timed.
    Library {
        /// What it does.
        routine: Routine,
        /// What it does it with; the last one is written.
        buffers: Vec<usize>,
    },
    /// Copies one buffer over another. Not timed.
    Restore {
        /// Source.
        from: usize,
        /// Destination.
        to: usize,
    },
    /// Sets a buffer to zero. Not timed.
    Clear(usize),
    /// Copies rows between a buffer, [`Texture::pitch`] apart, and a texture.
    CopyRows {
        /// Source.
        from: usize,
        /// Destination.
        to: usize,
    },
    /// Copies a buffer's contents from the host again; end to end only.
    Upload(usize),
    /// Copies what `from` starts with out of the host's memory into `to`.
    Send {
        /// Source: only its contents count.
        from: usize,
        /// Destination.
        to: usize,
        /// By which call.
        route: Route,
    },
    /// Copies `from` into the host's memory, where it stands for the contents of `to`.
    Receive {
        /// Source.
        from: usize,
        /// Destination.
        to: usize,
        /// By which call.
        route: Route,
    },
    /// Copies the first `bytes` of a buffer to the host and adds its scalars up there; end to end only.
    SumOnHost {
        /// Source.
        buffer: usize,
        /// How much.
        bytes: u64,
    },
}

impl Step {
    /// The buffer that the step uploads, where it is an upload.
    #[must_use]
    pub const fn uploaded(&self) -> Option<usize> {
        match self {
            Self::Upload(buffer) => Some(*buffer),
            _ => None,
        }
    }

    /// Whether the host has a part in the step.
    const fn needs_host(&self) -> bool {
        match self {
            Self::Send { route, .. } | Self::Receive { route, .. } => !matches!(route, Route::Held | Route::Pinned),
            Self::Upload(_) | Self::SumOnHost { .. } => true,
            _ => false,
        }
    }

    /// Whether the step counts towards the kernel time.
    #[must_use]
    pub const fn is_timed(&self) -> bool {
        matches!(self, Self::Dispatch { .. } | Self::Library { .. })
    }
}

/// What the output must be.
pub struct Check {
    /// The output's place in [`Job::buffers`].
    pub buffer: usize,
    /// How many of its scalars count.
    pub scalars: u64,
    /// The right ones.
    pub oracle: Oracle,
    /// How far each may be off, where they need not be exact.
    pub tolerance: Option<Oracle>,
    /// What the output is the product of, where it is one so large that checking element by element takes too long.
    pub product: Option<Product>,
}

/// A matrix product C = A·B of the buffers `a` (m×k) and `b` (k×n), row by row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Product {
    /// Rows of A and C.
    pub m: u64,
    /// Columns of B and C.
    pub n: u64,
    /// Columns of A, rows of B.
    pub k: u64,
    /// A.
    pub a: Values,
    /// B.
    pub b: Values,
}

impl Product {
    /// Multiplications up to which each element of a product is worked out on the host.
    const SMALL: u64 = 1 << 31;

    fn of(extent: Extent, declared: &[crate::suite::Buffer]) -> Option<Self> {
        let Extent::Product(m, n, k) = extent else { return None };
        let input = |name: &str| match declared.iter().find(|buffer| buffer.name == name)?.contents {
            Contents::Input(values) => Some(values),
            _ => None,
        };
        let (a, b) = input("a").zip(input("b"))?;
        (extent.count() > Self::SMALL).then_some(Self { m, n, k, a, b })
    }
}

impl Check {
    /// What the answer adds up to: what a sum on the host must give, of this output or of the partial sums of an earlier pass.
    #[must_use]
    pub fn sum(&self) -> f64 {
        let mut values = vec![0.0; usize::try_from(self.scalars).unwrap_or(usize::MAX)];
        (self.oracle)(0, &mut values);
        values.iter().sum()
    }
}

impl Job {
    /// Binds `case` to its shader's interface.
    ///
    /// # Errors
    /// [`Error::Shader`] where shader and declaration do not fit together; [`Error::Unsupported`] for what no API here can do.
    pub fn new(case: &Case) -> Result<Self> {
        let (benchmark, shape) = (case.benchmark, &case.shape);
        let kernel = Kernel::new(case)?;
        let interface = &kernel.interface;
        let declared = (benchmark.buffers)(shape, interface);
        let place = |name: &str| {
            declared
                .iter()
                .position(|buffer| buffer.name == name)
                .ok_or_else(|| Error::Shader(format!("{}: no buffer is declared for '{name}'", case.name())))
        };
        let bind = |step: Declared| {
            Ok(match step {
                Declared::Dispatch { groups, rebind } => {
                    let buffer_of = |binding: &str| {
                        rebind
                            .iter()
                            .find(|(name, _)| *name == binding)
                            .map_or(binding.to_owned(), |(_, buffer)| (*buffer).to_owned())
                    };
                    let buffers = interface
                        .bindings
                        .iter()
                        .map(|binding| place(&buffer_of(&binding.name)))
                        .collect::<Result<_>>()?;
                    Step::Dispatch { groups, buffers }
                }
                Declared::Library { routine, buffers } => {
                    Step::Library { routine, buffers: buffers.iter().map(|name| place(name)).collect::<Result<_>>()? }
                }
                Declared::Restore { from, to } => Step::Restore { from: place(from)?, to: place(to)? },
                Declared::Unavailable(why) => return Err(Error::Unsupported(why.to_owned())),
                Declared::Clear(buffer) => Step::Clear(place(buffer)?),
                Declared::CopyRows { from, to } => Step::CopyRows { from: place(from)?, to: place(to)? },
                Declared::Upload(buffer) => Step::Upload(place(buffer)?),
                Declared::Send { from, to, route } => Step::Send { from: place(from)?, to: place(to)?, route },
                Declared::Receive { from, to, route } => Step::Receive { from: place(from)?, to: place(to)?, route },
                Declared::SumOnHost { buffer, scalars } => {
                    Step::SumOnHost { buffer: place(buffer)?, bytes: scalars * shape.dtype.scalar().bytes() as u64 }
                }
            })
        };
        let steps: Vec<Step> = (benchmark.steps)(shape, interface).into_iter().map(bind).collect::<Result<_>>()?;
        let end_to_end = match benchmark.end_to_end {
            Some(declared) => declared(shape, interface).into_iter().map(bind).collect::<Result<_>>()?,
            None => Vec::new(),
        };
        let check = Check {
            buffer: place(benchmark.check.buffer)?,
            scalars: (benchmark.check.scalars)(shape, interface),
            oracle: (benchmark.check.oracle)(shape, interface),
            tolerance: benchmark.tolerance.map(|tolerance| tolerance(shape, interface)),
            product: Product::of(shape.extent, &declared),
        };
        let buffers = declared
            .iter()
            .enumerate()
            .map(|(place, buffer)| concrete(place, buffer, shape.dtype.scalar(), interface, &steps))
            .collect();
        Ok(Self { label: case.to_string(), kernel, buffers, steps, end_to_end, check })
    }

    /// Whether anything in it is a kernel's: else its copies are what is timed.
    #[must_use]
    pub fn runs_kernel(&self) -> bool {
        self.steps.iter().any(Step::is_timed)
    }

    /// Whether the host's clock alone can time it: copies in which the host has a part, or any where the device writes no timestamps
    /// around copies.
    #[must_use]
    pub fn is_host_timed(&self, has_copy_timestamps: bool) -> bool {
        !self.runs_kernel() && (!has_copy_timestamps || self.steps.iter().any(Step::needs_host))
    }

    /// Whether untimed steps stand between the timed ones, so that each launch needs timestamps of its own.
    #[must_use]
    pub fn has_untimed_steps(&self) -> bool {
        self.steps.iter().any(|step| !step.is_timed())
    }
}

fn concrete(
    place: usize,
    declared: &crate::suite::Buffer,
    scalar: Scalar,
    interface: &Interface,
    steps: &[Step],
) -> Buffer {
    let bound_as = |access: Access| {
        steps.iter().any(|step| match step {
            Step::Dispatch { buffers, .. } => buffers
                .iter()
                .zip(&interface.bindings)
                .any(|(buffer, binding)| *buffer == place && binding.access == access),
            _ => false,
        })
    };
    let is_copied_over = steps.iter().any(|step| match step {
        Step::Restore { to, .. } | Step::CopyRows { to, .. } | Step::Send { to, .. } | Step::Receive { to, .. } => {
            *to == place
        }
        Step::Clear(buffer) => *buffer == place,
        Step::Library { buffers, .. } => buffers.last() == Some(&place),
        _ => false,
    });
    let contents = match &declared.contents {
        Contents::Texture(texture) => &texture.texels,
        contents => contents,
    };
    let scalar = match contents {
        Contents::Words(_) | Contents::Cycle(_) | Contents::Clock => Scalar::U32,
        Contents::PoisonF32 => Scalar::F32,
        _ => scalar,
    };
    let mapping = steps.iter().find_map(|step| match step {
        Step::Send { to, route: Route::Mapped, .. } if *to == place => Some(Mapping::Write),
        Step::Receive { from, route: Route::Mapped, .. } if *from == place => Some(Mapping::Read),
        Step::Send { from, route: Route::Held, .. } if *from == place => Some(Mapping::Write),
        Step::Receive { to, route: Route::Held, .. } if *to == place => Some(Mapping::Read),
        Step::Send { from, route: Route::Pinned, .. } if *from == place => Some(Mapping::Pinned),
        _ => None,
    });
    let is_staging = steps.iter().any(|step| match step {
        Step::Send { from: staged, route: Route::Held, .. } | Step::Receive { to: staged, route: Route::Held, .. } => {
            *staged == place
        }
        _ => false,
    });
    Buffer {
        name: declared.name,
        scalar,
        bytes: declared.scalars.saturating_mul(scalar.bytes() as u64).checked_next_multiple_of(16).unwrap_or(u64::MAX),
        contents: declared.contents.clone(),
        is_written: is_copied_over || bound_as(Access::ReadWrite),
        is_uniform: bound_as(Access::Uniform),
        mapping,
        is_staging,
    }
}
