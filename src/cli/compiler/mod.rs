//! `--compiler`: commands that make SPIR-V of WGSL.

mod command;
mod spec;

pub(super) use command::spirv;
pub(super) use spec::Spec;

use crate::backend::KernelCompiler;
use crate::error::{Error, Result};

/// Whether every compiler has a name of its own, and every program is there.
///
/// # Errors
/// [`Error::Usage`] with the first fault.
pub(super) fn check(specs: &[Spec]) -> Result<()> {
    for (index, spec) in specs.iter().enumerate() {
        if specs[..index].iter().any(|other| other.name == spec.name) {
            let (name, text) = (&spec.name, &spec.text);
            return Err(Error::Usage(format!("--compiler: two are called '{name}': write NAME={text}")));
        }
        command::check(spec)?;
    }
    Ok(())
}

/// The compiler of a specification, with the version that its programs report.
///
/// # Errors
/// [`Error::Usage`] if a program is missing.
pub(super) fn compiler(spec: &Spec) -> Result<KernelCompiler> {
    if spec.is_built_in() {
        return Ok(KernelCompiler::BuiltIn);
    }
    Ok(KernelCompiler::Other(Box::new(command::Chain::new(spec)?)))
}
