//! Energy of a case's launches, by the card's counter or power sensor.

use web_time::Instant;

use super::Timer;
use crate::backend::Prepared;
use crate::backend::monitor::Monitor;
use record::Energy;
use record::error::Result;

/// Duration of uncounted launches before, in nanoseconds: clock and power settle.
const LEAD_NS: f64 = 0.3e9;

/// Minimum duration of the counted launches, in nanoseconds. Counters advance every 20 to 100 ms.
const COUNTED_NS: f64 = 1e9;

/// Minimum number of counted submissions: a change of the counter is located to one submission.
const PIECES: f64 = 20.0;

/// Duration of a submission, in nanoseconds, unless one launch takes longer; and of one that waits for the counter.
const PIECE_NS: f64 = 20e6;
const SHORT_PIECE_NS: f64 = 5e6;

/// Maximum duration in all, in nanoseconds. A launch that takes longer than a twentieth of it has no energy.
const LONGEST_NS: f64 = 20e9;

/// Time within which the counter must advance, in nanoseconds.
const STILL_NS: f64 = 1e9;

/// Time between readings of a sensor without a counter, in nanoseconds: a reading takes milliseconds on some cards.
const SENSOR_NS: f64 = 0.1e9;

/// The energy of a launch of `each_ns`, with at most `max_launches` per submission, or the reason why there is none.
///
/// With a counter: from one advance of it to another at least a second later, divided by the launches between. Without:
/// the mean of the power sensor over a second, times the time. Both are for the whole card and include its idle power
/// and the pauses between submissions.
pub(in crate::engine) async fn energy(
    prepared: &mut dyn Prepared,
    timer: &Timer,
    monitor: &mut dyn Monitor,
    each_ns: f64,
    max_launches: u32,
) -> Result<Result<Energy, &'static str>> {
    if each_ns * PIECES > LONGEST_NS {
        return Ok(Err("a launch takes more than a second"));
    }
    let launches = |piece_ns: f64| ((piece_ns / each_ns.max(1.0)) as u32).clamp(1, max_launches);
    let has_counter = monitor.joules().is_some();
    let mut burst = Burst { prepared, timer, launches: launches(PIECE_NS), ns: 0.0, count: 0 };
    while burst.ns < LEAD_NS {
        burst.piece().await?;
    }
    burst.launches = launches(SHORT_PIECE_NS);
    let first = if has_counter { burst.advance(monitor).await?.map(Some) } else { Ok(None) };
    let first = match first {
        Ok(first) => first,
        Err(fault) => return Ok(Err(fault)),
    };
    burst.launches = launches(PIECE_NS);
    (burst.ns, burst.count) = (0.0, 0);
    let counted_ns = COUNTED_NS.max(PIECES * each_ns * f64::from(burst.launches));
    let (mut readings, mut next_ns) = (Vec::new(), SENSOR_NS);
    while burst.ns < counted_ns {
        burst.piece().await?;
        // Nothing runs while the sensor is read.
        if !has_counter && burst.ns >= next_ns {
            readings.extend(monitor.watts());
            next_ns = burst.ns + SENSOR_NS;
        }
    }
    if let Some(first) = first {
        burst.launches = launches(SHORT_PIECE_NS);
        let joules = match burst.advance(monitor).await? {
            Ok(last) => last - first,
            Err(fault) => return Ok(Err(fault)),
        };
        let (watts, joules) = (joules / burst.ns * 1e9, joules / burst.count as f64);
        return Ok(Ok(Energy { joules, watts, sensor_watts: monitor.watts() }));
    }
    if readings.is_empty() {
        return Ok(Err("the card does not report its power"));
    }
    let watts = readings.iter().sum::<f64>() / readings.len() as f64;
    let joules = watts * burst.ns / 1e9 / burst.count as f64;
    Ok(Ok(Energy { joules, watts, sensor_watts: None }))
}

/// Launches without a pause, and how many there were.
struct Burst<'a> {
    prepared: &'a mut dyn Prepared,
    timer: &'a Timer,
    launches: u32,
    /// Duration by the host's clock, with readings of the counter, in nanoseconds.
    ns: f64,
    count: u64,
}

impl Burst<'_> {
    async fn piece(&mut self) -> Result<()> {
        let sample = self.timer.sample(self.prepared, self.launches).await?;
        self.ns += sample.wall_ns;
        self.count += u64::from(self.launches);
        Ok(())
    }

    /// Runs launches until the counter advances, and returns its value then.
    async fn advance(&mut self, monitor: &mut dyn Monitor) -> Result<Result<f64, &'static str>> {
        let (before, start_ns) = (monitor.joules(), self.ns);
        while self.ns - start_ns <= STILL_NS {
            self.piece().await?;
            let start = Instant::now();
            let now = monitor.joules();
            self.ns += start.elapsed().as_nanos() as f64;
            match now.zip(before) {
                None => return Ok(Err("the card's energy counter can no longer be read")),
                Some((now, before)) if now < before => return Ok(Err("the card's energy counter went backwards")),
                Some((now, before)) if now > before => return Ok(Ok(now)),
                Some(_) => {}
            }
        }
        Ok(Err("the card's energy counter does not advance"))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;
    use crate::backend::{Sample, Task};

    const TIMER: Timer = Timer { is_device: true, tick_ns: 1.0, note: None };

    /// A card that uses `watts` while launches of `each_ns` run.
    #[derive(Clone)]
    struct Card {
        ns: Rc<Cell<f64>>,
        each_ns: f64,
        watts: f64,
        /// Time between advances of the counter, in nanoseconds; `None` without a counter.
        step_ns: Option<f64>,
    }

    impl Card {
        fn new(each_ns: f64, watts: f64, step_ns: Option<f64>) -> Self {
            // The counter's advances are not aligned with the launches.
            Self { ns: Rc::new(Cell::new(12_345_678.0)), each_ns, watts, step_ns }
        }
        fn measured(&self) -> Result<Energy, &'static str> {
            let (mut prepared, mut monitor) = (self.clone(), self.clone());
            let measured = energy(&mut prepared, &TIMER, &mut monitor, self.each_ns, 1000);
            pollster::block_on(measured).expect("the device works")
        }
    }

    impl Prepared for Card {
        fn sample(&mut self, launches: u32) -> Task<'_, Sample> {
            let wall_ns = self.each_ns * f64::from(launches);
            self.ns.set(self.ns.get() + wall_ns);
            Box::pin(async move { Ok(Sample { wall_ns, device_ns: Some(wall_ns) }) })
        }
        fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
            Box::pin(async { Ok((0.0, None)) })
        }
        fn poison(&mut self) -> Task<'_, ()> {
            Box::pin(async { Ok(()) })
        }
        fn read<'a>(&'a mut self, _: usize, _: u64, _: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
            Box::pin(async { Ok(()) })
        }
    }

    impl Monitor for Card {
        fn read(&mut self) -> record::suite::Reading {
            record::suite::Reading { watts: Some(self.watts), ..Default::default() }
        }
        fn joules(&mut self) -> Option<f64> {
            let step_ns = self.step_ns?;
            Some((self.ns.get() / step_ns).floor() * step_ns / 1e9 * self.watts)
        }
    }

    #[test]
    fn a_counter_and_a_sensor_give_the_joules_of_a_launch() {
        for each_ns in [2e3, 1e6, 37e6, 400e6] {
            for (step_ns, tolerance) in [(Some(0.1e9), 0.01), (Some(0.02e9), 0.01), (None, 1e-9)] {
                // A launch longer than the counter's step blurs both ends by up to one launch of twenty.
                let tolerance = if each_ns > 5e6 && step_ns.is_some() { 0.05 } else { tolerance };
                let energy = Card::new(each_ns, 350.0, step_ns).measured().expect("measured");
                let expected = 350.0 * each_ns / 1e9;
                assert!((energy.joules / expected - 1.0).abs() <= tolerance, "{each_ns} {step_ns:?}: {energy:?}");
                assert!((energy.watts / 350.0 - 1.0).abs() <= tolerance, "{energy:?}");
                assert_eq!(energy.sensor_watts, step_ns.map(|_| 350.0));
            }
        }
    }

    #[test]
    fn long_launches_have_no_energy_and_a_counter_that_stands_is_an_error() {
        assert_eq!(Card::new(1.5e9, 350.0, None).measured(), Err("a launch takes more than a second"));
        let stands = Card::new(1e6, 350.0, Some(1e15)).measured();
        assert_eq!(stands, Err("the card's energy counter does not advance"));
    }
}
