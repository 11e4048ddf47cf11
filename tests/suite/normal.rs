//! `normal` as a user runs it: on committed reports, among simulated cards, with every cause planted.

use std::path::Path;

use crate::command::{Folder, shaderbench};
use shaderbench::record::{Cause, Record, Status, stats::round_to_seven_digits, times::estimate};
use shaderbench::report::csv;

const REPORT: &str = "results/nvidia-h200/2026-11-23-vulkan.csv";

/// A number between −1 and 1 that depends on both arguments.
fn noise(a: usize, b: usize) -> f64 {
    let mut bits = (a as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (b as u64).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 29)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// The committed report as that of another card, `speed` times as fast, a percent up or down.
fn card(index: usize, speed: f64) -> Vec<Record> {
    let mut records = csv::open(Path::new(REPORT)).expect("a report").records;
    for (at, row) in records.iter_mut().enumerate() {
        row.card = format!("GPU-{index}");
        row.date = format!("2026-11-23T13:{:02}:{:02}Z", index / 60, index % 60);
        row.canary_ns = row.canary_ns.map(|ns| ns * (1.0 + 0.01 * noise(index, at)));
        let level = (1.0 + 0.01 * noise(index, 0)) / speed;
        for (epoch, ns) in row.epochs_ns.iter_mut().enumerate() {
            *ns = round_to_seven_digits(*ns * level * (1.0 + 1e-4 * noise(index, 1000 * at + epoch)));
        }
    }
    estimate(&mut records);
    records
}

/// Thirty cards in a folder, and this one.
fn fleet(own: &[Record]) -> Folder {
    let folder = Folder::new();
    for index in 0..30 {
        folder.write(&format!("fleet/{index}.csv"), csv::write(&card(index, 1.0)));
    }
    folder.write("r.csv", csv::write(own));
    folder
}

#[test]
fn too_few_cards_give_a_ratio_and_no_quantile() {
    let output = shaderbench(&["summary", REPORT, "--among", "references"]).run().succeeds();
    for needed in [
        "NVIDIA H200, Vulkan: among",
        "too few for quantiles, which need 5",
        "÷ median",
        "seen",
        "DRAM read",
        "GEMM f32",
    ] {
        assert!(output.stdout.contains(needed), "{needed}: {output}");
    }
    assert!(!output.stdout.contains("slower cards"), "{output}");
    assert!(output.stdout.lines().all(|line| line.chars().count() <= 80), "{output}");
}

#[test]
fn one_other_report_is_said_not_to_tell() {
    let folder = Folder::new();
    folder.write("other.csv", csv::write(&renamed(card(1, 1.0))));
    folder.write("r.csv", csv::write(&renamed(card(2, 1.0))));
    let output = folder.run(&["summary", "r.csv", "--among", "other.csv"]).succeeds();
    let text = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {output}"));
    assert!(place("One other report cannot tell a slow card from run-to-run variation") < place("÷ other"), "{output}");
    assert!(!text.contains("median") && !text.contains("seen"), "{output}");
}

/// The rows as those of a model that no reference is of.
fn renamed(mut records: Vec<Record>) -> Vec<Record> {
    records.iter_mut().for_each(|row| row.device = "a card of its own".to_owned());
    records
}

#[test]
fn every_headline_of_the_summary_is_there() {
    let beside = shaderbench(&["summary", REPORT, REPORT]).run().succeeds().stdout;
    let normal =
        shaderbench(&["summary", REPORT, "--among", "references", "--format", "markdown"]).run().succeeds().stdout;
    let rows = beside.lines().skip_while(|line| !line.is_empty()).skip(2);
    let names: Vec<String> = rows.filter_map(|line| Some(line.split("  ").next()?.to_owned())).collect();
    // Sizes and numbers of banks are no speeds.
    let is_speed = |name: &&String| {
        !name.ends_with("size") && !name.ends_with("banks") && name.len() > 2 && !name.starts_with('(')
    };
    let missing: Vec<&String> =
        names.iter().filter(is_speed).filter(|name| !normal.contains(&format!("| {name} |"))).collect();
    assert!(missing.is_empty() && names.len() > 15, "{missing:?}\n{beside}\n{normal}");
}

#[test]
fn a_usual_card_is_usual_and_a_slow_one_is_slow_with_its_causes() {
    let folder = fleet(&card(100, 1.0));
    let usual = folder.run(&["summary", "r.csv", "--among", "fleet"]).succeeds();
    let verdict = usual.stdout.find("As usual for this model: no figure").expect("a verdict");
    assert!(usual.stdout.find("slower cards").is_some_and(|table| verdict < table), "{usual}");
    assert!(usual.stdout.contains("other cards") && !usual.stdout.contains("Possible cause"), "{usual}");
    let mut slow = card(101, 0.9);
    for (index, row) in slow.iter_mut().enumerate() {
        row.driver = "NVIDIA 470.1".to_owned();
        row.canary_ns = row.canary_ns.map(|ns| ns * 1.5);
        if row.status == Status::Ok && index % 10 == 0 {
            row.cause = Some(Cause::Unsteady);
        }
        if row.family == "transfer" {
            row.epochs_ns.iter_mut().for_each(|ns| *ns *= 2.0);
        }
    }
    estimate(&mut slow);
    folder.write("r.csv", csv::write(&slow));
    let output = folder.run(&["summary", "r.csv", "--among", "fleet"]).succeeds();
    let text = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for needed in [
        "Certainly slower than nearly all other cards of this model: ",
        "sum (0.9",
        "slower than all 3",
        "Possible cause: the driver, NVIDIA 470.1; the newest reference has NVIDIA 580.159.04.",
        "Possible cause: the clock: the canary",
        "Possible cause: changing clocks",
        "Possible cause: the bus: copies from the host run at 0.4",
    ] {
        assert!(text.contains(needed), "{needed}: {output}");
    }
}

#[test]
fn rows_of_other_settings_are_not_mixed() {
    let mut other = card(100, 0.5);
    other.iter_mut().for_each(|row| row.shader_hash = format!("{:0>16}", row.shader_hash.len()));
    let folder = fleet(&other);
    let output = folder.run(&["summary", "r.csv", "--among", "fleet"]).succeeds();
    assert!(output.stdout.contains("no report to compare with"), "{output}");
    let text = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("were measured under other settings: kernels, checks, clock or profile"), "{output}");
}

#[test]
fn the_newest_report_is_taken_and_without_one_there_is_a_sentence() {
    let folder = Folder::new();
    let none = folder.run(&["normal"]).exits_with(2);
    assert!(none.stderr.contains("there is no report in reports/ or results/: measure one"), "{none}");
    folder.write(REPORT, std::fs::read(REPORT).expect("readable"));
    assert!(folder.run(&["normal"]).succeeds().stdout.contains(REPORT));
    folder.write("empty/notes.md", "");
    let empty = folder.run(&["summary", "--among", "empty"]).exits_with(2);
    assert!(empty.stderr.contains("contains no report"), "{empty}");
    folder.write("bad.csv", "a,b\n1,2\n");
    assert!(folder.run(&["summary", "--among", "bad.csv"]).exits_with(1).stderr.contains("not a shaderbench report"));
}
