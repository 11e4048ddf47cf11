//! The commands `explain` and `list`, completions and manual pages.

use crate::catalogue::benchmarks;
use crate::command::{Folder, is_installed, program, shaderbench, shaderbench_in_empty_folder};
use crate::report_page::{H100, LLVMPIPE};
use answers::report::csv;
use kernels::FAMILIES;
use kernels::Header;
use record::suite::Benchmark;
use record::suite::Extent;
use record::suite::parse_params;
use record::suite::{Api, Dtype};
use record::{Clock, Record, Status};
use std::collections::BTreeMap;

/// Stdout in a folder without reports.
fn printed(arguments: &[&str]) -> String {
    shaderbench_in_empty_folder(arguments).succeeds().stdout
}

/// Words of at least four letters: two texts with the same ones are copies.
fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3).collect()
}

#[test]
fn every_benchmark_has_its_own_text_about_its_result_and_its_limit() {
    // The kernels of `rates` differ in their names alone.
    let all = benchmarks().into_iter().filter(|(name, ..)| !name.starts_with("rates/"));
    let texts: Vec<(String, Header)> = all.map(|(name, _, benchmark)| (name, kernels::header(benchmark))).collect();
    let mut seen: BTreeMap<Vec<&str>, String> = BTreeMap::new();
    for (name, header) in &texts {
        for (field, text) in [("look for", &header.look_for), ("limits", &header.limits)] {
            assert!(words(text).len() >= 4 && text.ends_with('.'), "{name}: {field} is no sentence: '{text}'");
            if let Some(other) = seen.insert(words(text), format!("{name}: {field}")) {
                panic!("{name}: {field} is a copy of {other}");
            }
            // A common start of 40 characters is a copy too.
            let start: String = text.chars().take(40).collect();
            let is_copy = |other: &Header| other.look_for.starts_with(&start) || other.limits.starts_with(&start);
            let copies = texts.iter().filter(|(_, other)| is_copy(other)).count();
            assert_eq!(copies, 1, "{name}: another benchmark's {field} starts with '{start}'");
        }
    }
    for family in FAMILIES {
        assert!(words(family.model_text).len() >= 8, "{}: its model has no text", family.name);
    }
}

#[test]
fn every_kernel_has_a_header_whose_texts_stand_once() {
    for (name, _, benchmark) in benchmarks() {
        let header = kernels::header(benchmark);
        let has_kernel = [benchmark.wgsl, benchmark.glsl].iter().any(|text| !text.is_empty());
        assert!(!benchmark.summary.is_empty() && !header.work.is_empty(), "{name}");
        assert!(!header.pattern.is_empty() || !has_kernel, "{name}: its header has no '// Pattern: '");
        let borrows = !benchmark.kernel.is_empty() && benchmark.kernel != name;
        let of_file = kernels::header(&Benchmark { look_for: "", limited_by: "", work_text: "", ..*benchmark });
        let texts = [
            (of_file.work, benchmark.work_text),
            (of_file.look_for, benchmark.look_for),
            (of_file.limits, benchmark.limited_by),
        ];
        let stands_twice = texts.iter().any(|(header, literal)| !header.is_empty() && !literal.is_empty());
        assert!(borrows || !stands_twice, "{name}: a text of its header stands in its literal too");
    }
}

#[test]
fn every_benchmark_is_explained_within_80_columns() {
    let of_family = |family: &&record::suite::Family| printed(&["explain", &format!("{}/*", family.name)]);
    let text = format!("\n{}", FAMILIES.iter().map(of_family).collect::<Vec<_>>().join("\n"));
    for (name, ..) in benchmarks() {
        assert!(text.contains(&format!("\n{name}: ")), "{name}");
    }
    let wide: Vec<_> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    assert!(!text.contains('\u{1b}'), "colours in a pipe");
    assert_eq!(text.matches("  look for  ").count(), benchmarks().len());
}

#[test]
fn the_page_of_a_family_fits_and_leaves_its_kernels_to_their_names() {
    for family in FAMILIES {
        for report in [&["--report", H100][..], &[]] {
            let text = shaderbench(&["explain", family.name]).args(report).env("COLUMNS", "80").run().succeeds().stdout;
            assert!(text.lines().count() <= 60, "{}: {} lines\n{text}", family.name, text.lines().count());
            let first = family.benchmarks[0].name;
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(
                words.contains(&format!("`shaderbench explain {}/{first}` describes one kernel", family.name)),
                "{text}"
            );
            assert!(words.contains(" model ") && !words.contains(" look for "), "{text}");
        }
    }
}

#[test]
fn every_column_of_a_report_is_described() {
    let described = printed(&["explain", "columns", "--format", "json"]);
    let described: Vec<serde_json::Value> = serde_json::from_str(&described).expect("JSON");
    let text = |entry: &serde_json::Value, key: &str| entry[key].as_str().expect("a text").to_owned();
    assert!(described.iter().all(|entry| text(entry, "content").len() > 10), "{described:?}");
    let report = std::fs::read_to_string(H100).expect("a report");
    let columns: Vec<&str> = report.lines().next().expect("the names of columns").split(',').collect();
    let names: Vec<String> = described.iter().map(|entry| text(entry, "column")).collect();
    assert_eq!(columns, names[..columns.len()]);
    for status in Status::ALL {
        assert!(printed(&["explain", "status"]).contains(status.name()), "{status:?}");
    }
    assert!(printed(&["explain", "median_ns"]).contains("\nmedian_ns  ns    time of one launch"));
}

#[test]
fn what_a_user_may_type_leads_to_what_was_meant() {
    let error = |arguments: &[&str]| shaderbench(arguments).run().exits_with(2).stderr;
    assert_eq!(error(&["glossary"]), "error: there is no command 'glossary': use `shaderbench explain glossary`\n");
    let warp = printed(&["explain", "warp"]);
    assert!(warp.contains("\nwarp  subgroup") && warp.lines().count() <= 4, "{warp}");
    assert!(printed(&["explain", "__syncthreads"]).contains("workgroupBarrier()"));
    let newest = "did you mean the report results/nvidia-h100-80gb-hbm3/";
    for arguments in [&["h100-80gb"][..], &["cost", "h100-80gb"], &["explain", "h100-80gb"], &["compare", "h100-80gb"]]
    {
        let error = error(arguments);
        assert!(error.contains(newest) && error.lines().count() == 1, "{arguments:?}: {error}");
    }
    let summary = shaderbench(&["summary", "h100-80gb"]).run();
    assert!(summary.code != Some(0) && summary.stderr.contains(newest), "{summary}");
}

#[test]
fn unknown_names_have_the_same_error_as_in_run() {
    let output = shaderbench_in_empty_folder(&["explain", "transpose/tilde"]).exits_with(2);
    assert_eq!(
        output.stderr,
        "error: there is no family or benchmark 'transpose/tilde': did you mean 'transpose/tiled'?\n"
    );
    let output = shaderbench_in_empty_folder(&["explain", "qqq"]);
    let start = "error: there is no family or benchmark 'qqq': choose from ceiling, reduction, ";
    assert!(output.stderr.starts_with(start), "{output}");
    assert!(output.stderr.ends_with(", transfer, rates; `shaderbench list` shows their benchmarks\n"), "{output}");
}

#[test]
fn an_explanation_without_a_report_says_how_to_get_one() {
    insta::assert_snapshot!(printed(&["explain", "transpose/tiled"]));
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
fn explain_shows_the_newest_report_with_such_rows_or_the_named_one() {
    let folder = Folder::new();
    let write = |name: &str, rows: &[Record]| folder.write(&format!("reports/fake/{name}"), csv::write(rows));
    write("a.csv", &[row("2026-11-20T00:00:00Z", "PAD=0", 4000.0), row("2026-11-20T00:00:00Z", "PAD=1", 2000.0)]);
    write("b.csv", &[row("2026-11-18T00:00:00Z", "PAD=0", 9000.0)]);
    let mut other = row("2026-11-21T00:00:00Z", "", 1.0);
    other.family = "stream".to_owned();
    write("newer, of another family.csv", &[other]);
    folder.write("reports/fake/broken.csv", "no report\n");
    let newest = folder.run(&["explain", "transpose/tiled"]);
    for part in ["measured: Fake <9000>, Vulkan, 2026-11-20 (reports/fake/a.csv)", "  tiled PAD=1", "2.00 µs"] {
        assert!(newest.stdout.contains(part), "{newest}");
    }
    assert!(newest.stderr.starts_with("skipped a report: reports/fake/broken.csv"), "{newest}");
    let named = folder.run(&["explain", "transpose", "--report", "reports/fake/b.csv"]);
    assert!(named.stdout.contains("9.00 µs"), "{named}");
    assert!(named.stdout.starts_with("transpose: the transpose of a matrix\n"), "{named}");
    insta::assert_snapshot!(folder.run(&["explain", "transpose/tiled", "--format", "markdown"]).stdout);
    folder.run(&["explain", "transpose", "--report", "none.csv"]).exits_with(1);
}

#[test]
fn a_family_s_kernels_are_compared_with_the_vendor_s_library() {
    let records = csv::open(std::path::Path::new(H100)).expect("a report").records;
    // In f64, the library has a larger size that no kernel has.
    for (dtype, n) in [(Dtype::F32, Extent::Matrix(16384, 16384)), (Dtype::F64, Extent::Matrix(8192, 8192))] {
        let of = |api: Api, is_wanted: fn(&str) -> bool| {
            let is_it = |row: &&Record| {
                (row.family.as_str(), row.backend, row.dtype, row.n) == ("transpose", Some(api), Some(dtype), Some(n))
                    && row.status == Status::Ok
                    && is_wanted(&row.benchmark)
            };
            let rows = records.iter().filter(is_it).filter_map(|row| Some((row.median_ns?, row)));
            rows.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a row")
        };
        let (kernel_ns, kernel) = of(Api::Vulkan, |name| name != "cublas");
        let (library_ns, _) = of(Api::Cuda, |name| name == "cublas");
        let kernel = format!("{} {}", kernel.benchmark, kernel.params_text());
        let at = format!(" than {} at {n} ({})", kernel.trim_end(), dtype.name());
        let printed = printed_of(&["explain", "transpose", "--report", H100]);
        let words = printed.split_whitespace().collect::<Vec<_>>().join(" ");
        let (before, _) = words.split_once(&at).unwrap_or_else(|| panic!("{at}: {printed}"));
        let (_, ratio) = before.rsplit_once("library cuBLAS is ").expect("the library is named");
        let factor: f64 = ratio.strip_suffix("× slower").expect("slower").parse().expect("a factor");
        assert!((factor - library_ns / kernel_ns).abs() <= 0.005, "{ratio}: {library_ns} and {kernel_ns}");
    }
    for arguments in [&["explain", "transpose", "--report", LLVMPIPE][..], &["explain", "softmax", "--report", H100]] {
        assert!(!printed_of(arguments).contains("\n  library"), "{arguments:?}");
    }
}

/// Stdout in the repository, which has reports.
fn printed_of(arguments: &[&str]) -> String {
    shaderbench(arguments).run().succeeds().stdout
}

#[test]
fn completions_for_every_shell_offer_commands_and_benchmarks() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = printed(&["--generate", shell]);
        for word in ["explain", "compare", "--profile"] {
            assert!(script.contains(word.trim_start_matches('-')), "{shell} does not offer {word}");
        }
    }
    for shell in ["bash", "zsh"] {
        let script = printed(&["--generate", shell]);
        assert!(script.contains("transpose/tiled") && script.contains("memory_spaces"), "{shell} offers no benchmarks");
    }
    shaderbench_in_empty_folder(&["--generate", "tcsh"]).exits_with(2);
}

#[test]
fn bash_completes_the_name_of_a_benchmark() {
    if !is_installed("bash") {
        return;
    }
    let folder = Folder::new();
    folder.write("script", printed(&["--generate", "bash"]));
    let script = "source ./script; COMP_WORDS=(shaderbench explain transpose/ti); COMP_CWORD=2; \
                  _shaderbench shaderbench transpose/ti explain; echo \"${COMPREPLY[@]}\"";
    let output = program("bash").args(&["-c", script]).folder(&folder.path("")).run();
    assert_eq!(output.stdout.trim(), "transpose/tiled transpose/tiled_vec4 transpose/tiled_wide", "{output}");
}

#[test]
fn manual_pages_are_printed_and_written_for_each_command() {
    let page = printed(&["--generate", "man"]);
    assert!(page.contains(".TH shaderbench 1") && page.contains("explain"), "{page}");
    let folder = Folder::new();
    folder.run(&["--generate", "man", "-o", "man"]).succeeds();
    for name in [
        "shaderbench.1",
        "shaderbench-run.1",
        "shaderbench-show.1",
        "shaderbench-explain.1",
        "shaderbench-bench-init.1",
    ] {
        assert!(folder.text(&format!("man/{name}")).contains(".SH SYNOPSIS"), "{name}");
    }
}

#[test]
fn list_prints_markdown_and_json() {
    let markdown = printed(&["list", "--format", "markdown"]);
    assert!(markdown.contains("### transpose\n\nthe transpose of a matrix\n\n| benchmark "), "{markdown}");
    assert!(
        markdown.contains("| naive\\_coalesced\\_read ") && markdown.contains(" | reads rows, writes columns "),
        "{markdown}"
    );
    let json = printed(&["list", "--format", "json"]);
    let parsed: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(parsed.as_array().map(Vec::len), Some(benchmarks().len()));
    // `--json` names a file to write, in commands that measure.
    shaderbench_in_empty_folder(&["list", "--json"]).exits_with(2);
}
