//! Checks behind a measured time, on a fake device: canary, throttle reasons, and the self-test of timers and ceilings.
//! `timing.rs` tests invalid timestamps, `pipeline.rs` rows above their ceiling.

use std::sync::{Arc, Mutex};

use crate::common::{
    Behaviour, Clock, Fake, SUBJECT, Stage, cases, fake, is_subject, lock, measure, only, plan_of_subject, right,
    row_of,
};
use gpu::backend::monitor::Monitor;
use gpu::backend::{Backend, Device, Prepared, Sample, Task};
use gpu::job::Job;
use record::suite::{Reading, Throttle};
use record::{Record, Status};

#[derive(Default)]
struct Progress {
    is_subject: bool,
    /// Number of measurements of the subject: each ends with a sample into poisoned outputs.
    attempts: usize,
}

struct MonitoredDevice {
    fake: Fake,
    /// The clock after the first sample of the subject, by the number of earlier measurements. The run starts with 1.
    clock: fn(usize) -> f64,
    /// The factor of all timestamps.
    stretch: f64,
    /// The throttle reasons by the number of measurements of the subject; `None` without a monitor.
    throttling: Option<fn(usize) -> Vec<Throttle>>,
    progress: Arc<Mutex<Progress>>,
}

fn monitored() -> MonitoredDevice {
    let (fake, progress) = (right(), Arc::default());
    MonitoredDevice { fake, clock: |_| 1.0, stretch: 1.0, throttling: None, progress }
}

impl Backend for MonitoredDevice {
    fn device(&self) -> &Device {
        self.fake.device()
    }

    fn prepare<'a>(&'a mut self, job: &'a Job) -> Task<'a, Box<dyn Prepared>> {
        let is_subject = job.label == SUBJECT;
        let (progress, log) = (Arc::clone(&self.progress), Arc::clone(&self.fake.log));
        let (clock, stretch) = (self.clock, self.stretch);
        Box::pin(async move {
            lock(&progress).is_subject = is_subject;
            let inner = self.fake.prepare(job).await?;
            Ok(Box::new(MonitoredJob { inner, is_subject, is_poisoned: false, progress, log, clock, stretch })
                as Box<dyn Prepared>)
        })
    }

    fn reopen(&mut self) -> Task<'_, ()> {
        self.fake.reopen()
    }

    fn monitor(&self) -> Option<Box<dyn Monitor>> {
        let (throttling, progress) = (self.throttling?, Arc::clone(&self.progress));
        Some(Box::new(FakeMonitor { throttling, progress }))
    }
}

struct MonitoredJob {
    inner: Box<dyn Prepared>,
    is_subject: bool,
    is_poisoned: bool,
    progress: Arc<Mutex<Progress>>,
    log: Arc<Mutex<crate::common::Log>>,
    clock: fn(usize) -> f64,
    stretch: f64,
}

impl Prepared for MonitoredJob {
    fn sample(&mut self, launches: u32) -> Task<'_, Sample> {
        Box::pin(async move {
            let sample = self.inner.sample(launches).await?;
            // Single launches only verify.
            if self.is_subject && launches > 1 {
                if self.is_poisoned {
                    lock(&self.progress).attempts += 1;
                } else {
                    let attempts = lock(&self.progress).attempts;
                    lock(&self.log).speed = (self.clock)(attempts);
                }
            }
            self.is_poisoned = false;
            Ok(Sample { device_ns: sample.device_ns.map(|ns| ns * self.stretch), ..sample })
        })
    }
    fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
        self.inner.end_to_end()
    }
    fn poison(&mut self) -> Task<'_, ()> {
        self.is_poisoned = true;
        self.inner.poison()
    }
    fn read<'a>(&'a mut self, buffer: usize, bytes: u64, sink: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
        self.inner.read(buffer, bytes, sink)
    }
}

struct FakeMonitor {
    throttling: fn(usize) -> Vec<Throttle>,
    progress: Arc<Mutex<Progress>>,
}

impl Monitor for FakeMonitor {
    fn read(&mut self) -> Reading {
        let progress = lock(&self.progress);
        let throttling = if progress.is_subject { (self.throttling)(progress.attempts) } else { Vec::new() };
        // One degree warmer with each measurement.
        Reading { sm_mhz: Some(1980), celsius: Some(40 + progress.attempts as u32), throttling, ..Reading::default() }
    }
}

/// The subject's row, the number of its measurements, and the other rows.
fn measured(mut device: MonitoredDevice) -> (Record, usize, Vec<Record>) {
    let records = measure(&mut device, &plan_of_subject());
    let (subject, others): (Vec<_>, Vec<_>) = records.into_iter().partition(is_subject);
    let attempts = lock(&device.progress).attempts;
    (subject.into_iter().next().expect("the subject has a row"), attempts, others)
}

/// A result with filter weights of 4 bits is right if the driver reports 4 bits.
#[test]
fn a_filtered_picture_may_be_as_inexact_as_the_devices_texture_unit() {
    const NAME: &str = "texture/rotate_sampled";
    let cases = cases(&[NAME], &["64x64"]);
    let case = cases.iter().find(|case| case.name() == NAME).expect("planned");
    // The allowed deviation of each element, and the element for which the bits matter most.
    let allowed = |bits: u32| {
        let mut case = case.clone();
        case.shape.sub_texel_bits = bits;
        let mut allowed = vec![0.0; 4 * 64 * 64];
        (Job::new(&case).expect("valid").check.tolerance.expect("a filter"))(0, &mut allowed);
        allowed
    };
    let (fine, coarse) = (allowed(8), allowed(4));
    let gain = |element: &usize| coarse[*element] - fine[*element];
    let element = (0..fine.len()).max_by(|a, b| gain(a).total_cmp(&gain(b))).expect("elements");
    let (little, more) = (fine[element].floor(), coarse[element].floor());
    assert!(more > little + 3.0, "{more} levels of {little}");
    for (sub_texel_bits, by, status) in
        [(8, little, Status::Ok), (8, more, Status::Wrong), (4, more, Status::Ok), (4, more + 2.0, Status::Wrong)]
    {
        let mut backend = fake(only("texture/rotate_sampled rgba8unorm 64x64", Behaviour::Off(element as u64, by)));
        backend.device.sub_texel_bits = sub_texel_bits;
        let records = measure(&mut backend, &cases);
        let row = records.iter().find(|row| row.name() == NAME).expect("a row");
        assert_eq!(row.status, status, "{sub_texel_bits} bits, off by {by}: {}", row.reason);
    }
}

#[test]
fn on_a_device_with_a_constant_clock_a_case_is_measured_once() {
    let (row, attempts, _) = measured(monitored());
    assert_eq!((row.status, row.reason.as_str(), attempts), (Status::Ok, "", 1));
    assert!(row.drift.is_some_and(|drift| drift.abs() < 0.001), "{:?}", row.drift);
}

fn falling(attempts: usize) -> f64 {
    0.9_f64.powi(attempts as i32 + 1)
}

fn rising(attempts: usize) -> f64 {
    falling(attempts).recip()
}

#[test]
fn a_case_whose_clock_does_not_settle_is_measured_three_times_and_marked() {
    for (clock, drift, words) in [
        (falling as fn(usize) -> f64, 0.111, "device speed drifted by 11 %"),
        (rising, -0.1, "device speed drifted by -10 %"),
    ] {
        let (row, attempts, others) = measured(MonitoredDevice { clock, ..monitored() });
        assert_eq!((row.status, row.reason.as_str(), attempts), (Status::Ok, words, 3));
        assert!(row.drift.is_some_and(|got| (got - drift).abs() < 0.01), "{:?}", row.drift);
        assert!(row.median_ns.is_some());
        assert!(others.iter().all(|other| !other.reason.contains("canary")));
    }
}

#[test]
fn a_change_of_the_clock_below_the_limit_of_the_canary_is_not_marked() {
    let (row, attempts, _) = measured(MonitoredDevice { clock: |_| 0.97, ..monitored() });
    assert_eq!((row.reason.as_str(), attempts), ("", 1));
    assert!(row.drift.is_some_and(|drift| (0.02..0.04).contains(&drift)), "{:?}", row.drift);
}

#[test]
fn a_throttled_case_is_measured_again_when_throttling_ends() {
    let throttling =
        |attempts: usize| if attempts == 1 { vec![Throttle::HardwareThermal] } else { vec![Throttle::PowerCap] };
    let (row, attempts, others) = measured(MonitoredDevice { throttling: Some(throttling), ..monitored() });
    assert_eq!((row.status, row.reason.as_str(), attempts), (Status::Ok, "", 2));
    let conditions = row.conditions.expect("a reading");
    assert_eq!(conditions.before.throttling, [Throttle::HardwareThermal]);
    assert_eq!((conditions.after.throttling, conditions.after.celsius), (vec![Throttle::PowerCap], Some(42)));
    // Every measured row has its own reading.
    assert!(others.iter().all(|other| other.conditions.is_some() == other.median_ns.is_some()));
}

#[test]
fn a_row_on_a_device_that_stays_throttled_is_marked() {
    for (throttle, words) in [
        (Throttle::HardwareThermal, "the card was too warm"),
        (Throttle::SoftwareThermal, "the card was too warm"),
        (Throttle::PowerBrake, "the card was throttled by its power supply"),
        (Throttle::HardwareSlowdown, "the card was throttled by its hardware"),
    ] {
        let throttling: fn(usize) -> Vec<Throttle> = match throttle {
            Throttle::HardwareThermal => |_| vec![Throttle::HardwareThermal],
            Throttle::SoftwareThermal => |_| vec![Throttle::SoftwareThermal],
            Throttle::PowerBrake => |_| vec![Throttle::PowerBrake],
            _ => |_| vec![Throttle::HardwareSlowdown],
        };
        let (row, attempts, _) = measured(MonitoredDevice { throttling: Some(throttling), ..monitored() });
        assert_eq!((row.status, row.reason.as_str(), attempts), (Status::Ok, words, 3));
        assert!(row.median_ns.is_some());
    }
}

#[test]
fn power_limits_set_clocks_and_idling_are_recorded_and_not_marked() {
    let throttling =
        |_: usize| vec![Throttle::Idle, Throttle::ApplicationClocks, Throttle::PowerCap, Throttle::SyncBoost];
    let (row, attempts, _) = measured(MonitoredDevice { throttling: Some(throttling), ..monitored() });
    assert_eq!((row.reason.as_str(), attempts), ("", 1));
    assert_eq!(row.conditions.expect("a reading").after.throttling.len(), 4);
}

#[test]
fn without_a_monitor_the_canary_decides_alone() {
    let (row, attempts, _) = measured(monitored());
    assert_eq!((row.conditions, attempts), (None, 1));
    let (row, attempts, _) = measured(MonitoredDevice { clock: falling, ..monitored() });
    assert_eq!((row.conditions, attempts), (None, 3));
}

#[test]
fn a_row_with_throttling_and_drift_names_both() {
    let throttling = |_: usize| vec![Throttle::SoftwareThermal];
    let (row, attempts, _) = measured(MonitoredDevice { clock: falling, throttling: Some(throttling), ..monitored() });
    assert_eq!(attempts, 3);
    assert_eq!(row.reason, "device speed drifted by 11 %; the card was too warm");
}

#[test]
fn timestamps_in_the_wrong_unit_are_not_used() {
    // Ticks of 41.7 ns read as nanoseconds, nanoseconds read as ticks, factors of two, errors on both sides of the
    // limit.
    for (stretch, timer) in [
        (1.0 / 41.7, "wall"),
        (41.7, "wall"),
        (2.0, "wall"),
        (0.5, "wall"),
        (1.12, "wall"),
        (0.88, "wall"),
        (1.08, "timestamp"),
        (0.92, "timestamp"),
    ] {
        let mut device = MonitoredDevice { stretch, ..monitored() };
        device.fake.clock = Clock::Good(1.0);
        let (row, _, _) = measured(device);
        assert_eq!((row.cell("timer").as_str(), row.status), (timer, Status::Ok), "{stretch}");
    }
}

#[test]
fn arithmetic_above_its_ceiling_is_implausible_and_below_it_is_not() {
    for (factor, expected) in [(1e-4, Status::Implausible), (100.0, Status::Ok)] {
        let mut fake = fake(only("matmul/", Behaviour::Slow(factor)));
        let cases = cases(&["matmul/naive"], &["256x256x256"]);
        let records = measure(&mut fake, &cases);
        let row = row_of(&records, "matmul/naive");
        assert_eq!((row.status, row.cell("ceiling").as_str()), (expected, "fma f32"), "{:?}", row.share);
    }
}

/// A driver that does not compile the kernel that counts subgroup invocations, or loses the device by it.
#[test]
fn rows_stay_where_the_size_of_subgroups_cannot_be_counted() {
    let cases = cases(&["reduction/subgroup"], &["2^12", "2^14"]);
    for (behaviour, lost) in [(Behaviour::Uncompilable, 0), (Behaviour::LostIn(Stage::Sample), 1)] {
        let probe = |label: &str| label.contains("/subgroup_size ");
        let mut backend = fake(move |label| if probe(label) { behaviour } else { Behaviour::Right });
        let records = measure(&mut backend, &cases);
        let rows: Vec<&Record> = records.iter().filter(|row| row.name() == "reduction/subgroup").collect();
        assert!(rows.len() > 1, "{}", rows.len());
        assert!(rows.iter().all(|row| row.subgroup_size_run.is_none()), "{behaviour:?}");
        assert_eq!(rows.iter().filter(|row| row.status == Status::Failed).count(), lost, "{behaviour:?}");
        assert!(rows.iter().all(|row| row.status == Status::Failed || row.median_ns.is_some()), "{behaviour:?}");
        let log = backend.log();
        assert_eq!(log.reopened, lost);
        let mut probes: Vec<&String> = log.prepared.iter().filter(|label| probe(label)).collect();
        let all = probes.len();
        probes.sort();
        probes.dedup();
        assert!(all > 0 && probes.len() == all, "each size once: {probes:?}");
    }
}
