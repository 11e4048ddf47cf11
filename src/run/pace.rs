//! What a launch will take, before it is launched.

use std::collections::HashMap;

use super::put_away;
use crate::backend::{Backend, Device, DeviceType, Prepared};
use crate::error::{Error, Result};
use crate::job::Job;
use crate::measure::Timer;
use crate::suite::{Case, Extent};

/// What a launch took, by kernel: the estimate for the next size.
#[derive(Debug, Default)]
pub(super) struct Pace {
    by_kernel: HashMap<String, Taken>,
}

/// Scalars of a launch, and its time in nanoseconds.
#[derive(Debug, Clone, Copy)]
struct Taken {
    scalars: u64,
    launch_ns: f64,
}

impl Pace {
    /// Takes note of what a launch of the case took.
    pub(super) fn note(&mut self, case: &Case, launch_ns: f64) {
        self.by_kernel.insert(key(case), Taken { scalars: case.shape.count(), launch_ns });
    }

    /// Refuses a launch that would run so long that the operating system may reset the device. What a scalar costs is known from a
    /// smaller size of the same kernel, or found out on one now.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with the estimate, and what goes wrong with the smaller size.
    pub(super) async fn check(&mut self, backend: &mut dyn Backend, timer: &Timer, case: &Case) -> Result<()> {
        let Some(probe) = probe(case.shape.extent, backend.device()) else { return Ok(()) };
        // A launch of fewer scalars than the probe has tells what calls cost, and not scalars.
        let known = self.by_kernel.get(&key(case)).copied().filter(|taken| taken.scalars >= probe.count());
        let taken = if let Some(taken) = known {
            taken
        } else {
            let mut small = case.clone();
            small.shape.extent = probe;
            let job = Job::new(&small)?;
            let timer =
                if job.is_host_timed(backend.device().has_copy_timestamps) { Timer::wall() } else { timer.clone() };
            let mut prepared = backend.prepare(&job).await?;
            let second = second_launch(prepared.as_mut(), &timer).await;
            let taken = Taken { scalars: probe.count(), launch_ns: put_away(prepared, second)? };
            self.by_kernel.insert(key(case), taken);
            taken
        };
        let estimate = taken.launch_ns * (case.shape.count() as f64 / taken.scalars as f64);
        let longest = longest_launch_ns(backend.device());
        if estimate > longest {
            let (estimate, longest) = (estimate / 1e9, longest / 1e9);
            return Err(Error::Unsupported(format!(
                "one launch would take about {estimate:.1} s, past the {longest:.1} s that are safe on this device"
            )));
        }
        Ok(())
    }
}

/// The smaller size that tells what `extent` will take; `None` where no size as small as it takes long.
fn probe(extent: Extent, device: &Device) -> Option<Extent> {
    let usual = match extent {
        Extent::Linear(_) => Extent::Linear(1 << 18),
        Extent::Matrix(..) => Extent::Matrix(512, 512),
        // A scalar here is one multiplication; fewer would keep one workgroup of a GPU busy, whose pace is not the device's.
        Extent::Product(..) => Extent::Product(256, 256, 256),
    };
    if extent.count() > usual.count() {
        return Some(usual);
    }
    // A browser's software device takes seconds over some of these.
    let is_slow = device.kind == DeviceType::Software && device.is_in_browser();
    (is_slow && extent.count() >= 1 << 12).then_some(match extent {
        Extent::Linear(n) => Extent::Linear(n / 16),
        Extent::Matrix(rows, columns) => Extent::Matrix(rows / 4, columns / 4),
        Extent::Product(m, n, k) => Extent::Product(m / 2, n / 2, k / 4),
    })
}

/// The time of a launch after one that may have held compilation.
async fn second_launch(prepared: &mut dyn Prepared, timer: &Timer) -> Result<f64> {
    prepared.sample(1).await?;
    Ok(timer.read(&prepared.sample(1).await?))
}

/// Operating systems reset a GPU after two seconds, and browsers watch over any device; a software device has nobody else to reset it, only
/// the harness's patience.
fn longest_launch_ns(device: &Device) -> f64 {
    if device.kind == DeviceType::Software && !device.is_in_browser() { 3e9 } else { 0.5e9 }
}

fn key(case: &Case) -> String {
    format!("{} {} {}", case.name(), case.shape.dtype.name(), case.params_text())
}
