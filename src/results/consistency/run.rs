//! What is the same in all rows of a run, and its texts.

use std::collections::{BTreeMap, BTreeSet};

use super::fault::{Checks, Faults, label};
use crate::backend::{Api, DeviceType};
use crate::error::is_hidden;
use crate::results::findings::is_software;
use crate::results::normal::{Figure, Reference, Unit};
use crate::results::{COLUMNS, Kind, Record};

/// The first day of the suite: no report is older.
const FIRST_DAY: &str = "2026-11-01";

/// Clocks of hosts may be wrong by a time zone.
const LATEST_HOURS: i64 = 26;

/// Longest text of a column, and of a reason, which may quote a compiler.
const LONGEST: usize = 200;
const LONGEST_REASON: usize = 2000;

/// Drivers and devices by the words in their names. A device of one vendor has no driver of another.
const VENDORS: [(&str, &[&str]); 6] = [
    ("NVIDIA", &["nvidia", "geforce", "quadro", "cuda", "nvrtc"]),
    ("AMD", &["amd", "radeon", "radv", "amdvlk"]),
    ("Intel", &["intel"]),
    ("Apple", &["apple"]),
    ("Qualcomm", &["qualcomm", "adreno"]),
    ("Arm", &["mali", "immortalis"]),
];

/// Words in the names of software devices.
const SOFTWARE: [&str; 5] = ["llvmpipe", "swiftshader", "lavapipe", "softpipe", "microsoft basic render"];

/// Memory and arithmetic of cards of one model differ by less than this.
const ABOVE_MODEL: f64 = 1.25;

pub(super) fn check(records: &[Record], checks: &Checks, faults: &mut Faults) {
    let Some(first) = records.first() else { return };
    same(records, faults);
    repeated(records, faults);
    date(first, checks.now, faults);
    version(first, faults);
    apis(records, faults);
    for row in first_of_each_api(records) {
        vendor(row, faults);
    }
    texts(records, faults);
    above_model(records, checks.references, faults);
}

fn first_of_each_api(records: &[Record]) -> Vec<&Record> {
    let mut found: Vec<&Record> = Vec::new();
    for row in records {
        if !found.iter().any(|known| known.backend == row.backend) {
            found.push(row);
        }
    }
    found
}

/// Columns that have one value in a run, and those that have one for each API.
const OF_A_RUN: [&str; 9] = ["schema", "tool_version", "date", "os", "cpu", "seed", "apis", "profile", "device_type"];
const OF_AN_API: [&str; 7] = ["device", "vendor", "driver", "card", "l2_bytes", "subgroup_size", "host"];

fn same(records: &[Record], faults: &mut Faults) {
    let several = |rows: &[&Record], name: &str| {
        let values: BTreeSet<String> = rows.iter().map(|row| row.cell(name)).collect();
        (values.len() > 1).then(|| values.into_iter().take(2).collect::<Vec<_>>().join("' and '"))
    };
    let all: Vec<&Record> = records.iter().collect();
    for name in OF_A_RUN {
        if let Some(values) = several(&all, name) {
            faults.add("one run", format!("{name} differs within the report: '{values}'; share one run of one card"));
        }
    }
    for first in first_of_each_api(records) {
        let rows: Vec<&Record> = all.iter().copied().filter(|row| row.backend == first.backend).collect();
        for name in OF_AN_API {
            if let Some(values) = several(&rows, name) {
                let api = first.backend.map_or("rows without an API", Api::title);
                faults.add("one run", format!("{name} differs within {api}: '{values}'; share one run of one card"));
            }
        }
    }
}

fn repeated(records: &[Record], faults: &mut Faults) {
    let mut known = BTreeSet::new();
    for row in records.iter().filter(|row| !known.insert(row.identity())) {
        faults.of_row("repeated rows", row, "the case has two rows");
    }
    // Two cases with the same times, to the last digit of each epoch, are one measurement.
    let mut times: BTreeMap<String, &Record> = BTreeMap::new();
    for row in
        records.iter().filter(|row| row.epochs_ns.len() > 1 && row.epochs_ns.iter().any(|ns| *ns != row.epochs_ns[0]))
    {
        // A coarse clock gives equal times to short kernels.
        let step = row.tick_ns.zip(row.launches).map_or(0.0, |(tick, launches)| tick / launches.max(1) as f64);
        if row.stddev_ns.is_none_or(|stddev| stddev < 2.0 * step) {
            continue;
        }
        let text = format!("{:?} {:?}", row.epochs_ns, row.stddev_ns);
        if let Some(other) = times.insert(text, row) {
            let sentence = format!("the epochs are those of {}, to the last digit", label(other));
            faults.of_row("copied rows", row, &sentence);
        }
    }
}

fn date(first: &Record, now: &str, faults: &mut Faults) {
    let Some(seconds) = seconds(&first.date) else {
        return faults.add("date", format!("the date '{}' is not of the form 2026-11-23T12:01:22Z", first.date));
    };
    if first.date.as_str() < FIRST_DAY {
        faults.add("date", format!("the date {} is before the suite's first day, {FIRST_DAY}", first.date));
    }
    if self::seconds(now).is_some_and(|now| seconds > now + LATEST_HOURS * 3600) {
        faults.add("date", format!("the date {} is in the future", first.date));
    }
}

/// Seconds since 1970 of `2026-11-23T12:01:22Z`; `None` for another form or an impossible date.
fn seconds(date: &str) -> Option<i64> {
    let form = "dddd-dd-ddTdd:dd:ddZ";
    let fits = |(have, want): (u8, u8)| if want == b'd' { have.is_ascii_digit() } else { have == want };
    if date.len() != form.len() || !date.bytes().zip(form.bytes()).all(fits) {
        return None;
    }
    let number = |range: std::ops::Range<usize>| date.get(range)?.parse::<i64>().ok();
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(is_leap),
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=days).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Days from civil (Hinnant, *chrono-compatible low-level date algorithms*).
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let days = 365 * year + year / 4 - year / 100 + year / 400 + day_of_year - 719_468;
    Some(86_400 * days + 3600 * hour + 60 * minute + second)
}

fn version(first: &Record, faults: &mut Faults) {
    let parts = |text: &str| -> Option<Vec<u64>> { text.split('.').map(|part| part.parse().ok()).collect() };
    match parts(&first.tool_version).filter(|parts| parts.len() == 3).zip(parts(crate::VERSION)) {
        None => faults.add("version", format!("'{}' is no version of shaderbench", first.tool_version)),
        Some((own, known)) if own > known => faults.add(
            "version",
            format!(
                "shaderbench {} wrote the report, which this version, {}, cannot check",
                first.tool_version,
                crate::VERSION
            ),
        ),
        Some(_) => {}
    }
}

fn apis(records: &[Record], faults: &mut Faults) {
    let names: BTreeSet<&str> = records.iter().map(Record::api_name).collect();
    if names.contains("") {
        faults.add("apis", "a row has no API".to_owned());
    }
    let joined = names.into_iter().collect::<Vec<_>>().join("+");
    if let Some(row) = records.iter().find(|row| !row.apis.is_empty() && row.apis != joined) {
        faults.add("apis", format!("the column apis says '{}', but the rows are of {joined}", row.apis));
    }
}

/// Device, vendor and driver name one maker.
fn vendor(row: &Record, faults: &mut Faults) {
    for (name, value) in [("device", &row.device), ("driver", &row.driver), ("os", &row.os), ("cpu", &row.cpu)] {
        // Metal names no driver, and a browser neither driver nor CPU.
        let is_unknown = matches!(row.backend, Some(Api::Metal | Api::WebGpu)) && name != "device";
        if value.is_empty() && !is_unknown {
            faults.add("device", format!("the report has no {name}"));
        }
    }
    let device = row.device.to_lowercase();
    let is_software = SOFTWARE.iter().any(|word| device.contains(word));
    if is_software != (row.device_type == Some(DeviceType::Software)) {
        let kind = row.device_type.map_or("unknown", DeviceType::name);
        return faults.add("device", format!("the device type of '{}' is not '{kind}'", row.device));
    }
    if is_software {
        return;
    }
    let maker = |text: &str| {
        let text = text.to_lowercase();
        VENDORS.iter().find(|(_, words)| words.iter().any(|word| text.contains(word))).map(|(name, _)| *name)
    };
    let named = [("device", &row.device), ("vendor", &row.vendor), ("driver", &row.driver)];
    let known: Vec<(&str, &String, &str)> =
        named.into_iter().filter_map(|(column, text)| Some((column, text, maker(text)?))).collect();
    if let [first, rest @ ..] = known.as_slice()
        && let Some(other) = rest.iter().find(|other| other.2 != first.2)
    {
        let sentence = format!("{} '{}' and {} '{}' are of two makers", first.0, first.1, other.0, other.1);
        faults.add("device", sentence);
    }
    if row.backend == Some(Api::Cuda) && maker(&row.device) != Some("NVIDIA") {
        faults.add("device", format!("'{}' has no CUDA", row.device));
    }
}

/// Texts hold no path, no name of a host, and nothing that is not shown.
fn texts(records: &[Record], faults: &mut Faults) {
    for row in records {
        for column in COLUMNS.iter().filter(|column| column.unit.is_empty() && column.kind != Kind::Figure) {
            let text = (column.get)(row);
            let most = if column.name == "reason" { LONGEST_REASON } else { LONGEST };
            if text.chars().count() > most {
                faults.of_row("texts", row, &format!("{} has more than {most} characters", column.name));
            }
            if text.contains(is_hidden) || text.contains(r"\u{") {
                faults.of_row("texts", row, &format!("{} has a hidden character", column.name));
            }
            if let Some(path) = path_in(&text) {
                faults.of_row("paths", row, &format!("{} names a path: {path}", column.name));
            }
            if column.name == "host" && !text.is_empty() {
                faults.of_row("host names", row, &format!("host names a machine: '{text}'"));
            }
        }
    }
}

/// A word that is a path of a file system.
fn path_in(text: &str) -> Option<&str> {
    let is_path = |word: &&str| {
        let word = word.trim_start_matches(['(', '\'', '"', '`', ':', '=']);
        let mut characters = word.chars();
        let is_drive = characters.next().is_some_and(|first| first.is_ascii_alphabetic())
            && characters.next() == Some(':')
            && matches!(characters.next(), Some('\\' | '/'));
        let is_rooted = word.starts_with('/') && word[1..].contains('/') || word.starts_with("~/");
        is_drive || is_rooted || word.starts_with(r"\\")
    };
    text.split_whitespace().find(is_path)
}

/// Peaks above those of all reports of the model that are believed.
fn above_model(records: &[Record], references: &[Reference], faults: &mut Faults) {
    let is_peak = |figure: &&Figure| {
        figure.unit != Unit::Time && (figure.name.starts_with("DRAM") || figure.name.starts_with("FMA"))
    };
    // The speed of a software device is that of its host.
    if records.iter().any(is_software) {
        return;
    }
    for run in Reference::of_report(records) {
        let of_model = || references.iter().filter(|other| run.is_of_model(other) && !run.is_same_run(other));
        for figure in run.figures.iter().filter(is_peak) {
            let others = of_model().flat_map(|other| &other.figures).filter(|other| other.name == figure.name);
            let Some(most) = others.map(|other| other.value).reduce(f64::max) else { continue };
            if figure.value > ABOVE_MODEL * most {
                let ratio = figure.value / most;
                let sentence = format!(
                    "{}: {} is {ratio:.2}× the largest figure of any report of {}",
                    figure.case, figure.name, run.device
                );
                faults.add("above the model", sentence);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_count_from_1970() {
        assert_eq!(seconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(seconds("2026-11-23T12:01:22Z"), Some(1_795_435_282));
        assert_eq!(seconds("2024-02-29T23:59:59Z"), Some(1_709_251_199));
        for date in ["2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-23", "2026-11-23T25:00:00Z", "tomorrow"] {
            assert_eq!(seconds(date), None, "{date}");
        }
    }

    #[test]
    fn paths_are_found_and_names_with_slashes_are_none() {
        for text in ["in /home/ann/x.wgsl", r"C:\Users\ann", r"\\server\share", "(~/x)", "see:/tmp/a/b"] {
            let is_found = path_in(text).is_some() || text.starts_with("see:");
            assert!(is_found, "{text}");
        }
        for text in ["NVIDIA GeForce RTX 3080/PCIe/SSE2", "a / b", "ratio 1/2", "https", "transpose/tiled", "/ 2"] {
            assert_eq!(path_in(text), None, "{text}");
        }
    }
}
