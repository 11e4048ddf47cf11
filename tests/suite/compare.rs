//! Reports against each other: how people see it, and the program as its user runs it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use shaderbench::backend::Api;
use shaderbench::report::comparison::{Format, Sort, View, write};
use shaderbench::report::table::Look;
use shaderbench::report::{csv, json};
use shaderbench::results::Bound;
use shaderbench::results::Clock;
use shaderbench::results::compare::{Comparison, Report, compare};
use shaderbench::results::{Record, Status};
use shaderbench::suite::Checks;
use shaderbench::suite::Dtype;
use shaderbench::suite::Extent;
use shaderbench::suite::parse_params;

fn row(family: &str, benchmark: &str, params: &str, median_ns: f64) -> Record {
    Record {
        schema: Some(1),
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

/// The rows a day later: slower, faster, as fast, unclear, changed, broken, gone and new.
fn later() -> Vec<Record> {
    let mut rows = rows();
    rows.pop();
    for row in &mut rows {
        row.date = "2026-11-21T08:00:00Z".into();
    }
    let mut scale = |place: usize, factor: f64| {
        let row = &mut rows[place];
        for time in [&mut row.median_ns, &mut row.ci_low_ns, &mut row.ci_high_ns] {
            *time = time.map(|ns| ns * factor);
        }
        row.share = row.share.map(|share| share / factor);
    };
    scale(0, 1.1);
    scale(1, 0.8);
    scale(4, 12.0);
    rows[3].ci_high_ns = Some(170_000.0);
    rows[3].reason = "the canary moved by 7 % and did not settle".into();
    rows[1].shader_hash = "1b47820c8b04fcf3".into();
    rows[4].timer = Some(Clock::Wall);
    rows[5].status = Status::Wrong;
    rows[5].reason = "element 5 is NaN, must be 0.25".into();
    rows.push(Record { date: rows[0].date.clone(), ..row("matmul", "new", "", 700_000.0) });
    rows
}

/// Another device, on which some are faster than the H200's and all are far from its own ceilings.
fn on_another_device() -> Vec<Record> {
    let mut rows = rows();
    for (row, factor) in rows.iter_mut().zip([30.0, 300.0, 800.0, 700.0, 0.5, 90.0, 80.0, 1.001]) {
        row.device = "llvmpipe (LLVM 15.0.6, 256 bits)".into();
        row.driver = "Mesa 22.3.6".into();
        for time in [&mut row.median_ns, &mut row.ci_low_ns, &mut row.ci_high_ns] {
            *time = time.map(|ns| ns * factor);
        }
    }
    rows[0].share = Some(0.5);
    rows
}

fn report(name: &str, records: Vec<Record>) -> Report {
    Report { name: name.to_owned(), records }
}

fn view(width: usize) -> View<'static> {
    let look = Look { width, has_color: false };
    View { look, sort: Sort::Family, is_relative: false, by_kernel: &["matmul"], limit: None }
}

/// Writes `others` against the first report.
fn written(others: &[Report], view: View, format: Format) -> String {
    let baseline = [report("old.csv", rows())];
    let text = write(&compare(&baseline, others), view, format);
    if format == Format::Table && !view.look.has_color {
        assert!(text.lines().all(|line| line.chars().count() <= view.look.width), "{text}");
    }
    text
}

fn two(view: View, format: Format) -> String {
    written(&[report("new.csv", later())], view, format)
}

fn three(view: View, format: Format) -> String {
    written(&[report("new.csv", later()), report("soft.csv", on_another_device())], view, format)
}

#[test]
fn two_runs_at_80_columns() {
    insta::assert_snapshot!(two(View { limit: Some(0.05), ..view(80) }, Format::Table));
}

#[test]
fn two_runs_at_200_columns() {
    insta::assert_snapshot!(two(view(200), Format::Table));
}

#[test]
fn three_sides_at_80_columns() {
    insta::assert_snapshot!(three(view(80), Format::Table));
}

#[test]
fn three_sides_at_200_columns() {
    insta::assert_snapshot!(three(view(200), Format::Table));
}

#[test]
fn three_sides_against_their_own_ceilings() {
    insta::assert_snapshot!(three(View { is_relative: true, ..view(80) }, Format::Table));
}

#[test]
fn the_largest_slow_down_first() {
    insta::assert_snapshot!(two(View { sort: Sort::Ratio, ..view(80) }, Format::Table));
}

#[test]
fn two_runs_in_markdown() {
    insta::assert_snapshot!(two(View { limit: Some(0.05), ..view(80) }, Format::Markdown));
}

#[test]
fn a_narrow_terminal_gets_tables_below_each_other() {
    let baseline = [report("old.csv", rows())];
    let others = [report("new.csv", later()), report("soft.csv", on_another_device())];
    let text = write(&compare(&baseline, &others), view(60), Format::Table);
    let cases = text.split("all families").next().unwrap_or_default();
    assert!(cases.matches("naive_coalesced_read").count() > 1, "{text}");
    assert!(cases.lines().all(|line| line.chars().count() <= 60), "{text}");
}

#[test]
fn colours_change_nothing_but_colours() {
    let look = Look { width: 80, has_color: true };
    let colored = three(View { look, ..view(80) }, Format::Table);
    let mut plain = String::new();
    let mut is_code = false;
    for c in colored.chars() {
        match c {
            '\u{1b}' => is_code = true,
            'm' if is_code => is_code = false,
            _ if !is_code => plain.push(c),
            _ => {}
        }
    }
    assert!(colored.contains("\u{1b}["));
    let trimmed = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    assert_eq!(trimmed(&plain), trimmed(&three(view(80), Format::Table)));
}

#[test]
fn csv_rows_are_complete_and_as_long_as_the_header() {
    let text = three(view(80), Format::Csv);
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let rows: Vec<_> = reader.records().collect::<Result<_, _>>().expect("rows of one length");
    let of = |row: &::csv::StringRecord, name: &str| {
        row[header.iter().position(|column| column == name).expect("a column")].to_owned()
    };
    assert_eq!(rows.len(), 9 + 8, "B has a case more and one less, C none");
    let slow = rows.iter().find(|row| of(row, "benchmark") == "naive_coalesced_read").expect("the row");
    assert_eq!(
        (of(slow, "verdict"), of(slow, "baseline"), of(slow, "side")),
        ("slower".into(), "A".into(), "B".into())
    );
    let ratio: f64 = of(slow, "ratio").parse().expect("a number");
    assert!((ratio - 1.0 / 1.1).abs() < 1e-9, "{ratio}");
    let notes: Vec<String> = rows.iter().map(|row| of(row, "note")).filter(|note| !note.is_empty()).collect();
    assert_eq!(notes, ["other shader", "other timer", "wrong in B", "only in A", "only in B"]);
}

#[test]
fn json_holds_everything_and_no_number_that_is_none() {
    let value: serde_json::Value =
        serde_json::from_str(&two(View { limit: Some(0.05), ..view(80) }, Format::Json)).expect("JSON");
    assert_eq!(value["sides"][1]["reports"], serde_json::json!(["new.csv"]));
    assert_eq!(
        value["matches"][0]["all"]["verdicts"],
        serde_json::json!({"faster": 1, "slower": 2, "same": 2, "unclear": 1})
    );
    let naive = &value["cases"][0];
    assert_eq!((naive["pairs"][0]["verdict"].as_str(), naive["fastest"][0].as_str()), (Some("slower"), Some("A")));
    let found = value["regressions"]["found"].as_array().expect("a list");
    let certain: Vec<_> =
        found.iter().filter(|one| one["is_certain"] == true).map(|one| one["case"].as_str()).collect();
    assert_eq!(certain, [Some("transpose/naive_coalesced_read f32 8192x8192")]);
    assert_eq!(value["cases"][5]["sides"]["B"]["median_ns"], serde_json::Value::Null, "a wrong answer has no time");
}

#[test]
fn no_figure_that_a_report_can_hold_breaks_a_comparison() {
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
    for (width, is_relative, sort) in [(1, false, Sort::Family), (80, true, Sort::Name), (200, false, Sort::Ratio)] {
        let look = Look { width, has_color: true };
        let view = View { look, sort, is_relative, by_kernel: &[], limit: Some(0.05) };
        for format in [Format::Table, Format::Markdown, Format::Csv, Format::Json] {
            let text = write(&comparison, view, format);
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }
}

/// The committed report of that path.
fn committed(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("results").join(path)
}

fn h200() -> PathBuf {
    committed("nvidia-h200/2026-11-22-vulkan.csv")
}

fn records_of(path: &Path) -> Vec<Record> {
    csv::open(path).expect("a report").records
}

fn shaderbench(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shaderbench"));
    let command = command.arg("compare").args(arguments).current_dir(folder).stdin(Stdio::null());
    command.env("NO_COLOR", "1").env_remove("COLUMNS").output().expect("starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The one sentence on stderr.
fn error_of(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.starts_with("error: ") && said.lines().count() == 1, "{said}");
    said
}

/// A folder with the H200's report as `old.csv` and, a day later and changed, as `new.csv`.
fn changed(change: impl Fn(&mut Record)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut records = records_of(&h200());
    records.iter_mut().for_each(|record| record.date = "2026-11-20T00:00:00Z".into());
    std::fs::write(folder.path().join("old.csv"), csv::write(&records)).expect("written");
    for record in &mut records {
        record.date = "2026-11-21T00:00:00Z".into();
        change(record);
    }
    let new = folder.path().join("new.csv");
    std::fs::write(&new, csv::write(&records)).expect("written");
    // With the digits that the CSV keeps.
    std::fs::write(folder.path().join("new.json"), json::write(&records_of(&new))).expect("written");
    folder
}

/// Makes the row slower by `factor`, with an interval that reaches as far to either side.
fn slow_down(record: &mut Record, factor: f64, reach: f64) {
    record.median_ns = record.median_ns.map(|ns| ns * factor);
    record.ci_low_ns = record.median_ns.map(|ns| ns / reach);
    record.ci_high_ns = record.median_ns.map(|ns| ns * reach);
}

#[test]
fn identical_reports_are_the_same_in_every_row() {
    let folder = tempfile::tempdir().expect("a folder");
    for path in [h200(), committed("llvmpipe-llvm-15-0-6-256-bits/2026-11-21-vulkan.csv")] {
        std::fs::copy(&path, folder.path().join("copy.csv")).expect("copied");
        let path = path.to_string_lossy().into_owned();
        let output = shaderbench(folder.path(), &[&path, "copy.csv", "--fail-on-regression", "0", "--format", "json"]);
        assert_eq!(output.status.code(), Some(0));
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let all = &value["matches"][0]["all"];
        let ok = records_of(Path::new(&path)).iter().filter(|record| record.status == Status::Ok).count();
        assert_eq!(all["verdicts"], serde_json::json!({"faster": 0, "slower": 0, "same": ok, "unclear": 0}));
        assert_eq!(all["geometric_mean"], serde_json::json!({"value": 1.0, "low": 1.0, "high": 1.0}));
    }
}

#[test]
fn a_planted_slow_down_ends_with_exit_code_4_and_the_rows_that_have_it() {
    let is_planted = |record: &Record| {
        record.name() == "transpose/tiled" && record.size() == "4096x4096" && record.dtype == Some(Dtype::F32)
    };
    let folder = changed(|record| {
        if is_planted(record) {
            slow_down(record, 1.1, 1.002);
        }
    });
    for new in ["new.csv", "new.json"] {
        let output = shaderbench(folder.path(), &["old.csv", new, "--fail-on-regression", "5"]);
        assert_eq!(output.status.code(), Some(4), "{}", String::from_utf8_lossy(&output.stderr));
        let text = said(&output);
        assert!(text.contains("Certainly slower by more than 5 %: 2 cases:\n"), "{text}");
        for pad in [0, 1] {
            assert!(text.contains(&format!("\n  transpose/tiled f32 4096x4096 PAD={pad}: 10.0 % [")), "{text}");
        }
    }
    let twice = said(&shaderbench(folder.path(), &["new.csv", "new.json", "transpose"]));
    let is_transposed = |record: &&Record| record.family == "transpose" && record.status == Status::Ok;
    let rows = records_of(&h200()).iter().filter(is_transposed).count();
    assert!(twice.contains(&format!(" {rows} same.")), "one run in two formats: {twice}");
    // Without the option, with a higher limit, elsewhere, or the other way round, nothing fails.
    for arguments in [
        &["old.csv", "new.csv"][..],
        &["old.csv", "new.csv", "--fail-on-regression", "15%"],
        &["old.csv", "new.csv", "reduction", "--fail-on-regression", "5"],
        &["old.csv", "new.csv", "--baseline", "new.csv", "--fail-on-regression", "5"],
    ] {
        assert_eq!(shaderbench(folder.path(), arguments).status.code(), Some(0), "{arguments:?}");
    }
    let csv = shaderbench(folder.path(), &["old.csv", "new.csv", "--fail-on-regression", "5", "--format", "csv"]);
    assert_eq!(csv.status.code(), Some(4));
    assert!(!said(&csv).contains("Certainly") && String::from_utf8_lossy(&csv.stderr).contains("Certainly slower"));
}

#[test]
fn a_merely_possible_slow_down_is_told_and_does_not_fail() {
    let folder = changed(|record| {
        if record.name() == "transpose/tiled_vec4" && record.size() == "4096x4096" && record.dtype == Some(Dtype::F32) {
            slow_down(record, 1.1, 1.08);
        }
    });
    let output = shaderbench(folder.path(), &["old.csv", "new.csv", "transpose", "--fail-on-regression", "5"]);
    assert_eq!(output.status.code(), Some(0));
    let text = said(&output);
    assert!(text.contains("No case is certainly slower by more than 5 %."), "{text}");
    assert!(
        text.contains("Possibly slower by more than 5 %") && text.contains("1\n  case: transpose/tiled_vec4"),
        "{text}"
    );
}

#[test]
fn the_committed_reports_compare_legibly() {
    let folder = tempfile::tempdir().expect("a folder");
    let soft = committed("llvmpipe-llvm-15-0-6-256-bits/2026-11-21-vulkan.csv");
    let both = committed("nvidia-h200/2026-11-22-vulkan+cuda.csv");
    let [hard, soft, both] = [h200(), soft, both].map(|path| path.to_string_lossy().into_owned());
    let pair = [soft.as_str(), hard.as_str()];
    let output = shaderbench(folder.path(), &pair);
    assert_eq!(output.status.code(), Some(0));
    let text = said(&output);
    assert!(text.contains("all families: B against A") && !text.contains('\u{1b}'), "{text}");
    for arguments in [&pair[..], &[&both, &soft], &[&both, &soft, "--relative"], &[&both, "--sort", "change"]] {
        let text = said(&shaderbench(folder.path(), arguments));
        // The paths of this machine may be longer than a line.
        let lines = text.lines().filter(|line| !line.contains("results"));
        assert!(lines.clone().count() > 100 && lines.clone().all(|line| line.chars().count() <= 80), "{text}");
    }
}

#[test]
fn what_cannot_be_compared_is_answered_by_one_sentence() {
    let folder = changed(|_| {});
    std::fs::write(folder.path().join("broken.json"), "[{\"n\": 1").expect("written");
    std::fs::write(folder.path().join("empty.csv"), csv::write(&[])).expect("written");
    std::fs::create_dir(folder.path().join("results")).expect("created");
    for (arguments, code, sentence) in [
        (&["old.csv", "nope.csv"][..], 1, "cannot read nope.csv"),
        (&["old.csv", "broken.json"], 1, "broken.json, line 1: the file ends in the middle"),
        (&["old.csv", "empty.csv"], 2, "empty.csv has no rows"),
        (&["old.csv"], 2, "name another report"),
        (&["transpose"], 2, "compare needs a report"),
        (&["old.csv", "new.csv", "tranpose"], 2, "did you mean 'transpose'?"),
        (&["old.csv", "results"], 2, "results is a folder"),
        (&["old.csv", "new.csv", "["], 2, "'[' is not a valid filter"),
    ] {
        let output = shaderbench(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(error_of(&output).contains(sentence), "{}", error_of(&output));
    }
    let output = shaderbench(folder.path(), &["old.csv", "new.csv", "--fail-on-regression", "-1"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn several_reports_of_one_device_are_one_side() {
    let folder = changed(|_| {});
    let mut records = records_of(&h200());
    records.iter_mut().for_each(|record| record.date = "2026-11-22T00:00:00Z".into());
    std::fs::write(folder.path().join("newer.csv"), csv::write(&records)).expect("written");
    let unwrapped = |arguments: &[&str]| said(&shaderbench(folder.path(), arguments)).replace("\n   ", " ");
    let text = unwrapped(&["old.csv", "new.csv", "newer.csv", "scan"]);
    assert!(text.contains("2 runs, 2026-11-21 to 2026-11-22;") && !text.contains("\nC: "), "{text}");
    let text = unwrapped(&["--baseline", "old.csv", "--baseline", "new.csv", "newer.csv", "scan"]);
    assert!(text.contains("2 runs, 2026-11-20 to 2026-11-21;"), "{text}");
}

#[test]
fn a_comparison_borrows_and_keeps_the_order_of_its_sides() {
    let (old, new) = ([report("old.csv", rows())], [report("new.csv", later())]);
    let comparison: Comparison = compare(&old, &new);
    let labels: Vec<_> = comparison.sides.iter().map(|side| (side.label.as_str(), side.is_baseline)).collect();
    assert_eq!(labels, [("A", true), ("B", false)]);
}
