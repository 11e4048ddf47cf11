//! The first screen: the figures of the summary on the terminal.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::cards::Card;
use super::figure::Figure;
use crate::compare::{Comparison, Entry};
use crate::summary::cells::{self, Level, Marks, marks_of};
use crate::summary::figures::{best, peaks, spaces, troubles};
use crate::summary::{self, Shown, UNLIKE, faster, faster_ones, in_order, jobs_of, quoted_time};
use crate::versus::Ratios;
use record::suite::Toolchain;
use record::{Record, stats::Estimate, typical};

/// The first screen.
#[derive(Serialize)]
pub(super) struct Screen {
    /// Of a page of one card: its summary.
    card: Option<CardSummary>,
    /// The figures of every side, side by side.
    pub(super) table: Vec<Line>,
    /// Kernels of some sides that are faster than those of the table, which all sides of an API have.
    faster: Vec<String>,
    /// What the mark of a cell means; `null` if no cell has one.
    unlike: Option<&'static str>,
}

impl Screen {
    /// Shares of the peak: of the jobs of a card, else of the rates of the first side relative to the highest.
    pub(super) fn shares(&self) -> Vec<f64> {
        let of_card = self.card.iter().flat_map(|card| &card.jobs).filter_map(|job| Some(job.share?.value()));
        let jobs = self.table.iter().filter_map(|line| line.cells.first()?.as_ref());
        let relative = jobs.filter(|cell| cell.case.is_some()).filter_map(|cell| Some(cell.bar?.value()));
        let shares: Vec<f64> = of_card.collect();
        if shares.is_empty() { relative.collect() } else { shares }
    }
}

/// A figure on every side.
#[derive(Serialize)]
pub(super) struct Line {
    pub(super) name: String,
    /// By side; `null` where it is unknown or too noisy to quote.
    pub(super) cells: Vec<Option<Cell>>,
}

#[derive(Serialize)]
pub(super) struct Cell {
    pub(super) text: String,
    /// A rate relative to the highest of the line through the same API, which is a bar.
    bar: Option<Figure>,
    /// Whether the kernel or its source is another one than on most sides of the API: there is no bar then.
    pub(super) is_unlike: bool,
    /// Index of the case of a job.
    case: Option<usize>,
}

/// The summary of a card. Figures are those of its first API; the others are compared at the same cases.
#[derive(Serialize)]
struct CardSummary {
    levels: Vec<LevelLine>,
    launch: Option<String>,
    arithmetic: Vec<(String, String, Option<Figure>)>,
    /// Titles of the other APIs.
    others: Vec<String>,
    jobs: Vec<JobLine>,
    /// How each other API compares by family, geometric means, the largest first.
    means: Vec<Vec<(String, String)>>,
    /// What the marks of the jobs mean.
    marks: Vec<&'static str>,
    /// Numbers of rows: wrong, failed, implausible, unsteady, skipped.
    troubles: [usize; 5],
}

#[derive(Serialize)]
struct LevelLine {
    #[serde(flatten)]
    level: Level,
    /// Reading, else copying, relative to the fastest level.
    bar: Option<Figure>,
}

#[derive(Serialize)]
struct JobLine {
    name: &'static str,
    size: String,
    kernel: String,
    rate: String,
    share: Option<Figure>,
    share_text: String,
    naive: String,
    /// How each other API compares.
    others: Vec<String>,
    /// How the vendor's library compares: `cuBLAS 1.05× faster`; empty where it was not measured beside the kernel.
    library: String,
    /// The marks of the terminal: of the size, the kernel, the rate and the share.
    marks: [&'static str; 4],
    case: Option<usize>,
}

/// The first screen of all sides, which have these names.
pub(super) fn screen(comparison: &Comparison, cards: &[Card], names: &[String]) -> Screen {
    let rows: Vec<Vec<&Record>> = (0..comparison.sides.len()).map(|side| rows(comparison, side)).collect();
    let jobs = jobs_of(&rows);
    let card = card(comparison, cards, &rows);
    let faster = if card.is_some() { Vec::new() } else { faster_ones(&jobs, |side| &names[side]) };
    let unlike = jobs.iter().flatten().any(|shown| shown.is_unlike).then_some(UNLIKE);
    Screen { card, table: table(comparison, &rows, &jobs), faster, unlike }
}

/// The rows that the page shows of a side. Of several runs of a card, those of each family are of the newest run that has
/// the family: a kernel of one run is never compared with one of another.
pub(super) fn rows<'a>(comparison: &Comparison<'a>, side: usize) -> Vec<&'a Record> {
    let mut rows: Vec<&Record> = comparison.on_side(side).map(|(_, _, entry)| shown(entry)).collect();
    if cards_on(comparison, side) == 1 && comparison.sides[side].dates.len() > 1 {
        let mut newest: HashMap<&str, &str> = HashMap::new();
        for row in &rows {
            let date = newest.entry(&row.family).or_insert(&row.date);
            *date = (*date).max(&row.date);
        }
        rows.retain(|row| newest.get(row.family.as_str()) == Some(&row.date.as_str()));
    }
    rows
}

/// The row that the first screen shows of a case: the newest one; on a side of several cards, that of the median card.
fn shown<'a>(entry: &Entry<'a>) -> &'a Record {
    let rows = &entry.records;
    let is_of_several = rows.iter().any(|row| row.card_id() != rows[0].card_id());
    let found = if is_of_several {
        typical(rows.iter().copied()).first().copied()
    } else {
        rows.iter().copied().max_by(|a, b| a.date.cmp(&b.date))
    };
    found.unwrap_or_else(|| entry.row())
}

/// The number of cards of a side. Where it is several, some case has several rows.
pub(super) fn cards_on(comparison: &Comparison, side: usize) -> usize {
    let several = comparison.on_side(side).filter(|(_, _, entry)| entry.records.len() > 1);
    let cards: HashSet<_> = several.flat_map(|(_, _, entry)| entry.records.iter().map(|row| row.card_id())).collect();
    cards.len().max(1)
}

/// The cases of the rows of a side.
pub(super) fn cases_of(comparison: &Comparison, side: usize) -> HashMap<*const Record, usize> {
    comparison.on_side(side).map(|(index, _, entry)| (std::ptr::from_ref(shown(entry)), index)).collect()
}

fn relative(value: f64, most: f64) -> Option<Figure> {
    Figure::new(value / most, 3)
}

fn highest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

fn table<'a>(comparison: &Comparison<'a>, rows: &[Vec<&'a Record>], jobs: &[Vec<Shown<'a>>]) -> Vec<Line> {
    let figures: Vec<Vec<summary::Figure>> =
        rows.iter().zip(jobs).map(|(rows, jobs)| summary::figures_of(rows, jobs)).collect();
    let toolchain = |side: usize| rows[side].first().and_then(|row| row.toolchain());
    let cases: Vec<_> = (0..rows.len()).map(|side| cases_of(comparison, side)).collect();
    let names = in_order(figures.iter().map(|figures| figures.iter().map(|figure| figure.name.as_str())));
    let by_name: Vec<HashMap<&str, &summary::Figure>> =
        figures.iter().map(|all| all.iter().map(|figure| (figure.name.as_str(), figure)).collect()).collect();
    let line = |name: &str| {
        let most = |side: usize| {
            let same = by_name.iter().enumerate().filter(|(other, _)| toolchain(*other) == toolchain(side));
            highest(same.filter_map(|(_, of)| of.get(name).filter(|figure| !figure.is_unlike)?.rate))
        };
        let cell = |(side, of): (usize, &HashMap<&str, &summary::Figure>)| {
            let figure = of.get(name)?;
            Some(Cell {
                text: figure.text.clone(),
                bar: figure.rate.filter(|_| !figure.is_unlike).and_then(|rate| relative(rate, most(side))),
                is_unlike: figure.is_unlike,
                case: figure.row.and_then(|row| cases[side].get(&std::ptr::from_ref(row)).copied()),
            })
        };
        Line { name: name.to_owned(), cells: by_name.iter().enumerate().map(cell).collect() }
    };
    names.into_iter().map(line).collect()
}

/// The summary of a page of one card, whose sides are its APIs.
fn card(comparison: &Comparison, cards: &[Card], rows: &[Vec<&Record>]) -> Option<CardSummary> {
    let [card] = cards else { return None };
    let toolchain = |side: &usize| rows[*side].first().and_then(|row| row.toolchain());
    let toolchains: Vec<Toolchain> = card.sides.iter().filter_map(toolchain).collect();
    let is_side_by_side = (1..toolchains.len()).any(|index| toolchains[..index].contains(&toolchains[index]));
    let (first, others) = toolchains.split_first().filter(|_| !is_side_by_side)?;
    let card_rows = &rows[*card.sides.first()?];
    let cases = cases_of(comparison, card.sides[0]);
    let all: Vec<&Record> = rows.iter().flatten().copied().collect();
    let ratios: Vec<Ratios> = others.iter().map(|other| Ratios::new(&all, [*first, *other])).collect();
    let (spaces, peaks, found) = (spaces(card_rows), peaks(card_rows), best(card_rows));
    let speed = |space: &summary::figures::Space| space.read.or(space.copy).map(|rate| rate.value);
    let fastest = highest(spaces.iter().filter_map(speed));
    let bar = |space| speed(space).and_then(|rate| relative(rate, fastest));
    let levels = spaces.iter().map(|space| LevelLine { level: Level::from(space), bar: bar(space) });
    let arithmetic = cells::arithmetic(&peaks, &all);
    let most = highest(arithmetic.iter().map(|(.., rate)| rate.value));
    let jobs: Vec<cells::Job> = found.iter().map(cells::Job::from).collect();
    let marks = marks_of(&jobs);
    let jobs = found.iter().zip(jobs).map(|(best, job)| JobLine {
        name: job.name,
        size: job.size,
        kernel: job.kernel,
        rate: job.rate,
        share: job.share.and_then(|share| Figure::new(share, 4)),
        share_text: job.share_text,
        naive: job.naive,
        others: ratios.iter().map(|ratios| ratios.of(best.row).map_or_else(String::new, faster)).collect(),
        library: cells::library(best, &all).map_or_else(String::new, |(_, text)| text),
        marks: marks_of_cells(job.marks),
        case: cases.get(&std::ptr::from_ref(best.row)).copied(),
    });
    let troubles = troubles(&all);
    Some(CardSummary {
        levels: levels.collect(),
        launch: peaks.iter().find_map(|peak| peak.ns).and_then(quoted_time),
        arithmetic: arithmetic.into_iter().map(|(name, text, rate)| (name, text, relative(rate.value, most))).collect(),
        others: others.iter().map(|other| other.title().into_owned()).collect(),
        jobs: jobs.collect(),
        means: ratios.iter().map(means).collect(),
        marks,
        troubles: [
            troubles.wrong.len(),
            troubles.failed.len(),
            troubles.implausible.len(),
            troubles.unsteady.len(),
            troubles.skipped,
        ],
    })
}

fn means(ratios: &Ratios) -> Vec<(String, String)> {
    let mut families = ratios.by_family();
    families.sort_by(|a, b| b.1.total_cmp(&a.1));
    let exact = |value: f64| faster(Estimate { value, low: value, high: value });
    families.into_iter().map(|(family, ratio)| (family.to_owned(), exact(ratio))).collect()
}

/// The marks before the size, behind the kernel, behind the rate, and behind the share.
const fn marks_of_cells(marks: Marks) -> [&'static str; 4] {
    [
        if marks.is_small { "<" } else { "" },
        match (marks.is_only, marks.is_tied) {
            (true, _) => " (only)",
            (_, true) => "~",
            _ => "",
        },
        if marks.is_cached { "*" } else { "" },
        if marks.is_above { "!" } else { "" },
    ]
}
