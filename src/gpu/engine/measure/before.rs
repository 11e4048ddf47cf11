//! Brings a device into one state before launches that are compared.

use std::collections::BTreeMap;

use super::Timer;
use crate::backend::{Backend, Prepared};
use crate::engine::clock::canary::{can_ramp, case_of};
use crate::job::Job;
use record::error::Result;
use record::suite::{Case, Dtype, Extent, Shape};

/// Jobs that bring the caches into one state before a launch, prepared when first needed.
#[derive(Default)]
pub(in crate::engine) struct Caches {
    /// Fills the caches with other data.
    flush: Option<Box<dyn Prepared>>,
    /// A small job whose output is poisoned if nothing flushes the caches.
    control: Option<Box<dyn Prepared>>,
}

impl Caches {
    pub(in crate::engine) async fn prepare(&mut self, backend: &mut dyn Backend) -> Result<()> {
        let has_flush = can_ramp(backend.device());
        let stage = if has_flush { &mut self.flush } else { &mut self.control };
        if stage.is_none() {
            let case = if has_flush { flush_case()? } else { control_case()? };
            *stage = match backend.prepare(&Job::new(&case)?).await {
                Ok(stage) => Some(stage),
                Err(error) if error.ends_device() => return Err(error),
                // A small device runs without it.
                Err(_) => None,
            };
        }
        Ok(())
    }

    pub(in crate::engine) async fn before(&mut self, backend: &mut dyn Backend) -> Result<Before<'_>> {
        self.prepare(backend).await?;
        Ok(match (&mut self.flush, &mut self.control) {
            (Some(flush), _) => Before::Flush(flush.as_mut()),
            (None, Some(control)) => Before::Poison(control.as_mut()),
            (None, None) => Before::Nothing,
        })
    }
}

/// A case that reads and writes 64 MiB each, more than most L2 caches hold.
pub(in crate::engine) fn flush_case() -> Result<Case> {
    let shape = Shape::new(Dtype::Vec4F32, Extent::Linear(1 << 24), BTreeMap::new());
    case_of("stream", "copy", shape)
}

/// A small case whose output is poisoned like that of others.
fn control_case() -> Result<Case> {
    let shape = Shape::new(Dtype::Vec4F32, Extent::Linear(1 << 12), BTreeMap::new());
    case_of("stream", "copy", shape)
}

/// What runs before a launch, so that it finds the device in the same state as the launch that it is compared with.
pub enum Before<'a> {
    /// A kernel that leaves the caches in the same state.
    Flush(&'a mut dyn Prepared),
    /// A job whose output is poisoned before launches into a complete output, as on a busy host a launch right after
    /// host work waits for sleeping threads.
    Poison(&'a mut dyn Prepared),
    /// Nothing.
    Nothing,
}

impl Before<'_> {
    /// Whether caches are flushed: else poisoning leaves other data in them than a launch does.
    #[must_use]
    pub const fn flushes(&self) -> bool {
        matches!(self, Self::Flush(_))
    }

    /// Nanoseconds of the launches, by the timer and by the host's clock, after what must precede them.
    ///
    /// # Errors
    /// Errors of the device.
    pub async fn launches(
        &mut self,
        prepared: &mut dyn Prepared,
        timer: &Timer,
        launches: u32,
        is_complete: bool,
    ) -> Result<(f64, f64)> {
        match self {
            Self::Flush(flush) => drop(flush.sample(1).await?),
            Self::Poison(other) if is_complete => other.poison().await?,
            Self::Poison(_) | Self::Nothing => {}
        }
        let sample = timer.sample(prepared, launches).await?;
        Ok((timer.read(&sample), sample.wall_ns))
    }
}
