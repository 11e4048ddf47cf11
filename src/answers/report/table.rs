//! Tables of the records of one API.

use std::collections::{BTreeMap, HashMap};

use super::Section;
use super::layout::Terminal;
use super::layout::{BAR, Cell, Column, Grid, Mark, Part, Remark, Row, Severity, colored, padded};
use anstyle::AnsiColor;
use kernels::{load_ns, traffic as traffic_of};
use record::suite::{CHECK_PARAMS, COLD, Checks, Extent, Traffic, params_text};
use record::{Cause, Record, Status, format};

/// Minimum terminal width for the wide table, which adds interval, sample counts, end-to-end time, ceiling and note.
pub const WIDE: usize = 180;

/// Minimum terminal width for the bytes that explain the degree of coalescing.
const BYTES: usize = 100;

/// Maximum width of names in the wide table.
pub const WIDE_NAME: usize = 32;

/// The section's name and summary.
pub fn headline(section: &Section) -> Part {
    Part::Heading { name: section.title.to_owned(), rest: section.summary.to_owned() }
}

/// The table of rows from one API and compiler; `None` if no row has a time.
pub fn rows(is_by_kernel: bool, rows: &[&Record], terminal: Terminal) -> Option<Part> {
    let measured: Vec<_> = rows.iter().copied().filter(|row| row.median_ns.is_some()).collect();
    if measured.is_empty() {
        return None;
    }
    let is_wide = terminal.width >= WIDE;
    let has_model = measured.iter().any(|row| row.model.is_some())
        && (terminal.width >= BYTES || measured.iter().all(|row| row.energy_j.is_none()));
    let has_share = is_wide || measured.iter().any(|row| row.share.is_some());
    let mut headings = vec!["median", "±", "rate"];
    headings.extend(has_share.then_some("of ceiling"));
    headings.push("speed");
    headings.extend(has_model.then_some("model"));
    let has_bytes = terminal.width >= BYTES;
    let has_energy = measured.iter().any(|row| row.energy_j.is_some());
    if has_energy {
        headings.extend(["energy", "per watt"]);
    }
    // A narrow table has room for only one prediction.
    if (has_bytes || !(has_model || has_energy)) && measured.iter().any(|row| traffic_of(row).is_some()) {
        headings.extend(has_bytes.then_some(["asked", "moved"]).into_iter().flatten());
        headings.push("degree");
    }
    let figures = headings.len();
    if is_wide {
        headings.extend(["95 % interval", "fastest", "samples", "end to end", "ceiling"]);
    }
    // Bars are left-aligned.
    let column = |(index, heading): (usize, &&str)| Column {
        heading: (*heading).to_owned(),
        is_right: index < figures && *heading != "of ceiling",
    };
    let firsts = Firsts::new(is_by_kernel, measured.iter().copied());
    let row = |row: &&Record| Row {
        group: title(is_by_kernel, row),
        mark: match row.status {
            Status::Implausible => Mark::Fault,
            _ if !row.reason.is_empty() => Mark::Note,
            _ => Mark::None,
        },
        name: name(is_by_kernel, row),
        cells: cells(&firsts, row, &headings, is_wide),
    };
    Some(Part::Table(Grid {
        columns: headings.iter().enumerate().map(column).collect(),
        widest_name: is_wide.then_some(WIDE_NAME),
        note: is_wide.then_some("note"),
        has_marks: true,
        rows: measured.iter().map(row).collect(),
    }))
}

/// Title of the row's group.
pub fn title(is_by_kernel: bool, row: &Record) -> String {
    if is_by_kernel { row.benchmark.clone() } else { kind(row) }
}

/// Name of the row within its group.
pub fn name(is_by_kernel: bool, row: &Record) -> String {
    let name = if is_by_kernel { kind(row) } else { row.benchmark.clone() };
    let hot = if row.cache == "hot" { " hot" } else { "" };
    format!("{name} {}{hot}", variant(row)).trim_end().replace("  ", " ")
}

/// Name of the row within its family.
pub fn label(row: &Record) -> String {
    [row.benchmark.as_str(), &kind(row), &variant(row)].join(" ").trim_end().to_owned()
}

fn cells(firsts: &Firsts, row: &Record, headings: &[&str], is_wide: bool) -> Vec<Cell> {
    let mut cells: Vec<Cell> = vec![time(row.median_ns).into(), noise(row).into(), rate(row).into()];
    cells.extend(headings.contains(&"of ceiling").then(|| share(row)));
    cells.push(firsts.speed(row).into());
    if headings.contains(&"model") {
        cells.push(model(row).into());
    }
    if headings.contains(&"energy") {
        cells.push(row.energy_j.map_or_else(String::new, format::energy).into());
        cells.push(per_watt(row).into());
    }
    if headings.contains(&"degree") {
        let traffic = traffic_of(row);
        let text = |figure: fn(Traffic) -> String| Cell::from(traffic.map_or_else(String::new, figure));
        if headings.contains(&"asked") {
            cells.push(text(|traffic| format!("{:.0} B", traffic.asked)));
            cells.push(text(|traffic| format!("{:.0} B", traffic.moved)));
        }
        cells.push(text(|traffic| format!("{} %", (1000.0 * traffic.degree()).round() / 10.0)));
    }
    if is_wide {
        let interval = row.ci_low_ns.zip(row.ci_high_ns);
        let more = [
            interval.map_or_else(String::new, |(low, high)| format!("{} – {}", format::time(low), format::time(high))),
            time(row.min_ns),
            row.samples.zip(row.launches).map_or_else(String::new, |(s, l)| format!("{s} × {l}")),
            time(row.end_to_end_ns),
            ceiling(row),
            row.reason.clone(),
        ];
        cells.extend(more.map(Cell::from));
    }
    cells
}

/// The first measured row of each group and size, the base of the others' speeds. Searching per row would be quadratic.
pub struct Firsts<'a> {
    is_by_kernel: bool,
    rows: HashMap<(&'a str, Option<Extent>), &'a Record>,
}

impl<'a> Firsts<'a> {
    /// The first rows among `rows`, which one API measured.
    pub fn new(is_by_kernel: bool, rows: impl Iterator<Item = &'a Record>) -> Self {
        let mut firsts = HashMap::new();
        for row in rows.filter(|row| row.median_ns.is_some()) {
            firsts.entry(place(is_by_kernel, row)).or_insert(row);
        }
        Self { is_by_kernel, rows: firsts }
    }

    /// Speed of a row relative to the first one of its group and size.
    pub fn speed(&self, row: &Record) -> String {
        speed(self.rows.get(&place(self.is_by_kernel, row)).copied(), row)
    }
}

/// The speed that the family's model predicts, relative to the same row as the measured speed.
pub fn model(row: &Record) -> String {
    row.model.map_or_else(String::new, format::ratio)
}

/// Energy efficiency. Operations per joule equal operations per second and watt.
fn per_watt(row: &Record) -> String {
    match (row.gb_per_j.filter(|_| load_ns(row).is_none()), row.gflop_per_j) {
        (Some(bytes), _) => format!("{} GB/J", format::significant(bytes, 3)),
        (None, Some(flops)) => {
            format!("{} {}", format::significant(flops, 3), format::operation_units(row.is_float()).1)
        }
        (None, None) => String::new(),
    }
}

/// Half width of the row's interval, in percent of the median.
pub fn noise(row: &Record) -> String {
    row.noise().map_or_else(String::new, format::noise)
}

/// Group and size; speeds are relative to the first row with the same ones.
fn place(is_by_kernel: bool, row: &Record) -> (&str, Option<Extent>) {
    (if is_by_kernel { &row.benchmark } else { row.dtype_name() }, row.n)
}

/// Speed relative to `first`, the first row of its group and size: times of different kernels, but rates of the same
/// kernel, because a parameter may change the work per launch.
fn speed(first: Option<&Record>, row: &Record) -> String {
    let speed = first.and_then(|first| {
        let times = Some(first.median_ns? / row.median_ns?);
        if first.benchmark != row.benchmark {
            return times;
        }
        let rates = item_rate(row).zip(item_rate(first));
        let rates = rates.or(row.gb_per_s.zip(first.gb_per_s)).or(row.gflop_per_s.zip(first.gflop_per_s));
        rates.map(|(rate, first)| rate / first).or(times)
    });
    speed.map_or_else(String::new, format::ratio)
}

/// The figures of a row as texts, for output outside a terminal.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Texts {
    /// Median time.
    pub median: String,
    /// Half width of the interval, in percent of the median.
    pub noise: String,
    /// Bytes or operations per second, or the time per load.
    pub rate: String,
    /// Percent of the row's ceiling.
    pub share: String,
}

impl From<&Record> for Texts {
    fn from(row: &Record) -> Self {
        Self { median: time(row.median_ns), noise: noise(row), rate: rate(row), share: share_text(row) }
    }
}

/// Parameters of the row, `cold` for cold caches, and the names of its run-time checks if a parameter sets any.
fn variant(row: &Record) -> String {
    let (checks, others): (BTreeMap<_, _>, BTreeMap<_, _>) =
        row.params.clone().into_iter().partition(|(name, _)| CHECK_PARAMS.contains(&name.as_str()));
    let checks = row.checks.filter(|_| !checks.is_empty()).map_or_else(String::new, Checks::name);
    let (cold, others): (BTreeMap<_, _>, BTreeMap<_, _>) = others.into_iter().partition(|(name, _)| name == COLD);
    let cold = if cold.is_empty() { "" } else { "cold" };
    format::joined([params_text(&others), cold.to_owned(), checks], " ")
}

/// Type and size: `f32 2^20`.
fn kind(row: &Record) -> String {
    format!("{} {}", row.dtype_name(), row.short_size())
}

/// A larger change of the canary's time is noted.
const DRIFT: f64 = 0.05;

/// Whether the only note on the row is that the device's speed changed: on a busy machine most rows have it.
fn has_changed_speed(row: &Record) -> bool {
    row.status == Status::Ok && row.cause == Some(Cause::Unsteady) && row.drift.is_some_and(|drift| drift.abs() > DRIFT)
}

/// One remark for all rows during which the device's speed changed; none for the wide table, which has notes per row.
pub fn changed_speed<'a>(rows: impl Iterator<Item = &'a Record>, terminal: Terminal) -> Option<Remark> {
    let drifts: Vec<f64> = rows.filter(|row| has_changed_speed(row)).filter_map(|row| row.drift).collect();
    let most = drifts.iter().map(|drift| drift.abs()).reduce(f64::max).filter(|_| terminal.width < WIDE)?;
    let text = format!(
        "note: the device's speed changed by up to {} while {} (marked ~) ran: check for other programs and clock \
         changes",
        format::percent(most),
        format::plural(drifts.len(), "row", "rows")
    );
    Some(Remark { severity: Severity::Note, prefix: String::new(), text })
}

/// Remarks on rows without a time and, in the narrow table, on rows with notes other than that of [`changed_speed`].
/// (The wide table has a column for notes.) Rows with the same status and reason share a remark.
pub fn remarks(rows: &[&Record], terminal: Terminal) -> Vec<Remark> {
    let mut indices: HashMap<(&str, &str), usize> = HashMap::new();
    let mut groups: Vec<((Status, &str), Vec<String>)> = Vec::new();
    let has_note = |row: &Record| terminal.width < WIDE && !row.reason.is_empty() && !has_changed_speed(row);
    let has_remark = |row: &&&Record| row.median_ns.is_none() || has_note(row);
    for row in rows.iter().filter(has_remark) {
        let index = *indices.entry((row.status.name(), &row.reason)).or_insert(groups.len());
        if index == groups.len() {
            groups.push(((row.status, &row.reason), Vec::new()));
        }
        groups[index].1.push(label(row));
    }
    let remark = |((status, reason), labels): ((Status, &str), Vec<String>)| {
        let (severity, what) = match status {
            Status::Ok => (Severity::Note, "note"),
            Status::Unverified => (Severity::Note, status.name()),
            Status::Skipped => (Severity::Skipped, status.name()),
            Status::Wrong | Status::Failed | Status::Implausible => (Severity::Fault, status.name()),
        };
        Remark { severity, prefix: String::new(), text: format!("{what}: {} ({reason})", labels.join(", ")) }
    };
    groups.into_iter().map(remark).chain(local_memory(rows)).collect()
}

/// The kernels with local memory, sorted by its size.
fn local_memory(rows: &[&Record]) -> Option<Remark> {
    let mut kernels: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for row in rows {
        let known = kernels.entry(row.local_bytes.unwrap_or(0)).or_default();
        if !known.contains(&row.benchmark.as_str()) {
            known.push(&row.benchmark);
        }
    }
    kernels.remove(&0);
    let each = kernels.iter().map(|(bytes, names)| format!("{} ({bytes} B per invocation)", names.join(", ")));
    let text =
        format!("note: registers spill, or arrays do not fit in registers: {}", each.collect::<Vec<_>>().join(", "));
    (!kernels.is_empty()).then(|| Remark { severity: Severity::Note, prefix: String::new(), text })
}

/// Formats a time in nanoseconds with [`format::time`]; empty for `None`.
#[must_use]
pub fn time(ns: Option<f64>) -> String {
    ns.map_or_else(String::new, format::time)
}

/// The rate of a row: bytes per second if available, else operations per second; for dependent loads, the latency.
/// Kernels outside the suite show every rate that their declaration defines.
pub fn rate(row: &Record) -> String {
    if let Some(ns) = load_ns(row) {
        return format::load_latency(ns);
    }
    if !row.declaration.is_empty() {
        let items = item_rate(row).map(|rate| format::item_rate(rate, &row.unit));
        let bytes = row.gb_per_s.map(format::byte_rate);
        let operations = row.gflop_per_s.map(|rate| format::operation_rate(rate, row.is_float()));
        return [items, bytes, operations].into_iter().flatten().collect::<Vec<_>>().join(", ");
    }
    match (row.gb_per_s, row.gflop_per_s) {
        (Some(gb), _) => format::byte_rate(gb),
        (None, Some(gflop)) => format::operation_rate(gflop, row.is_float()),
        (None, None) => String::new(),
    }
}

/// Items per second, as the kernel's declaration counts items.
fn item_rate(row: &Record) -> Option<f64> {
    Some(row.items? as f64 / row.median_ns? * 1e9)
}

/// The share of the ceiling, with a bar of six cells.
pub fn share(row: &Record) -> Cell {
    let Some(share) = row.share else { return String::new().into() };
    let (bar, style) = share_bar(share, 6);
    Cell { text: share_text(row), style, bar: Some(bar) }
}

/// A bar of `cells` cells for a share, full at 100 %, and its colour.
pub fn share_bar(share: f64, cells: usize) -> (String, anstyle::Style) {
    let eighths = (share.clamp(0.0, 1.0) * cells as f64 * 8.0).round() as usize;
    let mut bar: String = vec![BAR[7]; eighths / 8].into_iter().collect();
    bar.extend(BAR[..7].get((eighths % 8).wrapping_sub(1)));
    let color = match share {
        s if s > 1.05 => AnsiColor::Magenta,
        s if s >= 0.8 => AnsiColor::Green,
        s if s >= 0.4 => AnsiColor::Yellow,
        _ => AnsiColor::Red,
    };
    (format!("{bar:<cells$}"), colored(color))
}

/// The share of the ceiling in percent; empty if there is none.
#[must_use]
pub fn share_text(row: &Record) -> String {
    row.share.map_or_else(String::new, format::percent)
}

/// The ceiling, and the noise of the share if above 2 %: `copy 1 GiB, ±6 %`.
fn ceiling(row: &Record) -> String {
    let interval = row.share_low.zip(row.share_high);
    let noise = interval.map_or_else(String::new, |(low, high)| format::plus_minus((high - low) / 2.0));
    let comma = if noise.is_empty() { "" } else { "," };
    row.ceiling.map_or_else(String::new, |bound| format!("{bound}{comma}{noise}"))
}

/// Formats a row as one line.
#[must_use]
pub fn line(record: &Record) -> String {
    let label = padded(&format!("{}/{}", record.family, label(record)), 50);
    if record.median_ns.is_none() {
        return format!("{label} {}: {}", record.status.name(), record.reason);
    }
    let noise = record.noise().map_or_else(String::new, |noise| format!("±{}", format::noise(noise)));
    let status = if record.status == Status::Ok { "" } else { record.status.name() };
    let text = format!("{label} {:>9} {noise:<7} {:>12} {status}", time(record.median_ns), rate(record));
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NARROW: Terminal = Terminal { width: 80, has_color: false };

    #[test]
    fn a_change_of_speed_is_said_once() {
        let row = |benchmark: &str, drift: f64, reason: &str| Record {
            benchmark: benchmark.to_owned(),
            median_ns: Some(1.0),
            drift: Some(drift),
            cause: Some(Cause::Unsteady),
            reason: reason.to_owned(),
            ..Record::default()
        };
        let rows =
            [row("a", 0.2, "moved by 20 %"), row("b", -0.7, "moved by -70 %"), row("c", 0.01, "the card was too warm")];
        let all: Vec<&Record> = rows.iter().collect();
        let remark = changed_speed(all.iter().copied(), NARROW).expect("a remark").text;
        assert!(remark.contains("by up to 70 % while 2 rows (marked ~) ran"), "{remark}");
        let [of_row] = &remarks(&all, NARROW)[..] else { panic!("heat alone") };
        assert!(of_row.text.ends_with("(the card was too warm)"), "{}", of_row.text);
        assert!(changed_speed(all[2..].iter().copied(), NARROW).is_none());
        // The wide table has a column for it.
        assert!(changed_speed(all.iter().copied(), Terminal { width: WIDE, has_color: false }).is_none());
    }
}
