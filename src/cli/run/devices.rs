//! Opens the devices of a run.

use crate::cli::output::say;
use crate::cli::selection::no_device;
use crate::cli::target::Target;
use gpu::backend::Backend;
use record::error::{Result, usage};

/// Opens a card through its APIs, at least one. APIs that fail are skipped if another one works.
pub(super) fn open(card: Vec<Target>) -> Result<Vec<Box<dyn Backend>>> {
    let (mut backends, mut errors) = (Vec::new(), Vec::new());
    for target in card {
        let api = target.device().api;
        match pollster::block_on(target.open()) {
            Ok(backend) => backends.push(backend),
            Err(error) => errors.push((api, error)),
        }
    }
    if backends.is_empty() {
        return Err(errors.into_iter().next().map_or_else(no_device, |(_, error)| error));
    }
    for (api, error) in errors {
        say(&format!("{api} is skipped: {}", error.chain()));
    }
    Ok(backends)
}

/// Refuses `--energy` on a card without an energy counter or power sensor.
pub(super) fn has_energy(backend: &dyn Backend) -> Result<()> {
    let has = backend.monitor().is_some_and(|mut monitor| monitor.joules().or_else(|| monitor.watts()).is_some());
    let refusal = || {
        let name = &backend.device().name;
        usage!("--energy: {name} has neither an energy counter nor a power sensor; run without --energy")
    };
    if has { Ok(()) } else { Err(refusal()) }
}
