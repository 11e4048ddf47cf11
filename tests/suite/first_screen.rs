//! The page's first screen: every number is computed again from the report's rows, to the last printed digit.

#![allow(clippy::unwrap_used, reason = "a failed step ends the test")]

use std::path::Path;

use serde_json::Value;

use crate::command::{Folder, shaderbench};
use crate::report_page::{H100, H200, LLVMPIPE, page};
use answers::page::unpacked;
use answers::report::csv;
use kernels::{beyond_mma, headlines};
use record::suite::{Api, Limit};
use record::{Record, Status};

fn rows(report: &str) -> Vec<Record> {
    csv::open(Path::new(report)).expect("a report").records
}

/// Whether a printed figure (`3.06 TB/s`, `22.7×`, `23.9 ns ±2 %`) is one of `values`, in the base unit, to its last digit.
fn is_printed(text: &str, values: &[f64]) -> bool {
    let text = text.split('±').next().unwrap();
    let number: String = text.chars().take_while(|character| character.is_ascii_digit() || *character == '.').collect();
    let unit = text[number.len()..].trim();
    let prefixes = [("T", 1e12), ("G", 1e9), ("M", 1e6), ("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3), ("%", 0.01)];
    let is_unit = |name: &str| unit == name || name.len() == 1 && unit.starts_with(name);
    let factor = prefixes.iter().find(|(name, _)| is_unit(name)).map_or(1.0, |(_, factor)| *factor);
    let printed: f64 = number.parse().unwrap();
    let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
    let half = 0.5 * 10_f64.powi(-decimals) * (1.0 + 1e-9);
    values.iter().any(|value| (value / factor - printed).abs() <= half)
}

/// The median of every range of neighbouring values: a cache level's figure is one of them.
fn medians(values: &[f64]) -> Vec<f64> {
    let median = |part: &[f64]| {
        let mut sorted = part.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
    };
    let runs = (0..values.len()).flat_map(|from| (from + 1..=values.len()).map(move |to| (from, to)));
    runs.map(|(from, to)| median(&values[from..to])).collect()
}

/// The possible values of a figure, from the rows of one API, in the base unit.
fn figures(rows: &[&Record], name: &str) -> Vec<f64> {
    let of = |family: &str, benchmark: &str| -> Vec<&Record> {
        let mut found: Vec<&Record> = rows
            .iter()
            .copied()
            .filter(|row| row.family == family && row.benchmark.starts_with(benchmark) && row.status == Status::Ok)
            .collect();
        found.sort_by_key(|row| row.n.map(|n| n.count()));
        found
    };
    // A peak: the fastest row of this limit at its largest working set.
    let peak = |limit: Limit, scalar: Option<&str>| -> Vec<f64> {
        let is_it = |row: &&Record| {
            let bound = row.ceiling.unwrap();
            bound.limit == limit && scalar.is_none_or(|name| bound.scalar.is_some_and(|scalar| scalar.name() == name))
        };
        let all: Vec<&Record> =
            of("ceiling", "").into_iter().filter(|row| row.ceiling.is_some()).filter(is_it).collect();
        let size = |row: &Record| row.ceiling.and_then(|bound| bound.working_set).unwrap_or(0);
        let most = all.iter().map(|row| size(row)).max().unwrap_or(0);
        let largest = all.into_iter().filter(|row| size(row) == most);
        let rate = |row: &Record| row.gb_per_s.or(row.gflop_per_s).or(row.median_ns.map(|ns| 1.0 / ns));
        let fastest = largest.filter_map(rate).fold(0.0, f64::max);
        vec![if limit == Limit::Launch { 1e-9 / fastest } else { fastest * 1e9 }]
    };
    // Loads are of 4 bytes.
    let per_load = |row: &Record| row.median_ns.unwrap() * 4.0 / row.bytes.unwrap() as f64 * 1e-9;
    match name {
        "DRAM read" | "memory read" => peak(Limit::Read, None),
        "DRAM copy" | "memory copy" => peak(Limit::Copy, None),
        "launch" => peak(Limit::Launch, None),
        "mma f16" => peak(Limit::Tensor, None),
        kernel if rows.iter().any(|row| row.benchmark == kernel) => rows
            .iter()
            .copied()
            .filter(|row| row.benchmark == kernel)
            .filter_map(|row| Some(row.gflop_per_s? * 1e9))
            .collect(),
        "workgroup read" => peak(Limit::Workgroup, None),
        "workgroup latency" => {
            let chain = of("memory_spaces", "workgroup_latency").into_iter();
            chain.filter_map(|row| Some(row.median_ns? / row.params.get("STEPS")? * 1e-9)).collect()
        }
        _ if name.starts_with("FMA ") => peak(Limit::Fma, Some(&name[4..])),
        _ if name.ends_with(" latency") => {
            medians(&of("cache_curve", "latency").into_iter().map(per_load).collect::<Vec<_>>())
        }
        _ if name.ends_with(" read") => [0.0, 1.0]
            .into_iter()
            .flat_map(|rotate| {
                let slices = of("cache_curve", "slices").into_iter();
                let own = slices.filter(|row| row.params.get("ROTATE") == Some(&rotate));
                medians(&own.map(|row| row.gb_per_s.unwrap() * 1e9).collect::<Vec<_>>())
            })
            .collect(),
        _ => panic!("{name}: no such figure is known"),
    }
}

fn data(page: &Path) -> Value {
    serde_json::from_str(&unpacked(&std::fs::read_to_string(page).unwrap(), "report-data").unwrap()).unwrap()
}

fn row_of<'a>(data: &Value, case: &Value, rows: &[&'a Record]) -> &'a Record {
    let index = case.as_u64().expect("a job has a case") as usize;
    let text = |column: &str| data["texts"][data["cases"][column][index].as_u64().unwrap() as usize].as_str().unwrap();
    let is_it = |row: &&&Record| {
        (text("family"), text("benchmark"), text("dtype")) == (&*row.family, &*row.benchmark, row.dtype_name())
            && (text("n"), text("params")) == (&row.size(), &row.params_text())
    };
    rows.iter().find(is_it).expect("the case is in the report")
}

/// In 10^9 bytes or operations per second.
fn rate_of(row: &Record) -> f64 {
    row.gb_per_s.or(row.gflop_per_s).unwrap_or(0.0)
}

/// Checks that a job has its row's rate, and that no kernel of the job is faster at that size.
fn check_job(name: &str, rate: &str, row: &Record, rows: &[&Record]) {
    let of = rate_of;
    assert!(is_printed(rate, &[of(row) * 1e9]), "{name}: {rate} of {}", of(row));
    let (family, job) = headlines().into_iter().find(|(_, job)| job.name == name).unwrap();
    assert_eq!(family, row.family);
    let is_rival = |other: &&&Record| {
        (&other.family, other.dtype, other.n, other.status) == (&row.family, row.dtype, row.n, Status::Ok)
            && (job.benchmarks.is_empty() || job.benchmarks.contains(&&*other.benchmark))
            && !other.benchmark.starts_with("cublas")
    };
    assert!(rows.iter().filter(is_rival).all(|other| of(other) <= of(row)), "{name}");
}

#[test]
fn every_number_of_a_card_s_summary_is_that_of_its_rows() {
    let folder = Folder::new();
    for (report, jobs_at_least) in [(H100, 10), (H200, 8), (LLVMPIPE, 5)] {
        let data = data(&page(&folder, &[report]));
        let records = rows(report);
        let of = |api: Api| -> Vec<&Record> { records.iter().filter(|row| row.backend == Some(api)).collect() };
        let (vulkan, cuda) = (of(Api::Vulkan), of(Api::Cuda));
        let card = &data["screen"]["card"];
        let mut numbers = 0;
        let mut check = |name: String, text: &Value| {
            let Some(text) = text.as_str() else { return };
            let found = figures(&vulkan, &name);
            assert!(is_printed(text, &found), "{report}: {name} {text} is none of {found:?}");
            numbers += 1;
        };
        for level in card["levels"].as_array().unwrap() {
            for key in ["read", "copy", "latency"] {
                check(format!("{} {key}", level["name"].as_str().unwrap()), &level[key]);
            }
        }
        check("launch".to_owned(), &card["launch"]);
        for peak in card["arithmetic"].as_array().unwrap() {
            let name = peak[0].as_str().unwrap();
            // Only CUDA has kernels that are faster than mma.
            if let Some(row) = beyond_mma(&records.iter().collect::<Vec<_>>()).filter(|row| row.benchmark == name) {
                assert!(is_printed(peak[1].as_str().unwrap(), &[row.gflop_per_s.unwrap() * 1e9]), "{peak}");
                continue;
            }
            check(if name.starts_with("mma") { name.to_owned() } else { format!("FMA {name}") }, &peak[1]);
        }
        let jobs = card["jobs"].as_array().unwrap();
        assert!(jobs.len() >= jobs_at_least && (report == LLVMPIPE || numbers >= 15), "{report}: {numbers}");
        for job in jobs {
            let text = |key: &str| job[key].as_str().unwrap();
            let row = row_of(&data, &job["case"], &vulkan);
            assert_eq!(text("kernel"), row.benchmark);
            check_job(text("name"), text("rate"), row, &vulkan);
            if let Some(share) = row.share {
                assert!(is_printed(text("share_text"), &[share]), "{job}: {share}");
            }
            let (_, headline) = headlines().into_iter().find(|(_, headline)| headline.name == text("name")).unwrap();
            let naive = vulkan.iter().filter(|other| other.family == row.family && other.benchmark == headline.naive);
            let naive = naive.filter(|other| (other.dtype, other.n) == (row.dtype, row.n));
            let over: Vec<f64> = naive.filter_map(|other| Some(other.median_ns? / row.median_ns?)).collect();
            assert!(text("naive").is_empty() || is_printed(text("naive"), &over), "{job}: {over:?}");
            if let Some(other) = job["others"][0].as_str() {
                check_ratio(other, row, &cuda);
            }
        }
    }
}

/// Checks the ratio to CUDA, from the mean difference between the logarithms of the epochs.
fn check_ratio(text: &str, row: &Record, cuda: &[&Record]) {
    let is_twin = |other: &&&Record| {
        (&other.family, &other.benchmark, other.dtype) == (&row.family, &row.benchmark, row.dtype)
            && (other.n, &other.params) == (row.n, &row.params)
    };
    let Some(twin) = cuda.iter().find(is_twin) else { return assert_eq!(text, "") };
    let logs = row.epochs_ns.iter().zip(&twin.epochs_ns).map(|(a, b)| (a / b).ln());
    let ratio = (logs.sum::<f64>() / row.epochs_ns.len() as f64).exp();
    match text.split_once('×').map(|(factor, rest)| (factor, rest.rsplit(' ').next())) {
        Some((factor, Some("faster"))) => assert!(is_printed(factor, &[ratio]), "{text}: {ratio}"),
        Some((factor, Some("slower"))) => assert!(is_printed(factor, &[1.0 / ratio]), "{text}: {ratio}"),
        _ if text == "same" => assert!((0.98..1.02).contains(&ratio), "{ratio}"),
        _ => assert!(["unclear", ""].contains(&text), "{text}"),
    }
}

#[test]
fn several_devices_show_numbers_of_their_rows() {
    let folder = Folder::new();
    let path = page(&folder, &[H100, H200, LLVMPIPE]);
    let data = data(&path);
    let reports = [H100, H200, LLVMPIPE].map(rows);
    let sides = data["sides"].as_array().unwrap();
    let mut numbers = 0;
    for (index, column) in data["screen"]["columns"].as_array().unwrap().iter().enumerate() {
        // Two cards: each side has a column.
        let [side] = column["sides"].as_array().unwrap().as_slice() else { panic!("{column}") };
        let side = &sides[side.as_u64().unwrap() as usize];
        let is_own = |row: &&Record| row.device == side["device"] && row.api_name() == side["backend"];
        let own: Vec<&Record> = reports.iter().flatten().filter(is_own).collect();
        for line in data["screen"]["table"].as_array().unwrap() {
            let (name, cell) = (line["name"].as_str().unwrap(), &line["cells"][index]);
            let Some(figure) = cell["text"].as_str() else { continue };
            numbers += 1;
            match name {
                // The fastest kernel that all sides of the API have.
                _ if !cell["case"].is_null() => {
                    let rate = rate_of(row_of(&data, &cell["case"], &own));
                    assert!(is_printed(figure, &[rate * 1e9]), "{name}: {figure} of {rate}");
                }
                // Sizes and banks are brackets of a curve, not figures of a row.
                _ if name.ends_with(" size") || name.ends_with(" banks") => {}
                _ => assert!(is_printed(figure, &figures(&own, name)), "{}: {name} {figure}", side["name"]),
            }
        }
    }
    assert!(numbers > 100, "{numbers}");
    // The terminal prints the same figures for one of the reports.
    let printed = shaderbench(&["summary", H100, H200]).run().succeeds().stdout;
    for line in data["screen"]["table"].as_array().unwrap() {
        let figure = line["cells"][0]["text"].as_str();
        let is_same =
            |own: &str| own.starts_with(line["name"].as_str().unwrap()) && figure.is_none_or(|text| own.contains(text));
        assert!(printed.lines().any(is_same), "{line}");
    }
}
