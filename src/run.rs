//! A run: one card through one API or several. The timers are chosen, then case by case from plan to record.
//!
//! Several APIs take turns at each case, so that whatever drifts (clocks, temperature) meets all of them alike. Each has its own timer,
//! canary and ceilings: no row of one is judged by what another measured.

use std::collections::HashMap;

use crate::backend::{Backend, Device, DeviceType, Prepared};
use crate::ceilings::Ceilings;
use crate::error::{Error, Result};
use crate::job::{Contents, Job, POISON, Step, hash};
use crate::measure::{self, Rules, Series, Timer};
use crate::record::{Record, SCHEMA, Status};
use crate::stats::{self, round_to_seven_digits};
use crate::suite::{Case, Checks, Dtype, Extent, FAMILIES, Profile, Shape};
use crate::verify::verify;

/// How far the canary may move over a case before the case is measured again.
const DRIFT: f64 = 0.05;
/// How often a case is measured at most.
const ATTEMPTS: usize = 3;

/// A stretch of load that raises the device's clock: short, since a clock that fell a little is back after a few milliseconds.
const LOAD_NS: f64 = 5e6;

/// Samples of which the time that a kernel notes itself is the median.
const CLOCK_SAMPLES: usize = 11;

/// What a run's rows share, and how long it may take.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Start of the run, UTC, RFC 3339.
    pub date: String,
    /// Host operating system.
    pub os: String,
    /// Host processor.
    pub cpu: String,
    /// When to stop.
    pub rules: Rules,
    /// Largest upload that the end-to-end time is taken of, in bytes.
    pub end_to_end_bytes: u64,
}

impl Settings {
    /// The settings of a profile: its time budget for a case, and how large an upload it can afford to time.
    #[must_use]
    pub fn new(profile: Profile, date: String, os: String, cpu: String) -> Self {
        let (budget_ms, end_to_end_bytes) = match profile {
            Profile::Quick => (100.0, 64 << 20),
            Profile::Standard => (500.0, 1 << 30),
            Profile::Thorough => (3000.0, u64::MAX),
        };
        Self { date, os, cpu, rules: Rules::with_budget(budget_ms * 1e6), end_to_end_bytes }
    }
}

/// Who watches a run: it draws progress and writes reports.
pub trait Observer {
    /// The timer of the device through `api` was chosen.
    fn timer(&mut self, api: &'static str, timer: &Timer);
    /// Case number `place` starts through `api`.
    fn start(&mut self, place: usize, case: &Case, api: &'static str);
    /// A case is done: the last `fresh` records are new, one for each API; earlier ones may have changed (a ceiling that rose).
    ///
    /// # Errors
    /// Ends the run.
    fn finish(&mut self, records: &[Record], fresh: usize) -> Result<()>;
    /// A case whose output is a picture was right through `api`: its rows of pixels, red, green, blue and opacity.
    ///
    /// # Errors
    /// Ends the run.
    fn picture(&mut self, case: &Case, api: &'static str, rgba: &[u8]) -> Result<()> {
        let _ = (case, api, rgba);
        Ok(())
    }
}

/// Runs `cases` on one card through `backends`, and gives a record for each case and API: in the order of the cases, and for each case in
/// the order of `backends`. An API whose device is gone for good fails the rest of its rows; the others go on.
///
/// # Errors
/// Where the run cannot go on: no API is left (the device does no simple arithmetic, or a lost one cannot be opened again), or the
/// observer fails.
pub async fn run(
    backends: &mut [&mut dyn Backend],
    cases: &[Case],
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Vec<Record>> {
    let mut lanes = Vec::with_capacity(backends.len());
    for backend in backends {
        lanes.push(Lane::open(&mut **backend, settings, observer).await);
    }
    let apis = lanes.len();
    let jobs: Vec<Job> = cases.iter().filter_map(|case| Job::new(case).ok()).collect();
    lanes.iter_mut().for_each(|lane| lane.compile_ahead(&jobs));
    drop(jobs);
    let mut records: Vec<Record> = Vec::with_capacity(cases.len() * apis);
    for (place, case) in cases.iter().enumerate() {
        go_on(&mut lanes)?;
        let mut fresh: Vec<Option<Record>> = vec![None; apis];
        for turn in 0..apis {
            let number = (first(place, apis) + turn) % apis;
            observer.start(place, case, lanes[number].device.backend);
            let mut record = lanes[number].judged_row(case, &cases[..place], observer).await?;
            if lanes[number].is_out_of_memory && apis > 1 {
                // The others may hold what is missing.
                lanes.iter_mut().for_each(Lane::release);
                record = lanes[number].judged_row(case, &cases[..place], observer).await?;
            }
            fresh[number] = Some(record);
            go_on(&mut lanes)?;
        }
        records.extend(fresh.into_iter().flatten());
        for (records, case) in records.chunks_mut(apis.max(1)).zip(cases) {
            for (record, lane) in records.iter_mut().zip(&lanes) {
                lane.ceilings.hold(case, record);
            }
        }
        observer.finish(&records, apis)?;
    }
    Ok(records)
}

/// Which of several APIs goes first in case number `place`: by the sum of the number's digits to the base of their count (the sequence of
/// Prouhet, Thue and Morse). Each goes first equally often in every block of as many cases, as when they simply alternate; but no period
/// of the plan (two types, two paddings) falls into step with it.
const fn first(place: usize, apis: usize) -> usize {
    let (mut rest, mut sum) = (place, 0);
    while apis > 1 && rest > 0 {
        sum += rest % apis;
        rest /= apis;
    }
    if apis > 1 { sum % apis } else { 0 }
}

/// Gives the error that ends the run where no API is left.
fn go_on(lanes: &mut Vec<Lane>) -> Result<()> {
    if lanes.iter().any(|lane| lane.bench.is_ok()) {
        return Ok(());
    }
    lanes.drain(..).next_back().map_or(Ok(()), |lane| lane.bench.map(|_| ()))
}

/// An API's part in a run.
struct Lane<'a> {
    device: Device,
    settings: &'a Settings,
    ceilings: Ceilings,
    /// The device, or why it is gone for good.
    bench: Result<Bench<'a>>,
    /// Whether the row before this one had too little memory.
    is_out_of_memory: bool,
}

impl<'a> Lane<'a> {
    async fn open(backend: &'a mut dyn Backend, settings: &'a Settings, observer: &mut dyn Observer) -> Self {
        let device = backend.device().clone();
        let bench = Bench::new(backend, settings).await;
        if let Ok(bench) = &bench {
            observer.timer(device.backend, &bench.timer);
        }
        Self { device, settings, ceilings: Ceilings::default(), bench, is_out_of_memory: false }
    }

    /// The case's row, held against the ceilings so far. `before` are the cases that have run.
    async fn judged_row(&mut self, case: &Case, before: &[Case], observer: &mut dyn Observer) -> Result<Record> {
        let mut record = self.row(case, observer).await?;
        self.ceilings.add(case, &record);
        self.ceilings.hold(case, &mut record);
        if record.status == Status::Implausible {
            // Before the row is called a fault its ceiling is asked again: it may have been measured in a slower moment.
            let binding: Vec<&Case> =
                before.iter().filter(|ceiling| self.ceilings.is_held_against(case, ceiling)).collect();
            for ceiling in binding {
                let again = self.row(ceiling, observer).await?;
                self.ceilings.add(ceiling, &again);
            }
        }
        Ok(record)
    }

    /// The case's row, whatever becomes of it.
    async fn row(&mut self, case: &Case, observer: &mut dyn Observer) -> Result<Record> {
        let mut record = blank(&self.device, self.settings, case);
        let bench = match &mut self.bench {
            Ok(bench) => bench,
            Err(error) => {
                fail(&mut record, error);
                return Ok(record);
            }
        };
        let mut picture = None;
        self.is_out_of_memory = false;
        if let Err(error) = bench.case(case, &mut record, &mut picture).await {
            self.is_out_of_memory = matches!(error, Error::OutOfMemory(_));
            fail(&mut record, &error);
            if error.ends_device()
                && let Err(error) = bench.reopen().await
            {
                // What lies on the lost device may wait for it forever when dropped.
                std::mem::forget(std::mem::replace(&mut self.bench, Err(error)));
            }
        }
        if let Some(rgba) = picture {
            record.picture_hash = Some(hash(&rgba));
            observer.picture(case, self.device.backend, &rgba)?;
        }
        Ok(record)
    }

    fn compile_ahead(&mut self, jobs: &[Job]) {
        if let Ok(bench) = &mut self.bench {
            bench.backend.compile_ahead(jobs);
        }
    }

    fn release(&mut self) {
        if let Ok(bench) = &mut self.bench {
            bench.backend.release();
        }
    }
}

/// A row with everything that is known before the case runs.
fn blank(device: &Device, settings: &Settings, case: &Case) -> Record {
    let work = case.work();
    Record {
        schema: Some(SCHEMA),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        date: settings.date.clone(),
        os: settings.os.clone(),
        cpu: settings.cpu.clone(),
        device: device.name.clone(),
        vendor: device.vendor.clone(),
        device_type: device.kind.name().to_owned(),
        driver: device.driver.clone(),
        backend: device.backend.to_owned(),
        family: case.family.name.to_owned(),
        benchmark: case.benchmark.name.to_owned(),
        dtype: case.shape.dtype.name().to_owned(),
        n: case.shape.extent.to_string(),
        params: case.params_text(),
        checks: Checks::of(&case.shape).name(),
        bytes: (work.bytes > 0).then_some(work.bytes),
        flops: (work.flops > 0).then_some(work.flops),
        model: case.benchmark.model.map(|model| model(&case.shape)),
        ..Record::default()
    }
}

/// Makes the row one of a case that could not be measured.
fn fail(record: &mut Record, error: &Error) {
    record.status = if error.is_skip() { Status::Skipped } else { Status::Failed };
    record.reason = error.chain();
}

/// A device on the bench, with the canary that tells whether it holds still.
struct Bench<'a> {
    backend: &'a mut dyn Backend,
    settings: &'a Settings,
    timer: Timer,
    canary_job: Job,
    canary: Canary,
    /// What a scalar costs, by kernel: the estimate for the next size. Nanoseconds.
    pace: HashMap<String, f64>,
}

/// A short arithmetic job whose time moves only when the device's clock does.
struct Canary {
    prepared: Box<dyn Prepared>,
    /// Launches of a sample, and of a stretch of load.
    launches: u32,
    load: u32,
    /// Whether the device has a clock of its own that load can raise.
    can_ramp: bool,
    /// Its time at the clock that rows are measured at.
    reference_ns: f64,
}

impl<'a> Bench<'a> {
    async fn new(backend: &'a mut dyn Backend, settings: &'a Settings) -> Result<Self> {
        let canary_job = Job::new(&canary_case()?)?;
        let mut prepared = backend.prepare(&canary_job).await?;
        let timer = measure::choose_timer(prepared.as_mut()).await?;
        if let Some(mismatch) = verify(prepared.as_mut(), &canary_job).await? {
            let name = &backend.device().name;
            return Err(Error::NoDevice(format!("{name} gets simple arithmetic wrong: {mismatch}")));
        }
        let can_ramp = can_ramp(backend.device());
        let canary = Canary::new(prepared, &timer, can_ramp).await?;
        Ok(Self { backend, settings, timer, canary_job, canary, pace: HashMap::new() })
    }

    async fn reopen(&mut self) -> Result<()> {
        self.backend.reopen().await?;
        let prepared = self.backend.prepare(&self.canary_job).await?;
        // What lies on the lost device may wait for it forever when dropped.
        let fresh = Canary::new(prepared, &self.timer, self.canary.can_ramp).await?;
        std::mem::forget(std::mem::replace(&mut self.canary, fresh));
        Ok(())
    }

    async fn case(&mut self, case: &Case, record: &mut Record, picture: &mut Option<Vec<u8>>) -> Result<()> {
        let job = Job::new(case)?;
        if !job.kernel.is_empty() {
            let [x, y, z] = job.kernel.interface.workgroup_size;
            record.workgroup_size = format!("{x}x{y}x{z}");
            record.shader_hash = job.kernel.hash(self.backend.device().language());
        }
        self.backend.device().check(&job)?;
        self.check_pace(case).await?;
        let mut prepared = self.backend.prepare(&job).await?;
        let mut result = self.measured(case, &job, prepared.as_mut(), record).await;
        if result.is_ok() && record.status == Status::Ok && case.shape.dtype == Dtype::Rgba8 {
            result = read_picture(&job, prepared.as_mut()).await.map(|rgba| *picture = Some(rgba));
        }
        if result.as_ref().is_err_and(Error::ends_device) {
            std::mem::forget(prepared);
        }
        result
    }

    async fn measured(
        &mut self,
        case: &Case,
        job: &Job,
        prepared: &mut dyn Prepared,
        record: &mut Record,
    ) -> Result<()> {
        let mut rules = self.settings.rules;
        let timer = if job.is_host_timed() { Timer::wall() } else { self.timer.clone() };
        if job.has_untimed_steps() {
            // Each launch takes timestamps of its own, and the longest sample must hold the untimed steps too.
            rules.max_launches = rules.max_launches.min(500);
            rules.longest_sample_ns /= 2.0;
        }
        for attempt in 1..=ATTEMPTS {
            let before = self.canary.steady(&self.timer).await?;
            let series = measure::measure(prepared, &timer, &rules).await?;
            let drift = self.canary.sing(&self.timer).await? / before - 1.0;
            if let Some(mismatch) = verify(prepared, job).await? {
                record.turn_wrong(mismatch.to_string());
                return Ok(());
            }
            self.note(case, &series, &timer, drift, record);
            if drift.abs() <= DRIFT {
                break;
            }
            if attempt == ATTEMPTS {
                record.reason = format!("the canary moved by {:.0} % and did not settle", drift * 100.0);
            }
        }
        in_kernel(job, prepared, record).await?;
        if record.status != Status::Ok {
            return Ok(());
        }
        self.end_to_end(job, prepared, record).await
    }

    fn note(&mut self, case: &Case, series: &Series, timer: &Timer, drift: f64, record: &mut Record) {
        let Some(summary) = stats::summarize(&series.samples_ns) else { return };
        self.pace.insert(pace_key(case), summary.median / case.shape.count() as f64);
        let figure = |value: f64| Some(round_to_seven_digits(value));
        timer.name().clone_into(&mut record.timer);
        record.tick_ns = figure(timer.tick_ns);
        record.samples = Some(series.samples_ns.len() as u64);
        record.launches = Some(u64::from(series.launches));
        record.median_ns = figure(summary.median);
        record.min_ns = figure(summary.min);
        record.mean_ns = figure(summary.mean);
        record.stddev_ns = summary.stddev.and_then(figure);
        record.ci_low_ns = summary.interval.and_then(|(low, _)| figure(low));
        record.ci_high_ns = summary.interval.and_then(|(_, high)| figure(high));
        record.gb_per_s = record.bytes.and_then(|bytes| figure(bytes as f64 / summary.median));
        record.gflop_per_s = record.flops.and_then(|flops| figure(flops as f64 / summary.median));
        record.drift = figure(drift);
        record.all_samples_ns = series.samples_ns.iter().map(|ns| round_to_seven_digits(*ns)).collect();
    }

    /// Times the job's end-to-end steps; a sum on the host must be right too.
    async fn end_to_end(&self, job: &Job, prepared: &mut dyn Prepared, record: &mut Record) -> Result<()> {
        let uploaded = job.end_to_end.iter().filter_map(Step::uploaded).map(|place| job.buffers[place].bytes);
        if job.end_to_end.is_empty() || uploaded.sum::<u64>() > self.settings.end_to_end_bytes {
            return Ok(());
        }
        let (mut samples, mut spent, mut want) = (Vec::new(), 0.0, None);
        while samples.len() < 2 || (samples.len() < 20 && spent < self.settings.rules.budget_ns / 4.0) {
            let (wall_ns, sum) = prepared.end_to_end().await?;
            if let Some(got) = sum {
                // u32 sums wrap; the host adds exact values up without wrapping.
                let wrapped = |sum: f64| if record.dtype == Dtype::U32.name() { sum % 4_294_967_296.0 } else { sum };
                let want = *want.get_or_insert_with(|| wrapped(job.check.sum()));
                if wrapped(got) != want {
                    record.turn_wrong(format!("end to end the sum is {}, must be {want}", wrapped(got)));
                    return Ok(());
                }
            }
            samples.push(wall_ns);
            spent += wall_ns;
        }
        // The first one warms up.
        record.end_to_end_ns = stats::median(&samples[1..]).map(round_to_seven_digits);
        Ok(())
    }

    /// Refuses a launch that would run so long that the operating system may reset the device. What a scalar costs is known from a
    /// smaller size of the same kernel, or found out on one now.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with the estimate.
    async fn check_pace(&mut self, case: &Case) -> Result<()> {
        let probe = match case.shape.extent {
            Extent::Linear(_) => Extent::Linear(1 << 18),
            Extent::Matrix(..) => Extent::Matrix(512, 512),
            // A scalar here is one multiplication; fewer would keep one workgroup of a GPU busy, whose pace is not the device's.
            Extent::Product(..) => Extent::Product(256, 256, 256),
        };
        if case.shape.count() <= probe.count() {
            return Ok(());
        }
        let key = pace_key(case);
        if !self.pace.contains_key(&key) {
            let mut small = case.clone();
            small.shape.extent = probe;
            let job = Job::new(&small)?;
            let timer = if job.is_host_timed() { Timer::wall() } else { self.timer.clone() };
            let mut prepared = self.backend.prepare(&job).await?;
            prepared.sample(1).await?;
            let sample = prepared.sample(1).await?;
            self.pace.insert(key.clone(), timer.read(&sample) / probe.count() as f64);
        }
        let estimate = self.pace[&key] * case.shape.count() as f64;
        let longest = longest_launch_ns(self.backend.device());
        if estimate > longest {
            let (estimate, longest) = (estimate / 1e9, longest / 1e9);
            return Err(Error::Unsupported(format!(
                "one launch would take about {estimate:.1} s, past the {longest:.1} s that are safe on this device"
            )));
        }
        Ok(())
    }
}

/// Takes the time that the kernel itself notes, where it does, from samples like those that were timed: of each the last launch's.
async fn in_kernel(job: &Job, prepared: &mut dyn Prepared, record: &mut Record) -> Result<()> {
    let Some(place) = job.buffers.iter().position(|buffer| buffer.contents == Contents::Clock) else { return Ok(()) };
    let launches = record.launches.and_then(|launches| u32::try_from(launches).ok()).unwrap_or(1);
    let mut spans = Vec::new();
    for _ in 0..CLOCK_SAMPLES {
        prepared.poison().await?;
        prepared.sample(launches).await?;
        let mut bytes = Vec::new();
        prepared.read(place, job.buffers[place].bytes, &mut |_, piece| bytes.extend_from_slice(piece)).await?;
        match span(&bytes) {
            Ok(span) => spans.push(span as f64),
            Err(reason) => {
                record.turn_wrong(reason);
                return Ok(());
            }
        }
    }
    record.in_kernel_ns = stats::median(&spans).map(round_to_seven_digits);
    Ok(())
}

/// Latest end minus earliest start in pairs of starts and ends, 64 bits each.
///
/// # Errors
/// Which workgroup noted no time, or an end before its start.
fn span(bytes: &[u8]) -> Result<u64, String> {
    let poison = u64::from(POISON) << 32 | u64::from(POISON);
    let times: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let (pairs, _) = times.as_chunks::<2>();
    let is_wrong = |[start, end]: &[u64; 2]| [*start, *end].contains(&poison) || end < start;
    if let Some(group) = pairs.iter().position(is_wrong) {
        let [start, end] = pairs[group];
        return Err(format!("workgroup {group} noted no time: start {start}, end {end}"));
    }
    let earliest = pairs.iter().map(|[start, _]| *start).min().unwrap_or_default();
    let latest = pairs.iter().map(|[_, end]| *end).max().unwrap_or_default();
    Ok(latest - earliest)
}

/// The whole output of a job.
async fn read_picture(job: &Job, prepared: &mut dyn Prepared) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    prepared.read(job.check.buffer, job.check.scalars, &mut |_, piece| bytes.extend_from_slice(piece)).await?;
    Ok(bytes)
}

impl Canary {
    async fn new(mut prepared: Box<dyn Prepared>, timer: &Timer, can_ramp: bool) -> Result<Self> {
        prepared.sample(1).await?;
        let each = timer.read(&prepared.sample(1).await?).max(1.0);
        let launches_for = |ns: f64| (ns / each).ceil().clamp(1.0, 2000.0) as u32;
        let (launches, load) = (launches_for(timer.shortest_sample_ns()), launches_for(LOAD_NS));
        let mut canary = Self { prepared, launches, load, can_ramp, reference_ns: f64::INFINITY };
        // Clocks rise over the first moments of work.
        for _ in 0..if can_ramp { 40 } else { 1 } {
            canary.prepared.sample(load).await?;
            canary.reference_ns = canary.reference_ns.min(canary.sing(timer).await?);
        }
        Ok(canary)
    }

    /// The fastest of three samples: what the clock allows, whatever else the machine was doing.
    async fn sing(&mut self, timer: &Timer) -> Result<f64> {
        let mut fastest = f64::INFINITY;
        for _ in 0..3 {
            fastest = fastest.min(timer.read(&self.prepared.sample(self.launches).await?));
        }
        Ok(fastest.max(1.0))
    }

    /// Keeps the device busy until its clock is back where it was (GPUs fall to a fraction of it while the host verifies), and gives
    /// the canary's time there. What half a second of work does not bring back is gone for now: that is the new reference.
    async fn steady(&mut self, timer: &Timer) -> Result<f64> {
        let (mut now, mut spent_ns) = (self.sing(timer).await?, 0.0);
        while self.can_ramp && now > self.reference_ns * (1.0 + DRIFT / 2.0) && spent_ns < 0.5e9 {
            spent_ns += self.prepared.sample(self.load).await?.wall_ns;
            now = self.sing(timer).await?;
        }
        self.reference_ns =
            if now > self.reference_ns * (1.0 + DRIFT / 2.0) { now } else { now.min(self.reference_ns) };
        Ok(now)
    }
}

/// Operating systems reset a GPU after two seconds; a software device has nobody to reset it, only the harness's patience.
fn longest_launch_ns(device: &Device) -> f64 {
    if device.kind == DeviceType::Software { 3e9 } else { 0.5e9 }
}

fn can_ramp(device: &Device) -> bool {
    device.kind != DeviceType::Software
}

fn pace_key(case: &Case) -> String {
    format!("{} {} {}", case.name(), case.shape.dtype.name(), case.params_text())
}

fn canary_case() -> Result<Case> {
    let family = FAMILIES.iter().find(|family| family.name == "ceiling");
    let found = family.and_then(|family| Some((*family, family.benchmarks.iter().find(|b| b.name == "fma")?)));
    let (family, benchmark) = found.ok_or_else(|| Error::Shader("the canary's kernel is missing".to_owned()))?;
    let params = [("ROUNDS".to_owned(), 16.0)].into();
    Ok(Case { family, benchmark, shape: Shape { dtype: Dtype::F32, extent: Extent::Linear(1 << 12), params } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_takes_from_its_earliest_start_to_its_latest_end() {
        let bytes = |times: &[u64]| times.iter().flat_map(|time| time.to_le_bytes()).collect::<Vec<_>>();
        assert_eq!(span(&bytes(&[1000, 1500, 960, 1200, 1100, 1700])), Ok(740));
        let poison = u64::from(POISON) << 32 | u64::from(POISON);
        for times in [[1000, 1500, 960, poison], [1000, 1500, poison, poison], [1000, 1500, 960, 900]] {
            let reason = span(&bytes(&times)).expect_err("the second noted none");
            assert!(reason.starts_with("workgroup 1 noted no time"), "{reason}");
        }
    }
}
