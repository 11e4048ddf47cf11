//! The sides of a comparison, and the pairs of sides to compare.

use crate::backend::Api;
use crate::results::Record;

/// A report that was read.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Name of the report: its path.
    pub name: String,
    /// The rows of the report.
    pub records: Vec<Record>,
}

/// One column of a comparison: a device through an API, with a driver and tool version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side<'a> {
    /// Label: a letter.
    pub label: String,
    /// Whether the side is from the baseline's reports.
    pub is_baseline: bool,
    /// Name of the device.
    pub device: &'a str,
    /// API, if the report has it.
    pub api: Option<Api>,
    /// Driver with version.
    pub driver: &'a str,
    /// Version of shaderbench.
    pub tool_version: &'a str,
    /// The reports with rows of the side.
    pub reports: Vec<&'a str>,
    /// Start times of the runs, in the order of the reports.
    pub dates: Vec<&'a str>,
}

/// A pair of sides to compare, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// The baseline side.
    pub baseline: usize,
    /// The side compared with the baseline.
    pub side: usize,
}

/// The index of the side of a row. Adds a new side if needed.
pub(super) fn index_of<'a>(
    sides: &mut Vec<Side<'a>>,
    report: &'a Report,
    record: &'a Record,
    is_baseline: bool,
) -> usize {
    let identity = |side: &Side| {
        (side.is_baseline, side.device, side.api, side.driver, side.tool_version)
            == (
                is_baseline,
                record.device.as_str(),
                record.backend,
                record.driver.as_str(),
                record.tool_version.as_str(),
            )
    };
    // Search from the end: consecutive rows usually have the same side.
    let index = sides.iter().rposition(identity).unwrap_or_else(|| {
        sides.push(Side {
            label: label(sides.len()),
            is_baseline,
            device: &record.device,
            api: record.backend,
            driver: &record.driver,
            tool_version: &record.tool_version,
            reports: Vec::new(),
            dates: Vec::new(),
        });
        sides.len() - 1
    });
    let side = &mut sides[index];
    if side.reports.last() != Some(&report.name.as_str()) {
        side.reports.push(&report.name);
    }
    if !side.dates.contains(&record.date.as_str()) {
        side.dates.push(&record.date);
    }
    index
}

/// Side labels: A to Z, then A2 to Z2 and so on.
fn label(index: usize) -> String {
    let letter = char::from(b'A' + (index % 26) as u8);
    let round = index / 26 + 1;
    if round == 1 { letter.to_string() } else { format!("{letter}{round}") }
}

/// Pairs each other side with the baseline side of the same device and API, else of the same API, else with the first
/// baseline side. Unpaired baseline sides are paired with the first one.
pub(super) fn matches(sides: &[Side]) -> Vec<Match> {
    let baselines = || sides.iter().enumerate().filter(|(_, side)| side.is_baseline).map(|(index, _)| index);
    let nearest = |side: &Side| {
        let is_api = |index: &usize| sides[*index].api == side.api;
        let is_own = |index: &usize| is_api(index) && sides[*index].device == side.device;
        baselines().find(is_own).or_else(|| baselines().find(is_api)).unwrap_or(0)
    };
    let others = || sides.iter().enumerate().filter(|(_, side)| !side.is_baseline);
    let mut matches: Vec<Match> =
        others().map(|(index, side)| Match { baseline: nearest(side), side: index }).collect();
    let idle: Vec<usize> = baselines().skip(1).filter(|index| matches.iter().all(|of| of.baseline != *index)).collect();
    matches.splice(0..0, idle.into_iter().map(|side| Match { baseline: 0, side }));
    matches
}
