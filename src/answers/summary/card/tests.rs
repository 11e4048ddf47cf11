//! The lines that the summary shows and leaves out.

use super::*;
use crate::report::committed;
use crate::summary::cells::size;
use crate::summary::job_rate;
use kernels::is_library;
use record::Status;
use record::suite::{Dtype, Extent};

const PLAIN: Terminal = Terminal { width: 80, has_color: false };

fn both() -> Option<Vec<Record>> {
    committed::rows("nvidia-h200/2026-11-30-vulkan+cuda.csv")
}

#[test]
fn the_summary_fits_one_screen_with_the_longest_names() {
    let Some(mut records) = both() else { return };
    for (index, row) in records.iter_mut().enumerate() {
        // The longest names that drivers are known to report.
        row.device =
            "AMD Radeon Graphics (RADV RENOIR) with a very long name, llvmpipe (LLVM 19.1.7, 512 bits)".to_owned();
        row.driver =
            "AMD open-source driver 2024.Q4.3 (LLPC), build 2.0.322 of a distribution, with patches".to_owned();
        if index % 50 == 0 {
            row.mark_wrong("for the test".to_owned());
        }
        if index % 50 == 1 {
            row.status = Status::Failed;
        }
        if index % 50 == 2 {
            row.status = Status::Implausible;
        }
    }
    let after = ["next: shaderbench explain transpose".to_owned(), format!("results/{}/r.csv", "x".repeat(200))];
    let text = card(&records, &after, PLAIN);
    let (lines, path): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| !line.starts_with("results/"));
    // A terminal breaks the path into three lines.
    assert!(lines.len() + 3 <= LINES && path.len() == 1, "{text}");
    assert!(lines.iter().all(|line| display_width(line) <= COLUMNS), "{text}");
    for needed in ["wrong: ", "failed: ", "implausible: ", "next: ", "/r.csv", "\nsum ", "\nrotation "] {
        assert!(text.contains(needed), "{needed}\n{text}");
    }
    // The summary fits in any number of lines, and the heading stays.
    for lines in 8..LINES {
        let text = card_within(&records, &after, lines, PLAIN);
        assert!(lines_of(text.lines()) <= lines && text.starts_with("AMD Radeon"), "{lines}\n{text}");
    }
}

#[test]
fn the_summary_of_every_committed_report_fits_with_what_follows_a_run() {
    let after = [
        "all sizes: `target/release/shaderbench run --backend all --profile standard`, about 8 minutes".to_owned(),
        "results/nvidia-h100-80gb-hbm3/2026-11-28-vulkan+cuda.csv".to_owned(),
    ];
    for records in [both(), all_families(), committed::rows("llvmpipe-llvm-15-0-6-256-bits/2026-11-22-vulkan.csv")] {
        let Some(records) = records else { return };
        for terminal in [PLAIN, Terminal { has_color: true, ..PLAIN }] {
            let text = card(&records, &after, terminal);
            let rows: Vec<&Record> = records.iter().filter(|row| row.backend == Some(Api::Vulkan)).collect();
            assert!(lines_of(after.iter().map(String::as_str)) == 3 && text.lines().count() < LINES, "{text}");
            // Every job is there, and the meaning of the marks.
            for best in best(&rows) {
                let line = text.lines().find(|line| line.starts_with(best.job.name)).expect(best.job.name);
                assert!(line.contains(&size(best.row)), "{line}");
            }
            assert!(text.contains("bar: share of the measured peak"), "{text}");
            assert_eq!(text.contains("green ≥ 80 %"), terminal.has_color && !text.contains(SOFTWARE), "{text}");
        }
    }
}

fn words_of(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn marks_say_what_a_reader_must_know() {
    let row = |share: f64, bytes: u64, benchmark: &str| Record {
        family: "reduction".to_owned(),
        benchmark: benchmark.to_owned(),
        dtype: Some(Dtype::F32),
        n: Some(Extent::Linear(1 << 20)),
        bytes: Some(bytes),
        l2_bytes: Some(50 << 20),
        gb_per_s: Some(4000.0),
        share: Some(share),
        median_ns: Some(100.0),
        ci_low_ns: Some(99.0),
        ci_high_ns: Some(101.0),
        epochs_ns: vec![100.0; 2],
        backend: Some(Api::Vulkan),
        ..Record::default()
    };
    let line = |rows: &[Record]| {
        let text = card(rows, &[], PLAIN);
        let line = text.lines().find(|line| line.starts_with("sum ")).expect("a line").to_owned();
        (line, text)
    };
    let (sum, text) = line(&[row(1.04, 4 << 20, "subgroup")]);
    assert_eq!(words_of(&sum), "sum <2^20 subgroup (only) 4.00 TB/s* █████! 104 %");
    for mark in ["! above 100 %", "* fits in a cache", "< too small for the full rate"] {
        assert!(text.contains(mark), "{mark}\n{text}");
    }
    let (sum, text) = line(&[row(0.5, 4 << 30, "subgroup"), row(0.5, 4 << 30, "first_add")]);
    assert_eq!(words_of(&sum), "sum <2^20 ~subgroup 4.00 TB/s ███ 50 %");
    assert!(text.contains("~ another kernel is as fast") && !text.contains("! ") && !text.contains("* "), "{text}");
    // A name that is too long is cut, but figures never are.
    let (sum, _) = line(&[row(0.5, 4 << 30, &"a_kernel_with_a_long_name".repeat(3))]);
    assert!(sum.contains("… 4.00 TB/s") && display_width(&sum) <= COLUMNS, "{sum}");
}

#[test]
fn a_software_device_says_so_before_its_figures() {
    let software = Record {
        device: "llvmpipe (LLVM 15.0.6, 256 bits)".to_owned(),
        device_type: Some(DeviceType::Software),
        ..Record::default()
    };
    let text = card(&[software], &[], PLAIN);
    assert_eq!(text.lines().nth(1), Some(SOFTWARE), "{text}");
}

#[test]
fn sizes_are_short() {
    let sized = |extent, width: Option<f64>| {
        let params = width.map(|width| ("D".to_owned(), width)).into_iter().collect();
        size(&Record { n: Some(extent), params, ..Record::default() })
    };
    assert_eq!([Extent::Linear(1 << 28), Extent::Linear(1_000_003)].map(|n| sized(n, None)), ["2^28", "1000003"]);
    assert_eq!([Extent::Matrix(8192, 8192), Extent::Matrix(8, 4)].map(|n| sized(n, None)), ["8192²", "8×4"]);
    assert_eq!([Extent::Product(9, 9, 9), Extent::Product(9, 9, 8)].map(|n| sized(n, None)), ["9³", "9×9×8"]);
    assert_eq!(sized(Extent::Matrix(16, 4096), Some(128.0)), "16×4096×128");
}

fn all_families() -> Option<Vec<Record>> {
    committed::rows("nvidia-h100-80gb-hbm3/2026-11-28-vulkan+cuda.csv")
}

#[test]
fn families_that_do_not_fit_are_counted_the_most_costly_ones_named() {
    let Some(records) = all_families() else { return };
    let toolchains = toolchains(&records);
    let ratios = Ratios::new(&records.iter().collect::<Vec<_>>(), [toolchains[0], toolchains[1]]);
    let mut sorted = ratios.by_family();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
    for room in 0..12 {
        let lines = by_family(toolchains[1], &ratios, room, PLAIN);
        assert!(lines.len() <= room, "{room}: {lines:?}");
        let text = lines.join(", ").replace('\n', "");
        let text = text.split_once("CUDA is").map_or("", |(_, families)| families.trim());
        let parts: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
        let (counted, named): (Vec<&str>, Vec<&str>) = parts.into_iter().partition(|part| part.contains(" more: "));
        let number = |part: &&str| part.split(' ').next().and_then(|number| number.parse().ok());
        let count: usize = counted.first().map_or(0, |part| number(part).expect("a number"));
        assert!(count != 1 && (room == 0 || named.len() + count == sorted.len()), "{room}: {lines:?}");
        for (part, (family, _)) in named.iter().zip(&sorted) {
            assert!(part.ends_with(&format!(" in {family}")), "{room}: {part}, not {family}");
        }
    }
    let text = card(&records, &["r.csv".to_owned()], PLAIN);
    assert!(text.lines().count() <= LINES && text.contains(" 9 jobs: "), "{text}");
}

#[test]
fn a_headline_ends_after_a_word() {
    let text = "Sum of 2^28 f32: vec4_grid_stride is fastest at 4.50 TB/s (98 % of the measured read peak)";
    assert_eq!(words(text, 60), "Sum of 2^28 f32: vec4_grid_stride is fastest at 4.50 TB/s…");
    assert_eq!((words(text, 20), words(text, 200)), ("Sum of 2^28 f32…".to_owned(), text.to_owned()));
    for width in 10..100 {
        assert!(display_width(&words(text, width)) <= width, "{width}");
    }
}

#[test]
fn a_level_without_figures_has_no_line() {
    let Some(all) = both() else { return };
    // Short curves, as in the profile quick, with intervals of several widths.
    for (times, power) in [1.0, 3.0, 10.0, 30.0].into_iter().flat_map(|times| (16..28).map(move |power| (times, power)))
    {
        let mut records = all.clone();
        records.retain(|row| row.family != "cache_curve" || row.n.is_none_or(|n| n.count() <= 1 << power));
        for row in &mut records {
            let (Some(ns), Some(low), Some(high)) = (row.median_ns, row.ci_low_ns, row.ci_high_ns) else {
                continue;
            };
            row.ci_low_ns = Some(ns * (low / ns).powf(times));
            row.ci_high_ns = Some(ns * (high / ns).powf(times));
        }
        for api in [Api::Vulkan, Api::Cuda] {
            let rows: Vec<&Record> = records.iter().filter(|row| row.backend == Some(api)).collect();
            assert!(spaces(&rows).iter().all(Space::has_figures), "{times} {power}");
        }
    }
}

#[test]
fn every_rate_of_the_summary_is_one_of_the_report() {
    let Some(records) = all_families() else { return };
    let text = card(&records, &[], PLAIN);
    let rows: Vec<&Record> = records.iter().filter(|row| row.backend == Some(Api::Vulkan)).collect();
    let found = best(&rows);
    assert_eq!(found.len(), kernels::headlines().len());
    for best in found {
        let line = text.lines().find(|line| line.starts_with(&format!("{} ", best.job.name))).expect(best.job.name);
        assert!(line.contains(&job_rate(best.row)) && line.contains(&best.row.benchmark), "{line}");
        assert!(line.contains(&table::share_text(best.row)), "{line}");
    }
}

#[test]
fn ratios_to_the_other_api_are_those_of_a_comparison_of_all_rows() {
    use crate::compare::ratios_in_turns;
    let Some(records) = both() else { return };
    let text = card(&records, &[], PLAIN);
    let rows_of = |api| records.iter().filter(move |row| row.backend == Some(api) && row.status == Status::Ok);
    let case = |row: &Record| (row.name(), row.dtype, row.n, row.params_text());
    let twin = |row: &&Record| rows_of(Api::Cuda).find(|twin| case(twin) == case(row) && twin.timer == row.timer);
    let pairs: Vec<(&Record, &Record)> = rows_of(Api::Vulkan).filter_map(|row| Some((row, twin(&row)?))).collect();
    let ratios = ratios_in_turns(&pairs);
    let rows: Vec<&Record> = rows_of(Api::Vulkan).collect();
    for best in best(&rows) {
        let index = pairs.iter().position(|(row, _)| std::ptr::eq(*row, best.row)).expect("a twin");
        let ratio = faster(ratios[index].and_then(|ratio| ratio.estimate()).expect("in turns"));
        let line = text.lines().find(|line| line.starts_with(&format!("{} ", best.job.name))).expect(best.job.name);
        assert!(line.ends_with(&format!(" {ratio}")), "{ratio}: {line}");
    }
}

#[test]
fn libraries_compare_as_their_rows_do_the_fastest_first_in_two_lines() {
    let Some(mut records) = both() else { return };
    records.retain(|row| !is_library(row) || (row.benchmark == "cublas" && row.family != "gemv"));
    let row_of = |api, family: &str, name: &str, job: &str| {
        let best = best(&records.iter().filter(|row| row.backend == Some(Api::Vulkan)).collect::<Vec<_>>());
        let size = best.iter().find(|best| best.job.name == job).expect(job).row.n;
        let is_it = |row: &&Record| {
            (row.family.as_str(), row.benchmark.as_str(), row.n) == (family, name, size)
                && (row.backend, row.dtype) == (Some(api), Some(Dtype::F32))
        };
        records.iter().find(is_it).and_then(record::claim::time).expect("a time")
    };
    let compared = |family: &str, kernel: &str, job: &str| {
        let [kernel, library] =
            [(Api::Vulkan, kernel), (Api::Cuda, "cublas")].map(|(api, name)| row_of(api, family, name, job));
        faster(record::stats::ratio(kernel, library).expect("a ratio"))
    };
    let gemm = compared("matmul", "double_buffered", "GEMM f32");
    let transpose = compared("transpose", "tiled_wide", "transpose");
    let text = card(&records, &[], PLAIN);
    let expected = format!("libraries   cuBLAS {gemm} in GEMM f32, cuBLAS {transpose} in transpose");
    assert!(
        gemm.ends_with("faster") && transpose.ends_with("slower") && text.contains(&expected),
        "{expected}\n{text}"
    );
    let many = |index: u32| (f64::from(index), format!("cuSPARSE 1.0{index}× faster"), "a long job".to_owned());
    let lines = from_largest("libraries", ((1..9).map(many).collect(), "jobs"), 1, PLAIN);
    assert_eq!(lines, ["libraries   8 jobs: cuSPARSE 1.08× faster to cuSPARSE 1.01× faster"]);
    let lines = from_largest("libraries", ((1..9).map(many).collect(), "jobs"), LIBRARIES, PLAIN);
    assert_eq!(lines.len(), LIBRARIES);
    assert!(lines[0].starts_with("libraries   cuSPARSE 1.08× faster in a long job"), "{lines:?}");
    assert!(lines[1].ends_with("7 more: cuSPARSE 1.07× faster to cuSPARSE 1.01× faster"), "{lines:?}");
    assert!(lines.iter().all(|line| display_width(line) <= COLUMNS), "{lines:?}");
    assert!(!card(&records[..1], &[], PLAIN).contains("libraries"));
}

#[test]
fn long_texts_lose_their_middle() {
    assert_eq!(cut("abcdefghij", 10), "abcdefghij");
    assert_eq!(cut("abcdefghijk", 10), "abcd…ghijk");
    assert_eq!(display_width(&cut("显卡显卡显卡显卡", 9)), 9);
}

#[test]
fn a_report_without_figures_has_a_summary_too() {
    assert_eq!(card(&[], &["r.csv".to_owned()], PLAIN), "\nr.csv\n");
    let skipped = Record { status: Status::Skipped, ..Record::default() };
    assert!(card(&[skipped], &["r.csv".to_owned()], PLAIN).starts_with("unnamed device"));
}
