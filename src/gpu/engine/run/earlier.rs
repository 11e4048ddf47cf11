//! Rows of an interrupted run, matched with the plan of the run that resumes it.

use std::collections::HashMap;

use super::rows::RowTable;
use super::settings::Settings;
use crate::backend::{Device, card_name};
use crate::job::Job;
use record::suite::{Api, Case, Dtype, Extent, Toolchain};
use record::{Cause, Record, SCHEMA, Status};

impl RowTable {
    /// Matches `records`, in any order, with a run of `cases` through the APIs of `devices`. Rows may be missing
    /// anywhere: a process that ended left holes. Rows that failed or exceed their ceiling are measured again, since
    /// the cause may be gone (a lost device, memory used by others), and so are rows that the time limit left out. Rows
    /// that timed out or ended the process twice are not: they would do so again (see [`Self::retry_timeouts`]).
    ///
    /// # Errors
    /// If version, host, device, driver, profile, cases or kernels do not match. The text follows the file's name.
    pub fn resumed(
        records: Vec<Record>,
        cases: &[Case],
        devices: &[Device],
        settings: &Settings,
    ) -> Result<Self, String> {
        let known = Slots::new(cases, devices);
        let date = records.first().map(|record| record.date.clone());
        let mut slots: Vec<(usize, Record)> = Vec::with_capacity(records.len());
        for record in records {
            if Some(&record.date) != date.as_ref() {
                return Err("contains rows of several runs".to_owned());
            }
            let api = same_device(&record, devices, settings)?;
            let Some(index) = known.index(&record) else {
                return Err(format!(
                    "has a row for {}, which these arguments do not measure: {USE_SAME_ARGUMENTS}",
                    title(&record)
                ));
            };
            same_kernel(&record, &cases[index], &devices[api])?;
            slots.push((index * devices.len() + api, record));
        }
        slots.sort_by_key(|(slot, _)| *slot);
        let must_repeat = |record: &Record| match record.cause {
            Some(Cause::TimedOut | Cause::CrashedAgain) => false,
            // Memory may be free by now.
            Some(Cause::TimeLimit | Cause::OutOfMemory) => true,
            Some(cause) if cause.is_by_ceiling() => true,
            _ => record.status == Status::Failed,
        };
        let to_repeat = slots.iter().filter(|(_, record)| must_repeat(record)).map(|(slot, _)| *slot).collect();
        Ok(Self::new(devices.len(), slots, to_repeat))
    }

    /// Also repeats rows that timed out or ended the process twice, or were skipped because a smaller size did.
    #[must_use]
    pub fn retry_timeouts(mut self) -> Self {
        let ended: Vec<usize> = self.iter().filter(|(_, row)| has_ended(row)).map(|(slot, _)| slot).collect();
        self.repeat(ended);
        self
    }

    /// Number of rows that are not measured again because they timed out or ended the process twice.
    #[must_use]
    pub fn given_up(&self) -> usize {
        self.iter().filter(|(slot, row)| has_ended(row) && !self.is_repeated(*slot)).count()
    }
}

fn has_ended(row: &Record) -> bool {
    matches!(row.cause, Some(Cause::TimedOut | Cause::CrashedAgain))
}

/// The slots of a plan's rows: the index of the case times the number of APIs, plus the index of the API.
#[derive(Debug)]
pub struct Slots {
    indices: HashMap<Key, usize>,
    toolchains: Vec<(Api, String)>,
}

impl Slots {
    /// The slots of a run of `cases` through the APIs of `devices`.
    #[must_use]
    pub fn new(cases: &[Case], devices: &[Device]) -> Self {
        let indices = cases.iter().enumerate().map(|(index, case)| (of_case(case), index)).collect();
        let toolchain = |device: &Device| (device.api, device.kernel_compiler.name.clone());
        Self { indices, toolchains: devices.iter().map(toolchain).collect() }
    }

    fn index(&self, record: &Record) -> Option<usize> {
        self.indices.get(&of_record(record)).copied()
    }

    /// The slot of a row; `None` for a row of another run.
    #[must_use]
    pub fn slot(&self, record: &Record) -> Option<usize> {
        let toolchain = record.toolchain()?;
        let api = self.toolchains.iter().position(|(api, compiler)| toolchain == Toolchain { api: *api, compiler })?;
        Some(self.index(record)? * self.toolchains.len() + api)
    }
}

const USE_SAME_ARGUMENTS: &str = "use the arguments of the run that wrote the file";

/// Benchmark, type, size and parameters.
type Key = (String, Option<Dtype>, Option<Extent>, String);

pub(in crate::engine) fn of_case(case: &Case) -> Key {
    (case.name(), Some(case.shape.dtype), Some(case.shape.extent), case.params_text())
}

pub(in crate::engine) fn of_record(record: &Record) -> Key {
    (record.name(), record.dtype, record.n, record.params_text())
}

fn title(record: &Record) -> String {
    [&record.name(), record.dtype_name(), &record.size(), &record.params_text()].join(" ").trim_end().to_owned()
}

/// The index of the device that measured the row.
fn same_device(record: &Record, devices: &[Device], settings: &Settings) -> Result<usize, String> {
    if !devices.iter().any(|device| Some(device.api) == record.backend) {
        let apis: Vec<_> = devices.iter().map(|device| device.api.name()).collect();
        return Err(format!("has rows of API {}, but this run uses {}", record.api_name(), apis.join(", ")));
    }
    let Some(api) = devices.iter().position(|device| Some(Toolchain::from(device)) == record.toolchain()) else {
        let toolchain =
            |name: &str| if name.is_empty() { "wgpu's own compiler".to_owned() } else { format!("compiler {name}") };
        let names: Vec<_> = devices.iter().map(|device| toolchain(&device.kernel_compiler.name)).collect();
        return Err(format!("has rows of {}, but this run uses {}", toolchain(&record.compiler), names.join(", ")));
    };
    let device = &devices[api];
    let now = settings.identity(card_name(device));
    match (record.host.is_empty(), now.host.is_empty()) {
        (true, false) => return Err("contains no host name: pass --anonymous".to_owned()),
        (false, true) => return Err(format!("contains the host name {}: omit --anonymous", record.host)),
        _ => {}
    }
    let schema = record.schema.map_or_else(|| "none".to_owned(), |schema| schema.to_string());
    let version = if record.is_against() { &device.kernel_compiler.version } else { &settings.tool_version };
    // The first reports of this schema have no profile.
    let profile = record.profile.unwrap_or(settings.profile);
    for (what, was, is) in [
        ("schema", schema.as_str(), SCHEMA.to_string().as_str()),
        ("version of shaderbench", &record.tool_version, version),
        ("device", &record.device, &device.name),
        ("driver", &record.driver, &device.driver),
        ("compiler version", &record.compiler_version, &device.kernel_compiler.version),
        ("CPU", &record.cpu, &settings.cpu),
        ("operating system", &record.os, &settings.os),
        ("host", &record.host, &now.host),
        ("card", &record.card, &now.card),
        ("profile", profile.name(), settings.profile.name()),
    ] {
        if was != is {
            return Err(format!("is from another {what}: {was} in the file, {is} now"));
        }
    }
    Ok(api)
}

/// Refuses a row whose kernel has changed: during development the version number stays the same.
fn same_kernel(record: &Record, case: &Case, device: &Device) -> Result<(), String> {
    let Ok(job) = Job::new(case) else { return Ok(()) };
    let (work, amount) = (case.work(), |amount: u64| (amount > 0).then_some(amount));
    if (record.bytes, record.flops) != (amount(work.bytes), amount(work.flops)) {
        return Err(format!(
            "has a row for {} with other bytes or flops: the benchmark has changed since that run",
            title(record)
        ));
    }
    let declaration = case.benchmark.declared.map_or("", |declared| declared.hash());
    if record.declaration != declaration {
        return Err(format!(
            "has a row for {} with a different declaration: the TOML file or its data has changed",
            title(record)
        ));
    }
    let checks = device.checks_in(case, &job.kernel.interface);
    if record.median_ns.is_some() && job.runs_kernel() && record.checks != checks {
        return Err(format!("has a row for {} with different run-time checks: --unchecked has changed", title(record)));
    }
    if record.shader_hash.is_empty() || record.shader_hash == job.kernel.hash(device.language) {
        return Ok(());
    }
    Err(format!("has a row for {} with another version of its kernel", title(record)))
}
