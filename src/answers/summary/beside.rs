//! Several reports side by side.

use super::cells::{self, Level};
use super::common::{Shown, UNLIKE, faster_ones, jobs_of};
use super::figures::{peaks, spaces};
use super::texts::{job_rate, quoted_time};
use crate::report::layout::{Column, Grid, Medium, Part, Row, lay_out};
use crate::report::toolchains;
use record::suite::{Scalar, Toolchain, binary_range};
use record::{Record, format, stats::Estimate};

/// Reports side by side that fit in 80 columns.
const MOST: usize = 4;

/// A table of the headline figures of several reports, each with its name: a column for each report, API and compiler, which
/// lines above the table name. Columns of one API show the kernel that they have in common.
#[must_use]
pub fn side_by_side(reports: &[(String, Vec<Record>)], medium: Medium) -> String {
    let (mut titles, mut columns): (Vec<String>, Vec<Vec<&Record>>) = (Vec::new(), Vec::new());
    for (name, records) in reports {
        for toolchain in toolchains(records) {
            titles.push(title(name, records, toolchain));
            columns.push(records.iter().filter(|row| row.toolchain() == Some(toolchain)).collect());
        }
    }
    let jobs = jobs_of(&columns);
    let figures: Vec<Vec<Figure>> = columns.iter().zip(&jobs).map(|(rows, jobs)| figures_of(rows, jobs)).collect();
    let letters: Vec<String> = (0..columns.len()).map(letter).collect();
    let line = |text: String| Part::Text { text, indent: "   " };
    let mut parts: Vec<Part> =
        letters.iter().zip(&titles).map(|(letter, title)| line(format!("{letter}: {title}"))).collect();
    for (letters, sides) in letters.chunks(MOST).zip(figures.chunks(MOST)) {
        parts.push(Part::Text { text: String::new(), indent: "" });
        parts.push(Part::Table(grid(letters, sides)));
    }
    let is_unlike = jobs.iter().flatten().any(|shown| shown.is_unlike);
    parts.extend(is_unlike.then(|| line(UNLIKE.to_owned())));
    parts.extend(faster_ones(&jobs, |column| &letters[column]).into_iter().map(line));
    lay_out(parts, medium)
}

/// A, B, …, Z, AA, AB, …
pub(crate) fn letter(index: usize) -> String {
    let last = char::from(b'A' + (index % 26) as u8);
    if index < 26 { last.to_string() } else { format!("{}{last}", letter(index / 26 - 1)) }
}

fn title(name: &str, records: &[Record], toolchain: Toolchain) -> String {
    let Some(first) = records.iter().find(|row| row.toolchain() == Some(toolchain)) else { return name.to_owned() };
    let day = first.date.get(..10).unwrap_or(&first.date);
    let through = toolchain.title();
    let version = match first.tool_version.as_str() {
        "" => String::new(),
        version => format!("shaderbench {version}"),
    };
    let facts = [first.device.as_str(), &through, &first.driver, &version, day];
    format!("{} ({name})", format::joined(facts, ", "))
}

/// A figure of a side, as the table has it.
pub(crate) struct Figure<'a> {
    pub(crate) name: String,
    pub(crate) text: String,
    /// The figure as a number; only rates have one, of which more is better.
    pub(crate) rate: Option<f64>,
    /// The row of a job.
    pub(crate) row: Option<&'a Record>,
    /// Whether the job's kernel or its source is another one than in most columns of the API: no ratio.
    pub(crate) is_unlike: bool,
}

/// The figures of the rows of one toolchain and of its jobs ([`jobs_of`]), in the order of the summary.
pub(crate) fn figures_of<'a>(rows: &[&'a Record], jobs: &[Shown<'a>]) -> Vec<Figure<'a>> {
    let mut figures: Vec<Figure> = Vec::new();
    let mut add = |name: String, text: Option<String>, rate: Option<f64>, row: Option<&'a Record>| {
        figures.extend(text.map(|text| Figure { name, text, rate, row, is_unlike: false }));
    };
    let value = |estimate: Option<Estimate>| Some(estimate?.value);
    for space in spaces(rows) {
        let (name, level) = (&space.name, Level::from(&space));
        add(format!("{name} read"), level.read, value(space.read), None);
        add(format!("{name} copy"), level.copy, value(space.copy), None);
        add(format!("{name} latency"), level.latency, None, None);
        add(format!("{name} size"), space.size.map(|(least, most)| binary_range(least, most)), None, None);
        add(format!("{name} banks"), space.banks.map(|banks| banks.to_string()), None, None);
    }
    let peaks = peaks(rows);
    for (name, text, rate) in cells::arithmetic(&peaks, rows) {
        let is_fma = Scalar::ALL.iter().any(|scalar| scalar.name() == name);
        let name = if is_fma { format!("FMA {name}") } else { name };
        add(name, Some(text), Some(rate.value), None);
    }
    add("launch".to_owned(), peaks.iter().find_map(|peak| peak.ns).and_then(quoted_time), None, None);
    figures.extend(jobs.iter().map(|Shown { job, row, is_unlike, .. }| Figure {
        name: job.name.to_owned(),
        text: job_rate(row),
        rate: row.gb_per_s.or(row.gflop_per_s),
        row: Some(row),
        is_unlike: *is_unlike,
    }));
    figures
}

/// The names of all figures in one order: a name that the sides before lack stands behind the one that precedes it in
/// its own side.
pub(crate) fn in_order<'n>(sides: impl IntoIterator<Item = impl IntoIterator<Item = &'n str>>) -> Vec<&'n str> {
    let mut names: Vec<&str> = Vec::new();
    for side in sides {
        let mut at = 0;
        for name in side {
            at = names.iter().position(|known| *known == name).unwrap_or_else(|| {
                names.insert(at, name);
                at
            }) + 1;
        }
    }
    names
}

fn grid(letters: &[String], sides: &[Vec<Figure>]) -> Grid {
    let names = in_order(sides.iter().map(|figures| figures.iter().map(|figure| figure.name.as_str())));
    let cell = |figures: &[Figure], name: &str| {
        let text = |figure: &Figure| format!("{}{}", figure.text, if figure.is_unlike { " ≠" } else { "" });
        figures.iter().find(|figure| figure.name == name).map_or_else(|| "–".to_owned(), text)
    };
    let row = |name: &&str| Row::new("", *name, sides.iter().map(|figures| cell(figures, name)));
    Grid::new(letters.iter().map(Column::right), names.iter().map(row))
}
