//! Estimates the time of a launch, and refuses launches that take too long.

use std::collections::HashMap;

use crate::backend::{Backend, Device, Prepared, leak_if_lost};
use crate::engine::measure::Timer;
use crate::job::Job;
use record::error::{Error, Result};
use record::suite::{Case, DeviceType, Extent};

/// Measured launch times, from which those of larger sizes are estimated.
#[derive(Debug, Default)]
pub(in crate::engine) struct LaunchGuard {
    by_kernel: HashMap<String, LaunchTime>,
    /// By benchmark and type, with any parameters.
    by_benchmark: HashMap<String, LaunchTime>,
    /// Kernels that timed out, with the size: in scalars and as text.
    timed_out: HashMap<String, (u64, String)>,
    /// Kernels that ended the process, with the smallest size, in scalars and as text, and the count.
    crashed: HashMap<String, (u64, String, usize)>,
}

/// A kernel that ended the process this often is not launched again at the same or a larger size.
pub(in crate::engine) const MOST_CRASHES: usize = 2;

/// A launch: its size in scalars, its work (see [`work`]) and its time in nanoseconds.
#[derive(Debug, Clone, Copy)]
struct LaunchTime {
    scalars: u64,
    work: f64,
    launch_ns: f64,
    /// Exponent of the time's growth with the work: above 1 if a kernel whose workgroups wait for each other shows it.
    growth: f64,
}

impl LaunchTime {
    fn estimate_ns(self, case: &Case) -> f64 {
        self.launch_ns * (work(case) / self.work).powf(self.growth)
    }

    /// The growth from this launch to a longer one of the same kernel: at least 1, at most 3.
    fn growth_to(self, work: f64, launch_ns: f64) -> f64 {
        if work < FEWEST_TIMES * self.work {
            return self.growth;
        }
        ((launch_ns / self.launch_ns).ln() / (work / self.work).ln()).clamp(1.0, 3.0)
    }
}

/// Minimum ratio of the work of two launches that show how the time grows.
const FEWEST_TIMES: f64 = 4.0;

/// What a launch's time grows with: bytes or operations, or scalars if the case counts neither. Not the size alone,
/// since some kernels do the same work at every size.
fn work(case: &Case) -> f64 {
    let work = case.work();
    match work.bytes.max(work.flops) {
        0 => case.shape.count() as f64,
        most => most as f64,
    }
}

impl LaunchGuard {
    pub(in crate::engine) fn note(&mut self, case: &Case, launch_ns: f64) {
        let (work, before) = (work(case), self.by_kernel.get(&kernel_key(case)).filter(|_| case.benchmark.waits));
        let growth = before.map_or(1.0, |before| before.growth_to(work, launch_ns));
        let time = LaunchTime { scalars: case.shape.count(), work, launch_ns, growth };
        self.by_kernel.insert(kernel_key(case), time);
        self.by_benchmark.insert(benchmark_key(case), time);
    }

    /// Stores that the case timed out: its kernel is not launched at the same or a larger size again.
    pub(in crate::engine) fn note_timeout(&mut self, case: &Case) {
        self.timed_out.insert(kernel_key(case), (case.shape.count(), case.shape.extent.to_string()));
    }

    pub(in crate::engine) fn note_crash(&mut self, case: &Case, count: usize) {
        let (scalars, extent) = (case.shape.count(), case.shape.extent.to_string());
        let known = self.crashed.entry(kernel_key(case)).or_insert((scalars, extent.clone(), 0));
        if scalars < known.0 {
            (known.0, known.1) = (scalars, extent);
        }
        known.2 += count;
    }

    /// Refuses a launch so long that the operating system may reset the device; a kernel that timed out or ended the
    /// process twice at this or a smaller size; and in a run with a time limit, a launch longer than `longest_ns`: with
    /// [`Error::TimedOutBefore`], [`Error::CrashedBefore`], [`Error::Unsupported`] or [`Error::TooLong`].
    pub(in crate::engine) async fn check(
        &mut self,
        backend: &mut dyn Backend,
        timer: &Timer,
        case: &Case,
        longest_ns: Option<f64>,
    ) -> Result<()> {
        if let Some((scalars, extent)) = self.timed_out.get(&kernel_key(case))
            && case.shape.count() >= *scalars
        {
            return Err(Error::TimedOutBefore(extent.clone()));
        }
        if let Some((scalars, extent, count)) = self.crashed.get(&kernel_key(case))
            && *count >= MOST_CRASHES
            && case.shape.count() >= *scalars
        {
            return Err(Error::CrashedBefore(extent.clone()));
        }
        let safe = longest_launch_ns(backend.device());
        let longest = longest_ns.map_or(safe, |longest| longest.min(safe));
        let Some(estimate) = self.estimate_ns(backend, timer, case, longest_ns.is_some(), longest).await? else {
            return Ok(());
        };
        // `TooLong` lets the run use the benchmark's small size instead.
        if longest_ns.is_some() && estimate > longest {
            return Err(Error::TooLong { seconds: estimate / 1e9 });
        }
        if estimate > safe {
            let (estimate, safe) = (estimate / 1e9, safe / 1e9);
            return Err(Error::Unsupported(format!(
                "one launch would take about {estimate:.1} s, above the safe limit of {safe:.1} s on this device"
            )));
        }
        Ok(())
    }

    /// Launch time estimated from other sizes of the same kernel. In a run with a time limit (`is_limited`), also from
    /// other parameters of the benchmark: good enough to leave a case out but not to run it, since checks can make a
    /// kernel 30 times as slow.
    pub(in crate::engine) fn known_ns(&self, case: &Case, device: &Device, is_limited: bool) -> Option<f64> {
        let similar = || {
            let probe = probe(case, device, is_limited)?;
            let time = self.by_benchmark.get(&benchmark_key(case)).filter(|time| time.scalars >= probe.count())?;
            is_limited.then(|| time.estimate_ns(case))
        };
        self.same_kernel_ns(case, device, is_limited).or_else(similar)
    }

    fn same_kernel_ns(&self, case: &Case, device: &Device, is_limited: bool) -> Option<f64> {
        let probe = probe(case, device, is_limited)?;
        // Below the probe's size the cost of the calls dominates.
        let same = self.by_kernel.get(&kernel_key(case)).filter(|time| time.scalars >= probe.count());
        same.map(|time| time.estimate_ns(case))
    }

    /// Launch time estimated from other sizes of the same kernel, or else from a probe that runs now; `None` if the
    /// case is too small to take long. If the estimate exceeds `longest_ns`, a larger probe decides: a large device
    /// takes as long for a small size as for one that fills it.
    async fn estimate_ns(
        &mut self,
        backend: &mut dyn Backend,
        timer: &Timer,
        case: &Case,
        is_limited: bool,
        longest_ns: f64,
    ) -> Result<Option<f64>> {
        let Some(probe) = probe(case, backend.device(), is_limited) else { return Ok(None) };
        if let Some(known) = self.same_kernel_ns(case, backend.device(), is_limited) {
            return Ok(Some(known));
        }
        // A kernel that is not the suite's may support certain sizes only.
        let mut small = case.clone();
        small.shape.extent = probe;
        if case.benchmark.declared.is_some() && Job::new(&small).is_err() {
            return Ok(None);
        }
        let launch_ns = self.probe(backend, timer, case, probe).await?;
        // The second size is safe even if the time grows with the square of the work.
        let is_second_safe = launch_ns * SECOND_TIMES.pow(2) as f64 <= longest_launch_ns(backend.device());
        if let Extent::Linear(n) = probe
            && case.benchmark.waits
            && is_second_safe
            && case.shape.count() > n * SECOND_TIMES
        {
            self.probe(backend, timer, case, Extent::Linear(n * SECOND_TIMES)).await?;
        }
        let known = |guard: &Self| guard.by_kernel.get(&kernel_key(case)).map(|time| time.estimate_ns(case));
        let larger = match probe {
            Extent::Product(m, n, k) => Extent::Product(4 * m, 4 * n, 4 * k),
            extent => extent,
        };
        let is_large = larger.count() > probe.count() && larger.count() < case.shape.count();
        let is_safe = launch_ns * (larger.count() / probe.count()) as f64 <= longest_ns;
        if is_large && is_safe && known(self).is_some_and(|estimate| estimate > longest_ns) {
            self.probe(backend, timer, case, larger).await?;
        }
        Ok(known(self))
    }

    async fn probe(&mut self, backend: &mut dyn Backend, timer: &Timer, case: &Case, extent: Extent) -> Result<f64> {
        let mut small = case.clone();
        small.shape.extent = extent;
        let job = Job::new(&small)?;
        let timer = if job.is_host_timed(backend.device().has_copy_timestamps) { Timer::wall() } else { timer.clone() };
        let mut prepared = backend.prepare(&job).await?;
        let launch_ns = one_launch_ns(prepared.as_mut(), &timer).await;
        let launch_ns = leak_if_lost(prepared, launch_ns)?;
        self.note(&small, launch_ns);
        Ok(launch_ns)
    }
}

/// The second probe of a kernel whose workgroups wait for each other is this many times as large as the first.
const SECOND_TIMES: u64 = 8;

/// The smaller size from which the case's time is estimated; `None` if the case is too small to take long.
fn probe(case: &Case, device: &Device, is_limited: bool) -> Option<Extent> {
    let extent = case.shape.extent;
    let usual = match extent {
        Extent::Linear(_) => Extent::Linear(1 << 18),
        Extent::Matrix(..) => Extent::Matrix(512, 512),
        // Scalars here are multiplications. A smaller product occupies a single workgroup and shows no device's speed.
        Extent::Product(..) => Extent::Product(256, 256, 256),
    };
    let is_large = extent.count() > usual.count();
    let is_software = device.kind == DeviceType::Software;
    // A software device may need half a second for a kernel at the usual size. A smaller copy would time the call.
    let needs_short_probe = is_software && is_limited && !case.benchmark.wgsl.is_empty();
    if is_large && !needs_short_probe {
        return Some(usual);
    }
    let is_slow = needs_short_probe || (is_software && device.is_in_browser);
    (is_slow && extent.count() >= 1 << 12).then_some(match if is_large { usual } else { extent } {
        Extent::Linear(n) => Extent::Linear(n / 16),
        // Rows keep their length: some kernels have certain lengths only, and the time of others grows with the rows.
        Extent::Matrix(rows, columns) => Extent::Matrix(rows.div_ceil(8), columns),
        Extent::Product(m, n, k) => Extent::Product(m / 2, n / 2, k / 4),
    })
}

/// The faster of two launches, since other programs may slow one. A launch before them absorbs compilation.
async fn one_launch_ns(prepared: &mut dyn Prepared, timer: &Timer) -> Result<f64> {
    prepared.sample(1).await?;
    let (first, second) = (timer.sample(prepared, 1).await?, timer.sample(prepared, 1).await?);
    Ok(timer.read(&first).min(timer.read(&second)))
}

/// Operating systems reset a GPU after two seconds, and browsers have a watchdog for any device. A native software
/// device has only the harness's own time-out.
fn longest_launch_ns(device: &Device) -> f64 {
    if device.kind == DeviceType::Software && !device.is_in_browser { 3e9 } else { 0.5e9 }
}

fn kernel_key(case: &Case) -> String {
    format!("{} {}", benchmark_key(case), case.params_text())
}

fn benchmark_key(case: &Case) -> String {
    format!("{} {}", case.name(), case.shape.dtype.name())
}
