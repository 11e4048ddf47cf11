//! The table as people see it, at 80 and 200 columns.

use answers::report::table::line;
use answers::report::{Medium, Section, Terminal, json};
use answers::{tables, write};
use record::claim::{Finding, Stated};
use record::suite::Extent;
use record::suite::parse_params;
use record::suite::{Api, Dtype};
use record::{Bound, Clock, Record, Status};

fn statement(text: &str) -> Finding {
    Finding { given: String::new(), stated: vec![Stated { text: text.to_owned(), values: Vec::new() }] }
}

fn row(benchmark: &str, params: &str, median_ns: f64, share: f64) -> Record {
    Record {
        family: "transpose".into(),
        benchmark: benchmark.into(),
        dtype: Some(Dtype::F32),
        n: Some(Extent::Matrix(8192, 8192)),
        params: parse_params(params).expect("parameters"),
        median_ns: Some(median_ns),
        min_ns: Some(median_ns * 0.99),
        ci_low_ns: Some(median_ns * 0.995),
        ci_high_ns: Some(median_ns * 1.005),
        samples: Some(10),
        launches: Some(3),
        gb_per_s: Some(536_870_912.0 / median_ns),
        ceiling: Bound::parse("copy 512 MiB"),
        share: Some(share),
        ..Record::default()
    }
}

fn rows() -> Vec<Record> {
    let mut drifting = row("tiled", "PAD=1", 160_123.0, 0.787);
    drifting.reason = "device speed drifted by 7 %".into();
    let mut impossible = row("tiled_vec4", "", 98_000.0, 1.29);
    impossible.status = Status::Implausible;
    impossible.reason = "129 % of the ceiling 'copy 512 MiB': no kernel can be that fast".into();
    let within = |low: f64, high: f64, row: Record| Record { share_low: Some(low), share_high: Some(high), ..row };
    let mut end_to_end = row("a_name_that_is_far_too_long_for_it", "PAD=1;TILE=32", 2_036_000_000.0, 0.004);
    end_to_end.end_to_end_ns = Some(3.2e9);
    let without = |benchmark: &str, n: &str, status, reason: &str| Record {
        family: "transpose".into(),
        benchmark: benchmark.into(),
        dtype: Some(Dtype::F64),
        n: Extent::parse(n).ok(),
        status,
        reason: reason.into(),
        ..Record::default()
    };
    vec![
        within(0.1206, 0.1222, row("naive_coalesced_read", "", 1_037_000.0, 0.1214)),
        within(0.28, 0.5, row("tiled", "PAD=0", 316_600.0, 0.378)),
        drifting,
        impossible,
        end_to_end,
        without("tiled", "2048x2048", Status::Skipped, "the device has no f64 in shaders"),
        without("tiled_vec4", "2048x2048", Status::Skipped, "the device has no f64 in shaders"),
        without("naive_coalesced_read", "1048576", Status::Wrong, "element 5 is NaN, must be 0.25"),
    ]
}

fn drawn(width: usize, has_color: bool) -> String {
    drawn_of(&rows(), width, has_color)
}

fn drawn_of(rows: &[Record], width: usize, has_color: bool) -> String {
    tables(&[section_of(rows)], Terminal { width, has_color })
}

fn section_of(rows: &[Record]) -> Section<'_> {
    Section {
        title: "transpose",
        summary: "the transpose of a matrix",
        findings: vec![(
            Api::Vulkan.into(),
            statement("Of 8192x8192 f32, the naive transpose that coalesces its writes wins by 3.15×; and so on."),
        )],
        rows: rows.iter().collect(),
        is_by_kernel: false,
    }
}

#[test]
fn table_in_markdown() {
    let rows = rows();
    insta::assert_snapshot!(write(&[section_of(&rows)], Medium::Markdown));
}

#[test]
fn table_at_80_columns() {
    let text = drawn(80, false);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn a_kernel_that_does_more_work_is_as_fast_as_its_rate() {
    let work = |benchmark: &str, params: &str, median_ns: f64, bytes: f64| Record {
        gb_per_s: Some(bytes / median_ns),
        share: None,
        ..row(benchmark, params, median_ns, 0.0)
    };
    let rows = [
        work("copy", "ROUNDS=4", 1000.0, 4e6),
        work("copy", "ROUNDS=32", 4000.0, 32e6),
        work("triad", "ROUNDS=4", 1500.0, 6e6),
    ];
    let text = drawn_of(&rows, 80, false);
    let speeds: Vec<_> =
        text.lines().filter(|line| line.ends_with('×')).filter_map(|line| line.split(' ').next_back()).collect();
    assert_eq!(speeds, ["1.00×", "2.00×", "0.667×"], "{text}");
    assert!(!text.contains("ceiling"), "no row has one:\n{text}");
}

#[test]
fn loads_that_wait_for_each_other_have_the_time_of_one_as_their_rate() {
    let latency = Record {
        family: "memory_spaces".into(),
        bytes: Some(4_000),
        share: None,
        ..row("storage_latency", "STEPS=1000", 23_824.0, 0.0)
    };
    assert!(drawn_of(&[latency], 80, false).contains("  23.8 ns/load  "));
}

#[test]
fn table_at_200_columns() {
    let text = drawn(200, false);
    assert!(text.lines().all(|line| line.chars().count() <= 200), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn a_model_stands_beside_the_measured_speed() {
    let mut rows = rows();
    rows.truncate(2);
    rows[0].model = Some(1.0);
    rows[1].model = Some(0.03125);
    let text = drawn_of(&rows, 80, false);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn colours_change_nothing_but_colours() {
    let mut plain = String::new();
    let mut is_code = false;
    for c in drawn(80, true).chars() {
        match c {
            '\u{1b}' => is_code = true,
            'm' if is_code => is_code = false,
            _ if !is_code => plain.push(c),
            _ => {}
        }
    }
    let trimmed = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    assert_eq!(trimmed(&plain), trimmed(&drawn(80, false)));
    assert!(!drawn(80, false).contains('\u{1b}'));
}

#[test]
fn rows_as_they_land() {
    insta::assert_snapshot!(rows().iter().map(line).collect::<Vec<_>>().join("\n"));
}

#[test]
fn json_holds_every_column_and_every_sample() {
    let mut record = rows().swap_remove(0);
    (record.all_samples_ns, record.epoch_samples) = (vec![1.5, 2.5], vec![2]);
    let value: serde_json::Value = serde_json::from_slice(&json::write(&[record])).expect("JSON");
    assert_eq!(value[0]["median_ns"], 1_037_000.0);
    assert_eq!(value[0]["samples_ns"], serde_json::json!([1.5, 2.5]));
    assert_eq!(value[0]["epoch_samples"], serde_json::json!([2]));
    assert_eq!(value[0]["drift"], serde_json::Value::Null);
    let keys = value[0].as_object().expect("an object").len();
    assert_eq!(keys, record::COLUMNS.len() + 2);
}

/// Rows of one card on each of `apis`: each case, as `change` makes it for the API.
fn through(apis: &[&str], change: impl Fn(&mut Record)) -> Vec<Record> {
    let row = |family: &str, benchmark: &str, n: &str, median_ns: f64| Record {
        family: family.into(),
        n: Extent::parse(n).ok(),
        timer: Some(Clock::Timestamp),
        ..row(benchmark, "", median_ns, 0.5)
    };
    let cases = [
        row("transpose", "naive", "8192x8192", 1_037_000.0),
        row("transpose", "tiled", "8192x8192", 316_600.0),
        row("transpose", "tiled_vec4", "8192x8192", 158_000.0),
        row("transpose", "tiled_vec4", "2048x2048", 12_300.0),
        row("matmul", "naive", "512x512x512", 2_036_000.0),
        row("matmul", "tiled", "512x512x512", 1_036_000.0),
        row("matmul", "a_name_that_is_far_too_long_for_it", "512x512x512", 900_000.0),
        row("matmul", "blocked", "512x512x512", 500_000.0),
        row("transfer", "upload", "65536", 81_000.0),
    ];
    let each = |case: &Record| {
        let of = |api: &&str| {
            let mut record = Record { backend: Api::named(api), ..case.clone() };
            change(&mut record);
            record
        };
        apis.iter().map(of).collect::<Vec<_>>()
    };
    cases.iter().flat_map(each).collect()
}

/// CUDA is faster or slower, lacks something, breaks, is too fast to be true, and is timed by another clock.
fn as_cuda(record: &mut Record) {
    if record.backend != Some(Api::Cuda) {
        return;
    }
    let (family, benchmark, size) = (record.family.clone(), record.benchmark.clone(), record.size());
    let mut faster = |factor: f64| {
        for time in [&mut record.median_ns, &mut record.ci_low_ns, &mut record.ci_high_ns] {
            *time = time.map(|ns| ns / factor);
        }
        for figure in [&mut record.gb_per_s, &mut record.share] {
            *figure = figure.map(|figure| figure * factor);
        }
    };
    let mut ends = |status, reason: &str| {
        record.status = status;
        record.reason = reason.into();
    };
    match (family.as_str(), benchmark.as_str(), size.as_str()) {
        ("transpose", "naive", _) => faster(1.07),
        ("transpose", "tiled", _) => faster(0.91),
        ("transpose", "tiled_vec4", "8192x8192") => faster(1.001),
        ("transpose", ..) => {
            ends(Status::Skipped, "transpose/tiled_vec4 has no CUDA port");
            (record.median_ns, record.ci_low_ns, record.ci_high_ns) = (None, None, None);
        }
        ("matmul", "tiled", _) => {
            faster(9.0);
            ends(Status::Implausible, "450 % of the ceiling 'fma f32': no kernel can be that fast");
        }
        ("matmul", "blocked", _) => {
            ends(Status::Wrong, "element 5 is NaN, must be 0.25");
            (record.median_ns, record.ci_low_ns, record.ci_high_ns) = (None, None, None);
        }
        ("matmul", "naive", _) => {
            faster(12.5);
            ends(Status::Ok, "device speed drifted by 7 %");
        }
        ("matmul", ..) => faster(0.04),
        ("transfer", ..) => record.timer = Some(Clock::Wall),
        _ => {}
    }
}

fn against(apis: &[&str], width: usize) -> String {
    let records = through(apis, as_cuda);
    let section = |family: &'static str, summary: &'static str, findings: &[(&str, &str)]| Section {
        title: family,
        summary,
        findings: findings.iter().filter_map(|(api, text)| Some((Api::named(api)?.into(), statement(text)))).collect(),
        rows: records.iter().filter(|record| record.family == family).collect(),
        is_by_kernel: false,
    };
    let wins = [("vulkan", "Tiled wins by 3.28×."), ("cuda", "Tiled wins by 2.78×.")];
    let sections = [
        section("transpose", "the transpose of a matrix", &wins),
        section("matmul", "products of matrices", &apis.iter().map(|api| (*api, "All say this.")).collect::<Vec<_>>()),
        section("transfer", "copies between host and device", &[]),
    ];
    let text = tables(&sections, Terminal { width, has_color: false });
    assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
    text
}

#[test]
fn each_api_has_its_own_table() {
    insta::assert_snapshot!(against(&["vulkan", "cuda"], 80));
}

#[test]
fn rows_of_one_api_name_no_other() {
    let text = against(&["cuda"], 80);
    assert!(!text.contains("Ratios of") && text.contains("of ceiling"), "{text}");
}
