//! The page's first sentence, and the known cards beside it, computed again from the report's rows.

#![allow(clippy::unwrap_used, reason = "a failed step ends the test")]

use std::path::Path;

use serde_json::Value;

use crate::figures::{is_rounding, list, text};
use answers::compare::Report;
use answers::page::{data, sides};
use answers::references::unpack;
use answers::report::csv;
use kernels::headlines;
use record::suite::{Api, Limit};
use record::{Record, Status};

const H100: &str = crate::report_page::H100;

fn rows() -> Vec<Record> {
    csv::open(Path::new(H100)).expect("a report").records
}

/// The page's data for these reports, with the program's references.
fn page(reports: &[(&str, Vec<Record>)]) -> Value {
    let references = unpack(include_bytes!("../../data/references.json.gz")).expect("sound").runs;
    let report = |(name, records): &(&str, Vec<Record>)| Report { name: (*name).to_owned(), records: records.clone() };
    let reports: Vec<Report> = reports.iter().map(report).collect();
    let comparison = sides(&reports);
    serde_json::to_value(data(&comparison).beside(&comparison, &references)).expect("JSON")
}

#[test]
fn the_sentence_about_a_card_is_that_of_its_rows() {
    let all = rows();
    let page = page(&[("r.csv", all.clone())]);
    let vulkan: Vec<&Record> = all.iter().filter(|row| row.backend == Some(Api::Vulkan)).collect();
    let reads = vulkan.iter().filter(|row| row.family == "ceiling" && row.status == Status::Ok);
    let reads: Vec<&&Record> = reads.filter(|row| row.ceiling.is_some_and(|of| of.limit == Limit::Read)).collect();
    let most = reads.iter().filter_map(|row| row.bytes).max();
    let largest = reads.iter().filter(|row| row.bytes == most);
    let read = largest.filter_map(|row| row.gb_per_s).fold(0.0, f64::max);
    let peak = vulkan.iter().find_map(|row| row.dram_peak_gb_per_s).unwrap();
    // The fastest kernel of each job, as in the table below the sentence.
    let jobs = list(&page["screen"]["card"]["jobs"]);
    let shares: Vec<f64> = jobs.iter().filter_map(|job| job["share"].as_f64()).collect();
    let near = shares.iter().filter(|share| **share >= 0.85).count();
    let [sentence, verified] = list(&page["screen"]["answer"]) else { panic!("two sentences: {page}") };
    let words: Vec<&str> = text(sentence).split(' ').collect();
    assert!(is_rounding(words[1], 100.0 * read / peak) && is_rounding(words[4], peak), "{words:?}: {read} of {peak}");
    let jobs = format!("{near} of {} jobs at 85 % of their peak or more.", shares.len());
    assert!(text(sentence).ends_with(&jobs), "{sentence}: {shares:?}");
    assert!(all.iter().all(|row| matches!(row.status, Status::Ok | Status::Skipped)));
    assert_eq!(verified, "Every result is verified.");
}

#[test]
fn a_row_that_is_not_verified_is_counted() {
    for status in [Status::Wrong, Status::Failed, Status::Implausible, Status::Unverified] {
        let mut all = rows();
        let timed = all.iter().position(|row| row.status == Status::Ok).unwrap();
        all[timed].status = status;
        let page = page(&[("r.csv", all.clone())]);
        let count = format!("1 of {} rows is wrong, failed, implausible or unverified.", all.len());
        assert_eq!(list(&page["screen"]["answer"]).last().unwrap(), &Value::from(count), "{status:?}");
    }
}

/// The rows under another card's name, `times` as slow.
fn renamed(device: &str, times: f64) -> Vec<Record> {
    let mut all = rows();
    for row in &mut all {
        row.device = device.to_owned();
        row.card = format!("GPU-{:08}-0000-0000-0000-000000000000", device.len());
        let slow = |ns: &mut Option<f64>| *ns = ns.map(|ns| ns * times);
        [&mut row.median_ns, &mut row.ci_low_ns, &mut row.ci_high_ns].into_iter().for_each(slow);
        row.epochs_ns.iter_mut().for_each(|ns| *ns *= times);
        [&mut row.gb_per_s, &mut row.gflop_per_s].into_iter().for_each(|rate| *rate = rate.map(|rate| rate / times));
    }
    all
}

#[test]
fn two_cards_are_compared_first_and_three_have_a_column_per_model() {
    let two = page(&[("a.csv", rows()), ("b.csv", renamed("Twice", 2.0))]);
    assert_eq!(two["screen"]["is_versus"], true);
    let [sentence, ..] = list(&two["screen"]["answer"]) else { panic!("a sentence") };
    let (names, ratios) = text(sentence).split_once(": ").unwrap();
    assert_eq!(names, "Speed of Twice ÷ NVIDIA H100 80GB HBM3, Vulkan");
    let numbers = ratios.split([' ', '–', '×', ',']).filter(|word| word.starts_with("0."));
    let numbers: Vec<f64> = numbers.filter_map(|number| number.parse().ok()).collect();
    assert!(numbers.len() >= 3 && numbers.iter().all(|ratio| (ratio - 0.5).abs() < 1e-9), "{sentence}");
    let columns = |page: &Value| -> Vec<String> {
        list(&page["screen"]["columns"]).iter().map(|column| text(&column["name"]).to_owned()).collect()
    };
    assert_eq!(
        columns(&two)[..2].iter().map(|name| name.split(',').next().unwrap()).collect::<Vec<_>>(),
        ["H100", "Twice"]
    );
    let mut again = renamed("Twice", 4.0);
    again.iter_mut().for_each(|row| row.card = "GPU-99999999-0000-0000-0000-000000000000".to_owned());
    let three = page(&[("a.csv", rows()), ("b.csv", renamed("Twice", 2.0)), ("c.csv", again)]);
    assert_eq!(three["screen"]["is_versus"], false);
    let named = columns(&three);
    let at = named.iter().position(|name| name == "Twice · Vulkan").unwrap_or_else(|| panic!("{named:?}"));
    assert_eq!(list(&three["screen"]["columns"])[at]["sides"].as_array().unwrap().len(), 2);
    let all = rows();
    let mut checked = 0;
    for line in list(&three["screen"]["table"]) {
        let [one, several] = [&line["cells"][0], &line["cells"][at]];
        let Some((_, job)) = headlines().into_iter().find(|(_, job)| line["name"] == job.name) else { continue };
        let range = text(&several["range"]);
        let (low, rest) = range.split_once('–').unwrap_or_else(|| panic!("{line}"));
        let (high, _) = rest.split_once(' ').unwrap();
        // Half and a quarter of the first card's rate, which is one of its rows'.
        let rate = text(&one["text"]).split(' ').next().unwrap();
        let row = all.iter().find(|row| row.gb_per_s.or(row.gflop_per_s).is_some_and(|own| is_rounding(rate, own)));
        let own =
            row.and_then(|row| row.gb_per_s.or(row.gflop_per_s)).unwrap_or_else(|| panic!("{}: {line}", job.name));
        let near = |printed: &str, value: f64| {
            // A range whose ends have different units names both.
            let printed: f64 = printed.split(' ').next().unwrap().parse().unwrap();
            [1.0, 1e3, 1e6, 1e-3].iter().any(|unit| (printed * unit / value - 1.0).abs() < 0.006)
        };
        assert!(near(low, own / 4.0) && near(high, own / 2.0), "{line}: {own}");
        checked += 1;
    }
    assert!(checked >= 8, "{checked} jobs");
}

#[test]
fn a_card_stands_beside_the_medians_of_the_references() {
    let page = page(&[("r.csv", rows())]);
    let known = &page["screen"]["known"];
    let columns = list(&known["columns"]);
    assert!(columns.len() >= 2 && columns[0] == "This card", "{known}");
    let references = unpack(include_bytes!("../../data/references.json.gz")).unwrap().runs;
    let mut checked = 0;
    for figure in list(&known["rows"]) {
        for (column, cell) in columns.iter().zip(list(&figure["cells"])).skip(1) {
            let Some(shown) = cell[0].as_str() else { continue };
            let of_model = |run: &&answers::references::Reference| {
                text(column).starts_with(&format!("{} · ", run.device)) && run.api == "vulkan"
            };
            let own = |run: &answers::references::Reference| {
                run.figures.iter().find(|own| figure["name"] == own.name.as_str()).map(|own| own.value)
            };
            let mut values: Vec<f64> = references.iter().filter(of_model).filter_map(own).collect();
            values.sort_by(f64::total_cmp);
            let middle = values.len() / 2;
            let median =
                if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] * values[middle]).sqrt() };
            assert!(is_rounding(shown.split(' ').next().unwrap(), median), "{}: {shown} of {values:?}", figure["name"]);
            checked += 1;
        }
    }
    assert!(checked >= 10, "{checked} figures");
}
