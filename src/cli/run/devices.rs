//! The devices of a run, opened.

use crate::cli::compiler::Files;
use crate::cli::kernel_files::Kernels;
use crate::cli::output::say;
use crate::cli::selection::no_device;
use crate::cli::target::Target;
use gpu::backend::{Backend, Translator};
use record::error::{Result, usage};

/// Opens a card through its APIs, at least one. APIs that fail are skipped if another one works.
pub(super) fn open(card: Vec<Target>, kernels: &Kernels) -> Result<Vec<Box<dyn Backend>>> {
    let (mut backends, mut errors) = (Vec::new(), Vec::new());
    for target in card {
        let api = target.device().api;
        let has_files = !kernels.spirv.is_empty();
        let files = has_files.then(|| Box::new(Files::new(&kernels.spirv)) as Box<dyn Translator>);
        match pollster::block_on(target.open(files)) {
            Ok(backend) => backends.push(backend),
            Err(error) => errors.push((api, error)),
        }
    }
    if backends.is_empty() {
        return Err(errors.into_iter().next().map_or_else(no_device, |(_, error)| error));
    }
    for (api, error) in errors {
        say(&format!("{api} is left out: {}", error.chain()));
    }
    Ok(backends)
}

/// Refuses `--energy` on a card without a counter or a sensor.
pub(super) fn has_energy(backend: &dyn Backend) -> Result<()> {
    let has = backend.monitor().is_some_and(|mut monitor| monitor.joules().or_else(|| monitor.watts()).is_some());
    let refusal = || {
        let name = &backend.device().name;
        usage!("--energy: {name} reports neither an energy counter nor its power: run without --energy")
    };
    if has { Ok(()) } else { Err(refusal()) }
}
