//! Compares the records of one device through several toolchains: APIs, or compilers of one API.
//!
//! A ratio is the time of the first toolchain ÷ the time of the second; above 1 the second is faster. A case is compared only
//! if both sides are `ok` and use the same clock. The interval is that of the differences between their epochs, which took
//! turns; of rows without epochs, that of [`stats::ratio`].

mod compilers;
mod grid;
mod pair;
mod texts;

pub(super) use compilers::compilers;
use pair::{Gap, Pair, pairs};
use texts::{by_lane, none, with_interval};

use crate::families::work_kind;
use crate::record::stats::{self, Estimate};
use crate::record::{Clock, Record, format};
use crate::report::layout::{Column, Grid, Mark, Part, Remark, Row, Severity, Terminal};
use crate::report::table::{WIDE_NAME, headline, label, remarks};
use crate::report::{Section, toolchains};
use crate::suite::{Toolchain, WorkKind};

/// The most differences that one family names, and the most that all families name per direction.
const WIDEST_OF_FAMILY: usize = 3;
const WIDEST_OF_ALL: usize = 5;

/// Geometric mean of (time of the first toolchain ÷ time of the second) over kernels, and the number of cases, those with cold
/// caches left out. `None` if no case can be compared.
#[must_use]
pub fn mean_ratio(rows: &[&Record], toolchains: [Toolchain; 2]) -> Option<(f64, usize)> {
    let is_counted = |row: &&Record| !row.is_cold() && work_kind(row) == WorkKind::Kernel;
    let rows: Vec<&Record> = rows.iter().copied().filter(is_counted).collect();
    let gaps: Vec<Gap> = pairs(&rows, toolchains).iter().filter_map(Pair::gap).collect();
    Some((mean(&gaps)?, gaps.len()))
}

/// The ratios of all cases that two toolchains share. One comparison over all rows of a report: the interval of a ratio depends
/// on the rows that are compared with it.
pub(super) struct Ratios<'a> {
    gaps: Vec<Gap<'a>>,
}

impl<'a> Ratios<'a> {
    /// Time of the first of `toolchains` ÷ time of the second, for all cases in `rows`.
    pub(super) fn new(rows: &[&'a Record], toolchains: [Toolchain; 2]) -> Self {
        Self { gaps: pairs(rows, toolchains).iter().filter_map(Pair::gap).collect() }
    }

    /// The ratio of the case of `row`, a row of the first toolchain; `None` if it is not compared.
    pub(super) fn of(&self, row: &Record) -> Option<Estimate> {
        let is_same = |of: &Record| {
            (&of.family, &of.benchmark, of.dtype, of.n, &of.params)
                == (&row.family, &row.benchmark, row.dtype, row.n, &row.params)
        };
        self.gaps.iter().find(|gap| is_same(gap.row)).map(|gap| gap.ratio)
    }

    /// The mean of [`mean_ratio`] for each family that has cases to compare, in the order of the records.
    pub(super) fn by_family(&self) -> Vec<(&'a str, f64)> {
        let mut families: Vec<&str> = self.gaps.iter().map(|gap| gap.row.family.as_str()).collect();
        families.dedup();
        let mean_of = |family: &'a str| {
            let own = self.gaps.iter().filter(|gap| gap.row.family == family);
            let ratios: Vec<f64> = own.map(|gap| gap.ratio.value).collect();
            Some((family, stats::geometric_mean(&ratios)?))
        };
        families.into_iter().filter_map(mean_of).collect()
    }
}

/// The two toolchains of each table: the first toolchain with each of the others.
fn matches<'a>(toolchains: &[Toolchain<'a>]) -> Vec<[Toolchain<'a>; 2]> {
    toolchains.iter().skip(1).map(|other| [toolchains[0], *other]).collect()
}

/// A section with rows from several `toolchains`: one table and one sentence for the first toolchain with each of the others, then
/// remarks and findings. Remarks and findings that are not the same for all toolchains name their toolchains.
pub(super) fn section<'a>(section: &Section<'a>, toolchains: &[Toolchain<'a>], terminal: Terminal) -> Vec<Part> {
    let faster = if let [_, second] = toolchains { second.title() } else { "the second".into() };
    let mut parts = vec![headline(section, &format!(" (ratio of times: above 1 {faster} is faster)"))];
    let mut clocks = Vec::new();
    for of in matches(toolchains) {
        let pairs = pairs(&section.rows, of);
        let measured: Vec<_> = pairs.iter().filter(|pair| pair.sides().any(|row| row.median_ns.is_some())).collect();
        if !measured.is_empty() {
            parts.push(Part::Table(grid::table(section, &measured, of, terminal)));
        }
        let gaps: Vec<Gap> = pairs.iter().filter_map(Pair::gap).collect();
        parts.extend(summary(gaps, of).map(|summary| Part::text(&summary)));
        clocks.extend(two_clocks(&pairs, of));
    }
    parts.extend(clocks.into_iter().map(Part::Remark));
    let rows_of = |toolchain: Toolchain| {
        section.rows.iter().copied().filter(|row| row.toolchain() == Some(toolchain)).collect::<Vec<_>>()
    };
    let lines = toolchains
        .iter()
        .flat_map(|toolchain| remarks(&rows_of(*toolchain), terminal).into_iter().map(|line| (*toolchain, line)));
    let with_prefix = |(prefix, remark): (String, Remark)| Part::Remark(Remark { prefix, ..remark });
    parts.extend(by_lane(lines.collect(), toolchains).into_iter().map(with_prefix));
    let lines = section.findings.iter().map(|(toolchain, finding)| (*toolchain, finding.text())).collect();
    parts.extend(by_lane(lines, toolchains).iter().map(|(prefix, finding)| Part::text(&format!("{prefix}{finding}"))));
    parts
}

/// A remark that lists the rows that are not compared because the two toolchains use different clocks.
fn two_clocks(pairs: &[Pair], [first, second]: [Toolchain; 2]) -> Option<Remark> {
    let of: Vec<_> = pairs.iter().filter(|pair| pair.has_two_clocks()).filter_map(Pair::both).collect();
    let (one, other) = of.first()?;
    let labels: Vec<_> = of.iter().map(|(row, _)| label(row)).collect();
    let text = format!(
        "not compared: {} ({} is timed by {}, {} by {})",
        labels.join(", "),
        first.title(),
        one.timer.map_or("", Clock::name),
        second.title(),
        other.timer.map_or("", Clock::name)
    );
    Some(Remark { severity: Severity::Note, prefix: String::new(), text })
}

/// Summarizes a family in one sentence; `None` if no case is compared.
fn summary(gaps: Vec<Gap>, [first, second]: [Toolchain; 2]) -> Option<String> {
    let ratio = mean(&gaps)?;
    let mut text = format!(
        "{} takes {} the time of {} (geometric mean of {}{})",
        first.title(),
        format::ratio(ratio),
        second.title(),
        count(gaps.len()),
        by_length(&gaps)
    );
    let widest: Vec<_> = widest(gaps.iter().filter(|gap| gap.is_certain()), WIDEST_OF_FAMILY)
        .into_iter()
        .map(|gap| {
            let ratio = gap.ratio.value;
            let (times, which) =
                if ratio > 1.0 { (format::ratio(ratio), "slower") } else { (format::ratio(ratio.recip()), "faster") };
            format!("{} {times} {which}", label(gap.row))
        })
        .collect();
    if widest.is_empty() {
        text.push_str("; no difference exceeds its noise.");
    } else {
        text.push_str(&format!("; largest differences: {}.", widest.join(", ")));
    }
    Some(text)
}

/// For each pair of toolchains: a table of geometric means by family, and the largest differences in both directions. Empty
/// if all rows are from one toolchain.
pub(super) fn overall(sections: &[Section]) -> Vec<Vec<Part>> {
    let toolchains = toolchains(sections.iter().flat_map(|section| section.rows.iter().copied()));
    matches(&toolchains).into_iter().filter_map(|of| overall_of(sections, of)).collect()
}

fn overall_of(sections: &[Section], of: [Toolchain; 2]) -> Option<Vec<Part>> {
    let [first, second] = of.map(|toolchain| toolchain.title());
    let mut rows: Vec<[String; 3]> = Vec::new();
    let (mut means, mut all, mut left_out) = (Vec::new(), Vec::new(), 0);
    for section in sections {
        let pairs = pairs(&section.rows, of);
        let gaps: Vec<Gap> = pairs.iter().filter_map(Pair::gap).collect();
        left_out += pairs.len() - gaps.len();
        let ratio = mean(&gaps);
        rows.push([section.title.to_owned(), gaps.len().to_string(), ratio.map_or_else(none, format::ratio)]);
        means.extend(ratio.filter(|_| gaps.iter().all(|gap| work_kind(gap.row) == WorkKind::Kernel)));
        all.extend(gaps);
    }
    // A mean is over one kind of work.
    all.retain(|gap| work_kind(gap.row) == WorkKind::Kernel);
    let (ratio, by_family) = (mean(&all)?, stats::geometric_mean(&means)?);
    rows.push(["all kernels".to_owned(), all.len().to_string(), format::ratio(ratio)]);
    let column = |heading: String| Column { heading, is_right: true };
    let row = |[family, cases, ratio]: [String; 3]| Row {
        group: String::new(),
        mark: Mark::None,
        name: family,
        cells: vec![cases.into(), ratio.into()],
    };
    let grid = Grid {
        columns: vec![column("cases".to_owned()), column(format!("{first} ÷ {second}"))],
        widest_name: Some(WIDE_NAME),
        note: None,
        has_marks: false,
        rows: rows.into_iter().map(row).collect(),
    };
    let mut lines = vec![format!(
        "{first} takes {} the time of {second} (geometric mean of {} of kernels{}), {} with equal weight for every family.",
        format::ratio(ratio),
        count(all.len()),
        by_length(&all),
        format::ratio(by_family)
    )];
    if left_out > 0 {
        let why = "without a correct, plausible time from the same clock on both sides";
        lines.push(format!("Not compared: {} {why}.", count(left_out)));
    }
    let mut widest_where = |toolchain: &str, is_faster: fn(&Gap) -> bool, shown: fn(Estimate) -> Estimate| {
        let gaps = widest(all.iter().filter(|gap| gap.is_certain() && is_faster(gap)), WIDEST_OF_ALL);
        if !gaps.is_empty() {
            let names = gaps
                .iter()
                .map(|gap| format!("{}/{} {}", gap.row.family, label(gap.row), with_interval(shown(gap.ratio))));
            lines.push(format!("Largest advantages of {toolchain}: {}.", names.collect::<Vec<_>>().join(", ")));
        }
    };
    widest_where(&second, |gap| gap.ratio.value > 1.0, |ratio| ratio);
    widest_where(
        &first,
        |gap| gap.ratio.value < 1.0,
        |ratio| Estimate { value: ratio.value.recip(), low: ratio.high.recip(), high: ratio.low.recip() },
    );
    let name = format!("{first} and {second}: all families (ratio of times: above 1 {second} is faster)");
    let lines = lines.into_iter().map(|text| Part::Text { text, indent: "  " });
    Some([Part::Heading { name, rest: String::new() }, Part::Table(grid)].into_iter().chain(lines).collect())
}

fn mean(gaps: &[Gap]) -> Option<f64> {
    stats::geometric_mean(&gaps.iter().map(|gap| gap.ratio.value).collect::<Vec<_>>())
}

/// The means of short and of long cases, since a launch costs one API more than the other: `; 1.67× in 24 below 10 µs,
/// 1.10× in 80 from 50 µs on`. Nothing where there are no such cases.
fn by_length(gaps: &[Gap]) -> String {
    const SHORT_NS: f64 = 10_000.0;
    const LONG_NS: f64 = 50_000.0;
    let of = |is_it: fn(f64) -> bool| {
        let ratios = gaps.iter().filter(|gap| gap.row.median_ns.is_some_and(is_it)).map(|gap| gap.ratio.value);
        let ratios: Vec<f64> = ratios.collect();
        Some((format::ratio(stats::geometric_mean(&ratios)?), ratios.len()))
    };
    match (of(|ns| ns < SHORT_NS), of(|ns| ns >= LONG_NS)) {
        (Some((short, few)), Some((long, many))) => {
            format!("; {short} in {few} below 10 µs, {long} in {many} from 50 µs on")
        }
        _ => String::new(),
    }
}

/// The `most` largest differences, largest first.
fn widest<'a, 'b>(gaps: impl Iterator<Item = &'b Gap<'a>>, most: usize) -> Vec<&'b Gap<'a>>
where
    'a: 'b,
{
    let mut gaps: Vec<_> = gaps.collect();
    gaps.sort_by(|a, b| b.width().total_cmp(&a.width()));
    gaps.truncate(most);
    gaps
}

fn count(cases: usize) -> String {
    if cases == 1 { "1 case".to_owned() } else { format!("{cases} cases") }
}
