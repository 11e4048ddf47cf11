//! The HTML report in a headless Chromium: its charts, its controls, and that it is one file that treats every name as
//! text.

#![allow(clippy::unwrap_used, reason = "a failed step ends the test")]

use std::path::Path;

use base64::prelude::{BASE64_STANDARD, Engine};

use crate::browser::Browser;
use crate::command::Folder;
use crate::report_page::{H100, H200, LLVMPIPE, assert_no_faults, column, faults, opened, page};
use answers::page::unpacked;
use answers::report::csv;
use record::suite::{Api, Dtype, Extent};
use record::{Record, Status};

/// Every chart of the committed reports.
const CHARTS: &[&str] = &[
    "roofline",
    "reduction",
    "transpose",
    "ladders",
    "cache-latency",
    "cache-bandwidth",
    "bank-conflict",
    "coalescing-stride",
    "coalescing-offset",
    "versus",
];

/// Ticks every device: a software one is not ticked at first.
fn tick_all(browser: &mut Browser) {
    browser.value("document.querySelectorAll('.sides input:not(:checked)').forEach(input => input.click())");
    browser.settle();
}

/// The visible charts: their names, the number of marks in each plot, the elements outside of its frame, and the texts
/// that overlap. Lines of text are taller than their letters. Rotated texts have boxes larger than themselves.
const SURVEY: &str = r#"[...document.querySelectorAll("figure.chart:not([hidden])")].map(figure => {
  const box = figure.getBoundingClientRect();
  const plots = [...figure.querySelectorAll(".plots > svg")];
  const marks = svg =>
    [...svg.querySelectorAll("[aria-label=bar] rect, [aria-label=dot] :is(path, circle), [aria-label=line] path")];
  const isOutside = element => { const own = element.getBoundingClientRect(); return own.width + own.height > 0 &&
    (own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top || own.bottom > box.bottom); };
  const isOver = ([a, own], [b, other]) => Math.min(own.right, other.right) - Math.max(own.left, other.left) > 1 &&
    Math.min(own.bottom, other.bottom) - Math.max(own.top, other.top) > 4;
  const overlaps = svg => {
    const texts = [...svg.querySelectorAll("text:not([transform*=rotate])")].map(text => [text.textContent, text.getBoundingClientRect()]);
    return texts.flatMap((text, index) =>
      texts.slice(index + 1).filter(other => isOver(text, other)).map(other => `${text[0]} | ${other[0]}`));
  };
  return { id: figure.id, marks: plots.map(svg => marks(svg).length),
    outside: plots.flatMap(svg => [...marks(svg), ...svg.querySelectorAll("text")].filter(isOutside)
      .map(element => element.outerHTML.slice(0, 200))),
    overlaps: plots.flatMap(overlaps),
    unnamed: plots.filter(svg => svg.getAttribute("role") !== "img" || !svg.getAttribute("aria-label")).length,
    isTitled: Boolean(figure.querySelector("figcaption h3").textContent),
    isWide: plots.some(svg => svg.getBoundingClientRect().width > box.width) };
})"#;

/// Selects every option of every chart. Returns those with which a chart is missing, has no marks, exceeds its frame, or
/// has texts that overlap.
const OPTIONS: &str = r#"[...document.querySelectorAll("figure.chart:not([hidden])")].flatMap(figure =>
  [...figure.querySelectorAll(".controls select")].flatMap(select => {
    const first = select.value;
    const set = value => { select.value = value; select.dispatchEvent(new Event("change")); };
    const faults = [...select.options].map(option => option.value).flatMap(value => {
      set(value);
      const { marks, outside, overlaps } = SURVEY.find(({ id }) => id === figure.id) ??
        { marks: [0], outside: [], overlaps: [] };
      const isDrawn = marks.every(count => count > 1) && outside.length === 0 && overlaps.length === 0;
      return isDrawn ? [] : [`${figure.id}: ${value}: ${marks} marks, outside: ${outside}, over: ${overlaps}`];
    });
    set(first);
    return faults;
  }))"#;

#[test]
fn every_chart_of_the_committed_reports_is_drawn_without_an_error() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = Folder::new();
    let page = page(&folder, &[H200, LLVMPIPE]);
    let screenshots = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page");
    std::fs::create_dir_all(&screenshots).expect("a folder");
    browser.resize(1280, false);
    browser.open(&page);
    tick_all(&mut browser);
    for width in [1280, 390] {
        for is_dark in [false, true] {
            browser.resize(width, is_dark);
            let survey = browser.value(SURVEY);
            let charts = survey.as_array().unwrap();
            let ids: Vec<&str> = charts.iter().map(|chart| chart["id"].as_str().unwrap()).collect();
            assert_eq!(ids, CHARTS, "at {width}");
            for chart in charts {
                let marks = chart["marks"].as_array().unwrap();
                assert!(!marks.is_empty() && marks.iter().all(|marks| marks.as_u64() > Some(1)), "{chart}");
                for faults in ["outside", "overlaps"] {
                    assert_eq!(chart[faults].as_array().map(Vec::len), Some(0), "at {width}: {chart:#}");
                }
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
                let faults = browser.value(&OPTIONS.replace("SURVEY", SURVEY));
                assert_eq!(faults, serde_json::json!([]), "at {width}: {faults:#}");
            }
            let scheme = if is_dark { "dark" } else { "light" };
            let path = screenshots.join(format!("{scheme}-{width}.png"));
            std::fs::write(&path, browser.screenshot("body")).expect("written");
            println!("{}", path.display());
        }
    }
    assert_no_faults(&browser);
}

#[test]
fn three_reports_print_on_few_pages_with_every_chart() {
    let Some((mut browser, _folder)) = opened(1280, &[H100, H200, LLVMPIPE]) else { return };
    let widths = "[...new Set([...document.querySelectorAll('.plots > svg')].map(svg => svg.getAttribute('width')))]";
    browser.value("dispatchEvent(new Event('beforeprint'))");
    assert_eq!(browser.value(widths), serde_json::json!(["330"]), "charts are drawn for paper");
    let printed = browser.call("Page.printToPDF", serde_json::json!({ "paperWidth": 8.27, "paperHeight": 11.69 }));
    let pdf = BASE64_STANDARD.decode(printed["data"].as_str().unwrap()).unwrap();
    let text = String::from_utf8_lossy(&pdf);
    let pages = text.matches("/Type /Page").count() - text.matches("/Type /Pages").count();
    println!("{pages} pages");
    assert!((5..=15).contains(&pages), "{pages} pages");
    assert_no_faults(&browser);
}

/// The devices that a chart does not show, with the reason.
fn absent(browser: &mut Browser, chart: &str) -> String {
    browser.text(&format!("document.querySelector('figure#{chart}:not([hidden]) .absent')?.textContent ?? ''"))
}

#[test]
fn a_ticked_device_that_a_chart_does_not_show_is_named_with_the_reason() {
    let Some((mut browser, _folder)) = opened(1280, &[H200, LLVMPIPE]) else { return };
    let ticked = |browser: &mut Browser| {
        browser.text(
            "[...document.querySelectorAll('.side:has(:checked) > span:not(:has(svg))')].map(span => span.textContent).join('|')",
        )
    };
    assert_eq!(ticked(&mut browser), "H200, 30 Nov · Vulkan|H200, 30 Nov · CUDA", "no software device");
    tick_all(&mut browser);
    assert!(ticked(&mut browser).ends_with("|llvmpipe, 22 Nov · Vulkan|software"));
    let names = "Not shown: llvmpipe, 22 Nov · Vulkan. Reason: reduction has no times at f32 2^28.";
    assert_eq!(absent(&mut browser, "reduction"), names);
    assert_eq!(absent(&mut browser, "cache-latency"), "", "every device is shown");
    assert_eq!(absent(&mut browser, "versus"), "");
}

fn heading(index: usize) -> String {
    format!(".comparison thead tr:last-child th:nth-child({}) button", index + 1)
}

fn is_sorted<T: PartialOrd>(values: &[T]) -> bool {
    values.windows(2).all(|pair| pair[0] <= pair[1])
}

/// The table's times in nanoseconds.
fn nanoseconds(cells: &[String]) -> Vec<f64> {
    let units = [(" ns", 1.0), (" µs", 1e3), (" ms", 1e6), (" s", 1e9)];
    let one = |cell: &String| {
        units.iter().find_map(|(unit, factor)| Some(cell.strip_suffix(unit)?.parse::<f64>().ok()? * factor))
    };
    cells.iter().filter_map(one).collect()
}

const MEDIAN: usize = 2;

#[test]
fn the_table_is_sorted_and_filtered_by_click_and_by_keyboard() {
    let Some((mut browser, _folder)) = opened(1280, &[H200]) else { return };
    let sort_of = |browser: &mut Browser, index: usize| {
        browser.text(&format!(
            "document.querySelector('{}').parentElement.getAttribute('aria-sort') ?? 'none'",
            heading(index)
        ))
    };
    // By click: ascending, descending, unsorted.
    let before = column(&mut browser, MEDIAN);
    for (direction, sign) in [("ascending", 1.0), ("descending", -1.0)] {
        browser.click(&heading(MEDIAN));
        assert_eq!(sort_of(&mut browser, MEDIAN), direction);
        let times: Vec<f64> = nanoseconds(&column(&mut browser, MEDIAN)).iter().map(|ns| ns * sign).collect();
        assert!(times.len() > 90 && is_sorted(&times), "{direction}: {times:?}");
    }
    browser.click(&heading(MEDIAN));
    assert_eq!((sort_of(&mut browser, MEDIAN).as_str(), column(&mut browser, MEDIAN)), ("none", before));
    // By keyboard: Tab moves from the search field to the headings, and Enter sorts.
    browser.value("document.querySelector('input[type=search]').focus()");
    for _ in 0..2 {
        browser.press("Tab");
    }
    assert_eq!(browser.text("document.activeElement.closest('th')?.textContent").trim_end_matches('↕'), "Case");
    let ends = |browser: &mut Browser| {
        let cases = column(browser, 0);
        (cases.first().cloned(), cases.last().cloned())
    };
    browser.press("Enter");
    assert_eq!(sort_of(&mut browser, 0), "ascending");
    let (first, last) = ends(&mut browser);
    assert!(first < last, "{first:?} {last:?}");
    browser.press("Enter");
    assert_eq!(sort_of(&mut browser, 0), "descending", "the focus stays where it is");
    let (first, last) = ends(&mut browser);
    assert!(first > last, "{first:?} {last:?}");
    // A filter by keyboard: typing selects an option.
    browser.value("document.querySelector('#table [data-key=family] select').focus()");
    browser.type_text("transp");
    browser.press("Tab");
    let families = column(&mut browser, 0);
    assert!(families.len() > 20 && families.iter().all(|case| case.starts_with("transpose/")), "{families:?}");
    // A filter by search.
    browser.click("input[type=search]");
    browser.type_text("pad=1 f64");
    let found = (column(&mut browser, 0), column(&mut browser, 1));
    assert!(!found.0.is_empty() && found.0.iter().all(|name| name == "transpose/tiled PAD=1"), "{found:?}");
    assert!(found.1.iter().all(|size| size.starts_with("f64 ")), "{found:?}");
    let count = browser.text("document.querySelector('.count').textContent");
    assert!(count.starts_with(&format!("{} of ", found.0.len())) && count.contains(" cases"), "{count}");
    assert_no_faults(&browser);
}

#[test]
fn the_table_and_the_charts_show_the_ticked_devices() {
    let Some((mut browser, _folder)) = opened(1280, &[H200, LLVMPIPE]) else { return };
    let shown = |browser: &mut Browser| {
        browser
            .text("[...document.querySelectorAll('.comparison [scope=colgroup]')].map(th => th.textContent).join('|')")
    };
    assert_eq!(shown(&mut browser), "H200, 30 Nov · Vulkan|H200, 30 Nov · CUDA|Ratio of times");
    tick_all(&mut browser);
    let all = "H200, 30 Nov · Vulkan|H200, 30 Nov · CUDA|llvmpipe, 22 Nov · Vulkan|Ratio of times";
    assert_eq!(shown(&mut browser), all);
    browser.click("input[type=search]");
    browser.type_text("4096x4096");
    let sizes = column(&mut browser, 1);
    assert!(!sizes.is_empty() && sizes.iter().all(|size| size.contains(" 4096×4096")), "{sizes:?}");
    // A deselected device is in no chart.
    browser.click(".sides .side:nth-of-type(1) input");
    assert!(!shown(&mut browser).contains("H200, 30 Nov · Vulkan"));
    let names = browser.text("document.querySelector('#cache-latency .legend').textContent");
    assert!(!names.contains("H200, 30 Nov · Vulkan") && names.contains("H200, 30 Nov · CUDA"), "{names}");
    assert_no_faults(&browser);
}

/// Rows with markup in every text field.
fn hostile() -> Vec<Record> {
    let markup = |name: &str| {
        format!("</script><script>window.{name}=1</script><img src=x onerror=window.{name}=1>&amp;\u{2028}")
    };
    let row = |benchmark: &str, median_ns: f64| Record {
        device: "<script>alert(1)</script>".into(),
        driver: markup("driver"),
        backend: Some(Api::Vulkan),
        vendor: markup("vendor"),
        os: markup("os"),
        cpu: markup("cpu"),
        date: markup("date"),
        tool_version: markup("version"),
        family: "reduction".into(),
        benchmark: format!("{benchmark}{}", markup("benchmark")),
        dtype: Some(Dtype::F32),
        n: Some(Extent::Linear(1024)),
        params: [("<script>alert(1)</script>".to_owned(), 1.0)].into(),
        shader_hash: markup("hash"),
        reason: markup("reason"),
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
    let folder = Folder::new();
    let report = "<img src=x onerror=window.file=1>.csv";
    folder.write(report, csv::write(&hostile()));
    let page = page(&folder, &[&folder.argument(report)]);
    let text = std::fs::read_to_string(&page).expect("a page");
    assert_eq!(text.matches("<script").count(), 4, "data, kernels, script, start");
    assert!(!text.contains("<img") && !text.contains("alert(1)<"));
    let Some(mut browser) = Browser::start() else { return };
    browser.resize(1280, false);
    browser.open(&page);
    browser.value("document.querySelectorAll('details').forEach(details => { details.open = true; })");
    browser.settle();
    assert_eq!(browser.text("document.querySelector('.card h3').firstChild.textContent"), "<script>alert(1)</script>");
    assert_eq!(browser.value("document.querySelectorAll('script').length"), 5, "and the unpacked one");
    assert_eq!(browser.value("document.querySelectorAll('img').length"), 0);
    let names =
        "['driver', 'backend', 'vendor', 'os', 'cpu', 'date', 'version', 'benchmark', 'dtype', 'params', 'checks',
        'timer', 'reason', 'ceiling', 'file']";
    assert_eq!(browser.value(&format!("{names}.filter(name => window[name] === 1).length")), 0);
    assert!(browser.text("document.querySelector('.comparison').textContent").contains("<script>window.benchmark=1"));
    assert_no_faults(&browser);
}

#[test]
fn render_draws_other_data_and_the_page_defines_one_global_name() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = Folder::new();
    let llvmpipe = page(&folder, &[LLVMPIPE]);
    let text = std::fs::read_to_string(&llvmpipe).expect("a page");
    let data = unpacked(&text, "report-data").unwrap();
    let h200 = page(&folder, &[H200]);
    browser.resize(1280, false);
    browser.open(&h200);
    assert_eq!(browser.value("typeof Plot"), "undefined");
    browser.value(&format!("ShaderbenchReport.render(document.getElementById('report'), {data})"));
    browser.settle();
    browser.value("document.querySelector('.specification').open = true");
    browser.settle();
    let cards =
        browser.text("[...document.querySelectorAll('.card h3')].map(card => card.firstChild.textContent).join('|')");
    assert_eq!(cards, "llvmpipe (LLVM 15.0.6, 256 bits)");
    assert_no_faults(&browser);
}

#[test]
fn the_policy_of_the_page_blocks_requests_and_foreign_scripts() {
    let Some((mut browser, _folder)) = opened(1280, &[LLVMPIPE]) else { return };
    assert_no_faults(&browser);
    browser.value("console.warn('planted')");
    assert_eq!(faults(&browser).len(), 1);
    browser.value("fetch('http://127.0.0.1:9/').catch(() => {})");
    browser.settle();
    assert!(faults(&browser).len() > 1, "the page's policy blocks the request and logs it");
    browser.value(
        "(() => { const script = document.createElement('script'); script.textContent = 'window.planted = 1';
          document.body.append(script); })()",
    );
    assert_eq!(
        browser.value("window.planted === undefined"),
        true,
        "a script that the policy does not name does not run"
    );
}
