//! Several reports side by side.

use super::cells::{self, Level};
use super::common::{Shown, UNLIKE, faster_ones, jobs_of};
use super::figures::{peaks, spaces};
use super::texts::{job_rate, quoted_time};
use crate::report::layout::{Column, Grid, Medium, Part, Row, lay_out};
use crate::report::toolchains;
use record::suite::{Scalar, Toolchain, binary_range};
use record::{Bound, Record, comparable, format, stats, stats::Estimate, time};

/// Maximum number of reports side by side in 80 columns.
const MOST: usize = 4;

/// A table of the headline figures of several named reports, with a column for each report, API and compiler; lines
/// above the table name the columns. Columns of one API show the kernel that they have in common. If exactly two
/// columns share an API, a separate table has their ratios, and a sentence at the top summarizes them.
#[must_use]
pub fn side_by_side(reports: &[(String, Vec<Record>)], medium: Medium) -> String {
    let columns = columns(reports);
    let of_report = |(name, records): &(String, Vec<Record>)| {
        toolchains(records).into_iter().map(|toolchain| title(name, records, toolchain)).collect::<Vec<_>>()
    };
    let titles: Vec<String> = reports.iter().flat_map(of_report).collect();
    let jobs = jobs_of(&columns);
    let figures: Vec<Vec<Figure>> = columns.iter().zip(&jobs).map(|(rows, jobs)| figures_of(rows, jobs)).collect();
    let letters: Vec<String> = (0..columns.len()).map(letter).collect();
    let line = |text: String| Part::Text { text, indent: "   " };
    let pairs = pairs(&columns, &jobs);
    let mut parts: Vec<Part> = pairs.iter().filter_map(Pair::sentence).map(line).collect();
    parts.extend(letters.iter().zip(&titles).map(|(letter, title)| line(format!("{letter}: {title}"))));
    let is_paired = |column: &usize| pairs.iter().any(|pair| pair.columns.contains(column));
    let others: Vec<usize> = (0..columns.len()).filter(|column| !is_paired(column)).collect();
    let of_pairs = pairs.iter().map(|pair| (pair.columns.as_slice(), Some(pair)));
    for (columns, pair) in of_pairs.chain(others.chunks(MOST).map(|columns| (columns, None))) {
        parts.push(Part::Text { text: String::new(), indent: "" });
        let sides: Vec<(&str, &[Figure])> =
            columns.iter().map(|column| (letters[*column].as_str(), figures[*column].as_slice())).collect();
        parts.push(Part::Table(grid(&sides, pair)));
    }
    if !pairs.is_empty() {
        let bound = "DRAM-bound, compute-bound: both rows reach at least 70 % of the measured peak";
        parts.push(line(format!("÷: ratio of rates with its 95 % interval, excluding run-to-run variation. {bound}.")));
    }
    let is_unlike = jobs.iter().flatten().any(|shown| shown.is_unlike);
    parts.extend(is_unlike.then(|| line(UNLIKE.to_owned())));
    parts.extend(faster_ones(&jobs, |column| &letters[column]).into_iter().map(line));
    lay_out(parts, medium)
}

pub(super) fn columns(reports: &[(String, Vec<Record>)]) -> Vec<Vec<&Record>> {
    let mut columns = Vec::new();
    for (_, records) in reports {
        let rows_of = |toolchain| records.iter().filter(|row| row.toolchain() == Some(toolchain)).collect();
        columns.extend(toolchains(records).into_iter().map(rows_of));
    }
    columns
}

/// The only two columns of an API and compiler, with the ratios of those jobs that have comparable rows in both.
pub(super) struct Pair<'a> {
    pub(super) columns: [usize; 2],
    /// The job's rows in both columns, and the rate of the second ÷ that of the first.
    pub(super) ratios: Vec<(&'static str, [&'a Record; 2], Estimate)>,
}

pub(super) fn pairs<'a>(columns: &[Vec<&'a Record>], jobs: &[Vec<Shown<'a>>]) -> Vec<Pair<'a>> {
    let toolchain = |column: usize| columns[column].first().and_then(|row| row.toolchain());
    let of_one = |column: usize| (0..columns.len()).filter(move |other| toolchain(*other) == toolchain(column));
    let pairs = (0..columns.len()).filter_map(|column| {
        let columns = <[usize; 2]>::try_from(of_one(column).collect::<Vec<_>>()).ok()?;
        (columns[0] == column).then_some(columns)
    });
    let with_ratios = |columns: [usize; 2]| {
        let ratio = |shown: &Shown<'a>| {
            let other = jobs[columns[1]].iter().find(|other| other.job.name == shown.job.name)?;
            let rows = [shown.row, other.row];
            let is_alike = comparable(rows[0], rows[1]).is_ok() && rows[0].timer == rows[1].timer;
            let ratio = stats::ratio(time(rows[0])?, time(rows[1])?).filter(|_| is_alike)?;
            Some((shown.job.name, rows, ratio))
        };
        Pair { columns, ratios: jobs[columns[0]].iter().filter_map(ratio).collect() }
    };
    pairs.map(with_ratios).filter(|pair| !pair.ratios.is_empty()).collect()
}

/// How the two columns of a pair compare, a sentence for each API.
pub(crate) fn pair_sentences<'a>(columns: &[Vec<&'a Record>], jobs: &[Vec<Shown<'a>>]) -> Vec<String> {
    pairs(columns, jobs).iter().filter_map(Pair::sentence).collect()
}

/// A job is bound by a measured peak if it reaches at least this share of it.
const BOUND: f64 = 0.7;

impl Pair<'_> {
    /// `Speed of NVIDIA H200 ÷ NVIDIA H100 80GB HBM3, Vulkan: DRAM-bound jobs 1.41–1.46×, other jobs 1.02×.`
    fn sentence(&self) -> Option<String> {
        let (_, [first, second], _) = self.ratios.first()?;
        let names = if first.device == second.device {
            let [first, second] = self.columns.map(letter);
            format!("{second} ÷ {first}")
        } else {
            format!("{} ÷ {}", second.device, first.device)
        };
        let kind = |rows: &[&Record; 2]| {
            let both = |is_it: fn(Bound) -> bool| {
                rows.iter().all(|row| row.share >= Some(BOUND) && row.ceiling.is_some_and(is_it))
            };
            match () {
                () if both(|bound| bound.limit.is_memory() && !bound.is_cached) => "DRAM-bound",
                () if both(|bound| bound.limit.is_arithmetic()) => "compute-bound",
                () => "other",
            }
        };
        let range = |wanted: &str| {
            let of_kind = self.ratios.iter().filter(|(_, rows, _)| kind(rows) == wanted);
            let mut quoted: Vec<(f64, f64, &str)> =
                of_kind.filter_map(|(job, _, ratio)| Some((ratio.value, format::quotable(*ratio)?, *job))).collect();
            quoted.sort_by(|a, b| a.0.total_cmp(&b.0));
            let noise = format::plus_minus(quoted.iter().map(|(_, noise, _)| *noise).fold(0.0, f64::max));
            let ends = [quoted.first()?, quoted.last()?].map(|(ratio, ..)| format::ratio_number(*ratio));
            let text = if ends[0] == ends[1] { ends[0].clone() } else { ends.join("–") };
            let jobs = if let [(.., job)] = quoted[..] { job } else { "jobs" };
            Some(format!("{wanted} {jobs} {text}×{noise}"))
        };
        let texts = ["DRAM-bound", "compute-bound", "other"].into_iter().filter_map(range);
        let texts = format::joined(texts, ", ");
        let api = first.toolchain().map_or("", |of| of.api.title());
        (!texts.is_empty()).then(|| format!("Speed of {names}, {api}: {texts}."))
    }
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

/// A figure of one column.
pub(crate) struct Figure<'a> {
    pub(crate) name: String,
    pub(crate) text: String,
    /// The rate as a number, for which higher is better; `None` for other figures.
    pub(crate) rate: Option<f64>,
    pub(crate) row: Option<&'a Record>,
    /// Whether the job's kernel, source or size differ from most columns of the API; there is no ratio then.
    pub(crate) is_unlike: bool,
}

/// The figures of one toolchain's rows and of its jobs ([`jobs_of`]), in the order of the summary.
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

/// All figures' names in one order: a name that earlier sides lack follows the name that precedes it on its own side.
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

fn grid(sides: &[(&str, &[Figure])], pair: Option<&Pair>) -> Grid {
    let names = in_order(sides.iter().map(|(_, figures)| figures.iter().map(|figure| figure.name.as_str())));
    let cell = |figures: &[Figure], name: &str| {
        let text = |figure: &Figure| format!("{}{}", figure.text, if figure.is_unlike { " ≠" } else { "" });
        figures.iter().find(|figure| figure.name == name).map_or_else(|| "–".to_owned(), text)
    };
    let ratio = |name: &str| {
        let (_, _, ratio) = pair?.ratios.iter().find(|(job, ..)| *job == name)?;
        Some(format::ratio_with_interval(ratio.value, Some((ratio.low, ratio.high))))
    };
    let row = |name: &&str| {
        let cells = sides.iter().map(|(_, figures)| cell(figures, name));
        Row::new("", *name, cells.chain(pair.map(|_| ratio(name).unwrap_or_default())))
    };
    let heading = pair.map(|_| format!("{} ÷ {}", sides[1].0, sides[0].0));
    Grid::new(
        sides.iter().map(|(letter, _)| Column::right(*letter)).chain(heading.map(Column::right)),
        names.iter().map(row),
    )
}
