//! The page's data, from planted rows: sides and their names, matches, ceilings, levels, the first screen.

use serde_json::{Value, json};

use answers::compare::{Report, Rules};
use answers::page::{Kernel, data, page, sides, sides_by, unpacked};
use answers::report::Terminal;
use answers::summary::card;
use kernels::cache_curve;
use record::suite::{Api, DeviceType, Dtype, Extent};
use record::{Bound, Clock, Record, Status};

fn row(backend: &str, benchmark: &str, median_ns: f64) -> Record {
    Record {
        device: "Fake 9000".to_owned(),
        backend: Api::named(backend),
        family: "transpose".to_owned(),
        benchmark: benchmark.to_owned(),
        dtype: Some(Dtype::F32),
        n: Some(Extent::Matrix(8, 8)),
        timer: Some(Clock::Timestamp),
        median_ns: Some(median_ns),
        ci_low_ns: Some(median_ns * 0.99),
        ci_high_ns: Some(median_ns * 1.02),
        bytes: Some(512),
        share: Some(0.5),
        ceiling: Bound::parse("copy 1 KiB"),
        ..Record::default()
    }
}

fn report(records: Vec<Record>) -> Vec<Report> {
    vec![Report { name: "r.csv".to_owned(), records }]
}

fn value(reports: &[Report]) -> Value {
    let comparison = sides(reports);
    serde_json::to_value(data(&comparison)).expect("JSON")
}

#[test]
fn the_apis_of_a_device_are_sides_that_stand_against_each_other() {
    let skipped =
        Record { status: Status::Skipped, reason: "no twin".to_owned(), median_ns: None, ..row("cuda", "c", 1.0) };
    let twin = Record { epochs_ns: vec![0.997e6, 1e6, 1e6, 1e6 / 0.997], ..row("cuda", "a", 1e6) };
    let first = Record { epochs_ns: twin.epochs_ns.iter().map(|ns| 2.0 * ns).collect(), ..row("vulkan", "a", 2e6) };
    let rows = vec![first, row("vulkan", "c", 7e5), twin, skipped];
    let value = value(&report(rows));
    let texts = |index: &Value| value["texts"][index.as_u64().expect("a index") as usize].clone();
    let [vulkan, cuda] = [&value["sides"][0], &value["sides"][1]];
    assert_eq!((&vulkan["api"], &cuda["api"]), (&json!("Vulkan"), &json!("CUDA")));
    assert_eq!(vulkan["rows"]["case"], json!([[0, 2]]));
    assert_eq!(vulkan["rows"]["median_ns"], json!([2_000_000, 700_000]));
    assert_eq!((&vulkan["rows"]["below"], &vulkan["rows"]["above"]), (&json!([39, 100]), &json!([39, 200])));
    assert_eq!(cuda["rows"]["median_ns"], json!([1_000_000, null]));
    assert_eq!(cuda["statuses"], json!([["ok", 1], ["skipped", 1]]));
    let note = &cuda["rows"]["notes"][0];
    assert_eq!((&note[0], &note[1], texts(&note[2])), (&json!(1), &json!("skipped"), json!("no twin")));
    let pair = &value["matches"][0];
    assert_eq!((&pair["baseline"], &pair["side"], &pair["is_one_device"]), (&json!(0), &json!(1), &json!(true)));
    assert_eq!((&pair["case"], &pair["ratio"], &pair["verdict"]), (&json!([[0, 1]]), &json!([2]), &json!("f")));
    assert_eq!(pair["reach"], json!([42]));
    assert_eq!(pair["means"]["cases"], json!([1, 1, 1]), "all, the family, the benchmark");
    assert_eq!(vulkan["findings"], json!([]));
}

#[test]
fn the_first_screen_of_a_model_shows_the_median_of_its_cards() {
    // A copy of 2^28 floats; the newest card is neither the fastest nor the median one.
    let copy = |card: &str, date: &str, ns: f64| Record {
        card: card.to_owned(),
        date: date.to_owned(),
        n: Some(Extent::Matrix(16384, 16384)),
        bytes: Some(1 << 31),
        gb_per_s: Some(f64::from(1_u32 << 31) / ns),
        epochs_ns: vec![ns; 4],
        ..row("vulkan", "copy", ns)
    };
    let card = |name: &str| format!("GPU-{name}{name}{name}{name}{name}{name}{name}{name}-1111-2222-3333-444444444444");
    let rows = [("a", "2026-11-01", 2e6), ("b", "2026-11-02", 1e6), ("c", "2026-11-03", 4e6)]
        .map(|(name, date, ns)| copy(&card(name), date, ns));
    let reports = report(rows.to_vec());
    let rules = Rules { is_by_model: true, ..Rules::default() };
    let comparison = sides_by(&rules, &reports);
    let value = serde_json::to_value(data(&comparison)).expect("JSON");
    assert_eq!(value["sides"][0]["cards"], json!(3));
    let line = &value["screen"]["table"][0];
    assert_eq!((&line["name"], &line["cells"][0]["text"]), (&json!("transpose"), &json!("1.07 TB/s")));
}

#[test]
fn a_job_has_the_words_of_the_summary_about_the_vendor_s_library() {
    let timed = |api: &str, benchmark: &str, ns: f64| Record { gb_per_s: Some(512.0 / ns), ..row(api, benchmark, ns) };
    let rows = vec![timed("vulkan", "tiled", 300.0), timed("cuda", "cublas", 200.0)];
    let library = |rows: &[Record]| {
        let job = value(&report(rows.to_vec()))["screen"]["card"]["jobs"][0].clone();
        (job["name"].clone(), job["library"].clone())
    };
    let terminal = Terminal { width: 80, has_color: false };
    assert_eq!(library(&rows), (json!("transpose"), json!("cuBLAS 1.50× ±7 % faster")));
    assert!(card(&rows, &[], terminal).contains("libraries   cuBLAS 1.50× ±7 % faster in transpose\n"));
    assert_eq!(library(&rows[..1]), (json!("transpose"), json!("")));
}

#[test]
fn what_two_clocks_timed_is_not_compared() {
    let by_host = Record { timer: Some(Clock::Wall), ..row("cuda", "a", 100.0) };
    assert_eq!(value(&report(vec![row("vulkan", "a", 200.0), by_host]))["matches"], json!([]));
}

#[test]
fn ceilings_are_those_of_the_largest_working_set() {
    let rung = |bytes: u64, gb: f64, share: f64| Record {
        family: "ceiling".to_owned(),
        n: Some(Extent::Linear(bytes)),
        bytes: Some(bytes),
        gb_per_s: Some(gb),
        share: Some(share),
        ..row("vulkan", "copy", 10.0)
    };
    let value = value(&report(vec![rung(1 << 20, 900.0, 1.0), rung(1 << 30, 400.0, 0.8), rung(1 << 25, 700.0, 1.0)]));
    let ceiling = json!({
        "limit": "copy", "scalar": null, "bytes": 1 << 30, "gb_per_s": 400, "gflop_per_s": null, "roof": null,
        "ns": null, "text": "400 GB/s ±5 %",
    });
    assert_eq!(value["sides"][0]["ceilings"], json!([ceiling]));
}

#[test]
fn a_level_at_the_end_of_the_curve_has_no_size() {
    let latency = |words: u64, ns: f64| Record {
        family: "cache_curve".to_owned(),
        n: Some(Extent::Linear(words)),
        epochs_ns: vec![1.0; 3],
        ..row(
            "vulkan",
            "latency",
            ns * cache_curve::steps(cache_curve::cycle(words), &std::collections::BTreeMap::new()) as f64,
        )
    };
    let reading = |largest: u64| {
        let small = (9..13).map(|power| (1 << power, 20.0));
        let large = (0..4).map(|power| (largest >> power, 300.0));
        let rows = small.chain(large).map(|(words, ns)| latency(words, ns)).collect();
        value(&report(rows))["sides"][0]["levels"].clone()
    };
    let level = |name: &str, size: Value, inside: [u64; 2], ns: u64| {
        json!({
            "name": name, "at_least": size[0], "at_most": size[1], "inside": inside, "gb_per_s": null, "text": null,
            "latency_ns": ns,
        })
    };
    let levels = |largest: u64, name: &str| {
        // Working sets at a level's edges do not count as inside.
        let first = level("level 1", json!([16384, largest >> 1]), [2048, 8192], 20);
        json!([first, level(name, json!([null, null]), [2 * largest, 4 * largest], 300)])
    };
    assert_eq!(reading(1 << 20), levels(1 << 20, "level 2 or DRAM"));
    assert_eq!(reading(1 << 27), levels(1 << 27, "DRAM"));
}

fn on(card: &str, api: &str, date: &str) -> Record {
    Record { card: card.to_owned(), apis: "cuda+vulkan".to_owned(), date: date.to_owned(), ..row(api, "a", 1e6) }
}

/// The pairs of sides of the page's matches: baseline, side, and whether they are one card.
fn pairs(reports: &[Report]) -> Vec<(u64, u64, bool)> {
    let value = value(reports);
    let index = |of: &Value, key: &str| of[key].as_u64().expect("an index");
    let matches = value["matches"].as_array().expect("matches");
    let pair = |of: &Value| (index(of, "baseline"), index(of, "side"), of["is_one_device"] == true);
    matches.iter().map(pair).collect()
}

#[test]
fn apis_are_compared_on_one_card_and_cards_with_each_other() {
    let [monday, tuesday] = ["2026-11-23T01:00:00Z", "2026-11-24T01:00:00Z"];
    // Two cards of one model. A run names a card by its PCI address through Vulkan, and by its UUID through CUDA.
    let first = report(vec![on("0000:01:00.0", "vulkan", monday), on("GPU-1", "cuda", monday)]);
    let second = report(vec![on("card-2", "vulkan", tuesday), on("card-2", "cuda", tuesday)]);
    let apis =
        |pairs: &[(u64, u64, bool)]| -> Vec<_> { pairs.iter().copied().filter(|(.., is_one)| *is_one).collect() };
    let found = pairs(&[first.clone(), second.clone()].concat());
    assert_eq!(apis(&found), [(0, 1, true), (2, 3, true)], "each API with that of its own card");
    assert_eq!(found[2..], [(0, 2, false)], "the cards once, through one API");
    // A Vulkan-only run matches no CUDA run of another card.
    let alone = report(vec![on("card-3", "vulkan", tuesday)]);
    let cuda = report(vec![on("GPU-4", "cuda", monday)]);
    assert_eq!(apis(&pairs(&[alone, cuda].concat())), []);
}

#[test]
fn the_cpu_tells_devices_without_a_card_and_software_comes_last() {
    let on_host = |cpu: &str, api: &str, is_software: bool| Record {
        device: if is_software { "llvmpipe" } else { "GPU" }.to_owned(),
        device_type: is_software.then_some(DeviceType::Software),
        cpu: cpu.to_owned(),
        driver: cpu.to_owned(),
        ..row(api, "a", 1e6)
    };
    let rows = vec![
        on_host("A", "vulkan", true),
        on_host("B", "vulkan", true),
        on_host("A", "gl", true),
        on_host("B", "gl", true),
    ];
    assert_eq!(pairs(&report(rows.clone()))[..2], [(0, 2, true), (1, 3, true)]);
    let mut rows = rows[..2].to_vec();
    rows.extend([on_host("A", "vulkan", false), on_host("B", "cuda", false)]);
    let found = pairs(&report(rows));
    assert_eq!((found[0], found.len()), ((2, 3, false), 6), "hardware first, every pair: {found:?}");
}

#[test]
fn names_are_short_and_tell_every_side() {
    let names = |reports: &[Report]| -> Vec<String> {
        let value = value(reports);
        let sides = value["sides"].as_array().expect("sides");
        sides.iter().map(|side| side["name"].as_str().expect("a name").to_owned()).collect()
    };
    let [monday, tuesday] = ["2026-11-23T01:00:00Z", "2026-11-24T01:00:00Z"];
    let both = report(vec![on("card-1", "vulkan", monday), on("card-1", "cuda", monday)]);
    assert_eq!(names(&both), ["Fake 9000 · Vulkan", "Fake 9000 · CUDA"]);
    let alone = Record { apis: "vulkan".to_owned(), ..on("card-1", "vulkan", monday) };
    let other = Report { name: "s.csv".to_owned(), records: vec![alone, on("card-2", "vulkan", tuesday)] };
    let expected = [
        "Fake 9000 A, 23 Nov · Vulkan (with CUDA)",
        "Fake 9000 A, 23 Nov · CUDA",
        "Fake 9000 A, 23 Nov · Vulkan (alone)",
        "Fake 9000 B, 24 Nov · Vulkan",
    ];
    assert_eq!(names(&[both, vec![other]].concat()), expected);
}

#[test]
fn the_page_holds_every_part_once_and_no_markup_of_a_report() {
    let evil = "{{script}}</script><script>alert(1)</script>&\u{2028}";
    let reports = report(vec![Record { device: evil.to_owned(), ..row("vulkan", "a", 1.0) }]);
    let comparison = sides(&reports);
    let kernels = [Kernel { name: "a/b".to_owned(), wgsl: "</script>", cuda: "", texts: Vec::new() }];
    let page = page(&data(&comparison), &kernels);
    assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (4, 4));
    assert_eq!((page.matches("--c0: ").count(), page.contains("alert(1)<")), (3, false), "the style once");
    let part = |id: &str| -> Value { serde_json::from_str(&unpacked(&page, id).expect(id)).expect("JSON") };
    assert_eq!(part("report-data")["sides"][0]["device"], evil, "as it was");
    assert_eq!(part("report-kernels")[0]["wgsl"], "</script>");
    assert!(unpacked(&page, "report-script").is_some_and(|script| script.contains("return { render };")));
    assert!(page.contains("<title>{{script}}&lt;/script&gt;"), "the title is text");
}
