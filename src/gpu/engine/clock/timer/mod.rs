//! The clock that times rows: the device's timestamps, if they pass a test against the host's clock.
//!
//! Nothing here reads a clock. All times come from the samples, so that tests can use synthetic ones.

use crate::backend::{Device, Prepared, Sample};
use record::error::{Error, Result};
use record::suite::DeviceType;
use record::{Clock, stats};

/// Minimum of the test's shortest sample, in nanoseconds of wall time: 100 of browsers' 100 µs clock steps.
const SHORTEST_NS: f64 = 10e6;

/// The same on a software device outside of a browser: its timestamps are those of the host's fine clock.
const SHORTEST_ON_SOFTWARE_NS: f64 = 2.5e6;

/// Lengths of the samples of a round, as multiples of the shortest one.
const LENGTHS: [u32; 3] = [1, 2, 4];

/// Maximum number of launches in the shortest sample.
const MAX_LAUNCHES: u32 = 1 << 14;

/// Rounds of samples: the minimum, and the maximum if the host is too noisy.
const ROUNDS: (usize, usize) = (2, 8);

/// Time of all rounds after which no other round starts, in nanoseconds.
const BUDGET_NS: f64 = 0.7e9;

/// Samples of different lengths below the shortest one: their times show the clock's step.
const SPREAD: u32 = 24;

/// Maximum deviation of the device's clock from the host's, and half width of a certain rate, as fractions.
const TOLERANCE: f64 = 0.1;

/// A device clock that is certainly off by this factor is not used, even if the host cannot measure to 10 %.
const CERTAIN_FACTOR: f64 = 1.5;

/// A jump of the device's clock is longer than this, in nanoseconds: coarse clocks round short samples by less.
const JUMP_NS: f64 = 1e6;

/// A sample's device time may exceed its host time by this factor and [`JUMP_NS`].
const LONGER: f64 = 1.2;

/// Attempts at samples with an impossible device time. A 36-bit counter (some Intel GPUs) wraps once an hour.
const ATTEMPTS: usize = 3;

/// The clock that times rows.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Timer {
    /// `true`: device timestamps. `false`: the host's clock around submit and wait.
    pub is_device: bool,
    /// Smallest observed step, in nanoseconds.
    pub tick_ns: f64,
    /// Why the host's clock replaces device timestamps, or why device timestamps are used without confirmation.
    pub note: Option<String>,
}

impl Timer {
    /// The host's clock, for work that device timestamps cannot time.
    #[must_use]
    pub const fn wall() -> Self {
        Self { is_device: false, tick_ns: 1.0, note: None }
    }

    /// The host's clock around a part of the host's work; samples hold this time in place of the device's.
    #[must_use]
    pub const fn of_part() -> Self {
        // Browsers round to 100 µs; the sum over many launches does not.
        Self { is_device: true, tick_ns: 100.0, note: None }
    }

    /// The clock, as a row states it.
    #[must_use]
    pub const fn clock(&self) -> Clock {
        if self.is_device { Clock::Timestamp } else { Clock::Wall }
    }

    /// Duration of a sample by this clock, in nanoseconds.
    #[must_use]
    pub fn read(&self, sample: &Sample) -> f64 {
        if self.is_device { sample.device_ns.unwrap_or(sample.wall_ns) } else { sample.wall_ns }
    }

    /// Takes a sample; repeats it if its device time is impossible.
    ///
    /// # Errors
    /// [`Error::Clock`] if it stays impossible; errors of the device.
    pub async fn sample(&self, prepared: &mut dyn Prepared, launches: u32) -> Result<Sample> {
        let mut samples = self.samples(prepared, launches, 1).await?;
        samples.pop().ok_or_else(|| Error::Validation("a submission returned no sample".to_owned()))
    }

    /// Takes up to `count` samples ([`Prepared::samples`]); repeats them if a device time is impossible: not a number,
    /// negative, or longer than the host's time around it.
    ///
    /// # Errors
    /// [`Error::Clock`] if one stays impossible; errors of the device.
    pub async fn samples(&self, prepared: &mut dyn Prepared, launches: u32, count: usize) -> Result<Vec<Sample>> {
        let mut fault = String::new();
        for _ in 0..ATTEMPTS {
            let samples = prepared.samples(launches, count).await?;
            match self.fault(&samples) {
                Some(found) => fault = found,
                None => return Ok(samples),
            }
        }
        Err(Error::Clock(fault))
    }

    /// Why the device times of samples in one submission are impossible, if they are.
    fn fault(&self, samples: &[Sample]) -> Option<String> {
        let times_ns: Vec<f64> = samples.iter().filter_map(|sample| sample.device_ns).collect();
        if !self.is_device {
            return None;
        }
        if let Some(ns) = times_ns.iter().find(|ns| ns.is_nan() || **ns < 0.0) {
            return Some(format!("a sample took {:.3e} ms by the device's timestamps: these are invalid", ns / 1e6));
        }
        let (device_ns, wall_ns) =
            (times_ns.iter().sum::<f64>(), samples.iter().map(|sample| sample.wall_ns).sum::<f64>());
        (device_ns > LONGER * wall_ns + JUMP_NS.max(2.0 * self.tick_ns)).then(|| {
            format!(
                "a submission took {:.3e} ms by the device's timestamps, but only {:.3e} ms by the host's clock",
                device_ns / 1e6,
                wall_ns / 1e6
            )
        })
    }

    /// Minimum duration of a sample: 100 ticks, and `floor_ns` by timestamps or 5 ms by the host's clock, where submit
    /// and wait would dominate anything shorter.
    #[must_use]
    pub fn shortest_sample_ns(&self, floor_ns: f64) -> f64 {
        (100.0 * self.tick_ns).max(if self.is_device { floor_ns } else { 5e6 })
    }
}

type Round = [Sample; LENGTHS.len()];

/// Tests the device's timestamps on `prepared`, a job of measurable length, and selects the timer.
///
/// Rounds of samples of 10, 20 and 40 ms compare both clocks (a quarter of that on a software device). The rate of the
/// device's clock is the slope of device time over host time between lengths, which cancels the cost of submit and
/// wait. Other programs only lengthen the host's time, so the shortest of several samples of a length counts. The
/// rate's range covers the slopes of all pairs of lengths, with all rounds and without each of them (the jackknife).
///
/// The device's timestamps are used if that range is within 10 % of 1. Rounds are added until the range decides; if it
/// never does, on a busy machine, the timestamps are used with a note unless they are certainly off by a factor of 1.5.
/// Timestamps that are missing, zero, negative, stuck, or that jump are not used.
///
/// # Errors
/// Errors of the device.
pub async fn select_timer(prepared: &mut dyn Prepared, device: &Device) -> Result<Timer> {
    let is_short = device.kind == DeviceType::Software && !device.is_in_browser;
    tested(prepared, if is_short { SHORTEST_ON_SOFTWARE_NS } else { SHORTEST_NS }).await
}

async fn tested(prepared: &mut dyn Prepared, shortest_ns: f64) -> Result<Timer> {
    let first = prepared.sample(1).await?; // the first launch may include compilation
    let mut launches = shortest_launches(prepared, shortest_ns).await?;
    let (mut spread, mut rounds, mut spent_ns) = (Vec::new(), Vec::<Round>::new(), 0.0);
    for part in 1..=SPREAD {
        // By squares: lengths at equal distances could all be even multiples of the step.
        spread.push(prepared.sample((launches * part * part / (4 * SPREAD * SPREAD)).max(1)).await?);
    }
    if first.device_ns.is_none() {
        return Ok(timer(Verdict::Wall("the device writes no timestamps".to_owned()), &rounds, &spread));
    }
    loop {
        let mut round = [first; LENGTHS.len()];
        for (sample, length) in round.iter_mut().zip(LENGTHS) {
            *sample = prepared.sample(launches * length).await?;
            spent_ns += sample.wall_ns;
        }
        // A GPU's clock rises under load, which shortens samples.
        if round[0].wall_ns < shortest_ns && launches < MAX_LAUNCHES && spent_ns < BUDGET_NS {
            launches = more_launches(launches, round[0].wall_ns, shortest_ns);
            rounds.clear();
            continue;
        }
        rounds.push(round);
        let verdict = judge(&rounds, &spread);
        let can_go_on = rounds.len() < ROUNDS.1 && spent_ns < BUDGET_NS;
        if rounds.len() >= ROUNDS.0 && !(can_go_on && matches!(verdict, Verdict::Unsure(_))) {
            return Ok(timer(verdict, &rounds, &spread));
        }
    }
}

async fn shortest_launches(prepared: &mut dyn Prepared, shortest_ns: f64) -> Result<u32> {
    let mut launches = 1;
    loop {
        let wall_ns = prepared.sample(launches).await?.wall_ns;
        if wall_ns >= shortest_ns || launches >= MAX_LAUNCHES {
            return Ok(launches);
        }
        launches = more_launches(launches, wall_ns, shortest_ns);
    }
}

/// More launches than those that took `wall_ns`: a quarter more than needed, since samples vary, and at most eight
/// times as many, since the cost of submit and wait may dominate.
fn more_launches(launches: u32, wall_ns: f64, shortest_ns: f64) -> u32 {
    let factor = (1.25 * shortest_ns / wall_ns.max(1.0)).clamp(1.25, 8.0);
    ((f64::from(launches) * factor).ceil() as u32).min(MAX_LAUNCHES)
}

/// What samples show about the device's clock.
#[derive(Debug, Clone, PartialEq)]
enum Verdict {
    /// It agrees with the host's.
    Device,
    /// It cannot be used, with the reason.
    Wall(String),
    /// Undecided.
    Unsure(Rate),
}

/// Nanoseconds of the device's clock per nanosecond of the host's.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rate {
    value: f64,
    low: f64,
    high: f64,
}

impl Rate {
    fn of(rounds: &[Round]) -> Self {
        let all = slopes(&quiet(rounds.iter()));
        let mut range = all.to_vec();
        for left_out in 0..if rounds.len() > 1 { rounds.len() } else { 0 } {
            let others = rounds.iter().enumerate().filter(|(index, _)| *index != left_out).map(|(_, round)| round);
            range.extend(slopes(&quiet(others)));
        }
        // A length that took no longer than a shorter one gives no slope: anything is possible.
        let end = |fold: fn(f64, f64) -> f64, none: f64| {
            let is_known = range.iter().all(|slope| slope.is_finite());
            if is_known { range.iter().copied().reduce(fold).unwrap_or(none) } else { none }
        };
        let (low, high) = (end(f64::min, f64::NEG_INFINITY), end(f64::max, f64::INFINITY));
        Self { value: stats::median(&all).unwrap_or(1.0), low, high }
    }

    fn is_certain(&self) -> bool {
        self.high - self.low <= 2.0 * TOLERANCE * self.value.abs()
    }

    fn disagrees(&self) -> Verdict {
        Verdict::Wall(format!(
            "the device's timestamps run at {} times the rate of the host's clock",
            in_three_digits(self.value)
        ))
    }
}

fn in_three_digits(value: f64) -> String {
    if value.abs() < 0.01 { format!("{value:.1e}") } else { format!("{value:.2}") }
}

/// For each length, the sample with the shortest time by the host's clock.
fn quiet<'a>(rounds: impl Iterator<Item = &'a Round>) -> Round {
    let shorter = |a: Sample, b: &Sample| if b.wall_ns < a.wall_ns { *b } else { a };
    let none = Sample { device_ns: None, wall_ns: f64::INFINITY };
    rounds.fold([none; LENGTHS.len()], |mut quiet, round| {
        for (best, sample) in quiet.iter_mut().zip(round) {
            *best = shorter(*best, sample);
        }
        quiet
    })
}

/// Slopes of device time over host time between each two lengths; NaN where the longer sample took no longer.
fn slopes(round: &Round) -> [f64; 3] {
    let device = |index: usize| round[index].device_ns.unwrap_or(f64::NAN);
    [(0, 1), (1, 2), (0, 2)].map(|(short, long)| {
        let wall_ns = round[long].wall_ns - round[short].wall_ns;
        if wall_ns > 0.0 { (device(long) - device(short)) / wall_ns } else { f64::NAN }
    })
}

fn judge(rounds: &[Round], spread: &[Sample]) -> Verdict {
    let wall = |note: &str| Verdict::Wall(note.to_owned());
    let all = || rounds.iter().flatten().chain(spread);
    let device: Vec<f64> = all().filter_map(|sample| sample.device_ns).collect();
    if device.len() < all().count() {
        return wall("the device writes no timestamps");
    }
    if device.iter().all(|&ns| ns == 0.0) {
        return wall("the device's timestamps are all zero");
    }
    if device.iter().any(|&ns| ns < 0.0) {
        return wall("the device's timestamps run backwards");
    }
    if is_stuck(rounds) {
        return wall("the device's timestamps do not increase with the work");
    }
    let rate = Rate::of(rounds);
    let is_off = rate.low > 1.0 + TOLERANCE || rate.high < 1.0 - TOLERANCE;
    if rate.is_certain() && is_off {
        return rate.disagrees();
    }
    if let Some(jump) = jump(rounds, spread) {
        return Verdict::Wall(format!(
            "the device's timestamps jump: a sample took {:.3} ms by the host's clock, but {:.3e} ms by timestamps",
            jump.wall_ns / 1e6,
            jump.device_ns.unwrap_or(0.0) / 1e6
        ));
    }
    if rate.low > CERTAIN_FACTOR || rate.high < 1.0 / CERTAIN_FACTOR {
        return rate.disagrees();
    }
    let is_within = rate.low >= 1.0 - TOLERANCE && rate.high <= 1.0 + TOLERANCE;
    if is_within { Verdict::Device } else { Verdict::Unsure(rate) }
}

/// Whether all device times are alike though the host's are not.
fn is_stuck(rounds: &[Round]) -> bool {
    let range = |read: fn(&Sample) -> f64| {
        let times = || rounds.iter().flatten().map(read);
        (times().fold(f64::INFINITY, f64::min), times().fold(0.0, f64::max))
    };
    let (device, wall) = (range(|sample| sample.device_ns.unwrap_or(0.0)), range(|sample| sample.wall_ns));
    device.1 <= 1.2 * device.0 && wall.1 >= 2.0 * wall.0
}

/// A sample whose device time no interruption of the host explains: far longer than its host time; or far shorter than
/// this and than the device times of other samples with as many launches.
fn jump<'a>(rounds: &'a [Round], spread: &'a [Sample]) -> Option<&'a Sample> {
    let is_too_long = |sample: &Sample| sample.device_ns > Some(CERTAIN_FACTOR * sample.wall_ns + JUMP_NS);
    if let Some(sample) = rounds.iter().flatten().chain(spread).find(|sample| is_too_long(sample)) {
        return Some(sample);
    }
    let of_length = || rounds.iter().flat_map(|round| round.iter().zip(LENGTHS.map(f64::from)));
    let each: Vec<f64> = of_length().filter_map(|(sample, length)| Some(sample.device_ns? / length)).collect();
    let each_ns = stats::median(&each)?;
    let is_too_short = |(sample, length): &(&Sample, f64)| {
        let device_ns = sample.device_ns.unwrap_or(0.0) + JUMP_NS;
        // Four times: a GPU's clock may rise, and another program may interrupt the host.
        4.0 * device_ns < sample.wall_ns && 4.0 * device_ns < each_ns * length
    };
    of_length().find(is_too_short).map(|(sample, _)| sample)
}

/// The timer of a final verdict. If the range never fell on one side of 10 %, its middle decides if the range is
/// narrow; otherwise the device's clock is used.
fn timer(verdict: Verdict, rounds: &[Round], spread: &[Sample]) -> Timer {
    let all = || spread.iter().chain(rounds.iter().flatten());
    let note = match verdict {
        Verdict::Device => None,
        Verdict::Wall(note) => {
            let walls: Vec<f64> = all().map(|sample| sample.wall_ns).collect();
            return Timer { is_device: false, tick_ns: stats::clock_step(&walls).unwrap_or(1.0), note: Some(note) };
        }
        Verdict::Unsure(rate) if rate.is_certain() => {
            if (rate.value - 1.0).abs() > TOLERANCE {
                return timer(rate.disagrees(), rounds, spread);
            }
            None
        }
        Verdict::Unsure(_) => Some("the host's clock is too noisy to confirm the timestamps within 10 %".to_owned()),
    };
    // Drivers return times as f32: only short ones are exact multiples of the step.
    let device = |samples: &mut dyn Iterator<Item = &Sample>| {
        stats::clock_step(&samples.filter_map(|sample| sample.device_ns).collect::<Vec<_>>())
    };
    let tick_ns = device(&mut spread.iter()).or_else(|| device(&mut all())).unwrap_or(1.0);
    Timer { is_device: true, tick_ns, note }
}

#[cfg(test)]
mod tests;
