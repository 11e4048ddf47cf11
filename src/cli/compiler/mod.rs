//! `--compiler`: commands that make SPIR-V of WGSL.

mod command;
mod file;
mod spec;

pub(super) use command::{printed, spirv};
pub(super) use spec::Spec;

use crate::backend::KernelCompiler;
use crate::error::{Error, Result};
use crate::shader::SpirvKernel;

/// Whether every compiler has a name of its own, and every program is there; `files` are the run's kernels in SPIR-V.
///
/// # Errors
/// [`Error::Usage`] with the first fault.
pub(super) fn check(specs: &[Spec], files: &[&'static SpirvKernel]) -> Result<()> {
    for (index, spec) in specs.iter().enumerate() {
        if specs[..index].iter().any(|other| other.name == spec.name) {
            let (name, text) = (&spec.name, &spec.text);
            return Err(Error::Usage(format!("--compiler: two are called '{name}': write NAME={text}")));
        }
        command::check(spec)?;
    }
    if specs.iter().any(Spec::is_file) && files.is_empty() {
        return Err(Error::Usage("--compiler file is for .spv files of bench: there is none".to_owned()));
    }
    Ok(())
}

/// The compiler of a specification, with the version that its programs report; `files` are the run's kernels in SPIR-V.
///
/// # Errors
/// [`Error::Usage`] if a program is missing.
pub(super) fn compiler(spec: &Spec, files: &[&'static SpirvKernel]) -> Result<KernelCompiler> {
    if spec.is_built_in() {
        return Ok(KernelCompiler::BuiltIn);
    }
    if spec.is_file() {
        return Ok(KernelCompiler::Other(Box::new(file::Files::new(files))));
    }
    Ok(KernelCompiler::Other(Box::new(command::Chain::new(spec)?)))
}
