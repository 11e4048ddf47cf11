//! The summary's figures as JSON.

use serde::Serialize;

use super::beside::{columns, pairs};
use super::common::jobs_of;
use super::figures::{Best, Peak, Space, beside, best, peaks, spaces, troubles};
use crate::report::toolchains;
use crate::versus::Ratios;
use record::suite::{Limit, Scalar, Toolchain};
use record::{Record, stats::Estimate};

/// The headline figures of a card through one API and compiler.
#[derive(Debug, Serialize)]
pub struct Headlines<'a> {
    report: &'a str,
    device: &'a str,
    driver: &'a str,
    date: &'a str,
    tool_version: &'a str,
    api: &'static str,
    compiler: &'a str,
    memory: Vec<Memory>,
    arithmetic: Vec<Arithmetic>,
    launch_ns: Option<f64>,
    jobs: Vec<JobLine<'a>>,
    /// Time ÷ that of another entry in the same cases: for the first API or compiler of a report, each other one; for
    /// the second of exactly two reports with the API, the first report.
    time_ratios: Vec<TimeRatios<'a>>,
    rows: Rows,
}

#[derive(Debug, Serialize)]
struct Memory {
    level: String,
    read_gb_per_s: Option<Estimate>,
    copy_gb_per_s: Option<f64>,
    latency_ns: Option<Estimate>,
    size_at_least_bytes: Option<u64>,
    size_at_most_bytes: Option<u64>,
    driver_bytes: Option<u64>,
    banks: Option<u64>,
}

#[derive(Debug, Serialize)]
struct Arithmetic {
    dtype: &'static str,
    is_tensor: bool,
    gop_per_s: Option<f64>,
    /// Rate of the card's fastest kernel. For tensor cores, this may be another kernel than `ceiling/tensor`.
    peak_gop_per_s: Option<f64>,
}

#[derive(Debug, Serialize)]
struct JobLine<'a> {
    job: &'static str,
    family: &'a str,
    benchmark: &'a str,
    dtype: String,
    n: String,
    params: String,
    gb_per_s: Option<f64>,
    gflop_per_s: Option<f64>,
    share: Option<f64>,
    is_tied: bool,
    /// Time ÷ that of the simplest kernel, if they certainly differ.
    naive_time_ratio: Option<Estimate>,
    /// The vendor's library in the same case, if it was measured.
    library: Option<LibraryRatio<'a>>,
}

#[derive(Debug, Serialize)]
struct LibraryRatio<'a> {
    name: &'static str,
    benchmark: &'a str,
    time_ratio: Estimate,
}

#[derive(Debug, Serialize)]
struct TimeRatios<'a> {
    report: &'a str,
    api: &'static str,
    compiler: &'a str,
    jobs: Vec<JobRatio>,
    /// Geometric means; empty between reports.
    families: Vec<FamilyRatio<'a>>,
}

#[derive(Debug, Serialize)]
struct JobRatio {
    job: &'static str,
    time_ratio: Estimate,
}

#[derive(Debug, Serialize)]
struct FamilyRatio<'a> {
    family: &'a str,
    time_ratio: f64,
}

#[derive(Debug, Serialize)]
struct Rows {
    all: usize,
    wrong: usize,
    failed: usize,
    implausible: usize,
    skipped: usize,
    unsteady: usize,
}

/// The headline figures of named reports: an entry for each API and compiler of a report.
#[must_use]
pub fn headlines(reports: &[(String, Vec<Record>)]) -> Vec<Headlines<'_>> {
    let mut entries: Vec<Headlines> = reports.iter().flat_map(|(name, records)| of_report(name, records)).collect();
    let columns = columns(reports);
    for pair in pairs(&columns, &jobs_of(&columns)) {
        let [first, second] = pair.columns;
        let time_ratios = TimeRatios {
            report: entries[first].report,
            api: entries[first].api,
            compiler: entries[first].compiler,
            jobs: pair.ratios.iter().map(|(job, _, ratio)| JobRatio { job, time_ratio: ratio.recip() }).collect(),
            families: Vec::new(),
        };
        entries[second].time_ratios.push(time_ratios);
    }
    entries
}

fn of_report<'a>(name: &'a str, records: &'a [Record]) -> Vec<Headlines<'a>> {
    let toolchains = toolchains(records);
    let entry = |(index, toolchain): (usize, &Toolchain<'a>)| {
        let others = if index == 0 { &toolchains[1..] } else { &[] };
        of_toolchain(name, records, *toolchain, others)
    };
    toolchains.iter().enumerate().filter_map(entry).collect()
}

fn of_toolchain<'a>(
    name: &'a str,
    records: &'a [Record],
    toolchain: Toolchain<'a>,
    others: &[Toolchain<'a>],
) -> Option<Headlines<'a>> {
    let rows: Vec<&Record> = records.iter().filter(|row| row.toolchain() == Some(toolchain)).collect();
    let first = *rows.first()?;
    let all: Vec<&Record> = records.iter().collect();
    let (peaks, best, troubles) = (peaks(&rows), best(&rows), troubles(&rows));
    let is_arithmetic = |peak: &&Peak| matches!(peak.limit, Limit::Fma | Limit::Tensor);
    Some(Headlines {
        report: name,
        device: &first.device,
        driver: &first.driver,
        date: &first.date,
        tool_version: &first.tool_version,
        api: toolchain.api.name(),
        compiler: toolchain.foreign(),
        memory: spaces(&rows).into_iter().map(Memory::from).collect(),
        arithmetic: peaks.iter().filter(is_arithmetic).map(Arithmetic::from).collect(),
        launch_ns: peaks.iter().find_map(|peak| peak.ns).map(|ns| ns.value),
        jobs: best.iter().map(|best| JobLine::new(best, &all)).collect(),
        time_ratios: others.iter().map(|other| time_ratios((name, records), &best, [toolchain, *other])).collect(),
        rows: Rows {
            all: rows.len(),
            wrong: troubles.wrong.len(),
            failed: troubles.failed.len(),
            implausible: troubles.implausible.len(),
            skipped: troubles.skipped,
            unsteady: troubles.unsteady.len(),
        },
    })
}

fn time_ratios<'a>(
    (report, records): (&'a str, &'a [Record]),
    best: &[Best<'a>],
    toolchains: [Toolchain<'a>; 2],
) -> TimeRatios<'a> {
    let ratios = Ratios::new(&records.iter().collect::<Vec<_>>(), toolchains);
    let job = |best: &Best| Some(JobRatio { job: best.job.name, time_ratio: ratios.of(best.row)? });
    let families = ratios.by_family().into_iter().map(|(family, time_ratio)| FamilyRatio { family, time_ratio });
    TimeRatios {
        report,
        api: toolchains[1].api.name(),
        compiler: toolchains[1].foreign(),
        jobs: best.iter().filter_map(job).collect(),
        families: families.collect(),
    }
}

impl From<Space> for Memory {
    fn from(space: Space) -> Self {
        let (size_at_least_bytes, size_at_most_bytes) = space.size.unzip();
        Self {
            level: space.name,
            read_gb_per_s: space.read,
            copy_gb_per_s: space.copy.map(|copy| copy.value),
            latency_ns: space.latency,
            size_at_least_bytes,
            size_at_most_bytes,
            driver_bytes: space.driver_bytes,
            banks: space.banks,
        }
    }
}

impl From<&Peak> for Arithmetic {
    fn from(peak: &Peak) -> Self {
        let dtype = peak.scalar.map_or("", Scalar::name);
        Self {
            dtype,
            is_tensor: peak.limit == Limit::Tensor,
            gop_per_s: peak.gflop_per_s.map(|rate| rate.value),
            peak_gop_per_s: peak.roof,
        }
    }
}

impl<'a> JobLine<'a> {
    fn new(best: &Best<'a>, all: &[&'a Record]) -> Self {
        let row = best.row;
        let library = beside(row, all).map(|beside| LibraryRatio {
            name: beside.library.title(),
            benchmark: &beside.row.benchmark,
            time_ratio: beside.ratio,
        });
        Self {
            job: best.job.name,
            family: &row.family,
            benchmark: &row.benchmark,
            dtype: row.dtype_name().to_owned(),
            n: row.size(),
            params: row.params_text(),
            gb_per_s: row.gb_per_s,
            gflop_per_s: row.gflop_per_s,
            share: row.share,
            is_tied: best.is_tied(),
            naive_time_ratio: best.over_naive.map(Estimate::recip),
            library,
        }
    }
}
