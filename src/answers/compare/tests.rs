use crate::compare::*;
use record::suite::Dtype;
use record::suite::Extent;
use record::suite::{Api, Checks};
use record::{Clock, Status};

/// A row with a time of `time` × 10 µs in five epochs that differ by 0.08 % (standard deviation).
fn row(benchmark: &str, time: f64) -> Record {
    noisy_row(benchmark, time, 0.001)
}

/// A row whose epochs range from ÷ e^`reach` to × e^`reach`.
fn noisy_row(benchmark: &str, time: f64, reach: f64) -> Record {
    let epochs_ns: Vec<f64> = [-1.0, 0.5, 0.0, 1.0, -0.5].map(|part: f64| time * 1e4 * (part * reach).exp()).to_vec();
    Record {
        device: "H200".into(),
        backend: Some(Api::Vulkan),
        date: "2026-11-20T00:00:00Z".into(),
        family: "transpose".into(),
        benchmark: benchmark.into(),
        dtype: Some(Dtype::F32),
        n: Some(Extent::Linear(1024)),
        checks: Checks::named("off"),
        shader_hash: "abc".into(),
        timer: Some(Clock::Timestamp),
        samples: Some(20),
        median_ns: Some(time * 1e4),
        epochs_ns,
        share: Some(50.0 / time),
        ..Record::default()
    }
}

/// A row measured as a single series without epochs, as in schema 1.
fn without_epochs(row: Record) -> Record {
    let ends = row.median_ns.map(|ns| (0.999 * ns, 1.001 * ns)).unzip();
    Record { epochs_ns: Vec::new(), ci_low_ns: ends.0, ci_high_ns: ends.1, ..row }
}

fn report(name: &str, records: &[Record]) -> [Report; 1] {
    [Report { name: name.into(), records: records.to_vec() }]
}

fn later(record: Record) -> Record {
    Record { date: "2026-11-21T00:00:00Z".into(), ..record }
}

fn verdicts(comparison: &Comparison) -> Vec<Option<Verdict>> {
    comparison.cases.iter().map(|case| case.pairs.get(0).map(|pair| pair.verdict)).collect()
}

#[test]
fn rows_meet_by_case_and_are_judged() {
    let a = report("a", &[row("naive", 100.0), row("tiled", 50.0), row("vec4", 30.0)]);
    let b = report("b", &[later(row("vec4", 33.0)), later(row("tiled", 50.0)), later(row("naive", 90.0))]);
    let got = compare(&a, &b);
    assert_eq!(verdicts(&got), [Some(Verdict::Faster), Some(Verdict::Same), Some(Verdict::Slower)]);
    let ratio = got.cases[0].pairs.get(0).expect("both").ratio;
    assert!((ratio.value - 100.0 / 90.0).abs() < 1e-12, "{ratio:?}");
}

/// Sides that vary alike share one variance: (2.5e-4 + 8e-6) / 6 × (1/5 + 1/3), with 6 degrees of freedom, t = 2.447.
#[test]
fn the_variance_of_a_ratio_is_pooled_over_both_sides() {
    let epochs_ns = [-0.002, 0.0, 0.002].map(|log: f64| 1e6 * log.exp()).to_vec();
    let few = Record { epochs_ns, ..later(row("tiled", 100.0)) };
    let (a, b) = (report("a", &[noisy_row("tiled", 100.0, 0.01)]), report("b", &[few]));
    let got = compare(&a, &b);
    let (low, high) = got.cases[0].pairs.get(0).and_then(|pair| pair.ratio.interval).expect("an interval");
    let half = (high / low).ln() / 2.0;
    assert!((half - 2.447 * 2.2933e-5_f64.sqrt()).abs() < 1e-5, "{half}");
}

#[test]
fn sizes_types_and_parameters_tell_cases_apart() {
    let base = row("tiled", 100.0);
    let others = [
        Record { n: Some(Extent::Linear(2048)), ..base.clone() },
        Record { dtype: Some(Dtype::F64), ..base.clone() },
        Record { params: [("BOUNDS".to_owned(), 1.0)].into(), checks: Checks::named("bounds"), ..base.clone() },
        Record { family: "matmul".into(), ..base.clone() },
    ];
    let (a, b) = (report("a", &[base]), report("b", &others));
    let got = compare(&a, &b);
    assert_eq!(got.cases.len(), 5);
    assert_eq!(verdicts(&got), [None; 5]);
    assert_eq!(got.families(), ["transpose", "matmul"]);
}

#[test]
fn a_report_and_its_copy_are_the_same_however_noisy() {
    let noisy = noisy_row("tiled", 100.0, 0.7);
    let (a, copy) = (report("a", std::slice::from_ref(&noisy)), report("b", std::slice::from_ref(&noisy)));
    let got = compare(&a, &copy);
    assert_eq!((got.sides.len(), verdicts(&got)), (2, vec![Some(Verdict::Same)]));
    let another_run = report("b", &[later(noisy)]);
    assert_eq!(verdicts(&compare(&a, &another_run)), [Some(Verdict::Unclear)]);
}

#[test]
fn what_differs_beside_the_time_is_marked() {
    let a = report("a", &[row("tiled", 100.0)]);
    let named = Rules { is_named: &|_| true, ..Rules::default() };
    for (changed, mark) in [
        (Record { shader_hash: "def".into(), ..row("tiled", 100.0) }, Mark::Shader),
        (Record { checks: Checks::named("on"), ..row("tiled", 100.0) }, Mark::Checks),
        (Record { timer: Some(Clock::Wall), ..row("tiled", 100.0) }, Mark::Timer),
    ] {
        let b = report("b", &[later(changed)]);
        let got = compare_by(&named, &a, &b);
        assert_eq!(got.cases[0].pairs.get(0).map(|pair| pair.marks.clone()), Some(vec![mark]));
        assert_eq!(got.tally(0, None).cases, usize::from(mark != Mark::Timer));
    }
    let twin = report("b", &[Record { backend: Some(Api::Cuda), shader_hash: "def".into(), ..row("tiled", 100.0) }]);
    assert_eq!(compare(&a, &twin).cases[0].pairs.get(0).map(|pair| pair.marks.len()), Some(0));
}

#[test]
fn rows_without_a_right_and_plausible_time_are_not_compared() {
    let a = report("a", &[row("tiled", 100.0)]);
    for status in [Status::Wrong, Status::Failed, Status::Implausible, Status::Skipped] {
        let b = report("b", &[Record { status, ..row("tiled", 100.0) }]);
        let got = compare(&a, &b);
        assert_eq!(verdicts(&got), [None]);
        assert_eq!(got.cases[0].entries.get(1).map(Entry::status), Some(status));
        assert_eq!(got.tally(0, None).mean, None);
    }
}

#[test]
fn runs_of_one_device_are_pooled_and_the_baseline_by_itself() {
    let at = |date: &str, median_ns: f64| Record { date: date.into(), ..row("tiled", median_ns) };
    let a = report("a", &[at("1", 100.0)]);
    let others = [("b", "2", 101.0), ("c", "3", 110.0), ("d", "4", 105.0)]
        .map(|(name, date, median)| Report { name: name.into(), records: vec![at(date, median)] });
    let got = compare(&a, &others);
    assert_eq!(got.sides.len(), 2);
    assert_eq!((got.sides[1].reports.clone(), got.sides[1].dates.clone()), (vec!["b", "c", "d"], vec!["2", "3", "4"]));
    let timing = got.cases[0].timing(1).expect("a time");
    let mean = (101.0_f64 * 110.0 * 105.0).cbrt() * 1e4;
    assert!((timing.median_ns / mean - 1.0).abs() < 1e-9 && timing.runs == 3, "{timing:?}");
    assert_eq!(verdicts(&got), [Some(Verdict::Unclear)], "runs that scatter by 5 % do not settle 5 %");
    // A copy of a run adds no information.
    let twice = [others[0].clone(), others[0].clone()];
    assert_eq!(compare(&a, &twice).cases[0].timing(1).map(|timing| timing.runs), Some(1));
}

#[test]
fn runs_of_an_older_kernel_are_not_pooled_with_newer_ones() {
    let at = |date: &str, hash: &str, median: f64| Record {
        date: date.into(),
        shader_hash: hash.into(),
        ..row("tiled", median)
    };
    let skipped = Record { status: Status::Skipped, shader_hash: String::new(), ..at("4", "", 1.0) };
    let all = [at("2", "new", 100.0), at("1", "old", 200.0), at("3", "new", 102.0), skipped];
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
        let reports = order.map(|index| Report { name: index.to_string(), records: vec![all[index].clone()] });
        let got = compare(&reports, &[]);
        let timing = got.cases[0].timing(0).expect("a time");
        assert!((timing.median_ns / 101e4 - 1.0).abs() < 1e-3 && timing.runs == 2, "{timing:?}");
    }
    let by_host = Record { timer: Some(Clock::Wall), ..at("5", "new", 300.0) };
    let reports = report("a", &[all[0].clone(), by_host]);
    assert_eq!(compare(&reports, &[]).cases[0].timing(0).map(|timing| timing.median_ns), Some(300e4_f64.ln().exp()));
}

#[test]
fn a_fault_in_one_of_several_runs_is_not_pooled_away() {
    let a = report("a", &[row("tiled", 100.0)]);
    let wrong = Record { status: Status::Wrong, date: "3".into(), ..row("tiled", 100.0) };
    let b = report("b", &[later(row("tiled", 100.0)), wrong]);
    let got = compare(&a, &b);
    assert_eq!(got.cases[0].entries.get(1).map(Entry::status), Some(Status::Wrong));
    assert_eq!(verdicts(&got), [None]);
}

#[test]
fn each_side_meets_the_baseline_of_its_api() {
    let through =
        |api: &str, device: &str| Record { backend: Api::named(api), device: device.into(), ..row("tiled", 100.0) };
    let both = [through("vulkan", "H200"), through("cuda", "H200")];
    let pairs = |got: &Comparison| got.matches.iter().map(|of| (of.baseline, of.side)).collect::<Vec<_>>();
    let (a, b) = (report("a", &both), report("b", &both));
    assert_eq!(pairs(&compare(&a, &b)), [(0, 2), (1, 3)]);
    assert_eq!(pairs(&compare(&a, &[])), [(1, 0)], "of a single report, WGSL against CUDA");
    let soft = report("b", &[through("vulkan", "llvmpipe")]);
    assert_eq!(pairs(&compare(&a, &soft)), [(1, 0), (0, 2)]);
    assert_eq!(pairs(&compare(&soft, &a)), [(0, 1), (0, 2)]);
}

#[test]
fn cards_and_sets_of_apis_are_sides_of_their_own() {
    let on = |card: &str, apis: &str| Record { card: card.into(), apis: apis.into(), ..row("tiled", 100.0) };
    let all = [on("GPU-1", "vulkan"), on("GPU-2", "vulkan"), on("GPU-1", "vulkan+cuda"), on("GPU-1", "vulkan")];
    let a = report("a", &all);
    let got = compare(&a, &[]);
    assert_eq!(got.sides.len(), 3, "the last row is a copy of the first");
    let b = report("b", &[later(on("GPU-2", "vulkan")), later(on("GPU-1", "vulkan+cuda")), later(on("GPU-3", "cuda"))]);
    let pairs: Vec<_> = compare(&a, &b).matches.iter().map(|of| (of.baseline, of.side)).collect();
    assert_eq!(pairs, [(1, 3), (2, 4), (0, 5)]);
}

#[test]
fn a_regression_past_the_limit_is_certain_or_merely_possible() {
    let a = report("a", &["certain", "vague", "small", "clock", "host", "unknown"].map(|name| row(name, 100.0)));
    let host = Record { timer: Some(Clock::Wall), ..row("host", 100.0) };
    let a = [Report { records: [&a[0].records[..4], &[host], &a[0].records[5..]].concat(), ..a[0].clone() }];
    let other_clock = Record { timer: Some(Clock::Wall), ..row("clock", 200.0) };
    let by_host = Record { timer: Some(Clock::Wall), ..row("host", 200.0) };
    let unknown = without_epochs(row("unknown", 130.0));
    let slow =
        [row("certain", 110.0), noisy_row("vague", 104.0, 0.05), row("small", 101.0), other_clock, by_host, unknown];
    let b = report("b", &slow.map(later));
    let got = compare(&a, &b);
    let found: Vec<_> =
        got.regressions(0.05).iter().map(|one| (one.case.row.benchmark.as_str(), one.is_certain)).collect();
    assert_eq!(found, [("certain", true), ("vague", false), ("clock", false), ("host", false), ("unknown", false)]);
    assert!(got.regressions(0.12).iter().all(|one| !one.is_certain), "past 5 % is not past 12 %");
    assert_eq!(compare(&b, &a).regressions(0.0).iter().filter(|one| one.is_certain).count(), 0, "all are faster");
}

#[test]
fn sides_that_are_not_certainly_slower_than_the_best_are_fastest_too() {
    let on = |device: &str, time: f64| Record { device: device.into(), ..row("tiled", time) };
    let a = report("a", &[on("one", 100.0)]);
    let b = report("b", &[on("two", 100.1), on("three", 140.0)]);
    let got = compare(&a, &b);
    assert_eq!(got.cases[0].fastest, [0, 1]);
    assert!(compare(&a, &[]).cases[0].fastest.is_empty(), "alone is not best");
    let c = report("c", &[without_epochs(on("two", 101.0)), without_epochs(on("three", 140.0))]);
    assert_eq!(compare(&a, &c).cases[0].fastest, [0, 1], "without an interval, by the margin");
}

#[test]
fn families_have_their_own_means() {
    let family = |name: &str, record: Record| Record { family: name.into(), ..record };
    let a = report("a", &[row("x", 100.0), family("scan", row("x", 100.0)), row("y", 100.0)]);
    let b = [row("x", 50.0), row("y", 200.0), family("scan", row("x", 25.0))].map(later);
    let b = report("b", &b);
    let got = compare(&a, &b);
    let mean = |family| got.tally(0, family).mean.expect("cases").value;
    assert!((mean(Some("transpose")) - 1.0).abs() < 1e-12);
    assert!((mean(Some("scan")) - 4.0).abs() < 1e-12);
    assert!((mean(None) - 4.0_f64.cbrt()).abs() < 1e-12);
    assert_eq!(got.tally(0, None).verdicts, [2, 1, 0, 0]);
    let order: Vec<_> = got.cases.iter().map(|case| case.row.family.as_str()).collect();
    assert_eq!(order, ["transpose", "transpose", "scan"]);
}

#[test]
fn reports_without_rows_compare_to_nothing() {
    let empty = report("a", &[]);
    let got = compare(&empty, &empty);
    assert!(got.sides.is_empty() && got.matches.is_empty() && got.cases.is_empty() && got.regressions(0.0).is_empty());
}

#[test]
fn each_compiler_is_a_side_and_the_built_in_one_needs_no_name() {
    let compiled = |compiler: &str, time: f64| Record {
        compiler: compiler.into(),
        compiler_version: "30".into(),
        ..row("tiled", time)
    };
    let old = report("old", &[row("tiled", 100.0)]);
    let new = [later(compiled("naga", 50.0)), later(compiled("tint", 200.0))];
    let new_report = report("new", &new);
    let got = compare(&old, &new_report);
    let sides: Vec<_> = got.sides.iter().map(|side| (side.is_baseline, side.compiler)).collect();
    assert_eq!(sides, [(true, ["", ""]), (false, ["", ""]), (false, ["tint", "30"])]);
    let ratios: Vec<f64> = got.cases[0].pairs.values().map(|pair| pair.ratio.value).collect();
    assert!((ratios[0] - 2.0).abs() < 1e-9 && (ratios[1] - 0.5).abs() < 1e-9, "{ratios:?}");
    // Each compiler is compared with itself.
    let later_new: Vec<Record> = new.iter().map(|row| Record { date: "2026-11-22".into(), ..row.clone() }).collect();
    let later_report = report("later", &later_new);
    let both = compare(&new_report, &later_report);
    assert_eq!(both.matches.len(), 2);
    assert!(both.matches.iter().all(|of| both.sides[of.baseline].compiler == both.sides[of.side].compiler));
    // In the same run they took turns.
    let (one, other) = (report("a", &new[..1]), report("b", &new[1..]));
    let turns = compare(&one, &other);
    assert!(turns.cases[0].pairs.get(0).expect("both").has_turns);
}

#[test]
fn cases_that_differ_by_their_caches_are_counted_and_not_compared() {
    use crate::compare::text::{OutputFormat, Sort, View, write};
    use crate::report::Terminal;
    let cold = |benchmark: &str| Record { params: [("COLD".to_owned(), 1.0)].into(), ..row(benchmark, 60.0) };
    let a = report("a", &[row("naive", 100.0), row("tiled", 50.0), row("wide", 50.0)]);
    let b = report("b", &[later(row("naive", 100.0)), cold("tiled"), cold("vec4")]);
    let got = compare(&a, &b);
    let view = |has_all_rows: bool| View {
        terminal: Terminal { width: 400, has_color: false },
        sort: Sort::Family,
        has_all_rows,
        by_kernel: &[],
        limit: None,
    };
    let text = write(&got, view(false), OutputFormat::Table);
    assert!(text.contains("2 of them with hot caches on one side and cold caches on the other;"), "{text}");
    let text = write(&got, view(true), OutputFormat::Table);
    let expected = "Not compared, hot caches on one side and cold caches on the other: 2 cases: transpose/tiled \
                    f32 2^10, transpose/tiled f32 2^10 cold.";
    assert!(text.contains(expected), "{text}");
}
