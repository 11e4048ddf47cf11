//! `share`: honest reports pass, tampered ones are refused, each with its sentence.

use std::path::{Path, PathBuf};

use crate::command::{Folder, is_installed, program};
use crate::common::committed_reports;
use crate::index::folder_of_reports;
use crate::tampering::{Sheet, TAMPERINGS};
use record::Record;

const HONEST: &str = "results/nvidia-h200/2026-11-30-vulkan.csv";
/// A report of the profile quick, with few rows per kernel.
const QUICK: &str = "tests/suite/quick-h200.csv";

#[test]
fn every_committed_report_passes() {
    let text = |path: PathBuf| path.into_os_string().into_string().expect("UTF-8");
    let paths: Vec<String> = committed_reports(Path::new("")).into_iter().map(text).collect();
    let arguments: Vec<&str> = ["share", "--check"].into_iter().chain(paths.iter().map(String::as_str)).collect();
    let output = folder_of_reports().run(&arguments).succeeds();
    assert_eq!(output.stdout.lines().filter(|line| line.contains(": no fault, ")).count(), paths.len(), "{output}");
}

#[test]
fn tampered_reports_are_refused_each_with_its_sentence() {
    let folder = Folder::new();
    let honest = Sheet::read(HONEST);
    assert_eq!(honest.text(), std::fs::read(HONEST).expect("readable"), "the sheet is written as the report is");
    let mut arguments = vec!["share".to_owned(), "--check".to_owned()];
    for (index, (_, tamper, _)) in TAMPERINGS.iter().enumerate() {
        let mut sheet = honest.clone();
        tamper(&mut sheet);
        assert!(sheet.text() != honest.text(), "nothing was done");
        folder.write(&format!("{index}.csv"), sheet.text());
        arguments.push(format!("{index}.csv"));
    }
    folder.write("honest.csv", honest.text());
    arguments.push("honest.csv".to_owned());
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = folder.run(&arguments).exits_with(1);
    assert!(output.stdout.contains("honest.csv: no fault, 1760 rows"), "{output}");
    let missed: Vec<String> = TAMPERINGS
        .iter()
        .enumerate()
        .filter_map(|(index, (what, _, sentence))| {
            let own: Vec<&str> =
                output.stdout.lines().filter(|line| line.starts_with(&format!("{index}.csv: "))).collect();
            let is_found =
                own.iter().any(|line| line.contains(sentence)) && !own.iter().any(|line| line.contains("no fault"));
            (!is_found).then(|| format!("{what}: no '{sentence}' in {own:#?}"))
        })
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(TAMPERINGS.len() >= 14);
}

#[test]
fn a_report_belongs_in_the_folder_of_its_device() {
    let folder = Folder::new();
    let text = std::fs::read(QUICK).expect("readable");
    for (path, is_right) in [
        ("results/nvidia-h200/2026-11-30-vulkan.csv", true),
        ("results/nvidia-h200/2026-11-30-vulkan-7.csv", true),
        ("results/nvidia-h100/2026-11-30-vulkan.csv", false),
        ("results/nvidia-h200/2026-11-29-vulkan.csv", false),
        ("results/nvidia-h200/2026-11-30-vulkan+cuda.csv", false),
        ("elsewhere/r.csv", true),
    ] {
        folder.write(path, &text);
        let output = folder.shaderbench(&["share", "--check", path]).run();
        let sentence = "the rows belong in results/nvidia-h200/2026-11-30-vulkan.csv";
        let output = output.exits_with(i32::from(!is_right));
        assert_eq!(output.stdout.contains(sentence), !is_right, "{output}");
    }
}

/// A committed report as a run writes it by default, with its host's name and its card's UUID.
fn named(path: &str) -> Sheet {
    let mut sheet = Sheet::read(path);
    sheet.set_all("host", "node7.cluster");
    sheet.set_all("card", "GPU-a04f60ce-6235-435b-70d4-22ab90fca10f");
    sheet
}

#[test]
fn a_default_report_is_shared_without_its_host_and_card() {
    let folder = Folder::new();
    let sheet = named(QUICK);
    folder.write("r.csv", sheet.text());
    let check = folder.run(&["share", "--check", "r.csv"]).succeeds();
    let sentence = "r.csv: no fault, 140 rows; the report names its host or card; `shaderbench share r.csv` writes an \
                    anonymous copy\n";
    assert_eq!(check.stdout, sentence);
    let output = folder.run(&["share", "r.csv"]).succeeds();
    let removed = "host: 'node7.cluster' removed from 140 rows\ncard: GPU-a04f60ce-6235-435b-70d4-22ab90fca10f \
                   replaced with the hash card-";
    assert!(output.stderr.starts_with("r.csv: no fault, 140 rows\n") && output.stderr.contains(removed), "{output}");
    let copy = "share/nvidia-h200/2026-11-30-vulkan.csv";
    let text = folder.text("share/nvidia-h200/2026-11-30-vulkan.md");
    assert_eq!(output.stdout, text);
    for name in ["node7", "GPU-a04f60ce"] {
        assert!(!folder.text(copy).contains(name) && !text.contains(name), "{name}");
    }
    let mut expected = folder.records("r.csv");
    expected.iter_mut().for_each(Record::anonymize);
    assert_eq!(folder.records(copy), expected);
    let check = folder.run(&["share", "--check", copy]).succeeds();
    assert_eq!(check.stdout, format!("{copy}: no fault, 140 rows\n"));
    // Reports in `results` are public: there, a host is a fault.
    let public = "results/nvidia-h200/2026-11-30-vulkan.csv";
    folder.write(public, sheet.text());
    let check = folder.run(&["share", "--check", public]).exits_with(1);
    assert!(check.stdout.contains("column host contains the machine's name, 'node7.cluster'\n"), "{check}");
    let advice = format!(": `shaderbench share {public}` writes a copy without the host's name\n");
    assert!(check.stdout.ends_with(&advice), "{check}");
    folder.write(public, folder.read(copy));
    folder.run(&["share", "--check", public]).succeeds();
}

#[test]
fn a_refused_report_says_what_to_do() {
    let folder = Folder::new();
    let refused = |name: &str, sheet: &Sheet, sentence: &str| {
        folder.write(name, sheet.text());
        let output = folder.run(&["share", name]).exits_with(1);
        assert!(output.stderr.contains(sentence) && output.stderr.ends_with("nothing was written\n"), "{output}");
        output.stderr
    };
    // An interrupted run has the first rows of the plan.
    let mut sheet = named(HONEST);
    sheet.keep(700);
    let command = "`shaderbench run --resume cut.csv --profile standard --backend vulkan` measures the rest";
    let text = refused("cut.csv", &sheet, command);
    assert!(text.contains("Vulkan has no row for ") && text.contains(" more faults of this kind"), "{text}");
    // So has one that was killed while it wrote a row.
    let mut bytes = sheet.text();
    bytes.truncate(bytes.len() - 10);
    folder.write("cut.csv", bytes);
    let killed = folder.run(&["share", "cut.csv"]).exits_with(1);
    assert!(killed.stderr.contains(command), "{killed}");
    sheet.set_all("host", "");
    refused("cut.csv", &sheet, "--backend vulkan --anonymous` measures the rest");
    let mut sheet = named(HONEST);
    sheet.leave_out("tiled_wide");
    refused("part.csv", &sheet, "measure everything with `shaderbench run --profile standard --backend vulkan`");
    let mut sheet = named(HONEST);
    sheet.set(sheet.row("tiled", "4096x4096"), "shader_hash", "0123456789abcdef");
    refused("old.csv", &sheet, "without these options: `shaderbench run --profile standard");
    let mut sheet = named(HONEST);
    sheet.set(sheet.row("tiled", "4096x4096"), "status", "wrong");
    refused("wrong.csv", &sheet, "open an issue with the report");
    let mut sheet = named(HONEST);
    sheet.set(5, "driver", "1.2");
    refused("two.csv", &sheet, "share the file that the run wrote, unchanged");
}

#[test]
fn share_writes_the_report_and_the_text_and_overwrites_nothing() {
    let folder = Folder::new();
    let text = std::fs::read(QUICK).expect("readable");
    folder.write("r.csv", &text);
    let output = folder.run(&["share", "r.csv"]).succeeds();
    assert!(output.stderr.contains("\nshare/nvidia-h200/2026-11-30-vulkan.csv\n"), "{output}");
    let request = folder.text("share/nvidia-h200/2026-11-30-vulkan.md");
    for needed in ["Report: NVIDIA H200, Vulkan, 2026-11-30\n", "| driver | NVIDIA 580.159.04 |", "DRAM", "Power limit"]
    {
        assert!(request.contains(needed), "{needed}: {request}");
    }
    let again = folder.run(&["share", "r.csv"]).exits_with(2);
    assert!(again.stderr.contains("already exists: move the file away, or name another folder with --out"), "{again}");
    assert_eq!(folder.text("share/nvidia-h200/2026-11-30-vulkan.md"), request);
    // A name that the repository has is not used again.
    folder.write("results/nvidia-h200/2026-11-30-vulkan.csv", "family,benchmark,status\n");
    folder.run(&["share", "r.csv", "--out", "b"]).succeeds();
    assert!(folder.path("b/nvidia-h200/2026-11-30-vulkan-2.csv").exists());
    // The shared file passes by itself.
    folder.run(&["share", "--check", "share/nvidia-h200/2026-11-30-vulkan.csv"]).succeeds();
}

#[test]
fn share_refuses_faulty_files_in_one_sentence_and_writes_nothing() {
    let folder = Folder::new();
    let mut sheet = Sheet::read(HONEST);
    sheet.set(sheet.row("tiled", "4096x4096"), "status", "failed");
    folder.write("r.csv", sheet.text());
    folder.write("empty.csv", "");
    folder.write("other.csv", "a,b\n1,2\n");
    folder.write("bytes.csv", b"\xff\xfe");
    let refused = folder.run(&["share", "r.csv"]).exits_with(1);
    assert!(refused.stderr.contains("nothing was written") && !folder.path("share").exists(), "{refused}");
    for (name, sentence) in [
        ("empty.csv", "the report has no rows"),
        ("other.csv", "not a shaderbench report"),
        ("bytes.csv", "not UTF-8 text"),
    ] {
        let output = folder.run(&["share", "--check", name]).exits_with(1);
        assert!(output.stdout.contains(sentence), "{output}");
    }
    let missing = folder.run(&["share", "--check", "none.csv"]).exits_with(1);
    assert!(missing.stderr.contains("cannot read 'none.csv'"), "{missing}");
    let several = folder.run(&["share", "r.csv", "other.csv"]).exits_with(2);
    assert!(several.stderr.contains("share prepares one report"), "{several}");
}

#[test]
fn a_report_of_quick_is_pasted_into_an_issue_and_read_from_there() {
    let folder = Folder::new();
    folder.write("r.csv", named(QUICK).text());
    let output = folder.run(&["share", "r.csv"]).succeeds();
    assert!(output.stderr.contains("paste the text of the second file into a new issue"), "{output}");
    assert!(output.stdout.len() < 65_536, "{} bytes", output.stdout.len());
    // GitHub delivers text with the line ends of Windows.
    folder.write("issue.md", output.stdout.replace('\n', "\r\n"));
    let command = include_str!("../../CONTRIBUTING.md").lines().find(|line| line.contains("base64 -d"));
    let command = command.expect("how to read the report in an issue").trim();
    if is_installed("base64") {
        program("sh").args(&["-c", command]).folder(&folder.path("")).run().succeeds();
        let copy = folder.read("share/nvidia-h200/2026-11-30-vulkan.csv");
        assert!(folder.read("shared.csv") == copy && folder.read("shared.csv") != folder.read("r.csv"));
        let check = folder.run(&["share", "--check", "shared.csv"]).succeeds();
        assert!(check.stdout.starts_with("shared.csv: no fault, "), "{check}");
    }
    // A report too long for an issue.
    folder.write("long.csv", named(HONEST).text());
    let output = folder.run(&["share", "long.csv", "--out", "long"]).succeeds();
    assert!(output.stderr.contains("into a pull request") && output.stdout.len() < 10_000, "{output}");
}
