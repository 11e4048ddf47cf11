//! The program as its user runs it.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use shaderbench::report::{self, csv};
use shaderbench::results::{COLUMNS, Record, Status};
use shaderbench::suite::Dtype;

fn shaderbench(arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shaderbench"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).env("NO_COLOR", "1").env_remove("COLUMNS");
    command
}

/// What a busy machine may find implausible, since it had no time for the ceilings, is no fault of the program's.
const CALM: [&str; 2] = ["--fail-on", "wrong,failed"];

/// Whether the answer was right, however fast.
fn is_right(status: Status) -> bool {
    matches!(status, Status::Ok | Status::Implausible)
}

fn run(arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    shaderbench(arguments, folder.path()).output().expect("starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The one line on stderr that starts with `error:`.
fn error_of(output: &Output) -> String {
    let said = text(&output.stderr);
    let lines: Vec<_> =
        said.lines().filter(|line| line.starts_with("error: ") && !line.contains("XDG_RUNTIME")).collect();
    assert_eq!(lines.len(), 1, "{said}");
    lines[0].to_owned()
}

fn has_device() -> bool {
    // CUDA's devices are numbered by themselves, and no run uses them unless it is told to.
    let found = text(&run(&["devices"]).stdout).contains("[0] ");
    if !found {
        eprintln!("SKIPPED: there is no device to run on");
    }
    found
}

#[test]
fn unknown_names_are_answered_with_the_nearest() {
    for (arguments, nearest) in [
        (&["run", "tranpose"][..], "did you mean 'transpose'?"),
        (&["tranpose"], "did you mean 'transpose'?"),
        (&["run", "transpose/tilde"], "did you mean 'transpose/tiled'?"),
        (&["run", "reduction", "--param", "WGG=64"], "did you mean 'WG'?"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(error_of(&output).ends_with(nearest), "{}", error_of(&output));
    }
    let output = run(&["run", "xylophone"]);
    assert!(error_of(&output).contains("there are ceiling, reduction, transpose, "), "{}", error_of(&output));
}

#[test]
fn bad_arguments_are_usage_errors() {
    for arguments in [
        &["run", "--size", "0"][..],
        &["run", "--size", "12y"],
        &["run", "--param", "WG"],
        &["run", "--profile", "swift"],
        &["run", "--backend", "cuda9"],
        &["run", "[", "--dry-run"],
        &["run", "--fail-on", "wrong,slow"],
        &["run", "--resume", "r.csv", "--out", "q.csv"],
        &["run", "--tune", "--dry-run"],
        &["run", "--time", "0"],
        &["run", "--time", "soon"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).starts_with("error: "), "{}", text(&output.stderr));
    }
}

#[test]
fn what_a_run_fails_on_is_one_of_four_words() {
    let output = run(&["run", "--fail-on", "wrong,slow"]);
    let said = text(&output.stderr);
    assert!(
        said.contains("there is no status 'slow' to fail on: there are wrong, failed, implausible, skipped"),
        "{said}"
    );
    if has_device() {
        // CUDA alone has it: its one row is skipped here.
        let folder = tempfile::tempdir().expect("a folder");
        for (fail_on, code) in [(&[][..], 0), (&["--fail-on", "wrong,failed"], 0), (&["--fail-on", "skipped"], 3)] {
            let arguments = [&["run", "transfer/read_back_pageable", "--size", "1024", "--backend", "vulkan"], fail_on];
            let output = shaderbench(&arguments.concat(), folder.path()).output().expect("starts");
            assert_eq!(output.status.code(), Some(code), "{fail_on:?}: {}", text(&output.stderr));
        }
    }
}

#[test]
fn what_cannot_be_resumed_is_said_in_one_sentence_and_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let resume = |file: &str| {
        let output = shaderbench(&["run", "ceiling/launch", "--resume", file], folder.path()).output().expect("starts");
        (output.status.code(), error_of(&output))
    };
    assert_eq!(
        resume("none.csv"),
        (Some(1), "error: cannot read none.csv: No such file or directory (os error 2)".into())
    );
    std::fs::write(folder.path().join("utf16.csv"), b"\xff\xfes\0c\0\n\0").expect("written");
    assert_eq!(resume("utf16.csv"), (Some(1), "error: utf16.csv, line 1: the file is UTF-16: save it as UTF-8".into()));
    if !has_device() {
        return;
    }
    let arguments = ["run", "ceiling/launch", "--profile", "quick", "--out", "r.csv"];
    assert!(shaderbench(&arguments, folder.path()).output().expect("starts").status.success());
    let path = folder.path().join("r.csv");
    let whole = std::fs::read(&path).expect("readable");
    let mut records = csv::open(&path).expect("a report").records;
    records[0].device = "Other GPU".to_owned();
    std::fs::write(&path, csv::write(&records)).expect("written");
    let (code, said) = resume("r.csv");
    assert_eq!(code, Some(2));
    assert!(
        said.starts_with("error: r.csv cannot be resumed: it is from another device: Other GPU in the file, "),
        "{said}"
    );
    assert_eq!(std::fs::read(&path).expect("readable"), csv::write(&records));
    // What is whole stays to the letter, and its table is shown.
    std::fs::write(&path, &whole).expect("written");
    let output =
        shaderbench(&["run", "ceiling/launch", "--profile", "quick", "--resume", "r.csv"], folder.path()).output();
    let output = output.expect("starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("launch"), "{}", text(&output.stdout));
    assert_eq!(std::fs::read(&path).expect("readable"), whole);
}

#[test]
fn without_a_driver_one_sentence_says_what_to_install() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = shaderbench(&["run"], folder.path());
    let output = command
        .env("VK_ICD_FILENAMES", "/nonexistent")
        .env("VK_DRIVER_FILES", "/nonexistent")
        .env("WGPU_BACKEND", "vulkan")
        .output()
        .expect("starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(error_of(&output).contains("install a Vulkan driver"), "{}", error_of(&output));
    assert_eq!(std::fs::read_dir(folder.path()).expect("readable").count(), 0, "nothing is left behind");
}

/// The workloads of the source articles, but A1 and C5, which the command `devices` answers.
const SOURCES: [&str; 32] = [
    "A2", "A3", "A4", "A5", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8", "B9", "B10", "C1", "C2", "C3", "C4", "D1",
    "D2", "D3", "D4", "D5", "D6", "D7", "D8", "E1", "E2", "E3", "E4", "E5", "E6",
];

#[test]
fn list_tells_programs_what_there_is() {
    let output = run(&["list", "--json"]);
    assert!(output.status.success());
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let list = list.as_array().expect("an array");
    assert!(list.len() >= 17);
    for entry in list {
        for key in ["family", "benchmark", "summary", "sources", "dtypes", "sizes", "params", "backends"] {
            assert!(entry.get(key).is_some(), "{entry} lacks {key}");
        }
    }
    let sources: Vec<_> = list.iter().flat_map(|e| e["sources"].as_array().expect("a list")).collect();
    for id in SOURCES {
        assert!(sources.iter().any(|source| *source == id), "{id} is answered by no benchmark");
    }
    assert!(text(&run(&["list"]).stdout).contains("  tiled "));
}

#[test]
fn devices_are_told_of_in_words_and_in_json() {
    if !has_device() {
        return;
    }
    let sheet = text(&run(&["devices"]).stdout);
    for word in ["[0] ", "driver", "workgroup memory", "smallest subgroup", "max buffer size"] {
        assert!(sheet.contains(word), "{sheet}");
    }
    let list: serde_json::Value = serde_json::from_slice(&run(&["devices", "--json"]).stdout).expect("JSON");
    assert!(list[0]["limits"]["max buffer size"].is_u64(), "{list}");
    let output = run(&["run", "--device", "99"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(error_of(&output).contains("there is no device 99"), "{}", error_of(&output));
}

#[test]
fn a_run_prints_a_table_and_leaves_a_complete_report() {
    if !has_device() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["run", "transpose/tiled", "--size", "64x96", "--profile", "quick", "--json", "r.json"];
    let output = shaderbench(&arguments, folder.path()).args(CALM).output().expect("starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table = text(&output.stdout);
    assert!(table.contains("tiled PAD=1") && table.contains("of ceiling") && !table.contains('\u{1b}'), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    let devices =
        std::fs::read_dir(folder.path().join("results")).expect("the folder").map(|e| e.expect("readable").path());
    let reports: Vec<_> = devices.flat_map(|device| std::fs::read_dir(device).expect("readable")).collect();
    assert_eq!(reports.len(), 1);
    let path = reports[0].as_ref().expect("readable").path();
    let bytes = std::fs::read(&path).expect("readable");
    let header = text(&bytes).lines().next().expect("a header").to_owned();
    assert_eq!(header, COLUMNS.iter().map(|column| column.name).collect::<Vec<_>>().join(","));
    let records = csv::read(&path, &bytes[..]).expect("a report").records;
    let row = records.iter().find(|r| r.params_text() == "PAD=1" && r.dtype == Some(Dtype::F32)).expect("the row");
    assert_eq!((row.size().as_str(), row.cell("checks").as_str()), ("64x96", "off"));
    assert!(is_right(row.status), "{}", row.reason);
    assert!(row.median_ns > Some(0.0) && row.share.is_some() && !row.driver.is_empty() && !row.cpu.is_empty());
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("r.json")).expect("readable")).expect("JSON");
    assert_eq!(json.as_array().map(Vec::len), Some(records.len()));
    // A second run of the day takes another name; files that are named are not overwritten.
    let second = shaderbench(&["run", "ceiling/launch"], folder.path()).output().expect("starts");
    assert!(text(&second.stderr).contains("-2.csv"), "{}", text(&second.stderr));
    let refused = shaderbench(&["run", "ceiling/launch", "--json", "r.json"], folder.path()).output().expect("starts");
    assert_eq!(refused.status.code(), Some(2));
    assert!(error_of(&refused).contains("--force"), "{}", error_of(&refused));
}

#[test]
fn all_apis_of_a_card_share_a_run_and_a_report() {
    if !has_device() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["run", "ceiling/launch", "--backend", "all", "--profile", "quick"];
    let output = shaderbench(&arguments, folder.path()).output().expect("starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let device = std::fs::read_dir(folder.path().join("results")).expect("the folder").next().expect("one device");
    let reports: Vec<_> = std::fs::read_dir(device.expect("readable").path()).expect("readable").collect();
    assert_eq!(reports.len(), 1, "{}", text(&output.stderr));
    let path = reports[0].as_ref().expect("readable").path();
    let records = csv::open(&path).expect("a report").records;
    let apis: Vec<&str> = report::apis(&records);
    assert_eq!(records.len(), apis.len(), "one case, a row for each of {apis:?}");
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    assert!(name.ends_with(&format!("-{}.csv", apis.join("+"))), "{name}");
    let table = text(&output.stdout);
    assert_eq!(table.contains(" ÷ ") && table.contains("all families"), apis.len() > 1, "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
}

#[test]
fn a_dry_run_measures_nothing() {
    if !has_device() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let output = shaderbench(&["run", "reduction", "--dry-run"], folder.path()).output().expect("starts");
    let said = text(&output.stdout);
    assert!(said.contains("reduction/sequential f32 1048576\n") && said.contains("ceiling/read"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("readable").count(), 0);
}

#[test]
fn a_report_that_cannot_be_written_is_refused_before_anything_is_measured() {
    if !has_device() {
        return;
    }
    let output = run(&["run", "ceiling/launch", "--out", "no/such/folder/r.csv"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(error_of(&output).contains("no/such/folder"), "{}", error_of(&output));
}

#[test]
fn a_run_that_is_killed_leaves_a_readable_report_of_its_finished_rows() {
    if !has_device() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["run", "reduction", "--size", "65536", "--size", "1000003", "--out", "r.csv"];
    let mut child =
        shaderbench(&arguments, folder.path()).stderr(Stdio::null()).stdout(Stdio::null()).spawn().expect("starts");
    let path = folder.path().join("r.csv");
    let rows = || std::fs::read(&path).map_or(0, |bytes| text(&bytes).lines().count().saturating_sub(1));
    for _ in 0..3000 {
        if rows() >= 5 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("killed");
    child.wait().expect("gone");
    let records = csv::open(&path).expect("a readable report").records;
    assert!(records.len() >= 5, "{} rows", records.len());
    assert!(records.iter().all(|record| !record.benchmark.is_empty() && !record.device.is_empty()));
}

/// A kernel of one's own is measured and verified in place of the suite's; what no benchmark is named after is refused.
#[test]
fn kernels_of_a_folder_take_the_place_of_the_suites() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("transpose/tiled.wgsl");
    std::fs::create_dir_all(folder.path().join("transpose")).expect("created");
    let here = folder.path();
    let refused = |wanted: &str| {
        let output =
            shaderbench(&["run", "transpose/tiled", "--dry-run", "--shaders", "."], here).output().expect("starts");
        assert_eq!(output.status.code(), Some(2));
        assert!(error_of(&output).contains(wanted), "{}", error_of(&output));
    };
    refused("holds no kernel");
    std::fs::write(here.join("transpose/tild.wgsl"), "").expect("written");
    refused("did you mean 'transpose/tiled'?");
    std::fs::remove_file(here.join("transpose/tild.wgsl")).expect("removed");
    if !has_device() {
        return;
    }
    let own = include_str!("../../shaders/transpose/tiled.wgsl");
    for (kernel, is_own_right, code) in [(own.to_owned(), true, 0), (own.replace("corner.yx", "corner.xy"), false, 3)] {
        std::fs::write(&file, kernel).expect("written");
        let arguments = "run transpose/tiled --size 96x64 --profile quick --shaders . --force --out own.csv";
        let arguments: Vec<_> = arguments.split(' ').collect();
        let output = shaderbench(&arguments, here).args(CALM).output().expect("starts");
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        let report = csv::open(&here.join("own.csv")).expect("a report");
        let mut rows = report.records.iter().filter(|record| record.family == "transpose").peekable();
        let is_as_planted =
            |record: &Record| is_right(record.status) == is_own_right && record.status != Status::Failed;
        assert!(rows.peek().is_some() && rows.all(is_as_planted));
    }
}

#[test]
fn a_tuned_run_says_what_it_tries_and_its_rows_what_it_chose() {
    if !has_device() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let command = ["run", "atomics/same_address", "--tune", "--size", "4096", "--profile", "quick"];
    let of = |rest: [&str; 2]| {
        shaderbench(&[&command[..], &rest].concat(), folder.path()).args(CALM).output().expect("starts")
    };
    let output = of(["--out", "r.csv"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("tuning 1 of 1: atomics/same_address u32 4096 ROUNDS=8\n"), "{said}");
    let rows = csv::open(&folder.path().join("r.csv")).expect("readable").records;
    let size = rows[0].workgroup_size.expect("a kernel")[0];
    let chosen = if size == 256 { "ROUNDS=8".to_owned() } else { format!("ROUNDS=8;WG={size}") };
    assert_eq!((rows.len(), is_right(rows[0].status), rows[0].params_text()), (1, true, chosen));
    // Whatever was chosen, the run is complete.
    let output = of(["--resume", "r.csv"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("1 rows are kept") && !text(&output.stderr).contains("tuning"));
}

/// Kernels that count elements of several lanes have none for the rest of a size: that is no wrong answer of theirs.
#[test]
fn a_size_that_is_no_whole_number_of_elements_is_skipped_with_what_to_take() {
    if !has_device() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = "run stream/copy --size 100003 --profile quick --out odd.csv";
    let arguments: Vec<_> = arguments.split(' ').collect();
    let output = shaderbench(&arguments, folder.path()).args(CALM).output().expect("starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report = csv::open(&folder.path().join("odd.csv")).expect("a report");
    let row = report.records.iter().find(|record| record.dtype == Some(Dtype::Vec4F32) && record.family == "stream");
    let row = row.expect("a row of fours");
    assert_eq!(
        (row.status, row.reason.as_str()),
        (Status::Skipped, "100003 scalars are no whole number of vec4<f32>: take a multiple of 4")
    );
}

#[test]
#[cfg(unix)]
fn a_stderr_that_cannot_be_written_ends_no_run() {
    if !has_device() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let arguments =
        ["run", "reduction/sequential", "--profile", "quick", "--size", "4096", "--force", "--out", "r.csv"];
    let whole = |what: &str| {
        let rows = csv::open(&folder.path().join("r.csv")).expect("a report").records;
        assert!(rows.iter().any(|row| row.name() == "reduction/sequential"), "{what}: {} rows", rows.len());
    };
    // A reader that goes away after the first line, as in `2>&1 | head -1`.
    let mut child = shaderbench(&arguments, folder.path())
        .args(CALM)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stderr.take().expect("piped")), &mut line)
        .expect("a line");
    assert_eq!(child.wait().expect("ends").code(), Some(0), "after {line}");
    whole("a closed pipe");
    // A disk that is full.
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    let mut command = shaderbench(&arguments, folder.path());
    let ended = command.args(CALM).stdout(Stdio::null()).stderr(full).status().expect("starts");
    assert_eq!(ended.code(), Some(0));
    whole("a full disk");
}

#[test]
fn a_run_with_a_time_limit_keeps_it_and_says_what_it_left_out() {
    if !has_device() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["run", "bank_conflict", "--profile", "standard", "--time", "1s", "--out", "r.csv"];
    let output = shaderbench(&arguments, folder.path()).args(CALM).output().expect("starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stderr);
    let first = said.lines().find(|line| line.contains(" cases, profile standard")).expect("what is going to happen");
    assert!(first.ends_with(", about 1 s"), "{first}");
    assert!(said.contains("left out, too long for a run of 1 s: ") && said.contains("bank_conflict"), "{said}");
    // Every benchmark has a row, be it one that says why there is no other.
    let rows = csv::open(&folder.path().join("r.csv")).expect("a report").records;
    for name in ["stride", "broadcast", "bytes", "halves", "bytes_direct", "halves_direct"] {
        assert!(rows.iter().any(|row| row.benchmark == name), "{name}");
    }
    assert!(rows.iter().all(|row| matches!(row.status, Status::Ok | Status::Implausible) || !row.reason.is_empty()));
}
