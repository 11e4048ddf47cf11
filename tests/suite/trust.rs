//! What makes a number trustworthy, each made to fire on a fake device: the canary, the card's own word, the timers' self-test, the
//! ceilings. `tests/pipeline.rs` has the clock that falls once, five clocks that lie, and rows beyond their ceiling.

use std::sync::{Arc, Mutex};

use crate::common::{Behaviour, Clock, Fake, Seen, cases, fake, settings};
use shaderbench::backend::monitor::Monitor;
use shaderbench::backend::monitor::{Reading, Throttle};
use shaderbench::backend::{Backend, Device, Prepared, Sample, Task};
use shaderbench::engine;
use shaderbench::job::Job;
use shaderbench::results::{Record, Status};
use shaderbench::suite::Dtype;

const SUBJECT: &str = "transpose/tiled f32 64x96 PAD=1";

/// What the test's device knows of the run so far.
#[derive(Default)]
struct Progress {
    /// Whether the job that was prepared last is the subject.
    is_subject: bool,
    /// How often the subject was measured: each time ends with one poisoning.
    attempts: usize,
}

/// The fake device with a card around it.
struct Card {
    fake: Fake,
    /// The device's clock from the subject's first sample on, when it was measured so often before; 1 is what the run starts with.
    clock: fn(usize) -> f64,
    /// What device timestamps are multiplied by.
    stretch: f64,
    /// What the card says when the subject was measured so often; `None` where it says nothing at all.
    says: Option<fn(usize) -> Vec<Throttle>>,
    progress: Arc<Mutex<Progress>>,
}

fn card() -> Card {
    let (fake, progress) = (fake(|_| Behaviour::Right), Arc::default());
    Card { fake, clock: |_| 1.0, stretch: 1.0, says: None, progress }
}

impl Backend for Card {
    fn device(&self) -> &Device {
        self.fake.device()
    }

    fn prepare<'a>(&'a mut self, job: &'a Job) -> Task<'a, Box<dyn Prepared>> {
        let is_subject = job.label == SUBJECT;
        let (progress, log) = (Arc::clone(&self.progress), Arc::clone(&self.fake.log));
        let (clock, stretch) = (self.clock, self.stretch);
        Box::pin(async move {
            progress.lock().expect("one thread").is_subject = is_subject;
            let inner = self.fake.prepare(job).await?;
            Ok(Box::new(OnCard { inner, is_subject, is_last: false, progress, log, clock, stretch })
                as Box<dyn Prepared>)
        })
    }

    fn reopen(&mut self) -> Task<'_, ()> {
        self.fake.reopen()
    }

    fn monitor(&self) -> Option<Box<dyn Monitor>> {
        let (says, progress) = (self.says?, Arc::clone(&self.progress));
        Some(Box::new(Thermometer { says, progress }))
    }
}

struct OnCard {
    inner: Box<dyn Prepared>,
    is_subject: bool,
    /// Whether the next sample is the last of a series.
    is_last: bool,
    progress: Arc<Mutex<Progress>>,
    log: Arc<Mutex<crate::common::Log>>,
    clock: fn(usize) -> f64,
    stretch: f64,
}

impl Prepared for OnCard {
    fn sample(&mut self, launches: u32) -> Task<'_, Sample> {
        Box::pin(async move {
            let sample = self.inner.sample(launches).await?;
            if self.is_subject && !self.is_last {
                let attempts = self.progress.lock().expect("one thread").attempts;
                self.log.lock().expect("one thread").speed = (self.clock)(attempts);
            }
            self.is_last = false;
            Ok(Sample { device_ns: sample.device_ns.map(|ns| ns * self.stretch), ..sample })
        })
    }
    fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
        self.inner.end_to_end()
    }
    fn poison(&mut self) -> Task<'_, ()> {
        if self.is_subject {
            self.progress.lock().expect("one thread").attempts += 1;
            self.is_last = true;
        }
        self.inner.poison()
    }
    fn read<'a>(&'a mut self, buffer: usize, bytes: u64, sink: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
        self.inner.read(buffer, bytes, sink)
    }
}

struct Thermometer {
    says: fn(usize) -> Vec<Throttle>,
    progress: Arc<Mutex<Progress>>,
}

impl Monitor for Thermometer {
    fn read(&mut self) -> Reading {
        let progress = self.progress.lock().expect("one thread");
        let throttling = if progress.is_subject { (self.says)(progress.attempts) } else { Vec::new() };
        // One degree warmer with each time.
        Reading { sm_mhz: Some(1980), celsius: Some(40 + progress.attempts as u32), throttling, ..Reading::default() }
    }
}

/// The subject's row, how often it was measured, and the other rows.
fn measured(mut card: Card) -> (Record, usize, Vec<Record>) {
    let cases = cases(&["transpose"], &["64x96"]);
    let records =
        pollster::block_on(engine::run(&mut [&mut card], &cases, &settings(), &mut Seen::default())).expect("a run");
    let is_subject = |r: &Record| r.benchmark == "tiled" && r.dtype == Some(Dtype::F32) && r.params_text() == "PAD=1";
    let (subject, others): (Vec<_>, Vec<_>) = records.into_iter().partition(is_subject);
    let attempts = card.progress.lock().expect("one thread").attempts;
    (subject.into_iter().next().expect("the subject has a row"), attempts, others)
}

#[test]
fn a_case_on_a_steady_device_is_measured_once() {
    let (row, attempts, _) = measured(card());
    assert_eq!((row.status, row.reason.as_str(), attempts), (Status::Ok, "", 1));
    assert!(row.drift.is_some_and(|drift| drift.abs() < 0.001), "{:?}", row.drift);
}

/// Falls by a tenth each time that the subject is measured.
fn falling(attempts: usize) -> f64 {
    0.9_f64.powi(attempts as i32 + 1)
}

/// Rises by a tenth each time.
fn rising(attempts: usize) -> f64 {
    falling(attempts).recip()
}

#[test]
fn a_clock_that_does_not_settle_is_measured_three_times_and_marked() {
    // One that rises is no better than one that falls.
    for (clock, drift, words) in [
        (falling as fn(usize) -> f64, 0.111, "the canary moved by 11 % and did not settle"),
        (rising, -0.1, "the canary moved by -10 % and did not settle"),
    ] {
        let (row, attempts, others) = measured(Card { clock, ..card() });
        assert_eq!((row.status, row.reason.as_str(), attempts), (Status::Ok, words, 3));
        assert!(row.drift.is_some_and(|got| (got - drift).abs() < 0.01), "{:?}", row.drift);
        assert!(row.median_ns.is_some());
        assert!(others.iter().all(|other| !other.reason.contains("canary")));
    }
}

#[test]
fn a_clock_that_moves_less_than_the_canary_allows_is_no_drift() {
    let (row, attempts, _) = measured(Card { clock: |_| 0.97, ..card() });
    assert_eq!((row.reason.as_str(), attempts), ("", 1));
    assert!(row.drift.is_some_and(|drift| (0.02..0.04).contains(&drift)), "{:?}", row.drift);
}

#[test]
fn a_throttled_case_is_measured_again_and_unmarked_once_the_card_is_well() {
    let says = |attempts: usize| if attempts == 1 { vec![Throttle::HardwareThermal] } else { vec![Throttle::PowerCap] };
    let (row, attempts, others) = measured(Card { says: Some(says), ..card() });
    assert_eq!((row.status, row.reason.as_str(), attempts), (Status::Ok, "", 2));
    let conditions = row.conditions.expect("the card told");
    assert_eq!(conditions.before.throttling, [Throttle::HardwareThermal]);
    assert_eq!((conditions.after.throttling, conditions.after.celsius), (vec![Throttle::PowerCap], Some(42)));
    // The rows that ran have theirs too.
    assert!(others.iter().all(|other| other.conditions.is_some() == other.median_ns.is_some()));
}

#[test]
fn a_card_that_stays_throttled_is_marked() {
    for (throttle, words) in [
        (Throttle::HardwareThermal, "the card was too warm"),
        (Throttle::SoftwareThermal, "the card was too warm"),
        (Throttle::PowerBrake, "the card was braked by its power supply"),
        (Throttle::HardwareSlowdown, "the card was slowed down by its hardware"),
    ] {
        let says: fn(usize) -> Vec<Throttle> = match throttle {
            Throttle::HardwareThermal => |_| vec![Throttle::HardwareThermal],
            Throttle::SoftwareThermal => |_| vec![Throttle::SoftwareThermal],
            Throttle::PowerBrake => |_| vec![Throttle::PowerBrake],
            _ => |_| vec![Throttle::HardwareSlowdown],
        };
        let (row, attempts, _) = measured(Card { says: Some(says), ..card() });
        assert_eq!((row.status, row.reason.as_str(), attempts), (Status::Ok, words, 3));
        assert!(row.median_ns.is_some());
    }
}

#[test]
fn power_limits_chosen_clocks_and_idling_are_noted_and_no_fault() {
    let says = |_: usize| vec![Throttle::Idle, Throttle::ApplicationClocks, Throttle::PowerCap, Throttle::SyncBoost];
    let (row, attempts, _) = measured(Card { says: Some(says), ..card() });
    assert_eq!((row.reason.as_str(), attempts), ("", 1));
    assert_eq!(row.conditions.expect("the card told").after.throttling.len(), 4);
}

#[test]
fn where_nothing_watches_the_card_the_canary_decides_alone() {
    let (row, attempts, _) = measured(card());
    assert_eq!((row.conditions, attempts), (None, 1));
    let (row, attempts, _) = measured(Card { clock: falling, ..card() });
    assert_eq!((row.conditions, attempts), (None, 3));
}

#[test]
fn a_row_that_is_throttled_and_drifts_says_both() {
    let says = |_: usize| vec![Throttle::SoftwareThermal];
    let (row, attempts, _) = measured(Card { clock: falling, says: Some(says), ..card() });
    assert_eq!(attempts, 3);
    assert_eq!(row.reason, "the canary moved by 11 % and did not settle; the card was too warm");
}

#[test]
fn timestamps_in_the_wrong_unit_are_refused() {
    // Ticks of 41.7 ns taken for nanoseconds, nanoseconds taken for ticks, and a clock that is only a little off, which nobody can tell
    // from the cost of submitting.
    for (stretch, timer) in [(1.0 / 41.7, "wall"), (41.7, "wall"), (1.05, "timestamp")] {
        let mut card = Card { stretch, ..card() };
        card.fake.clock = Clock::Good(1.0);
        let (row, _, _) = measured(card);
        assert_eq!((row.cell("timer").as_str(), row.status), (timer, Status::Ok), "{stretch}");
    }
}

#[test]
fn arithmetic_beyond_its_ceiling_is_implausible_and_below_it_is_not() {
    let fast = |label: &str| if label.starts_with("matmul/") { Behaviour::Slow(1e-3) } else { Behaviour::Right };
    let slow = |label: &str| if label.starts_with("matmul/") { Behaviour::Slow(100.0) } else { Behaviour::Right };
    for (behaviour, expected) in [(fast as fn(&str) -> Behaviour, Status::Implausible), (slow, Status::Ok)] {
        let (cases, mut fake) = (cases(&["matmul/naive"], &["256x256x256"]), fake(behaviour));
        let records = pollster::block_on(engine::run(&mut [&mut fake], &cases, &settings(), &mut Seen::default()))
            .expect("a run");
        let row = records.iter().find(|row| row.name() == "matmul/naive").expect("a row");
        assert_eq!((row.status, row.cell("ceiling").as_str()), (expected, "fma f32"), "{:?}", row.share);
    }
}
