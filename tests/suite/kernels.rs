//! The first screen of `compare` in a terminal, on planted reports.

use answers::compare::text::{OutputFormat, Sort, View, write};
use answers::compare::{Report, Rules, compare_by};
use answers::report::Terminal;
use record::suite::{Api, Extent};
use record::{Clock, Record};

const KERNELS: [&str; 5] = ["naive", "tiled", "vectorized", "cooperative", "split"];
const FAMILIES: [&str; 8] = ["matmul", "scan", "transpose", "reduction", "stencil", "fft", "gemv", "spmv"];

/// A run on a card and day: 40 kernels with six sizes each, `factor` times the usual time, with five epochs of 0.3 % noise.
fn run(card: &str, day: u64, factor: impl Fn(usize, &Record) -> f64) -> Report {
    let mut state = day;
    // The sum of three uniform numbers from −1 to 1 has a variance of 1.
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let mut noise = || uniform() + uniform() + uniform();
    let mut records = Vec::new();
    for (family, benchmark) in FAMILIES.iter().flat_map(|family| KERNELS.map(|kernel| (family, kernel))) {
        for size in 10..16 {
            let row = Record {
                tool_version: "0.1.0".into(),
                date: format!("2026-11-{day}T08:00:00Z"),
                device: "NVIDIA H100 80GB HBM3".into(),
                driver: "NVIDIA 580.159.04".into(),
                card: card.into(),
                backend: Some(Api::Vulkan),
                family: (*family).into(),
                benchmark: benchmark.into(),
                n: Some(Extent::Linear(1 << size)),
                timer: Some(Clock::Timestamp),
                ..Record::default()
            };
            let ns = factor(records.len(), &row) * f64::from(1 << size);
            let epochs_ns: Vec<f64> = (0..5).map(|_| ns * (0.003 * noise()).exp()).collect();
            records.push(Record { median_ns: Some(ns), epochs_ns, ..row });
        }
    }
    Report { name: format!("{day}.csv"), records }
}

/// The first 24 lines at 80 columns.
fn first_screen(old: Report, new: Report) -> String {
    first_screen_by(&Rules::default(), old, new)
}

fn first_screen_by(rules: &Rules, old: Report, new: Report) -> String {
    let terminal = Terminal { width: 80, has_color: false };
    let view = View { terminal, sort: Sort::Family, has_all_rows: false, by_kernel: &[], limit: None };
    let text = write(&compare_by(rules, &[old], &[new]), view, OutputFormat::Table);
    text.lines().take(24).map(|line| format!("{line}\n")).collect()
}

fn is_planted(row: &Record) -> bool {
    (row.family.as_str(), row.benchmark.as_str()) == ("matmul", "cooperative")
}

#[test]
fn one_kernel_that_is_8_percent_slower_is_the_answer() {
    let slow = run("GPU-1", 21, |_, row| if is_planted(row) { 1.08 } else { 1.0 });
    let screen = first_screen(run("GPU-1", 20, |_, _| 1.0), slow);
    assert!(screen.starts_with("matmul/cooperative is slower in this run: 6 of 6 sizes, +8"), "{screen}");
    assert!(!screen.contains("more kernel") && !screen.contains("this may be run-to-run variation"), "{screen}");
    insta::assert_snapshot!(screen);
}

#[test]
fn a_kernel_of_another_source_is_compared_only_if_it_is_named() {
    let slow = |hash: &str, day| {
        let mut report = run("GPU-1", day, |_, row| if day == 21 && is_planted(row) { 1.08 } else { 1.0 });
        report.records.iter_mut().filter(|row| is_planted(row)).for_each(|row| row.shader_hash = hash.into());
        report
    };
    let screen = first_screen(slow("1f", 20), slow("2e", 21));
    assert!(screen.starts_with("Nothing is slower or faster."), "{screen}");
    let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    let last = "1 kernel (6 cases) that changed between 2026-11-20 and 2026-11-21 is not compared: matmul/cooperative.";
    assert!(words.contains(last) && words.contains("(mean of 234 kernel cases)"), "{screen}");
    // A user who names the kernel wants to see what the change did.
    let rules = Rules { is_named: &|row| row.benchmark == "cooperative", ..Rules::default() };
    let screen = first_screen_by(&rules, slow("1f", 20), slow("2e", 21));
    assert!(screen.starts_with("matmul/cooperative (its source changed) is slower in this run: 6 of 6"), "{screen}");
    assert!(screen.contains("matmul/cooperative (source changed)  6 of 6"), "{screen}");
    let same = first_screen(slow("1f", 20), slow("1f", 21));
    assert!(same.starts_with("matmul/cooperative is slower") && !same.contains("changed between"), "{same}");
}

#[test]
fn of_63_rows_that_are_slower_the_worst_kernel_comes_first() {
    let factor = |index: usize, _: &Record| if index < 63 { 1.02 + 0.06 * index as f64 / 62.0 } else { 1.0 };
    let screen = first_screen(run("GPU-1", 20, |_, _| 1.0), run("GPU-1", 21, factor));
    // Its three sizes among the 63 are slower by 7.8 to 8.0 %.
    assert!(screen.starts_with("transpose/naive is slower in this run: 3 of 6 sizes, +7."), "{screen}");
    insta::assert_snapshot!(screen);
}

#[test]
fn two_cards_with_one_run_each_have_no_certain_difference() {
    let factor = |index: usize, _: &Record| if index.is_multiple_of(5) { 1.05 } else { 1.0 };
    let screen = first_screen(run("GPU-1", 20, |_, _| 1.0), run("GPU-2", 21, factor));
    let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains(
            "With one run per card, this may be run-to-run variation; use three runs or more per card to measure it."
        ),
        "{screen}"
    );
    assert!(!screen.contains("ertain"), "{screen}");
    insta::assert_snapshot!(screen);
}

#[test]
fn a_copy_is_called_a_copy_and_nothing_else() {
    let report = run("GPU-1", 20, |_, _| 1.0);
    let copy = Report { name: "copy.csv".into(), ..report.clone() };
    let screen = first_screen(report, copy);
    assert!(screen.starts_with("copy.csv is a copy of 20.csv: all cases have the same times.\n\nA: "), "{screen}");
    insta::assert_snapshot!(screen);
}

#[test]
fn two_runs_of_one_build_are_neither_slower_nor_faster() {
    let screen = first_screen(run("GPU-1", 20, |_, _| 1.0), run("GPU-1", 21, |_, _| 1.0));
    assert!(screen.starts_with("Nothing is slower or faster."), "{screen}");
}
