//! Many reports in one file, `outliers`, formats of other tools, and how commands distinguish cards of one model.

use crate::command::{Folder, Output};
use answers::page::unpacked;
use answers::report::{csv, json};
use record::suite::{Api, Dtype, Extent};
use record::{Clock, Record};

/// A run on a card: eight cases of two families, which take `factor` times as long as usual.
fn run(card: usize, factor: f64) -> Vec<Record> {
    let row = |index: usize| {
        // Cards and cases differ a little.
        let own = 1.0 + 0.001 * ((card * 7 + index * 3) % 11) as f64;
        let ns = 1000.0 * (1 + index) as f64 * factor * own;
        Record {
            schema: Some(2),
            tool_version: "0.1.0".to_owned(),
            date: format!("2026-11-23T12:00:{card:02}Z"),
            device: "NVIDIA H200".to_owned(),
            driver: "580".to_owned(),
            backend: Some(Api::Vulkan),
            card: format!("GPU-{card}"),
            host: format!("node{}", card / 2),
            family: if index < 4 { "scan" } else { "transpose" }.to_owned(),
            benchmark: "tiled".to_owned(),
            dtype: Some(Dtype::F32),
            n: Some(Extent::Linear(1 << index)),
            timer: Some(Clock::Timestamp),
            median_ns: Some(ns),
            epochs_ns: vec![ns, 1.002 * ns, 0.998 * ns],
            ..Record::default()
        }
    };
    (0..8).map(row).collect()
}

/// A folder with these cards' reports in `reports/`.
fn fleet(cards: &[(usize, f64)]) -> Folder {
    let folder = Folder::new();
    for (card, factor) in cards {
        folder.write(&format!("reports/{card:02}.csv"), csv::write(&run(*card, *factor)));
    }
    folder
}

fn json_of(output: &Output) -> serde_json::Value {
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{output}"))
}

fn rows(folder: &Folder, name: &str) -> Vec<Record> {
    csv::read(std::path::Path::new(name), &folder.read(name)[..]).expect("a report").records
}

#[test]
fn reports_are_merged_and_come_back_unchanged() {
    let folder = fleet(&[(0, 1.0), (1, 1.0)]);
    // The JSON report of a run has the same rows; other files are ignored.
    folder.write("reports/00.json", json::write(&run(0, 1.0)));
    folder.write("reports/notes.md", "");
    let output = folder.run(&["report", "reports", "--out", "fleet.csv"]).succeeds();
    assert_eq!(output.stdout, "fleet.csv: 16 rows of 3 reports\n");
    assert!(output.stderr.contains("8 duplicate rows are left out"), "{output}");
    assert_eq!(rows(&folder, "fleet.csv"), [run(0, 1.0), run(1, 1.0)].concat());
    let output = folder.run(&["compare", "fleet.csv", "reports/01.csv"]).succeeds();
    assert!(output.stdout.contains("GPU-0") && output.stdout.contains("GPU-1"), "{output}");
    folder.run(&["report", "fleet.csv", "--out", "fleet.csv.gz"]).succeeds();
    folder.run(&["report", "fleet.csv.gz", "--out", "anonymous.csv", "--anonymous"]).succeeds();
    let anonymous = rows(&folder, "anonymous.csv");
    assert!(anonymous.iter().all(|row| row.host.is_empty() && row.card.starts_with("card-")));
    assert_ne!(anonymous[0].card, anonymous[8].card);
}

#[test]
fn what_cannot_be_merged_is_said_and_loses_nothing() {
    let folder = fleet(&[(0, 1.0)]);
    folder.write("reports/broken.csv", "status,family,benchmark\nok,a\n");
    folder.write("old.csv", "old");
    let merge = |arguments: &[&str]| folder.run(&[&["report"], arguments].concat());
    merge(&["reports", "--out", "old.csv"])
        .fails_with(2, "old.csv exists: name another file with --out, or pass --force");
    merge(&["reports/broken.csv", "--out", "old.csv", "--force"])
        .fails_with(1, "the row has 2 fields, but the header has 3");
    assert_eq!(folder.text("old.csv"), "old");
    merge(&["old.csv", "--out", "old.csv", "--force"]).fails_with(2, "FILE are the same file, old.csv");
    merge(&["reports", "--out", "new.csv"]).fails_with(1, "1 unreadable file is missing from new.csv");
    assert_eq!(rows(&folder, "new.csv"), run(0, 1.0));
    // The second time, the folder contains the file itself.
    merge(&["reports/00.csv", "--out", "reports/all.csv"]).succeeds();
    merge(&["reports", "--out", "reports/all.csv", "--force"]).exits_with(1);
    assert_eq!(rows(&folder, "reports/all.csv"), run(0, 1.0));
    for (arguments, sentence) in [
        (
            ["reports", "--out", "fleet.sqlite"],
            "fleet.sqlite: name a file that ends in .html, .csv or .csv.gz, or pass --format",
        ),
        (["nowhere.csv", "--out", "a.csv"], "cannot read 'nowhere.csv'"),
    ] {
        let output = merge(&arguments);
        assert!(output.code != Some(0) && output.error().contains(sentence), "{output}");
    }
    folder.write("empty.csv", csv::write(&[]));
    merge(&["empty.csv", "--out", "a.csv"]).fails_with(2, "these reports have no rows");
    folder.write("r.parquet", b"PAR1 and columns");
    merge(&["r.parquet", "--out", "a.csv"]).fails_with(1, "a Parquet file, not a report: export the rows as CSV");
    assert!(!folder.path("a.csv").exists());
}

#[test]
fn a_slow_card_is_named_with_its_families() {
    let mut cards: Vec<(usize, f64)> = (0..16).map(|card| (card, 1.0)).collect();
    cards[5].1 = 1.06;
    let folder = fleet(&cards);
    let output = folder.run(&["outliers", "reports"]).exits_with(4);
    insta::assert_snapshot!(output.stdout);
    let parsed = json_of(&folder.run(&["outliers", "reports", "--format", "json"]).exits_with(4));
    assert_eq!(parsed["slow"][0]["unit"]["card"], "GPU-5");
    let output = folder.run(&["outliers", "reports", "--limit", "10"]).succeeds();
    assert!(output.stdout.starts_with("None of 16 cards is slow.\n"), "{output}");
    let output = folder.run(&["outliers", "reports", "--by", "model"]).succeeds();
    assert!(output.stdout.contains("NVIDIA H200, Vulkan\n") && output.stdout.contains("scan"), "{output}");
    // Two cards of a host: their mean is 3 % slow.
    let output = folder.run(&["outliers", "reports", "--by", "host"]).exits_with(4);
    assert!(output.stdout.contains("\nhost node2\n"), "{output}");
    let folder = fleet(&cards[..3]);
    folder.run(&["outliers", "reports"]).fails_with(1, "no case was measured on at least 4 cards of the same model");
}

#[test]
fn cards_of_one_model_are_sides_of_their_own_unless_they_are_pooled() {
    let folder = fleet(&[(0, 1.0), (1, 1.02), (2, 1.01)]);
    let sides = |by: &[&str]| {
        let output = folder.run(&[&["compare", "reports", "--format", "json"], by].concat());
        if output.code == Some(0) { json_of(&output)["sides"].as_array().expect("sides").len() } else { 1 }
    };
    assert_eq!((sides(&[]), sides(&["--by", "card"])), (3, 3));
    folder
        .run(&["compare", "--by", "model", "reports"])
        .fails_with(2, "all rows of reports/00.csv, reports/01.csv, reports/02.csv have the same model, API,");
    let output = folder.run(&["summary", "--by", "model", "reports/00.csv", "reports/01.csv", "reports/02.csv"]);
    assert!(output.succeeds().stdout.contains("median of 3 cards"));
    folder.run(&["report", "reports", "--anonymous"]).succeeds();
    let page = unpacked(&folder.text("report.html"), "report-data").expect("data");
    assert!(!page.contains("GPU-1") && !page.contains("node0") && page.contains("card-"));
}

#[test]
fn the_export_is_written_to_a_file_and_refuses_reports_without_times() {
    let folder = fleet(&[(0, 1.0), (1, 1.0)]);
    let base = ["report", "reports", "--format", "github"];
    let text = folder.run(&base).succeeds().stdout;
    assert!(text.starts_with("[\n") && text.contains("GPU-1"), "{text}");
    folder.run(&[&base[..], &["--out", "g.json", "--anonymous"]].concat()).succeeds();
    assert!(!folder.text("g.json").contains("GPU-1") && !folder.text("g.json").contains("node0"));
    folder.run(&[&base[..], &["--out", "g.json"]].concat()).fails_with(2, "exists: name another file");
    let skipped: Vec<Record> = run(0, 1.0).into_iter().map(|row| Record { median_ns: None, ..row }).collect();
    folder.write("none.csv", csv::write(&skipped));
    folder.run(&["report", "none.csv", "--format", "github"]).fails_with(2, "these reports have no timed row");
}

#[test]
fn a_run_names_its_host_unless_anonymous_and_so_when_resumed() {
    let folder = Folder::new();
    let base = ["run", "ceiling/launch", "--profile=quick", "--table=none", "--fail-on=wrong"];
    let run = |arguments: &[&str]| folder.run(&[&base[..], arguments].concat());
    run(&["--out", "own.csv"]).succeeds();
    run(&["--out", "named.csv", "--host", "node7"]).succeeds();
    run(&["--out", "anonymous.csv", "--anonymous"]).succeeds();
    let hosts = |name: &str| rows(&folder, name).iter().map(|row| row.host.clone()).collect::<Vec<_>>();
    assert!(hosts("named.csv").iter().all(|host| host == "node7"));
    assert!(hosts("anonymous.csv").iter().all(String::is_empty));
    assert_eq!(hosts("own.csv").is_empty(), hosts("named.csv").is_empty());
    run(&["--resume", "anonymous.csv", "--anonymous"]).succeeds();
    run(&["--resume", "named.csv", "--host", "node7"]).succeeds();
    run(&["--resume", "anonymous.csv", "--host", "node7"]).fails_with(2, "it contains no host name: pass --anonymous");
    run(&["--resume", "named.csv", "--anonymous"]).fails_with(2, "it contains the host name node7: omit --anonymous");
    run(&["--resume", "named.csv", "--host", "node8"]).fails_with(2, "another host: node7 in the file, node8 now");
    run(&["--out", "a.csv", "--anonymous", "--host", "a"]).exits_with(2);
}
