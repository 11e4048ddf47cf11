//! Strangers' reports: they send no controls to a terminal, end no command for a folder, and exhaust no memory.

#![allow(clippy::unwrap_used, reason = "a failed step ends the test")]

use std::path::Path;

use crate::command::{Folder, Output, has_device, program};
use crate::report_page::LLVMPIPE;
use answers::page::unpacked;
use answers::report::{csv, json, reader};
use record::error::is_hidden;
use record::{COLUMNS, Clock, Record, Status};

fn records() -> Vec<Record> {
    csv::open(Path::new(LLVMPIPE)).expect("a report").records
}

/// An escape sequence that sets the title, a C1 one, a bidirectional override, zero-width characters and line ends.
const HOSTILE: &str = "\x1b]0;own\x07\u{9b}31m\u{202e}\u{2066}\u{200f}\u{61c}\u{200b}\u{2028}\r\n\x08\x7f";

/// Records with [`HOSTILE`] behind each text.
fn hostile_records(date: &str) -> Vec<Record> {
    let mut records = records();
    records.retain(|row| row.family == "transpose" || row.family == "ceiling");
    for row in &mut records {
        row.date = format!("{date}{HOSTILE}");
        for text in [
            &mut row.device,
            &mut row.driver,
            &mut row.vendor,
            &mut row.os,
            &mut row.cpu,
            &mut row.tool_version,
            &mut row.card,
            &mut row.host,
            &mut row.apis,
            &mut row.reason,
            &mut row.shader_hash,
        ] {
            text.push_str(HOSTILE);
        }
        row.params.insert(format!("P{}", HOSTILE.replace(['=', ';'], "")), 1.0);
    }
    let (skipped, failed) = (records.len() - 1, records.len() - 2);
    (records[skipped].status, records[failed].status) = (Status::Skipped, Status::Failed);
    for row in [skipped, failed] {
        records[row].median_ns = None;
    }
    records
}

/// A CSV report with raw fields, which this version's writer would escape.
fn raw_csv(records: &[Record]) -> Vec<u8> {
    let field = |text: String| format!("\"{}\"", text.replace('"', "\"\""));
    let mut text = COLUMNS.iter().map(|column| column.name).collect::<Vec<_>>().join(",") + "\n";
    for record in records {
        let raw = |name: &str| match name {
            "device" => Some(&record.device),
            "driver" => Some(&record.driver),
            "vendor" => Some(&record.vendor),
            "os" => Some(&record.os),
            "cpu" => Some(&record.cpu),
            "date" => Some(&record.date),
            "tool_version" => Some(&record.tool_version),
            "card" => Some(&record.card),
            "host" => Some(&record.host),
            "apis" => Some(&record.apis),
            "reason" => Some(&record.reason),
            "shader_hash" => Some(&record.shader_hash),
            _ => None,
        };
        let params = record::suite::params_text(&record.params);
        let cells = COLUMNS.iter().map(|column| {
            let own = (column.name == "params").then(|| params.clone());
            own.or_else(|| raw(column.name).cloned()).unwrap_or_else(|| (column.get)(record))
        });
        text += &(cells.map(field).collect::<Vec<_>>().join(",") + "\n");
    }
    text.into_bytes()
}

fn raw_json(records: &[Record]) -> Vec<u8> {
    let bytes = raw_csv(records);
    let mut rows = Vec::new();
    let mut reader = ::csv::Reader::from_reader(&bytes[..]);
    let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    for row in reader.records() {
        let cells = names.iter().cloned().zip(row.unwrap().iter().map(serde_json::Value::from).collect::<Vec<_>>());
        rows.push(serde_json::Value::Object(cells.collect()));
    }
    serde_json::to_vec(&rows).unwrap()
}

#[track_caller]
fn is_clean(label: &str, text: &str) {
    let bad = text.char_indices().find(|(_, c)| is_hidden(*c) && *c != '\n');
    assert!(
        bad.is_none(),
        "{label}: {bad:?} in {:?}",
        bad.map(|(at, _)| text[at..].chars().take(80).collect::<String>())
    );
}

#[track_caller]
fn is_clean_output(output: &Output) {
    is_clean("stdout", &output.stdout);
    is_clean("stderr", &output.stderr);
}

#[test]
#[cfg(unix)]
fn no_control_character_of_a_report_or_a_file_name_reaches_the_terminal() {
    let folder = Folder::new();
    let name = "a\x1b]0;x\x07\u{202e}.csv";
    folder.write(&format!("r/{name}"), raw_csv(&hostile_records("2026-01-01")));
    folder.write("b\u{9b}.json", raw_json(&hostile_records("2026-01-02")));
    folder.write("broken\x1b[31m.csv", format!("status,family,benchmark,x{}\nfine{}\n", "\x1b[2J", "\x1b[2J"));
    folder.write("value.csv", "status,family,benchmark,median_ns\nok,a,b,\x1b[31m\u{202e}\n");
    folder.write("value.json", "[{\"status\": \"\\u001b[31m\", \"family\": \"a\", \"benchmark\": \"b\"}]");
    folder
        .write("key.json", "[{\"status\": \"ok\", \"family\": \"a\", \"benchmark\": \"b\", \"\\u001b]0;\\u202e\": 1}]");
    let (a, b) = (format!("r/{name}"), "b\u{9b}.json");
    let out = folder.argument("page.html");
    for format in ["table", "markdown", "json"] {
        let output = folder.run(&["compare", &a, "--baseline", b, "--format", format, "--fail-on-regression", "5"]);
        assert!(output.stdout.contains("u{1b}]0;own"), "{format}: {output}");
        is_clean_output(&output);
    }
    for format in ["table", "markdown"] {
        let output = folder.run(&["explain", "transpose", "--report", &a, "--format", format]).succeeds();
        assert!(output.stdout.contains("u{1b}]0;own"), "{format}: {output}");
        is_clean_output(&output);
    }
    is_clean_output(&folder.run(&["report", &a, b, "--out", &out]).succeeds());
    let page = folder.text("page.html");
    let data = &unpacked(&page, "report-data").unwrap();
    let plain = page.split_once("<main>").and_then(|(_, rest)| rest.split_once("</main>")).unwrap().0;
    is_clean("page", plain);
    assert!(data.contains("u{1b}]0;own"));
    is_clean("page", data);
    is_clean_output(&folder.run(&["report", "r", "--format", "index"]).succeeds());
    let index = folder.text("r/README.md");
    assert!(index.contains("(<a%1B]0;x%07%E2%80%AE.csv>)"), "{index}");
    is_clean("index", &index);
    for broken in ["broken\x1b[31m.csv", "value.csv", "value.json", "none\x1b[31m.csv"] {
        let output = folder.run(&["compare", &a, broken]).exits_with(1);
        assert!(output.stderr.starts_with("error: ") && output.stderr.contains("u{1b}[31m"), "{output}");
        is_clean_output(&output);
    }
    is_clean_output(&folder.run(&["compare", "key.json", "key.json"]));
    is_clean_output(&folder.run(&["compare", &a, "filter\x1b[31m"]).exits_with(2));
}

/// Texts of a stranger's file are escaped once; after that, both formats of this version agree.
#[test]
fn a_report_is_the_same_in_both_formats_and_after_another_round() {
    let path = Path::new("r.csv");
    let hostile = hostile_records("2026-01-01");
    let from_csv = reader::read(path, &raw_csv(&hostile)[..]).expect("a report").records;
    let from_json = reader::read(Path::new("r.json"), &raw_json(&hostile)[..]).expect("a report").records;
    assert_eq!(from_csv, from_json);
    for records in [from_csv, records()] {
        let bytes = csv::write(&records);
        assert_eq!(reader::read(path, &bytes[..]).expect("own").records, records);
        assert_eq!(reader::read(Path::new("r.json"), &json::write(&records)[..]).expect("own").records, records);
    }
    // An honest file is rewritten line by line, apart from columns that were added since.
    let honest = std::fs::read_to_string(LLVMPIPE).expect("readable");
    let written = String::from_utf8(csv::write(&records())).expect("UTF-8");
    let added = written.lines().next().map_or(0, |line| line.split(',').count())
        - honest.lines().next().map_or(0, |line| line.split(',').count());
    assert_eq!(written.lines().count(), honest.lines().count());
    for (written, honest) in written.lines().zip(honest.lines()).skip(1) {
        assert_eq!(written, format!("{honest}{}", ",".repeat(added)));
    }
}

/// The same rows as CSV and as JSON give the same report or the same error.
#[test]
fn both_formats_follow_the_same_rules() {
    let needed = [("family", "a"), ("benchmark", "b"), ("status", "ok"), ("schema", "2")];
    let read = |rows: &[Vec<(&str, &str)>]| {
        let names: Vec<&str> = rows[0].iter().map(|(name, _)| *name).collect();
        let line = |row: &Vec<(&str, &str)>| row.iter().map(|(_, value)| *value).collect::<Vec<_>>().join(",") + "\n";
        let text = names.join(",") + "\n" + rows.iter().map(line).collect::<String>().as_str();
        let object = |row: &Vec<(&str, &str)>| {
            let members =
                row.iter().map(|(name, value)| format!("{}: {}", serde_json::json!(name), serde_json::json!(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        };
        // The first row is in line 2, as in the CSV.
        let array = format!("[\n{}]", rows.iter().map(object).collect::<Vec<_>>().join(",\n"));
        let result = |name: &str, text: String| match reader::read(Path::new(name), text.as_bytes()) {
            Ok(report) => (report.records, report.notes),
            Err(error) => (Vec::new(), vec![error.to_string().replace(name, "r")]),
        };
        let (csv, json) = (result("r.csv", text), result("r.json", array));
        assert_eq!(csv, json, "{rows:?}");
        csv
    };
    let with = |more: &[(&'static str, &'static str)]| [&needed[..], more].concat();
    let fault = |row: Vec<(&str, &str)>| {
        let (records, notes) = read(&[row]);
        assert_eq!(records, []);
        notes.concat()
    };
    assert_eq!(fault(with(&[("median_ns", "-1")])), "r, line 2: column median_ns: '-1' is negative");
    assert_eq!(fault(with(&[("share", "-0.1")])), "r, line 2: column share: '-0.1' is negative");
    assert_eq!(fault(with(&[("epochs_ns", "1;-1")])), "r, line 2: column epochs_ns: '1;-1' is negative");
    assert_eq!(fault(with(&[("drift", "inf")])), "r, line 2: column drift: 'inf' is not a finite number");
    let missing = fault(vec![("family", "a"), ("benchmark", "b"), ("status", "")]);
    assert!(missing.starts_with("r, line 2: column status: '' is not a valid status"), "{missing}");
    let (records, notes) = read(&[with(&[("n", "1")]), with(&[("n", "2")]), with(&[("n", "1")])]);
    assert_eq!(records.len(), 2);
    assert!(
        notes.iter().any(|note| note
            == "1 row repeats a case of the same run; the last row counts (for example, line 4 replaces line 2)"),
        "{notes:?}"
    );
    let newer = |median: &'static str| {
        vec![("family", "a"), ("benchmark", "b"), ("status", "ok"), ("schema", "9"), ("median_ns", median)]
    };
    let (records, notes) = read(&[newer("-1"), newer("5")]);
    assert_eq!(records.len(), 1, "the second row repeats the first");
    assert!(notes.iter().any(|note| note.contains("a newer version wrote this report: 1 rows")), "{notes:?}");
}

#[test]
#[cfg(unix)]
fn one_foreign_file_does_not_stop_the_commands_of_a_folder() {
    let folder = Folder::new();
    let report = std::fs::read(LLVMPIPE).expect("readable");
    folder.write("r/good.csv", &report);
    folder.write("r/foreign.csv", "name,price\nscrew,1\n");
    folder.write("r/binary.csv", b"\x7fELF\0\0\xff\xfe");
    folder.write("r/page.csv", "<!DOCTYPE html><html>");
    folder.write("r/zip.csv", b"PK\x03\x04");
    folder.write("r/empty.csv", "");
    std::os::unix::fs::symlink(".", folder.path("r/loop")).expect("linked");
    std::os::unix::fs::symlink("nowhere", folder.path("r/dangling.csv")).expect("linked");
    assert!(program("mkfifo").arg(folder.path("r/pipe.csv")).into_command().status().expect("mkfifo").success());
    folder.write("old.csv", &report);
    let named = |output: &Output| {
        for name in ["foreign.csv", "binary.csv", "page.csv", "zip.csv", "empty.csv", "dangling.csv", "pipe.csv"] {
            assert_eq!(output.stderr.matches(name).count().min(1), 1, "{name} is not named\n{output}");
        }
        assert!(output.stderr.contains("a zip archive, not a report") && output.stderr.contains("skipped"), "{output}");
    };
    let index = folder.run(&["report", "r", "--format", "index"]).succeeds();
    named(&index);
    assert_eq!(index.stdout, "r/README.md: 1 report\n");
    named(&folder.run(&["report", "r", "--out", "page.html"]).succeeds());
    named(&folder.run(&["compare", "old.csv", "r", "--fail-on-regression", "5"]).succeeds());
    // A folder without a readable report is an error, and a named file is never skipped.
    folder.write("bad/foreign.csv", "name,price\nscrew,1\n");
    for arguments in [&["report", "bad", "--format", "index"][..], &["report", "bad"], &["compare", "old.csv", "bad"]] {
        let refused = folder.run(arguments).exits_with(2);
        assert!(refused.stderr.contains("bad contains no readable") && refused.stderr.contains(" report"), "{refused}");
    }
    folder.run(&["compare", "old.csv", "bad/foreign.csv"]).exits_with(1);
}

/// Pipes are read; a device without an end is not read to the end.
#[test]
#[cfg(unix)]
fn endless_and_packed_inputs_end() {
    let folder = Folder::new();
    folder.write("r.csv", std::fs::read(LLVMPIPE).expect("readable"));
    let packed = "gzip -k r.csv && gzip -c r.csv > other.csv.gz && cat r.csv";
    let shell = |script: String| {
        let program = program("sh").args(&["-c", &script, env!("CARGO_BIN_EXE_shaderbench")]).folder(&folder.path(""));
        program.run()
    };
    shell(packed.to_owned()).succeeds();
    for (script, code, sentence) in [
        ("exec \"$0\" compare r.csv r.csv.gz", 0, ""),
        ("cat r.csv | \"$0\" compare r.csv /dev/stdin", 0, ""),
        ("exec \"$0\" compare r.csv /dev/zero", 1, "/dev/zero, line 1: "),
        ("yes '' | \"$0\" compare r.csv /dev/stdin", 1, "larger than 256 MiB"),
        ("truncate -s 9G large.csv; exec \"$0\" compare r.csv large.csv", 1, "larger than 256 MiB"),
        (
            "head -c 300000000 /dev/zero | tr '\\0' ' ' | gzip -1 > bomb.json.gz; exec \"$0\" compare r.csv \
             bomb.json.gz",
            1,
            "larger than 256 MiB",
        ),
    ] {
        // With 1.5 GB of address space: the input is counted, not held in memory.
        let output = shell(format!("ulimit -v 1500000; {script}")).exits_with(code);
        assert!(output.stderr.contains(sentence), "{script}: {output}");
    }
}

/// A PNG whose header claims these sides, with hardly any pixels.
fn claimed_picture(side: u32) -> Vec<u8> {
    let chunk = |name: &[u8; 4], content: &[u8]| {
        let mut sum = flate2::Crc::new();
        sum.update(name);
        sum.update(content);
        [&(content.len() as u32).to_be_bytes()[..], name, content, &sum.sum().to_be_bytes()].concat()
    };
    let header = [&side.to_be_bytes()[..], &side.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    let chunks = [chunk(b"IHDR", &header), chunk(b"IDAT", &[0; 64]), chunk(b"IEND", &[])].concat();
    [&b"\x89PNG\r\n\x1a\n"[..], &chunks].concat()
}

const COPY: &str = "@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) { output[id.x] = input[id.x]; }
";
const FILTER: &str = "@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    output[id.x] = textureLoad(image, id.xy, 0).x;
}
";
/// One evaluation is within its limit of operations; thousands of them exceed the time limit.
const SLOW: &str = "let s = 0; for k in 0..3000000 { s += k } s";

/// Declarations and kernels that need too much memory or time end with one sentence, in a dry run too.
#[test]
#[cfg(target_os = "linux")]
fn declarations_end_within_their_limits() {
    let folder = Folder::new();
    folder.write("large.png", claimed_picture(100_000));
    folder.write("many.png", claimed_picture(30_000));
    folder.write("empty.png", claimed_picture(10_000));
    folder.write("copy.wgsl", COPY);
    folder.write("image.wgsl", FILTER);
    folder.write("sum.wgsl", COPY.replace("= input[id.x];", &format!("= {}1.0;", "input[id.x] + ".repeat(20_000))));
    let entry = |n: usize| format!("@compute @workgroup_size(64) fn main{n}() {{ output[0] = input[0]; }}\n");
    let (bindings, _) = COPY.split_once("@compute").expect("a kernel");
    folder.write("entries.wgsl", bindings.to_owned() + &(0..20_000).map(entry).collect::<String>());
    std::os::unix::fs::symlink("/dev/zero", folder.path("zero.wgsl")).expect("linked");
    let image = |file: &str| format!("[buffers.image]\nfile = \"{file}\"\nsize = [64, 64]");
    let copy = |more: &str| format!("kernels = [\"copy.wgsl\"]\n{more}");
    let kernels =
        (0..1001).map(|n| format!("{{ file = \"copy.wgsl\", name = \"k{n}\" }}")).collect::<Vec<_>>().join(", ");
    let over = "raise the limit with --host-timeout";
    for (name, toml, options, sentence) in [
        (
            "large",
            format!("kernels = [\"image.wgsl\"]\n{}", image("large.png")),
            "",
            "claims 100000 x 100000 pixels, above the limit of 268435456",
        ),
        (
            "many",
            format!("kernels = [\"image.wgsl\"]\n{}", image("many.png")),
            "",
            "claims 30000 x 30000 pixels, above the limit of 268435456",
        ),
        (
            "empty",
            format!("kernels = [\"image.wgsl\"]\n{}", image("empty.png")),
            "",
            "pixels, more than a file of 121 B can hold",
        ),
        ("zero.wgsl", String::new(), "--param WG=64", "not a regular file"),
        ("preprocess", copy("preprocess = \"sleep 1000\""), "--host-timeout 1s", over),
        ("contents", copy(&format!("[buffers.input]\ncontents = \"{SLOW}\"")), "--host-timeout 1s --size 2^20", over),
        (
            "repeat",
            format!(
                "[[kernels]]\nfile = \"copy.wgsl\"\nsteps = [{{ repeat = \"{SLOW} / s * 90000\", steps = [{{ groups = \
                 \"{SLOW} / s\" }}] }}]"
            ),
            "--host-timeout 1s",
            over,
        ),
        ("kernels", format!("kernels = [{kernels}]"), "", "1001 kernels exceed the limit of 1000"),
        ("sum.wgsl", String::new(), "--host-timeout 1s", over),
        ("entries.wgsl", String::new(), "--host-timeout 1s", over),
    ] {
        let file = if toml.is_empty() { name.to_owned() } else { format!("{name}.toml") };
        if !toml.is_empty() {
            folder.write(&file, toml);
        }
        let script = format!("ulimit -v 3000000; ulimit -t 60; exec \"$0\" bench {file} --dry-run {options}");
        let program = program("sh").args(&["-c", &script, env!("CARGO_BIN_EXE_shaderbench")]);
        let output = program.folder(&folder.path("")).run();
        assert!(output.code.is_some_and(|code| code == 1 || code == 2), "{name}: {output}");
        assert!(output.stderr.contains(sentence), "{name}: {output}");
        assert!(output.stderr.lines().count() == 1 && output.stderr.len() < 2000, "{name}: one sentence: {output}");
    }
    // A large declaration within the limits is accepted.
    let fewer = kernels.split(", {").take(50).collect::<Vec<_>>().join(", {");
    folder.write("fifty.toml", format!("kernels = [{fewer}]\nsizes = [\"2^10\", \"2^21\"]"));
    if has_device() {
        folder.run(&["bench", "fifty.toml", "--dry-run"]).succeeds();
    }
}

/// A row fails if its right values take too long, and hidden characters of a declaration are escaped.
#[test]
fn slow_right_values_fail_and_hidden_characters_are_shown() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    folder.write("copy.wgsl", COPY);
    folder.write("slow.toml", "kernels = [\"copy.wgsl\"]\n[verify]\ncommand = \"sleep 1000\"");
    folder.write(
        "words.toml",
        "kernels = [\"copy.wgsl\"]\nitems = \"n\"\nunit = \"\\u001b[31mred\\u202e\"\nsummary = \"\\u001b]0;own\\u0007\"",
    );
    let run = |line: &[&str]| {
        let options = ["--size", "64", "--profile", "quick", "--epochs", "1", "--out"];
        folder.run(&[&["bench"], &line[1..], &options, &line[..1]].concat())
    };
    let output = run(&["slow.csv", "slow.toml", "--host-timeout", "2s"]).exits_with(3);
    assert!((output.stdout.clone() + &output.stderr).contains("raise the limit with --host-timeout"), "{output}");
    let output = run(&["a\u{202e}b.csv", "words.toml"]).succeeds();
    assert!(output.stdout.contains("u{1b}[31mred\\u{202e}"), "{output}");
    is_clean_output(&output);
}

/// Commands print every figure that a report may state.
#[test]
fn figures_at_the_edge_of_their_type_are_printed() {
    let folder = Folder::new();
    let rows: Vec<Record> = records().into_iter().step_by(8).collect();
    let columns = numeric();
    folder.write("rate.csv", csv::write(&changed(&rows, "gb_per_s", |_| "5e-324")));
    folder.write("speed.csv", csv::write(&changed(&rows, "gflop_per_s", |_| "1e308")));
    folder.write("all.csv", {
        let all = columns
            .iter()
            .enumerate()
            .fold(rows, |rows, (at, column)| changed(&rows, column, |row| EXTREMES[(row + at) % EXTREMES.len()]));
        csv::write(&all)
    });
    for file in ["rate.csv", "speed.csv", "all.csv"] {
        for line in
            [&["summary", file][..], &["compare", "rate.csv", file], &["explain", "transpose", "--report", file]]
        {
            let output = folder.run(line);
            assert!(output.code.is_some_and(|code| code <= 4), "{output}");
        }
    }
}

/// A report of this many rows, in turn of each device. Each row is its own case, unless devices share cases.
fn large(rows: usize, devices: usize, is_shared: bool) -> Vec<u8> {
    let ok: Vec<Record> = records().into_iter().filter(|row| row.status == Status::Ok).collect();
    let rows = (0..rows).map(|index| {
        let case = if is_shared { index / devices } else { index };
        Record {
            device: format!("Device {}", index % devices),
            n: Some(record::suite::Extent::Linear(1 + case as u64)),
            ..ok[case % ok.len()].clone()
        }
    });
    csv::write(&rows.collect::<Vec<_>>())
}

/// Memory and processor time grow with the rows. With a table of cases by devices, the comparison took 7 GB; with a
/// search through all cases for each row, the index took a minute.
#[test]
#[cfg(target_os = "linux")]
fn many_rows_of_many_devices_take_linear_memory_and_time() {
    let folder = Folder::new();
    folder.write("devices/r.csv", large(20_000, 100, true));
    folder.write("sparse/r.csv", large(20_000, 1000, false));
    folder.write("cases/r.csv", large(60_000, 1, false));
    for arguments in [
        "compare devices/r.csv --format json",
        "compare sparse/r.csv --format json",
        "compare sparse/r.csv",
        "report sparse/r.csv --out sparse.html",
        "report devices --format index",
        "report cases --format index",
    ] {
        let script = format!("ulimit -v 1500000; ulimit -t 30; exec \"$0\" {arguments} > out.txt");
        let program = program("sh").args(&["-c", &script, env!("CARGO_BIN_EXE_shaderbench")]);
        program.folder(&folder.path("")).run().succeeds();
    }
}

#[test]
fn a_check_that_compares_nothing_does_not_pass() {
    let folder = Folder::new();
    let all = records();
    let of = |family: &str| all.iter().filter(|row| row.family == family).cloned().collect::<Vec<_>>();
    let newer = |mut rows: Vec<Record>| {
        rows.iter_mut().for_each(|row| row.date = "2027-01-01T00:00:00Z".to_owned());
        rows
    };
    let failed = |mut rows: Vec<Record>| {
        for row in &mut rows {
            row.drop_figures();
            row.status = Status::Failed;
        }
        rows
    };
    let on = |clock: Clock, mut rows: Vec<Record>| {
        rows.iter_mut().filter(|row| row.timer.is_some()).for_each(|row| row.timer = Some(clock));
        rows
    };
    let without_epochs = |mut rows: Vec<Record>| {
        rows.iter_mut().for_each(|row| row.epochs_ns.clear());
        rows
    };
    folder.write("old.csv", csv::write(&of("transpose")));
    folder.write("bare.csv", csv::write(&without_epochs(of("transpose"))));
    for (name, rows, baseline, sentence) in [
        ("other.csv", newer(of("reduction")), "old.csv", "nothing was compared: none of "),
        ("failed.csv", failed(newer(of("transpose"))), "old.csv", "nothing was compared: none of "),
        (
            "host.csv",
            on(Clock::Wall, newer(of("transpose"))),
            "old.csv",
            "none was timed by the device's clock on both sides",
        ),
        ("bare2.csv", newer(without_epochs(of("transpose"))), "bare.csv", "but run-to-run variation is unknown"),
    ] {
        folder.write(name, csv::write(&rows));
        let output = folder.run(&["compare", baseline, name, "--fail-on-regression", "50"]).exits_with(1);
        assert_eq!(output.stderr.lines().count(), 1, "{output}");
        assert!(output.stderr.starts_with("error: nothing was ") && output.stderr.contains(sentence), "{output}");
        assert!(!output.stdout.is_empty(), "the comparison is shown: {output}");
        folder.run(&["compare", baseline, name]).succeeds();
    }
    folder.write("same.csv", csv::write(&newer(of("transpose"))));
    folder.run(&["compare", "old.csv", "same.csv", "--fail-on-regression", "50"]).succeeds();
}

fn numeric() -> Vec<&'static str> {
    let is_numeric = |column: &&record::Column| {
        let mut record = Record::default();
        let is_text = (column.set)(&mut record, "words").is_ok();
        !is_text && (column.set)(&mut record, "7").is_ok() && column.name != "schema"
    };
    COLUMNS.iter().filter(is_numeric).map(|column| column.name).collect()
}

const EXTREMES: [&str; 9] =
    ["0", "-0", "1e-300", "5e-324", "100000000000", "1e308", "18446744073709551615", "9007199254740993", "-1e308"];

/// The report with a column changed; rows with a value that the reader refuses stay as they are.
fn changed(rows: &[Record], column: &str, value: impl Fn(usize) -> &'static str) -> Vec<Record> {
    let mut rows = rows.to_vec();
    for (index, row) in rows.iter_mut().enumerate() {
        let value = value(index);
        if column == "params" {
            let number: f64 = value.parse().unwrap();
            row.params.values_mut().for_each(|param| *param = number);
            continue;
        }
        let text = csv::write([&*row]);
        let mut cells: Vec<String> = ::csv::Reader::from_reader(&text[..])
            .records()
            .next()
            .unwrap()
            .unwrap()
            .iter()
            .map(str::to_owned)
            .collect();
        let at = COLUMNS.iter().position(|known| known.name == column).unwrap();
        if cells[at].is_empty() && column != "model" {
            continue;
        }
        cells[at] = value.to_owned();
        let mut writer = ::csv::Writer::from_writer(Vec::new());
        writer.write_record(COLUMNS.iter().map(|column| column.name)).unwrap();
        writer.write_record(&cells).unwrap();
        if let Ok(report) = csv::read(Path::new("r.csv"), &writer.into_inner().unwrap()[..]) {
            *row = report.records.into_iter().next().unwrap();
        }
    }
    rows
}
