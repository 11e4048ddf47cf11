//! SPIR-V that wgpu's own compiler does not write.

use crate::job::Kernel;
use crate::shader::module::instructions;
use record::error::Result;

/// What has SPIR-V for kernels.
pub trait Translator {
    /// Its name in reports.
    fn name(&self) -> &str;

    /// Its version in reports.
    fn version(&self) -> &str;

    /// Compiles the kernel, with its constants in place.
    ///
    /// # Errors
    /// [`record::error::Error::Shader`] with what the compiler says.
    fn translate(&mut self, kernel: &Kernel) -> Result<Vec<u32>>;
}

/// The compiler of a device's kernels, as reports name it.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CompilerName {
    /// Its name; empty for the API's own.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What a compiler made of a kernel.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Compilation {
    /// Time from WGSL to SPIR-V in milliseconds.
    pub translation_ms: Option<f64>,
    /// Time of the API in milliseconds; `None` where it did not get so far.
    pub pipeline_ms: Option<f64>,
    /// The SPIR-V.
    pub spirv: Vec<u32>,
}

/// Instructions for debuggers, by their numbers in the SPIR-V specification: sources, names, strings, lines, processes.
const DEBUG: [u32; 9] = [2, 3, 4, 5, 6, 7, 8, 317, 330];

impl Compilation {
    /// Size of the SPIR-V in bytes.
    #[must_use]
    pub const fn spirv_bytes(&self) -> u64 {
        4 * self.spirv.len() as u64
    }

    /// Number of the SPIR-V's instructions without those for debuggers.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        instructions(&self.spirv).filter(|words| !DEBUG.contains(&(words[0] & 0xffff))).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_counted_by_their_lengths() {
        let header = [0x0723_0203, 0x0001_0300, 0, 8, 0];
        let module = |code: &[u32]| Compilation { spirv: [&header, code].concat(), ..Compilation::default() };
        let sizes = |code: &[u32]| (module(code).spirv_bytes(), module(code).instructions());
        assert_eq!(sizes(&[]), (20, 0));
        assert_eq!(sizes(&[0x0002_0011, 1, 0x0003_0003, 0, 1, 0x0003_000e, 0, 1]), (52, 2), "a source is no code");
        assert_eq!(sizes(&[0x0002_0011, 1, 0x0003_000e]), (32, 1), "the last one is cut off");
        assert_eq!(sizes(&[0, 0]), (28, 2), "no length is a length of one word");
    }
}
