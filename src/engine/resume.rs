//! Rows of a run that was broken off, held against the plan that is to complete it.

use std::collections::{BTreeSet, HashMap};

use super::settings::Settings;
use crate::backend::Device;
use crate::job::Job;
use crate::results::{Cause, Record, SCHEMA, Status};
use crate::suite::{Case, Dtype, Extent};

/// Rows that a run need not measure: those of the first cases of its plan, or of any where a time limit left others out.
#[derive(Debug, Default)]
pub struct EarlierRows {
    pub(super) records: Vec<Record>,
    /// Where each stands in the plan: the index of its case times the number of APIs, plus that of its API.
    pub(super) slots: Vec<usize>,
    /// Slots of those that are to be measured again.
    pub(super) again: BTreeSet<usize>,
}

impl EarlierRows {
    /// Takes `records` as the beginning of a run of `cases` through the APIs of `devices`, in any order; where the settings limit its time,
    /// as any part of it. Rows that failed are to be measured
    /// again, since what failed them may have passed (a lost device, memory that others held), but for those that timed out: what hung
    /// once would hang again.
    ///
    /// # Errors
    /// What does not fit, in words that follow the file's name: another version, host, device or driver, other cases, another kernel.
    pub fn new(records: Vec<Record>, cases: &[Case], devices: &[Device], settings: &Settings) -> Result<Self, String> {
        let indices: HashMap<_, usize> = cases.iter().enumerate().map(|(index, case)| (of_case(case), index)).collect();
        let date = records.first().map(|record| record.date.clone());
        let mut slots: Vec<(usize, Record)> = Vec::with_capacity(records.len());
        for record in records {
            if Some(&record.date) != date.as_ref() {
                return Err("holds the rows of several runs".to_owned());
            }
            let api = same_device(&record, devices, settings)?;
            let Some(index) = indices.get(&of_record(&record)) else {
                return Err(format!("has a row for {}, which these arguments do not measure: {FLAGS}", title(&record)));
            };
            same_kernel(&record, &cases[*index], &devices[api])?;
            slots.push((index * devices.len() + api, record));
        }
        slots.sort_by_key(|(slot, _)| *slot);
        let gap = || slots.iter().enumerate().position(|(at, (slot, _))| at != *slot);
        if settings.time.is_none()
            && let Some(missing) = gap()
        {
            let case = &cases[missing / devices.len()];
            return Err(format!("lacks {case}, which these arguments measure before others that it has: {FLAGS}"));
        }
        let must_repeat = |record: &Record| match record.cause {
            Some(Cause::TimedOut) => false,
            Some(cause) if cause.is_by_ceiling() => true,
            _ => record.status == Status::Failed,
        };
        let again = slots.iter().filter(|(_, record)| must_repeat(record)).map(|(slot, _)| *slot).collect();
        let (slots, records) = slots.into_iter().unzip();
        Ok(Self { records, slots, again })
    }

    /// The rows.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// How many of them are to be measured again.
    #[must_use]
    pub fn again(&self) -> usize {
        self.again.len()
    }
}

const FLAGS: &str = "pass those of the run that wrote it";

/// Benchmark, type, size and parameters.
type Key = (String, Option<Dtype>, Option<Extent>, String);

pub(super) fn of_case(case: &Case) -> Key {
    (case.name(), Some(case.shape.dtype), Some(case.shape.extent), case.params_text())
}

pub(super) fn of_record(record: &Record) -> Key {
    (record.name(), record.dtype, record.n, record.params_text())
}

fn title(record: &Record) -> String {
    [&record.name(), record.dtype_name(), &record.size(), &record.params_text()].join(" ").trim_end().to_owned()
}

/// The number of the device that measured the row.
fn same_device(record: &Record, devices: &[Device], settings: &Settings) -> Result<usize, String> {
    let Some(api) = devices.iter().position(|device| Some(device.api) == record.backend) else {
        let apis: Vec<_> = devices.iter().map(|device| device.api.name()).collect();
        return Err(format!("has rows through {}, this run is through {}", record.api_name(), apis.join(", ")));
    };
    let device = &devices[api];
    let schema = record.schema.map_or_else(|| "none".to_owned(), |schema| schema.to_string());
    for (what, was, is) in [
        ("schema", schema.as_str(), SCHEMA.to_string().as_str()),
        ("version of shaderbench", &record.tool_version, crate::VERSION),
        ("device", &record.device, &device.name),
        ("driver", &record.driver, &device.driver),
        ("processor", &record.cpu, &settings.cpu),
        ("operating system", &record.os, &settings.os),
    ] {
        if was != is {
            return Err(format!("is of another {what}: {was} there, {is} here"));
        }
    }
    Ok(api)
}

/// Refuses a row whose kernel has changed since: a version under development keeps its number.
fn same_kernel(record: &Record, case: &Case, device: &Device) -> Result<(), String> {
    let Ok(job) = Job::new(case) else { return Ok(()) };
    if record.shader_hash.is_empty() || record.shader_hash == job.kernel.hash(device.language) {
        return Ok(());
    }
    Err(format!("has a row for {} with another version of its kernel", title(record)))
}
