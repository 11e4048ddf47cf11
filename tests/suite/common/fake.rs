//! A fake device for tests of the engine: a test sets how it computes, times and fails.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};

use gpu::backend::{Backend, Device, Prepared, RuntimeChecks, Sample, Task};
use gpu::job::{Contents, Job, Language};
use record::error::{Error, Result};
use record::suite::{Api, DeviceType, Feature};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Behaviour {
    Right,
    /// Is wrong by 1 in the element of this index.
    Wrong(u64),
    /// Is wrong by this much in the element of this index.
    Off(u64, f64),
    /// Writes nothing.
    Idle,
    /// Takes this multiple of its usual time.
    Slow(f64),
    /// Takes a millisecond at 2 MiB of buffers, and four times as long for twice the bytes.
    Quadratic,
    /// Takes this multiple of its usual time when first prepared.
    SlowAtFirst(f64),
    /// Takes a time that varies by this fraction.
    Noisy(f64),
    /// Takes this multiple of its usual time, varied by this fraction.
    SlowAndNoisy(f64, f64),
    /// Does not support the job, as `prepare` reports.
    Unsupported,
    Uncompilable,
    OutOfMemory,
    /// Has too little memory when first prepared.
    OutOfMemoryAtFirst,
    /// Is lost when it runs.
    Lost,
    /// Does not finish: the job times out.
    Hanging,
    LostIn(Stage),
    /// The clock falls to this fraction during the job's first sample, and stays there.
    Throttled(f64),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Stage {
    Prepare,
    Poison,
    Sample,
    Read,
    EndToEnd,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Clock {
    /// Multiples of this many nanoseconds.
    Good(f64),
    Zero,
    Missing,
    Backwards,
    Frozen,
    /// Multiplied by this factor.
    Scaled(f64),
    /// A second longer in one of five samples.
    Jumping,
}

#[derive(Debug, Default)]
pub(crate) struct Log {
    pub reopened: usize,
    /// Number of jobs dropped after they lost the device.
    pub dropped_lost: usize,
    pub released: usize,
    pub prepared: Vec<String>,
    /// The clock as a fraction of its maximum.
    pub speed: f64,
    /// Samples of a jumping clock.
    samples: u64,
    random: u64,
}

pub(crate) struct Fake {
    pub device: Device,
    pub clock: Clock,
    pub copy_clock: Clock,
    /// A job's behaviour, by its label.
    pub behaviour: Box<dyn Fn(&str) -> Behaviour>,
    pub can_reopen: bool,
    /// Number of attempts to reopen it that fail first.
    pub failed_reopens: usize,
    pub log: Arc<Mutex<Log>>,
}

pub(crate) fn fake(behaviour: impl Fn(&str) -> Behaviour + 'static) -> Fake {
    Fake {
        device: device(),
        clock: Clock::Good(32.0),
        copy_clock: Clock::Good(32.0),
        behaviour: Box::new(behaviour),
        can_reopen: true,
        failed_reopens: 0,
        log: Arc::new(Mutex::new(Log { speed: 1.0, random: 1, ..Log::default() })),
    }
}

pub(crate) fn right() -> Fake {
    fake(|_| Behaviour::Right)
}

pub(crate) fn fake_on(api: Api, behaviour: impl Fn(&str) -> Behaviour + 'static) -> Fake {
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

/// The behaviour of jobs whose labels have this start; others are right.
pub(crate) fn only(start: &'static str, behaviour: Behaviour) -> impl Fn(&str) -> Behaviour + Copy {
    move |label| if label.starts_with(start) { behaviour } else { Behaviour::Right }
}

impl Fake {
    pub(crate) fn log(&self) -> MutexGuard<'_, Log> {
        lock(&self.log)
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("one thread")
}

pub(crate) fn device() -> Device {
    Device {
        name: "Fake 9000".into(),
        vendor: "Nobody".into(),
        kind: DeviceType::Discrete,
        driver: "fake 1.0".into(),
        compiler: None,
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
        kernel_compiler: Default::default(),
        max_buffer_bytes: 64 << 20,
        max_binding_bytes: 64 << 20,
        max_texture_side: 8192,
        max_storage_buffers: 8,
        max_workgroup_bytes: 32 << 10,
        max_invocations: 1024,
        max_workgroup_size: [1024, 1024, 64],
        max_groups: 65_535,
        sub_texel_bits: 8,
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
            let is_prepared_before = self.log().prepared.contains(&job.label);
            if let Behaviour::SlowAtFirst(factor) = behaviour {
                behaviour = if is_prepared_before { Behaviour::Right } else { Behaviour::Slow(factor) };
            }
            if behaviour == Behaviour::OutOfMemoryAtFirst {
                behaviour = if is_prepared_before { Behaviour::Right } else { Behaviour::OutOfMemory };
            }
            lock(&self.log).prepared.push(job.label.clone());
            match behaviour {
                Behaviour::Unsupported => return Err(Error::Unsupported("the fake has no such thing".into())),
                Behaviour::Uncompilable => return Err(Error::Shader("expected ';'".into())),
                Behaviour::OutOfMemory => return Err(Error::OutOfMemory("no room for 3 bytes".into())),
                Behaviour::LostIn(Stage::Prepare) => return Err(lost()),
                _ => {}
            }
            // The prepared job has no lifetime in the trait, so the copy must live forever.
            let job: &'static Job = Box::leak(Box::new(copy(job)));
            let log = Arc::clone(&self.log);
            let clock = if job.runs_kernel() { self.clock } else { self.copy_clock };
            let job = FakeJob { job, clock, behaviour, log, is_poisoned: true, is_lost: false };
            Ok(Box::new(job) as Box<dyn Prepared>)
        })
    }

    fn reopen(&mut self) -> Task<'_, ()> {
        Box::pin(async move {
            lock(&self.log).reopened += 1;
            let is_refused = self.failed_reopens > 0;
            self.failed_reopens = self.failed_reopens.saturating_sub(1);
            if self.can_reopen && !is_refused {
                return Ok(());
            }
            Err(Error::NoDevice("the fake cannot be opened again".into()))
        })
    }

    fn release(&mut self) {
        lock(&self.log).released += 1;
    }
}

/// A copy whose oracle's answers are in a vector.
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
        hint: String::new(),
        samplers: job.samplers.clone(),
        host_part: job.host_part,
        steps: job.steps.clone(),
        end_to_end: job.end_to_end.clone(),
        check: gpu::job::OutputCheck {
            buffer: job.check.buffer,
            scalars: job.check.scalars,
            bytes_each: job.check.bytes_each,
            is_sampled: false,
            oracle,
            tolerance: None,
            product: None,
            fault: Default::default(),
            of_reference: None,
            element: Vec::new(),
            outliers: 0.0,
            words_each: 1,
        },
        also: Vec::new(),
        reference: None,
    }
}

fn lost() -> Error {
    Error::Lost("the fake was unplugged".into())
}

impl Drop for FakeJob<'_> {
    fn drop(&mut self) {
        lock(&self.log).dropped_lost += usize::from(self.is_lost);
    }
}

impl FakeJob<'_> {
    /// Fails if the device is lost or hangs in this stage.
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

    /// Two microseconds plus the job's buffers at 1 TB/s.
    fn launch_ns(&self) -> f64 {
        let bytes: u64 = self.job.buffers.iter().map(|buffer| buffer.bytes).sum();
        let base = 2000.0 + bytes as f64 / 1000.0;
        let mut log = lock(&self.log);
        if let Behaviour::Throttled(speed) = self.behaviour {
            log.speed = speed;
        }
        // A linear congruential generator: the same noise in every run.
        log.random = log.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let uniform = (log.random >> 11) as f64 / (1_u64 << 53) as f64;
        let factor = match self.behaviour {
            Behaviour::Slow(factor) => factor,
            Behaviour::Quadratic => 1e6 * (bytes as f64 / f64::from(2 << 20)).powi(2) / base,
            Behaviour::Noisy(spread) => 1.0 + spread * (uniform - 0.5),
            Behaviour::SlowAndNoisy(factor, spread) => factor * (1.0 + spread * (uniform - 0.5)),
            _ => 1.0 + 1e-4 * uniform,
        };
        base * factor / log.speed
    }
}

/// Bytes that are read at once.
const PIECE: usize = 1 << 18;

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
                Clock::Scaled(rate) => Some(ns * rate),
                Clock::Jumping => {
                    let mut log = lock(&self.log);
                    log.samples += 1;
                    Some(if log.samples.is_multiple_of(5) { ns + 1e9 } else { ns })
                }
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
            let scalars = spec.scalar.bytes() as u64;
            let (mut out, mut want) = (Vec::new(), Vec::new());
            // In pieces: new pages of large buffers take longer than all else in these tests.
            for at in (0..bytes).step_by(PIECE) {
                out.resize((bytes - at).min(PIECE as u64) as usize, 0);
                let (first, count) = (at / scalars, out.len() as u64 / scalars);
                if self.is_poisoned {
                    let poison = gpu::job::JobBuffer { contents: Contents::Poison, ..spec.clone() };
                    poison.fill(at, &mut out);
                } else if spec.contents == Contents::Clock {
                    // Each workgroup starts 1 ns after the one before it and takes 500 ns.
                    for (group, pair) in (at / 16..).zip(out.chunks_exact_mut(16)) {
                        pair[..8].copy_from_slice(&(1000 + group).to_le_bytes());
                        pair[8..].copy_from_slice(&(1500 + group).to_le_bytes());
                    }
                } else {
                    want.resize(count as usize, 0.0);
                    (self.job.check.oracle)(first, &mut want);
                    let (index, by) = match self.behaviour {
                        Behaviour::Wrong(index) => (index, 1.0),
                        Behaviour::Off(index, by) => (index, by),
                        _ => (u64::MAX, 0.0),
                    };
                    if (first..first + count).contains(&index) {
                        want[(index - first) as usize] += by;
                    }
                    spec.scalar.encode(&want, &mut out);
                }
                sink(at, &out);
            }
            Ok(())
        })
    }
}
