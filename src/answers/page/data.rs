//! The data object of the page.

use serde::Serialize;

use super::cards::{cards, rows_of_sides};
use super::cases::{CaseColumns, Common, SideColumns, Texts};
use super::facts::{Ceiling, Plateau, ceilings, levels};
use super::known::known;
use super::matches::{Match, matches};
use super::names::{Name, device, names, title};
use super::screen::{self, Screen, cards_on, screen};
use crate::compare::{Comparison, Entry, Report, Rules, Side, compare_by};
use crate::references::Reference;
use crate::report::section::other_families;
use crate::summary::SOFTWARE;
use kernels::FAMILIES;
use kernels::claims::finding;
use record::suite::{Api, Benchmark, Chart, DeviceType, Family};
use record::{Record, Status};

/// All data of the page, serialized to plain JSON. The comments of the fields define their meaning.
#[derive(Serialize)]
pub struct Data<'a> {
    /// The devices, and the days of the measurements.
    pub(super) title: String,
    /// The version of shaderbench that wrote the page.
    tool_version: &'static str,
    pub(super) screen: Screen,
    /// How to interpret the figures of a software device.
    software_note: &'static str,
    families: Vec<FamilyData<'a>>,
    pub(super) sides: Vec<SideData<'a>>,
    cases: CaseColumns,
    #[serde(flatten)]
    texts: Texts<'a>,
    matches: Vec<Match>,
}

#[derive(Serialize)]
struct FamilyData<'a> {
    name: &'a str,
    summary: &'static str,
    /// Title of its chart of kernels; empty if in a chart of several families, `null` if it has another kind of chart.
    ladder: Option<&'static str>,
    /// Benchmarks whose result is the latency of one load.
    latencies: Vec<&'static str>,
    /// Benchmarks of a vendor's library.
    libraries: Vec<&'static str>,
}

#[derive(Serialize)]
pub(super) struct SideData<'a> {
    label: &'a str,
    /// Short name: `H100 A, 25 Nov · Vulkan`.
    pub(super) name: String,
    /// The name; on a page of one card, only the API.
    short: String,
    pub(super) device: &'a str,
    /// Whether the device runs kernels on the CPU.
    pub(super) is_software: bool,
    /// API name as in the CSV.
    backend: &'static str,
    /// API name for display, with the compiler if it is not wgpu's own.
    api: String,
    driver: &'a str,
    /// Number of cards: more than one if the side is a model.
    cards: usize,
    /// UUID or PCI address of the card.
    card: &'a str,
    /// Host name, if the card's name is not unique.
    host: &'a str,
    tool_version: &'a str,
    vendor: &'a str,
    device_type: &'a str,
    os: &'a str,
    cpu: &'a str,
    /// Minimum and maximum subgroup size.
    subgroup: Option<[u32; 2]>,
    pub(super) dates: &'a [&'a str],
    reports: &'a [&'a str],
    /// Number of rows per status; statuses without rows are omitted.
    statuses: Vec<(&'static str, usize)>,
    ceilings: Vec<Ceiling>,
    levels: Vec<Plateau>,
    /// Family and sentence.
    findings: Vec<(&'static str, String)>,
    rows: SideColumns,
}

impl Data<'_> {
    /// Adds the reference reports of other models to a page of one card.
    #[must_use]
    pub fn beside(mut self, comparison: &Comparison, references: &[Reference]) -> Self {
        let known = |_| known(&screen::rows(comparison, 0), references);
        self.screen.known = self.screen.card.as_ref().and_then(known);
        self
    }
}

/// The page data of a comparison from [`super::sides`]. As in [`crate::compare`], runs of a side are pooled.
#[must_use]
pub fn data<'a>(comparison: &'a Comparison<'a>) -> Data<'a> {
    let mut texts = Texts::default();
    let common = Common::of(&comparison.cases);
    let cases = CaseColumns::new(&comparison.cases, &common, &mut texts);
    let cards = cards(&rows_of_sides(comparison));
    let counts: Vec<usize> = (0..comparison.sides.len()).map(|side| cards_on(comparison, side)).collect();
    let names = names(comparison, &cards, &counts);
    let screen = screen(comparison, &cards, &names);
    let names = names.into_iter().zip(&counts).enumerate();
    let side = |(index, (name, cards)): (usize, (Name, &usize))| {
        side_data(comparison, index, (name, *cards), &common, &mut texts)
    };
    let sides: Vec<SideData> = names.map(side).collect();
    let is_there = |name: &str| !comparison.cases_of(name).is_empty();
    let family = |family: &&Family| FamilyData {
        name: family.name,
        summary: family.summary,
        ladder: if let Chart::Ladder(title) = family.chart { Some(title) } else { None },
        latencies: named(family, |benchmark| benchmark.is_latency),
        libraries: named(family, |benchmark| benchmark.library.is_some()),
    };
    let other = |name| FamilyData { name, summary: "", ladder: Some(""), latencies: Vec::new(), libraries: Vec::new() };
    let others = other_families(comparison.cases.iter().map(|case| case.row)).into_iter().map(other);
    Data {
        title: title(&comparison.sides),
        tool_version: env!("CARGO_PKG_VERSION"),
        families: FAMILIES.iter().filter(|family| is_there(family.name)).map(family).chain(others).collect(),
        screen,
        software_note: SOFTWARE,
        sides,
        cases,
        matches: matches(comparison, &cards, &mut texts),
        texts,
    }
}

fn named(family: &Family, is_wanted: fn(&Benchmark) -> bool) -> Vec<&'static str> {
    family.benchmarks.iter().filter(|benchmark| is_wanted(benchmark)).map(|benchmark| benchmark.name).collect()
}

/// Pools `reports` into sides, and collects their cases.
#[must_use]
pub fn sides(reports: &[Report]) -> Comparison<'_> {
    sides_by(&Rules::default(), reports)
}

/// Like [`sides`], by other rules.
#[must_use]
pub fn sides_by<'a>(rules: &Rules, reports: &'a [Report]) -> Comparison<'a> {
    // The page chooses its own pairs.
    compare_by(&Rules { has_matches: false, ..*rules }, reports, &[])
}

fn side_data<'a>(
    comparison: &'a Comparison<'a>,
    index: usize,
    (name, cards): (Name, usize),
    common: &[Common],
    texts: &mut Texts<'a>,
) -> SideData<'a> {
    let side: &Side = &comparison.sides[index];
    let entries: Vec<&Entry> = comparison.on_side(index).map(|(_, _, entry)| entry).collect();
    let rows: Vec<&Record> = entries.iter().map(|entry| entry.row()).collect();
    // Facts about the run are the same in every row that states them.
    let first_text = |get: fn(&'a Record) -> &'a String| {
        entries.iter().map(|entry| get(entry.row()).as_str()).find(|text| !text.is_empty()).unwrap_or_default()
    };
    let shown = screen::rows(comparison, index);
    let count = |status: Status| rows.iter().filter(|row| row.status == status).count();
    let statuses =
        [Status::Ok, Status::Unverified, Status::Skipped, Status::Wrong, Status::Failed, Status::Implausible];
    let found = |family: &&Family| {
        let of_family: Vec<&Record> = shown.iter().copied().filter(|row| row.family == family.name).collect();
        Some((family.name, finding(family.name, &of_family)?.text()))
    };
    SideData {
        label: &side.label,
        name: name.full,
        short: name.short,
        is_software: rows.iter().any(|row| row.device_type == Some(DeviceType::Software)),
        device: device(side),
        backend: side.api.map_or("", Api::name),
        api: [side.api.map_or("", Api::title), side.compiler[0]].join(" ").trim_end().to_owned(),
        driver: side.driver,
        cards,
        card: side.card,
        host: side.host,
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
        ceilings: ceilings(&shown),
        levels: levels(&shown),
        findings: FAMILIES.iter().filter_map(found).collect(),
        rows: SideColumns::new(comparison, common, index, texts),
    }
}
