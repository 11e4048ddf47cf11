//! `share`: honest reports pass, tampered ones are refused, each with its sentence.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::command::Folder;
use crate::common::committed_reports;
use crate::index::folder_of_reports;
use crate::tampering::{Sheet, TAMPERINGS};
use shaderbench::answers::share::{Checks, copied_from, faults, kernel_key};
use shaderbench::engine::ceilings::Ceilings;
use shaderbench::engine::{judged_again, program};
use shaderbench::families::{FAMILIES, raise_roofs};
use shaderbench::record::stats::{round_to_seven_digits, summarize};
use shaderbench::record::{Cause, Record, Status, times::estimate};
use shaderbench::report::csv;
use shaderbench::suite::{Case, Profile, Shape};

#[path = "../../examples/synthetic/mod.rs"]
mod synthetic;
use synthetic::Random;

const HONEST: &str = "results/nvidia-h200/2026-11-23-vulkan.csv";
const BOTH: &str = "results/nvidia-h200/2026-11-23-vulkan+cuda.csv";

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
    let mut arguments = vec!["share".to_owned(), "--check".to_owned(), "--against".to_owned(), "none".to_owned()];
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
    assert!(output.stdout.contains("honest.csv: no fault, 1119 rows; it names its host or card"), "{output}");
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
    assert!(TAMPERINGS.len() >= 20);
}

#[test]
fn a_copy_under_another_name_is_found_by_its_times() {
    let records = csv::open(Path::new(HONEST)).expect("a report").records;
    let ok = records.iter().filter(|row| row.status == Status::Ok).count();
    assert_eq!(copied_from(&records, &records), Some((ok, ok)));
    // Runs of one card, minutes apart, and of one run through two APIs are none.
    let other = csv::open(Path::new("results/nvidia-h200/2026-11-23-vulkan-2.csv")).expect("a report").records;
    assert_eq!(copied_from(&other, &records), None);
    assert_eq!(copied_from(&csv::open(Path::new(BOTH)).expect("a report").records, &records), None);
    let folder = Folder::new();
    let mut sheet = Sheet::read(HONEST);
    sheet.set_all("device", "NVIDIA H200 NVL");
    folder.write("r.csv", sheet.text());
    folder.write("results/nvidia-h200/2026-11-23-vulkan.csv", std::fs::read(HONEST).expect("readable"));
    let output = folder.run(&["share", "r.csv"]).exits_with(1);
    let sentence = "a copy of results/nvidia-h200/2026-11-23-vulkan.csv: ";
    assert!(output.stderr.contains(sentence) && !folder.path("share").exists(), "{output}");
}

#[test]
fn a_report_belongs_in_the_folder_of_its_device() {
    let folder = Folder::new();
    let text = std::fs::read(HONEST).expect("readable");
    for (path, is_right) in [
        ("results/nvidia-h200/2026-11-23-vulkan.csv", true),
        ("results/nvidia-h200/2026-11-23-vulkan-7.csv", true),
        ("results/nvidia-h100/2026-11-23-vulkan.csv", false),
        ("results/nvidia-h200/2026-11-22-vulkan.csv", false),
        ("results/nvidia-h200/2026-11-23-vulkan+cuda.csv", false),
        ("elsewhere/r.csv", true),
    ] {
        folder.write(path, &text);
        let output = folder.shaderbench(&["share", "--check", "--against", "none", path]).run();
        let sentence = "the rows belong in results/nvidia-h200/2026-11-23-vulkan.csv";
        let output = output.exits_with(i32::from(!is_right));
        assert_eq!(output.stdout.contains(sentence), !is_right, "{output}");
    }
}

/// A committed report as a run writes it by default: with the name of its host and the UUID of its card.
fn named(path: &str) -> Sheet {
    let mut sheet = Sheet::read(path);
    sheet.set_all("host", "node7.cluster");
    sheet.set_all("card", "GPU-a04f60ce-6235-435b-70d4-22ab90fca10f");
    sheet
}

const NEWEST: &str = "results/nvidia-h200/2026-11-25-vulkan.csv";

#[test]
fn a_default_report_is_shared_without_its_host_and_card() {
    let folder = Folder::new();
    let sheet = named(NEWEST);
    folder.write("r.csv", sheet.text());
    let check = folder.run(&["share", "--check", "r.csv"]).succeeds();
    let sentence = "r.csv: no fault, 1404 rows; it names its host or card: `shaderbench share r.csv` makes a copy that does \
                    not\n";
    assert_eq!(check.stdout, sentence);
    let output = folder.run(&["share", "r.csv"]).succeeds();
    let removed = "host: 'node7.cluster' left out of 1404 rows\n\
                   card: GPU-a04f60ce-6235-435b-70d4-22ab90fca10f replaced by the hash card-";
    assert!(output.stderr.starts_with("r.csv: no fault, 1404 rows\n") && output.stderr.contains(removed), "{output}");
    let copy = "share/nvidia-h200/2026-11-25-vulkan.csv";
    let text = folder.text("share/nvidia-h200/2026-11-25-vulkan.md");
    assert_eq!(output.stdout, text);
    for name in ["node7", "GPU-a04f60ce"] {
        assert!(!folder.text(copy).contains(name) && !text.contains(name), "{name}");
    }
    let mut expected = folder.records("r.csv");
    expected.iter_mut().for_each(Record::anonymize);
    assert_eq!(folder.records(copy), expected);
    let check = folder.run(&["share", "--check", copy]).succeeds();
    assert_eq!(check.stdout, format!("{copy}: no fault, 1404 rows\n"));
    // What lies in `results` is public: there a host is a fault.
    let public = "results/nvidia-h200/2026-11-25-vulkan.csv";
    folder.write(public, sheet.text());
    let check = folder.run(&["share", "--check", "--against", "none", public]).exits_with(1);
    assert!(check.stdout.contains("host names a machine: 'node7.cluster'\n"), "{check}");
    assert!(check.stdout.ends_with(&format!(": `shaderbench share {public}` writes a copy without it\n")), "{check}");
    folder.write(public, folder.read(copy));
    folder.run(&["share", "--check", "--against", "none", public]).succeeds();
}

#[test]
fn a_refused_report_says_what_to_do() {
    let folder = Folder::new();
    let refused = |name: &str, sheet: &Sheet, sentence: &str| {
        folder.write(name, sheet.text());
        let output = folder.run(&["share", name, "--against", "none"]).exits_with(1);
        assert!(output.stderr.contains(sentence) && output.stderr.ends_with("nothing is written\n"), "{output}");
        output.stderr
    };
    // Interrupted: the rows are the first of the plan.
    let mut sheet = named(NEWEST);
    sheet.keep(700);
    let command = "`shaderbench run --resume cut.csv --profile standard --backend vulkan` measures the rest";
    let text = refused("cut.csv", &sheet, command);
    assert!(text.contains("Vulkan has no row for ") && text.contains(" more like the one before"), "{text}");
    // So is one that was killed while it wrote a row.
    let mut bytes = sheet.text();
    bytes.truncate(bytes.len() - 10);
    folder.write("cut.csv", bytes);
    let killed = folder.run(&["share", "cut.csv", "--against", "none"]).exits_with(1);
    assert!(killed.stderr.contains(command), "{killed}");
    sheet.set_all("host", "");
    refused("cut.csv", &sheet, "--backend vulkan --anonymous` measures the rest");
    let mut sheet = named(NEWEST);
    sheet.leave_out("tiled_wide");
    refused("part.csv", &sheet, "measure everything, by `shaderbench run --profile standard --backend vulkan`");
    let mut sheet = named(NEWEST);
    sheet.set(sheet.row("tiled", "4096x4096"), "shader_hash", "0123456789abcdef");
    refused(
        "old.csv",
        &sheet,
        "measure again with this build and without them, by `shaderbench run --profile standard",
    );
    let mut sheet = named(NEWEST);
    sheet.set(sheet.row("tiled", "4096x4096"), "status", "wrong");
    refused("wrong.csv", &sheet, "open an issue with the report");
    let mut sheet = named(NEWEST);
    sheet.scale(sheet.row("tiled", "4096x4096"), &["gb_per_s"], 2.0);
    refused("edited.csv", &sheet, "a report is shared as the program wrote it");
}

#[test]
fn share_writes_the_report_and_the_text_and_overwrites_nothing() {
    let folder = Folder::new();
    let text = std::fs::read(HONEST).expect("readable");
    folder.write("r.csv", &text);
    let output = folder.run(&["share", "r.csv"]).succeeds();
    assert!(output.stderr.contains("\nshare/nvidia-h200/2026-11-23-vulkan.csv\n"), "{output}");
    let request = folder.text("share/nvidia-h200/2026-11-23-vulkan.md");
    for needed in ["Report: NVIDIA H200, Vulkan, 2026-11-23\n", "| driver | NVIDIA 580.159.04 |", "DRAM", "Power limit"]
    {
        assert!(request.contains(needed), "{needed}: {request}");
    }
    let again = folder.run(&["share", "r.csv"]).exits_with(2);
    assert!(again.stderr.contains("exists: move it away, or name another folder by --out"), "{again}");
    assert_eq!(folder.text("share/nvidia-h200/2026-11-23-vulkan.md"), request);
    // A name that the repository has is left to its report.
    folder.write("results/nvidia-h200/2026-11-23-vulkan.csv", "family,benchmark,status\n");
    folder.run(&["share", "r.csv", "--out", "b"]).succeeds();
    assert!(folder.path("b/nvidia-h200/2026-11-23-vulkan-2.csv").exists());
    // The shared file passes by itself.
    folder.run(&["share", "--check", "--against", "none", "share/nvidia-h200/2026-11-23-vulkan.csv"]).succeeds();
}

#[test]
fn share_refuses_faulty_files_in_one_sentence_and_writes_nothing() {
    let folder = Folder::new();
    let mut sheet = Sheet::read(HONEST);
    sheet.scale(sheet.row("tiled", "4096x4096"), &["median_ns"], 0.5);
    folder.write("r.csv", sheet.text());
    folder.write("empty.csv", "");
    folder.write("other.csv", "a,b\n1,2\n");
    folder.write("bytes.csv", b"\xff\xfe");
    let refused = folder.run(&["share", "r.csv"]).exits_with(1);
    assert!(refused.stderr.contains("nothing is written") && !folder.path("share").exists(), "{refused}");
    for (name, sentence) in [
        ("empty.csv", "the report has no rows"),
        ("other.csv", "not a shaderbench report"),
        ("bytes.csv", "no UTF-8 text"),
    ] {
        let output = folder.run(&["share", "--check", name]).exits_with(1);
        assert!(output.stdout.contains(sentence), "{output}");
    }
    let missing = folder.run(&["share", "--check", "none.csv"]).exits_with(1);
    assert!(missing.stderr.contains("cannot read none.csv"), "{missing}");
    let several = folder.run(&["share", "r.csv", "other.csv"]).exits_with(2);
    assert!(several.stderr.contains("share prepares one report"), "{several}");
}

/// A run of the quick profile on a device whose memory and arithmetic are faster or slower than those of `base`, with its
/// own clock and noise.
fn simulated(base: &[(Case, Record)], seed: u64) -> Vec<Record> {
    let mut random = Random(seed);
    let speed = random.log_between(0.1, 3.0);
    let noise = (random.log_between(0.0003, 0.02), random.log_between(0.0003, 0.01));
    let tick = [1.0, 10.0, 32.0, 52.08333, 80.0, 1000.0][(random.uniform() * 6.0) as usize];
    let date = format!("2026-11-23T12:{:02}:{:02}Z", seed / 60 % 60, seed % 60);
    let mut cases: Vec<&Case> = base.iter().map(|(case, _)| case).collect();
    let mut records: Vec<Record> = base
        .iter()
        .map(|(_, row)| {
            let mut row = row.clone();
            row.device = format!("NVIDIA Simulated {seed}");
            row.date = date.clone();
            row.card = format!("GPU-{seed}");
            row.profile = Some(Profile::Quick);
            row
        })
        .collect();
    // A row above its ceiling is measured again, as in a run: here with more time.
    let mut extra = vec![1.0; records.len()];
    for _ in 0..20 {
        for ((row, extra), (_, base)) in records.iter_mut().zip(&extra).zip(base) {
            if row.status == Status::Ok {
                let level = base.median_ns.expect("a time") / speed * extra;
                measure(row, level, noise, tick, &mut random);
            }
        }
        estimate(&mut records);
        let mut apis: BTreeSet<&str> = records.iter().map(Record::api_name).collect();
        for api in std::mem::take(&mut apis) {
            let of_api = |row: &Record| row.api_name() == api && row.status == Status::Ok;
            let rows = cases.iter().copied().zip(&records).filter(|(_, row)| of_api(row));
            let ceilings = Ceilings::from_rows(rows);
            cases.iter_mut().zip(&mut records).filter(|(_, row)| row.api_name() == api).for_each(|(case, row)| {
                if row.status == Status::Ok {
                    row.unjudged = None;
                    (row.cause, row.reason) = (None, String::new());
                    ceilings.judge(case, row, None);
                }
            });
        }
        let mut is_done = true;
        for (row, extra) in records.iter_mut().zip(&mut extra) {
            if row.status == Status::Implausible {
                (row.status, row.cause, row.reason, row.unjudged) = (Status::Ok, None, String::new(), None);
                *extra *= 1.2;
                is_done = false;
            }
        }
        if is_done {
            break;
        }
    }
    raise_roofs(&mut records);
    records
}

/// Measures a row as the engine does: epochs of samples that are whole ticks.
fn measure(row: &mut Record, level: f64, (between, within): (f64, f64), tick: f64, random: &mut Random) {
    let launches = (100.0 * tick / level).ceil().max(1.0);
    let mut all: Vec<f64> = Vec::new();
    row.epochs_ns.clear();
    for _ in 0..2 + (random.uniform() * 7.0) as usize {
        let epoch = level * (between * random.normal()).exp();
        let samples: Vec<f64> = (0..5 + (random.uniform() * 4.0) as usize)
            .map(|_| (epoch * (within * random.normal()).exp() * launches / tick).round().max(1.0) * tick / launches)
            .collect();
        row.epochs_ns.push(round_to_seven_digits(summarize(&samples).expect("samples").median));
        all.extend(samples);
    }
    let summary = summarize(&all).expect("samples");
    let figure = |value: f64| Some(round_to_seven_digits(value));
    row.tick_ns = figure(tick);
    row.launches = Some(launches as u64);
    row.samples = Some(all.len() as u64);
    (row.min_ns, row.mean_ns) = (figure(summary.min), figure(summary.mean));
    row.stddev_ns = summary.stddev.and_then(figure);
    (row.end_to_end_ns, row.slope_ns, row.in_kernel_ns) = (None, None, None);
}

/// The rows of the quick profile of a committed report, with their cases.
fn quick() -> Vec<(Case, Record)> {
    let is_quick = |row: &Record| {
        let family = FAMILIES.iter().find(|family| family.name == row.family)?;
        let benchmark = family.benchmarks.iter().find(|benchmark| benchmark.name == row.benchmark)?;
        let (dtype, n) = (row.dtype?, row.n?);
        let is_planned = benchmark.quick.iter().any(|quick| quick.dtypes.contains(&dtype) && quick.extent == n);
        is_planned.then(|| Case::new(family, benchmark, Shape::new(dtype, n, row.params.clone())))
    };
    let records = csv::open(Path::new(BOTH)).expect("a report").records;
    let rows = records.into_iter().filter(|row| row.cause != Some(Cause::PerhapsAboveCeiling));
    rows.filter_map(|row| Some((is_quick(&row)?, row))).collect()
}

#[test]
fn a_hundred_simulated_devices_pass() {
    let base = quick();
    let known: BTreeSet<u64> = base.iter().map(|(_, row)| kernel_key(row)).collect();
    let checks = Checks {
        latest: "2026-11-24T00:00:00Z",
        is_known_kernel: &|key| known.contains(&key),
        program,
        judged_again,
        references: &[],
    };
    let reports: Vec<Vec<Record>> = (0..100_u64)
        .into_par_iter()
        .map(|seed| {
            let records = simulated(&base, seed);
            assert_eq!(faults(&records, &checks), [], "device {seed}");
            records
        })
        .collect();
    for pair in reports.windows(2) {
        assert_eq!(copied_from(&pair[1], &pair[0]), None, "{}", pair[1][0].device);
    }
}
