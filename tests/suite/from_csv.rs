//! Printed figures, computed again from a report's CSV by code that shares nothing with the program.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::command::shaderbench;
use crate::figures::{is_rounding, list, number, text};
use kernels::benchmark;
use record::suite::{Benchmark, WorkKind};

const REPORT: &str = "results/nvidia-h100-80gb-hbm3/2026-11-28-vulkan+cuda.csv";

/// Fields by column.
struct Row(BTreeMap<String, String>);

impl Row {
    fn text(&self, column: &str) -> &str {
        &self.0[column]
    }

    fn number(&self, column: &str) -> Option<f64> {
        self.text(column).parse().ok()
    }

    fn kernel(&self) -> String {
        format!("{}/{}", self.text("family"), self.text("benchmark"))
    }

    /// The columns that identify a case on every side.
    fn case(&self) -> [String; 5] {
        ["family", "benchmark", "dtype", "n", "params"].map(|column| self.text(column).to_owned())
    }

    /// The row's figures that a text may print: its rate in GB/s, and times in nanoseconds.
    fn figures(&self) -> Vec<f64> {
        let Some(ns) = self.number("median_ns") else { return Vec::new() };
        let bytes = self.number("bytes");
        // A pointer chase loads 4 bytes per step.
        let of_bytes = bytes.into_iter().flat_map(|bytes| [bytes / ns, 4.0 * ns / bytes]);
        let others = ["end_to_end_ns", "in_kernel_ns"].into_iter().filter_map(|column| self.number(column));
        of_bytes.chain([ns]).chain(others).collect()
    }
}

fn rows() -> Vec<Row> {
    let mut reader = csv::Reader::from_path(REPORT).expect("a report");
    let columns = reader.headers().expect("columns").clone();
    let row = |fields: csv::StringRecord| {
        Row(columns.iter().map(str::to_owned).zip(fields.iter().map(str::to_owned)).collect())
    };
    reader.records().map(|fields| row(fields.expect("a row"))).collect()
}

fn json(arguments: &[&str]) -> Value {
    let arguments = [arguments, &["--format", "json"]].concat();
    let printed = shaderbench(&arguments).run().succeeds().stdout;
    serde_json::from_str(&printed).expect("JSON")
}

/// Rates and times in a text, each with its value in GB/s or ns.
fn quantities(text: &str) -> Vec<(&str, f64)> {
    let units = [("TB/s", 1e3), ("GB/s", 1.0), ("ns", 1.0), ("µs", 1e3), ("ms", 1e6)];
    let words: Vec<&str> = text.split_whitespace().collect();
    let unit = |word: &str| units.iter().find(|(name, _)| word.trim_end_matches([',', '.', ';', ':']) == *name);
    words.windows(2).filter_map(|pair| Some((pair[0].trim_matches('('), unit(pair[1])?.1))).collect()
}

/// Half a unit of the last printed digit.
fn half(printed: &str) -> f64 {
    let digits = printed.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
    let zeros = if digits == 0 { printed.len() - printed.trim_end_matches('0').len() } else { 0 };
    0.5 * 10_f64.powi(zeros as i32 - digits) * (1.0 + 1e-6)
}

#[test]
fn rates_and_times_of_the_tour_are_those_of_rows() {
    let rows = rows();
    let mut found = 0;
    let tour = json(&["explain", "A", "B", "C", "D", "E", "--report", REPORT]);
    for step in list(&tour["steps"]) {
        // B1 quotes more kernels of the family than it measures.
        let families = list(&step["kernels"]).iter().filter_map(|kernel| text(kernel).split('/').next());
        let families: Vec<&str> = families.collect();
        for verdict in list(&step["verdicts"]) {
            let of_step = |row: &&Row| families.contains(&row.text("family")) && row.text("backend") == verdict["api"];
            let figures: Vec<f64> = rows.iter().filter(of_step).flat_map(Row::figures).collect();
            // D4 also counts whole fetches, of 64 bytes for a load of 4; C6 repeats its time in cycles.
            let own = text(&verdict["text"]).split("If whole fetches").next().unwrap_or_default();
            // A5 quotes the times of all sums outside the kernel, which no row has.
            let own = own
                .split_once("sums of this size take")
                .map_or(own, |(_, rest)| rest.split_once(". ").map_or("", |(_, rest)| rest));
            for (printed, unit) in quantities(own) {
                let Ok(value) = printed.parse::<f64>() else { panic!("{printed} in {own}") };
                let is_near = |figure: &f64| (figure / unit - value).abs() <= half(printed);
                assert!(figures.iter().any(is_near), "{}: no row has {printed} of {own}", step["step"]);
                found += 1;
            }
        }
    }
    assert!(found > 150, "{found} figures");
}

#[test]
fn a_ratio_of_the_tour_is_that_of_the_two_rows_beside_it() {
    let rows = rows();
    let mut found = 0;
    let tour = json(&["explain", "A", "B", "D", "--report", REPORT]);
    for step in list(&tour["steps"]) {
        let kernels: Vec<&str> = list(&step["kernels"]).iter().map(text).collect();
        for verdict in list(&step["verdicts"]) {
            let of_step = |row: &&Row| kernels.contains(&&*row.kernel()) && row.text("backend") == verdict["api"];
            let rates: Vec<f64> = rows.iter().filter(of_step).flat_map(Row::figures).collect();
            for sentence in text(&verdict["text"]).split(". ") {
                // "the sum in shared memory is 1.6× as fast as the sum in global memory: 810 GB/s and 509 GB/s"
                let Some((ratio, rest)) = sentence.split_once("× as fast as ") else { continue };
                let ratio = ratio.rsplit(' ').next().expect("a word");
                let [(first, unit), (second, other)] = quantities(rest)[..] else { continue };
                let of = |printed: &str, unit: f64| {
                    let value: f64 = printed.parse().expect("a number");
                    let half = half(printed);
                    rates.iter().map(move |rate| rate / unit).filter(move |rate| (rate - value).abs() <= half)
                };
                let ratios: Vec<f64> = of(first, unit)
                    .flat_map(|first| of(second, other).map(move |second| first * unit / (second * other)))
                    .collect();
                let value: f64 = ratio.parse().expect("a ratio");
                assert!(ratios.iter().any(|own| (own - value).abs() <= half(ratio)), "{sentence}: {ratios:?}");
                found += 1;
            }
        }
    }
    assert!(found > 12, "{found} ratios");
}

#[test]
fn the_fastest_kernel_is_the_row_with_the_least_time() {
    let rows = rows();
    let mut found = 0;
    let families = ["transpose", "reduction", "scan", "gemv", "softmax", "histogram"];
    let explained = json(&[&["explain"], &families[..], &["--report", REPORT]].concat());
    for choice in list(&explained["choices"]) {
        let has = |row: &&Row, json: &str, column: &str| choice[json].as_str() == Some(row.text(column));
        let is_of_job = |row: &&Row| {
            let columns = [("family", "family"), ("api", "backend"), ("dtype", "dtype"), ("n", "n")];
            row.text("status") == "ok" && columns.into_iter().all(|(json, column)| has(row, json, column))
        };
        // A name includes the parameters that its kernels do not share.
        let times = |name: &str| {
            let of_name = rows.iter().filter(is_of_job).filter(|row| {
                let params = format!("{};{}", row.text("params"), text(&choice["params"]));
                let mut words = name.split(' ');
                words.next() == Some(row.text("benchmark"))
                    && words.all(|word| params.split(';').any(|own| own == word))
            });
            let of_name = of_name.filter(|row| {
                text(&choice["params"])
                    .split([';', ' '])
                    .all(|param| param.is_empty() || row.text("params").contains(param))
            });
            let times: Vec<f64> = of_name.filter_map(|row| row.number("median_ns")).collect();
            assert!(!times.is_empty(), "{choice}: no row of {name}");
            times
        };
        let least = |times: Vec<f64>| times.into_iter().fold(f64::INFINITY, f64::min);
        let (first, next) = (least(times(text(&choice["fastest"]))), times(text(&choice["next"])));
        let ratio = number(&choice["next_time_ratio"]["value"]);
        assert!(next.iter().any(|next| (next / first / ratio - 1.0).abs() < 1e-4), "{choice}: {first} {next:?}");
        found += 1;
    }
    assert!(found > 40, "{found} jobs");
}

/// Case, ratio of times and verdict of a pair of rows.
type Pair = ([String; 5], f64, String);

#[test]
fn means_of_a_comparison_are_those_of_its_rows() {
    let rows = rows();
    let compared = json(&["compare", REPORT, "--all"]);
    let time = |api: &str| -> BTreeMap<[String; 5], f64> {
        let of_api = rows.iter().filter(|row| row.text("backend") == api && row.text("status") == "ok");
        of_api.filter_map(|row| Some((row.case(), row.number("median_ns")?))).collect()
    };
    let [baseline, side] = [time("cuda"), time("vulkan")];
    let of_case = |case: &Value| ["family", "benchmark", "dtype", "n", "params"].map(|key| text(&case[key]).to_owned());
    let [of] = list(&compared["matches"]) else { panic!("two APIs") };
    // The pairs timed by the same clock.
    let mut pairs: Vec<Pair> = Vec::new();
    for case in list(&compared["cases"]) {
        let [pair] = list(&case["pairs"]) else { continue };
        let key = of_case(case);
        let ratio = side[&key] / baseline[&key];
        assert!((ratio / number(&pair["time_ratio"]["value"]) - 1.0).abs() < 1e-3, "{case}: {ratio}");
        if !list(&pair["differs"]).iter().any(|mark| mark == "timer") {
            pairs.push((key, ratio, text(&pair["verdict"]).to_owned()));
        }
    }
    let kind = |(key, ..): &Pair| benchmark(&key[0], &key[1]).map_or(WorkKind::Kernel, Benchmark::work_kind);
    // Means cover one kind of work.
    let mean = |of: &dyn Fn(&&Pair) -> bool| {
        let first = pairs.iter().filter(of).map(kind).min();
        let own = pairs.iter().filter(of).filter(|pair| Some(kind(pair)) == first);
        let logs: Vec<f64> = own.map(|(_, ratio, _)| ratio.ln()).collect();
        (logs.len(), (logs.iter().sum::<f64>() / logs.len() as f64).exp())
    };
    let is_mean = |value: &Value, (count, mean): (usize, f64), cases: &Value| {
        assert_eq!(cases.as_u64(), Some(count as u64), "{value}");
        assert!((number(&value["value"]) / mean - 1.0).abs() < 1e-3, "{value}: {mean}");
    };
    let all = &of["kinds"]["kernels"];
    is_mean(&all["mean_time_ratio"], mean(&|_| true), &all["cases"]);
    for (name, family) in of["families"].as_object().expect("families") {
        is_mean(&family["mean_time_ratio"], mean(&|(key, ..)| key[0] == *name), &family["cases"]);
    }
    let answer = text(&list(&of["answer"])[0]);
    let printed = answer.split_once("Vulkan against CUDA: +").and_then(|(_, rest)| rest.split(' ').next());
    let change = 100.0 * (mean(&|_| true).1 - 1.0);
    assert!(printed.is_some_and(|printed| is_rounding(printed, change)), "{answer}: {change}");
    let mut found = 0;
    for kernel in list(&of["kernels"]).iter().filter(|kernel| kernel["changed"] != 0) {
        let name = [text(&kernel["family"]), text(&kernel["benchmark"])];
        let is_own = |(key, _, verdict): &&Pair| [&*key[0], &*key[1]] == name && kernel["verdict"] == verdict.as_str();
        is_mean(&kernel["time_ratio"], mean(&is_own), &kernel["changed"]);
        found += 1;
    }
    assert!(found > 100, "{found} kernels");
}
