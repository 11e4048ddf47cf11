//! The command line, run as a program.

use std::process::Stdio;
use std::time::Duration;

use crate::catalogue::files_below;
use crate::command::{Folder, Output, has_device, shaderbench_in_empty_folder};
use answers::report::{self, csv};
use record::suite::{Api, Dtype};
use record::{COLUMNS, Record, Status};

/// On a busy machine, a ceiling may be measured too low and make a row implausible: no fault of the program.
const FAIL_ON_WRONG_ANSWERS: [&str; 2] = ["--fail-on", "wrong,failed"];

fn is_right(status: Status) -> bool {
    matches!(status, Status::Ok | Status::Implausible)
}

#[track_caller]
fn measure(folder: &Folder, arguments: &[&str]) -> Output {
    folder.run(&[&["run", "--profile", "quick"], arguments, &FAIL_ON_WRONG_ANSWERS].concat())
}

fn parse(json: &[u8]) -> serde_json::Value {
    serde_json::from_slice(json).expect("JSON")
}

#[track_caller]
/// Tables name the program as it was called, here by a long path.
fn assert_fits_80_columns(table: &str) {
    let table = table.replace(env!("CARGO_BIN_EXE_shaderbench"), "shaderbench");
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest_known_one() {
    for (arguments, nearest) in [
        (&["run", "tranpose"][..], "did you mean 'transpose'?"),
        (&["tranpose"], "did you mean 'transpose'?"),
        (&["run", "transpose/tilde"], "did you mean 'transpose/tiled'?"),
        (&["run", "reduction", "--param", "WGG=64"], "did you mean 'WG'?"),
    ] {
        let output = shaderbench_in_empty_folder(arguments).exits_with(2);
        assert!(output.error().ends_with(nearest), "{output}");
    }
    let output = shaderbench_in_empty_folder(&["run", "xylophone"]);
    assert!(output.error().contains("choose from ceiling, reduction, transpose, "), "{output}");
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
        &["run", "--retry-timeouts"],
        &["run", "--time", "0"],
        &["run", "--time", "soon"],
    ] {
        let output = shaderbench_in_empty_folder(arguments).exits_with(2);
        assert!(output.stderr.starts_with("error: "), "{output}");
    }
}

#[test]
fn fail_on_accepts_four_statuses_and_sets_exit_code_3() {
    let output = shaderbench_in_empty_folder(&["run", "--fail-on", "wrong,slow"]);
    let sentence = "unknown status 'slow': use wrong, failed, implausible, skipped";
    assert!(output.stderr.contains(sentence), "{output}");
    if has_device() {
        let folder = Folder::new();
        for (fail_on, code) in [(&[][..], 0), (&["--fail-on", "wrong,failed"], 0), (&["--fail-on", "skipped"], 3)] {
            // Only CUDA has this benchmark: its one row is skipped here.
            let arguments = [&["run", "transfer/read_back_pageable", "--size", "1024", "--backend", "vulkan"], fail_on];
            folder.run(&arguments.concat()).exits_with(code);
        }
    }
}

#[test]
fn a_report_that_cannot_be_resumed_stays_unchanged() {
    let folder = Folder::new();
    let resume = |file: &str| folder.run(&["run", "ceiling/launch", "--resume", file]);
    let absent = resume("none.csv").exits_with(1);
    assert_eq!(absent.error(), "error: cannot read 'none.csv': no such file");
    folder.write("utf16.csv", b"\xff\xfes\0c\0\n\0");
    let unreadable = resume("utf16.csv").exits_with(1);
    assert_eq!(unreadable.error(), "error: utf16.csv, line 1: the file is UTF-16; save the file as UTF-8");
    if !has_device() {
        return;
    }
    let arguments = ["run", "ceiling/launch", "--profile", "quick"];
    folder.run(&[&arguments[..], &["--out", "r.csv"]].concat()).succeeds();
    let complete = folder.read("r.csv");
    let mut records = folder.records("r.csv");
    records[0].device = "Other GPU".to_owned();
    folder.write("r.csv", csv::write(&records));
    let refused = resume("r.csv").exits_with(2);
    let start = "error: r.csv cannot be resumed: it is from another device: Other GPU in the file, ";
    assert!(refused.error().starts_with(start), "{refused}");
    assert_eq!(folder.read("r.csv"), csv::write(&records));
    // A complete report stays the same byte for byte, and its table is printed.
    folder.write("r.csv", &complete);
    let output = folder.run(&[&arguments[..], &["--resume", "r.csv"]].concat()).succeeds();
    assert!(output.stdout.contains("launch"), "{output}");
    assert_eq!(folder.read("r.csv"), complete);
}

#[test]
fn without_a_driver_the_error_says_what_to_install() {
    let folder = Folder::new();
    folder.shaderbench(&["run"]).without_devices().run().fails_with(1, "install a Vulkan driver");
    assert!(folder.is_empty(), "nothing is left behind");
}

/// The source articles' workloads, without A1 and C5, which the command `devices` answers.
const SOURCES: [&str; 32] = [
    "A2", "A3", "A4", "A5", "B1", "B2", "B3", "B4", "B5", "B6", "B7", "B8", "B9", "B10", "C1", "C2", "C3", "C4", "D1",
    "D2", "D3", "D4", "D5", "D6", "D7", "D8", "E1", "E2", "E3", "E4", "E5", "E6",
];

#[test]
fn list_as_json_has_every_benchmark_and_every_source() {
    let output = shaderbench_in_empty_folder(&["list", "--format", "json"]).succeeds();
    let list = parse(output.stdout.as_bytes());
    let list = list.as_array().expect("an array");
    assert!(list.len() >= 17);
    for entry in list {
        for key in ["family", "benchmark", "summary", "sources", "tags", "dtypes", "sizes", "params", "backends"] {
            assert!(entry.get(key).is_some(), "{entry} lacks {key}");
        }
    }
    let sources: Vec<_> = list.iter().flat_map(|e| e["sources"].as_array().expect("a list")).collect();
    for id in SOURCES {
        assert!(sources.iter().any(|source| *source == id), "{id} is answered by no benchmark");
    }
    assert!(shaderbench_in_empty_folder(&["list"]).stdout.contains("  tiled "));
}

#[test]
fn devices_are_printed_as_text_and_as_json() {
    if !has_device() {
        return;
    }
    let output = shaderbench_in_empty_folder(&["devices"]);
    for word in ["[0] ", "driver", "workgroup memory"] {
        assert!(output.stdout.contains(word), "{output}");
    }
    let list = parse(shaderbench_in_empty_folder(&["devices", "--format", "json"]).stdout.as_bytes());
    assert!(list[0]["limits"]["max buffer size"].is_u64(), "{list}");
    shaderbench_in_empty_folder(&["run", "--device", "99"]).fails_with(2, "there is no device 99");
}

#[test]
fn a_run_prints_a_table_and_writes_a_complete_report() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let output = measure(&folder, &["transpose/tiled", "--size", "64x96", "--json", "r.json"]).succeeds();
    let table = &output.stdout;
    assert!(table.contains("tiled PAD=1") && table.contains("of ceiling") && !table.contains('\u{1b}'), "{table}");
    assert_fits_80_columns(table);
    let reports = files_below(&folder.path("reports"), "csv");
    assert_eq!(reports.len(), 1);
    let text = std::fs::read_to_string(&reports[0]).expect("readable");
    let header = text.lines().next().expect("a header");
    assert_eq!(header, COLUMNS.iter().map(|column| column.name).collect::<Vec<_>>().join(","));
    let records = csv::read(&reports[0], text.as_bytes()).expect("a report").records;
    let row = records.iter().find(|r| r.params_text() == "PAD=1" && r.dtype == Some(Dtype::F32)).expect("the row");
    assert_eq!((row.size().as_str(), row.cell("checks").as_str()), ("64x96", "off"));
    assert!(is_right(row.status), "{}", row.reason);
    assert!(row.median_ns > Some(0.0) && row.share.is_some() && !row.driver.is_empty() && !row.cpu.is_empty());
    assert_eq!(parse(&folder.read("r.json")).as_array().map(Vec::len), Some(records.len()));
    // A second run of the day has another file name; a file that the user names is not overwritten.
    let second = folder.run(&["run", "ceiling/launch"]);
    assert!(second.stdout.ends_with("-2.csv\n"), "{second}");
    folder.run(&["run", "ceiling/launch", "--json", "r.json"]).fails_with(2, "--force");
}

#[test]
fn all_apis_of_a_device_share_a_run_and_a_report() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let output = folder.run(&["run", "ceiling/launch", "--backend", "all", "--profile", "quick"]).succeeds();
    let devices: Vec<_> = std::fs::read_dir(folder.path("reports")).expect("the folder").collect();
    let reports = files_below(&folder.path("reports"), "csv");
    assert_eq!((devices.len(), reports.len()), (1, 1), "{output}");
    let records = csv::open(&reports[0]).expect("a report").records;
    let apis: Vec<&str> = report::apis(&records).into_iter().map(Api::name).collect();
    assert_eq!(records.len(), apis.len(), "one case, a row for each of {apis:?}");
    let name = reports[0].file_name().expect("a name").to_string_lossy();
    assert!(name.ends_with(&format!("-{}.csv", apis.join("+"))), "{name}");
    let table = &output.stdout;
    assert_eq!(table.contains("see `shaderbench compare`"), apis.len() > 1, "{table}");
    assert_fits_80_columns(table);
}

#[test]
fn a_dry_run_measures_nothing() {
    if !has_device() {
        return;
    }
    let output = shaderbench_in_empty_folder(&["run", "reduction", "--dry-run"]);
    for case in ["reduction/sequential f32 ", "ceiling/read"] {
        assert!(output.stdout.contains(case), "{output}");
    }
}

#[test]
fn a_report_that_cannot_be_written_ends_the_run_at_once() {
    if !has_device() {
        return;
    }
    let arguments = ["run", "ceiling/launch", "--out", "no/such/folder/r.csv"];
    shaderbench_in_empty_folder(&arguments).fails_with(1, "no/such/folder");
}

#[test]
fn a_killed_run_leaves_a_readable_report_of_its_finished_rows() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let arguments = ["run", "reduction", "--size", "65536", "--size", "1000003", "--out", "r.csv"];
    let mut command = folder.shaderbench(&arguments).into_command();
    let mut child = command.stderr(Stdio::null()).stdout(Stdio::null()).spawn().expect("starts");
    let path = folder.path("r.csv");
    let rows = || std::fs::read_to_string(&path).map_or(0, |text| text.lines().count().saturating_sub(1));
    for _ in 0..30_000 {
        if rows() >= 5 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    let records = folder.records("r.csv");
    assert!(records.len() >= 5, "{} rows", records.len());
    assert!(records.iter().all(|record| !record.benchmark.is_empty() && !record.device.is_empty()));
}

#[test]
fn a_kernel_in_the_shaders_folder_replaces_the_suites_and_is_verified() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("transpose")).expect("created");
    let dry_run = || folder.run(&["run", "transpose/tiled", "--dry-run", "--shaders", "."]);
    dry_run().fails_with(2, "has no kernel");
    folder.write("transpose/tild.wgsl", "");
    dry_run().fails_with(2, "did you mean 'transpose/tiled'?");
    std::fs::remove_file(folder.path("transpose/tild.wgsl")).expect("removed");
    if !has_device() {
        return;
    }
    let original = include_str!("../../shaders/transpose/tiled.wgsl");
    let faulty = original.replace("corner.yx", "corner.xy");
    for (kernel, is_kernel_right, code) in [(original.to_owned(), true, 0), (faulty, false, 3)] {
        folder.write("transpose/tiled.wgsl", kernel);
        let arguments = ["transpose/tiled", "--size", "96x64", "--shaders", ".", "--force", "--out", "r.csv"];
        measure(&folder, &arguments).exits_with(code);
        let records = folder.records("r.csv");
        let mut rows = records.iter().filter(|record| record.family == "transpose").peekable();
        let is_expected =
            |record: &Record| is_right(record.status) == is_kernel_right && record.status != Status::Failed;
        assert!(rows.peek().is_some() && rows.all(is_expected));
    }
    folder.write("transpose/tiled.wgsl", original.replace("// ", "// Changed: "));
    for (flag, checks) in [(&[][..], "on"), (&["--unchecked"], "off")] {
        let arguments = ["transpose/tiled", "--size", "96x64", "--shaders", ".", "--force", "--out", "r.csv"];
        measure(&folder, &[&arguments[..], flag].concat()).succeeds();
        let records = folder.records("r.csv");
        assert!(records.iter().any(|record| record.family == "transpose"), "{flag:?}");
        for record in &records {
            let expected = if record.family == "transpose" { checks } else { "off" };
            assert_eq!(record.cell("checks"), expected, "{} {flag:?}", record.name());
        }
    }
}

#[test]
fn a_size_that_does_not_divide_into_whole_vectors_is_skipped() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    measure(&folder, &["stream/copy", "--size", "100003", "--out", "r.csv"]).succeeds();
    let records = folder.records("r.csv");
    let row =
        records.iter().find(|record| record.dtype == Some(Dtype::Vec4F32) && record.family == "stream").expect("a row");
    assert_eq!(
        (row.status, row.reason.as_str()),
        (Status::Skipped, "100003 scalars do not divide evenly into vec4<f32>: use a multiple of 4")
    );
}

#[test]
#[cfg(unix)]
fn a_run_completes_when_stderr_cannot_be_written() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let command = || {
        let arguments = ["reduction/sequential", "--size", "4096", "--force", "--out", "r.csv"];
        let program = folder.shaderbench(&["run", "--profile", "quick"]).args(&arguments).args(&FAIL_ON_WRONG_ANSWERS);
        let mut command = program.into_command();
        command.stdout(Stdio::null());
        command
    };
    let assert_complete = |what: &str| {
        let rows = folder.records("r.csv");
        assert!(rows.iter().any(|row| row.name() == "reduction/sequential"), "{what}: {} rows", rows.len());
    };
    // A reader that closes the pipe after the first line, as in `2>&1 | head -1`.
    let mut child = command().stderr(Stdio::piped()).spawn().expect("starts");
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stderr.take().expect("piped")), &mut line)
        .expect("a line");
    assert_eq!(child.wait().expect("ends").code(), Some(0), "after {line}");
    assert_complete("a closed pipe");
    let Ok(full_disk) = std::fs::OpenOptions::new().write(true).open("/dev/full") else { return };
    assert_eq!(command().stderr(full_disk).status().expect("starts").code(), Some(0));
    assert_complete("a full disk");
}

#[test]
fn a_run_with_a_time_limit_lists_what_it_leaves_out() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let arguments = ["run", "bank_conflict", "--profile", "standard", "--time", "1s", "--out", "r.csv"];
    let output = folder.run(&[&arguments[..], &FAIL_ON_WRONG_ANSWERS].concat()).succeeds();
    let summary = output.stderr.lines().find(|line| line.contains(" cases, profile standard")).expect("a summary");
    assert!(summary.ends_with(", at most 1 s"), "{summary}");
    let line = output.stderr.lines().find(|line| line.contains(" left out (time limit)")).expect("a line");
    let (measured, rest) = line.split_once(" of ").expect("a count");
    let numbers = |text: &str| -> Vec<usize> { text.split(' ').filter_map(|word| word.parse().ok()).collect() };
    let [all, others @ ..] = &numbers(rest)[..] else { panic!("{line}") };
    assert_eq!(numbers(measured)[0] + others.iter().sum::<usize>(), *all, "{line}");
    assert!(line.ends_with(": try `--time 10m`"), "{line}");
    // Every benchmark has a row: measured, or with the reason why not.
    let rows = folder.records("r.csv");
    for name in ["stride", "broadcast", "bytes", "halves", "bytes_direct", "halves_direct"] {
        assert!(rows.iter().any(|row| row.benchmark == name), "{name}");
    }
    assert!(rows.iter().all(|row| is_right(row.status) || !row.reason.is_empty()));
}
