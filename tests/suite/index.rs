//! Committed reports are readable, plausible and complete, and `report --format index` writes the page about them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::command::{Folder, Output};
use crate::common::committed_reports;
use answers::report::csv;
use record::{SCHEMA, Status};

fn index(folder: &Folder, reports: &str) -> Output {
    folder.run(&["report", reports, "--format", "index"])
}

/// The committed reports, relative to the working folder of tests.
fn reports() -> Vec<PathBuf> {
    committed_reports(Path::new(""))
}

/// A folder with copies of the committed reports below `results/`.
pub(crate) fn folder_of_reports() -> Folder {
    let folder = Folder::new();
    for path in reports() {
        folder.write(path.to_str().expect("UTF-8"), std::fs::read(&path).expect("readable"));
    }
    folder
}

#[test]
fn index_writes_the_committed_page() {
    let folder = folder_of_reports();
    index(&folder, "results").succeeds();
    let committed = std::fs::read_to_string("results/README.md").expect("the committed page");
    assert_eq!(
        committed,
        folder.text("results/README.md"),
        "run `shaderbench report results/ --format index` and commit the page"
    );
    for line in committed.lines().filter(|line| line.starts_with('|')) {
        // A reader sees the text of a link, not its target.
        let seen: String = line.split("](<").map(|part| part.split_once(">)").map_or(part, |(_, rest)| rest)).collect();
        assert!(seen.chars().count() <= 125, "{seen}");
    }
}

#[test]
fn the_readme_shows_the_summary_of_a_committed_report() {
    // `documents::` compares it with what the command prints.
    let readme = include_str!("../../README.md");
    assert!(readme.contains("```text\n$ shaderbench summary results/"));
}

#[test]
fn every_committed_report_is_readable_and_complete() {
    let paths = reports();
    assert!(!paths.is_empty());
    for path in paths {
        let report = csv::open(&path).unwrap_or_else(|error| panic!("{}", error.chain()));
        let name = path.display();
        assert!(report.notes.is_empty(), "{name}: {:?}", report.notes);
        let mut seen = BTreeSet::new();
        for row in &report.records {
            assert!(seen.insert(row.identity()), "{name}: {:?} has two rows", row.identity());
            assert!(row.schema.is_some_and(|schema| schema <= SCHEMA), "{name}");
            for (column, value) in
                [("device", &row.device), ("driver", &row.driver), ("date", &row.date), ("os", &row.os)]
            {
                assert!(!value.is_empty(), "{name}: {} has no {column}", row.name());
            }
        }
    }
}

#[test]
fn every_row_of_a_committed_report_is_plausible() {
    for path in reports() {
        for row in csv::open(&path).expect("readable").records {
            let label =
                format!("{}: {} {} {} {}", path.display(), row.name(), row.dtype_name(), row.size(), row.params_text());
            assert!(!row.status.is_fault(), "{label} is {}: {}", row.status.name(), row.reason);
            if row.status == Status::Skipped {
                assert!(!row.reason.is_empty() && row.median_ns.is_none(), "{label} is skipped without a reason");
                continue;
            }
            // No ceiling is measured with working sets as large as these.
            let most = if row.bytes.is_some_and(|bytes| bytes > 5 << 28) { 1.1 } else { 1.05 };
            let share = row.share_low.or(row.share);
            assert!(share.is_none_or(|share| (0.0..=most).contains(&share)), "{label}: share {share:?}");
            let times = [row.min_ns, row.ci_low_ns, row.median_ns, row.ci_high_ns].map(|time| time.expect("a time"));
            // With few samples, the interval reaches below the fastest one.
            let [least, low, median, high] = times;
            assert!(
                least > 0.0 && least <= median && low <= median && median <= high,
                "{label}: {times:?} do not rise"
            );
        }
    }
}

#[test]
fn index_overwrites_no_page_of_the_user_and_reports_an_empty_folder() {
    let folder = Folder::new();
    let refused = index(&folder, ".").exits_with(2);
    assert!(refused.stderr.contains("contains no report: no file in the folder ends in .csv"), "{refused}");
    folder.write("README.md", "# My own\n");
    let refused = index(&folder, ".").exits_with(2);
    assert!(refused.stderr.contains("README.md was not written by `report --format index`: move it away"), "{refused}");
    assert_eq!(folder.text("README.md"), "# My own\n");
    // A file that is not text is the user's, too.
    folder.write("README.md", b"\xff\xfe");
    index(&folder, ".").exits_with(2);
    let report = reports().into_iter().next().expect("a report");
    folder.write("r.csv", std::fs::read(report).expect("readable"));
    folder.run(&["report", ".", "--format", "index", "--force"]).succeeds();
    assert!(folder.text("README.md").starts_with("<!-- Written by"));
    index(&folder, ".").succeeds();
    index(&folder, "none").exits_with(1);
    assert!(index(&folder, "r.csv").exits_with(2).stderr.contains("r.csv is a file: name a folder"));
}
