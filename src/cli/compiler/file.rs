//! `--compiler file`: SPIR-V files as they are.

use sha2::{Digest, Sha256};

use super::command::digits;
use super::spec::FILE;
use crate::backend::Translator;
use crate::error::Result;
use crate::job::Kernel;
use crate::shader::SpirvKernel;

/// The SPIR-V of a run's files.
pub(super) struct Files {
    files: Vec<&'static SpirvKernel>,
    version: String,
}

impl Files {
    pub(super) fn new(files: &[&'static SpirvKernel]) -> Self {
        let mut hasher = Sha256::new();
        files.iter().for_each(|file| hasher.update(bytemuck::cast_slice::<u32, u8>(&file.words_with(&[]))));
        Self { files: files.to_vec(), version: digits(&hasher.finalize()) }
    }
}

impl Translator for Files {
    fn name(&self) -> &str {
        FILE
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn keeps_checks(&self) -> bool {
        false
    }

    /// The file that the kernel's WGSL was made of; of any other kernel, what wgpu's own compiler makes of it.
    fn translate(&mut self, kernel: &Kernel) -> Result<Vec<u32>> {
        match self.files.iter().find(|file| file.wgsl == kernel.source) {
            Some(file) => Ok(file.words_with(&kernel.interface.overrides)),
            None => kernel.spirv(),
        }
    }
}
