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
mod tests {
    use super::*;
    use crate::record::Status;
    use crate::report::csv;
    use crate::suite::Dtype;

    const PLAIN: Terminal = Terminal { width: 80, has_color: false };

    fn records(text: &[u8]) -> Vec<Record> {
        csv::read(std::path::Path::new("r.csv"), text).expect("a report").records
    }

    fn both() -> Vec<Record> {
        records(include_bytes!("../../../results/nvidia-h200/2026-11-23-vulkan+cuda.csv"))
    }

    #[test]
    fn the_summary_fits_one_screen_with_the_longest_names() {
        let mut records = both();
        for (index, row) in records.iter_mut().enumerate() {
            // The longest names that drivers are known to give.
            row.device =
                "AMD Radeon Graphics (RADV RENOIR) with a very long name, llvmpipe (LLVM 19.1.7, 512 bits)".to_owned();
            row.driver =
                "AMD open-source driver 2024.Q4.3 (LLPC), build 2.0.322 of a distribution, with patches".to_owned();
            if index % 50 == 0 {
                row.mark_wrong("for the test".to_owned());
            }
            if index % 50 == 1 {
                row.status = Status::Failed;
            }
            if index % 50 == 2 {
                row.status = Status::Implausible;
            }
        }
        let after = ["next: shaderbench explain transpose".to_owned(), format!("results/{}/r.csv", "x".repeat(200))];
        let text = card(&records, &after, PLAIN);
        let (lines, path): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| !line.starts_with("results/"));
        // A terminal breaks the path into three lines.
        assert!(lines.len() + 3 <= LINES && path.len() == 1, "{text}");
        assert!(lines.iter().all(|line| display_width(line) <= COLUMNS), "{text}");
        for needed in ["wrong: ", "failed: ", "implausible: ", "next: ", "/r.csv", "\nsum ", "\nrotation "] {
            assert!(text.contains(needed), "{needed}\n{text}");
        }
        // Any number of lines is kept to, and the heading stays.
        for lines in 8..LINES {
            let text = card_within(&records, &after, lines, PLAIN);
            assert!(lines_of(text.lines()) <= lines && text.starts_with("AMD Radeon"), "{lines}\n{text}");
        }
    }

    #[test]
    fn the_summary_of_every_committed_report_fits_with_what_follows_a_run() {
        let after = [
            "all sizes: `target/release/shaderbench run --backend all --profile standard`, about 8 minutes".to_owned(),
            "results/nvidia-h100-80gb-hbm3/2026-11-25-vulkan+cuda.csv".to_owned(),
        ];
        for text in [
            include_bytes!("../../../results/nvidia-h200/2026-11-23-vulkan+cuda.csv").as_slice(),
            include_bytes!("../../../results/nvidia-h100-80gb-hbm3/2026-11-25-vulkan+cuda.csv"),
            include_bytes!("../../../results/llvmpipe-llvm-15-0-6-256-bits/2026-11-22-vulkan.csv"),
        ] {
            let records = records(text);
            for terminal in [PLAIN, Terminal { has_color: true, ..PLAIN }] {
                let text = card(&records, &after, terminal);
                let rows: Vec<&Record> = records.iter().filter(|row| row.backend == Some(Api::Vulkan)).collect();
                assert!(lines_of(after.iter().map(String::as_str)) == 3 && text.lines().count() < LINES, "{text}");
                // Every job, and what its marks mean.
                for best in best(&rows) {
                    let line = text.lines().find(|line| line.starts_with(best.job.name)).expect(best.job.name);
                    assert!(line.contains(&size(best.row)), "{line}");
                }
                assert!(text.contains("bar: share of the measured peak"), "{text}");
                assert_eq!(text.contains("green ≥ 80 %"), terminal.has_color && !text.contains(SOFTWARE), "{text}");
            }
        }
    }

    #[test]
    fn marks_say_what_a_reader_must_know() {
        let row = |share: f64, bytes: u64, benchmark: &str| Record {
            family: "reduction".to_owned(),
            benchmark: benchmark.to_owned(),
            dtype: Some(Dtype::F32),
            n: Some(Extent::Linear(1 << 20)),
            bytes: Some(bytes),
            l2_bytes: Some(50 << 20),
            gb_per_s: Some(4000.0),
            share: Some(share),
            median_ns: Some(100.0),
            ci_low_ns: Some(99.0),
            ci_high_ns: Some(101.0),
            epochs_ns: vec![100.0; 2],
            backend: Some(Api::Vulkan),
            ..Record::default()
        };
        let line = |rows: &[Record]| {
            let text = card(rows, &[], PLAIN);
            let line = text.lines().find(|line| line.starts_with("sum ")).expect("a line").to_owned();
            (line, text)
        };
        let (sum, text) = line(&[row(1.04, 4 << 20, "subgroup")]);
        assert_eq!(sum, "sum       <2^20 subgroup (only)                 4.0 TB/s* █████! 104 %");
        for mark in ["! above 100 %", "* fits in a cache", "< smaller than its saturating size"] {
            assert!(text.contains(mark), "{mark}\n{text}");
        }
        let (sum, text) = line(&[row(0.5, 4 << 30, "subgroup"), row(0.5, 4 << 30, "first_add")]);
        assert_eq!(sum, "sum       <2^20 first_add~                      4.0 TB/s  ███     50 %");
        assert!(text.contains("~ another kernel is as fast") && !text.contains("! ") && !text.contains("* "), "{text}");
        // The name of the only kernel is cut rather than the rate moved.
        let (sum, _) = line(&[row(0.5, 4 << 30, "a_kernel_with_a_long_name")]);
        assert_eq!(
            sum.find("4.000 TB/s"),
            line(&[row(0.5, 4 << 30, "first_add")]).0.find("4.000 TB/s").map(|at| at + 2)
        );
        assert!(sum.contains("…") && sum.contains(" (only) "), "{sum}");
    }

    #[test]
    fn a_software_device_says_so_before_its_figures() {
        let software = Record {
            device: "llvmpipe (LLVM 15.0.6, 256 bits)".to_owned(),
            device_type: Some(DeviceType::Software),
            ..Record::default()
        };
        let text = card(&[software], &[], PLAIN);
        assert_eq!(text.lines().nth(1), Some(SOFTWARE), "{text}");
    }

    #[test]
    fn sizes_are_short() {
        let of = |extent, width: Option<f64>| {
            let params = width.map(|width| ("D".to_owned(), width)).into_iter().collect();
            size(&Record { n: Some(extent), params, ..Record::default() })
        };
        assert_eq!([Extent::Linear(1 << 28), Extent::Linear(1_000_003)].map(|n| of(n, None)), ["2^28", "1000003"]);
        assert_eq!([Extent::Matrix(8192, 8192), Extent::Matrix(8, 4)].map(|n| of(n, None)), ["8192²", "8×4"]);
        assert_eq!([Extent::Product(9, 9, 9), Extent::Product(9, 9, 8)].map(|n| of(n, None)), ["9³", "9×9×8"]);
        assert_eq!(of(Extent::Matrix(16, 4096), Some(128.0)), "16×4096×128");
    }

    /// With every family.
    fn all_families() -> Vec<Record> {
        records(include_bytes!("../../../results/nvidia-h100-80gb-hbm3/2026-11-25-vulkan+cuda.csv"))
    }

    #[test]
    fn families_that_do_not_fit_are_counted_the_most_costly_ones_named() {
        let records = all_families();
        let toolchains = toolchains(&records);
        let ratios = Ratios::new(&records, [toolchains[0], toolchains[1]]);
        let mut sorted = ratios.by_family();
        sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
        for room in 0..12 {
            let lines = by_family(toolchains[1], &ratios, room, PLAIN);
            assert!(lines.len() <= room, "{room}: {lines:?}");
            let text = lines.join(", ").replace('\n', "");
            let text = text.split_once("CUDA is").map_or("", |(_, families)| families.trim());
            let parts: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
            let (counted, named): (Vec<&str>, Vec<&str>) = parts.into_iter().partition(|part| part.contains(" more "));
            let number = |part: &&str| part.split(' ').next().and_then(|number| number.parse().ok());
            let count: usize = counted.first().map_or(0, |part| number(part).expect("a number"));
            assert!(count != 1 && (room == 0 || named.len() + count == sorted.len()), "{room}: {lines:?}");
            for (part, (family, _)) in named.iter().zip(&sorted) {
                assert!(part.ends_with(&format!(" in {family}")), "{room}: {part}, not {family}");
            }
        }
        let text = card(&records, &["r.csv".to_owned()], PLAIN);
        assert!(text.lines().count() <= LINES && text.contains(" more "), "{text}");
    }

    #[test]
    fn a_headline_ends_after_a_word() {
        let text = "Sum of 2^28 f32: vec4_grid_stride is fastest at 4.50 TB/s (98 % of the measured read peak)";
        assert_eq!(words(text, 60), "Sum of 2^28 f32: vec4_grid_stride is fastest at 4.50 TB/s…");
        assert_eq!((words(text, 20), words(text, 200)), ("Sum of 2^28 f32…".to_owned(), text.to_owned()));
        for width in 10..100 {
            assert!(display_width(&words(text, width)) <= width, "{width}");
        }
    }

    #[test]
    fn a_level_without_figures_has_no_line() {
        // Short curves, as of the profile quick, with intervals of several widths.
        for (times, power) in
            [1.0, 3.0, 10.0, 30.0].into_iter().flat_map(|times| (16..28).map(move |power| (times, power)))
        {
            let mut records = both();
            records.retain(|row| row.family != "cache_curve" || row.n.is_none_or(|n| n.count() <= 1 << power));
            for row in &mut records {
                let (Some(ns), Some(low), Some(high)) = (row.median_ns, row.ci_low_ns, row.ci_high_ns) else {
                    continue;
                };
                row.ci_low_ns = Some(ns * (low / ns).powf(times));
                row.ci_high_ns = Some(ns * (high / ns).powf(times));
            }
            for api in [Api::Vulkan, Api::Cuda] {
                let rows: Vec<&Record> = records.iter().filter(|row| row.backend == Some(api)).collect();
                assert!(spaces(&rows).iter().all(Space::has_figures), "{times} {power}");
            }
        }
    }

    #[test]
    fn every_rate_of_the_summary_is_one_of_the_report() {
        let records = all_families();
        let text = card(&records, &[], PLAIN);
        let rows: Vec<&Record> = records.iter().filter(|row| row.backend == Some(Api::Vulkan)).collect();
        let found = best(&rows);
        assert_eq!(found.len(), crate::families::headlines().len());
        for best in found {
            let line = text.lines().find(|line| line.starts_with(&format!("{} ", best.job.name))).expect(best.job.name);
            assert!(line.contains(&job_rate(best.row)) && line.contains(&best.row.benchmark), "{line}");
            assert!(line.contains(&table::share_text(best.row)), "{line}");
        }
    }

    #[test]
    fn ratios_to_the_other_api_are_those_of_a_comparison_of_all_rows() {
        use crate::answers::compare::ratios_in_turns;
        let records = both();
        let text = card(&records, &[], PLAIN);
        let of = |api| records.iter().filter(move |row| row.backend == Some(api) && row.status == Status::Ok);
        let case = |row: &Record| (row.name(), row.dtype, row.n, row.params_text());
        let twin = |row: &&Record| of(Api::Cuda).find(|twin| case(twin) == case(row) && twin.timer == row.timer);
        let pairs: Vec<(&Record, &Record)> = of(Api::Vulkan).filter_map(|row| Some((row, twin(&row)?))).collect();
        let ratios = ratios_in_turns(&pairs);
        let rows: Vec<&Record> = of(Api::Vulkan).collect();
        for best in best(&rows) {
            let index = pairs.iter().position(|(row, _)| std::ptr::eq(*row, best.row)).expect("a twin");
            let ratio = ratios[index].expect("in turns");
            let (low, high) = ratio.interval.expect("epochs");
            let ratio = faster(Estimate { value: ratio.value, low, high });
            let line = text.lines().find(|line| line.starts_with(&format!("{} ", best.job.name))).expect(best.job.name);
            assert!(line.ends_with(&format!(" {ratio}")), "{ratio}: {line}");
        }
    }

    #[test]
    fn long_texts_lose_their_middle() {
        assert_eq!(cut("abcdefghij", 10), "abcdefghij");
        assert_eq!(cut("abcdefghijk", 10), "abcd…ghijk");
        assert_eq!(display_width(&cut("显卡显卡显卡显卡", 9)), 9);
    }

    #[test]
    fn a_report_without_figures_has_a_summary_too() {
        assert_eq!(card(&[], &["r.csv".to_owned()], PLAIN), "\nr.csv\n");
        let skipped = Record { status: Status::Skipped, ..Record::default() };
        assert!(card(&[skipped], &["r.csv".to_owned()], PLAIN).starts_with("unnamed device"));
    }
}
