//! The README.md of a folder of reports: a list of reports and their headline figures.

use super::summary::figures::{Best, MEMORY, Peak, best, peaks, spaces};
use super::summary::{job_rate, operations, quoted, quoted_rate};
use super::versus::mean_ratio;
use crate::error::{is_hidden, visible};
use crate::families::cache_curve::claims::DRAM;
use crate::record::stats::Estimate;
use crate::record::{Record, Status, by_card, format, typical};
use crate::report::markdown::{escape, table};
use crate::report::table::share_text;
use crate::report::{apis, toolchains};
use crate::suite::{Api, DeviceType, Limit, Scalar, Toolchain};

/// First line of the page. It marks the page as generated.
pub const MARK: &str = "<!-- Written by `shaderbench report --format index`: do not edit. -->";

/// One report of the folder.
pub struct Entry {
    /// Path relative to the folder, with `/` as separator.
    pub path: String,
    /// The rows of the report.
    pub records: Vec<Record>,
}

/// Writes the page. With `is_by_model`, the headline figures are medians of all cards of a model.
#[must_use]
pub fn write(entries: &[Entry], is_by_model: bool) -> String {
    format!(
        "{MARK}\n\n# Reports\n\n{}\n## Headline figures\n\n{}\n{}\n",
        reports(entries),
        figures(entries, is_by_model),
        "The figures of the summary. Copy, read, FMA: measured peaks, of memory at the largest working set. Sum, \
         transpose, GEMM: the fastest kernel of the suite at the largest f32 size (GEMM: of all sizes), with its share \
         of its measured peak. GEMM f16: on tensor cores. L2, DRAM: latency of a dependent load. Vulkan ÷ CUDA: \
         geometric mean of the ratios of times, above 1 where CUDA is faster. All of these use only rows that are `ok`."
    )
}

fn reports(entries: &[Entry]) -> String {
    let heading = ["report", "device", "card", "type", "API", "driver", "date", "version", "rows", "Vulkan ÷ CUDA"];
    let mut text = String::new();
    for entry in entries {
        let first = entry.records.first();
        let of = |field: fn(&Record) -> &str| first.map_or("", field).to_owned();
        let names: Vec<_> = apis(&entry.records).into_iter().map(Api::title).collect();
        let ratio = mean_ratio(&entry.records, [Api::Vulkan, Api::Cuda].map(Toolchain::from));
        let cells = [
            of(|row| &row.device),
            cards(&entry.records),
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
    let all = [Status::Ok, Status::Unverified, Status::Skipped, Status::Wrong, Status::Failed, Status::Implausible];
    let count = |status: Status| records.iter().filter(|row| row.status == status).count();
    let counts = all.into_iter().map(|status| (count(status), status.name())).filter(|(count, _)| *count > 0);
    counts.map(|(count, name)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}

/// The names of the report's cards.
fn cards(records: &[Record]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for row in records.iter().filter(|row| !row.card.is_empty()) {
        if !names.contains(&row.card.as_str()) {
            names.push(&row.card);
        }
    }
    names.join(", ")
}

/// The rows to show figures of, each with the name of its device: the cards of each report, or the typical rows of each
/// model.
fn groups<'a>(entries: &'a [Entry], is_by_model: bool) -> Vec<(String, Vec<&'a Record>)> {
    let mut groups: Vec<(String, Vec<&'a Record>)> = Vec::new();
    if !is_by_model {
        for entry in entries {
            let cards = by_card(&entry.records);
            for rows in &cards {
                let id = rows[0].card_id();
                let facts = [id.device, id.host, id.name].into_iter().filter(|fact| !fact.is_empty());
                let facts: Vec<&str> = facts.take(if cards.len() == 1 { 1 } else { 3 }).collect();
                groups.push((facts.join(", "), rows.clone()));
            }
        }
        return groups;
    }
    for row in entries.iter().flat_map(|entry| &entry.records) {
        match groups.iter_mut().find(|(device, _)| *device == row.device) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((row.device.clone(), vec![row])),
        }
    }
    let of_model = |(device, rows): (String, Vec<&'a Record>)| {
        let count = by_card(rows.iter().copied()).len();
        let name = if count == 1 { device } else { format!("{device}, median of {count} cards") };
        (name, typical(rows))
    };
    groups.into_iter().map(of_model).collect()
}

fn figures(entries: &[Entry], is_by_model: bool) -> String {
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
    for (device, records) in groups(entries, is_by_model) {
        for toolchain in toolchains(records.iter().copied()) {
            let own: Vec<&Record> = records.iter().copied().filter(|row| row.toolchain() == Some(toolchain)).collect();
            let spaces = spaces(&own);
            let space = |names: &[&str]| spaces.iter().find(|space| names.contains(&space.name.as_str()));
            let memory = space(MEMORY);
            let latency = |names: &[&str]| space(names)?.latency.and_then(time);
            let best = best(&own);
            let job = |name: &str| best.iter().find(|best| best.job.name == name).map(fastest);
            let is_fma = |peak: &&Peak| peak.limit == Limit::Fma && peak.scalar == Some(Scalar::F32);
            let peaks = peaks(&own);
            let fma = peaks.iter().find(is_fma);
            let figures = [
                memory.and_then(|space| space.copy).and_then(quoted_rate),
                memory.and_then(|space| space.read).and_then(quoted_rate),
                job("sum"),
                job("transpose"),
                fma.and_then(|peak| operations(peak, peak.gflop_per_s?)),
                job("GEMM f32"),
                job("GEMM f16"),
                latency(&["L2"]),
                latency(&[DRAM]),
                space(&["workgroup"]).and_then(|space| space.banks).map(|banks| banks.to_string()),
            ];
            let head = [
                device.clone(),
                toolchain.title().into_owned(),
                records.first().map_or_else(String::new, |row| row.date.chars().take(10).collect()),
            ];
            rows.push(head.into_iter().chain(figures.map(|figure| figure.unwrap_or_else(none))).collect());
        }
    }
    let right: Vec<bool> = (0..heading.len()).map(|column| column > 2).collect();
    table(&heading.map(str::to_owned), &right, &rows)
}

/// The rate of a job's fastest kernel, with its name and its share of the measured peak.
fn fastest(best: &Best) -> String {
    let row = best.row;
    let share = row.share.map_or_else(String::new, |_| format!(", {}", share_text(row)));
    format!("{} ({}{share})", job_rate(row), row.benchmark)
}

fn time(ns: Estimate) -> Option<String> {
    quoted(ns, format::TIME_UNITS, 1.0)
}

fn none() -> String {
    "–".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::compare::Report;
    use crate::answers::page as html;
    use crate::answers::summary::card;
    use crate::record::{Bound, Clock};
    use crate::report::{Terminal, csv};
    use crate::suite::Extent;
    use crate::suite::{Api, Dtype};

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
            ceiling: Bound::parse("copy 1 KiB"),
            epochs_ns: vec![n as f64 / gb_per_s; 2],
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
        let page = write(&[Entry { path: "a b/r.csv".to_owned(), records }], false);
        assert!(page.starts_with(MARK), "{page}");
        for line in [
            "| [a b/r.csv](<a%20b/r.csv>) | Fake\\|9000 |  |  | Vulkan, CUDA |  | 2026-11-20 |  | 6 ok, 1 wrong | 2.00× (mean of 1) |",
            "| Fake\\|9000 | Vulkan | 2026-11-20 | 100.0 GB/s | – | 90.00 GB/s (swift, 50 %) | – | – | – | – | – | – | – |",
            "| Fake\\|9000 | CUDA | 2026-11-20 | – | – | 180.0 GB/s (swift, 50 %) | – | – | – | – | – | – | – |",
        ] {
            assert!(page.contains(line), "{line}\n{page}");
        }
    }

    #[test]
    fn cards_of_one_model_have_lines_of_their_own_unless_they_are_pooled() {
        let of = |card: &str, gb_per_s: f64| {
            let copy = row("vulkan", "ceiling", "copy", 9000, gb_per_s);
            Record { device: "H200".to_owned(), card: card.to_owned(), ..copy }
        };
        let both = vec![of("GPU-1", 100.0), of("GPU-2", 300.0)];
        let entries = [
            Entry { path: "a.csv".to_owned(), records: both },
            Entry { path: "b.csv".to_owned(), records: vec![of("GPU-3", 200.0)] },
        ];
        let apart = write(&entries, false);
        for line in [
            "| [a.csv](<a.csv>) | H200 | GPU-1, GPU-2 |",
            "| H200, GPU-1 | Vulkan | 2026-11-20 | 100.0 GB/s |",
            "| H200, GPU-2 | Vulkan | 2026-11-20 | 300.0 GB/s |",
            "| H200 | Vulkan | 2026-11-20 | 200.0 GB/s |",
        ] {
            assert!(apart.contains(line), "{line}\n{apart}");
        }
        let pooled = write(&entries, true);
        assert!(pooled.contains("| H200, median of 3 cards | Vulkan | 2026-11-20 | 200.0 GB/s |"), "{pooled}");
    }

    #[test]
    fn summary_index_and_page_have_the_same_figures() {
        let text = include_bytes!("../../results/nvidia-h200/2026-11-22-vulkan.csv");
        let records = csv::read(std::path::Path::new("r.csv"), text.as_slice()).expect("a report").records;
        let own: Vec<&Record> = records.iter().collect();
        let summary = card(&records, &[], Terminal { width: 80, has_color: false });
        let line = |name: &str| summary.lines().find(|line| line.trim_start().starts_with(name)).expect(name);
        let page = [Report { name: "r.csv".to_owned(), records: records.clone() }];
        let page = serde_json::to_value(html::data(&html::sides(&page))).expect("plain data");
        let ceilings = page["sides"][0]["ceilings"].as_array().expect("ceilings");
        let ceiling = |name: &str| ceilings.iter().find(|ceiling| ceiling["limit"] == name).expect("a ceiling");
        let index = write(&[Entry { path: "r.csv".to_owned(), records: records.clone() }], false);
        let copy = spaces(&own)[0].copy.expect("a peak");
        assert!((ceiling("copy")["gb_per_s"].as_f64().expect("a rate") / copy.value - 1.0).abs() <= 1e-4);
        let copy = quoted_rate(copy).expect("quiet");
        let sum = best(&own).into_iter().find(|best| best.job.name == "sum").expect("a sum");
        for (name, figure) in [("read", &copy), ("sum", &job_rate(sum.row))] {
            // Of figures with one unit, the last has it.
            let number = figure.split(' ').next().expect("a number");
            assert!(line(name).contains(number), "{figure}: {summary}");
            assert!(index.contains(&format!("| {figure}")), "{figure}: {index}");
        }
    }
}
