//! A case made concrete: the compiled kernel's interface bound to buffers, and the steps of one launch.

mod buffer;
mod kernel;

use crate::error::{Error, Result};
use crate::suite::input::Values;
use crate::suite::{Case, Extent, Oracle, Step as Declared};
pub use crate::suite::{Checks, Contents, Format, POISON, ROW_PITCH, Route, Routine, Scalar, Shape, Texture};
use buffer::concrete;
pub use buffer::{Buffer, Mapping};
pub use kernel::{Kernel, Language, hash};

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

/// A step of a launch, with the indices of its buffers in [`Job::buffers`].
pub type Step = crate::suite::Step<usize>;

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
        if let Some(why) = (benchmark.unsupported)(shape) {
            return Err(Error::Unsupported(why.to_owned()));
        }
        let interface = &kernel.interface;
        let declared = (benchmark.buffers)(shape, interface);
        let place = |name: &str| {
            declared
                .iter()
                .position(|buffer| buffer.name == name)
                .ok_or_else(|| Error::Shader(format!("{}: no buffer is declared for '{name}'", case.name())))
        };
        let bind = |step: Declared| step.indexed(&interface.bindings, place);
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
