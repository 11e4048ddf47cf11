//! The first screen: the same figures as the summary on the terminal.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::answer::answer;
use super::cards::Card;
use super::figure::Figure;
use super::known::Known;
use super::names::Name;
use crate::compare::{Comparison, Entry};
use crate::summary::cells::{self, Level, Marks, marks_of};
use crate::summary::figures::{best, peaks, spaces};
use crate::summary::{self, Shown, UNLIKE, faster, faster_ones, in_order, jobs_of, quoted_time};
use crate::versus::Ratios;
use record::suite::Toolchain;
use record::{Record, typical};

#[derive(Serialize)]
pub(super) struct Screen {
    pub(super) answer: Vec<String>,
    /// Whether the page compares cards; then their ratios come first.
    is_versus: bool,
    /// The summary, on a page of one card.
    pub(super) card: Option<CardSummary>,
    /// Reference reports of other models, on a page of one card.
    pub(super) known: Option<Known>,
    columns: Vec<Column>,
    table: Vec<Line>,
    /// Notes on kernels of some sides that are faster than those in the table, which all sides of an API have.
    faster: Vec<String>,
    /// The meaning of the mark in cells; `null` if no cell has one.
    unlike: Option<&'static str>,
}

/// A side, or all sides of a model and API on a page of more than two cards.
#[derive(Serialize)]
struct Column {
    name: String,
    sides: Vec<usize>,
}

#[derive(Serialize)]
struct Line {
    name: String,
    /// By column; `null` if the figure is unknown or too noisy to quote.
    cells: Vec<Option<Cell>>,
}

#[derive(Serialize)]
struct Cell {
    /// The figure; the median of several sides.
    text: String,
    /// The lowest and the highest rate of several sides.
    range: Option<String>,
    /// The rate relative to the highest rate in the line with the same API, for a bar.
    bar: Option<Figure>,
    /// Whether kernel or source differ from most sides of the API; there is no bar then.
    is_unlike: bool,
    /// Index of the case of a job.
    case: Option<usize>,
}

/// The summary of a card: figures of its first API, with which the others are compared in the same cases.
#[derive(Serialize)]
pub(super) struct CardSummary {
    levels: Vec<LevelLine>,
    launch: Option<String>,
    arithmetic: Vec<(String, String, Option<Figure>)>,
    others: Vec<String>,
    jobs: Vec<JobLine>,
    /// The meaning of the marks in the jobs' lines.
    marks: Vec<&'static str>,
}

#[derive(Serialize)]
struct LevelLine {
    #[serde(flatten)]
    level: Level,
    /// Read rate, else copy rate, relative to the fastest level.
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
    /// How the vendor's library compares: `cuBLAS 1.05× faster`; empty if it was not measured with the kernel.
    library: String,
    /// The marks of the summary, for size, kernel, rate and share.
    marks: [&'static str; 4],
    case: Option<usize>,
}

/// The first screen of all sides; `names` has the name of each side.
pub(super) fn screen(comparison: &Comparison, cards: &[Card], names: &[Name]) -> Screen {
    let rows: Vec<Vec<&Record>> = (0..comparison.sides.len()).map(|side| rows(comparison, side)).collect();
    let jobs = jobs_of(&rows);
    let card = card(comparison, cards, &rows);
    let hardware = cards.iter().filter(|card| !card.is_software).count();
    let columns = columns(names, hardware > MOST_CARDS);
    let is_single = columns.len() == names.len();
    let faster =
        if card.is_some() || !is_single { Vec::new() } else { faster_ones(&jobs, |side| names[side].full.as_str()) };
    let unlike = jobs.iter().flatten().any(|shown| shown.is_unlike).then_some(UNLIKE);
    Screen {
        answer: answer(cards, &rows, &jobs),
        is_versus: hardware == MOST_CARDS,
        card,
        known: None,
        table: table(comparison, &rows, &jobs, &columns),
        columns,
        faster,
        unlike,
    }
}

/// With more cards than this, the cards of a model share a column.
const MOST_CARDS: usize = 2;

fn columns(names: &[Name], is_by_model: bool) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for (side, name) in names.iter().enumerate() {
        match columns.iter_mut().find(|column| is_by_model && names[column.sides[0]].model == name.model) {
            Some(column) => {
                column.name.clone_from(&name.model);
                column.sides.push(side);
            }
            None => columns.push(Column { name: name.full.clone(), sides: vec![side] }),
        }
    }
    // Cards with the same API are neighbours: a narrow screen shows two columns.
    let api = |side: usize| names[side].model.rsplit(" · ").next();
    columns.sort_by_key(|column| (0..names.len()).position(|side| api(side) == api(column.sides[0])));
    columns
}

/// The rows of a side that the page shows. With several runs of a card, each family comes from the newest run that has
/// it, so kernels of different runs are never compared.
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

/// The row of a case on the first screen: the newest; on a side of several cards, that of the median card.
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

/// The number of cards of a side. A side has several cards only if some case has several rows.
pub(super) fn cards_on(comparison: &Comparison, side: usize) -> usize {
    let several = comparison.on_side(side).filter(|(_, _, entry)| entry.records.len() > 1);
    let cards: HashSet<_> = several.flat_map(|(_, _, entry)| entry.records.iter().map(|row| row.card_id())).collect();
    cards.len().max(1)
}

pub(super) fn cases_of(comparison: &Comparison, side: usize) -> HashMap<*const Record, usize> {
    comparison.on_side(side).map(|(index, _, entry)| (std::ptr::from_ref(shown(entry)), index)).collect()
}

fn relative(value: f64, most: f64) -> Option<Figure> {
    Figure::new(value / most, 3)
}

fn highest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

fn table<'a>(
    comparison: &Comparison<'a>,
    rows: &[Vec<&'a Record>],
    jobs: &[Vec<Shown<'a>>],
    columns: &[Column],
) -> Vec<Line> {
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
        let cell = |column: &Column| {
            let of_side = |side: &usize| Some((*side, *by_name[*side].get(name)?));
            let mut figures: Vec<(usize, &summary::Figure)> = column.sides.iter().filter_map(of_side).collect();
            figures.sort_by(|(_, a), (_, b)| a.rate.unwrap_or(0.0).total_cmp(&b.rate.unwrap_or(0.0)));
            let (side, figure) = *figures.get(figures.len().saturating_sub(1) / 2)?;
            let ends = [figures.first()?, figures.last()?].map(|(_, figure)| figure.text.split(" ±").next());
            Some(Cell {
                text: figure.text.clone(),
                range: range(ends).filter(|_| figure.rate.is_some()),
                bar: figure.rate.filter(|_| !figure.is_unlike).and_then(|rate| relative(rate, most(side))),
                is_unlike: figures.iter().any(|(_, figure)| figure.is_unlike),
                case: figure.row.and_then(|row| cases[side].get(&std::ptr::from_ref(row)).copied()),
            })
        };
        Line { name: name.to_owned(), cells: columns.iter().map(cell).collect() }
    };
    names.into_iter().map(line).collect()
}

/// `3.01–3.12 TB/s`; `None` if both ends are equal.
fn range([low, high]: [Option<&str>; 2]) -> Option<String> {
    let [(least, unit), (most, other)] = [low?.rsplit_once(' ')?, high?.rsplit_once(' ')?];
    let low = if unit == other { least } else { low? };
    ((least, unit) != (most, other)).then(|| format!("{low}–{most} {other}"))
}

/// The summary of a page whose sides are the APIs of one card.
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
    Some(CardSummary {
        levels: levels.collect(),
        launch: peaks.iter().find_map(|peak| peak.ns).and_then(quoted_time),
        arithmetic: arithmetic.into_iter().map(|(name, text, rate)| (name, text, relative(rate.value, most))).collect(),
        others: others.iter().map(|other| other.title().into_owned()).collect(),
        jobs: jobs.collect(),
        marks,
    })
}

/// The marks before the size, and after kernel, rate and share.
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
