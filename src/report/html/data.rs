//! The object that the page is drawn from.

use std::collections::BTreeMap;

use serde::Serialize;

use super::cases::{CaseColumns, SideColumns, TextTable, Texts};
use super::facts::{Ceiling, Plateau, ceilings, levels};
use super::matches::{Match, matches};
use super::samples::{Series, widest};
use crate::backend::{Api, DeviceType};
use crate::families::FAMILIES;
use crate::results::compare::{Comparison, Report, Side, compare};
use crate::results::findings::{Finding, Quantity, finding};
use crate::results::stats;
use crate::results::{Record, Status};
use crate::suite::Family;

/// Everything that the page shows. It serialises to plain JSON objects and arrays; their meaning is in the fields' own
/// comments.
#[derive(Serialize)]
pub struct Data<'a> {
    /// Version of shaderbench that made it.
    tool_version: &'static str,
    families: Vec<FamilyData>,
    sides: Vec<SideData<'a>>,
    cases: CaseColumns,
    #[serde(flatten)]
    texts: TextTable<'a>,
    matches: Vec<Match>,
}

#[derive(Serialize)]
struct FamilyData {
    name: &'static str,
    summary: &'static str,
    is_by_kernel: bool,
    /// Benchmarks whose result is the time of one load.
    latencies: Vec<&'static str>,
}

/// A device through an API.
#[derive(Serialize)]
struct SideData<'a> {
    label: &'a str,
    device: &'a str,
    /// As the CSV has it.
    backend: &'static str,
    /// As people write it.
    api: &'static str,
    driver: &'a str,
    tool_version: &'a str,
    vendor: &'a str,
    device_type: &'a str,
    os: &'a str,
    cpu: &'a str,
    /// Least and most lanes of a subgroup.
    subgroup: Option<[u32; 2]>,
    dates: &'a [&'a str],
    reports: &'a [&'a str],
    /// How many rows are of each status, where there are any.
    statuses: Vec<(&'static str, usize)>,
    /// Half of the rows have a 95 % interval within this of their median, and nine of ten within the next.
    noise: [Option<f64>; 2],
    ceilings: Vec<Ceiling>,
    levels: Vec<Plateau>,
    findings: Vec<FindingData>,
    rows: SideColumns,
    samples: Vec<Series>,
}

/// What the rows of a family show.
#[derive(Serialize)]
struct FindingData {
    family: &'static str,
    text: String,
    values: BTreeMap<String, Quantity>,
}

/// The compared reports; `comparison` is that of [`super::sides`].
///
/// Rows of one device, API, driver and version are one side, as in [`crate::results::compare`]; several runs of a side
/// are pooled.
#[must_use]
pub fn data<'a>(comparison: &'a Comparison<'a>) -> Data<'a> {
    let mut texts = Texts::default();
    let cases = CaseColumns::new(&comparison.cases, &mut texts);
    let sides = (0..comparison.sides.len()).map(|side| side_data(comparison, side, &mut texts)).collect();
    let is_there = |name: &str| comparison.cases.iter().any(|case| case.row.family == name);
    let family = |family: &&Family| FamilyData {
        name: family.name,
        summary: family.summary,
        is_by_kernel: family.is_by_kernel,
        latencies: family.benchmarks.iter().filter(|own| own.is_latency).map(|own| own.name).collect(),
    };
    Data {
        tool_version: env!("CARGO_PKG_VERSION"),
        families: FAMILIES.iter().filter(|family| is_there(family.name)).map(family).collect(),
        sides,
        cases,
        matches: matches(&comparison.sides, &comparison.cases, &mut texts),
        texts: texts.into_table(),
    }
}

/// The sides of `reports`, and the cases on each.
#[must_use]
pub fn sides(reports: &[Report]) -> Comparison<'_> {
    compare(reports, &[])
}

fn side_data<'a>(comparison: &'a Comparison<'a>, index: usize, texts: &mut Texts<'a>) -> SideData<'a> {
    let side: &Side = &comparison.sides[index];
    let entries = || comparison.cases.iter().filter_map(move |case| case.entries[index].as_ref());
    let rows: Vec<&Record> = entries().map(|entry| entry.row()).collect();
    // Facts about the run are in every row that knows them.
    let first_text = |get: fn(&'a Record) -> &'a String| {
        entries().map(|entry| get(entry.row()).as_str()).find(|text| !text.is_empty()).unwrap_or_default()
    };
    let count = |status: Status| rows.iter().filter(|row| row.status == status).count();
    let statuses = [Status::Ok, Status::Skipped, Status::Wrong, Status::Failed, Status::Implausible];
    let noises: Vec<f64> = entries().filter_map(|entry| entry.timing?.noise()).collect();
    let found = |family: &&Family| {
        let of_family: Vec<&Record> = rows.iter().copied().filter(|row| row.family == family.name).collect();
        let Finding { text, values } = finding(family.name, &of_family)?;
        Some(FindingData { family: family.name, text, values: values.into_iter().collect() })
    };
    SideData {
        label: &side.label,
        device: if side.device.is_empty() { "unnamed device" } else { side.device },
        backend: side.api.map_or("", Api::name),
        api: side.api.map_or("", Api::title),
        driver: side.driver,
        tool_version: side.tool_version,
        vendor: first_text(|row| &row.vendor),
        device_type: rows.iter().find_map(|row| row.device_type).map_or("", DeviceType::name),
        os: first_text(|row| &row.os),
        cpu: first_text(|row| &row.cpu),
        subgroup: rows.iter().find_map(|row| row.subgroup_size).map(|size| [size.least, size.most]),
        dates: &side.dates,
        reports: &side.reports,
        statuses: statuses
            .into_iter()
            .map(|status| (status.name(), count(status)))
            .filter(|(_, count)| *count > 0)
            .collect(),
        noise: [0.5, 0.9].map(|part| quantile(&noises, part)),
        ceilings: ceilings(&rows),
        levels: levels(&rows),
        findings: FAMILIES.iter().filter_map(found).collect(),
        rows: SideColumns::new(&comparison.cases, index, texts),
        samples: widest(&comparison.cases, index),
    }
}

fn quantile(values: &[f64], part: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (sorted.len().checked_sub(1)? as f64 * part).round() as usize;
    Some(stats::round_to_seven_digits(sorted[at]))
}
