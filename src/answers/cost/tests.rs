//! The output of `cost` for constructed rows and for committed reports.

use serde_json::Value;

use super::text::range;
use super::{BesideLibrary, Cost, json, libraries, screen};
use crate::report::{Medium, Terminal};
use kernels::{FAMILIES, jobs};
use record::stats::Estimate;
use record::suite::{Api, Dtype, Extent};
use record::{Clock, Record, Status};

const TERMINAL: Medium = Medium::Terminal(Terminal { width: 80, has_color: false });

/// A row of a sum of n elements, whose interval reaches 0.1 % to either side.
fn sum(api: Api, benchmark: &str, n: u64, ns: f64) -> Record {
    Record {
        device: "Fake 9000".to_owned(),
        backend: Some(api),
        family: "reduction".to_owned(),
        benchmark: benchmark.to_owned(),
        dtype: Some(Dtype::F32),
        n: Some(Extent::Linear(n)),
        timer: Some(Clock::Timestamp),
        bytes: Some(4 * n),
        gb_per_s: Some(4.0 * n as f64 / ns),
        median_ns: Some(ns),
        ci_low_ns: Some(ns * 0.999),
        ci_high_ns: Some(ns * 1.001),
        ..Record::default()
    }
}

fn of(family: &str, dtype: Dtype, row: Record) -> Record {
    Record { family: family.to_owned(), dtype: Some(dtype), ..row }
}

fn shown(rows: &[Record]) -> String {
    screen(&Cost::new(rows, |_| true).expect("both APIs"), "r.csv", true, TERMINAL)
}

/// The cells of a job's line, separated by single spaces.
fn line(text: &str, job: &str) -> String {
    let line = text.lines().find(|line| line.starts_with(job)).unwrap_or_else(|| panic!("no {job} in\n{text}"));
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_fastest_kernel_of_each_size_is_compared_with_its_own_twin() {
    let rows = [
        sum(Api::Vulkan, "subgroup", 1000, 300.0),
        sum(Api::Cuda, "subgroup", 1000, 200.0),
        sum(Api::Vulkan, "atomic", 1000, 400.0),
        sum(Api::Cuda, "atomic", 1000, 50.0),
        sum(Api::Vulkan, "subgroup", 9000, 900.0),
        sum(Api::Cuda, "subgroup", 9000, 100.0),
        sum(Api::Vulkan, "first_add", 9000, 800.0),
        sum(Api::Cuda, "first_add", 9000, 640.0),
        sum(Api::Cuda, "cub", 9000, 500.0),
    ];
    let text = shown(&rows);
    assert_eq!(line(&text, "sum"), "sum CUB 1.60 ±7 % 1.25 1.25–1.50");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let answer = "Slower than NVIDIA's libraries: sum 1.60× ±7 %. Slower than the CUDA port: sum 1.25×. ";
    assert!(words.starts_with(answer), "{text}");
    assert!(text.contains("\nFake 9000: r.csv\n") && !text.contains('†') && !text.contains("libraries of"), "{text}");
    let mut rows = rows.to_vec();
    rows.push(sum(Api::Cuda, "cub", 1000, 600.0));
    assert_eq!(line(&shown(&rows), "sum"), "sum CUB 1.60 ±7 % 0.500–1.60 1.25 1.25–1.50");
}

#[test]
fn kernels_that_tie_and_ratios_within_the_noise_are_as_fast() {
    let rows = [
        sum(Api::Vulkan, "subgroup", 1000, 300.0),
        sum(Api::Vulkan, "first_add", 1000, 300.0),
        sum(Api::Cuda, "subgroup", 1000, 300.2),
        sum(Api::Cuda, "first_add", 1000, 100.0),
    ];
    let text = shown(&rows);
    // If two kernels tie, the first counts, whatever the order of the columns.
    assert_eq!(line(&text, "sum"), "sum same");
    assert!(text.starts_with("Slower than the CUDA port: none; 1 job within 10 %.\n"), "{text}");
    // A tie at one of two sizes.
    let more = [sum(Api::Vulkan, "subgroup", 10, 30.0), sum(Api::Cuda, "subgroup", 10, 20.0)];
    assert_eq!(line(&shown(&[rows.to_vec(), more.to_vec()].concat()), "sum"), "sum same 1–1.50");
    // Noise that hides a factor is no tie.
    let noisy = rows.map(|row| Record { ci_high_ns: row.median_ns.map(|ns| ns * 1.5), ..row });
    let text = shown(&noisy);
    assert_eq!(line(&text, "sum"), "sum unclear");
    assert!(text.starts_with("Slower than the CUDA port: none; 1 too close to call.\n"), "{text}");
}

#[test]
fn a_twin_or_a_library_that_is_missing_leaves_its_cells_empty() {
    let wrong = |row: Record| Record { status: Status::Wrong, median_ns: None, ..row };
    let rows = [
        sum(Api::Vulkan, "subgroup", 1000, 300.0),
        wrong(sum(Api::Cuda, "subgroup", 1000, 200.0)),
        of("transpose", Dtype::F32, sum(Api::Vulkan, "tiled", 1000, 300.0)),
        of("transpose", Dtype::F32, sum(Api::Cuda, "tiled", 1000, 150.0)),
    ];
    let text = shown(&rows);
    assert_eq!((line(&text, "sum"), line(&text, "transpose")), ("sum –".into(), "transpose 2.00".into()));
    // Jobs with a ratio come first.
    assert!(text.find("\ntranspose") < text.find("\nsum"), "{text}");
    let command = "For library times of 2 more families, run `shaderbench run --backend all --profile standard`.";
    assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(command), "{text}");
    for rows in [&rows[..1], &rows[1..2], &[]] {
        assert!(Cost::new(rows, |_| true).is_none());
    }
}

#[test]
fn a_kernel_s_own_parameters_do_not_part_sizes() {
    let with = |row: Record, params: &[(&str, f64)]| {
        let params = params.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        of("radix_sort", Dtype::U32, Record { params, ..row })
    };
    let sort = |api, pairs: f64, ns| with(sum(api, "onesweep", 1000, ns), &[("PAIRS", pairs)]);
    let three = |bits: f64, pairs: f64, ns| {
        with(sum(Api::Vulkan, "three_kernels", 1000, ns), &[("BITS", bits), ("PAIRS", pairs)])
    };
    let rows = [
        sort(Api::Vulkan, 0.0, 300.0),
        sort(Api::Cuda, 0.0, 200.0),
        three(4.0, 0.0, 400.0),
        three(8.0, 0.0, 500.0),
        three(8.0, 1.0, 900.0),
        sort(Api::Vulkan, 1.0, 440.0),
        sort(Api::Cuda, 1.0, 400.0),
        with(sum(Api::Cuda, "cub", 1000, 220.0), &[("PAIRS", 1.0)]),
    ];
    let cost = Cost::new(&rows, |_| true).expect("both APIs");
    let sizes = serde_json::to_value(json(&cost, "r.csv")).expect("JSON");
    let cases = sizes["jobs"][0]["cases"].as_array().expect("cases").clone();
    let figures =
        |case: &Value| [case["twin_time_ratio"]["value"].as_f64(), case["library_time_ratio"]["value"].as_f64()];
    assert_eq!(cases.iter().map(figures).collect::<Vec<_>>(), [[Some(1.5), None], [Some(1.1), Some(2.0)]]);
    assert_eq!(sizes["jobs"][0]["job"], "radix sort");
}

#[test]
fn a_twin_that_is_another_kernel_is_marked_and_its_difference_named() {
    let gemm = |api, ns| {
        let row = of("matmul", Dtype::F16, sum(api, "cooperative", 1000, ns));
        Record { gflop_per_s: Some(1e6 / ns), ..row }
    };
    let text = shown(&[
        gemm(Api::Vulkan, 148.0),
        gemm(Api::Cuda, 100.0),
        sum(Api::Vulkan, "subgroup", 1000, 110.0),
        sum(Api::Cuda, "subgroup", 1000, 100.0),
        of("transpose", Dtype::F32, sum(Api::Vulkan, "tiled", 1000, 90.0)),
        of("transpose", Dtype::F32, sum(Api::Cuda, "tiled", 1000, 100.0)),
    ]);
    let answer = "Slower than the CUDA port: GEMM f16† 1.48×; 1 faster, 1 too close to call. ";
    assert!(text.replace('\n', " ").starts_with(answer), "{text}");
    assert_eq!(line(&text, "GEMM f16"), "GEMM f16 1.48†");
    assert_eq!(line(&text, "transpose"), "transpose 0.900");
    let what = "† Not a like-for-like port: GEMM f16 (cp.async prefetch, two iterations ahead).";
    assert!(text.contains(what) && !text.contains("Possible only"), "{text}");
    let wgmma = |n| Record {
        benchmark: "wgmma".to_owned(),
        n: Some(Extent::Linear(n)),
        bytes: Some(4000),
        ..gemm(Api::Cuda, 50.0)
    };
    let both = |n| [gemm(Api::Vulkan, 148.0), gemm(Api::Cuda, 100.0), wgmma(n)];
    let text = shown(&both(1000));
    assert!(text.contains("Possible only in CUDA: wgmma is 2.96× ±7 % as fast in GEMM f16."), "{text}");
    assert!(!shown(&both(2000)).contains("Possible only"), "of another size");
    let with_a_faster_twin = [gemm(Api::Vulkan, 148.0), gemm(Api::Cuda, 40.0), wgmma(1000)];
    assert!(!shown(&with_a_faster_twin).contains("Possible only"), "the twin is faster");
}

#[test]
fn the_kernels_of_a_family_stand_beside_the_library_at_one_size() {
    let family = FAMILIES.iter().find(|family| family.name == "gemv").expect("a family");
    let gemv = |api, benchmark: &str, dtype, n, ns| {
        let row = sum(api, benchmark, n, ns);
        of("gemv", dtype, Record { epochs_ns: vec![ns; 2], ..row })
    };
    let mut rows = vec![
        gemv(Api::Cuda, "cublas", Dtype::F32, 1000, 100.0),
        gemv(Api::Cuda, "cublas", Dtype::F32, 2000, 200.0),
        gemv(Api::Cuda, "cublas", Dtype::F16, 1000, 100.0),
        gemv(Api::Cuda, "split_k", Dtype::F32, 2000, 150.0),
        gemv(Api::Vulkan, "workgroup", Dtype::F32, 1000, 900.0),
        gemv(Api::Vulkan, "workgroup", Dtype::F32, 2000, 400.0),
        gemv(Api::Vulkan, "split_k", Dtype::F32, 2000, 300.0),
        gemv(Api::Vulkan, "split_k", Dtype::F32, 4000, 500.0),
        // The same type and size, but four-bit weights.
        Record { bytes: Some(1000), ..gemv(Api::Vulkan, "split_k_q4", Dtype::F32, 2000, 80.0) },
        gemv(Api::Vulkan, "split_k", Dtype::F16, 1000, 100.3),
    ];
    let texts = |rows: &[Record]| -> Vec<String> {
        libraries(family, &rows.iter().collect::<Vec<_>>()).iter().map(BesideLibrary::text).collect()
    };
    let f32 = "cuBLAS is 1.50× faster than split_k at 2000 (f32)";
    assert_eq!(texts(&rows), [f32, "cuBLAS is as fast as split_k at 1000 (f16)"]);
    let last = rows.last_mut().expect("a row");
    last.ci_low_ns = Some(80.0);
    let unclear = "too noisy to tell whether cuBLAS is faster than split_k at 1000 (f16)";
    assert_eq!(texts(&rows), [f32, unclear]);
    // CUDA's own kernels count if there are none in WGSL. Without a library there is no text.
    assert_eq!(texts(&rows[..4]), ["cuBLAS is 1.33× slower than split_k at 2000 (f32)"]);
    assert!(texts(&rows[3..]).is_empty());
}

/// The end of a range is the smallest number printed; the smallest value may be too noisy to print.
#[test]
fn a_range_holds_every_ratio_as_it_is_printed() {
    let estimate = |[value, low, high]: [f64; 3]| Estimate { value, low, high };
    let ratios = [[0.987, 0.984, 0.991], [0.969, 0.92, 1.02], [1.28, 1.27, 1.29]];
    assert_eq!(range(ratios.into_iter().map(estimate)), "0.987–1.28");
    assert_eq!(range(ratios[1..].iter().copied().map(estimate)), "1–1.28");
    assert_eq!(range(ratios[..1].iter().copied().map(estimate)), "");
}

#[test]
fn without_a_twin_or_a_library_there_is_no_table() {
    let text = shown(&[sum(Api::Vulkan, "subgroup", 1000, 300.0), sum(Api::Cuda, "subgroup", 2000, 200.0)]);
    assert_eq!(text, "No job has both a Vulkan time and a CUDA time of the same kernel.\nr.csv\n");
}

#[test]
fn causes_fit_their_column() {
    for (_, job) in jobs() {
        assert!(job.cause.chars().count() <= 12, "{}", job.cause);
    }
}
