//! The sides of a comparison, and the pairs of sides to compare.

use std::collections::{HashMap, HashSet};

use record::suite::{AGAINST, Api};
use record::{CardId, Record};

/// A report and its rows.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Name of the report: its path.
    pub name: String,
    /// The rows of the report.
    pub records: Vec<Record>,
}

/// One column of a comparison: a card through an API, with compiler, driver and tool version, in runs of the same APIs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side<'a> {
    /// Label: a letter.
    pub label: String,
    /// Whether the side is from the baseline's reports.
    pub is_baseline: bool,
    /// Name of the device.
    pub device: &'a str,
    /// UUID or PCI address of the card; empty if unknown or if the side is a model.
    pub card: &'a str,
    /// Host name, if the card's name is not unique among hosts.
    pub host: &'a str,
    /// API, if the report has it.
    pub api: Option<Api>,
    /// The WGSL compiler and its version; empty for wgpu's own compiler.
    pub compiler: [&'a str; 2],
    /// All APIs of the runs, joined by `+`; empty if unknown.
    pub apis: &'a str,
    /// Driver with version.
    pub driver: &'a str,
    /// Version of shaderbench.
    pub tool_version: &'a str,
    /// The reports with rows of the side.
    pub reports: Vec<&'a str>,
    /// Start times of the runs, in the order of the reports.
    pub dates: Vec<&'a str>,
}

impl Side<'_> {
    /// Whether both sides are one card, driver, compiler and API: their rows differ only by chance or by their kernels.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let identity = |side: &Self| (side.api, side.compiler, side.driver.to_owned());
        identity(self) == identity(other) && self.card_id().is_likely(&other.card_id())
    }

    /// Whether the command of `--against` measured this side.
    #[must_use]
    pub fn is_against(&self) -> bool {
        self.compiler[0] == AGAINST
    }

    /// Whether either side has a single run, which does not show all run-to-run variation. Sides that took turns show
    /// it: each epoch has its own process.
    pub(super) fn is_of_one_run(&self, other: &Self) -> bool {
        !self.is_in_turns_with(other) && (self.dates.len() < 2 || other.dates.len() < 2)
    }

    pub(super) fn is_in_turns_with(&self, other: &Self) -> bool {
        self.is_against() != other.is_against() && self.dates == other.dates
    }

    /// How two sides of one model and API differ: `card`, `driver`, `build`; `None` if in nothing known.
    pub(super) fn differs_by(&self, other: &Self) -> Option<&'static str> {
        if (self.device, self.api) != (other.device, other.api) {
            return None;
        }
        let is_one_card = self.card_id().is_likely(&other.card_id());
        let differences = [
            ("card", !is_one_card),
            ("driver", self.driver != other.driver),
            ("build", self.tool_version != other.tool_version),
        ];
        differences.into_iter().find_map(|(what, differs)| differs.then_some(what))
    }

    const fn card_id(&self) -> CardId<'_> {
        CardId { device: self.device, host: self.host, name: self.card }
    }
}

/// A pair of sides to compare, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// The baseline side.
    pub baseline: usize,
    /// The side compared with the baseline.
    pub side: usize,
}

type Identity<'a> = (bool, Option<Api>, [&'a str; 2], CardId<'a>, [&'a str; 3]);

#[derive(Default)]
pub(super) struct Sides<'a> {
    is_by_model: bool,
    pub(super) sides: Vec<Side<'a>>,
    indices: HashMap<Identity<'a>, usize>,
    dates: HashSet<(usize, &'a str)>,
}

impl<'a> Sides<'a> {
    pub(super) fn new(is_by_model: bool) -> Self {
        Self { is_by_model, ..Self::default() }
    }

    /// The index of a row's side, which is added if new.
    pub(super) fn index_of(&mut self, report: &'a Report, record: &'a Record, is_baseline: bool) -> usize {
        let named = record.card_id();
        let card = if self.is_by_model { CardId { device: named.device, host: "", name: "" } } else { named };
        let texts = [&record.apis, &record.driver, &record.tool_version];
        let foreign = record.toolchain().map_or("", |toolchain| toolchain.foreign());
        // The version of wgpu's own compiler follows from the tool's version.
        let compiler = if foreign.is_empty() { [""; 2] } else { [foreign, &record.compiler_version] };
        let identity = (is_baseline, record.backend, compiler, card, texts.map(String::as_str));
        let index = *self.indices.entry(identity).or_insert_with(|| {
            self.sides.push(Side {
                label: label(self.sides.len()),
                is_baseline,
                device: &record.device,
                card: card.name,
                host: card.host,
                api: record.backend,
                compiler,
                apis: &record.apis,
                driver: &record.driver,
                tool_version: &record.tool_version,
                reports: Vec::new(),
                dates: Vec::new(),
            });
            self.sides.len() - 1
        });
        let side = &mut self.sides[index];
        if side.reports.last() != Some(&report.name.as_str()) {
            side.reports.push(&report.name);
        }
        if self.dates.insert((index, &record.date)) {
            side.dates.push(&record.date);
        }
        index
    }
}

pub(super) fn used<'a>(sides: Vec<Side<'a>>, is_used: &[bool]) -> Vec<Side<'a>> {
    let used = sides.into_iter().zip(is_used).filter(|(_, is_used)| **is_used).map(|(side, _)| side);
    used.enumerate().map(|(index, side)| Side { label: label(index), ..side }).collect()
}

/// Labels A to Z, then A2 to Z2 and so on.
fn label(index: usize) -> String {
    let letter = char::from(b'A' + (index % 26) as u8);
    let round = index / 26 + 1;
    if round == 1 { letter.to_string() } else { format!("{letter}{round}") }
}

/// Pairs each other side with the baseline side of the same card, API and compiler (preferably measured with the same
/// other APIs), else of the same device and API, else of the same API, else with the first. Unpaired baseline sides are
/// paired with the first one. A CUDA side is then the baseline: the ratio is what WGSL costs.
pub(super) fn matches(sides: &[Side]) -> Vec<Match> {
    let baselines = || (0..sides.len()).filter(|index| sides[*index].is_baseline);
    let nearest = |side: &Side| {
        let likeness = |index: &usize| {
            let other = &sides[*index];
            let is_device = other.device == side.device;
            let is_compiler = other.compiler[0] == side.compiler[0];
            let is_card = other.card_id().is_likely(&side.card_id());
            (other.api == side.api).then_some([is_compiler, is_device, is_card, other.apis == side.apis])
        };
        // Reversed, because `max_by_key` returns the last maximum and the first is wanted.
        baselines().rev().max_by_key(likeness).unwrap_or(0)
    };
    let others = || sides.iter().enumerate().filter(|(_, side)| !side.is_baseline);
    let mut matches: Vec<Match> =
        others().map(|(index, side)| Match { baseline: nearest(side), side: index }).collect();
    let idle: Vec<usize> = baselines().skip(1).filter(|index| matches.iter().all(|of| of.baseline != *index)).collect();
    let with_first = |side: usize| {
        let is_port = sides[side].api == Some(Api::Cuda) && sides[0].api != Some(Api::Cuda);
        if is_port { Match { baseline: side, side: 0 } } else { Match { baseline: 0, side } }
    };
    matches.splice(0..0, idle.into_iter().map(with_first));
    matches
}
