//! The HTML report, looked at by a headless Chromium: what it draws, how it is used, and that it is one file that trusts no name.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::browser::Browser;
use shaderbench::backend::Api;
use shaderbench::report::{csv, json};
use shaderbench::results::{Record, Status};
use shaderbench::suite::Dtype;
use shaderbench::suite::Extent;

const H200: &str = "results/nvidia-h200/2026-11-22-vulkan+cuda.csv";
const LLVMPIPE: &str = "results/llvmpipe-llvm-15-0-6-256-bits/2026-11-21-vulkan.csv";

/// Every chart that the committed reports, and a JSON report with samples, give rise to.
const CHARTS: &[&str] = &[
    "reduction",
    "transpose",
    "ladders",
    "over-size",
    "roofline",
    "cache-latency",
    "cache-bandwidth",
    "bank-conflict",
    "coalescing-stride",
    "coalescing-offset",
    "occupancy",
    "transfer",
    "apis",
    "devices-against",
    "safety",
    "scatter",
];

fn shaderbench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_shaderbench")).args(arguments).output().expect("the program runs")
}

/// The page of `reports`, in `folder`.
fn page(folder: &Path, reports: &[&str]) -> PathBuf {
    let out = folder.join("report.html");
    let path = out.to_str().unwrap();
    let done = shaderbench(&[&["report", "--force", "--out", path], reports].concat());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(String::from_utf8_lossy(&done.stdout), format!("{path}\n"));
    out
}

/// A copy of a report's rows through CUDA with samples, as a JSON report.
fn with_samples(folder: &Path) -> PathBuf {
    let mut records = csv::open(Path::new(H200)).expect("a report").records;
    records.retain(|record| record.backend == Some(Api::Cuda) && record.median_ns.is_some());
    for (place, record) in records.iter_mut().enumerate() {
        let median = record.median_ns.unwrap();
        let width = 0.001 * (place % 40) as f64;
        record.all_samples_ns = (-10..=10).map(|step| median * (1.0 + width * f64::from(step) / 10.0)).collect();
    }
    let path = folder.join("samples.json");
    std::fs::write(&path, json::write(&records)).expect("written");
    path
}

/// What went wrong in the page, and what it asked the network for.
fn complaints(browser: &Browser) -> Vec<String> {
    let is_own = |url: &str| url.starts_with("file://") && url.ends_with("/report.html");
    let events = browser.events.iter().filter(|event| match event["method"].as_str().unwrap_or_default() {
        "Network.requestWillBeSent" => !is_own(event["params"]["request"]["url"].as_str().unwrap_or_default()),
        "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded" | "Page.javascriptDialogOpening" => {
            true
        }
        _ => false,
    });
    events.map(ToString::to_string).collect()
}

/// Charts that are shown: their names, how many marks each picture has, and what stands outside of its frame.
const SURVEY: &str = r#"[...document.querySelectorAll("figure.chart:not([hidden])")].map(figure => {
  const box = figure.getBoundingClientRect();
  const plots = [...figure.querySelectorAll(".plots > svg")];
  const marks = svg => [...svg.querySelectorAll("[aria-label=bar] rect, [aria-label=dot] :is(path, circle), [aria-label=line] path")];
  const isOutside = element => { const own = element.getBoundingClientRect(); return own.width + own.height > 0 &&
    (own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top || own.bottom > box.bottom); };
  return { id: figure.id, marks: plots.map(svg => marks(svg).length),
    outside: plots.flatMap(svg => [...marks(svg), ...svg.querySelectorAll("text")].filter(isOutside).map(element => element.outerHTML.slice(0, 200))),
    unnamed: plots.filter(svg => svg.getAttribute("role") !== "img" || !svg.getAttribute("aria-label")).length,
    isTitled: Boolean(figure.querySelector("figcaption h3").textContent),
    isWide: plots.some(svg => svg.getBoundingClientRect().width > box.width) };
})"#;

/// Takes every choice of every chart; gives those after which a chart is gone, has no marks, or passes its frame.
const CHOICES: &str = r#"[...document.querySelectorAll("figure.chart:not([hidden])")].flatMap(figure =>
  [...figure.querySelectorAll(".controls select")].flatMap(select => {
    const first = select.value;
    const choose = value => { select.value = value; select.dispatchEvent(new Event("change")); };
    const faults = [...select.options].map(option => option.value).flatMap(value => {
      choose(value);
      const { marks, outside } = SURVEY.find(({ id }) => id === figure.id) ?? { marks: [0], outside: [] };
      return marks.every(count => count > 1) && outside.length === 0 ? [] : [`${figure.id}: ${value}: ${marks} marks, outside: ${outside}`];
    });
    choose(first);
    return faults;
  }))"#;

#[test]
fn every_chart_of_the_committed_reports_is_drawn_without_an_error_or_a_request() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let samples = with_samples(folder.path());
    let page = page(folder.path(), &[H200, LLVMPIPE, samples.to_str().unwrap()]);
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page");
    std::fs::create_dir_all(&pictures).expect("a folder");
    browser.look(1280, false);
    browser.open(&page);
    for width in [1280, 390] {
        for is_dark in [false, true] {
            browser.look(width, is_dark);
            let survey = browser.value(SURVEY);
            let charts = survey.as_array().unwrap();
            let ids: Vec<&str> = charts.iter().map(|chart| chart["id"].as_str().unwrap()).collect();
            assert_eq!(ids, CHARTS, "at {width}");
            for chart in charts {
                let marks = chart["marks"].as_array().unwrap();
                assert!(!marks.is_empty() && marks.iter().all(|marks| marks.as_u64() > Some(1)), "{chart}");
                assert_eq!(chart["outside"].as_array().map(Vec::len), Some(0), "at {width}: {chart:#}");
                assert_eq!(
                    (&chart["unnamed"], &chart["isTitled"], &chart["isWide"]),
                    (&0.into(), &true.into(), &false.into()),
                    "{chart}"
                );
            }
            assert_eq!(
                browser.value("document.documentElement.scrollWidth"),
                width,
                "the page itself never scrolls sideways"
            );
            if !is_dark {
                let faults = browser.value(&CHOICES.replace("SURVEY", SURVEY));
                assert_eq!(faults, serde_json::json!([]), "at {width}: {faults:#}");
            }
            let scheme = if is_dark { "dark" } else { "light" };
            let path = pictures.join(format!("{scheme}-{width}.png"));
            std::fs::write(&path, browser.picture("body")).expect("written");
            println!("{}", path.display());
        }
    }
    assert_eq!(complaints(&browser), Vec::<String>::new());
}

/// Texts of a column of the table, from the top.
fn column(browser: &mut Browser, place: usize) -> Vec<String> {
    let cells = browser.value(&format!(
        "[...document.querySelectorAll('.comparison tbody tr')].map(row => row.children[{place}]?.textContent ?? '')"
    ));
    cells.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap().to_owned()).collect()
}

fn heading(place: usize) -> String {
    format!(".comparison thead tr:last-child th:nth-child({}) button", place + 1)
}

fn is_sorted<T: PartialOrd>(values: &[T]) -> bool {
    values.windows(2).all(|pair| pair[0] <= pair[1])
}

/// Nanoseconds of the times that the table shows.
fn nanoseconds(cells: &[String]) -> Vec<f64> {
    let units = [(" ns", 1.0), (" µs", 1e3), (" ms", 1e6), (" s", 1e9)];
    let one = |cell: &String| {
        units.iter().find_map(|(unit, factor)| Some(cell.strip_suffix(unit)?.parse::<f64>().ok()? * factor))
    };
    cells.iter().filter_map(one).collect()
}

const MEDIAN: usize = 5;

#[test]
fn the_table_is_sorted_and_filtered_by_click_and_by_keyboard() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let page = page(folder.path(), &[H200]);
    browser.look(1280, false);
    browser.open(&page);
    let sort_of = |browser: &mut Browser, place: usize| {
        browser.text(&format!(
            "document.querySelector('{}').parentElement.getAttribute('aria-sort') ?? 'none'",
            heading(place)
        ))
    };
    // By click: up, down, and back.
    let before = column(&mut browser, MEDIAN);
    for (direction, sign) in [("ascending", 1.0), ("descending", -1.0)] {
        browser.click(&heading(MEDIAN));
        assert_eq!(sort_of(&mut browser, MEDIAN), direction);
        let times: Vec<f64> = nanoseconds(&column(&mut browser, MEDIAN)).iter().map(|ns| ns * sign).collect();
        assert!(times.len() > 90 && is_sorted(&times), "{direction}: {times:?}");
    }
    browser.click(&heading(MEDIAN));
    assert_eq!((sort_of(&mut browser, MEDIAN).as_str(), column(&mut browser, MEDIAN)), ("none", before));
    // By keyboard: from the search field on, Tab reaches the headings, and Enter sorts.
    browser.value("document.querySelector('input[type=search]').focus()");
    for _ in 0..4 {
        browser.press("Tab");
    }
    assert_eq!(browser.text("document.activeElement.closest('th')?.textContent").trim_end_matches('↕'), "Type");
    browser.press("Enter");
    assert_eq!(sort_of(&mut browser, 2), "ascending");
    assert!(is_sorted(&column(&mut browser, 2)));
    browser.press("Enter");
    assert_eq!(sort_of(&mut browser, 2), "descending", "the focus stays where it is");
    // A filter by keyboard: a choice takes what is typed.
    browser.value("document.querySelector('#table [data-key=family] select').focus()");
    browser.write("transp");
    browser.press("Tab");
    let families = column(&mut browser, 0);
    assert!(families.len() > 20 && families.iter().all(|family| family == "transpose"), "{families:?}");
    // And by what is searched for.
    browser.click("input[type=search]");
    browser.write("pad=1 f64");
    let found = (column(&mut browser, 1), column(&mut browser, 2), column(&mut browser, 4));
    assert!(!found.0.is_empty() && found.0.iter().all(|name| name == "tiled"), "{found:?}");
    assert!(found.1.iter().all(|dtype| dtype == "f64") && found.2.iter().all(|params| params == "PAD=1"), "{found:?}");
    let count = browser.text("document.querySelector('.count').textContent");
    assert!(count.starts_with(&format!("{} of ", found.0.len())) && count.contains(" cases"), "{count}");
    assert_eq!(complaints(&browser), Vec::<String>::new());
}

#[test]
fn the_table_is_filtered_by_device_backend_and_size() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let page = page(folder.path(), &[H200, LLVMPIPE]);
    browser.look(1280, false);
    browser.open(&page);
    let mut choose = |key: &str, value: &str| {
        browser.value(&format!(
            "(() => {{ const select = document.querySelector('#table [data-key={key}] select'); select.value = '{value}';
              select.dispatchEvent(new Event('change')); }})()"
        ));
        browser
            .text("[...document.querySelectorAll('.comparison [scope=colgroup]')].map(th => th.textContent).join('|')")
    };
    assert_eq!(choose("api", "CUDA"), "NVIDIA H200 · CUDA");
    assert_eq!(choose("api", ""), "NVIDIA H200 · Vulkan|NVIDIA H200 · CUDA|llvmpipe · Vulkan|Ratio of times");
    assert_eq!(choose("device", "llvmpipe (LLVM 15.0.6, 256 bits)"), "llvmpipe · Vulkan");
    choose("size", "4096x4096");
    let sizes = column(&mut browser, 3);
    assert!(!sizes.is_empty() && sizes.iter().all(|size| size == "4096×4096"), "{sizes:?}");
    // Taken out of the charts, a device is in none of them.
    browser.click(".sides .side:nth-of-type(1) input");
    let legend = browser.text("document.querySelector('#cache-latency .legend').textContent");
    assert!(!legend.contains("H200 · Vulkan") && legend.contains("H200 · CUDA"), "{legend}");
    assert_eq!(complaints(&browser), Vec::<String>::new());
}

/// A row with markup wherever a report can have a text.
fn hostile() -> Vec<Record> {
    let evil = |place: &str| {
        format!("</script><script>window.{place}=1</script><img src=x onerror=window.{place}=1>&amp;\u{2028}")
    };
    let row = |benchmark: &str, median_ns: f64| Record {
        device: "<script>alert(1)</script>".into(),
        driver: evil("driver"),
        backend: Some(Api::Vulkan),
        vendor: evil("vendor"),
        os: evil("os"),
        cpu: evil("cpu"),
        date: evil("date"),
        tool_version: evil("version"),
        family: "reduction".into(),
        benchmark: format!("{benchmark}{}", evil("benchmark")),
        dtype: Some(Dtype::F32),
        n: Some(Extent::Linear(1024)),
        params: [("<script>alert(1)</script>".to_owned(), 1.0)].into(),
        shader_hash: evil("hash"),
        reason: evil("reason"),
        share: Some(0.5),
        bytes: Some(4096),
        median_ns: Some(median_ns),
        ci_low_ns: Some(median_ns * 0.99),
        ci_high_ns: Some(median_ns * 1.01),
        ..Record::default()
    };
    let skipped = Record { status: Status::Skipped, median_ns: None, ..row("skipped", 1.0) };
    vec![row("a", 10.0), row("b", 20.0), skipped]
}

#[test]
fn markup_in_names_is_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = folder.path().join("<img src=x onerror=window.file=1>.csv");
    std::fs::write(&report, csv::write(&hostile())).expect("written");
    let page = page(folder.path(), &[report.to_str().unwrap()]);
    let text = std::fs::read_to_string(&page).expect("a page");
    assert_eq!(text.matches("<script").count(), 3, "data, script, start");
    assert!(!text.contains("<img") && !text.contains("alert(1)<"));
    let Some(mut browser) = Browser::start() else { return };
    browser.look(1280, false);
    browser.open(&page);
    browser.value("document.querySelectorAll('details').forEach(details => { details.open = true; })");
    browser.settle();
    assert_eq!(browser.text("document.querySelector('.card h3').firstChild.textContent"), "<script>alert(1)</script>");
    assert_eq!(browser.value("document.querySelectorAll('script').length"), 3);
    assert_eq!(browser.value("document.querySelectorAll('img').length"), 0);
    let places = "['driver','backend','vendor','os','cpu','date','version','benchmark','dtype','params','checks','timer','reason','ceiling','file']";
    assert_eq!(browser.value(&format!("{places}.filter(place => window[place] === 1).length")), 0);
    assert!(browser.text("document.querySelector('.comparison').textContent").contains("<script>window.benchmark=1"));
    assert_eq!(complaints(&browser), Vec::<String>::new());
}

#[test]
fn the_page_can_be_drawn_again_with_other_data_and_leaves_one_name() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let llvmpipe = page(folder.path(), &[LLVMPIPE]);
    let text = std::fs::read_to_string(&llvmpipe).expect("a page");
    let data = text.split_once("id=\"report-data\">").unwrap().1.split_once("</script>").unwrap().0.to_owned();
    let h200 = page(folder.path(), &[H200]);
    browser.look(1280, false);
    browser.open(&h200);
    assert_eq!(browser.value("typeof Plot"), "undefined");
    browser.value(&format!("ShaderbenchReport.render(document.getElementById('report'), {data})"));
    browser.settle();
    let cards =
        browser.text("[...document.querySelectorAll('.card h3')].map(card => card.firstChild.textContent).join('|')");
    assert_eq!(cards, "llvmpipe (LLVM 15.0.6, 256 bits)");
    assert_eq!(complaints(&browser), Vec::<String>::new());
}

#[test]
fn warnings_requests_and_scripts_that_are_not_the_page_s_own_are_seen_and_stopped() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let page = page(folder.path(), &[LLVMPIPE]);
    browser.look(1280, false);
    browser.open(&page);
    assert_eq!(complaints(&browser), Vec::<String>::new());
    browser.value("console.warn('planted')");
    assert_eq!(complaints(&browser).len(), 1);
    browser.value("fetch('http://127.0.0.1:9/').catch(() => {})");
    browser.settle();
    assert!(complaints(&browser).len() > 1, "the page's policy lets nothing out, and says so");
    browser.value(
        "(() => { const script = document.createElement('script'); script.textContent = 'window.planted = 1';
          document.body.append(script); })()",
    );
    assert_eq!(browser.value("window.planted === undefined"), true, "a script that is not in the policy does not run");
}

/// The page formats hover texts and axes itself, by the rules of `results::format`.
#[test]
fn the_page_formats_numbers_as_the_tables_do() {
    let Some(mut browser) = Browser::start() else { return };
    let script = include_str!("../../src/report/html/page/figures.js");
    let examples = include_str!("../../src/results/format_examples.json");
    let differing = browser.value(&format!(
        "(() => {{ {script}
          const formats = {{ time, load_latency: loadLatency, byte_rate: byteRate, flop_rate: flopRate, percent, ratio: ratioText }};
          const text = ([quantity, value]) => formats[quantity](value).replaceAll('\\u00a0', ' ');
          return {examples}.filter(example => text(example) !== example[2]); }})()"
    ));
    assert_eq!(differing, serde_json::json!([]));
}

/// Reports of ten devices, each with as many rows as the largest committed one, no two figures alike.
fn ten_devices(folder: &Path) -> Vec<String> {
    let records = csv::open(Path::new(H200)).expect("a report").records;
    let scaled = |device: usize| {
        let mut scale = 1.0 + 0.137 * device as f64;
        let mut records = records.clone();
        for record in &mut records {
            scale = 0.5 + (scale * 7.77).fract();
            record.device = format!("Device {device}");
            for time in [&mut record.median_ns, &mut record.ci_low_ns, &mut record.ci_high_ns] {
                *time = time.map(|ns| ns * scale);
            }
            record.share = record.share.map(|share| share * scale);
        }
        let path = folder.join(format!("{device}.csv"));
        std::fs::write(&path, csv::write(&records)).expect("written");
        path.to_str().unwrap().to_owned()
    };
    (0..10).map(scaled).collect()
}

#[test]
fn the_page_of_ten_devices_is_smaller_than_one_and_a_half_megabytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let reports = ten_devices(folder.path());
    let page = page(folder.path(), &reports.iter().map(String::as_str).collect::<Vec<_>>());
    let size = page.metadata().expect("a page").len();
    println!("{size} bytes");
    assert!(size < 1_500_000, "{size} bytes");
}

#[test]
fn a_page_that_exists_is_kept_unless_it_is_to_be_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("r.html");
    std::fs::write(&out, "mine").expect("written");
    let path = out.to_str().unwrap();
    let refused = shaderbench(&["report", LLVMPIPE, "--out", path]);
    assert_eq!(refused.status.code(), Some(2));
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(told.contains("exists: name another file with --out, or pass --force"), "{told}");
    assert_eq!(std::fs::read_to_string(&out).expect("there"), "mine");
    assert!(shaderbench(&["report", LLVMPIPE, "--out", path, "--force"]).status.success());
    assert!(std::fs::read_to_string(&out).expect("there").starts_with("<!doctype html>"));
}

#[test]
fn a_folder_stands_for_the_reports_in_it_and_what_holds_none_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = page(folder.path(), &["results"]);
    let text = std::fs::read_to_string(page).expect("a page");
    for report in [H200, LLVMPIPE] {
        let name = report.strip_prefix("results/").unwrap();
        assert!(text.contains(name) && !text.contains(report), "a report's file and folder, and no more of its path");
    }
    let out = folder.path().join("new.html");
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).expect("a folder");
    let headers = folder.path().join("headers.csv");
    std::fs::write(&headers, csv::write(&[])).expect("written");
    for (path, sentence) in [
        (&empty, "contains no report: no file in it ends in .csv or .json"),
        (&headers, "has no rows: name a report that has some"),
        (&folder.path().join("gone.csv"), "cannot read"),
    ] {
        let refused = shaderbench(&["report", path.to_str().unwrap(), "--out", out.to_str().unwrap()]);
        let told = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && told.contains(sentence) && !out.exists(), "{told}");
    }
}
