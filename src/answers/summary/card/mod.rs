//! The summary of a report: one screen of 24 lines by 80 columns, with its command and the prompt, that says what the
//! device can do.

use crate::families::claims::finding;
use anstyle::AnsiColor;

use super::figures::{Best, Peak, Space, Troubles, UNSTEADY, best, peaks, spaces, troubles};
use super::texts::{arithmetic_name, bare, faster, job_rate, operations, quoted_rate, quoted_ratio, quoted_time};
use crate::answers::versus::Ratios;
use crate::record::{Record, format, stats::Estimate};
use crate::report::layout::{BOLD, DIM, Terminal, colored, padded, paint};
use crate::report::{apis, table, toolchains};
use crate::suite::{Api, DeviceType, Extent, Limit, Toolchain, binary_range, binary_size};
use textwrap::core::display_width;

/// Lines of the summary.
pub const LINES: usize = 22;
/// Columns of the summary.
pub const COLUMNS: usize = 80;

/// What to know of the figures of a software device.
pub const SOFTWARE: &str = "software device: its times do not represent a GPU";

/// A line of the summary. Where the screen is too small, lines of the highest rank are left out, the last ones first.
struct Line {
    rank: usize,
    text: String,
}

const ALWAYS: usize = 0;
const JOB: usize = 1;
const PEAK: usize = 2;
const LEGEND: usize = 3;
const UNSTEADY_ROWS: usize = 4;

/// The summary of the rows of one card, in at most [`LINES`] lines; `after` are lines below it, which stay whole.
///
/// With several toolchains (APIs, or compilers), figures are those of the first; a column compares the second at the same case, and a
/// line the means of the families.
#[must_use]
pub fn card(records: &[Record], after: &[String], terminal: Terminal) -> String {
    card_within(records, after, LINES, terminal)
}

/// The same in at most `lines` lines.
#[must_use]
pub fn card_within(records: &[Record], after: &[String], lines: usize, terminal: Terminal) -> String {
    let apis = apis(records);
    let toolchains = toolchains(records);
    let rows: Vec<&Record> = records
        .iter()
        .filter(|row| toolchains.first().is_none_or(|toolchain| row.toolchain() == Some(*toolchain)))
        .collect();
    let ratios: Vec<(Toolchain, Ratios)> = match toolchains.split_first() {
        Some((first, others)) => others.iter().map(|other| (*other, Ratios::new(records, [*first, *other]))).collect(),
        None => Vec::new(),
    };
    let is_software = records.first().is_some_and(|row| row.device_type == Some(DeviceType::Software));
    let of = |rank: usize| move |text: String| Line { rank, text };
    let mut shown = vec![of(ALWAYS)(heading(records, &apis, terminal))];
    shown.extend(is_software.then(|| of(ALWAYS)(SOFTWARE.to_owned())));
    let peaks = peaks(&rows);
    let launch = peaks.iter().find_map(|peak| peak.ns);
    shown.extend(memory(&spaces(&rows), launch, terminal).into_iter().map(of(PEAK)));
    shown.extend(arithmetic(&peaks, terminal).into_iter().map(of(PEAK)));
    let found = best(&rows);
    // A bar of a software device is no verdict.
    let look = Terminal { has_color: terminal.has_color && !is_software, ..terminal };
    if !found.is_empty() {
        let table = Jobs { other: ratios.first().map(|(toolchain, ratios)| (*toolchain, ratios)), terminal: look };
        shown.push(of(JOB)(title(&table.heading(), terminal)));
        shown.extend(found.iter().map(|best| table.line(best)).map(of(JOB)));
    }
    let middle = shown.len();
    shown.extend(legend(&found, look).into_iter().map(of(LEGEND)));
    let all: Vec<&Record> = records.iter().collect();
    let troubles = troubles(&all);
    shown.extend(faults(&troubles, terminal).into_iter().map(of(ALWAYS)));
    shown.extend(unsteady(&troubles).map(of(UNSTEADY_ROWS)));
    shown.extend(after.iter().cloned().map(of(ALWAYS)));
    let used = lines_of(shown.iter().map(|line| line.text.as_str()));
    let each = lines.saturating_sub(used) / ratios.len().max(1);
    let means = ratios.iter().flat_map(|(other, ratios)| by_family(*other, ratios, each, terminal)).map(of(ALWAYS));
    shown.splice(middle..middle, means);
    while lines_of(shown.iter().map(|line| line.text.as_str())) > lines {
        let last = shown.iter().enumerate().filter(|(_, line)| line.rank > ALWAYS).max_by_key(|(_, line)| line.rank);
        let Some((last, _)) = last else { break };
        shown.remove(last);
    }
    shown.iter().map(|line| format!("{}\n", line.text.trim_end())).collect()
}

/// Lines of a screen that texts take, each on a line of its own.
pub fn lines_of<'a>(texts: impl IntoIterator<Item = &'a str>) -> usize {
    texts.into_iter().map(|text| display_width(text).div_ceil(COLUMNS).max(1)).sum()
}

/// One line about a family's rows, from one API: its first finding, else the number of rows with a time.
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

/// The first words of a sentence that fit, with an ellipsis if it goes on: a sentence without its middle says nothing.
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

/// A driver's text of fewer columns says nothing.
const SHORTEST: usize = 8;

/// Device, APIs, driver and date.
fn heading(records: &[Record], apis: &[Api], terminal: Terminal) -> String {
    let Some(first) = records.first() else { return String::new() };
    let names: Vec<&str> = apis.iter().map(|api| api.title()).collect();
    let day = first.date.get(..10).unwrap_or(&first.date);
    let names = names.join(" + ");
    let device = if first.device.is_empty() { "unnamed device" } else { &first.device };
    let device = cut(device, COLUMNS / 2);
    // The driver's text is the longest, and its end says least.
    let others: usize = [&device, &names, day].iter().map(|part| display_width(part) + 2).sum();
    let room = COLUMNS.saturating_sub(others);
    let driver = if room < SHORTEST { String::new() } else { start(&first.driver, room) };
    let rest = [&names, &driver, day];
    let rest = rest.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    format!("{}: {rest}", paint(terminal, BOLD, &device))
}

fn title(text: &str, terminal: Terminal) -> String {
    paint(terminal, DIM, text.trim_end())
}

/// The levels of memory: how fast they are read, the latency of a load, and their size. A launch has a latency, too.
fn memory(spaces: &[Space], launch: Option<Estimate>, terminal: Terminal) -> Vec<String> {
    let has_reads = spaces.iter().any(|space| space.read.and_then(quoted_rate).is_some());
    let rates = |space: &Space| {
        let (read, copy) = (space.read.and_then(quoted_rate), space.copy.and_then(quoted_rate));
        let name = match read {
            Some(_) => "copy".to_owned(),
            None if has_reads => format!("{} copy", space.name),
            None => space.name.clone(),
        };
        [read.map(|read| (space.name.clone(), read)), copy.map(|copy| (name, copy))]
    };
    let (names, rates): (Vec<String>, Vec<String>) = spaces.iter().flat_map(rates).flatten().unzip();
    let mut reads: Vec<String> = Vec::new();
    for (name, rate) in names.iter().zip(bare(rates)) {
        match reads.last_mut() {
            Some(read) if name == "copy" => *read += &format!(" (copy {rate})"),
            _ => reads.push(format!("{name} {rate}")),
        }
    }
    let latency = |space: &Space| Some((space.name.clone(), quoted_time(space.latency?)?));
    let launch = launch.and_then(|ns| Some(("launch".to_owned(), quoted_time(ns)?)));
    let (names, times): (Vec<String>, Vec<String>) = spaces.iter().filter_map(latency).chain(launch).unzip();
    let latencies = names.iter().zip(bare(times)).map(|(name, time)| format!("{name} {time}")).collect::<Vec<_>>();
    let size = |space: &Space| {
        let size = space.size.map(|(least, most)| binary_range(least, most));
        let size = match (size, space.driver_bytes) {
            (Some(size), Some(bytes)) => Some(format!("{size} (driver: {})", binary_size(bytes))),
            (None, Some(bytes)) => Some(format!("{} by the driver", binary_size(bytes))),
            (size, None) => size,
        };
        let banks = space.banks.map(|banks| format!("{banks} banks"));
        Some(format!("{} {}", space.name, size.or(banks)?))
    };
    let sizes: Vec<String> = spaces.iter().filter_map(size).collect();
    let lines = [(if has_reads { "read" } else { "copy" }, reads), ("latency", latencies), ("size", sizes)];
    lines.iter().flat_map(|(label, parts)| labelled(label, parts, terminal)).collect()
}

/// Arithmetic by type, and tensor cores.
fn arithmetic(peaks: &[Peak], terminal: Terminal) -> Vec<String> {
    let flops = |peak: &Peak| Some((arithmetic_name(peak), operations(peak, peak.gflop_per_s?)?));
    let of_arithmetic = peaks.iter().filter(|peak| matches!(peak.limit, Limit::Fma | Limit::Tensor));
    let (names, rates): (Vec<String>, Vec<String>) = of_arithmetic.filter_map(flops).unzip();
    let parts: Vec<String> = names.iter().zip(bare(rates)).map(|(name, rate)| format!("{name} {rate}")).collect();
    labelled("arithmetic", &parts, terminal)
}

/// Parts behind a label, wrapped between parts.
fn labelled(label: &str, parts: &[String], terminal: Terminal) -> Vec<String> {
    const LABEL: usize = 12;
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if display_width(line) + display_width(part) + 2 + LABEL <= COLUMNS => {
                *line += &format!(", {part}")
            }
            _ => lines.push(part.clone()),
        }
    }
    let line = |(index, line): (usize, String)| {
        let label = if index == 0 { cut(label, LABEL - 1) } else { String::new() };
        format!("{}{line}", paint(terminal, DIM, &padded(&label, LABEL)))
    };
    lines.into_iter().enumerate().map(line).collect()
}

/// The table of the jobs.
struct Jobs<'a> {
    /// The second toolchain, and how it compares.
    other: Option<(Toolchain<'a>, &'a Ratios<'a>)>,
    terminal: Terminal,
}

/// Columns of the table of jobs: those up to the size, of the size, and of the rate.
const NAME: usize = 10;
const SIZE: usize = 6;
const RATE: usize = 12;

impl Jobs<'_> {
    /// Columns of a kernel with its mark, and of a bar: a comparison takes room.
    const fn widths(&self) -> (usize, usize) {
        if self.other.is_some() { (21, 4) } else { (28, 6) }
    }

    fn heading(&self) -> String {
        let (kernel, bar) = self.widths();
        let left = format!("{:<NAME$}{:<SIZE$}{:<kernel$}{:>RATE$}", "job", "size", "fastest kernel", "rate");
        let other = self.other.map_or_else(String::new, |(toolchain, _)| format!("{} is", cut(&toolchain.title(), 9)));
        format!("{left}  {:<width$}{:>8} {other:>12}", "of peak", "vs naive", width = bar + 4)
    }

    /// A job, its size, its fastest kernel, the rate with its share of a peak, and how it compares.
    fn line(&self, best: &Best) -> String {
        let (row, marks) = (best.row, Marks::of(best));
        let (width, cells) = self.widths();
        let end = NAME + SIZE + width + RATE;
        let job = format!("{:<NAME$}{}{}", best.job.name, if marks.is_small { "<" } else { "" }, size(row));
        let left = format!("{} ", padded(&job, NAME + SIZE - 1));
        let rate = job_rate(row);
        // A rate of bytes is short.
        let room = end.saturating_sub(display_width(&left) + display_width(&rate) + 1);
        let mark = if best.is_only {
            " (only)"
        } else if best.is_tied {
            "~"
        } else {
            ""
        };
        let kernel = format!("{}{mark}", cut(&row.benchmark, room.saturating_sub(mark.len()).max(1)));
        let left = padded(&format!("{left}{kernel}"), end - display_width(&rate));
        let cached = if marks.is_cached { "*" } else { " " };
        let share = row.share.map_or_else(
            || " ".repeat(cells + 6),
            |share| {
                let (mut bar, style) = table::share_bar(share, cells);
                if marks.is_above {
                    bar.pop();
                    bar.push('!');
                }
                format!("{}{:>6}", paint(self.terminal, style, &bar), table::share_text(row))
            },
        );
        let naive = best.over_naive.and_then(quoted_ratio).unwrap_or_default();
        let other = self.other.and_then(|(_, ratios)| ratios.of(row)).map_or_else(String::new, faster);
        format!("{left}{rate}{cached} {share}{naive:>6} {other:>12}").trim_end().to_owned()
    }
}

/// What the marks of a job say.
struct Marks {
    /// Smaller than the size at which its rate saturates.
    is_small: bool,
    /// Bytes that fit in a cache.
    is_cached: bool,
    /// Faster than the measured peak.
    is_above: bool,
}

impl Marks {
    fn of(best: &Best) -> Self {
        let row = best.row;
        let share = table::share_text(row);
        let percent = share.split(' ').next();
        let in_l2 = || row.bytes.zip(row.l2_bytes).is_some_and(|(bytes, l2)| bytes <= l2);
        Self {
            is_small: best.is_small,
            is_cached: row.gb_per_s.is_some() && (row.ceiling.is_some_and(|bound| bound.is_cached) || in_l2()),
            is_above: percent.and_then(|percent| percent.parse().ok()).is_some_and(|percent: f64| percent > 100.0),
        }
    }
}

/// The size of a row: `2^28`, `8192²`, `4096³`; of attention heads × length × width.
fn size(row: &Record) -> String {
    let Some(extent) = row.n else { return String::new() };
    let mut sides = extent.sides();
    sides.extend(row.params.get("D").map(|width| *width as u64));
    match (extent, sides.as_slice()) {
        (Extent::Linear(_), [_]) => extent.short(),
        (_, [side, others @ ..]) if others.iter().all(|other| other == side) && others.len() < 3 => {
            format!("{side}{}", ["", "²", "³"][others.len()])
        }
        (_, sides) => sides.iter().map(u64::to_string).collect::<Vec<_>>().join("×"),
    }
}

/// What bars, colours and marks of the jobs mean, those that are there.
fn legend(found: &[Best], terminal: Terminal) -> Vec<String> {
    let marks: Vec<Marks> = found.iter().map(Marks::of).collect();
    let colors = if terminal.has_color { ": green ≥ 80 %, yellow ≥ 40 %, red below" } else { "" };
    let parts = [
        (found.iter().any(|best| best.row.share.is_some()), format!("bar: share of the measured peak{colors}")),
        (marks.iter().any(|marks| marks.is_above), "! above 100 %".to_owned()),
        (found.iter().any(|best| best.is_tied), "~ another kernel is as fast".to_owned()),
        (marks.iter().any(|marks| marks.is_cached), "* fits in a cache: no DRAM rate".to_owned()),
        (marks.iter().any(|marks| marks.is_small), "< smaller than its saturating size".to_owned()),
    ];
    let mut lines: Vec<String> = Vec::new();
    for (_, part) in parts.iter().filter(|(is_there, _)| *is_there) {
        match lines.last_mut() {
            Some(line) if display_width(line) + display_width(part) + 2 <= COLUMNS => *line += &format!("; {part}"),
            _ => lines.push(part.clone()),
        }
    }
    lines.iter().map(|line| paint(terminal, DIM, line)).collect()
}

/// The speed of the `other` toolchain relative to the first, the geometric mean by family, the largest first. Families for
/// which `room` lines are too few are counted.
fn by_family(other: Toolchain, ratios: &Ratios, room: usize, terminal: Terminal) -> Vec<String> {
    let mut families = ratios.by_family();
    families.sort_by(|a, b| b.1.total_cmp(&a.1));
    let label = format!("{} is", other.title());
    let mean = |ratio: f64| faster(Estimate { value: ratio, low: ratio, high: ratio });
    let first = |count: usize| {
        let (shown, rest) = families.split_at(count);
        let mut parts: Vec<String> =
            shown.iter().map(|(family, ratio)| format!("{} in {family}", mean(*ratio))).collect();
        if let [(_, largest), .., (_, smallest)] = rest {
            parts.push(format!("{} more from {} to {}", rest.len(), mean(*largest), mean(*smallest)));
        }
        labelled(&label, &parts, terminal)
    };
    // One family is not counted, but named: it needs as much room.
    let counts = (0..=families.len()).rev().filter(|count| count + 1 != families.len());
    counts.map(first).find(|lines| lines.len() <= room).unwrap_or_default()
}

/// Rows with faults: counted, and the first named.
fn faults(troubles: &Troubles, terminal: Terminal) -> Vec<String> {
    let red = colored(AnsiColor::Red);
    let kinds = [("wrong", &troubles.wrong), ("failed", &troubles.failed), ("implausible", &troubles.implausible)];
    let some = kinds.into_iter().filter(|(_, rows)| !rows.is_empty());
    some.map(|(name, rows)| paint(terminal, red, &named(&format!("{} {name}", rows.len()), rows))).collect()
}

/// Rows of wide intervals: counted, and the widest named.
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

/// The start of `text`, with a mark where it is wider than `width`.
fn start(text: &str, width: usize) -> String {
    if display_width(text) <= width {
        return text.to_owned();
    }
    let mut used = 1;
    let fits = |character: &char| {
        used += display_width(&character.to_string());
        used <= width
    };
    format!("{}…", text.chars().take_while(fits).collect::<String>().trim_end())
}

/// `text`, with its middle left out where it is wider than `width`.
fn cut(text: &str, width: usize) -> String {
    if display_width(text) <= width {
        return text.to_owned();
    }
    let keep = |characters: &mut dyn Iterator<Item = char>, width: usize| {
        let mut used = 0;
        let fits = |character: &char| {
            used += display_width(&character.to_string());
            used <= width
        };
        characters.take_while(fits).collect::<Vec<char>>()
    };
    let (front, back) = ((width - 1) / 2, width - 1 - (width - 1) / 2);
    let end: Vec<char> = keep(&mut text.chars().rev(), back);
    let start: String = keep(&mut text.chars(), front).into_iter().collect();
    format!("{start}…{}", end.into_iter().rev().collect::<String>())
}

#[cfg(test)]
mod tests;
