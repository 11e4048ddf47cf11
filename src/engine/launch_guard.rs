//! What a launch will take, before it is launched.

use std::collections::HashMap;

use super::lost::leak_if_lost;
use crate::backend::{Backend, Device, DeviceType, Prepared};
use crate::engine::measure::Timer;
use crate::error::{Error, Result};
use crate::job::Job;
use crate::suite::{Case, Extent};

/// What launches took: the estimate for the next size.
#[derive(Debug, Default)]
pub(super) struct LaunchGuard {
    by_kernel: HashMap<String, Taken>,
    /// The same by benchmark and type, whatever the parameters.
    by_benchmark: HashMap<String, Taken>,
    /// Kernels that timed out, each with the size, in scalars and as it is written.
    timed_out: HashMap<String, (u64, String)>,
}

/// Scalars of a launch, how much it does, and its time in nanoseconds.
#[derive(Debug, Clone, Copy)]
struct Taken {
    scalars: u64,
    work: f64,
    launch_ns: f64,
}

impl Taken {
    fn estimate_ns(self, case: &Case) -> f64 {
        self.launch_ns * (work(case) / self.work)
    }
}

/// What the time of a launch grows with: bytes or operations, or scalars where neither is counted. Some kernels do the same at every size.
fn work(case: &Case) -> f64 {
    let work = case.work();
    match work.bytes.max(work.flops) {
        0 => case.shape.count() as f64,
        most => most as f64,
    }
}

impl LaunchGuard {
    /// Takes note of what a launch of the case took.
    pub(super) fn note(&mut self, case: &Case, launch_ns: f64) {
        let taken = Taken { scalars: case.shape.count(), work: work(case), launch_ns };
        self.by_kernel.insert(kernel(case), taken);
        self.by_benchmark.insert(benchmark(case), taken);
    }

    /// Takes note that the case timed out: the same kernel is not launched at larger sizes.
    pub(super) fn note_timeout(&mut self, case: &Case) {
        self.timed_out.insert(kernel(case), (case.shape.count(), case.shape.extent.to_string()));
    }

    /// Refuses a launch that would run so long that the operating system may reset the device, one of a kernel that timed out at a
    /// smaller size, and one longer than `longest_ns` where the run has a time limit.
    ///
    /// # Errors
    /// [`Error::Unsupported`] or [`Error::TooLong`] with the estimate, and what goes wrong with the smaller size.
    pub(super) async fn check(
        &mut self,
        backend: &mut dyn Backend,
        timer: &Timer,
        case: &Case,
        longest_ns: Option<f64>,
    ) -> Result<()> {
        if let Some((scalars, extent)) = self.timed_out.get(&kernel(case))
            && case.shape.count() >= *scalars
        {
            return Err(Error::Unsupported(format!("the same kernel timed out at the size {extent}")));
        }
        let Some(estimate) = self.estimate_ns(backend, timer, case, longest_ns.is_some()).await? else { return Ok(()) };
        let safe = longest_launch_ns(backend.device());
        // What is left out may have a small size in reserve.
        if longest_ns.is_some_and(|longest| estimate > longest.min(safe)) {
            return Err(Error::TooLong { seconds: estimate / 1e9 });
        }
        if estimate > safe {
            let (estimate, safe) = (estimate / 1e9, safe / 1e9);
            return Err(Error::Unsupported(format!(
                "one launch would take about {estimate:.1} s, past the {safe:.1} s that are safe on this device"
            )));
        }
        Ok(())
    }

    /// What a launch will take, as far as smaller sizes of the same kernel tell, or in a run with a time limit other parameters of it: what
    /// these tell may be enough to leave a case out, and is too little to run it (a check may make a kernel 30 times as slow).
    pub(super) fn known_ns(&self, case: &Case, device: &Device, is_limited: bool) -> Option<f64> {
        let kin = || {
            let probe = probe(case, device, is_limited)?;
            let taken = self.by_benchmark.get(&benchmark(case)).filter(|taken| taken.scalars >= probe.count())?;
            is_limited.then(|| taken.estimate_ns(case))
        };
        self.own_ns(case, device, is_limited).or_else(kin)
    }

    /// The same, as smaller sizes of the very kernel tell.
    fn own_ns(&self, case: &Case, device: &Device, is_limited: bool) -> Option<f64> {
        let probe = probe(case, device, is_limited)?;
        // A launch of fewer scalars than the probe has tells what calls cost, and not scalars.
        let own = self.by_kernel.get(&kernel(case)).filter(|taken| taken.scalars >= probe.count());
        own.map(|taken| taken.estimate_ns(case))
    }

    /// The same, found out on a small size now where it is not known. `None` where no size as small as the case's takes long.
    async fn estimate_ns(
        &mut self,
        backend: &mut dyn Backend,
        timer: &Timer,
        case: &Case,
        is_limited: bool,
    ) -> Result<Option<f64>> {
        let Some(probe) = probe(case, backend.device(), is_limited) else { return Ok(None) };
        if let Some(known) = self.own_ns(case, backend.device(), is_limited) {
            return Ok(Some(known));
        }
        let mut small = case.clone();
        small.shape.extent = probe;
        let job = Job::new(&small)?;
        let timer = if job.is_host_timed(backend.device().has_copy_timestamps) { Timer::wall() } else { timer.clone() };
        let mut prepared = backend.prepare(&job).await?;
        let taken = one_launch_ns(prepared.as_mut(), &timer).await;
        self.note(&small, leak_if_lost(prepared, taken)?);
        Ok(self.by_kernel.get(&kernel(case)).map(|taken| taken.estimate_ns(case)))
    }
}

/// The smaller size that tells what the case will take; `None` where no size as small as it takes long.
fn probe(case: &Case, device: &Device, is_limited: bool) -> Option<Extent> {
    let extent = case.shape.extent;
    let usual = match extent {
        Extent::Linear(_) => Extent::Linear(1 << 18),
        Extent::Matrix(..) => Extent::Matrix(512, 512),
        // A scalar here is one multiplication; fewer would keep one workgroup of a GPU busy, whose guard is not the device's.
        Extent::Product(..) => Extent::Product(256, 256, 256),
    };
    let is_large = extent.count() > usual.count();
    let is_software = device.kind == DeviceType::Software;
    // A software device may take half a second over the usual size of a kernel. What a copy takes at a smaller one is the call.
    let is_in_haste = is_software && is_limited && !case.benchmark.wgsl.is_empty();
    if is_large && !is_in_haste {
        return Some(usual);
    }
    let is_slow = is_in_haste || (is_software && device.is_in_browser);
    (is_slow && extent.count() >= 1 << 12).then_some(match if is_large { usual } else { extent } {
        Extent::Linear(n) => Extent::Linear(n / 16),
        Extent::Matrix(rows, columns) => Extent::Matrix(rows / 4, columns / 4),
        Extent::Product(m, n, k) => Extent::Product(m / 2, n / 2, k / 4),
    })
}

/// The time of a launch after one that may have held compilation: the faster of two, since other programs may slow one.
async fn one_launch_ns(prepared: &mut dyn Prepared, timer: &Timer) -> Result<f64> {
    prepared.sample(1).await?;
    let (one, another) = (prepared.sample(1).await?, prepared.sample(1).await?);
    Ok(timer.read(&one).min(timer.read(&another)))
}

/// Operating systems reset a GPU after two seconds, and browsers watch over any device; a software device has nobody else to reset it, only
/// the harness's patience.
fn longest_launch_ns(device: &Device) -> f64 {
    if device.kind == DeviceType::Software && !device.is_in_browser { 3e9 } else { 0.5e9 }
}

fn kernel(case: &Case) -> String {
    format!("{} {}", benchmark(case), case.params_text())
}

fn benchmark(case: &Case) -> String {
    format!("{} {}", case.name(), case.shape.dtype.name())
}
