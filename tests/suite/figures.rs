//! `--format json` of the commands that print figures: it parses, and has the figures of the text.

use std::path::Path;

use serde_json::Value;

use crate::command::{Folder, shaderbench};
use crate::report_page::H100;
use crate::terminal::trim_lines;
use answers::report::csv;
use kernels::is_library;
use record::suite::Api;
use record::{Bound, Record, format};

const BOTH: &str = "results/nvidia-h200/2026-11-30-vulkan+cuda.csv";

/// A command's output as text and as JSON.
#[track_caller]
fn both(arguments: &[&str]) -> (String, Value) {
    let printed =
        |more: &[&str]| shaderbench(&[arguments, more].concat()).env("COLUMNS", "200").run().succeeds().stdout;
    let json = printed(&["--format", "json"]);
    (printed(&[]), serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}\n{json}")))
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list"))
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

#[track_caller]
fn line_with<'a>(text: &'a str, parts: &[&str]) -> &'a str {
    let has_all = |line: &&str| parts.iter().all(|part| line.contains(part));
    trim_lines(text).into_iter().find(has_all).unwrap_or_else(|| panic!("no line has {parts:?}\n{text}"))
}

/// The text without the terminal's line breaks.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether `printed` is `value`, in some unit, to its last digit.
pub(crate) fn is_rounding(printed: &str, value: f64) -> bool {
    let digits = printed.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
    let half = 0.5 * 10_f64.powi(-digits) * (1.0 + 1e-9);
    let own: Result<f64, _> = printed.parse();
    own.is_ok_and(|own| [1.0, 1e3, 1e6].iter().any(|unit| (own - value / unit).abs() <= half && own > 0.0))
}

#[test]
fn the_ratios_of_two_reports_are_those_of_rows_of_one_source() {
    const JOBS: [(&str, &str); 11] = [
        ("sum", "reduction"),
        ("transpose", "transpose"),
        ("triad", "stream"),
        ("scan", "scan"),
        ("histogram", "histogram"),
        ("GEMM f32", "matmul"),
        ("GEMM f16", "matmul"),
        ("gemv f16", "gemv"),
        ("attention", "attention"),
        ("FFT", "fft"),
        ("rotation", "texture"),
    ];
    let paths = [H100, "results/nvidia-h200/2026-11-30-vulkan.csv"];
    let [old, new] = paths.map(|path| csv::open(Path::new(path)).expect("a report").records);
    let (output, value) = both(&["summary", paths[0], paths[1]]);
    let entry = list(&value).iter().find(|entry| entry["report"] == paths[1]).expect("an entry");
    let [of_time] = list(&entry["time_ratios"]) else { panic!("one other report: {entry}") };
    assert_eq!((text(&of_time["report"]), text(&of_time["api"])), (paths[0], "vulkan"));
    let (sentence, table) = output.split_once("\nA: ").expect("the titles");
    let table = table.split("\n\n").nth(1).expect("a table");
    assert!(table.lines().next().is_some_and(|line| line.ends_with("C ÷ A")), "{table}");
    let (mut dram, mut compute, mut other) = (Vec::new(), Vec::new(), Vec::new());
    for line in table.lines() {
        let Some((start, interval)) = line.split_once("× [") else { continue };
        let ratio = start.split_whitespace().last().expect("a ratio");
        let (low, high) = interval.trim_end_matches(']').split_once(", ").expect("an interval");
        let (job, family) = JOBS.iter().find(|(job, _)| start.starts_with(&format!("{job} "))).expect("a job");
        // Two rows of one case and source have the line's ratio and rates.
        let mut pairs = old.iter().flat_map(|a| new.iter().map(move |b| (a, b))).filter(|(a, b)| {
            a.family == *family
                && a.backend == Some(Api::Vulkan)
                && b.backend == a.backend
                && (&a.family, &a.benchmark, a.dtype, a.n, &a.params)
                    == (&b.family, &b.benchmark, b.dtype, b.n, &b.params)
                && !a.shader_hash.is_empty()
                && a.shader_hash == b.shader_hash
        });
        let is_printed = |(a, b): &(&Record, &Record)| {
            let (Some(x), Some(y)) = (a.median_ns, b.median_ns) else { return false };
            let rates = [a, b].map(|row| row.gb_per_s.or(row.gflop_per_s).expect("a rate"));
            is_rounding(ratio, x / y)
                && rates.iter().all(|rate| start.split_whitespace().any(|word| is_rounding(word, *rate)))
        };
        let (a, b) = pairs.find(is_printed).unwrap_or_else(|| panic!("no rows have {line}"));
        let [value, low, high] = [ratio, low, high].map(|text| text.parse::<f64>().expect("a number"));
        assert!(low <= value && value <= high, "{line}");
        // In JSON, the new report's time ÷ the old one's.
        let of_job = list(&of_time["jobs"]).iter().find(|of| of["job"] == *job).expect("a ratio");
        let of_times = of_job["time_ratio"]["value"].as_f64().expect("a number");
        assert!(is_rounding(ratio, of_times.recip()), "{of_job}: {line}");
        let is_bound = |is_it: fn(&Bound) -> bool| {
            [a, b].iter().all(|row| row.share >= Some(0.7) && row.ceiling.as_ref().is_some_and(is_it))
        };
        match () {
            () if is_bound(|bound| bound.limit.is_memory() && !bound.is_cached) => dram.push((value, ratio)),
            () if is_bound(|bound| bound.limit.is_arithmetic()) => compute.push((value, ratio)),
            () => other.push((value, ratio)),
        }
    }
    assert!(dram.len() >= 4 && compute.len() == 1 && other.len() >= 3, "{output}");
    let range = |of: &mut Vec<(f64, &str)>| {
        of.sort_by(|a, b| a.0.total_cmp(&b.0));
        format!("{}–{}×", of[0].1, of[of.len() - 1].1)
    };
    let expected = format!(
        "Speed of NVIDIA H200 ÷ NVIDIA H100 80GB HBM3, Vulkan: DRAM-bound jobs {}, compute-bound GEMM f32 {}×, other \
         jobs {}.",
        range(&mut dram),
        compute[0].1,
        range(&mut other)
    );
    assert_eq!(words(sentence), expected);
}

#[test]
fn the_summary_has_the_jobs_and_peaks_of_the_text() {
    let (screen, value) = both(&["summary", BOTH]);
    let [vulkan, cuda] = list(&value) else { panic!("two APIs: {value}") };
    assert_eq!((text(&vulkan["api"]), text(&cuda["api"])), ("vulkan", "cuda"));
    assert!(list(&vulkan["jobs"]).len() > 6 && list(&cuda["time_ratios"]).is_empty());
    for job in list(&vulkan["jobs"]) {
        let line = line_with(&screen, &[text(&job["job"]), text(&job["benchmark"])]);
        let rate = if line.contains("B/s") { number(&job["gb_per_s"]) } else { number(&job["gflop_per_s"]) };
        assert!(line.split_whitespace().any(|word| is_rounding(word, rate)), "{job}\n{line}");
    }
    let copy = number(&list(&vulkan["memory"])[0]["copy_gb_per_s"]);
    let reads = line_with(&screen, &["DRAM ", "(copy "]);
    let copied = reads.split_once("(copy ").and_then(|(_, rest)| rest.split(')').next()).expect("a rate");
    assert!(is_rounding(copied, copy), "{copy}: {reads}");
    for peak in list(&vulkan["arithmetic"]) {
        let rate = number(&peak["gop_per_s"]);
        let named = format!("{} ", text(&peak["dtype"]));
        let is_printed = screen.match_indices(&named).any(|(at, _)| {
            let word = screen[at + named.len()..].split([' ', ',', '\n']).next().unwrap_or_default();
            is_rounding(word, rate)
        });
        assert!(is_printed, "{peak}\n{screen}");
    }
    let launch = screen.split_once("launch ").and_then(|(_, rest)| rest.split(' ').next()).expect("a time");
    assert!(is_rounding(launch, number(&vulkan["launch_ns"])), "{screen}");
    // A screen with libraries, or with two lines of arithmetic, has no room for the means of the families.
    let mut own = csv::open(Path::new(BOTH)).expect("a report").records;
    own.retain(|row| !is_library(row) && row.benchmark != "wgmma" && row.family != "texture");
    let folder = Folder::new();
    folder.write("own.csv", csv::write(&own));
    let screen = folder.run(&["summary", "own.csv"]).succeeds().stdout;
    let families = list(&vulkan["time_ratios"][0]["families"]);
    let transfer = families.iter().find(|family| family["family"] == "transfer").expect("a family");
    assert!(screen.contains(&format::ratio(number(&transfer["time_ratio"]))), "{transfer}\n{screen}");
}

#[test]
fn a_report_beside_references_has_the_figures_of_the_text() {
    let (screen, value) = both(&["compare", "results/nvidia-h200/2026-11-30-vulkan.csv"]);
    let [run] = list(&value) else { panic!("one API: {value}") };
    let figures = list(&run["figures"]);
    assert!(figures.len() > 15, "{run}");
    for figure in figures {
        // The table shows speeds, and JSON times.
        let range = list(&figure["time_range"]);
        let seen = format!("{:.3}–{:.3}", number(&range[1]).recip(), number(&range[0]).recip());
        let speed = format::ratio(number(&figure["time_ratio"]).recip());
        line_with(&screen, &[text(&figure["name"]), &speed, &seen]);
        let word = if figure["is_slow"] == true { "Slower" } else { "Faster" };
        if figure["is_slow"] == true || figure["is_fast"] == true {
            assert!(words(&screen).contains(&format!("{word} than every reference: ")), "{figure}\n{screen}");
        }
    }
}

#[test]
fn explain_has_the_texts_and_rows_of_the_text() {
    let (screen, value) = both(&["explain", "bank_conflict/*", "D5", "--report", BOTH]);
    assert_eq!(text(&value["report"]["path"]), BOTH);
    let benchmarks = list(&value["benchmarks"]);
    for benchmark in benchmarks {
        for label in ["does", "work", "ceiling", "look_for", "limits"] {
            assert!(words(&screen).contains(&words(text(&benchmark[label]))), "{label}\n{benchmark}\n{screen}");
        }
        for row in list(&benchmark["rows"]) {
            let time = row["median_ns"].as_f64().map(format::time);
            assert!(screen.contains(&time.unwrap_or_default()), "{row}");
        }
    }
    let rows = benchmarks.iter().map(|benchmark| list(&benchmark["rows"]).len()).sum::<usize>();
    assert!(rows > 20, "{rows} rows");
    for finding in list(&value["findings"]) {
        assert!(words(&screen).contains(text(&finding["text"])), "{finding}\n{screen}");
    }
    let [step] = list(&value["steps"]) else { panic!("one step") };
    assert_eq!((text(&step["step"]), list(&step["verdicts"]).len()), ("D5", 2));
}

#[test]
fn the_tour_has_the_verdicts_of_the_text() {
    let (screen, value) = both(&["explain", "D", "E", "--report", BOTH]);
    let steps = list(&value["steps"]);
    assert_eq!(steps.len(), 15);
    for step in steps {
        for verdict in list(&step["verdicts"]) {
            let is_named = text(&verdict["text"]).starts_with(text(&verdict["verdict"]));
            assert_eq!(is_named, verdict["verdict"] != "measured", "{verdict}");
            assert!(words(&screen).contains(text(&verdict["text"])), "{verdict}\n{screen}");
        }
    }
    let (screen, value) = both(&["explain", "--report", BOTH]);
    let counts = |api: &str, name: &str| {
        let verdicts = list(&value["steps"]).iter().flat_map(|step| list(&step["verdicts"]));
        verdicts.filter(|verdict| verdict["api"] == api && verdict["verdict"] == name).count()
    };
    for (title, api) in [("Vulkan", "vulkan"), ("CUDA", "cuda")] {
        let judged = list(&value["steps"]).iter().filter(|step| step["is_judged"] == true).count();
        let (holds, not) = (counts(api, "holds here"), counts(api, "not on this GPU"));
        let (unknown, measured) = (judged - holds - not, counts(api, "measured"));
        line_with(
            &screen,
            &[&format!("{title}: on this GPU, {judged} claims: {holds} hold, {not} fail, {unknown} undecided")],
        );
        assert!(
            words(&screen).contains(&format!(
                "{} steps without a claim: {measured} measured.",
                list(&value["steps"]).len() - judged
            )),
            "{screen}"
        );
    }
    let (_, terms) = both(&["explain", "glossary"]);
    assert!(list(&terms).iter().any(|term| term["cuda"] == "warp" || term["cuda"] == "__syncthreads()"), "{terms}");
}

#[test]
fn compare_has_the_answer_and_kernels_of_the_text() {
    let (screen, value) = both(&["compare", BOTH]);
    let [of] = list(&value["matches"]) else { panic!("two APIs") };
    for sentence in list(&of["answer"]) {
        assert!(words(&screen).contains(text(sentence)), "{sentence}\n{screen}");
    }
    let kernels = list(&of["kernels"]);
    let of_verdict = |name: &str| {
        kernels.iter().filter(|kernel| kernel["verdict"] == name && kernel["kind"] == "kernels").collect::<Vec<_>>()
    };
    for (name, most) in [("slower", 8), ("faster", 4)] {
        for kernel in of_verdict(name).into_iter().take(most) {
            let [value, low, high] = ["value", "low", "high"].map(|end| number(&kernel["time_ratio"][end]));
            let change = format::time_change_cell(value, Some((low, high)));
            let cases = format!("{} of {}", kernel["changed"], kernel["cases"]);
            line_with(&screen, &[text(&kernel["benchmark"]), &cases, &change]);
        }
    }
    let slower = of_verdict("slower").len() - 1;
    assert!(words(&screen).contains(&format!("; {slower} more kernels are slower, ")), "{screen}");
}

#[test]
fn compare_has_the_counts_of_the_text() {
    let other = "results/nvidia-h200/2026-11-30-vulkan.csv";
    let (screen, value) = both(&["compare", BOTH, other, "transpose"]);
    let verdicts = &value["matches"][0]["kinds"]["kernels"]["verdicts"];
    for verdict in ["faster", "slower", "same", "unclear"] {
        line_with(&screen, &[&format!("{} {verdict}", verdicts[verdict])]);
    }
}
