//! The tour of the source articles by `explain`, and its verdicts.

use std::collections::BTreeSet;
use std::path::Path;

use crate::command::{Folder, Output, has_device, shaderbench, shaderbench_in_empty_folder};
use answers::articles::{GLOSSARY, term};
use answers::report::csv;
use kernels::articles::{self, ids, named, steps};
use kernels::benchmark;
use record::claim::{ArticleClaim, Verdict};
use record::suite::{Api, DeviceType, Extent};
use record::{Clock, Record, Status};

const BOTH: &str = "results/nvidia-h200/2026-11-30-vulkan+cuda.csv";
/// Has several epochs, so that its intervals are narrow.
const EPOCHS: &str = "results/nvidia-h200/2026-11-30-vulkan.csv";
const SOFTWARE: &str = "results/llvmpipe-llvm-15-0-6-256-bits/2026-11-22-vulkan.csv";

fn records(path: &str) -> Vec<Record> {
    csv::open(Path::new(path)).expect("a report").records
}

fn learn(arguments: &[&str]) -> Output {
    shaderbench(&[&["explain"], arguments].concat()).run().succeeds()
}

fn judged(step: &ArticleClaim, rows: &[Record], api: Api) -> (Verdict, String) {
    let rows: Vec<&Record> = rows.iter().filter(|row| row.backend == Some(api)).collect();
    let judgement = articles::judged(step, &rows);
    (judgement.verdict, judgement.whole())
}

const fn is_undecided(found: Verdict) -> bool {
    matches!(found, Verdict::Unknown | Verdict::Unmeasured)
}

fn verdict(id: &str, rows: &[Record], api: Api) -> (Verdict, String) {
    judged(named(id)[0], rows, api)
}

#[test]
fn every_workload_has_its_step_and_every_step_its_kernels() {
    let found: Vec<&str> = steps().iter().map(|step| step.id).collect();
    let order = |letter: char| -> String {
        found.iter().filter(|id| id.starts_with(letter)).map(|id| id[1..].to_owned() + " ").collect()
    };
    let orders = ['A', 'B', 'C', 'D', 'E'].map(order);
    assert_eq!(
        orders,
        ["1 2 3 4 5 6 ", "1 2 3 4 5 6 7 8 9 10 11 12 ", "1 2 3 4 6 7 ", "1 2 3 4 5 6 7 8 9 ", "1 2 3 5 6 7 "]
    );
    // Two steps answer two workloads each.
    assert_eq!((named("C5")[0].id, named("e4")[0].id), ("A1", "B3"));
    for step in steps() {
        for name in step.kernels {
            let (family, own) = name.split_once('/').expect("family/benchmark");
            assert!(benchmark(family, own).is_some(), "{}: there is no {name}", step.id);
        }
        // `devices` answers this one.
        assert_eq!(step.kernels.is_empty(), step.id == "A1", "{}", step.id);
    }
}

/// Articles without a testable claim get no verdict (`SOURCES` lists the claims).
#[test]
fn a_verdict_is_given_on_what_an_article_claims_alone() {
    let judged: Vec<&str> = steps().iter().filter(|step| step.is_judged()).map(|step| step.id).collect();
    let claims = ["A2", "A4", "A5", "B3", "B6", "B9", "B11", "C1", "C2", "C4", "C6", "C7", "D1", "D5", "D8"];
    assert_eq!(judged, [&claims[..], &["E1", "E2", "E3", "E6"]].concat());
    for (path, api) in [(BOTH, Api::Vulkan), (BOTH, Api::Cuda), (EPOCHS, Api::Vulkan)] {
        let rows = records(path);
        for step in steps().into_iter().filter(|step| !step.is_judged()) {
            let (found, text) = self::judged(step, &rows, api);
            assert!(matches!(found, Verdict::Reported | Verdict::Unmeasured), "{}: {text}", step.id);
            assert!(!text.contains("holds") && !text.contains("not on this GPU"), "{}: {text}", step.id);
        }
    }
}

#[test]
fn texts_of_steps_are_sentences() {
    let mut claims = BTreeSet::new();
    for step in steps() {
        assert!(step.title.chars().count() <= ArticleClaim::TITLE && !step.title.is_empty(), "{}", step.id);
        assert!(step.claim.ends_with('.') && !step.claim.contains(". "), "{}: one sentence: {}", step.id, step.claim);
        assert!(step.expected().ends_with('.'), "{}", step.id);
        assert!(!step.terms.is_empty() && step.terms.iter().all(|name| term(name).is_some()), "{}", step.id);
        assert!(claims.insert(step.claim), "{}: another step's claim", step.id);
    }
    let names: BTreeSet<&str> = GLOSSARY.iter().map(|term| term.cuda).collect();
    assert_eq!(names.len(), GLOSSARY.len(), "a term twice");
}

#[test]
fn the_verdicts_on_an_h200_are_as_expected() {
    insta::assert_snapshot!("overview", learn(&["--report", BOTH]).stdout);
    for chapter in ["A", "B", "C", "D", "E"] {
        insta::assert_snapshot!(format!("chapter_{chapter}"), learn(&[chapter, "--report", BOTH]).stdout);
    }
    insta::assert_snapshot!("step_in_markdown", learn(&["d4", "--report", EPOCHS, "--format", "markdown"]).stdout);
    insta::assert_snapshot!("overview_of_epochs", learn(&["--report", EPOCHS]).stdout);
}

#[test]
fn strides_are_held_against_the_bytes_of_whole_fetches() {
    let mut rows = records(EPOCHS);
    let text = |rows: &[Record]| verdict("D4", rows, Api::Vulkan).1;
    assert!(text(&rows).contains("If whole fetches from DRAM of 64 B are counted, strides 4 to 32 move "));
    // Without the experiment, 32-byte sectors are counted.
    rows.retain(|row| row.benchmark != "granule");
    assert!(text(&rows).contains("If whole sectors of 32 B are counted, strides 4 to 16 move "), "{}", text(&rows));
    // Where L2 holds the data, a stride's rate shows no sectors.
    rows.retain(|row| row.benchmark != "stride" || row.n == Some(Extent::Linear(1 << 20)));
    let small = verdict("D4", &rows, Api::Vulkan);
    assert_eq!(small.0, Verdict::Unmeasured);
    assert!(small.1.contains("span 33.6 MB, less than twice the L2 size of"), "{}", small.1);
}

const DEVICE_BARRIER: &str = "interleaved_device_barrier";

/// The report with sums that have both barriers in each step, and take `times` as long as those in workgroup memory.
fn with_device_barriers(path: &str, times: f64, noise: f64) -> Vec<Record> {
    let mut rows = records(path);
    let is_sum = |row: &&Record| row.benchmark == "interleaved_workgroup" && row.median_ns.is_some();
    let sums: Vec<Record> = rows.iter().filter(is_sum).cloned().collect();
    rows.retain(|row| row.benchmark != DEVICE_BARRIER);
    for mut row in sums {
        let ns = row.median_ns.expect("timed") * times;
        row.benchmark = DEVICE_BARRIER.to_owned();
        set_time(&mut row, ns, noise);
        rows.push(row);
    }
    rows
}

#[test]
fn the_gain_of_shared_memory_is_the_product_of_two_parts() {
    let (found, text) = verdict("A4", &with_device_barriers(EPOCHS, 1.8, 0.001), Api::Vulkan);
    assert_eq!(found, Verdict::Holds);
    // 2.345 = 1.303 times 1.8.
    assert!(text.contains("the sum in shared memory is 1.30× as fast as the sum in global memory"), "{text}");
    assert!(text.contains("Workgroup barriers alone gain another 1.80×."), "{text}");
    // A gain from barriers alone is no gain of shared memory.
    let (found, text) = verdict("A4", &with_device_barriers(EPOCHS, 2.24, 0.001), Api::Vulkan);
    assert_eq!(found, Verdict::Fails, "{text}");
    assert!(text.contains("is 1.05× as fast as the sum in global memory"), "{text}");
    // CUDA's sum in global memory has the weaker fence, so no row separates data from fences.
    let (_, text) = verdict("A4", &with_device_barriers(BOTH, 1.8, 0.001), Api::Cuda);
    assert!(text.contains("With a device-wide fence in each step") && text.contains("takes 1.80× as long"), "{text}");
    // Without the sum that separates data from barriers, or if it is too noisy, wgpu's rows decide nothing.
    let mut without = records(EPOCHS);
    without.retain(|row| row.benchmark != DEVICE_BARRIER);
    for rows in [without, with_device_barriers(EPOCHS, 2.1, 0.3)] {
        let (found, text) = verdict("A4", &rows, Api::Vulkan);
        assert_eq!(found, Verdict::Unknown, "{text}");
    }
}

#[test]
fn times_of_a_software_device_support_no_verdict_but_answers_do() {
    let rows = records(SOFTWARE);
    for step in steps() {
        let (found, text) = judged(step, &rows, Api::Vulkan);
        if step.is_timing {
            assert!(is_undecided(found), "{}: {text}", step.id);
            assert!(text.contains("software device"), "{text}");
            let all: Vec<&Record> = rows.iter().collect();
            assert_eq!(articles::pictured(step, &all), None, "{}", step.id);
        }
        assert!(!text.contains("Measured"), "{}: {text}", step.id);
    }
    for (id, expected) in [("A1", Verdict::Reported), ("A2", Verdict::Holds), ("B3", Verdict::Holds)]
        .into_iter()
        .chain([("B9", Verdict::Holds), ("D7", Verdict::Reported), ("E6", Verdict::Holds)])
    {
        let (found, text) = verdict(id, &rows, Api::Vulkan);
        assert_eq!(found, expected, "{id}: {text}");
    }
    insta::assert_snapshot!("overview_of_a_software_device", learn(&["--report", SOFTWARE]).stdout);
}

/// The H200's rows, with the same time and a narrow interval for every kernel.
fn flat() -> Vec<Record> {
    let mut rows = records(EPOCHS);
    for row in rows.iter_mut().filter(|row| row.median_ns.is_some()) {
        set_time(row, 1e6, 0.001);
        row.share = row.share.map(|_| 0.9);
        row.end_to_end_ns = row.end_to_end_ns.map(|_| 1.2e6);
    }
    rows
}

fn set_time(row: &mut Record, ns: f64, noise: f64) {
    row.median_ns = Some(ns);
    (row.ci_low_ns, row.ci_high_ns) = (Some(ns * (1.0 - noise)), Some(ns * (1.0 + noise)));
    row.gb_per_s = row.bytes.map(|bytes| bytes as f64 / ns);
    row.epochs_ns = vec![ns; 3];
}

/// Steps that claim a tie, and the kernels that must not be slower.
const AS_FAST: [(&str, &[&str]); 2] = [("E2", &["broadcast"]), ("E3", &["bytes", "halves"])];

#[test]
fn claims_fail_on_a_device_where_every_kernel_takes_as_long() {
    let rows = flat();
    for id in ["A4", "C1", "C2", "D5", "D8", "E1"] {
        let (found, text) = verdict(id, &rows, Api::Vulkan);
        assert_eq!(found, Verdict::Fails, "{id}: {text}");
    }
    for (id, slow) in AS_FAST {
        assert_eq!(verdict(id, &rows, Api::Vulkan).0, Verdict::Holds, "{id}");
        let mut rows = flat();
        for row in rows.iter_mut().filter(|row| slow.contains(&row.benchmark.as_str())) {
            // The bytes and halves that share a word are the slow ones.
            if row.params.get("APART").is_none_or(|apart| *apart == 1.0) && row.median_ns.is_some() {
                set_time(row, 2e6, 0.001);
            }
        }
        let (found, text) = verdict(id, &rows, Api::Vulkan);
        assert_eq!(found, Verdict::Fails, "{id}: {text}");
        assert!(text.contains("0.5") || text.contains("slower"), "{id}: {text}");
    }
}

#[test]
fn copies_that_differ_by_more_than_the_kernels_hide_the_gain_end_to_end() {
    let with = |shared: f64, spread: f64| {
        let mut rows = records(EPOCHS);
        for (index, row) in rows.iter_mut().filter(|row| row.end_to_end_ns.is_some()).enumerate() {
            let kernel = row.median_ns.expect("timed");
            let gain = if row.benchmark == "interleaved_workgroup" { shared } else { 0.0 };
            row.end_to_end_ns = Some(kernel + 100e6 - gain + spread * (index % 3) as f64);
        }
        verdict("A5", &rows, Api::Vulkan)
    };
    assert_eq!(with(0.0, 0.0).0, Verdict::Holds, "copies of one length");
    let (found, text) = with(0.0, 20e6);
    assert_eq!(found, Verdict::Unknown);
    assert!(text.contains("end-to-end difference is within the noise"), "{text}");
}

#[test]
fn the_clock_in_the_kernel_is_judged_by_the_interval_of_the_events() {
    let rows = |inside: f64| {
        let mut rows = records(BOTH);
        for row in rows.iter_mut().filter(|row| row.benchmark == "clock_in_kernel" && row.median_ns.is_some()) {
            set_time(row, 24_000.0, 0.01);
            row.in_kernel_ns = Some(inside);
        }
        rows
    };
    for (inside, expected) in [(22_000.0, Verdict::Holds), (23_900.0, Verdict::Unknown), (30_000.0, Verdict::Fails)] {
        assert_eq!(verdict("C4", &rows(inside), Api::Cuda).0, expected, "{inside}");
    }
    let (found, text) = verdict("C4", &rows(22_000.0), Api::Vulkan);
    assert_eq!(found, Verdict::Unknown);
    assert!(text.contains("WGSL cannot read a clock"), "{text}");
}

#[test]
fn noisy_rows_support_no_verdict() {
    for (path, api) in [(BOTH, Api::Vulkan), (BOTH, Api::Cuda), (EPOCHS, Api::Vulkan)] {
        let mut rows = records(path);
        for row in &mut rows {
            row.ci_low_ns = row.median_ns.map(|ns| ns / 100.0);
            row.ci_high_ns = row.median_ns.map(|ns| ns * 100.0);
        }
        for step in steps().into_iter().filter(|step| step.is_timing) {
            let (found, text) = judged(step, &rows, api);
            assert!(is_undecided(found), "{} by {api:?}: {text}", step.id);
        }
        let without = |row: &Record| Record { ci_low_ns: None, ci_high_ns: None, ..row.clone() };
        let rows: Vec<Record> = rows.iter().map(without).collect();
        for step in steps().into_iter().filter(|step| step.is_timing) {
            assert!(is_undecided(judged(step, &rows, api).0), "{} by {api:?}", step.id);
        }
    }
}

#[test]
fn missing_faulty_and_differently_timed_rows_support_no_verdict() {
    for step in steps() {
        assert!(is_undecided(articles::judged(step, &[]).verdict), "{}", step.id);
    }
    let mut rows = records(EPOCHS);
    for row in rows.iter_mut().filter(|row| row.benchmark == "naive_coalesced_read") {
        row.timer = Some(Clock::Wall);
    }
    assert!(verdict("D5", &rows, Api::Vulkan).1.contains("different clocks"));
    for row in &mut rows {
        row.status = Status::Implausible;
    }
    for step in steps().into_iter().filter(|step| step.is_timing) {
        assert!(is_undecided(judged(step, &rows, Api::Vulkan).0), "{}", step.id);
    }
    assert_eq!(verdict("B3", &rows, Api::Vulkan).0, Verdict::Holds, "an implausible row is verified");
    for row in &mut rows {
        row.mark_wrong("planted".to_owned());
    }
    for id in ["A2", "B3", "B6", "B9", "E6"] {
        let (found, text) = verdict(id, &rows, Api::Vulkan);
        assert_eq!(found, Verdict::Fails, "{id}");
        assert!(text.contains("wrong result"), "{text}");
    }
}

/// A claim about a faster kernel never rests on noise: at ±3 %, a device without differences never confirms one.
#[test]
fn noise_confirms_no_claim() {
    for seed in 1..40_u64 {
        let mut state = seed;
        let mut rows = flat();
        for row in rows.iter_mut().filter(|row| row.median_ns.is_some()) {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let off = (state >> 33) as f64 / f64::from(u32::MAX >> 1) * 2.0 - 1.0;
            set_time(row, 1e6 * (0.03 * off).exp(), 0.045);
        }
        for id in ["A4", "C1", "C2", "D5", "D8"] {
            let (found, text) = verdict(id, &rows, Api::Vulkan);
            assert_ne!(found, Verdict::Holds, "{id} with seed {seed}: {text}");
        }
    }
}

#[test]
fn the_tour_fits_80_columns_and_has_no_colours_in_a_pipe() {
    for path in [BOTH, EPOCHS, SOFTWARE] {
        for names in [&[][..], &["A", "B", "C", "D", "E"], &["glossary"]] {
            let output = learn(&[names, &["--report", path]].concat());
            let wide: Vec<&str> = output.stdout.lines().filter(|line| line.chars().count() > 80).collect();
            assert!(wide.is_empty(), "{wide:#?}");
            assert!(!output.stdout.contains('\u{1b}'), "{output}");
        }
    }
}

#[test]
fn a_chapter_has_its_articles_number_and_a_report_may_be_named_alone() {
    let folder = Folder::new();
    folder.write("r.csv", std::fs::read(EPOCHS).expect("readable"));
    let by_letter = folder.run(&["explain", "E", "--report", "r.csv"]).succeeds().stdout;
    let start = "Answers for NVIDIA H200, Vulkan, 2026-11-30 (r.csv)\n\nE: article 004, shared-memory banks\n";
    assert!(by_letter.starts_with(start), "{by_letter}");
    assert_eq!(folder.run(&["explain", "004", "r.csv"]).succeeds().stdout, by_letter);
    folder.run(&["explain", "005"]).fails_with(2, "there is no step '005'");
    folder.run(&["explain", "E1", "r.csv", "--report", "r.csv"]).fails_with(2, "explain reads one report");
}

#[test]
fn every_id_is_reachable_by_every_command() {
    for step in steps() {
        let output = shaderbench_in_empty_folder(&["explain", step.id]).succeeds();
        assert!(output.stdout.starts_with("No report yet in reports/ or results/: "), "{output}");
        let title = format!("\n{}: {}\n", [&[step.id], step.also].concat().join(", "), step.title);
        assert!(output.stdout.contains(&title), "{output}");
        let command = if step.kernels.is_empty() { "run".to_owned() } else { format!("explain {} --run", step.id) };
        assert!(output.stdout.contains(&format!("no rows yet: run `shaderbench {command}`")), "{output}");
    }
    let explained =
        shaderbench_in_empty_folder(&["explain", "d5", "transpose/naive_coalesced_write"]).succeeds().stdout;
    for part in ["D5: two versions of the naive transpose\n", "\ntranspose/naive_coalesced_write: ", "  look for  "] {
        assert!(explained.contains(part), "{part}\n{explained}");
    }
    let alias = shaderbench_in_empty_folder(&["learn", "D5"]).succeeds().stdout;
    assert_eq!(alias, shaderbench_in_empty_folder(&["explain", "D5"]).succeeds().stdout);
    let listed = shaderbench_in_empty_folder(&["list", "--source", "D5"]).succeeds().stdout;
    let names: Vec<&str> =
        listed.lines().filter_map(|line| line.trim().split_once(' ').map(|(name, _)| name)).collect();
    assert_eq!(names, ["transpose:", "naive_coalesced_read", "naive_coalesced_write"]);
    let chapter = shaderbench_in_empty_folder(&["list", "--source", "e", "--format", "json"]).succeeds().stdout;
    assert!(chapter.contains("\"matmul\"") && !chapter.contains("\"transpose\""), "{chapter}");
    let none = shaderbench_in_empty_folder(&["list", "--source", "C5"]).succeeds();
    assert!(none.stdout.is_empty() && none.stderr.contains("`shaderbench devices`"), "{none}");
}

#[test]
fn an_unknown_id_is_one_sentence_with_the_valid_ones() {
    assert_eq!(ids(), "A1–A6, B1–B12, C1–C7, D1–D9, E1–E7");
    for arguments in [&["explain", "D10"][..], &["list", "--source", "D10"]] {
        let output = shaderbench_in_empty_folder(arguments).exits_with(2);
        assert_eq!(output.sole_error(), format!("error: there is no step 'D10': the steps are {}", ids()));
    }
    shaderbench_in_empty_folder(&["explain", "--run", "--report", "r.csv"]).exits_with(2);
    shaderbench_in_empty_folder(&["explain", "--report", "none.csv"]).exits_with(1);
}

#[test]
fn the_newest_report_with_such_rows_is_judged() {
    let folder = Folder::new();
    let with_date = |date: &str| -> Vec<Record> {
        let rows = records(EPOCHS).into_iter().filter(|row| row.family == "transpose");
        rows.map(|row| Record { date: date.to_owned(), ..row }).collect()
    };
    folder.write("results/a/old.csv", csv::write(&with_date("2026-11-20T00:00:00Z")));
    folder.write("results/a/new.csv", csv::write(&with_date("2026-11-23T00:00:00Z")));
    let output = folder.run(&["explain", "D5"]).succeeds();
    assert!(output.stdout.contains("2026-11-23 (results/a/new.csv)"), "{output}");
    assert!(output.stdout.contains("  Vulkan    holds here. At "), "{output}");
    let output = folder.run(&["explain", "E1"]).succeeds();
    assert!(output.stdout.starts_with("No report yet in reports/ or results/"), "{output}");
    // A user's report comes before those of `results/`, whatever its date.
    folder.write("reports/a/own.csv", csv::write(&with_date("2026-11-19T00:00:00Z")));
    let output = folder.run(&["explain", "D5"]).succeeds();
    assert!(output.stdout.contains("2026-11-19 (reports/a/own.csv)"), "{output}");
}

#[test]
fn the_glossary_in_the_docs_is_that_of_the_program() {
    let printed = learn(&["glossary", "--format", "markdown"]).stdout;
    let page = std::fs::read_to_string("docs/glossary.md").expect("the glossary");
    assert!(page == printed, "write it by `shaderbench explain glossary --format markdown > docs/glossary.md`");
    assert!(learn(&["glossary"]).stdout.contains("__syncthreads()"));
}

#[test]
fn a_step_is_measured_on_request() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let output = folder.run(&["explain", "E6", "--run"]).succeeds();
    for part in ["E6: many threads write the same word\n", "holds here. In every round, the word holds", "(reports/"] {
        assert!(output.stdout.contains(part), "{part}\n{output}");
    }
    assert!(!output.stdout.contains("GB/s  "), "the tables of the run are printed\n{output}");
}

#[test]
fn a_software_device_stands_beside_the_example_and_does_not_run() {
    let example = learn(&["D6", "--report", "h100"]).stdout;
    let (whose, example) = example.split_once("\n\n").expect("a first line");
    assert_eq!(whose, "Answers for NVIDIA H100 80GB HBM3, Vulkan and CUDA, 2026-11-28 (h100, the\n  example)");
    let answer =
        example.split_once("  Vulkan    ").and_then(|(_, rest)| rest.split_once("\n  CUDA ")).expect("two APIs").0;
    let beside = learn(&["D6", "--report", SOFTWARE]).stdout;
    let start = "Answers for llvmpipe (LLVM 15.0.6, 256 bits), a software device, Vulkan,\n";
    assert!(beside.starts_with(start), "{beside}");
    assert!(beside.contains("\nH100: NVIDIA H100 80GB HBM3, Vulkan, 2026-11-28 (h100, the example)\n"), "{beside}");
    assert!(beside.contains("  Vulkan    not measured. Times of a software device "), "{beside}");
    assert!(beside.contains(&format!("  H100      {answer}\n")), "{answer}\n{beside}");
    // A step that the report can judge needs no example.
    assert!(!learn(&["E6", "--report", SOFTWARE]).stdout.contains("H100"));
    let listed = shaderbench_in_empty_folder(&["devices"]).stdout;
    let mut types = listed.lines().filter_map(|line| line.trim().strip_prefix("type "));
    if !has_device() || !types.all(|kind| kind.trim() == "software") {
        return;
    }
    let folder = Folder::new();
    let output = folder.run(&["explain", "D6", "--run"]).succeeds();
    assert!(output.stderr.contains("so 1 claim about time is not measured"), "{output}");
    assert!(folder.is_empty() && output.stdout.starts_with(whose), "{output}");
}

#[test]
fn a_device_is_software_by_its_type_alone() {
    let mut rows = records(EPOCHS);
    for row in &mut rows {
        row.device_type = Some(DeviceType::Software);
    }
    assert_eq!(verdict("D5", &rows, Api::Vulkan).0, Verdict::Unknown);
}
