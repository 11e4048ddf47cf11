//! Only reports that git tracks count as committed: a user's report in the tree changes no test and no built-in file.

use std::path::Path;

use crate::command::{Folder, has_device, is_installed, program};
use crate::common::committed_reports;
use crate::index::folder_of_reports;
use answers::references::{Shipped, pack, unpack};
use answers::report::{Terminal, csv, example, reader};
use answers::summary::card;

#[test]
fn the_references_are_made_from_the_committed_reports() {
    let file = std::fs::read("data/references.json.gz").expect("the file");
    let mut expected = Shipped::default();
    for path in committed_reports(Path::new("")) {
        expected.add(&csv::open(&path).expect("a report").records);
    }
    let expected = unpack(&pack(expected)).expect("its own");
    assert!(unpack(&file) == Ok(expected), "run `cargo run --example references` and commit the file");
    assert!(file.len() <= 1_000_000, "{} bytes", file.len());
}

#[test]
fn the_example_is_a_committed_report_and_has_its_summary() {
    let committed = csv::open(Path::new(example::SOURCE)).expect("a report").records;
    let repacked = reader::read(Path::new("h100"), example::pack(&committed).as_slice()).expect("its own").records;
    let file = std::fs::read("data/h100.csv.gz").expect("the file");
    let shipped = reader::read(Path::new("h100"), file.as_slice()).expect("sound").records;
    assert!(shipped == repacked, "run `cargo run --example references` and commit the file");
    let summary = |records: &[_]| card(records, &[], Terminal { width: 80, has_color: false });
    assert_eq!(summary(&shipped), summary(&committed));
}

/// Filters of this program's tests that read the committed reports.
const READERS: [&str; 4] = [
    "index::",
    "findings::a_software_device",
    "share::every_committed_report_passes",
    "committed::the_references_are_made",
];

/// README.md's two commands in order: a run, then the tests (here, those that read reports).
#[test]
fn tests_pass_after_a_run_and_with_a_foreign_report_in_the_tree() {
    if !is_installed("git") {
        return;
    }
    let clone = folder_of_reports();
    for name in ["results/README.md", "data/references.json.gz", ".gitignore"] {
        clone.write(name, std::fs::read(name).expect("readable"));
    }
    git(&clone, &["init", "--quiet"]);
    git(&clone, &["add", "."]);
    let staged = git(&clone, &["status", "--porcelain"]);
    let committed = committed_reports(Path::new(""));
    if has_device() {
        clone.run(&["ceiling/launch", "--profile", "quick"]).succeeds();
        assert!(clone.path("reports").is_dir());
        assert_eq!(git(&clone, &["status", "--porcelain"]), staged, "a run leaves files that git sees");
    }
    // Three rows with a host, in the wrong folder, and a file that is no report: either would fail each test.
    let mut foreign = csv::open(&committed[0]).expect("a report").records;
    foreign.truncate(3);
    foreign.iter_mut().for_each(|row| row.host = "node7.cluster".to_owned());
    clone.write("results/card/2026-11-28-vulkan.csv", csv::write(&foreign));
    clone.write("results/nvidia-h200/broken.csv", "no report\n");
    let found = committed_reports(&clone.path(""));
    assert_eq!(found, committed.iter().map(|path| clone.path("").join(path)).collect::<Vec<_>>());
    let tests = std::env::current_exe().expect("this program");
    program(tests.to_str().expect("UTF-8")).args(&READERS).folder(&clone.path("")).run().succeeds();
}

#[test]
fn without_git_every_report_counts() {
    let folder = Folder::new();
    folder.write("results/card/r.csv", "");
    folder.write("results/README.md", "");
    assert_eq!(committed_reports(&folder.path("")), [folder.path("results/card/r.csv")]);
}

#[track_caller]
fn git(folder: &Folder, arguments: &[&str]) -> String {
    program("git").args(arguments).folder(&folder.path("")).run().succeeds().stdout
}
