//! `cost`: one screen, each number of which is the ratio of two rows.

#![allow(clippy::unwrap_used, reason = "a failed step ends the test")]

use std::path::Path;

use serde_json::Value;

use crate::command::shaderbench;
use crate::report_page::{H100, LLVMPIPE};
use answers::cost::LINES;
use answers::report::csv;
use record::Record;
use record::suite::Api;

/// The cells of the line of a job, one space between them.
fn line(text: &str, job: &str) -> String {
    let line = text.lines().find(|line| line.starts_with(job)).unwrap_or_else(|| panic!("no {job} in\n{text}"));
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The time of the row of a case, in the report itself: of one whose parameters the case has, too, and all of them if
/// `is_whole`. A library's row has no parameters of a kernel.
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

/// Whether a printed number is `value`, rounded to the digits that it has, within what the epochs of a ratio shift it by.
fn is_rounded(text: &str, value: f64) -> bool {
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let printed: f64 = text.parse().expect("a number");
    (printed - value).abs() <= 0.5 * 10_f64.powi(-i32::try_from(decimals).expect("few")) + 1e-9
}

#[test]
fn every_number_of_a_committed_report_is_the_ratio_of_two_of_its_rows() {
    for path in [H100, "results/nvidia-h200/2026-11-23-vulkan+cuda.csv"] {
        let records = csv::open(Path::new(path)).expect("a report").records;
        let text = shaderbench(&["cost", path]).run().succeeds().stdout;
        assert!(text.lines().count() <= LINES, "{} lines\n{text}", text.lines().count());
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let figures = shaderbench(&["cost", path, "--format", "json"]).run().succeeds().stdout;
        let figures: Value = serde_json::from_str(&figures).expect("JSON");
        let jobs = figures[0]["jobs"].as_array().expect("jobs");
        assert!(jobs.len() >= 7, "{text}");
        for job in jobs {
            let family = job["family"].as_str().expect("a family");
            let (mut twins, mut libraries, mut headline) = (Vec::new(), Vec::new(), Vec::new());
            for case in job["cases"].as_array().expect("cases") {
                let own = |name: &str| case[name].as_str().expect("a text");
                let wgsl = time_of(&records, Api::Vulkan, family, case, own("benchmark"), true);
                if let Some(ratio) = case["twin"]["value"].as_f64() {
                    let cuda = time_of(&records, Api::Cuda, family, case, own("benchmark"), true);
                    // The ratio of rows in turns is the mean over epochs, not the ratio of the medians.
                    assert!((ratio / (wgsl / cuda)).ln().abs() < 0.03, "{job}: {ratio} of {wgsl} and {cuda}");
                    twins.push(ratio);
                    headline.extend((case["is_headline"] == true).then_some(ratio));
                }
                if let Some(ratio) = case["library_ratio"]["value"].as_f64() {
                    let library = time_of(&records, Api::Cuda, family, case, own("library_benchmark"), false);
                    assert!((ratio - wgsl / library).abs() < 1e-9, "{job}: {ratio} of {wgsl} and {library}");
                    libraries.push(ratio);
                    headline.extend((case["is_headline"] == true).then_some(ratio));
                }
            }
            // Each printed number is one of these.
            let line = line(&text, job["job"].as_str().expect("a name"));
            let numbers = line.split([' ', '–', '†']).filter(|word| word.contains('.'));
            for number in numbers {
                let mut values = twins.iter().chain(&libraries).chain(&headline);
                assert!(values.any(|value| is_rounded(number, *value)), "{number} of\n{line}\n{text}");
            }
        }
        // Those of the answer are in the table.
        let (answer, table) = text.split_once("all sizes").expect("a heading");
        for number in answer.split([' ', '×']).filter(|word| word.contains('.') && word.parse::<f64>().is_ok()) {
            assert!(table.contains(&format!(" {number}")), "{number} is in no line of\n{text}");
        }
        if path == H100 {
            insta::assert_snapshot!(text);
        }
    }
}

#[test]
fn a_report_of_one_api_has_no_cost() {
    let output = shaderbench(&["cost", LLVMPIPE]).run().exits_with(1);
    assert!(output.stderr.contains("no rows of WGSL and CUDA on one card"), "{output}");
    let absent = shaderbench(&["cost", "h200"]).run().exits_with(2);
    assert!(absent.stderr.contains("cannot read h200: ") && absent.stderr.contains("`h100`"), "{absent}");
}
