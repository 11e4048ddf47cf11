//! Comparisons of reports: their tables, and the command `compare`.

use std::path::{Path, PathBuf};

use crate::command::{Folder, Output, shaderbench};
use crate::terminal::{trim_lines, without_colors};
use answers::compare::text::{OutputFormat, Sort, View, write};
use answers::compare::{Comparison, Report, compare};
use answers::report::Terminal;
use answers::report::{csv, json};
use record::suite::Dtype;
use record::suite::Extent;
use record::suite::parse_params;
use record::suite::{Api, Checks};
use record::{Bound, Clock, Record, Status};

/// Five epochs around `median_ns`, from ÷ `reach` to × `reach`.
fn epochs(median_ns: f64, reach: f64) -> Vec<f64> {
    [-1.0, 0.5, 0.0, 1.0, -0.5].map(|part| median_ns * reach.powf(part)).to_vec()
}

fn row(family: &str, benchmark: &str, params: &str, median_ns: f64) -> Record {
    Record {
        schema: Some(2),
        tool_version: "0.1.0".into(),
        date: "2026-11-20T22:41:16Z".into(),
        device: "NVIDIA H200".into(),
        driver: "NVIDIA 580.159.04".into(),
        backend: Some(Api::Vulkan),
        family: family.into(),
        benchmark: benchmark.into(),
        dtype: Some(Dtype::F32),
        n: Some(Extent::Matrix(8192, 8192)),
        params: parse_params(params).expect("parameters"),
        checks: Checks::named("off"),
        shader_hash: "ec6f7a030721ef14".into(),
        timer: Some(Clock::Timestamp),
        samples: Some(20),
        launches: Some(3),
        median_ns: Some(median_ns),
        ci_low_ns: Some(median_ns * 0.998),
        ci_high_ns: Some(median_ns * 1.002),
        epochs_ns: epochs(median_ns, 1.002),
        ceiling: Bound::parse("copy 512 MiB"),
        share: Some(130_000.0 / median_ns),
        ..Record::default()
    }
}

fn rows() -> Vec<Record> {
    vec![
        row("transpose", "naive_coalesced_read", "", 1_037_000.0),
        row("transpose", "tiled", "PAD=0", 316_600.0),
        row("transpose", "tiled", "PAD=1", 160_123.0),
        row("transpose", "tiled_vec4", "", 148_000.0),
        row("transpose", "a_name_that_is_far_too_long_for_it", "PAD=1;TILE=32", 500_000.0),
        row("matmul", "naive", "", 2_036_000.0),
        row("matmul", "tiled", "", 1_036_000.0),
        row("matmul", "old", "", 900_000.0),
    ]
}

/// The rows a day later: slower, faster, the same, unclear, changed, wrong, removed and new.
fn later() -> Vec<Record> {
    let mut rows = rows();
    rows.pop();
    for row in &mut rows {
        row.date = "2026-11-21T08:00:00Z".into();
    }
    let mut scale = |index: usize, factor: f64| {
        let row = &mut rows[index];
        let times = [&mut row.median_ns, &mut row.ci_low_ns, &mut row.ci_high_ns];
        times.into_iter().flatten().chain(&mut row.epochs_ns).for_each(|ns| *ns *= factor);
        row.share = row.share.map(|share| share / factor);
    };
    scale(0, 1.1);
    scale(1, 0.8);
    scale(4, 12.0);
    rows[3].epochs_ns = epochs(148_000.0, 1.08);
    rows[3].reason = "device speed drifted by 7 %".into();
    rows[1].shader_hash = "1b47820c8b04fcf3".into();
    rows[4].timer = Some(Clock::Wall);
    rows[5].status = Status::Wrong;
    rows[5].reason = "element 5 is NaN, must be 0.25".into();
    rows.push(Record { date: rows[0].date.clone(), ..row("matmul", "new", "", 700_000.0) });
    rows
}

/// Rows of another device: some are faster than the H200's, and all are far below its own ceilings.
fn on_another_device() -> Vec<Record> {
    let mut rows = rows();
    for (row, factor) in rows.iter_mut().zip([30.0, 300.0, 800.0, 700.0, 0.5, 90.0, 80.0, 1.001]) {
        row.device = "llvmpipe (LLVM 15.0.6, 256 bits)".into();
        row.driver = "Mesa 22.3.6".into();
        let times = [&mut row.median_ns, &mut row.ci_low_ns, &mut row.ci_high_ns];
        times.into_iter().flatten().chain(&mut row.epochs_ns).for_each(|ns| *ns *= factor);
    }
    rows[0].share = Some(0.5);
    rows
}

fn report(name: &str, records: Vec<Record>) -> Report {
    Report { name: name.to_owned(), records }
}

fn view(width: usize) -> View<'static> {
    let terminal = Terminal { width, has_color: false };
    View { terminal, sort: Sort::Family, has_all_rows: true, by_kernel: &["matmul"], limit: None }
}

fn written(others: &[Report], view: View, format: OutputFormat) -> String {
    let baseline = [report("old.csv", rows())];
    let text = write(&compare(&baseline, others), view, format);
    if format == OutputFormat::Table && !view.terminal.has_color {
        assert!(text.lines().all(|line| line.chars().count() <= view.terminal.width), "{text}");
    }
    text
}

fn two(view: View, format: OutputFormat) -> String {
    written(&[report("new.csv", later())], view, format)
}

fn three(view: View, format: OutputFormat) -> String {
    written(&[report("new.csv", later()), report("soft.csv", on_another_device())], view, format)
}

#[test]
fn two_runs_at_80_columns() {
    insta::assert_snapshot!(two(View { limit: Some(0.05), ..view(80) }, OutputFormat::Table));
}

#[test]
fn three_sides_at_80_columns() {
    insta::assert_snapshot!(three(view(80), OutputFormat::Table));
}

#[test]
fn the_largest_slow_down_first() {
    insta::assert_snapshot!(two(View { sort: Sort::Ratio, ..view(80) }, OutputFormat::Table));
}

#[test]
fn two_runs_in_markdown() {
    let written = |has_all_rows| two(View { limit: Some(0.05), has_all_rows, ..view(80) }, OutputFormat::Markdown);
    insta::assert_snapshot!(written(true));
    let short = written(false);
    let answer = written(true).lines().next().unwrap_or_default().to_owned();
    assert!(short.starts_with(&answer) && short.ends_with("`--all` adds every case.\n"), "{short}");
    assert!(!short.contains("### "), "{short}");
}

#[test]
fn markdown_of_two_whole_reports_fits_a_comment() {
    let [a, b] = ["results/nvidia-h200/2026-11-30-vulkan.csv", "results/nvidia-h200/2026-11-30-vulkan.csv"];
    let short = shaderbench(&["compare", a, b, "--format", "markdown", "--fail-on-regression", "1"]).run().stdout;
    assert!((5..=100).contains(&short.lines().count()), "{short}");
}

#[test]
fn on_a_narrow_terminal_tables_follow_each_other() {
    let baseline = [report("old.csv", rows())];
    let others = [report("new.csv", later()), report("soft.csv", on_another_device())];
    let text = write(&compare(&baseline, &others), view(60), OutputFormat::Table);
    let cases = text.split("\ntranspose\n").nth(1).unwrap_or_default();
    assert!(cases.matches("naive_coalesced_read").count() > 1, "{text}");
    assert!(cases.lines().all(|line| line.chars().count() <= 60), "{text}");
}

#[test]
fn colours_do_not_change_the_text() {
    let terminal = Terminal { width: 80, has_color: true };
    let colored = three(View { terminal, ..view(80) }, OutputFormat::Table);
    let plain = without_colors(&colored);
    assert!(colored.contains("\u{1b}["));
    assert_eq!(trim_lines(&plain), trim_lines(&three(view(80), OutputFormat::Table)));
}

#[test]
fn json_has_every_field_and_null_for_a_missing_number() {
    let value: serde_json::Value =
        serde_json::from_str(&two(View { limit: Some(0.05), ..view(80) }, OutputFormat::Json)).expect("JSON");
    assert_eq!(value["sides"][1]["reports"], serde_json::json!(["new.csv"]));
    assert_eq!(
        value["matches"][0]["kinds"]["kernels"]["verdicts"],
        serde_json::json!({"faster": 0, "slower": 2, "same": 2, "unclear": 1})
    );
    let naive = &value["cases"][0];
    assert_eq!((naive["pairs"][0]["verdict"].as_str(), naive["fastest"][0].as_str()), (Some("slower"), Some("A")));
    let found = value["regressions"]["found"].as_array().expect("a list");
    let certain: Vec<_> =
        found.iter().filter(|one| one["is_beyond_noise"] == true).map(|one| one["case"].as_str()).collect();
    assert_eq!(certain, [Some("transpose/naive_coalesced_read f32 8192x8192")]);
    assert_eq!(value["cases"][5]["sides"]["B"]["median_ns"], serde_json::Value::Null, "a wrong answer has no time");
}

#[test]
fn extreme_figures_give_no_nan_and_no_infinity() {
    let extremes = [0.0, -1.0, 1e-308, 1e-6, 1.0, 1e18, 1e300, f64::MAX];
    let at = |seed: usize| Some(extremes[seed % extremes.len()]);
    let hostile = |shift: usize| {
        let case = |number: usize| {
            let seed = number * 7 + shift;
            Record {
                n: Some(Extent::Linear(number as u64)),
                params: [("|*_`".to_owned(), 1.0)].into(),
                median_ns: at(seed / 3),
                ci_low_ns: at(seed / 5),
                ci_high_ns: at(seed / 2),
                stddev_ns: at(seed / 7),
                drift: at(seed / 11),
                epochs_ns: (0..seed % 4).filter_map(|epoch| at(seed / 17 + epoch)).collect(),
                share: at(seed / 13),
                samples: Some(seed as u64 % 8),
                reason: "two\nlines".into(),
                ..row("é", "ü", "", 1.0)
            }
        };
        (0..1000).map(case).collect::<Vec<_>>()
    };
    let baseline = [report("a", hostile(0)), report("b", hostile(3))];
    let others = [report("c", hostile(5)), report("", vec![Record::default()]), report("d", hostile(50))];
    let comparison = compare(&baseline, &others);
    for (width, sort) in [(1, Sort::Family), (80, Sort::Name), (200, Sort::Ratio)] {
        let terminal = Terminal { width, has_color: true };
        let view = View { terminal, sort, has_all_rows: true, by_kernel: &[], limit: Some(0.05) };
        for format in [OutputFormat::Table, OutputFormat::Markdown, OutputFormat::Json] {
            let text = write(&comparison, view, format);
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }
}

fn committed(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("results").join(path)
}

fn h200() -> PathBuf {
    committed("nvidia-h200/2026-11-30-vulkan.csv")
}

fn records_of(path: &Path) -> Vec<Record> {
    csv::open(path).expect("a report").records
}

fn compare_files(folder: &Folder, arguments: &[&str]) -> Output {
    folder.shaderbench(&["compare"]).args(arguments).run()
}

/// A folder with the H200's report and epochs as `old.csv`; a day later and changed as `new.csv` and `new.json`.
fn changed(change: impl Fn(&mut Record)) -> Folder {
    let folder = Folder::new();
    let mut records = records_of(&h200());
    for record in &mut records {
        record.date = "2026-11-20T00:00:00Z".into();
        record.epochs_ns = record.median_ns.map(|ns| epochs(ns, 1.002)).unwrap_or_default();
    }
    folder.write("old.csv", csv::write(&records));
    for record in &mut records {
        record.date = "2026-11-21T00:00:00Z".into();
        change(record);
    }
    folder.write("new.csv", csv::write(&records));
    // Read back from the CSV, to have its digits.
    folder.write("new.json", json::write(&folder.records("new.csv")));
    folder
}

/// Makes the row slower by `factor`, with epochs from median / `reach` to median · `reach`.
fn slow_down(record: &mut Record, factor: f64, reach: f64) {
    record.median_ns = record.median_ns.map(|ns| ns * factor);
    record.epochs_ns = record.median_ns.map(|ns| epochs(ns, reach)).unwrap_or_default();
}

/// Verdicts of `new.csv` against `old.csv`: faster, slower, same, unclear.
fn verdicts(folder: &Folder, arguments: &[&str]) -> [u64; 4] {
    let all = [&["old.csv", "new.csv", "--format", "json"], arguments].concat();
    let value: serde_json::Value = serde_json::from_str(&compare_files(folder, &all).succeeds().stdout).expect("JSON");
    let of = &value["matches"][0]["kinds"]["kernels"]["verdicts"];
    ["faster", "slower", "same", "unclear"].map(|name| of[name].as_u64().expect("a number"))
}

#[test]
fn a_slow_down_of_3_percent_is_never_same_and_no_change_never_different() {
    let without_epochs = |record: &mut Record, factor: f64| {
        record.epochs_ns.clear();
        record.median_ns = record.median_ns.map(|ns| ns * factor);
    };
    let [faster, slower, same, unclear] = verdicts(&changed(|record| without_epochs(record, 1.03)), &[]);
    assert!(faster + slower + same == 0 && unclear > 900, "nothing is known about other runs");
    let [faster, slower, _, unclear] = verdicts(&changed(|record| without_epochs(record, 1.0)), &[]);
    assert!(faster + slower == 0 && unclear > 900);
    let slow = changed(|record| slow_down(record, 1.03, 1.002));
    let [faster, slower, same, unclear] = verdicts(&slow, &[]);
    assert!(faster + same + unclear == 0 && slower > 900, "{slower} of {}", slower + unclear);
    assert!(verdicts(&slow, &["--margin", "4"])[2] == slower, "3 % is within 4 %");
    let [faster, slower, same, unclear] = verdicts(&changed(|_| {}), &[]);
    assert!(faster + slower + unclear == 0 && same > 900);
}

#[test]
fn identical_reports_have_the_verdict_same_in_every_row() {
    let folder = Folder::new();
    for path in [h200(), committed("llvmpipe-llvm-15-0-6-256-bits/2026-11-22-vulkan.csv")] {
        folder.write("copy.csv", std::fs::read(&path).expect("readable"));
        let path = path.to_string_lossy().into_owned();
        let output = compare_files(&folder, &[&path, "copy.csv", "--fail-on-regression", "0", "--format", "json"]);
        let value: serde_json::Value = serde_json::from_str(&output.succeeds().stdout).expect("JSON");
        let kinds = value["matches"][0]["kinds"].as_object().expect("kinds");
        let ok = records_of(Path::new(&path)).iter().filter(|record| record.status == Status::Ok).count();
        let mut same = 0;
        for of in kinds.values() {
            same += of["verdicts"]["same"].as_u64().expect("a number") as usize;
            assert_eq!(of["verdicts"]["unclear"], 0, "{of}");
            assert_eq!(of["mean_time_ratio"], serde_json::json!({"value": 1.0, "low": 1.0, "high": 1.0}));
        }
        assert_eq!(same, ok);
    }
}

#[test]
fn a_planted_slow_down_exits_with_4_and_lists_its_rows() {
    let is_planted = |record: &Record| {
        record.name() == "transpose/tiled" && record.size() == "4096x4096" && record.dtype == Some(Dtype::F32)
    };
    let folder = changed(|record| {
        if is_planted(record) {
            slow_down(record, 1.1, 1.002);
        }
    });
    for new in ["new.csv", "new.json"] {
        let output = compare_files(&folder, &["old.csv", new, "--fail-on-regression", "5"]).exits_with(4);
        let text = &output.stdout;
        assert!(text.contains("Slower by more than 5 % in this run (2 cases):\n"), "{text}");
        for pad in [0, 1] {
            assert!(text.contains(&format!("\n  transpose/tiled f32 4096x4096 PAD={pad}: +10.0 % time [")), "{text}");
        }
    }
    let twice = compare_files(&folder, &["new.csv", "new.json", "transpose"]).stdout;
    let is_transposed = |record: &&Record| record.family == "transpose" && record.status == Status::Ok;
    let rows = records_of(&h200()).iter().filter(is_transposed).count();
    assert!(twice.contains(&format!(" {rows} same.")), "one run in two formats: {twice}");
    // Without the option, with a higher limit, for other kernels, or with the sides exchanged, nothing fails.
    for arguments in [
        &["old.csv", "new.csv"][..],
        &["old.csv", "new.csv", "--fail-on-regression", "15%"],
        &["old.csv", "new.csv", "reduction", "--fail-on-regression", "5"],
        &["old.csv", "new.csv", "--baseline", "new.csv", "--fail-on-regression", "5"],
    ] {
        compare_files(&folder, arguments).succeeds();
    }
    let json = compare_files(&folder, &["old.csv", "new.csv", "--fail-on-regression", "5", "--format", "json"]);
    let json = json.exits_with(4);
    assert!(!json.stdout.contains("Slower by") && json.stderr.contains("Slower by more than"), "{json}");
}

#[test]
fn a_possible_slow_down_is_listed_and_does_not_fail() {
    let folder = changed(|record| {
        if record.name() == "transpose/tiled_vec4" && record.size() == "4096x4096" && record.dtype == Some(Dtype::F32) {
            slow_down(record, 1.1, 1.2);
        }
    });
    let output = compare_files(&folder, &["old.csv", "new.csv", "transpose", "--fail-on-regression", "5"]);
    let text = output.succeeds().stdout;
    assert!(text.contains("No case is slower by more than 5 % in this run."), "{text}");
    assert!(
        text.replace("\n  ", " ").contains(
            "Possibly slower by more than 5 % (too noisy, timed by the host, or timed by different clocks): 1 case: transpose/tiled_vec4"
        ),
        "{text}"
    );
}

#[test]
fn a_row_timed_by_the_host_never_fails_a_comparison() {
    let is_changed = |record: &Record| record.name() == "transpose/tiled_vec4";
    for (clock, code) in [(Clock::Timestamp, 4), (Clock::Wall, 1)] {
        let folder = changed(|record| {
            record.timer = Some(clock);
            if is_changed(record) {
                slow_down(record, 1.5, 1.002);
            }
        });
        let old: Vec<Record> =
            folder.records("old.csv").into_iter().map(|record| Record { timer: Some(clock), ..record }).collect();
        folder.write("old.csv", csv::write(&old));
        let output = compare_files(&folder, &["old.csv", "new.csv", "--fail-on-regression", "5"]).exits_with(code);
        assert!(output.stdout.contains(if code == 4 { "Slower by more" } else { "Possibly slower" }), "{output}");
        let sentence = "none was timed by the device's clock on both sides";
        assert_eq!(output.stderr.contains(sentence), code == 1, "{output}");
    }
}

#[test]
fn comparisons_of_committed_reports_fit_80_columns() {
    let folder = Folder::new();
    let soft = committed("llvmpipe-llvm-15-0-6-256-bits/2026-11-22-vulkan.csv");
    let both = committed("nvidia-h200/2026-11-30-vulkan+cuda.csv");
    let [hard, soft, both] = [h200(), soft, both].map(|path| path.to_string_lossy().into_owned());
    let pair = [soft.as_str(), hard.as_str()];
    let text = compare_files(&folder, &[pair[0], pair[1], "--all"]).succeeds().stdout;
    assert!(text.starts_with("NVIDIA H200 against llvmpipe") && !text.contains('\u{1b}'), "{text}");
    let whole = text.lines().count();
    for (arguments, is_short) in [
        (&pair[..], true),
        (&[&both, &soft], false),
        (&[&both, &soft, "--all"], false),
        (&[&both, "--sort", "change"], false),
    ] {
        let text = compare_files(&folder, arguments).stdout;
        // Paths may be longer than a line.
        let lines = text.lines().filter(|line| !line.contains("results"));
        assert!(lines.clone().all(|line| line.chars().count() <= 80), "{text}");
        assert!(3 * lines.count() < whole || !is_short, "{text}");
    }
}

#[test]
fn a_comparison_answers_first_and_shows_the_largest_slow_down_first() {
    let folder = changed(|row| {
        let factor = if row.family == "transpose" { 1.1 } else { 0.9 };
        for ns in [&mut row.median_ns, &mut row.ci_low_ns, &mut row.ci_high_ns].into_iter().flatten() {
            *ns *= factor;
        }
        row.epochs_ns.iter_mut().for_each(|ns| *ns *= factor);
    });
    let text = compare_files(&folder, &["old.csv", "new.csv"]).succeeds().stdout;
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}\n{text}"));
    let (sides, slower, faster) = (place("\nA: "), place("\nslower\n"), place("\nfaster\n"));
    assert!(text.starts_with("transpose/") && sides < slower && slower < faster, "{text}");
    assert!(text.contains("`--all` shows every row"), "{text}");
    let all = compare_files(&folder, &["old.csv", "new.csv", "--all"]).succeeds().stdout;
    assert!(all.lines().count() > text.lines().count(), "{all}");
}

#[test]
fn a_comparison_that_is_not_possible_has_a_one_line_error() {
    let folder = changed(|_| {});
    folder.write("broken.json", "[{\"n\": 1");
    folder.write("empty.csv", csv::write(&[]));
    std::fs::create_dir(folder.path("results")).expect("created");
    for (arguments, code, sentence) in [
        (&["old.csv", "nope.csv"][..], 1, "cannot read 'nope.csv'"),
        (&["old.csv", "broken.json"], 1, "broken.json, line 1: the file is cut off"),
        (&["old.csv", "empty.csv"], 2, "empty.csv has no rows"),
        (&["old.csv", "transpose"], 2, "name another report"),
        (&["transpose"], 2, "compare needs a report"),
        (&["old.csv", "new.csv", "tranpose"], 2, "did you mean 'transpose'?"),
        (&["old.csv", "results"], 2, "results is a folder without reports"),
        (&["old.csv", "new.csv", "["], 2, "'[' is not a valid filter"),
    ] {
        let output = compare_files(&folder, arguments).exits_with(code);
        assert!(output.sole_error().contains(sentence), "{output}");
    }
    compare_files(&folder, &["old.csv", "new.csv", "--fail-on-regression", "-1"]).exits_with(2);
}

#[test]
fn a_report_alone_is_compared_by_its_apis_or_with_the_references() {
    let folder = Folder::new();
    let [one, both, soft] = [
        "nvidia-h200/2026-11-30-vulkan.csv",
        "nvidia-h200/2026-11-30-vulkan+cuda.csv",
        "llvmpipe-llvm-15-0-6-256-bits/2026-11-22-vulkan.csv",
    ]
    .map(|path| committed(path).to_string_lossy().into_owned());
    let alone = compare_files(&folder, &[&one]).succeeds().stdout;
    assert!(alone.starts_with("NVIDIA H200, Vulkan: beside "), "{alone}");
    assert!(
        alone.contains("÷ median") && alone.contains("\n  DRAM read ") && alone.contains("\n  GEMM f32 "),
        "{alone}"
    );
    assert!(alone.lines().filter(|line| !line.contains("results")).all(|line| line.chars().count() <= 80), "{alone}");
    let markdown = compare_files(&folder, &[&one, "--format", "markdown"]).succeeds().stdout;
    assert!(markdown.contains("\n\n|") && markdown.contains("| GEMM f32 "), "{markdown}");
    assert!(compare_files(&folder, &[&both]).succeeds().stdout.starts_with("Vulkan against CUDA: "));
    let mut slow = records_of(Path::new(&one));
    for row in &mut slow {
        row.date = "2026-11-28T00:00:00Z".into();
        for ns in [&mut row.median_ns, &mut row.ci_low_ns, &mut row.ci_high_ns].into_iter().flatten() {
            *ns /= 0.9;
        }
        row.gb_per_s = row.gb_per_s.map(|rate| rate * 0.9);
        row.gflop_per_s = row.gflop_per_s.map(|rate| rate * 0.9);
        row.epochs_ns.iter_mut().for_each(|ns| *ns /= 0.9);
    }
    folder.write("slow.csv", csv::write(&slow));
    let text = compare_files(&folder, &["slow.csv"]).succeeds().stdout;
    assert!(text.replace("\n  ", " ").contains("Slower than every reference: DRAM "), "{text}");
    slow.iter_mut().for_each(|row| row.device = "a card of its own".to_owned());
    folder.write("slow.csv", csv::write(&slow));
    let unknown = compare_files(&folder, &["slow.csv"]).succeeds().stdout;
    assert!(unknown.contains("no built-in report of this model") && !unknown.contains("÷ median"), "{unknown}");
    compare_files(&folder, &["slow.csv", "--fail-on-regression", "5"]).exits_with(2);
    compare_files(&folder, &[&soft]).succeeds();
}

#[test]
fn several_reports_of_one_device_are_one_side() {
    let folder = changed(|_| {});
    let mut records = records_of(&h200());
    records.iter_mut().for_each(|record| record.date = "2026-11-22T00:00:00Z".into());
    folder.write("newer.csv", csv::write(&records));
    let unwrapped = |arguments: &[&str]| compare_files(&folder, arguments).stdout.replace("\n   ", " ");
    let text = unwrapped(&["old.csv", "new.csv", "newer.csv", "scan"]);
    assert!(text.contains("2 runs, 2026-11-21 to 2026-11-22;") && !text.contains("\nC: "), "{text}");
    let text = unwrapped(&["--baseline", "old.csv", "--baseline", "new.csv", "newer.csv", "scan"]);
    assert!(text.contains("2 runs, 2026-11-20 to 2026-11-21;"), "{text}");
}

#[test]
fn sides_have_the_order_of_the_reports() {
    let (old, new) = ([report("old.csv", rows())], [report("new.csv", later())]);
    let comparison: Comparison = compare(&old, &new);
    let labels: Vec<_> = comparison.sides.iter().map(|side| (side.label.as_str(), side.is_baseline)).collect();
    assert_eq!(labels, [("A", true), ("B", false)]);
}
