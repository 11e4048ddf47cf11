//! The summary of a report: what the device can do, in 24 lines by 80 columns, including the command and the prompt.

use anstyle::AnsiColor;
use kernels::claims::finding;

use super::cells::{self, Job, Level, marks_of};
use super::figures::{Best, Peak, Space, Troubles, UNSTEADY, best, peaks, spaces, troubles};
use super::texts::{faster, faster_in_cell, quoted_time, without_repeated_units};
use crate::report::layout::{BOLD, DIM, Terminal, colored, fitted, padded, paint};
use crate::report::{apis, table, toolchains};
use crate::versus::Ratios;
use record::suite::{Api, DeviceType, Toolchain};
use record::{Record, format, stats::Estimate};
use textwrap::core::display_width;

/// Lines of the summary.
pub const LINES: usize = 22;
/// Maximum number of lines about the vendor's libraries.
const LIBRARIES: usize = 2;
/// Columns of the summary.
pub const COLUMNS: usize = 80;

/// How to interpret the figures of a software device.
pub const SOFTWARE: &str = "software device: its times do not represent a GPU";

/// A line of the summary. If the screen is too small, lines with the highest rank are left out, the last ones first.
struct Line {
    rank: usize,
    text: String,
}

const ALWAYS: usize = 0;
const JOB: usize = 1;
const PEAK: usize = 2;
const LEGEND: usize = 3;
const FURTHER_PEAKS: usize = 4;
const UNSTEADY_ROWS: usize = 4;

/// The summary of the rows of one card, in at most [`LINES`] lines; the lines `after` follow it and are never cut. With
/// several toolchains (APIs or compilers), figures are those of the first; a column compares the second in the same
/// cases, and a line gives the means of the families.
#[must_use]
pub fn card(records: &[Record], after: &[String], terminal: Terminal) -> String {
    card_within(records, after, LINES, terminal)
}

/// Like [`card`], in at most `lines` lines.
#[must_use]
pub fn card_within(records: &[Record], after: &[String], lines: usize, terminal: Terminal) -> String {
    let apis = apis(records);
    let toolchains = toolchains(records);
    let rows: Vec<&Record> = records
        .iter()
        .filter(|row| toolchains.first().is_none_or(|toolchain| row.toolchain() == Some(*toolchain)))
        .collect();
    let all: Vec<&Record> = records.iter().collect();
    let ratios: Vec<(Toolchain, Ratios)> = match toolchains.split_first() {
        Some((first, others)) => others.iter().map(|other| (*other, Ratios::new(&all, [*first, *other]))).collect(),
        None => Vec::new(),
    };
    let is_software = records.first().is_some_and(|row| row.device_type == Some(DeviceType::Software));
    let ranked = |rank: usize| move |text: String| Line { rank, text };
    let mut shown = vec![ranked(ALWAYS)(heading(records, &apis, terminal))];
    shown.extend(is_software.then(|| ranked(ALWAYS)(SOFTWARE.to_owned())));
    let peaks = peaks(&rows);
    let launch = peaks.iter().find_map(|peak| peak.ns);
    let figures = [memory(&spaces(&rows), launch, terminal), arithmetic(&peaks, &all, terminal)].concat();
    let unlabelled = label("", terminal);
    let peak = |text: String| Line { rank: if text.starts_with(&unlabelled) { FURTHER_PEAKS } else { PEAK }, text };
    shown.extend(figures.into_iter().map(peak));
    let found = best(&rows);
    let jobs: Vec<Job> = found.iter().map(Job::from).collect();
    // A bar of a software device is no verdict.
    let look = Terminal { has_color: terminal.has_color && !is_software, ..terminal };
    if !found.is_empty() {
        let table = Jobs { other: ratios.first().map(|(toolchain, ratios)| (*toolchain, ratios)), terminal: look };
        shown.extend(table.lines(&found, &jobs).into_iter().map(ranked(JOB)));
    }
    let middle = shown.len();
    shown.extend(legend(&jobs, look).into_iter().map(ranked(LEGEND)));
    let troubles = troubles(&all);
    shown.extend(faults(&troubles, terminal).into_iter().map(ranked(ALWAYS)));
    shown.extend(unsteady(&troubles).map(ranked(UNSTEADY_ROWS)));
    shown.extend(after.iter().cloned().map(ranked(ALWAYS)));
    let room = |shown: &[Line], most: usize| {
        let kept = shown.iter().filter(|line| line.rank <= most).map(|line| line.text.as_str());
        lines.saturating_sub(lines_of(kept))
    };
    let most = room(&shown, UNSTEADY_ROWS).min(LIBRARIES);
    let beside = libraries(&found, &all, most, terminal).into_iter().map(ranked(LEGEND)).collect::<Vec<_>>();
    let end = middle + beside.len();
    shown.splice(middle..middle, beside);
    let each = room(&shown, UNSTEADY_ROWS) / ratios.len().max(1);
    let means = ratios.iter().flat_map(|(other, ratios)| by_family(*other, ratios, each, terminal)).map(ranked(ALWAYS));
    shown.splice(end..end, means);
    while lines_of(shown.iter().map(|line| line.text.as_str())) > lines {
        let last = shown.iter().enumerate().filter(|(_, line)| line.rank > ALWAYS).max_by_key(|(_, line)| line.rank);
        let Some((last, _)) = last else { break };
        shown.remove(last);
    }
    shown.iter().map(|line| format!("{}\n", line.text.trim_end())).collect()
}

/// Screen lines needed by texts that each start on a new line.
pub fn lines_of<'a>(texts: impl IntoIterator<Item = &'a str>) -> usize {
    texts.into_iter().map(|text| display_width(text).div_ceil(COLUMNS).max(1)).sum()
}

/// One line about a family's rows from one API: its first finding, else the number of rows with a time.
#[must_use]
pub fn headline(family: &str, rows: &[&Record]) -> String {
    const NAME: usize = 17;
    let measured = rows.iter().filter(|row| row.median_ns.is_some()).count();
    let text = finding(family, rows).map_or_else(
        || format!("{measured} rows measured"),
        |finding| finding.first().trim_end_matches('.').to_owned(),
    );
    format!("{} {}", padded(family, NAME), words(&text, COLUMNS - NAME - 1))
}

/// The first words of a sentence that fit, with an ellipsis. (Cut in the middle, the sentence would be meaningless.)
fn words(text: &str, width: usize) -> String {
    if display_width(text) <= width {
        return text.to_owned();
    }
    let mut start = String::new();
    for word in text.split(' ') {
        if display_width(&start) + display_width(word) + 2 > width {
            break;
        }
        start.push_str(word);
        start.push(' ');
    }
    format!("{}…", start.trim_end_matches([' ', ',', ';', ':', '(']))
}

/// With less room than this, the driver's text would be meaningless and is left out.
const SHORTEST: usize = 8;

fn heading(records: &[Record], apis: &[Api], terminal: Terminal) -> String {
    let Some(first) = records.first() else { return String::new() };
    let names: Vec<&str> = apis.iter().map(|api| api.title()).collect();
    let day = first.date.get(..10).unwrap_or(&first.date);
    let names = names.join(" + ");
    let device = if first.device.is_empty() { "unnamed device" } else { &first.device };
    let device = cut(device, COLUMNS / 2);
    // The driver's text is the longest, and its end is the least important.
    let others: usize = [&device, &names, day].iter().map(|part| display_width(part) + 2).sum();
    let room = COLUMNS.saturating_sub(others);
    let driver = if room < SHORTEST { String::new() } else { start(&first.driver, room) };
    let rest = format::joined([&names, &driver, day], ", ");
    format!("{}: {rest}", paint(terminal, BOLD, &device))
}

/// For each level of memory its read rate, the latency of a load, and its size. The launch latency is in the same line.
fn memory(spaces: &[Space], launch: Option<Estimate>, terminal: Terminal) -> Vec<String> {
    let levels: Vec<Level> = spaces.iter().map(Level::from).collect();
    let has_reads = levels.iter().any(|level| level.read.is_some());
    let rates = |level: &Level| {
        let name = match level.read {
            Some(_) => "copy".to_owned(),
            None if has_reads => format!("{} copy", level.name),
            None => level.name.clone(),
        };
        let read = level.read.clone().map(|read| (level.name.clone(), read));
        [read, level.copy.clone().map(|copy| (name, copy))]
    };
    let (names, rates): (Vec<String>, Vec<String>) = levels.iter().flat_map(rates).flatten().unzip();
    let peak = levels.iter().find_map(|level| Some((&level.name, unit_of(level.read.as_ref()?), level.peak.as_ref()?)));
    let mut reads: Vec<String> = Vec::new();
    for (name, rate) in names.iter().zip(without_repeated_units(rates)) {
        match reads.last_mut() {
            Some(read) if name == "copy" => *read += &format!(" (copy {rate})"),
            _ => match peak.filter(|(of, ..)| *of == name) {
                // The unit is written only after the last figure of the line.
                Some((_, unit, peak)) if unit_of(peak) == unit && unit_of(&rate).is_empty() => {
                    reads.push(format!("{name} {rate} of {}", peak.trim_end_matches(unit).trim_end()));
                }
                Some((.., peak)) => reads.push(format!("{name} {rate} of {peak}")),
                None => reads.push(format!("{name} {rate}")),
            },
        }
    }
    let latency = |level: &Level| Some((level.name.clone(), level.latency.clone()?));
    let launch = launch.and_then(|ns| Some(("launch".to_owned(), quoted_time(ns)?)));
    let (names, times): (Vec<String>, Vec<String>) = levels.iter().filter_map(latency).chain(launch).unzip();
    let latencies = names
        .iter()
        .zip(without_repeated_units(times))
        .map(|(name, time)| format!("{name} {time}"))
        .collect::<Vec<_>>();
    let size = |level: &Level| Some(format!("{} {}", level.name, level.size.as_ref()?));
    let sizes: Vec<String> = levels.iter().filter_map(size).collect();
    let lines = [(if has_reads { "read" } else { "copy" }, reads), ("latency", latencies), ("size", sizes)];
    lines.iter().flat_map(|(label, parts)| labelled(label, parts, terminal)).collect()
}

/// `TB/s` of `3.11 TB/s`; empty if the figure has no unit.
fn unit_of(figure: &str) -> &str {
    figure.split(' ').nth(1).unwrap_or_default()
}

fn arithmetic(peaks: &[Peak], all: &[&Record], terminal: Terminal) -> Vec<String> {
    let cells = cells::arithmetic(peaks, all).into_iter().map(|(name, rate, _)| (name, rate));
    let (names, rates): (Vec<String>, Vec<String>) = cells.unzip();
    let parts: Vec<String> =
        names.iter().zip(without_repeated_units(rates)).map(|(name, rate)| format!("{name} {rate}")).collect();
    labelled("arithmetic", &parts, terminal)
}

const LABEL: usize = 12;

/// A label, padded to its column.
fn label(name: &str, terminal: Terminal) -> String {
    paint(terminal, DIM, &padded(&cut(name, LABEL - 1), LABEL))
}

/// A label followed by parts; lines break only between parts.
fn labelled(name: &str, parts: &[String], terminal: Terminal) -> Vec<String> {
    let line = |(index, line): (usize, String)| label(if index == 0 { name } else { "" }, terminal) + &line;
    filled(parts, ", ", COLUMNS - LABEL).into_iter().enumerate().map(line).collect()
}

/// Lines of at most `width` columns, filled with parts joined by the two-column text `between`.
fn filled(parts: &[String], between: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if display_width(line) + display_width(part) + 2 <= width => *line += &[between, part].concat(),
            _ => lines.push(part.clone()),
        }
    }
    lines
}

struct Jobs<'a> {
    /// The second toolchain and its time ratios.
    other: Option<(Toolchain<'a>, &'a Ratios<'a>)>,
    terminal: Terminal,
}

/// Right-aligned columns: the rate, and the speeds relative to the naive kernel and of the second toolchain.
const RIGHT: [usize; 3] = [2, 4, 5];
/// The column that is cut off if the screen is too narrow.
const KERNEL: usize = 1;

impl Jobs<'_> {
    fn lines(&self, found: &[Best], jobs: &[Job]) -> Vec<String> {
        let rows = found.iter().zip(jobs).map(|(best, job)| self.row(best, job));
        let rows: Vec<Vec<String>> = std::iter::once(self.headings()).chain(rows).collect();
        fitted(&rows, &RIGHT, KERNEL, COLUMNS)
    }

    fn headings(&self) -> Vec<String> {
        let other = self.other.map(|(toolchain, _)| format!("{} is", cut(&toolchain.title(), 9)));
        let headings = ["job", "size, fastest kernel", "rate", "of peak", "× naive"].map(str::to_owned);
        headings.into_iter().chain(other).map(|heading| paint(self.terminal, DIM, &heading)).collect()
    }

    fn row(&self, best: &Best, job: &Job) -> Vec<String> {
        let marks = job.marks;
        // The comparison column needs room, so the bar is shorter.
        let bar_cells = if self.other.is_some() { 4 } else { 6 };
        let share = job.share.map_or_else(String::new, |share| {
            let (mut bar, style) = table::share_bar(share, bar_cells);
            if marks.is_above {
                bar.pop();
                bar.push('!');
            }
            format!("{} {:>4}", paint(self.terminal, style, &bar), job.share_text)
        });
        let [tied, only] = [if marks.is_tied { "~" } else { "" }, if marks.is_only { " (only)" } else { "" }];
        let mut cells = vec![
            job.name.to_owned(),
            format!("{}{} {tied}{}{only}", if marks.is_small { "<" } else { "" }, job.size, job.kernel),
            format!("{}{}", job.rate, if marks.is_cached { "*" } else { "" }),
            share,
            job.naive.clone(),
        ];
        cells.extend(self.other.map(|(_, ratios)| ratios.of(best.row).map_or_else(String::new, faster_in_cell)));
        cells
    }
}

/// The meaning of the bars, colours and marks that occur in the jobs' lines.
fn legend(jobs: &[Job], terminal: Terminal) -> Vec<String> {
    let colors = if terminal.has_color { ": green ≥ 80 %, yellow ≥ 40 %, red below" } else { "" };
    let bar = jobs.iter().any(|job| job.share.is_some()).then(|| format!("bar: share of the measured peak{colors}"));
    let parts: Vec<String> = bar.into_iter().chain(marks_of(jobs).into_iter().map(str::to_owned)).collect();
    filled(&parts, "; ", COLUMNS).iter().map(|line| paint(terminal, DIM, line)).collect()
}

/// The speed of the `other` toolchain relative to the first: geometric means by family.
fn by_family(other: Toolchain, ratios: &Ratios, room: usize, terminal: Terminal) -> Vec<String> {
    let mean = |ratio: f64| faster(Estimate { value: ratio, low: ratio, high: ratio });
    let families = ratios.by_family().into_iter();
    let speeds = families.map(|(family, ratio)| (ratio, mean(ratio), family.to_owned())).collect();
    from_largest(&format!("{} is", other.title()), (speeds, "families"), room, terminal)
}

/// The speed of the vendor's library relative to the kernel of each job: `cuBLAS 1.05× faster in GEMM f32`.
fn libraries(found: &[Best], all: &[&Record], room: usize, terminal: Terminal) -> Vec<String> {
    let speed = |best: &Best| {
        let (ratio, text) = cells::library(best, all)?;
        Some((ratio, text, best.job.name.to_owned()))
    };
    from_largest("libraries", (found.iter().filter_map(speed).collect(), "jobs"), room, terminal)
}

/// Speeds with their texts and names, in at most `room` lines, the largest first. Speeds that do not fit are counted.
fn from_largest(
    label: &str,
    (mut speeds, things): (Vec<(f64, String, String)>, &str),
    room: usize,
    terminal: Terminal,
) -> Vec<String> {
    speeds.sort_by(|a, b| b.0.total_cmp(&a.0));
    let first = |count: usize| {
        let (shown, rest) = speeds.split_at(count);
        let mut parts: Vec<String> = shown.iter().map(|(_, speed, what)| format!("{speed} in {what}")).collect();
        if let [(_, largest, _), .., (_, smallest, _)] = rest {
            let things = if shown.is_empty() { things } else { "more" };
            parts.push(format!("{} {things}: {largest} to {smallest}", rest.len()));
        }
        labelled(label, &parts, terminal)
    };
    // A single remaining speed is named, not counted: that needs no more room.
    let counts = (0..=speeds.len()).rev().filter(|count| count + 1 != speeds.len());
    counts.map(first).find(|lines| lines.len() <= room).unwrap_or_default()
}

/// The number of rows for each kind of fault, and the names of the first ones.
fn faults(troubles: &Troubles, terminal: Terminal) -> Vec<String> {
    let red = colored(AnsiColor::Red);
    let kinds = [("wrong", &troubles.wrong), ("failed", &troubles.failed), ("implausible", &troubles.implausible)];
    let some = kinds.into_iter().filter(|(_, rows)| !rows.is_empty());
    some.map(|(name, rows)| paint(terminal, red, &named(&format!("{} {name}", rows.len()), rows))).collect()
}

/// The number of rows with wide intervals, and the names of the widest.
fn unsteady(troubles: &Troubles) -> Option<String> {
    let rows = &troubles.unsteady;
    let limit = format::percent(UNSTEADY).replace(".0", "");
    (!rows.is_empty()).then(|| named(&format!("{} unsteady (±{limit} or more)", rows.len()), rows))
}

/// `3 wrong: a, b and 1 more`, in one line.
fn named(count: &str, rows: &[&Record]) -> String {
    let mut text = format!("{count}: ");
    for (index, row) in rows.iter().enumerate() {
        let name = format!("{}/{}", row.family, table::label(row));
        let comma = if index == 0 { "" } else { ", " };
        let left = rows.len() - index - 1;
        let more = if left == 0 { String::new() } else { format!(" and {left} more") };
        if index > 0
            && display_width(&text) + display_width(comma) + display_width(&name) + display_width(&more) > COLUMNS
        {
            return format!("{text} and {} more", rows.len() - index);
        }
        text += &format!("{comma}{}", cut(&name, COLUMNS - display_width(&text) - display_width(&more) - 2));
    }
    text
}

/// The start of `text`, with an ellipsis if it is wider than `width`.
fn start(text: &str, width: usize) -> String {
    if display_width(text) <= width {
        return text.to_owned();
    }
    format!("{}…", fitting(text.chars(), width - 1).into_iter().collect::<String>().trim_end())
}

/// The first characters that fit in `width` columns.
fn fitting(characters: impl Iterator<Item = char>, width: usize) -> Vec<char> {
    let mut used = 0;
    let fits = |character: &char| {
        used += display_width(&character.to_string());
        used <= width
    };
    characters.take_while(fits).collect()
}

/// `text`; if it is wider than `width`, without its middle.
fn cut(text: &str, width: usize) -> String {
    if display_width(text) <= width {
        return text.to_owned();
    }
    let front = (width - 1) / 2;
    let start: String = fitting(text.chars(), front).into_iter().collect();
    let end: String = fitting(text.chars().rev(), width - 1 - front).into_iter().rev().collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests;
