//! The README.md of a folder of reports: a list of reports and their headline figures.

use super::apis;
use super::markdown::{escape, table};
use super::table::{rate, share_text};
use super::versus::mean_ratio;
use crate::backend::{Api, DeviceType};
use crate::error::{is_hidden, visible};
use crate::results::format;
use crate::results::{Record, Status};
use crate::suite::Scalar;

/// First line of the page. It marks the page as generated.
pub const MARK: &str = "<!-- Written by `shaderbench index`: do not edit. -->";

/// One report of the folder.
pub struct Entry {
    /// Path relative to the folder, with `/` as separator.
    pub path: String,
    /// The rows of the report.
    pub records: Vec<Record>,
    /// Facts inferred from the rows of each API.
    pub facts: Vec<(Api, Facts)>,
}

/// Facts about a device, inferred from its rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// Number of shared-memory banks.
    pub banks: Option<u64>,
    /// L2 latency in ns.
    pub l2_ns: Option<f64>,
    /// DRAM latency in ns.
    pub memory_ns: Option<f64>,
}

/// Writes the page.
#[must_use]
pub fn write(entries: &[Entry]) -> String {
    format!(
        "{MARK}\n\n# Reports\n\n{}\n## Headline figures\n\n{}\n{}\n",
        reports(entries),
        figures(entries),
        "Copy, read: ceilings at the largest working set. Sum, transpose, GEMM: the fastest kernel of the suite at the \
         largest f32 size (GEMM: of all sizes), with its share of its ceiling. GEMM f16: on tensor cores. L2, DRAM: \
         latency of a dependent load. Vulkan ÷ CUDA: geometric mean of the ratios of times, above 1 where CUDA is \
         faster. All of these use only rows that are `ok`."
    )
}

fn reports(entries: &[Entry]) -> String {
    let heading = ["report", "device", "type", "API", "driver", "date", "version", "rows", "Vulkan ÷ CUDA"];
    let mut text = String::new();
    for entry in entries {
        let first = entry.records.first();
        let of = |field: fn(&Record) -> &str| first.map_or("", field).to_owned();
        let names: Vec<_> = apis(&entry.records).into_iter().map(Api::title).collect();
        let ratio = mean_ratio(&entry.records, [Api::Vulkan, Api::Cuda]);
        let cells = [
            of(|row| &row.device),
            of(|row| row.device_type.map_or("", DeviceType::name)),
            names.join(", "),
            of(|row| &row.driver),
            of(|row| row.date.get(..10).unwrap_or(&row.date)),
            of(|row| &row.tool_version),
            statuses(&entry.records),
            ratio.map_or_else(none, |(ratio, cases)| format!("{} (mean of {cases})", format::ratio(ratio))),
        ];
        let cells: Vec<_> = cells.iter().map(|cell| escape(cell)).collect();
        text.push_str(&format!("| {} | {} |\n", link(&entry.path), cells.join(" | ")));
    }
    format!("| {} |\n|{}\n{text}", heading.join(" | "), " --- |".repeat(heading.len()))
}

/// A link to a file beside the page. Characters that end a link, and hidden ones, are percent-encoded.
fn link(path: &str) -> String {
    let encoded = |c: char| c.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let is_plain = |c: char| !(matches!(c, ' ' | '<' | '>' | '%' | '\\') || is_hidden(c));
    let target: String = path.chars().map(|c| if is_plain(c) { c.to_string() } else { encoded(c) }).collect();
    format!("[{}](<{target}>)", escape(&visible(path)))
}

/// `1842 ok, 96 skipped`.
fn statuses(records: &[Record]) -> String {
    let all = [Status::Ok, Status::Skipped, Status::Wrong, Status::Failed, Status::Implausible];
    let count = |status: Status| records.iter().filter(|row| row.status == status).count();
    let counts = all.into_iter().map(|status| (count(status), status.name())).filter(|(count, _)| *count > 0);
    counts.map(|(count, name)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}

fn figures(entries: &[Entry]) -> String {
    let heading = [
        "device",
        "API",
        "date",
        "copy",
        "read",
        "sum",
        "transpose",
        "FMA f32",
        "GEMM f32",
        "GEMM f16",
        "L2",
        "DRAM",
        "banks",
    ];
    let mut rows = Vec::new();
    for entry in entries {
        for api in apis(&entry.records) {
            let sound: Vec<&Record> =
                entry.records.iter().filter(|row| row.backend == Some(api) && row.status == Status::Ok).collect();
            let facts =
                entry.facts.iter().find(|(of, _)| *of == api).map(|(_, facts)| facts.clone()).unwrap_or_default();
            let latency = |ns: Option<f64>| ns.map_or_else(none, |ns| format!("{ns:.0} ns"));
            let any = entry.records.first();
            rows.push(vec![
                any.map_or_else(String::new, |row| row.device.clone()),
                api.title().to_owned(),
                any.map_or_else(String::new, |row| row.date.chars().take(10).collect()),
                shown(fastest(&largest(&pick(&sound, "ceiling", &["copy"]))), false),
                shown(fastest(&largest(&pick(&sound, "ceiling", &["read", "read_tree"]))), false),
                shown(fastest(&largest(&of_f32(pick(&sound, "reduction", &[])))), true),
                shown(fastest(&largest(&of_f32(pick(&sound, "transpose", &[])))), true),
                shown(fastest(&of_f32(pick(&sound, "ceiling", &["fma"]))), false),
                shown(fastest(&of_f32(pick(&sound, "matmul", &[]))), true),
                shown(fastest(&pick(&sound, "matmul", &["cooperative"])), true),
                latency(facts.l2_ns),
                latency(facts.memory_ns),
                facts.banks.map_or_else(none, |banks| banks.to_string()),
            ]);
        }
    }
    let right: Vec<bool> = (0..heading.len()).map(|column| column > 2).collect();
    table(&heading.map(str::to_owned), &right, &rows)
}

/// The rows of these benchmarks, or of the whole family if `benchmarks` is empty; without cuBLAS.
fn pick<'a>(rows: &[&'a Record], family: &str, benchmarks: &[&str]) -> Vec<&'a Record> {
    let is_wanted = |row: &Record| {
        let name = row.benchmark.as_str();
        row.family == family && name != "cublas" && (benchmarks.is_empty() || benchmarks.contains(&name))
    };
    rows.iter().copied().filter(|row| is_wanted(row)).collect()
}

/// The rows with scalar type f32, vectors included.
fn of_f32(rows: Vec<&Record>) -> Vec<&Record> {
    rows.into_iter().filter(|row| row.dtype.is_some_and(|dtype| dtype.scalar() == Scalar::F32)).collect()
}

/// The rows that move the most bytes.
fn largest<'a>(rows: &[&'a Record]) -> Vec<&'a Record> {
    let most = rows.iter().filter_map(|row| row.bytes).max();
    rows.iter().copied().filter(|row| row.bytes == most).collect()
}

/// The row with the highest rate.
fn fastest<'a>(rows: &[&'a Record]) -> Option<&'a Record> {
    let rate = |row: &Record| row.gb_per_s.or(row.gflop_per_s);
    let rated = rows.iter().copied().filter(|row| rate(row).is_some());
    rated.max_by(|a, b| rate(a).unwrap_or(0.0).total_cmp(&rate(b).unwrap_or(0.0)))
}

/// The rate of a row. With `has_name`, also its benchmark and share of the ceiling.
fn shown(row: Option<&Record>, has_name: bool) -> String {
    let Some(row) = row else { return none() };
    if !has_name {
        return rate(row);
    }
    let share = row.share.map_or_else(String::new, |_| format!(", {}", share_text(row)));
    format!("{} ({}{share})", rate(row), row.benchmark)
}

fn none() -> String {
    "–".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Api;
    use crate::results::Clock;
    use crate::suite::Dtype;
    use crate::suite::Extent;

    fn row(backend: &str, family: &str, benchmark: &str, n: u64, gb_per_s: f64) -> Record {
        Record {
            device: "Fake|9000".to_owned(),
            date: "2026-11-20T01:02:03Z".to_owned(),
            backend: Api::named(backend),
            family: family.to_owned(),
            benchmark: benchmark.to_owned(),
            dtype: Some(Dtype::F32),
            n: Some(Extent::Linear(n)),
            bytes: Some(4 * n),
            gb_per_s: Some(gb_per_s),
            share: Some(0.5),
            median_ns: Some(n as f64 / gb_per_s),
            ci_low_ns: Some(n as f64 / gb_per_s),
            ci_high_ns: Some(n as f64 / gb_per_s),
            timer: Some(Clock::Timestamp),
            ..Record::default()
        }
    }

    #[test]
    fn a_page_names_the_best_of_the_largest_rows_that_are_right() {
        let mut records = vec![
            row("vulkan", "ceiling", "copy", 1000, 900.0),
            row("vulkan", "ceiling", "copy", 9000, 100.0),
            row("vulkan", "reduction", "slow", 9000, 10.0),
            row("vulkan", "reduction", "swift", 9000, 90.0),
            row("vulkan", "reduction", "wrong", 9000, 99.0),
            row("cuda", "reduction", "swift", 9000, 180.0),
            row("vulkan", "transpose", "cublas", 9000, 180.0),
        ];
        records[4].status = Status::Wrong;
        let facts = Facts { banks: Some(32), l2_ns: Some(150.4), memory_ns: None };
        let page = write(&[Entry { path: "a b/r.csv".to_owned(), records, facts: vec![(Api::Vulkan, facts)] }]);
        assert!(page.starts_with(MARK), "{page}");
        for line in [
            "| [a b/r.csv](<a%20b/r.csv>) | Fake\\|9000 |  | Vulkan, CUDA |  | 2026-11-20 |  | 6 ok, 1 wrong | 2.00× (mean of 1) |",
            "| Fake\\|9000 | Vulkan | 2026-11-20 | 100.0 GB/s | – | 90.00 GB/s (swift, 50 %) | – | – | – | – | 150 ns | – | 32 |",
            "| Fake\\|9000 | CUDA | 2026-11-20 | – | – | 180.0 GB/s (swift, 50 %) | – | – | – | – | – | – | – |",
        ] {
            assert!(page.contains(line), "{line}\n{page}");
        }
    }
}
