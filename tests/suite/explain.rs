//! `explain`, `completions` and `man`: every benchmark says what its number means, and the program what it takes.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use shaderbench::backend::Api;
use shaderbench::families::FAMILIES;
use shaderbench::report::csv;
use shaderbench::results::Clock;
use shaderbench::results::{Record, Status};
use shaderbench::suite::Dtype;
use shaderbench::suite::Extent;
use shaderbench::suite::parse_params;
use shaderbench::suite::source::Header;
use shaderbench::suite::{Benchmark, Family};

fn all() -> impl Iterator<Item = (&'static Family, &'static Benchmark)> {
    FAMILIES.iter().copied().flat_map(|family| family.benchmarks.iter().map(move |benchmark| (family, benchmark)))
}

fn run(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shaderbench"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).env_remove("NO_COLOR").env_remove("COLUMNS");
    command.output().expect("starts")
}

/// What a command that succeeds prints in a folder without reports.
fn said(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(arguments, folder.path());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Words of a text, for telling a copy from a text of its own.
fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3).collect()
}

#[test]
fn every_benchmark_says_what_to_look_for_and_what_limits_it_in_words_of_its_own() {
    let mut seen: BTreeMap<Vec<&str>, String> = BTreeMap::new();
    for (family, benchmark) in all() {
        let name = format!("{}/{}", family.name, benchmark.name);
        for (field, text) in [("look_for", benchmark.look_for), ("limited_by", benchmark.limited_by)] {
            assert!(words(text).len() >= 4 && text.ends_with('.'), "{name}: {field} is no sentence: '{text}'");
            if let Some(other) = seen.insert(words(text), format!("{name}: {field}")) {
                panic!("{name}: {field} is a copy of {other}");
            }
            // Half a sentence in common is a copy as well.
            let start: String = text.chars().take(40).collect();
            let copies =
                all().filter(|(_, other)| other.look_for.starts_with(&start) || other.limited_by.starts_with(&start));
            assert_eq!(copies.count(), 1, "{name}: another benchmark's {field} starts with '{start}'");
        }
    }
    for family in FAMILIES {
        assert!(words(family.model_text).len() >= 8, "{}: its model is not said in words", family.name);
    }
}

#[test]
fn what_a_launch_works_is_said_once_in_the_header_or_in_the_literal() {
    for (family, benchmark) in all() {
        let has_header = !Header::of(benchmark.wgsl).work.is_empty();
        let has_text = !benchmark.work_text.is_empty();
        assert!(
            has_header != has_text,
            "{}/{}: header {has_header}, work_text {has_text}",
            family.name,
            benchmark.name
        );
    }
}

#[test]
fn every_benchmark_is_explained_within_eighty_columns() {
    let text = said(&["explain", "*"]);
    for (family, benchmark) in all() {
        assert!(
            text.contains(&format!("\n{}/{}: ", family.name, benchmark.name)),
            "{}/{}",
            family.name,
            benchmark.name
        );
    }
    let wide: Vec<_> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    assert!(!text.contains('\u{1b}'), "colours in a pipe");
    assert_eq!(text.matches("  look for  ").count(), all().count());
}

#[test]
fn unknown_names_are_answered_as_run_answers_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = run(&["explain", "transpose/tilde"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(said, "error: there is no family or benchmark 'transpose/tilde': did you mean 'transpose/tiled'?\n");
    let output = run(&["explain", "qqq"], folder.path());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.starts_with("error: there is no family or benchmark 'qqq': there are ceiling, reduction, "), "{said}");
    assert!(said.ends_with(", transfer; `shaderbench list` shows their benchmarks\n"), "{said}");
}

#[test]
fn an_explanation_without_a_report_says_how_to_get_one() {
    insta::assert_snapshot!(said(&["explain", "transpose/tiled"]));
}

fn row(date: &str, params: &str, median_ns: f64) -> Record {
    let text = |text: &str| text.to_owned();
    Record {
        schema: Some(1),
        tool_version: text("0.1.0"),
        date: text(date),
        device: text("Fake <9000>"),
        backend: Some(Api::Vulkan),
        family: text("transpose"),
        benchmark: text("tiled"),
        dtype: Some(Dtype::F32),
        n: Some(Extent::Matrix(1024, 1024)),
        params: parse_params(params).expect("parameters"),
        status: Status::Ok,
        timer: Some(Clock::Timestamp),
        median_ns: Some(median_ns),
        ci_low_ns: Some(median_ns * 0.99),
        ci_high_ns: Some(median_ns * 1.01),
        gb_per_s: Some(8_388_608.0 / median_ns),
        share: Some(0.5),
        ..Record::default()
    }
}

#[test]
fn the_rows_of_the_newest_report_are_shown_and_another_one_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results/fake");
    std::fs::create_dir_all(&results).expect("a folder");
    let write = |name: &str, rows: &[Record]| std::fs::write(results.join(name), csv::write(rows)).expect("written");
    write("a.csv", &[row("2026-11-20T00:00:00Z", "PAD=0", 4000.0), row("2026-11-20T00:00:00Z", "PAD=1", 2000.0)]);
    write("b.csv", &[row("2026-11-18T00:00:00Z", "PAD=0", 9000.0)]);
    let mut other = row("2026-11-21T00:00:00Z", "", 1.0);
    other.family = "stream".to_owned();
    write("newer, of something else.csv", &[other]);
    std::fs::write(results.join("broken.csv"), "no report\n").expect("written");
    let output = run(&["explain", "transpose/tiled"], folder.path());
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("measured: Fake <9000>, Vulkan, 2026-11-20 (results/fake/a.csv)"), "{text}");
    assert!(text.contains("  tiled PAD=1") && text.contains("2.000 µs"), "{text}");
    let told = String::from_utf8(output.stderr).expect("text");
    assert!(told.starts_with("a report is left out: results/fake/broken.csv"), "{told}");
    let named = run(&["explain", "transpose", "--report", "results/fake/b.csv"], folder.path());
    let text = String::from_utf8(named.stdout).expect("text");
    assert!(text.contains("9.000 µs") && text.starts_with("transpose: the transpose of a matrix\n"), "{text}");
    let output = run(&["explain", "transpose/tiled", "--format", "markdown"], folder.path());
    insta::assert_snapshot!(String::from_utf8(output.stdout).expect("text"));
    let missing = run(&["explain", "transpose", "--report", "none.csv"], folder.path());
    assert_eq!(missing.status.code(), Some(1));
}

#[test]
fn completions_for_every_shell_offer_commands_and_benchmarks() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = said(&["completions", shell]);
        for word in ["explain", "compare", "--profile"] {
            assert!(script.contains(word.trim_start_matches('-')), "{shell} does not offer {word}");
        }
    }
    for shell in ["bash", "zsh"] {
        let script = said(&["completions", shell]);
        assert!(script.contains("transpose/tiled") && script.contains("memory_spaces"), "{shell} offers no benchmarks");
    }
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(run(&["completions", "tcsh"], folder.path()).status.code(), Some(2));
}

/// Whether `program` can be started. A test that needs one that is not there says so on stderr.
fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        eprintln!("SKIPPED: the program '{program}' is not on the PATH");
    }
    found
}

#[test]
fn bash_completes_the_name_of_a_benchmark() {
    if !has("bash") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("script"), said(&["completions", "bash"])).expect("written");
    let ask = "source ./script; COMP_WORDS=(shaderbench explain transpose/ti); COMP_CWORD=2; \
               _shaderbench shaderbench transpose/ti explain; echo \"${COMPREPLY[@]}\"";
    let output = Command::new("bash").args(["-c", ask]).current_dir(folder.path()).output().expect("starts");
    let offered = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        offered.trim(),
        "transpose/tiled transpose/tiled_vec4 transpose/tiled_wide",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn manual_pages_are_printed_and_written_for_each_command() {
    let page = said(&["man"]);
    assert!(page.contains(".TH shaderbench 1") && page.contains("explain"), "{page}");
    let folder = tempfile::tempdir().expect("a folder");
    assert!(run(&["man", "--out", "man"], folder.path()).status.success());
    for name in ["shaderbench.1", "shaderbench-run.1", "shaderbench-show.1", "shaderbench-explain.1"] {
        let page = std::fs::read_to_string(folder.path().join("man").join(name)).expect(name);
        assert!(page.contains(".SH SYNOPSIS"), "{name}");
    }
}

#[test]
fn lists_are_printed_for_terminals_issues_and_programs() {
    let markdown = said(&["list", "--format", "markdown"]);
    assert!(
        markdown.contains("### transpose\n\nthe transpose of a matrix\n\n| benchmark | what it does |\n"),
        "{markdown}"
    );
    assert!(markdown.contains("| naive\\_coalesced\\_read | reads rows, writes columns |\n"), "{markdown}");
    let json = said(&["list", "--format", "json"]);
    assert_eq!(json, said(&["list", "--json"]));
    let parsed: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(parsed.as_array().map(Vec::len), Some(all().count()));
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(run(&["list", "--json", "--format", "table"], folder.path()).status.code(), Some(2));
}
