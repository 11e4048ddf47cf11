//! Detects changes of the device's clock.

use crate::backend::{Device, Prepared, leak_if_lost};
use crate::engine::measure::Timer;
use kernels::FAMILIES;
use record::error::{Error, Result};
use record::suite::{Case, DeviceType, Dtype, Extent, Shape};

/// Maximum change of the canary's time across a case, as a fraction. Above it the case is measured again.
const DRIFT: f64 = 0.05;

/// Length of one load that raises the device's clock. Short: a clock that fell a little recovers in milliseconds.
const RAMP_NS: f64 = 2e6;

/// Maximum excess of the canary's time over its reference before a case, as a fraction.
const NEAR: f64 = DRIFT / 4.0;

/// Minimum canary sample by device timestamps: variation between submissions must stay far below [`DRIFT`].
const SAMPLE_NS: f64 = 300_000.0;

/// A short arithmetic job whose time moves only when the device's clock does.
pub(in crate::engine) struct Canary {
    prepared: Box<dyn Prepared>,
    launches: u32,
    /// Launches in a load that raises the clock.
    load: u32,
    /// Whether the device has its own clock, which load can raise.
    pub(in crate::engine) can_ramp: bool,
    /// The canary's usual time at the clock at which rows are measured. Not the least of thousands that vary by 1 %:
    /// compared with that, usual times would look like a fallen clock.
    reference_ns: f64,
    /// The lowest `reference_ns` so far.
    least_ns: f64,
    /// All times so far. Empty if the device has its own clock.
    times_ns: Vec<f64>,
}

impl Canary {
    pub(in crate::engine) async fn new(prepared: Box<dyn Prepared>, timer: &Timer, can_ramp: bool) -> Result<Self> {
        let mut canary =
            Self { prepared, launches: 1, load: 1, can_ramp, reference_ns: 0.0, least_ns: 0.0, times_ns: Vec::new() };
        match canary.calibrate(timer).await {
            Ok(()) => Ok(canary),
            Err(error) => leak_if_lost(canary, Err(error)),
        }
    }

    /// Sets the numbers of launches, and the reference time once the clock is up.
    async fn calibrate(&mut self, timer: &Timer) -> Result<()> {
        timer.sample(self.prepared.as_mut(), 1).await?;
        let each = timer.read(&timer.sample(self.prepared.as_mut(), 1).await?).max(1.0);
        let launches_for = |ns: f64| (ns / each).ceil().clamp(1.0, 2000.0) as u32;
        (self.launches, self.load) = (launches_for(timer.shortest_sample_ns(SAMPLE_NS)), launches_for(RAMP_NS));
        // The clock rises during the first launches.
        let mut times_ns = Vec::new();
        for _ in 0..if self.can_ramp { 40 } else { 1 } {
            self.prepared.sample(self.load).await?;
            times_ns.push(self.time(timer).await?);
        }
        times_ns.sort_by(f64::total_cmp);
        self.restart_from(times_ns[times_ns.len() / 4]);
        Ok(())
    }

    /// The fastest of three samples, which is the least affected by other work on the machine.
    async fn time(&mut self, timer: &Timer) -> Result<f64> {
        self.time_below(0.0, timer).await
    }

    /// The canary's time after a case, in nanoseconds; before the case it was `before_ns`.
    pub(in crate::engine) async fn time_after(&mut self, before_ns: f64, timer: &Timer) -> Result<f64> {
        // On a device with its own clock, one sample near the earlier time shows that the clock is the same.
        self.time_below(if self.can_ramp { before_ns * (1.0 + NEAR) } else { 0.0 }, timer).await
    }

    /// The fastest of three samples, or the first one of at most `limit` nanoseconds.
    async fn time_below(&mut self, limit: f64, timer: &Timer) -> Result<f64> {
        let (mut fastest, mut left) = (f64::INFINITY, 3);
        while left > 0 && fastest > limit {
            let together = if limit > 0.0 && left == 3 { 1 } else { left };
            let samples = timer.samples(self.prepared.as_mut(), self.launches, together).await?;
            fastest = samples.iter().map(|sample| timer.read(sample)).fold(fastest, f64::min);
            left = left.saturating_sub(samples.len());
        }
        if !self.can_ramp {
            self.times_ns.push(fastest.max(1.0));
        }
        Ok(fastest.max(1.0))
    }

    /// Variation of the device's speed: half the width of the middle 90 % of the canary's times, divided by their
    /// median. 0 for a device with its own clock, where [`Self::ramp_up`] follows the changes.
    pub(in crate::engine) fn scatter(&self) -> f64 {
        let mut sorted = self.times_ns.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |part: f64| sorted.get((part * (sorted.len() - 1) as f64) as usize).copied();
        if sorted.is_empty() {
            return 0.0;
        }
        at(0.05).zip(at(0.5)).zip(at(0.95)).map_or(0.0, |((low, median), high)| (high - low) / 2.0 / median)
    }

    /// Maximum change of the canary's time across a case. Above it, the case is measured again or its row marked.
    pub(in crate::engine) fn allowed_drift(&self) -> f64 {
        DRIFT.max(2.0 * self.scatter())
    }

    /// Loads the device until its clock is back at the reference, and returns the canary's time. A GPU's clock falls
    /// while the host verifies. If half a second of load is not enough, the current time becomes the new reference.
    pub(in crate::engine) async fn ramp_up(&mut self, timer: &Timer) -> Result<f64> {
        if !self.can_ramp {
            return self.time(timer).await;
        }
        let (limit, mut spent_ns) = (self.reference_ns * (1.0 + NEAR), 0.0);
        let mut now = self.time_below(limit, timer).await?;
        while now > limit && spent_ns < 0.5e9 {
            spent_ns += self.prepared.sample(self.load).await?.wall_ns;
            now = self.time_below(limit, timer).await?;
        }
        if now > limit {
            self.restart_from(now);
        } else {
            // A mean of about the last twenty times. Its rise is limited: it must not follow a clock that falls slowly.
            let mean_ns = self.reference_ns + (now - self.reference_ns) / 20.0;
            self.reference_ns = mean_ns.min(self.least_ns * (1.0 + DRIFT / 2.0));
            self.least_ns = self.least_ns.min(self.reference_ns);
        }
        Ok(now)
    }

    const fn restart_from(&mut self, now_ns: f64) {
        (self.reference_ns, self.least_ns) = (now_ns, now_ns);
    }
}

pub(in crate::engine) fn can_ramp(device: &Device) -> bool {
    device.kind != DeviceType::Software
}

/// The canary's case. On a GPU it has many rounds, so that a launch costs little: with 16 rounds, its time varied by
/// 2.3 % between cases on an H200.
pub(in crate::engine) fn canary_case(device: &Device) -> Result<Case> {
    canary_of(can_ramp(device))
}

pub(in crate::engine) fn canary_of(is_gpu: bool) -> Result<Case> {
    let params = [("ROUNDS".to_owned(), if is_gpu { 128.0 } else { 16.0 })].into();
    case_of("ceiling", "fma", Shape::new(Dtype::F32, Extent::Linear(1 << 12), params))
}

/// A case of the suite that tests the device.
pub(in crate::engine) fn case_of(family: &str, benchmark: &str, shape: Shape) -> Result<Case> {
    let found = FAMILIES.iter().find(|known| known.name == family);
    let found = found.and_then(|known| Some((*known, known.benchmarks.iter().find(|b| b.name == benchmark)?)));
    let (family, benchmark) = found.ok_or_else(|| Error::Shader(format!("{family}/{benchmark} is missing")))?;
    Ok(Case::new(family, benchmark, shape))
}
