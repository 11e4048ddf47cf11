//! What is compiled, and what tells it from other programs.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::error::{Error, Result};
use crate::shader::Shader;
use crate::shader::twin;
use crate::suite::{Case, Checks, HOST_PARAMS};
use crate::suite::{Constants, Interface};

/// A kernel as it is compiled.
#[derive(Clone)]
pub struct Kernel {
    /// WGSL, with the case's element type; empty where there is none.
    pub source: String,
    /// CUDA C++ of the same algorithm, with the case's element type and overrides (see [`crate::shader::twin`]); empty where there is none.
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
        let (only_cuda, dynamic_bytes) = (case.benchmark.only_cuda, twin::dynamic_bytes(case));
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
