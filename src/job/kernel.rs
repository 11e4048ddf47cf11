//! The program of a job, and its hash.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::error::{Error, Result};
use crate::shader::Shader;
use crate::shader::twin;
use crate::suite::{Case, Checks, Constants, HOST_PARAMS, Interface};

/// A kernel, ready to compile.
///
/// A [trusted](Kernel::is_trusted) kernel runs without the run-time checks that are off in `checks`. Whoever edits the
/// texts of a trusted kernel must keep the promise of [`Case::trust`].
#[derive(Clone)]
pub struct Kernel {
    /// WGSL, with the case's element type; empty where there is none.
    pub source: String,
    /// CUDA C++ of the same algorithm, with the case's element type and overrides (see [`crate::shader::twin`]); empty
    /// where there is none.
    pub cuda: String,
    /// Bytes of dynamic shared memory of a launch.
    pub dynamic_bytes: u32,
    /// Values of the overrides.
    pub constants: Constants,
    /// Bindings, workgroup size and needed features.
    pub interface: Interface,
    /// The run-time checks that the API adds, where it can switch them.
    pub checks: Checks,
    /// Whether the case measures the cost of single checks, so that the API must be able to switch them.
    pub measures_checks: bool,
    is_trusted: bool,
}

impl Kernel {
    /// The kernel of `case`; empty where the case measures the API itself.
    pub(super) fn new(case: &Case) -> Result<Self> {
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
        let (source, interface) = if !source.is_empty() {
            let shader = Shader::parse(source, shape.dtype.name())?;
            (shader.source().to_owned(), shader.interface(&constants)?)
        } else if !case.benchmark.cuda.is_empty() {
            (String::new(), twin::interface(case)?)
        } else {
            (String::new(), Interface::default())
        };
        let cuda = twin::program(case, &interface);
        Ok(Self {
            source,
            cuda,
            dynamic_bytes: twin::dynamic_bytes(case),
            constants,
            interface,
            checks: case.checks(),
            measures_checks: Checks::of(shape) != Checks::default(),
            is_trusted: case.is_trusted(),
        })
    }

    /// Whether there is no kernel.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.source.is_empty() && self.cuda.is_empty()
    }

    /// Whether it may run without run-time checks: see [`Case::trust`].
    #[must_use]
    pub const fn is_trusted(&self) -> bool {
        self.is_trusted
    }

    /// Its text in that language; empty where there is none.
    #[must_use]
    pub fn text(&self, language: Language) -> &str {
        match language {
            Language::Wgsl => &self.source,
            Language::Cuda => &self.cuda,
        }
    }

    /// Hash of the source in that language, the element type and the constants, as sixteen hexadecimal digits. Checks
    /// are not part of it: they have their own column. Empty where there is no source in that language.
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
            // The constants are part of the text.
            Language::Cuda => self.cuda.hash(&mut hasher),
        }
        format!("{:016x}", hasher.finish())
    }

    /// A key for caches in this process.
    #[must_use]
    pub fn key(&self, language: Language) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.hash(language), self.checks, self.is_trusted).hash(&mut hasher);
        hasher.finish()
    }
}

/// A language that kernels are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// WebGPU's shading language.
    Wgsl,
    /// CUDA C++.
    Cuda,
}

/// Hash of `bytes` as sixteen hexadecimal digits.
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    let mut hasher = Fnv::default();
    hasher.write(bytes);
    format!("{:016x}", hasher.finish())
}

/// FNV-1a: the same for every version of Rust, unlike the standard hasher.
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
