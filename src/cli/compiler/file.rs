//! `bench KERNEL.spv --unchecked`: SPIR-V files as they are.

use sha2::{Digest, Sha256};

use gpu::backend::Translator;
use gpu::job::Kernel;
use gpu::shader::SpirvKernel;
use record::error::Result;

/// Name of the compiler of such rows.
const FILE: &str = "file";

/// The SPIR-V of a run's files.
pub(in crate::cli) struct Files {
    files: Vec<&'static SpirvKernel>,
    version: String,
}

impl Files {
    /// Their version is a hash.
    pub(in crate::cli) fn new(files: &[&'static SpirvKernel]) -> Self {
        let mut hasher = Sha256::new();
        files.iter().for_each(|file| hasher.update(bytemuck::cast_slice::<u32, u8>(&file.words_with(&[]))));
        let digits: String = hasher.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        Self { files: files.to_vec(), version: format!("sha256 {digits}") }
    }
}

impl Translator for Files {
    fn name(&self) -> &str {
        FILE
    }

    fn version(&self) -> &str {
        &self.version
    }

    /// The file that the kernel's WGSL was made of; of any other kernel, what wgpu's own compiler makes of it.
    fn translate(&mut self, kernel: &Kernel) -> Result<Vec<u32>> {
        match self.files.iter().find(|file| file.wgsl == kernel.source) {
            Some(file) => Ok(file.words_with(&kernel.interface.overrides)),
            None => kernel.spirv(),
        }
    }
}
