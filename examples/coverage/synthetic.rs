//! Series of times with a known true median, measured by the suite's own code on a simulated device. The times are
//! log-normal around a level, with these disturbances, alone or together: *drift* (the level moves by up to 1 % during
//! the case, along a line or like a clock that settles), *outliers* (up to 5 % of the samples take 10 % to 200 %
//! longer) and *two modes* (5 to 95 % of the samples have a second level, up to ten standard deviations away). All are
//! mixtures of log-normal distributions, so the medians are known; with drift, over the series.

use gpu::backend::{Prepared, Sample, Task};
use gpu::engine::measure::{Rules, Timer, measure};
use record::error::Result;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Disturbance {
    pub(crate) has_drift: bool,
    pub(crate) has_outliers: bool,
    pub(crate) has_two_modes: bool,
    /// Correlation of the noise of neighbouring samples. The true median is then that of an infinite series.
    pub(crate) memory: f64,
}

/// The distribution of the times of a case.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Process {
    pub(crate) base_ns: f64,
    /// Standard deviation of the logarithm of a sample.
    pub(crate) sigma: f64,
    memory: f64,
    drift: f64,
    /// The time in which the drift settles, in nanoseconds; `None` for drift along a line.
    settles_ns: Option<f64>,
    budget_ns: f64,
    outliers: f64,
    outlier_shift: f64,
    second_mode: f64,
    mode_shift: f64,
}

const OUTLIER_SIGMA: f64 = 0.2;

impl Process {
    /// A random process with launches in the range `launch_ns` and noise from 0.05 to 5 %.
    pub(crate) fn draw(random: &mut Random, disturbance: Disturbance, launch_ns: (f64, f64), rules: &Rules) -> Self {
        let sigma = random.log_between(0.0005, 0.05);
        let when = |is_on: bool, value: f64| if is_on { value } else { 0.0 };
        Self {
            base_ns: random.log_between(launch_ns.0, launch_ns.1),
            sigma,
            memory: disturbance.memory,
            drift: when(disturbance.has_drift, random.between(-0.01, 0.01)),
            settles_ns: (random.uniform() < 0.5).then(|| random.log_between(1e6, rules.budget_ns)),
            budget_ns: rules.budget_ns,
            outliers: when(disturbance.has_outliers, random.between(0.01, 0.05)),
            outlier_shift: random.log_between(0.1, 1.1),
            second_mode: when(disturbance.has_two_modes, random.between(0.05, 0.95)),
            mode_shift: sigma * random.between(1.0, 10.0),
        }
    }

    /// Logarithm of the level after `spent_ns` of the case, before noise.
    fn level(&self, spent_ns: f64) -> f64 {
        let part = match self.settles_ns {
            Some(settles) => 1.0 - (-spent_ns / settles).exp(),
            None => spent_ns / self.budget_ns,
        };
        self.base_ns.ln() + self.drift * part
    }

    /// A sample's time at `level`; `noise` is standard normal.
    fn sample(&self, level: f64, noise: f64, random: &mut Random) -> f64 {
        let mut log = level + self.sigma * noise;
        if random.uniform() < self.second_mode {
            log += self.mode_shift;
        }
        if random.uniform() < self.outliers {
            log += self.outlier_shift + OUTLIER_SIGMA * random.normal();
        }
        log.exp()
    }

    /// The share of samples at `level` that are shorter than `e^log` nanoseconds.
    fn below(&self, log: f64, level: f64) -> f64 {
        let modes = [(1.0 - self.second_mode, 0.0), (self.second_mode, self.mode_shift)];
        let of_mode = |(weight, shift): (f64, f64)| {
            let away = log - level - shift;
            let usual = normal_below(away / self.sigma);
            let outlier = normal_below((away - self.outlier_shift) / self.sigma.hypot(OUTLIER_SIGMA));
            weight * ((1.0 - self.outliers) * usual + self.outliers * outlier)
        };
        modes.into_iter().map(of_mode).sum()
    }

    /// The median of the mixture over `levels`, in nanoseconds.
    fn true_median(&self, levels: &[f64]) -> f64 {
        let levels = if self.drift == 0.0 { &levels[..1] } else { levels };
        let (mut low, mut high) = (self.base_ns.ln() - 1.0, self.base_ns.ln() + 1.0);
        for _ in 0..48 {
            let middle = f64::midpoint(low, high);
            let below = levels.iter().map(|level| self.below(middle, *level)).sum::<f64>() / levels.len() as f64;
            if below < 0.5 {
                low = middle;
            } else {
                high = middle;
            }
        }
        f64::midpoint(low, high).exp()
    }

    /// Measures the process with the suite's own code. Returns the samples and the true median, in nanoseconds.
    pub(crate) fn measure(&self, random: &mut Random, rules: &Rules) -> (Vec<f64>, f64) {
        let (samples, levels) = self.series(random, rules);
        (samples, self.true_median(&levels))
    }

    fn series(&self, random: &mut Random, rules: &Rules) -> (Vec<f64>, Vec<f64>) {
        let noise = random.normal();
        let mut device = Device { process: *self, random, noise, spent_ns: 0.0, levels: Vec::new() };
        // A tick of 1 ns is close to the model, which has none.
        let timer = Timer { is_device: true, tick_ns: 1.0, note: None };
        let series = pollster::block_on(measure(&mut device, &timer, rules)).expect("nothing fails");
        // The series is the last part of the samples: batching and warm-up come before it.
        let levels = device.levels.split_off(device.levels.len() - series.samples_ns.len());
        (series.samples_ns, levels)
    }
}

struct Device<'a> {
    process: Process,
    random: &'a mut Random,
    noise: f64,
    spent_ns: f64,
    levels: Vec<f64>,
}

impl Device<'_> {
    fn next_sample(&mut self, launches: u32) -> Sample {
        let level = self.process.level(self.spent_ns);
        self.levels.push(level);
        let memory = self.process.memory;
        self.noise = memory * self.noise + (1.0 - memory * memory).sqrt() * self.random.normal();
        let ns = self.process.sample(level, self.noise, self.random) * f64::from(launches);
        let wall_ns = ns + 10_000.0;
        self.spent_ns += wall_ns;
        Sample { device_ns: Some(ns), wall_ns }
    }
}

impl Prepared for Device<'_> {
    fn sample(&mut self, launches: u32) -> Task<'_, Sample> {
        let sample = self.next_sample(launches);
        Box::pin(async move { Ok(sample) })
    }
    fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
        Box::pin(async { Ok((0.0, None)) })
    }
    fn poison(&mut self) -> Task<'_, ()> {
        Box::pin(async { Ok(()) })
    }
    fn read<'a>(&'a mut self, _: usize, _: u64, _: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
        Box::pin(async { Result::Ok(()) })
    }
}

/// Random numbers: SplitMix64 (Steele, Lea & Flood, *OOPSLA* 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Between 0 and 1, both excluded.
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        ((bits >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Equally likely in each octave.
    pub(crate) fn log_between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.uniform())
    }

    /// Standard normal, by Box and Muller's transform.
    pub(crate) fn normal(&mut self) -> f64 {
        (-2.0 * self.uniform().ln()).sqrt() * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// The standard normal distribution function (Abramowitz & Stegun, 26.2.17; error below 1e-7).
fn normal_below(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let terms = [1.330_274_429, -1.821_255_978, 1.781_477_937, -0.356_563_782, 0.319_381_530];
    let polynomial = terms.iter().fold(0.0, |sum, term| (sum + term) * t);
    let above = polynomial * (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    if x > 0.0 { 1.0 - above } else { above }
}
