//! The committed reports: each readable, plausible and complete, and the page about them as `index` writes it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use shaderbench::families::FAMILIES;
use shaderbench::report::{apis, csv};
use shaderbench::results::{Record, SCHEMA, Status};

/// Benchmarks that came after reports were committed, with the day from which on a report must have them.
const ADDED: &[(&str, &str)] = &[
    ("transpose/registers", "2026-11-21"),
    ("scan/single_pass_subgroup", "2026-11-21"),
    ("histogram/vec4", "2026-11-21"),
    ("matmul/double_buffered", "2026-11-21"),
    ("transfer/staging_to_device", "2026-11-21"),
    ("transfer/device_to_staging", "2026-11-21"),
    ("transfer/pinned_to_device", "2026-11-22"),
    ("transpose/tiled_wide", "2026-11-22"),
    ("transfer/pinned_by_kernel", "2026-11-22"),
    ("ceiling/read_tree", "2026-11-22"),
];

fn index(folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shaderbench"));
    command.arg("index").arg(folder).stdin(Stdio::null()).output().expect("starts")
}

/// The CSV files below a folder.
fn reports(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path());
    let mut found: Vec<PathBuf> = entries
        .flat_map(|path| if path.is_dir() { reports(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|ending| ending == "csv"))
        .collect();
    found.sort();
    found
}

#[test]
fn the_committed_page_is_what_index_writes_now() {
    let folder = tempfile::tempdir().expect("a folder");
    for path in reports(Path::new("results")) {
        let copy = folder.path().join(path.strip_prefix("results").expect("below"));
        std::fs::create_dir_all(copy.parent().expect("a folder")).expect("created");
        std::fs::copy(&path, copy).expect("copied");
    }
    let output = index(folder.path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let written = std::fs::read_to_string(folder.path().join("README.md")).expect("the page");
    let committed = std::fs::read_to_string("results/README.md").expect("the committed page");
    assert_eq!(committed, written, "run `shaderbench index results/` and commit what it writes");
}

#[test]
fn every_committed_report_is_readable_and_whole() {
    let paths = reports(Path::new("results"));
    assert!(!paths.is_empty());
    for path in paths {
        let report = csv::open(&path).unwrap_or_else(|error| panic!("{}", error.chain()));
        let name = path.display();
        assert!(report.notes.is_empty(), "{name}: {:?}", report.notes);
        let mut seen = BTreeSet::new();
        for row in &report.records {
            assert!(seen.insert(row.identity()), "{name}: {:?} stands twice", row.identity());
            assert_eq!(row.schema, Some(SCHEMA), "{name}");
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
    for path in reports(Path::new("results")) {
        for row in csv::open(&path).expect("readable").records {
            let label =
                format!("{}: {} {} {} {}", path.display(), row.name(), row.dtype_name(), row.size(), row.params_text());
            assert!(!row.status.is_fault(), "{label} is {}: {}", row.status.name(), row.reason);
            if row.status == Status::Skipped {
                assert!(!row.reason.is_empty() && row.median_ns.is_none(), "{label} is skipped without a reason");
                continue;
            }
            // Larger working sets than any that a ceiling is measured at have none of their own.
            let most = if row.bytes.is_some_and(|bytes| bytes > 5 << 28) { 1.1 } else { 1.05 };
            assert!(row.share.is_none_or(|share| (0.0..=most).contains(&share)), "{label}: share {:?}", row.share);
            let times = [row.min_ns, row.ci_low_ns, row.median_ns, row.ci_high_ns].map(|time| time.expect("a time"));
            // Of few samples the interval reaches below the fastest.
            let [least, low, median, high] = times;
            assert!(
                least > 0.0 && least <= median && low <= median && median <= high,
                "{label}: {times:?} do not rise"
            );
        }
    }
}

#[test]
fn a_committed_report_has_every_benchmark_of_its_day_through_every_api() {
    for path in reports(Path::new("results")) {
        let records = csv::open(&path).expect("readable").records;
        for api in apis(&records) {
            let rows: Vec<&Record> = records.iter().filter(|row| row.api_name() == api).collect();
            for family in FAMILIES {
                for name in family.benchmarks.iter().map(|benchmark| format!("{}/{}", family.name, benchmark.name)) {
                    let added = ADDED.iter().find(|(added, _)| *added == name).map_or("", |(_, day)| day);
                    let is_older = rows.first().is_some_and(|row| row.date.as_str() < added);
                    assert!(
                        is_older || rows.iter().any(|row| row.name() == name),
                        "{} lacks {name} through {api}: measure it all, or, where the benchmark is newer, put it into ADDED",
                        path.display()
                    );
                }
            }
        }
    }
}

#[test]
fn a_page_that_people_wrote_and_an_empty_folder_are_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |output: Output| {
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(refused(index(folder.path())).contains("contains no report"));
    std::fs::write(folder.path().join("README.md"), "# My own\n").expect("written");
    assert!(refused(index(folder.path())).contains("README.md was not written by `index`: move it away"));
    assert_eq!(std::fs::read_to_string(folder.path().join("README.md")).expect("there"), "# My own\n");
    assert_eq!(index(&folder.path().join("none")).status.code(), Some(1));
}
