//! Records of one API as a table.

use std::collections::BTreeMap;

use super::Section;
pub use super::layout::Look;
use super::layout::{BAR, Grid, Part, paint};
use crate::results::{Record, Status};
use crate::suite::{CHECK_PARAMS, Checks, Extent, params_text};

/// From this width on the table has room for the interval, the sample counts, the end-to-end time, the ceiling's name and a note.
pub(super) const WIDE: usize = 180;

/// What the columns beside the name need with their gaps: in the narrow table, and in the wide one without the note.
const BESIDE_NAME: usize = 54;
const BESIDE_NAME_WIDE: usize = 128;
/// What the model's column adds to either, and what is gained where no row has a ceiling.
const MODEL: usize = 8;
const SHARE: usize = 13;

/// A section whose rows come from one API: its rows, what is to be said about them, and its finding.
pub(super) fn section(section: &Section, look: Look) -> Vec<Part> {
    let mut parts = vec![headline(section, "")];
    let measured: Vec<_> = section.rows.iter().copied().filter(|row| row.median_ns.is_some()).collect();
    if !measured.is_empty() {
        parts.push(Part::Table(rows_table(section, &measured, look)));
    }
    parts.extend(remarks(&section.rows, look).into_iter().map(Part::remark));
    parts.extend(section.findings.iter().map(|(_, finding)| Part::text(finding)));
    parts
}

/// The section's name, what it is about, and what else is to be known.
pub(super) fn headline(section: &Section, more: &str) -> Part {
    Part::Heading { name: section.family.to_owned(), rest: format!("{}{more}", section.summary) }
}

fn rows_table(section: &Section, measured: &[&Record], look: Look) -> Grid {
    let is_wide = look.width >= WIDE;
    let has_model = measured.iter().any(|row| row.model.is_some());
    let has_share = is_wide || measured.iter().any(|row| row.share.is_some());
    let mut heading = vec!["", "median", "±", "rate"];
    heading.extend(has_share.then_some("of ceiling"));
    heading.push("speed");
    heading.extend(has_model.then_some("model"));
    let figures = heading.len();
    if is_wide {
        heading.extend(["95 % interval", "fastest", "samples", "end to end", "held against", "note"]);
    }
    let row = |row: &&Record| (title(section.is_by_kernel, row), cells(section, measured, row, &heading, look));
    let model = if has_model { MODEL } else { 0 };
    let beside = BESIDE_NAME + model - if has_share { 0 } else { SHARE };
    let name = if is_wide { 32 } else { look.width.saturating_sub(beside) };
    Grid {
        // The share starts with a bar, and bars start at one line.
        right: (1..figures).filter(|column| heading[*column] != "of ceiling").collect(),
        name,
        note: is_wide.then(|| look.width - BESIDE_NAME_WIDE - model - name),
        rows: measured.iter().map(row).collect(),
        heading: heading.into_iter().map(str::to_owned).collect(),
    }
}

/// The title of the group that a row stands in.
pub(super) fn title(is_by_kernel: bool, row: &Record) -> String {
    if is_by_kernel { row.benchmark.clone() } else { kind(row) }
}

/// What a row is called within its group.
pub(super) fn name(is_by_kernel: bool, row: &Record) -> String {
    let name = if is_by_kernel { kind(row) } else { row.benchmark.clone() };
    format!("{name} {}", variant(row)).trim_end().to_owned()
}

/// What a row is called within its family.
pub(super) fn label(row: &Record) -> String {
    [row.benchmark.as_str(), &kind(row), &variant(row)].join(" ").trim_end().to_owned()
}

/// The cells of a row under `heading`.
fn cells(section: &Section, measured: &[&Record], row: &Record, heading: &[&str], look: Look) -> Vec<String> {
    let mark = match row.status {
        Status::Implausible => "! ",
        _ if !row.reason.is_empty() => "~ ",
        _ => "  ",
    };
    let mut cells = vec![
        format!("{mark}{}", name(section.is_by_kernel, row)),
        time(row.median_ns),
        row.noise().map_or_else(String::new, percent),
        rate(row),
    ];
    cells.extend(heading.contains(&"of ceiling").then(|| share(row, look)));
    cells.push(speed(section.is_by_kernel, measured, row));
    if heading.contains(&"model") {
        cells.push(row.model.map_or_else(String::new, |model| format!("{}×", digits(model, 3))));
    }
    if cells.len() < heading.len() {
        let interval = row.ci_low_ns.zip(row.ci_high_ns);
        cells.extend([
            interval.map_or_else(String::new, |(low, high)| format!("{} – {}", time(Some(low)), time(Some(high)))),
            time(row.min_ns),
            row.samples.zip(row.launches).map_or_else(String::new, |(s, l)| format!("{s} × {l}")),
            time(row.end_to_end_ns),
            row.ceiling.map_or_else(String::new, |bound| bound.to_string()),
            row.reason.clone(),
        ]);
    }
    cells
}

/// How many times as fast as the first of its type and size the row is: a launch of another kernel by its time, one of the same kernel by what
/// it gets done in that time, since there a parameter may be how much that is.
fn speed(is_by_kernel: bool, rows: &[&Record], row: &Record) -> String {
    let first = rows.iter().filter(|other| other.median_ns.is_some()).find(|other| {
        let is_group = if is_by_kernel { other.benchmark == row.benchmark } else { other.dtype == row.dtype };
        is_group && other.n == row.n
    });
    let speed = first.and_then(|first| {
        let times = Some(first.median_ns? / row.median_ns?);
        if first.benchmark != row.benchmark {
            return times;
        }
        let rates = row.gb_per_s.zip(first.gb_per_s).or(row.gflop_per_s.zip(first.gflop_per_s));
        rates.map(|(own, first)| own / first).or(times)
    });
    speed.map_or_else(String::new, |speed| format!("{}×", digits(speed, 3)))
}

/// What a table says of a row, for who draws it elsewhere than on a terminal.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Texts {
    /// The title of the group that it stands in.
    pub group: String,
    /// What it is called there.
    pub name: String,
    /// Median time.
    pub median: String,
    /// Half the width of its interval.
    pub noise: String,
    /// Bytes or operations a second, or the time of a load.
    pub rate: String,
    /// How many times as fast as the first of its group it is.
    pub speed: String,
}

/// The texts of `row`, one of the `rows` of its family.
#[must_use]
pub fn texts(is_by_kernel: bool, rows: &[&Record], row: &Record) -> Texts {
    Texts {
        group: title(is_by_kernel, row),
        name: name(is_by_kernel, row),
        median: time(row.median_ns),
        noise: row.noise().map_or_else(String::new, percent),
        rate: rate(row),
        speed: speed(is_by_kernel, rows, row),
    }
}

/// What sets the row apart from others of its kernel, type and size: its parameters, and the checks that it ran with by their names.
fn variant(row: &Record) -> String {
    let (checks, own): (BTreeMap<_, _>, BTreeMap<_, _>) =
        row.params.clone().into_iter().partition(|(name, _)| CHECK_PARAMS.contains(&name.as_str()));
    let checks = row.checks.filter(|_| !checks.is_empty()).map_or_else(String::new, Checks::name);
    format!("{} {checks}", params_text(&own)).trim().to_owned()
}

/// Type and size, as one writes them: `f32 2^20`.
fn kind(row: &Record) -> String {
    format!("{} {}", row.dtype_name(), nice_size(row.n))
}

fn nice_size(n: Option<Extent>) -> String {
    match n {
        Some(Extent::Linear(n)) if n >= 1024 && n.is_power_of_two() => format!("2^{}", n.trailing_zeros()),
        Some(extent) => extent.to_string(),
        None => String::new(),
    }
}

/// Rows without figures, and in the narrow table those that have a note, which the wide one shows in a column. Rows of the same
/// reason share a line.
pub(super) fn remarks(rows: &[&Record], look: Look) -> Vec<String> {
    let mut groups: Vec<((Status, &str), Vec<String>)> = Vec::new();
    let has_remark = |row: &&&Record| row.median_ns.is_none() || (look.width < WIDE && !row.reason.is_empty());
    for row in rows.iter().filter(has_remark) {
        let key = (row.status, row.reason.as_str());
        let label = label(row);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, labels)) => labels.push(label),
            None => groups.push((key, vec![label])),
        }
    }
    let line = |((status, reason), labels): ((Status, &str), Vec<String>)| {
        let what = if status == Status::Ok { "~ note" } else { status.name() };
        format!("{what}: {} ({reason})", labels.join(", "))
    };
    groups.into_iter().map(line).collect()
}

/// Nanoseconds in the unit that fits, to four digits: `251.2 µs`.
#[must_use]
pub fn time(ns: Option<f64>) -> String {
    ns.map_or_else(String::new, |ns| scaled(ns, &["ns", "µs", "ms", "s"], 4))
}

/// The row's rate: operations where it counts them and no bytes, else bytes; of loads that wait for each other the time of one.
pub(super) fn rate(row: &Record) -> String {
    if let Some(ns) = row.load_ns() {
        return scaled(ns, &["ns/load", "µs/load"], 3);
    }
    match (row.gb_per_s, row.gflop_per_s) {
        (Some(gb), _) => scaled(gb, &["GB/s", "TB/s"], 4),
        (None, Some(gflop)) => scaled(gflop, &["GFLOP/s", "TFLOP/s"], 3),
        (None, None) => String::new(),
    }
}

fn scaled(mut value: f64, units: &[&str], precision: usize) -> String {
    let mut units = units.iter().peekable();
    let mut unit = units.next().copied().unwrap_or_default();
    while value >= 999.95
        && let Some(next) = units.next()
    {
        value /= 1000.0;
        unit = next;
    }
    format!("{} {unit}", digits(value, precision))
}

/// `value` to so many significant digits, without an exponent.
pub(super) fn digits(value: f64, precision: usize) -> String {
    let whole = if value >= 1.0 { value.log10().floor() as usize + 1 } else { 1 };
    format!("{value:.*}", precision.saturating_sub(whole))
}

pub(super) fn percent(fraction: f64) -> String {
    let percent = fraction * 100.0;
    if percent < 0.1 {
        "<0.1%".to_owned()
    } else if percent < 9.95 {
        format!("{percent:.1}%")
    } else {
        format!("{percent:.0}%")
    }
}

/// A bar of six cells, full at the ceiling, and the number.
pub(super) fn share(row: &Record, look: Look) -> String {
    let Some(share) = row.share else { return String::new() };
    const CELLS: f64 = 6.0;
    let eighths = (share.clamp(0.0, 1.0) * CELLS * 8.0).round() as usize;
    let mut bar: String = vec![BAR[7]; eighths / 8].into_iter().collect();
    bar.extend(BAR[..7].get((eighths % 8).wrapping_sub(1)));
    let bar = format!("{bar:<6}");
    let color = match share {
        s if s > 1.05 => "35",
        s if s >= 0.8 => "32",
        s if s >= 0.4 => "33",
        _ => "31",
    };
    let percent = if share < 0.0995 { format!("{:.1}%", share * 100.0) } else { format!("{:.0}%", share * 100.0) };
    format!("{}{percent:>5}", paint(look, color, &bar))
}

/// One row on one line, as it lands.
#[must_use]
pub fn line(record: &Record) -> String {
    let label = format!("{}/{}", record.family, label(record));
    if record.median_ns.is_none() {
        return format!("{label:<50} {}: {}", record.status.name(), record.reason);
    }
    let noise = record.noise().map_or_else(String::new, |noise| format!("±{}", percent(noise)));
    let status = if record.status == Status::Ok { "" } else { record.status.name() };
    let text = format!("{label:<50} {:>9} {noise:<6} {:>12} {status}", time(record.median_ns), rate(record));
    text.trim_end().to_owned()
}
