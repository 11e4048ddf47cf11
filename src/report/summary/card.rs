//! The summary of a report: one screen of 24 lines by 80 columns that says what the device can do.

use anstyle::AnsiColor;

use super::texts::{arithmetic_name, operations, quoted, quoted_rate, quoted_ratio};
use crate::backend::{Api, DeviceType};
use crate::report::layout::{BOLD, DIM, Terminal, colored, padded, paint};
use crate::report::versus::Ratios;
use crate::report::{apis, lanes, table};
use crate::results::findings::finding;
use crate::results::stats::Estimate;
use crate::results::summary::{Best, Peak, Space, Troubles, UNSTEADY, best, peaks, spaces, troubles};
use crate::results::{Lane, Record, format};
use crate::suite::{Limit, binary_range, binary_size};
use textwrap::core::display_width;

/// Lines of the summary.
pub const LINES: usize = 24;
/// Columns of the summary.
pub const COLUMNS: usize = 80;

/// The summary of the rows of one card; `after` are lines below it, of which the last, the report's path, stays whole.
///
/// With several lanes (APIs, or compilers), figures are those of the first; a column has the ratio to the second at the same case, and a line
/// the ratios of the families.
#[must_use]
pub fn card(records: &[Record], after: &[String], terminal: Terminal) -> String {
    let apis = apis(records);
    let lanes = lanes(records);
    let rows: Vec<&Record> =
        records.iter().filter(|row| lanes.first().is_none_or(|lane| row.lane() == Some(*lane))).collect();
    let ratios: Vec<(Lane, Ratios)> = match lanes.split_first() {
        Some((first, others)) => others.iter().map(|other| (*other, Ratios::new(records, [*first, *other]))).collect(),
        None => Vec::new(),
    };
    let mut lines = vec![heading(records, &apis, terminal)];
    let memory = spaces(&rows);
    if !memory.is_empty() {
        lines.push(title(MEMORY_HEADING, terminal));
        lines.extend(memory.iter().map(space));
    }
    lines.extend(arithmetic(&peaks(&rows), terminal));
    let found = best(&rows);
    if !found.is_empty() {
        lines.push(title(&job_heading(&lanes), terminal));
        let second = ratios.first().map(|(_, ratios)| ratios);
        lines.extend(found.iter().map(|best| job(best, second, terminal)));
    }
    let all: Vec<&Record> = records.iter().collect();
    let mut last = attention(&troubles(&all), terminal);
    if found.iter().any(|best| best.is_tied) {
        last.insert(0, paint(terminal, DIM, "~ another kernel is as fast, within the noise"));
    }
    let (path, notes) = after.split_last().map_or((None, after), |(path, notes)| (Some(path), notes));
    last.extend(notes.iter().map(|line| cut(line, COLUMNS)));
    let used = last.len() + path.map_or(0, |path| display_width(path).div_ceil(COLUMNS));
    // What does not fit is left out from the middle: heading, faults and the report's path stay.
    let room = LINES.saturating_sub(used);
    let each = room.saturating_sub(lines.len()) / ratios.len().max(1);
    lines.extend(ratios.iter().flat_map(|(other, ratios)| by_family(*other, ratios, each, terminal)));
    lines.truncate(room);
    lines.extend(last);
    lines.extend(path.cloned());
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// One line about a family's rows, from one API: its first finding, else the number of rows with a time.
#[must_use]
pub fn headline(family: &str, rows: &[&Record]) -> String {
    const NAME: usize = 17;
    let measured = rows.iter().filter(|row| row.median_ns.is_some()).count();
    // Sentences end with a full stop and a space; numbers have no space behind their point.
    let text = finding(family, rows).map_or_else(
        || format!("{measured} rows measured"),
        |finding| finding.text.split(". ").next().unwrap_or_default().trim_end_matches('.').to_owned(),
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
    let kind = if first.device_type == Some(DeviceType::Software) { "software device" } else { "" };
    let day = first.date.get(..10).unwrap_or(&first.date);
    let names = names.join(" + ");
    let device = if first.device.is_empty() { "unnamed device" } else { &first.device };
    let device = cut(device, COLUMNS / 2);
    // The driver's text is the longest, and its end says least.
    let others: usize = [&device, kind, &names, day].iter().map(|part| display_width(part) + 2).sum();
    let room = COLUMNS.saturating_sub(others + 2);
    let driver = if room < SHORTEST { String::new() } else { start(&first.driver, room) };
    let rest = [kind, &names, &driver, day];
    let rest = rest.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    format!("{}: {rest}", paint(terminal, BOLD, &device))
}

const MEMORY_HEADING: &str = "memory           read        copy     latency  size";

fn title(text: &str, terminal: Terminal) -> String {
    paint(terminal, DIM, text.trim_end())
}

fn space(space: &Space) -> String {
    let rate = |rate: Option<f64>| rate.map_or_else(String::new, format::byte_rate);
    let read = space.read.and_then(quoted_rate).unwrap_or_default();
    let latency = space.latency.and_then(|ns| quoted(ns, format::TIME_UNITS, 1.0)).unwrap_or_default();
    let size = space.size.map_or_else(String::new, |(least, most)| binary_range(least, most));
    let driver = space.driver_bytes.map_or_else(String::new, |bytes| match size.is_empty() {
        true => format!("{} by the driver", binary_size(bytes)),
        false => format!(" (driver: {})", binary_size(bytes)),
    });
    let banks = space.banks.map_or_else(String::new, |banks| format!("{banks} banks"));
    format!("  {:<10} {read:>11} {:>11} {latency:>11}  {size}{driver}{banks}", space.name, rate(space.copy))
}

/// Arithmetic by type, tensor cores and the launch, in as many lines as they need.
fn arithmetic(peaks: &[Peak], terminal: Terminal) -> Vec<String> {
    let flops = |peak: &Peak| Some(format!("{} {}", arithmetic_name(peak), operations(peak, peak.gflop_per_s?)));
    let mut parts: Vec<String> =
        peaks.iter().filter(|peak| matches!(peak.limit, Limit::Fma | Limit::Tensor)).filter_map(flops).collect();
    let launch = peaks.iter().find_map(|peak| peak.ns);
    parts.extend(launch.map(|ns| format!("launch {}", format::scaled(ns, format::TIME_UNITS, 3))));
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

fn job_heading(lanes: &[Lane]) -> String {
    let other = lanes.get(1).map_or_else(String::new, |lane| format!("÷ {}", lane.title()));
    format!("{:<13}{:<23}{:>12}  {:<12} {:>7} {other:>8}", "job", "fastest kernel", "rate", "of peak", "naive")
        .replace("  naive", "÷ naive")
}

fn job(best: &Best, ratios: Option<&Ratios>, terminal: Terminal) -> String {
    let row = best.row;
    let kernel = format!("{}{}", row.benchmark, if best.is_tied { " ~" } else { "" });
    let rate = table::rate(row);
    let share = row.share.map_or_else(
        || " ".repeat(12),
        |share| {
            let (bar, style) = table::share_bar(share);
            format!("{} {:>5}", paint(terminal, style, &bar), table::share_text(row))
        },
    );
    let times = |ratio: Option<Estimate>| ratio.and_then(quoted_ratio).unwrap_or_default();
    let other = ratios.and_then(|ratios| ratios.of(row));
    let line = format!(
        "  {:<11}{}{rate:>12}  {share} {:>7} {:>8}",
        best.job.name,
        padded(&cut(&kernel, 22), 23),
        times(best.over_naive),
        times(other)
    );
    line.trim_end().to_owned()
}

/// The time of the first lane ÷ that of the `other`, the geometric mean by family, the largest first. Families for which
/// `room` lines are too few are counted.
fn by_family(other: Lane, ratios: &Ratios, room: usize, terminal: Terminal) -> Vec<String> {
    let mut families = ratios.by_family();
    families.sort_by(|a, b| b.1.total_cmp(&a.1));
    let label = format!("÷ {}", other.title());
    let first = |count: usize| {
        let (shown, rest) = families.split_at(count);
        let mut parts: Vec<String> =
            shown.iter().map(|(family, ratio)| format!("{family} {}", format::ratio(*ratio))).collect();
        if let [(_, largest), .., (_, smallest)] = rest {
            parts.push(format!("{} more from {} to {}", rest.len(), format::ratio(*largest), format::ratio(*smallest)));
        }
        labelled(&label, &parts, terminal)
    };
    // One family is not counted, but named: it needs as much room.
    let counts = (0..=families.len()).rev().filter(|count| count + 1 != families.len());
    counts.map(first).find(|lines| lines.len() <= room).unwrap_or_default()
}

/// What needs a look: counted, and the first named.
fn attention(troubles: &Troubles, terminal: Terminal) -> Vec<String> {
    let red = colored(AnsiColor::Red);
    let kinds = [("wrong", &troubles.wrong), ("failed", &troubles.failed), ("implausible", &troubles.implausible)];
    let mut lines: Vec<String> = kinds
        .into_iter()
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(name, rows)| paint(terminal, red, &named(&format!("{} {name}", rows.len()), rows)))
        .collect();
    if !troubles.unsteady.is_empty() {
        let limit = format::percent(UNSTEADY).replace(".0", "");
        let count = format!("{} unsteady (±{limit} or more)", troubles.unsteady.len());
        lines.push(named(&count, &troubles.unsteady));
    }
    lines
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
    use crate::report::csv;
    use crate::results::Status;

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
        for needed in ["wrong: ", "failed: ", "implausible: ", "unsteady", "next: ", "/r.csv"] {
            assert!(text.contains(needed), "{needed}\n{text}");
        }
    }

    /// With every family.
    fn all_families() -> Vec<Record> {
        records(include_bytes!("../../../results/nvidia-h100-80gb-hbm3/2026-11-25-vulkan+cuda.csv"))
    }

    #[test]
    fn families_that_do_not_fit_are_counted_the_most_costly_ones_named() {
        let records = all_families();
        let lanes = lanes(&records);
        let ratios = Ratios::new(&records, [lanes[0], lanes[1]]);
        let mut sorted = ratios.by_family();
        sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
        for room in 0..12 {
            let lines = by_family(lanes[1], &ratios, room, PLAIN);
            assert!(lines.len() <= room, "{room}: {lines:?}");
            let text = lines.join(", ").replace(['\n', '÷'], "");
            let text = text.split_once("CUDA").map_or("", |(_, families)| families.trim());
            let parts: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
            let (counted, named): (Vec<&str>, Vec<&str>) = parts.into_iter().partition(|part| part.contains(" more "));
            let number = |part: &&str| part.split(' ').next().and_then(|number| number.parse().ok());
            let count: usize = counted.first().map_or(0, |part| number(part).expect("a number"));
            assert!(count != 1 && (room == 0 || named.len() + count == sorted.len()), "{room}: {lines:?}");
            for (part, (family, _)) in named.iter().zip(&sorted) {
                assert!(part.starts_with(&format!("{family} ")), "{room}: {part}, not {family}");
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
        assert_eq!(found.len(), crate::results::summary::JOBS.len());
        for best in found {
            let line = text.lines().find(|line| line.contains(&format!("  {} ", best.job.name))).expect(best.job.name);
            assert!(line.contains(&table::rate(best.row)) && line.contains(&best.row.benchmark), "{line}");
            assert!(line.contains(&table::share_text(best.row)), "{line}");
        }
    }

    #[test]
    fn ratios_to_the_other_api_are_those_of_a_comparison_of_all_rows() {
        use crate::results::compare::ratios_in_turns;
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
            let ratio = quoted_ratio(Estimate { value: ratio.value, low, high }).expect("quiet");
            let line = text.lines().find(|line| line.contains(&format!("  {} ", best.job.name))).expect(best.job.name);
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
