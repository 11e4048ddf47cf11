//! The README.md of a folder of reports: a list of reports and their headline figures.

use std::collections::HashMap;

use super::summary::figures::{MEMORY, Peak, peaks, spaces};
use super::summary::{Shown, faster_ones, job_rate, jobs_of, operations, quoted_rate, quoted_time};
use super::versus::mean_ratio;
use crate::report::markdown::{escape, table};
use crate::report::table::share_text;
use crate::report::toolchains;
use kernels::cache_curve::claims::DRAM;
use record::error::{is_hidden, visible};
use record::format::{distinct, joined};
use record::suite::{Api, DeviceType, Limit, Scalar, Toolchain};
use record::{Record, Status, by_card, by_run, format, typical};

/// First line of the page, which marks it as generated.
pub const MARK: &str = "<!-- Written by `shaderbench report --format index`: do not edit. -->";

/// One report of the folder.
pub struct Entry {
    /// Path relative to the folder, with `/` as separator.
    pub path: String,
    /// The rows of the report.
    pub records: Vec<Record>,
}

/// Writes the page. With `is_by_model`, the headline figures are medians over all cards of a model.
#[must_use]
pub fn write(entries: &[Entry], is_by_model: bool) -> String {
    let sections: String = models(entries).iter().map(|model| section(model, is_by_model)).collect();
    format!(
        "{MARK}\n\n# Reports\n\n{sections}## The figures\n\n{}\n",
        "`shaderbench summary FILE` prints these figures and names the fastest kernels. Copy, read, FMA: measured \
         peaks; for memory, at the largest working set. L2, DRAM: latency of a dependent load. Sum, transpose, GEMM: \
         the fastest kernel that all of the device's reports contain for an API, at the largest f32 size that they \
         share (GEMM: at any size), with its share of the measured peak. A faster kernel in only some of the reports \
         is named below the device's table. ≠: another kernel, source or size than in the unmarked figures of the \
         same API, so there is no ratio. GEMM f16: on tensor cores. Vulkan ÷ CUDA: geometric mean of the kernels' time \
         ratios, above 1 where CUDA is faster, and the number of cases. Only rows that are `ok` count."
    )
}

struct Model<'a> {
    device: &'a str,
    kind: Option<DeviceType>,
    reports: Vec<Report<'a>>,
}

struct Report<'a> {
    path: &'a str,
    rows: Vec<&'a Record>,
}

fn models(entries: &[Entry]) -> Vec<Model<'_>> {
    let mut models: Vec<Model> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for entry in entries {
        for row in &entry.records {
            let index = *known.entry(row.device.trim()).or_insert(models.len());
            if index == models.len() {
                models.push(Model { device: row.device.trim(), kind: row.device_type, reports: Vec::new() });
            }
            let reports = &mut models[index].reports;
            match reports.last_mut().filter(|report| std::ptr::eq(report.path, entry.path.as_str())) {
                Some(report) => report.rows.push(row),
                None => reports.push(Report { path: &entry.path, rows: vec![row] }),
            }
        }
    }
    models.sort_by_key(|model| (model.kind == Some(DeviceType::Software), model.device));
    models
}

/// A model: facts common to its reports, the numbered reports, and two page-wide tables of figures.
fn section(model: &Model, is_by_model: bool) -> String {
    let device = if model.device.is_empty() { "Unnamed device" } else { model.device };
    let (facts, reports) = (facts(model), reports(model));
    let [peaks, jobs] = figures(model, is_by_model);
    format!("## {}\n\n{facts}\n\n{reports}\n{peaks}\n{jobs}\n", escape(device))
}

/// `Discrete GPU; NVIDIA 580.159.04; shaderbench 0.1.0`.
fn facts(model: &Model) -> String {
    let kind = match model.kind {
        Some(DeviceType::Software) => "Software device on a CPU",
        Some(DeviceType::Discrete) => "Discrete GPU",
        Some(DeviceType::Integrated) => "Integrated GPU",
        Some(DeviceType::Virtual) => "Virtual GPU",
        _ => "Device of unknown type",
    };
    let rows = || model.reports.iter().flat_map(|report| &report.rows);
    let drivers = joined(distinct(rows().map(|row| row.driver.as_str())), ", ");
    let versions = joined(distinct(rows().map(|row| row.tool_version.as_str())), ", ");
    let versions = if versions.is_empty() { versions } else { format!("shaderbench {versions}") };
    let facts = [kind.to_owned(), drivers, versions];
    escape(&joined(facts, "; "))
}

fn reports(model: &Model) -> String {
    let heading = ["report", "date", "shaderbench", "card", "rows", "Vulkan ÷ CUDA"];
    let mut text = String::new();
    for (index, report) in model.reports.iter().enumerate() {
        let first = report.rows[0];
        let ratio = mean_ratio(&report.rows, [Api::Vulkan, Api::Cuda].map(Toolchain::from));
        let versions = joined(distinct(report.rows.iter().map(|row| row.tool_version.as_str())), ", ");
        let cells = [
            versions,
            cards(&report.rows),
            statuses(&report.rows),
            ratio.map_or_else(none, |(ratio, cases)| format!("{} ({cases})", format::ratio(ratio))),
        ];
        let cells: Vec<_> = cells.iter().map(|cell| escape(cell)).collect();
        let date = first.date.get(..10).unwrap_or(report.path);
        text.push_str(&format!("| {} | {} | {} |\n", index + 1, link(date, report.path), cells.join(" | ")));
    }
    format!("| {} |\n|{}\n{text}", heading.join(" | "), " --- |".repeat(heading.len()))
}

/// A link to a file in the same folder. Characters that end a link, and hidden ones, are percent-encoded.
fn link(text: &str, path: &str) -> String {
    let encoded = |c: char| c.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let is_plain = |c: char| !(matches!(c, ' ' | '<' | '>' | '%' | '\\') || is_hidden(c));
    let target: String = path.chars().map(|c| if is_plain(c) { c.to_string() } else { encoded(c) }).collect();
    format!("[{}](<{target}>)", escape(&visible(text)))
}

/// `1842 ok, 96 skipped`.
fn statuses(records: &[&Record]) -> String {
    let all = [Status::Ok, Status::Unverified, Status::Skipped, Status::Wrong, Status::Failed, Status::Implausible];
    let count = |status: Status| records.iter().filter(|row| row.status == status).count();
    let counts = all.into_iter().map(|status| (count(status), status.name())).filter(|(count, _)| *count > 0);
    counts.map(|(count, name)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}

/// The names of the report's cards, one per card: the UUID if there is one, else the PCI address.
fn cards(rows: &[&Record]) -> String {
    let name = |rows: Vec<&Record>| rows.iter().map(|row| row.card.as_str()).max_by_key(|name| name.len()).map(short);
    joined(by_card(rows.iter().copied()).into_iter().filter_map(name), ", ")
}

/// The start of a name, long enough to distinguish a card from its neighbours.
fn short(name: &str) -> String {
    if name.chars().count() <= SHORT { name.to_owned() } else { name.chars().take(SHORT - 1).chain(['…']).collect() }
}

const SHORT: usize = 14;

/// Named groups of rows to show figures of: the cards of each numbered report, or the model's typical rows.
fn groups<'a>(model: &Model<'a>, is_by_model: bool) -> Vec<(String, Vec<&'a Record>)> {
    if is_by_model {
        let rows: Vec<&Record> = model.reports.iter().flat_map(|report| report.rows.iter().copied()).collect();
        let count = by_card(rows.iter().copied()).len();
        let name = if count == 1 { "one card".to_owned() } else { format!("median of {count} cards") };
        return vec![(name, typical(rows))];
    }
    let mut groups = Vec::new();
    for (index, report) in model.reports.iter().enumerate() {
        let is_one = by_card(report.rows.iter().copied()).len() == 1;
        let runs = by_run(report.rows.iter().copied());
        let dates = distinct(runs.iter().map(|rows| rows[0].date.as_str()).filter(|date| !date.is_empty()));
        for rows in &runs {
            let id = rows[0].card_id();
            let (host, name) = if is_one { ("", String::new()) } else { (id.host, short(id.name)) };
            let run = if dates.len() > 1 {
                rows[0].date.get(..16).unwrap_or_default().replace('T', " ")
            } else {
                String::new()
            };
            let facts = [(index + 1).to_string(), host.to_owned(), name, run];
            groups.push((joined(facts, ", "), rows.clone()));
        }
    }
    groups
}

fn figures(model: &Model, is_by_model: bool) -> [String; 2] {
    let peak_heads = ["report", "API", "copy", "read", "L2", "DRAM", "banks", "FMA f32"];
    let job_heads = ["report", "API", "sum", "transpose", "GEMM f32", "GEMM f16"];
    let (mut peak_rows, mut job_rows) = (Vec::new(), Vec::new());
    let (mut heads, mut columns): (Vec<[String; 2]>, Vec<Vec<&Record>>) = (Vec::new(), Vec::new());
    for (name, records) in groups(model, is_by_model) {
        for toolchain in toolchains(records.iter().copied()) {
            heads.push([name.clone(), toolchain.title().into_owned()]);
            columns.push(records.iter().copied().filter(|row| row.toolchain() == Some(toolchain)).collect());
        }
    }
    let mut jobs = jobs_of(&columns);
    jobs.iter_mut().for_each(|jobs| jobs.retain(|shown| job_heads.contains(&shown.job.name)));
    for ((head, own), jobs) in heads.iter().zip(&columns).zip(&jobs) {
        let line = |figures: Vec<Option<String>>| {
            head.iter().cloned().chain(figures.into_iter().map(|figure| figure.unwrap_or_else(none))).collect()
        };
        peak_rows.push(line(peak_figures(own)));
        let job = |name: &&str| jobs.iter().find(|shown| shown.job.name == *name).map(figure);
        job_rows.push(line(job_heads[2..].iter().map(job).collect()));
    }
    let draw = |heads: &[&str], rows: &[Vec<String>]| {
        let right: Vec<bool> = (0..heads.len()).map(|column| column > 1).collect();
        table(&heads.iter().map(|&head| head.to_owned()).collect::<Vec<_>>(), &right, rows)
    };
    let names: Vec<String> = heads.iter().map(|head| format!("report {} through {}", head[0], head[1])).collect();
    let faster = faster_ones(&jobs, |column| &names[column]);
    let notes: String = faster.iter().map(|note| format!("\n- {}", escape(note))).collect();
    let notes = if notes.is_empty() { notes } else { format!("{notes}\n") };
    [draw(&peak_heads, &peak_rows), draw(&job_heads, &job_rows) + &notes]
}

/// The figures in the order of the columns: copy, read, latencies, banks and FMA.
fn peak_figures(rows: &[&Record]) -> Vec<Option<String>> {
    let spaces = spaces(rows);
    let space = |names: &[&str]| spaces.iter().find(|space| names.contains(&space.name.as_str()));
    let memory = space(MEMORY);
    let latency = |names: &[&str]| space(names)?.latency.and_then(quoted_time);
    let is_fma = |peak: &&Peak| peak.limit == Limit::Fma && peak.scalar == Some(Scalar::F32);
    let peaks = peaks(rows);
    let fma = peaks.iter().find(is_fma);
    vec![
        memory.and_then(|space| space.copy).and_then(quoted_rate),
        memory.and_then(|space| space.read).and_then(quoted_rate),
        latency(&["L2"]),
        latency(&[DRAM]),
        space(&["workgroup"]).and_then(|space| space.banks).map(|banks| banks.to_string()),
        fma.and_then(|peak| operations(peak, peak.gflop_per_s?)),
    ]
}

fn figure(shown: &Shown) -> String {
    let share = shown.row.share.map_or_else(String::new, |_| format!(", {}", share_text(shown.row)));
    format!("{}{share}{}", job_rate(shown.row), if shown.is_unlike { " ≠" } else { "" })
}

fn none() -> String {
    "–".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Report;
    use crate::page as html;
    use crate::report::Terminal;
    use crate::summary::card;
    use record::suite::Extent;
    use record::suite::{Api, Dtype};
    use record::{Bound, Clock};

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

    fn unpadded(page: &str) -> String {
        let line = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n";
        page.lines().map(line).collect()
    }

    #[test]
    fn a_page_shows_the_best_of_the_largest_rows_that_are_right() {
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
        let page = unpadded(&write(&[Entry { path: "a b/r.csv".to_owned(), records }], false));
        assert!(page.starts_with(MARK), "{page}");
        for line in [
            "## Fake\\|9000\n",
            "| 1 | [2026-11-20](<a%20b/r.csv>) | | | 6 ok, 1 wrong | 2.00× (1) |",
            "| 1 | Vulkan | 100 GB/s | – | – | – | – | – |",
            "| 1 | Vulkan | 90.0 GB/s, 50 % | – | – | – |",
            "| 1 | CUDA | 180 GB/s, 50 % | – | – | – |",
        ] {
            assert!(page.contains(line), "{line}\n{page}");
        }
    }

    #[test]
    fn cards_of_one_model_have_lines_of_their_own_unless_they_are_pooled() {
        let on_card = |card: &str, gb_per_s: f64| {
            let copy = row("vulkan", "ceiling", "copy", 9000, gb_per_s);
            Record { device: "H200".to_owned(), card: card.to_owned(), ..copy }
        };
        let both = vec![on_card("GPU-1", 100.0), on_card("GPU-2", 300.0)];
        let entries = [
            Entry { path: "a.csv".to_owned(), records: both },
            Entry { path: "b.csv".to_owned(), records: vec![on_card("GPU-3", 200.0)] },
        ];
        let apart = unpadded(&write(&entries, false));
        for line in [
            "| 1 | [2026-11-20](<a.csv>) | | GPU-1, GPU-2 |",
            "| 1, GPU-1 | Vulkan | 100 GB/s |",
            "| 1, GPU-2 | Vulkan | 300 GB/s |",
            "| 2 | Vulkan | 200 GB/s |",
        ] {
            assert!(apart.contains(line), "{line}\n{apart}");
        }
        let pooled = unpadded(&write(&entries, true));
        assert!(pooled.contains("| median of 3 cards | Vulkan | 200 GB/s |"), "{pooled}");
    }

    #[test]
    fn hardware_comes_before_software_and_long_names_are_cut() {
        let on_device = |device: &str, kind: DeviceType, card: &str| Record {
            device: device.to_owned(),
            device_type: Some(kind),
            card: card.to_owned(),
            ..row("vulkan", "ceiling", "copy", 9000, 1.0)
        };
        // One report contains both devices.
        let records = vec![
            on_device("A software", DeviceType::Software, ""),
            on_device("Z card", DeviceType::Discrete, "GPU-a04f60ce-6235-435b-70d4-22ab90fca10f"),
        ];
        let page = write(&[Entry { path: "r.csv".to_owned(), records }], false);
        let headings: Vec<&str> = page.lines().filter(|line| line.starts_with("## ")).collect();
        assert_eq!(headings, ["## Z card", "## A software", "## The figures"]);
        assert!(page.contains("(<r.csv>) |  | GPU-a04f60ce-… | 1 ok |"), "{page}");
        assert!(page.contains("\nSoftware device on a CPU\n"), "{page}");
    }

    #[test]
    fn summary_index_and_page_have_the_same_figures() {
        let Some(records) = crate::report::committed::rows("nvidia-h200/2026-11-30-vulkan.csv") else { return };
        let rows: Vec<&Record> = records.iter().collect();
        let summary = card(&records, &[], Terminal { width: 80, has_color: false });
        let line = |name: &str| summary.lines().find(|line| line.trim_start().starts_with(name)).expect(name);
        let page = [Report { name: "r.csv".to_owned(), records: records.clone() }];
        let page = serde_json::to_value(html::data(&html::sides(&page))).expect("plain data");
        let ceilings = page["sides"][0]["ceilings"].as_array().expect("ceilings");
        let ceiling = |name: &str| ceilings.iter().find(|ceiling| ceiling["limit"] == name).expect("a ceiling");
        let index = write(&[Entry { path: "r.csv".to_owned(), records: records.clone() }], false);
        let copy = spaces(&rows)[0].copy.expect("a peak");
        assert!((ceiling("copy")["gb_per_s"].as_f64().expect("a rate") / copy.value - 1.0).abs() <= 1e-4);
        let copy = quoted_rate(copy).expect("quiet");
        let sum = crate::summary::figures::best(&rows).into_iter().find(|best| best.job.name == "sum").expect("a sum");
        for (name, figure) in [("read", &copy), ("sum", &job_rate(sum.row))] {
            // Of figures with the same unit, only the last shows it.
            let number = figure.split(' ').next().expect("a number");
            assert!(line(name).contains(number), "{figure}: {summary}");
            assert!(index.contains(&format!("| {figure}")), "{figure}: {index}");
        }
    }
}
