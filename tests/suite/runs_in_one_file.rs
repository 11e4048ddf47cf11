//! Several runs of one card in one file, as `report A B -o both.csv` writes it, stay separate runs.

use std::path::Path;

use crate::command::Folder;
use crate::report_page::H100;
use answers::page::unpacked;
use answers::report::csv;
use record::Record;
use serde_json::Value;

/// The H100 report as runs on `count` days: `FACTORS` scale reductions on all but the last; the second lacks a kernel.
fn runs(count: usize) -> Vec<Vec<Record>> {
    const FACTORS: [f64; 4] = [1.3, 1.1, 0.9, 2.0];
    let is_wanted = |row: &Record| matches!(row.family.as_str(), "reduction" | "ceiling");
    let rows: Vec<Record> =
        csv::open(Path::new(H100)).expect("a report").records.into_iter().filter(is_wanted).collect();
    let run = |index: usize| {
        let factor = if index + 1 == count { 1.0 } else { FACTORS[index] };
        let mut rows = rows.clone();
        for row in &mut rows {
            row.date = format!("2026-11-{}T09:00:00Z", 20 + index);
            if row.family == "reduction" {
                let times =
                    [&mut row.median_ns, &mut row.min_ns, &mut row.mean_ns, &mut row.ci_low_ns, &mut row.ci_high_ns];
                times.into_iter().flatten().chain(&mut row.epochs_ns).for_each(|ns| *ns *= factor);
                row.gb_per_s.iter_mut().chain(&mut row.gflop_per_s).for_each(|rate| *rate /= factor);
            }
        }
        if index == 1 {
            rows.retain(|row| row.benchmark != "atomic");
        }
        rows
    };
    (0..count).map(run).collect()
}

/// By report and API, the kernel of the job `sum`, its rate and its time ÷ that of the naive kernel.
fn sums(summary: &Value) -> Vec<(String, String, Value, Value)> {
    let entries = summary.as_array().expect("entries").iter();
    let sum = |entry: &Value| {
        let jobs = entry["jobs"].as_array().expect("jobs");
        let job = jobs.iter().find(|job| job["job"] == "sum").expect("a sum");
        let date = entry["date"].as_str().expect("a date").to_owned();
        (date, entry["api"].to_string(), job["gb_per_s"].clone(), job["naive_time_ratio"].clone())
    };
    entries.map(sum).collect()
}

#[test]
fn two_three_and_five_runs_in_a_file_are_runs() {
    for count in [2, 3, 5] {
        let (folder, runs) = (Folder::new(), runs(count));
        let names: Vec<String> = (0..count).map(|index| format!("day{index}.csv")).collect();
        for (name, rows) in names.iter().zip(&runs) {
            folder.write(name, csv::write(rows));
        }
        folder.write("both.csv", csv::write(&runs.concat()));
        let json = |arguments: &[&str]| -> Value {
            let output = folder.shaderbench(arguments).args(&["--format", "json"]).run().succeeds();
            serde_json::from_str(&output.stdout).expect("JSON")
        };
        // Each run has the same figures as in a file of its own.
        let files: Vec<&str> = std::iter::once("summary").chain(names.iter().map(String::as_str)).collect();
        let (apart, both) = (sums(&json(&files)), sums(&json(&["summary", "both.csv"])));
        assert_eq!(apart, both, "{count} runs");
        assert_eq!(both.len(), 2 * count, "two APIs each");
        let text = folder.run(&["summary", "both.csv"]).succeeds().stdout;
        assert!(text.contains("2026-11-20 (both.csv, run of 2026-11-20 09:00)"), "{text}");
        // `explain` shows the newest run only.
        let explained = folder.run(&["explain", "reduction", "--report", "both.csv"]).succeeds();
        let note = format!("both.csv has {count} runs of the same card: showing the newest, 2026-11-{}", 19 + count);
        assert!(explained.stderr.contains(&note), "{}", explained.stderr);
        let last = names.last().expect("a run");
        let alone = folder.run(&["explain", "reduction", "--report", last]).succeeds().stdout;
        assert_eq!(explained.stdout.replace("both.csv", last), alone);
        // `cost` shows each run.
        let costs = |arguments: &[&str]| -> Vec<Value> {
            json(arguments).as_array().expect("entries").iter().map(|entry| entry["jobs"].clone()).collect()
        };
        let files: Vec<&str> = std::iter::once("cost").chain(names.iter().map(String::as_str)).collect();
        assert_eq!(costs(&files), costs(&["cost", "both.csv"]));
        if count != 3 {
            continue;
        }
        // The page shows one run.
        folder.run(&["report", "both.csv", "--out", "page.html"]).succeeds();
        folder.run(&["report", last, "--out", "alone.html"]).succeeds();
        let screen = |name: &str| -> Value {
            let data: Value =
                serde_json::from_str(&unpacked(&folder.text(name), "report-data").expect("data")).expect("JSON");
            data["screen"]["card"]["jobs"].clone()
        };
        let jobs = |value: Value| -> Vec<[Value; 3]> {
            let jobs = value.as_array().expect("jobs").clone();
            jobs.into_iter().map(|job| ["name", "rate", "naive"].map(|key| job[key].clone())).collect()
        };
        assert_eq!(jobs(screen("page.html")), jobs(screen("alone.html")));
    }
}
