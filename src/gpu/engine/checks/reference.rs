//! Runs the kernel that computes another's expected output.

use crate::backend::{Backend, leak_if_lost};
use crate::job::Job;
use record::error::{Error, Result};

/// Runs the reference kernel of `job`, if it has one, and keeps its output. An error if it does not write that buffer.
pub(in crate::engine) async fn run_reference(backend: &mut dyn Backend, job: &Job) -> Result<()> {
    let Some(reference) = &job.reference else { return Ok(()) };
    let other_job = &reference.job;
    let mut outputs = Vec::new();
    for check in job.checks() {
        let (Some(to), output) = (&check.of_reference, &job.buffers[check.buffer]) else { continue };
        // The reference may bind other buffers, in another order.
        let found = other_job.buffers.iter().position(|buffer| buffer.name == output.name && buffer.is_written);
        let place = found.ok_or_else(|| {
            Error::Shader(format!("the reference {} writes no buffer '{}'", other_job.label, output.name))
        })?;
        let wanted = check.scalars * output.scalar.bytes() as u64;
        if other_job.buffers[place].bytes < wanted {
            return Err(Error::Shader(format!(
                "the reference {} writes {} B of '{}', but {wanted} B are compared",
                other_job.label, other_job.buffers[place].bytes, output.name
            )));
        }
        outputs.push((place, wanted, to));
    }
    backend.device().check(other_job)?;
    let mut prepared = backend.prepare(other_job).await.map_err(|error| match error {
        Error::Unsupported(why) => Error::Unsupported(format!("its reference: {why}")),
        other => other,
    })?;
    let result = async {
        prepared.sample(1).await?;
        for (place, wanted, to) in outputs {
            let mut bytes = Vec::new();
            prepared.read(place, wanted, &mut |_, part| bytes.extend_from_slice(part)).await?;
            // Each epoch binds its own job, so the output is set once.
            drop(to.set(bytes));
        }
        Ok(())
    };
    let result = result.await;
    leak_if_lost(prepared, result)?;
    Ok(())
}
