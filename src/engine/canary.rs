//! What tells whether the device's clock holds still.

use super::lost::leak_if_lost;
use crate::backend::{Device, DeviceType, Prepared};
use crate::engine::measure::Timer;
use crate::error::{Error, Result};
use crate::families::FAMILIES;
use crate::suite::{Case, Dtype, Extent, Shape};

/// How far the canary may move over a case before the case is measured again.
const DRIFT: f64 = 0.05;

/// A stretch of load that raises the device's clock: short, since a clock that fell a little is back after a few milliseconds.
const RAMP_NS: f64 = 5e6;

/// How long it sings at least, by the device's clock: so long that what submissions differ by stays far below [`DRIFT`].
const SAMPLE_NS: f64 = 300_000.0;

/// A short arithmetic job whose time moves only when the device's clock does.
pub(super) struct Canary {
    prepared: Box<dyn Prepared>,
    /// Launches of a sample, and of a stretch of load.
    launches: u32,
    load: u32,
    /// Whether the device has a clock of its own that load can raise.
    pub(super) can_ramp: bool,
    /// Its time at the clock that rows are measured at.
    reference_ns: f64,
    /// Its times so far, where the device has no clock of its own.
    times_ns: Vec<f64>,
}

impl Canary {
    pub(super) async fn new(prepared: Box<dyn Prepared>, timer: &Timer, can_ramp: bool) -> Result<Self> {
        let mut canary =
            Self { prepared, launches: 1, load: 1, can_ramp, reference_ns: f64::INFINITY, times_ns: Vec::new() };
        match canary.settle(timer).await {
            Ok(()) => Ok(canary),
            Err(error) => leak_if_lost(canary, Err(error)),
        }
    }

    /// Finds how many launches it takes, and what they take once the clock is up.
    async fn settle(&mut self, timer: &Timer) -> Result<()> {
        self.prepared.sample(1).await?;
        let each = timer.read(&self.prepared.sample(1).await?).max(1.0);
        let launches_for = |ns: f64| (ns / each).ceil().clamp(1.0, 2000.0) as u32;
        (self.launches, self.load) = (launches_for(timer.shortest_sample_ns(SAMPLE_NS)), launches_for(RAMP_NS));
        // Clocks rise over the first moments of work.
        for _ in 0..if self.can_ramp { 40 } else { 1 } {
            self.prepared.sample(self.load).await?;
            self.reference_ns = self.reference_ns.min(self.time(timer).await?);
        }
        Ok(())
    }

    /// The fastest of three samples: what the clock allows, whatever else the machine was doing.
    pub(super) async fn time(&mut self, timer: &Timer) -> Result<f64> {
        let mut fastest = f64::INFINITY;
        for _ in 0..3 {
            fastest = fastest.min(timer.read(&self.prepared.sample(self.launches).await?));
        }
        if !self.can_ramp {
            self.times_ns.push(fastest.max(1.0));
        }
        Ok(fastest.max(1.0))
    }

    /// How far the device's speed strays by itself, as a fraction of it: half the width of the middle 90 % of the canary's times so far,
    /// relative to their median. 0 for a device with a clock of its own, whose changes are followed instead.
    pub(super) fn scatter(&self) -> f64 {
        let mut sorted = self.times_ns.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |part: f64| sorted.get((part * (sorted.len() - 1) as f64) as usize).copied();
        if sorted.is_empty() {
            return 0.0;
        }
        at(0.05).zip(at(0.5)).zip(at(0.95)).map_or(0.0, |((low, median), high)| (high - low) / 2.0 / median)
    }

    /// How far the canary may move over a case before the case is measured again, or its row marked.
    pub(super) fn allowed_drift(&self) -> f64 {
        DRIFT.max(2.0 * self.scatter())
    }

    /// Keeps the device busy until its clock is back where it was (GPUs fall to a fraction of it while the host verifies), and gives
    /// the canary's time there. What half a second of work does not bring back is gone for now: that is the new reference.
    pub(super) async fn ramp_up(&mut self, timer: &Timer) -> Result<f64> {
        let (mut now, mut spent_ns) = (self.time(timer).await?, 0.0);
        while self.can_ramp && now > self.reference_ns * (1.0 + DRIFT / 2.0) && spent_ns < 0.5e9 {
            spent_ns += self.prepared.sample(self.load).await?.wall_ns;
            now = self.time(timer).await?;
        }
        self.reference_ns =
            if now > self.reference_ns * (1.0 + DRIFT / 2.0) { now } else { now.min(self.reference_ns) };
        Ok(now)
    }
}

pub(super) fn can_ramp(device: &Device) -> bool {
    device.kind != DeviceType::Software
}

pub(super) fn canary_case() -> Result<Case> {
    let params = [("ROUNDS".to_owned(), 16.0)].into();
    case_of("ceiling", "fma", Shape { dtype: Dtype::F32, extent: Extent::Linear(1 << 12), params })
}

/// A case of the suite's own that tests the device.
pub(super) fn case_of(family: &str, benchmark: &str, shape: Shape) -> Result<Case> {
    let found = FAMILIES.iter().find(|known| known.name == family);
    let found = found.and_then(|known| Some((*known, known.benchmarks.iter().find(|b| b.name == benchmark)?)));
    let (family, benchmark) = found.ok_or_else(|| Error::Shader(format!("{family}/{benchmark} is missing")))?;
    Ok(Case::new(family, benchmark, shape))
}
