//! `cost`: one screen, on which each number is the ratio of two rows.

#![allow(clippy::unwrap_used, reason = "a failed step ends the test")]

use std::path::Path;

use serde_json::Value;

use crate::command::shaderbench;
use crate::report_page::{H100, LLVMPIPE};
use answers::cost::{Cost, LINES, screen};
use answers::report::{Medium, Terminal, csv};
use record::suite::{Api, Dtype, Extent};
use record::{Clock, Record};

/// A job's line, with one space between cells.
fn line(text: &str, job: &str) -> String {
    let start = format!("{job}  ");
    let line = text.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("no {job} in\n{text}"));
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The time of a case's row, which has the case's parameters, or some of them unless `is_whole`; a library's row has
/// none.
fn time_of(rows: &[Record], api: Api, family: &str, case: &Value, benchmark: &str, is_whole: bool) -> f64 {
    let params = case["params"].as_str().unwrap();
    let is_it = |row: &&Record| {
        row.backend == Some(api)
            && (row.family.as_str(), row.benchmark.as_str()) == (family, benchmark)
            && (row.dtype_name(), row.size().as_str()) == (case["dtype"].as_str().unwrap(), case["n"].as_str().unwrap())
            && (row.params_text() == params
                || !is_whole
                    && row
                        .params_text()
                        .split(';')
                        .all(|own| own.is_empty() || params.split(';').any(|of_case| of_case == own)))
    };
    rows.iter().find(is_it).and_then(|row| row.median_ns).expect("a time")
}

/// Whether a printed number is `value`, rounded to the printed digits.
fn is_rounded(text: &str, value: f64) -> bool {
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let printed: f64 = text.parse().expect("a number");
    (printed - value).abs() <= 0.5 * 10_f64.powi(-i32::try_from(decimals).expect("few")) + 1e-9
}

#[test]
fn every_number_of_a_committed_report_is_the_ratio_of_two_of_its_rows() {
    for path in [H100, "results/nvidia-h200/2026-11-30-vulkan+cuda.csv"] {
        let records = csv::open(Path::new(path)).expect("a report").records;
        let text = shaderbench(&["cost", path]).run().succeeds().stdout;
        assert!(text.lines().count() <= LINES, "{} lines\n{text}", text.lines().count());
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let figures = shaderbench(&["cost", path, "--format", "json"]).run().succeeds().stdout;
        let figures: Value = serde_json::from_str(&figures).expect("JSON");
        let jobs = figures[0]["jobs"].as_array().expect("jobs");
        assert!(jobs.len() >= 7, "{text}");
        let all = shaderbench(&["cost", path, "*"]).run().succeeds().stdout;
        let answer = |text: &str| text.split_once("all sizes").expect("a heading").0.lines().count() - 1;
        let sentences = |text: &str| text.lines().take(answer(text)).collect::<Vec<_>>().join(" ");
        assert_eq!(sentences(&text), sentences(&all));
        assert_eq!(
            sentences(&text),
            [answer_by(jobs, "library_time_ratio"), answer_by(jobs, "twin_time_ratio")].join(" ")
        );
        for job in jobs {
            let family = job["family"].as_str().expect("a family");
            let (mut twins, mut libraries, mut headline) = (Vec::new(), Vec::new(), Vec::new());
            for case in job["cases"].as_array().expect("cases") {
                let own = |name: &str| case[name].as_str().expect("a text");
                let wgsl = time_of(&records, Api::Vulkan, family, case, own("benchmark"), true);
                if let Some(ratio) = case["twin_time_ratio"]["value"].as_f64() {
                    let cuda = time_of(&records, Api::Cuda, family, case, own("benchmark"), true);
                    // The ratio of alternately measured rows is the mean over epochs, not the ratio of the medians.
                    assert!((ratio / (wgsl / cuda)).ln().abs() < 0.03, "{job}: {ratio} of {wgsl} and {cuda}");
                    twins.push(ratio);
                    headline.extend((case["is_headline"] == true).then_some(ratio));
                }
                if let Some(ratio) = case["library_time_ratio"]["value"].as_f64() {
                    let library = time_of(&records, Api::Cuda, family, case, own("library_benchmark"), false);
                    assert!((ratio - wgsl / library).abs() < 1e-9, "{job}: {ratio} of {wgsl} and {library}");
                    libraries.push(ratio);
                    headline.extend((case["is_headline"] == true).then_some(ratio));
                }
            }
            // Each printed number is one of these.
            let table = all.split_once("all sizes").expect("a heading").1;
            let line = line(table, job["job"].as_str().expect("a name"));
            let numbers = line.split([' ', '–', '†']).filter(|word| word.contains('.') && word.parse::<f64>().is_ok());
            for number in numbers {
                let mut values = twins.iter().chain(&libraries).chain(&headline);
                assert!(values.any(|value| is_rounded(number, *value)), "{number} of\n{line}\n{text}");
            }
        }
        if path == H100 {
            insta::assert_snapshot!(text);
        }
    }
}

/// The answer's sentence, from the figures of the cases shown.
fn answer_by(jobs: &[Value], key: &str) -> String {
    let (whose, is_twin) =
        (["NVIDIA's libraries", "the CUDA port"][usize::from(key == "twin_time_ratio")], key == "twin_time_ratio");
    let (mut slower, mut even, mut faster, mut unclear) = (Vec::new(), 0, 0, 0);
    for job in jobs {
        let case = job["cases"].as_array().unwrap().iter().find(|case| case["is_headline"] == true).unwrap();
        let [value, low, high] = ["value", "low", "high"].map(|end| case[key][end].as_f64());
        let (Some(value), Some(low), Some(high)) = (value, low, high) else { continue };
        let noise = (high - low) / 2.0 / value;
        match () {
            () if low > 1.1 && noise <= 0.15 => {
                let mark = if is_twin && !case["twin_differs"].is_null() { "†" } else { "" };
                let noise = if noise > 0.02 { format!(" ±{:.0} %", noise * 100.0) } else { String::new() };
                slower.push((value, format!("{}{mark} {value:.2}×{noise}", job["job"].as_str().unwrap())));
            }
            () if high <= 1.1 && low >= 1.0 / 1.1 => even += 1,
            () if high < 1.0 / 1.1 => faster += 1,
            () => unclear += 1,
        }
    }
    slower.sort_by(|a, b| b.0.total_cmp(&a.0));
    let names = slower.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(", ");
    let names = if names.is_empty() { "none".to_owned() } else { names };
    let counted = |count: u32, what: &str| if count == 0 { String::new() } else { format!(", {count} {what}") };
    let (faster, unclear) = (counted(faster, "faster"), counted(unclear, "too close to call"));
    format!("Slower than {whose}: {names}; {even} jobs within 10 %{faster}{unclear}.")
}

/// A job's sizes, and their ratios to the CUDA port.
type Twins = Vec<(String, Option<f64>)>;

#[test]
fn filters_tags_and_sizes_select_jobs() {
    let jobs = |arguments: &[&str]| -> Vec<(String, Twins)> {
        let arguments = [&["cost"], arguments, &["--format", "json"]].concat();
        let output = shaderbench(&arguments).run().succeeds().stdout;
        let figures: Value = serde_json::from_str(&output).expect("JSON");
        let case = |case: &Value| (case["n"].as_str().unwrap().to_owned(), case["twin_time_ratio"]["value"].as_f64());
        let job = |job: &Value| {
            let cases = job["cases"].as_array().unwrap().iter().map(case).collect();
            (job["job"].as_str().unwrap().to_owned(), cases)
        };
        figures[0]["jobs"].as_array().unwrap().iter().map(job).collect()
    };
    let all = jobs(&[H100]);
    let names = |of: &[(String, Vec<_>)]| of.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let llm = jobs(&[H100, "gemv", "softmax", "--tag", "llm"]);
    let mut found = names(&llm);
    found.sort_unstable();
    assert_eq!(found, ["gemv f16", "gemv f32", "gemv q4", "gemv q8", "softmax"]);
    // A filter changes no figure.
    assert!(llm.iter().all(|job| all.contains(job)), "{llm:?}");
    for (_, cases) in jobs(&["gemv/q8*", H100, "--size", "4096"]) {
        let of_all = all.iter().find(|(name, _)| name == "gemv q8").unwrap();
        assert!(cases.len() == 1 && cases[0].0 == "4096x4096" && of_all.1.contains(&cases[0]), "{cases:?}");
    }
    shaderbench(&["cost", "h100", "rates"]).run().fails_with(1, "; the jobs are sum, transpose,");
    shaderbench(&["cost", "h100", "softmx"]).run().fails_with(2, "did you mean 'softmax'?");
    shaderbench(&["cost", "none.csv"]).run().fails_with(1, "cannot read 'none.csv'");
}

#[test]
fn figures_of_other_programs_stand_beside_the_row_of_their_case() {
    let records = csv::open(Path::new(H100)).expect("a report").records;
    let text = shaderbench(&["cost", H100]).run().succeeds().stdout;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (family, n, params, case, other) in [
        ("matmul", "4096x4096x4096", "", "GEMM f16 4096³", "289 TFLOP/s (vk_cooperative_matrix_perf)"),
        ("attention", "16x4096", "CAUSAL=0;D=128", "attention 16×4096×128", "212 TFLOP/s (llama.cpp)"),
    ] {
        let is_it = |row: &&Record| {
            row.backend == Some(Api::Vulkan)
                && (&*row.family, &*row.benchmark) == (family, "cooperative")
                && (row.size().as_str(), row.params_text().as_str()) == (n, params)
        };
        let row = records.iter().find(is_it).expect("a row");
        let own = (row.flops.unwrap() as f64 / row.median_ns.unwrap() / 1e3).round();
        assert!(words.contains(&format!("{case} {other}, shaderbench {own} TFLOP/s")), "{own}\n{text}");
    }
    // Other cards have no such comparison.
    let other = shaderbench(&["cost", "results/nvidia-h200/2026-11-30-vulkan+cuda.csv"]).run().succeeds().stdout;
    assert!(!other.contains("not verified"), "{other}");
}

#[test]
fn a_report_of_one_api_has_no_cost() {
    let output = shaderbench(&["cost", LLVMPIPE]).run().exits_with(1);
    assert!(output.stderr.contains("no job has both WGSL and CUDA rows from the same card"), "{output}");
    let absent = shaderbench(&["cost", "h200"]).run().exits_with(2);
    let meant = "there is no report or benchmark 'h200': did you mean the report results/nvidia-h200/";
    assert!(absent.stderr.contains(meant), "{absent}");
}

#[test]
fn a_cause_stands_beside_a_ratio_that_it_explains_or_is_left_out() {
    let row = |family: &str, benchmark: &str, api, n, ns: f64| Record {
        device: "Fake 9000".to_owned(),
        family: family.to_owned(),
        benchmark: benchmark.to_owned(),
        backend: Some(api),
        dtype: Some(if family == "matmul" { Dtype::F16 } else { Dtype::F32 }),
        n: Some(n),
        timer: Some(Clock::Timestamp),
        bytes: Some(8 * n.count()),
        gb_per_s: Some(8.0 * n.count() as f64 / ns),
        gflop_per_s: (family == "matmul").then(|| 2.0 * n.count() as f64 / ns),
        median_ns: Some(ns),
        ci_low_ns: Some(ns * 0.999),
        ci_high_ns: Some(ns * 1.001),
        ..Record::default()
    };
    let rows = |side, ns| -> Vec<Record> {
        let gemm = |api, ns| row("matmul", "cooperative", api, Extent::Product(side, side, side), ns);
        let transpose = |api, ns| row("transpose", "tiled", api, Extent::Matrix(1024, 1024), ns);
        let [gemms, transposes] = [
            [gemm(Api::Vulkan, ns), gemm(Api::Cuda, 100.0)],
            [transpose(Api::Vulkan, 101.0), transpose(Api::Cuda, 100.0)],
        ];
        gemms.into_iter().chain(transposes).collect()
    };
    let shown = |rows: &[Record], has_all, is_wanted: fn(&Record) -> bool| {
        let medium = Medium::Terminal(Terminal { width: 80, has_color: false });
        screen(&Cost::new(rows, is_wanted).expect("both APIs"), "r.csv", has_all, medium)
    };
    let text = shown(&rows(4096, 148.0), false, |_| true);
    assert_eq!(line(&text, "GEMM f16"), "GEMM f16 1.48† no cp.async");
    let rest = "\nAt most 10 % slower at that size: transpose. ";
    assert!(text.contains(rest) && !text.contains("\ntranspose"), "{text}");
    // At a small size the cause does not apply, and a small loss needs none.
    assert_eq!(line(&shown(&rows(512, 148.0), false, |_| true), "GEMM f16"), "GEMM f16 1.48†");
    assert_eq!(line(&shown(&rows(4096, 105.0), true, |_| true), "GEMM f16"), "GEMM f16 1.05†");
    // Filters select WGSL rows only; the rows they are compared with stay.
    let text = shown(&rows(4096, 148.0), false, |row| row.family == "transpose");
    let answer = "Slower than the CUDA port: none; 1 job within 10 %.\n";
    assert!(text.starts_with(answer) && !text.contains("GEMM f16"), "{text}");
}
