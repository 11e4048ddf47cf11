//! A device that exists only in numbers, for everything that can happen to a run.

#![allow(dead_code, unreachable_pub, reason = "each test program that includes this file uses its own part")]

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use shaderbench::backend::Api;
use shaderbench::backend::{Backend, Device, DeviceType, Prepared, RuntimeChecks, Sample, Task};
use shaderbench::engine::measure::Timer;
use shaderbench::engine::plan::{Request, plan};
use shaderbench::engine::{Changes, Observer, Settings};
use shaderbench::error::{Error, Result};
use shaderbench::job::{Contents, Job, Language};
use shaderbench::results::{Record, Status};
use shaderbench::suite::Dtype;
use shaderbench::suite::Feature;
use shaderbench::suite::{Case, Profile};

/// What the fake device does with a job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Behaviour {
    /// Computes what the oracle says.
    Right,
    /// Gets the element of this index wrong.
    Wrong(u64),
    /// Writes nothing at all.
    Idle,
    /// Takes the given multiple of its usual time.
    Slow(f64),
    /// Takes the given multiple of its usual time when it is prepared for the first time.
    SlowAtFirst(f64),
    /// Takes a time that scatters by this fraction.
    Noisy(f64),
    /// Lacks something, and says so when the job is prepared.
    Unsupported,
    /// Does not compile.
    Uncompilable,
    /// Has too little memory.
    OutOfMemory,
    /// Has too little memory when it is prepared for the first time.
    OutOfMemoryAtFirst,
    /// Is lost when it runs.
    Lost,
    /// Never answers.
    Hanging,
    /// Is lost at this stage of a case.
    LostIn(Stage),
    /// Its clock falls to this fraction during the first sample of the job, for good.
    Throttled(f64),
}

/// Where in a case a device can be lost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stage {
    Prepare,
    Poison,
    Sample,
    Read,
    EndToEnd,
}

/// What the device's timestamps are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Clock {
    /// Multiples of this many nanoseconds.
    Good(f64),
    Zero,
    Missing,
    Backwards,
    /// Always the same.
    Frozen,
    /// Ten times too fast.
    Absurd,
}

#[derive(Debug, Default)]
pub struct Log {
    pub reopened: usize,
    /// Jobs dropped after the device had been lost under them.
    pub dropped_lost: usize,
    pub released: usize,
    pub prepared: Vec<String>,
    /// The device's clock now, as a fraction of its highest.
    pub speed: f64,
    random: u64,
}

pub struct Fake {
    pub device: Device,
    pub clock: Clock,
    /// What the timestamps around copies are.
    pub copy_clock: Clock,
    pub behaviour: fn(&str) -> Behaviour,
    /// Whether it can be opened again when it was lost.
    pub can_reopen: bool,
    /// How often it cannot be opened before it can.
    pub refusals: usize,
    pub log: Arc<Mutex<Log>>,
}

pub fn fake(behaviour: fn(&str) -> Behaviour) -> Fake {
    Fake {
        device: device(),
        clock: Clock::Good(32.0),
        copy_clock: Clock::Good(32.0),
        behaviour,
        can_reopen: true,
        refusals: 0,
        log: Arc::new(Mutex::new(Log { speed: 1.0, random: 1, ..Log::default() })),
    }
}

/// The same card through another API.
pub fn fake_through(api: Api, behaviour: fn(&str) -> Behaviour) -> Fake {
    let mut fake = fake(behaviour);
    let device = &mut fake.device;
    device.api = api;
    if api == Api::Cuda {
        (device.language, device.runtime_checks) = (Language::Cuda, RuntimeChecks::Absent);
        (device.has_pinned_memory, device.has_upload_staging) = (true, false);
    }
    if api == Api::WebGpu {
        (device.is_in_browser, device.runtime_checks) = (true, RuntimeChecks::AlwaysOn);
    }
    fake
}

pub fn device() -> Device {
    Device {
        name: "Fake 9000".into(),
        vendor: "Nobody".into(),
        kind: DeviceType::Discrete,
        driver: "fake 1.0".into(),
        api: Api::Vulkan,
        language: Language::Wgsl,
        is_in_browser: false,
        runtime_checks: RuntimeChecks::Switchable,
        pci_address: None,
        uuid: None,
        subgroup: None,
        features: BTreeSet::from(Feature::ALL),
        has_timestamps: true,
        has_copy_timestamps: false,
        has_mappable_storage: true,
        has_pinned_memory: false,
        has_upload_staging: true,
        max_buffer_bytes: 64 << 20,
        max_binding_bytes: 64 << 20,
        max_texture_side: 8192,
        max_storage_buffers: 8,
        max_workgroup_bytes: 32 << 10,
        max_invocations: 1024,
        max_workgroup_size: [1024, 1024, 64],
        max_groups: 65_535,
        facts: Vec::new(),
    }
}

struct FakeJob<'a> {
    job: &'a Job,
    clock: Clock,
    behaviour: Behaviour,
    log: Arc<Mutex<Log>>,
    is_poisoned: bool,
    is_lost: bool,
}

impl Backend for Fake {
    fn device(&self) -> &Device {
        &self.device
    }

    fn prepare<'a>(&'a mut self, job: &'a Job) -> Task<'a, Box<dyn Prepared>> {
        Box::pin(async move {
            self.device.check(job)?;
            let mut behaviour = (self.behaviour)(&job.label);
            let is_known = self.log.lock().expect("one thread").prepared.contains(&job.label);
            if let Behaviour::SlowAtFirst(factor) = behaviour {
                behaviour = if is_known { Behaviour::Right } else { Behaviour::Slow(factor) };
            }
            if behaviour == Behaviour::OutOfMemoryAtFirst {
                behaviour = if is_known { Behaviour::Right } else { Behaviour::OutOfMemory };
            }
            self.log.lock().expect("one thread").prepared.push(job.label.clone());
            match behaviour {
                Behaviour::Unsupported => return Err(Error::Unsupported("the fake has no such thing".into())),
                Behaviour::Uncompilable => return Err(Error::Shader("expected ';'".into())),
                Behaviour::OutOfMemory => return Err(Error::OutOfMemory("no room for 3 bytes".into())),
                Behaviour::LostIn(Stage::Prepare) => return Err(lost()),
                _ => {}
            }
            // The job outlives the prepared one in every test; the trait asks for a box without a lifetime.
            let job: &'static Job = Box::leak(Box::new(copy(job)));
            let log = Arc::clone(&self.log);
            let clock = if job.runs_kernel() { self.clock } else { self.copy_clock };
            let job = FakeJob { job, clock, behaviour, log, is_poisoned: true, is_lost: false };
            Ok(Box::new(job) as Box<dyn Prepared>)
        })
    }

    fn reopen(&mut self) -> Task<'_, ()> {
        Box::pin(async move {
            self.log.lock().expect("one thread").reopened += 1;
            let is_refused = self.refusals > 0;
            self.refusals = self.refusals.saturating_sub(1);
            if self.can_reopen && !is_refused {
                return Ok(());
            }
            Err(Error::NoDevice("the fake cannot be opened again".into()))
        })
    }

    fn release(&mut self) {
        self.log.lock().expect("one thread").released += 1;
    }
}

/// A copy that owns its oracle's answers (up to the first few thousand, all that tests read).
fn copy(job: &Job) -> Job {
    let mut want = vec![0.0; job.check.scalars as usize];
    (job.check.oracle)(0, &mut want);
    let oracle = Box::new(move |first: u64, values: &mut [f64]| {
        let first = first as usize;
        values.copy_from_slice(&want[first..first + values.len()]);
    });
    Job {
        label: job.label.clone(),
        kernel: job.kernel.clone(),
        only: job.only,
        buffers: job.buffers.clone(),
        steps: job.steps.clone(),
        end_to_end: job.end_to_end.clone(),
        check: shaderbench::job::Check {
            buffer: job.check.buffer,
            scalars: job.check.scalars,
            oracle,
            tolerance: None,
            product: None,
        },
    }
}

fn lost() -> Error {
    Error::Lost("the fake was unplugged".into())
}

impl Drop for FakeJob<'_> {
    fn drop(&mut self) {
        self.log.lock().expect("one thread").dropped_lost += usize::from(self.is_lost);
    }
}

impl FakeJob<'_> {
    /// Where in a case the device is lost or stops answering.
    fn reach(&mut self, stage: Stage) -> Result<()> {
        let error = match self.behaviour {
            Behaviour::Hanging if stage == Stage::Sample => Error::Timeout { seconds: 20.0 },
            Behaviour::Lost if stage == Stage::Sample => lost(),
            Behaviour::LostIn(at) if at == stage => lost(),
            _ => return Ok(()),
        };
        self.is_lost = true;
        Err(error)
    }

    /// Two microseconds, and the job's buffers at 1 TB/s; arithmetic kernels take their time from their label alone.
    fn launch_ns(&self) -> f64 {
        let bytes: u64 = self.job.buffers.iter().map(|buffer| buffer.bytes).sum();
        let base = 2000.0 + bytes as f64 / 1000.0;
        let mut log = self.log.lock().expect("one thread");
        if let Behaviour::Throttled(speed) = self.behaviour {
            log.speed = speed;
        }
        // A small linear congruential generator: noise that is the same in every run.
        log.random = log.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let uniform = (log.random >> 11) as f64 / (1_u64 << 53) as f64;
        let factor = match self.behaviour {
            Behaviour::Slow(factor) => factor,
            Behaviour::Noisy(spread) => 1.0 + spread * (uniform - 0.5),
            _ => 1.0 + 1e-4 * uniform,
        };
        base * factor / log.speed
    }
}

impl Prepared for FakeJob<'_> {
    fn sample(&mut self, launches: u32) -> Task<'_, Sample> {
        Box::pin(async move {
            self.reach(Stage::Sample)?;
            if self.behaviour != Behaviour::Idle {
                self.is_poisoned = false;
            }
            let ns = self.launch_ns() * f64::from(launches);
            let device_ns = match self.clock {
                Clock::Good(tick) => Some((ns / tick).round() * tick),
                Clock::Zero => Some(0.0),
                Clock::Missing => None,
                Clock::Backwards => Some(-ns),
                Clock::Frozen => Some(1000.0),
                Clock::Absurd => Some(ns / 10.0),
            };
            Ok(Sample { device_ns, wall_ns: ns + 20_000.0 })
        })
    }

    fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
        Box::pin(async move {
            self.reach(Stage::EndToEnd)?;
            Ok((self.launch_ns() + 100_000.0, Some(self.job.check.sum())))
        })
    }

    fn poison(&mut self) -> Task<'_, ()> {
        Box::pin(async move {
            self.reach(Stage::Poison)?;
            self.is_poisoned = true;
            Ok(())
        })
    }

    fn read<'a>(&'a mut self, buffer: usize, bytes: u64, sink: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
        Box::pin(async move {
            self.reach(Stage::Read)?;
            let spec = &self.job.buffers[buffer];
            let mut out = vec![0; bytes as usize];
            if self.is_poisoned {
                let poison = shaderbench::job::Buffer { contents: Contents::Poison, ..spec.clone() };
                poison.fill(0, &mut out);
            } else if spec.contents == Contents::Clock {
                // Each starts a nanosecond after the one before it and takes 500.
                for (group, pair) in (0_u64..).zip(out.chunks_exact_mut(16)) {
                    pair[..8].copy_from_slice(&(1000 + group).to_le_bytes());
                    pair[8..].copy_from_slice(&(1500 + group).to_le_bytes());
                }
            } else {
                let mut want = vec![0.0; bytes as usize / spec.scalar.bytes()];
                (self.job.check.oracle)(0, &mut want);
                if let Behaviour::Wrong(index) = self.behaviour
                    && let Some(value) = want.get_mut(index as usize)
                {
                    *value += 1.0;
                }
                spec.scalar.encode(want.into_iter(), &mut out);
            }
            sink(0, &out);
            Ok(())
        })
    }
}

/// An observer that keeps what it is told.
#[derive(Default)]
pub struct Seen {
    pub timer: Option<Timer>,
    /// The numbers of the cases that were tuned, each with their count.
    pub tuned: Vec<(usize, usize)>,
    /// Cases that are done.
    pub finished: usize,
    /// The APIs, in the order in which they took their turns.
    pub turns: Vec<&'static str>,
    /// The numbers of the cases, one for each turn.
    pub places: Vec<usize>,
    /// How many rows there were after each case.
    pub rows: Vec<usize>,
    /// How many of them were as before.
    pub unchanged: Vec<usize>,
    /// The rows as they were then.
    pub last: Vec<Record>,
    /// Rows that were told of one by one.
    pub told: usize,
    /// Whether cases may come in any order, as in a run with a time limit.
    pub is_in_any_order: bool,
    /// After how many cases the run is to end.
    pub stop_after: Option<usize>,
}

impl Observer for Seen {
    fn timer(&mut self, _: Api, timer: &Timer) {
        self.timer = Some(timer.clone());
    }
    fn tuning(&mut self, number: usize, count: usize, case: &Case, row: &Record) {
        assert_eq!((row.name(), row.median_ns), (case.name(), None));
        self.tuned.push((number, count));
    }
    fn start(&mut self, place: usize, case: &Case, row: &Record) {
        let api = ["vulkan", "cuda", "gl", "webgpu"]
            .into_iter()
            .find(|api| *api == row.api_name())
            .expect("an API of the fakes");
        self.turns.push(api);
        let is_in_order = self.places.last().is_none_or(|last| *last <= place);
        assert!(is_in_order || self.is_in_any_order, "cases run one after the other");
        self.places.push(place);
        assert_eq!((row.name(), row.median_ns), (case.name(), None));
    }
    fn row(&mut self, record: &Record) {
        assert!(!record.device.is_empty());
        self.told += 1;
    }
    fn finish(&mut self, records: &[Record], changes: &Changes) -> Result<()> {
        let unchanged = changes.unchanged();
        self.finished += 1;
        self.rows.push(records.len());
        self.unchanged.push(unchanged);
        let kept = unchanged.min(self.last.len());
        assert_eq!(records[..kept], self.last[..kept], "what is said to be unchanged is");
        self.last = records.to_vec();
        Ok(())
    }
    fn is_interrupted(&self) -> bool {
        self.stop_after.is_some_and(|cases| self.finished >= cases)
    }
}

pub fn settings() -> Settings {
    Settings::new(Profile::Quick, "2026-01-02T03:04:05Z".into(), "TestOS 1".into(), "Test CPU (2 threads)".into())
}

pub fn cases(filters: &[&str], sizes: &[&str]) -> Vec<Case> {
    use shaderbench::suite::Extent;
    let request = Request {
        sizes: sizes.iter().map(|size| Extent::parse(size).expect("a size")).collect(),
        ..Request::new(filters.iter().map(|filter| (*filter).to_owned()).collect(), Profile::Quick)
    };
    plan(&request).expect("a plan")
}

/// The case whose behaviour tests choose.
pub const SUBJECT: &str = "transpose/tiled f32 64x96 PAD=1";

/// Runs the plan around the subject.
pub fn run_on(backend: &mut Fake, seen: &mut Seen) -> Vec<Record> {
    let cases = cases(&["transpose"], &["64x96"]);
    pollster::block_on(shaderbench::engine::run(&mut [backend], &cases, &settings(), seen))
        .expect("the run goes on whatever a case does")
}

/// The subject's row.
pub fn subject(records: &[Record]) -> &Record {
    let found =
        records.iter().find(|r| r.benchmark == "tiled" && r.dtype == Some(Dtype::F32) && r.params_text() == "PAD=1");
    found.expect("the subject has a row")
}

/// Runs with the subject behaving as given and everything else right; gives the rows and the fake's log.
pub fn with(behaviour: fn(&str) -> Behaviour) -> (Vec<Record>, usize) {
    let mut backend = fake(behaviour);
    let records = run_on(&mut backend, &mut Seen::default());
    let reopened = backend.log.lock().expect("one thread").reopened;
    for other in records.iter().filter(|r| *r != subject(&records)) {
        assert!(
            matches!(other.status, Status::Ok | Status::Skipped),
            "{} {}: {}",
            other.name(),
            other.size(),
            other.reason
        );
    }
    (records, reopened)
}
