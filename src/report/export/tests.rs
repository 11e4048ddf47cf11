//! What is written is valid by the rules of the formats.

use std::collections::{HashMap, HashSet};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde::Deserialize;

use super::*;
use crate::record::{Cause, Status};
use crate::suite::{Api, Dtype, Extent};

const HOSTILE: &str = "a\"b\\c<d>&e\n\u{1b}[31mé";

fn row(benchmark: &str, status: Status) -> Record {
    let is_timed = status.is_timed();
    Record {
        device: format!("Fake {HOSTILE}"),
        card: "GPU-1".to_owned(),
        host: "node7".to_owned(),
        date: "2026-11-23T01:02:03Z".to_owned(),
        driver: "1.2 & 3".to_owned(),
        tool_version: "0.1.0".to_owned(),
        backend: Some(Api::Vulkan),
        family: "transpose".to_owned(),
        benchmark: benchmark.to_owned(),
        dtype: Some(Dtype::F32),
        n: Some(Extent::Linear(1024)),
        params: [("PAD".to_owned(), 1.0)].into(),
        status,
        reason: if is_timed { String::new() } else { HOSTILE.to_owned() },
        cause: (!is_timed).then_some(Cause::WrongOutput),
        median_ns: is_timed.then_some(1234.5),
        ci_low_ns: is_timed.then_some(1200.0),
        ci_high_ns: is_timed.then_some(1300.0),
        gb_per_s: is_timed.then_some(6.6),
        share: is_timed.then_some(0.5),
        ..Record::default()
    }
}

fn rows() -> Vec<Record> {
    let statuses =
        [Status::Ok, Status::Wrong, Status::Failed, Status::Skipped, Status::Implausible, Status::Unverified];
    let mut rows: Vec<Record> = statuses.into_iter().map(|status| row(status.name(), status)).collect();
    rows.push(Record { backend: Some(Api::Cuda), median_ns: Some(1000.0), ..rows[0].clone() });
    // An older run of a case, and another card.
    rows.push(Record { date: "2026-11-22T01:02:03Z".to_owned(), median_ns: Some(9.0), ..rows[0].clone() });
    rows.push(Record { card: "GPU-2".to_owned(), ..rows[0].clone() });
    rows
}

/// The rules of the specification's grammar that concern gauges.
#[test]
fn open_metrics_has_whole_families_of_valid_samples() {
    let text = write(&rows(), Format::Openmetrics);
    let body = text.strip_suffix("# EOF\n").expect("ends with EOF");
    let (mut family, mut done, mut samples): (String, HashSet<&str>, HashSet<&str>) = Default::default();
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    for line in body.lines() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').expect("a type");
            assert!(kind == "gauge" && is_name(name) && done.insert(name), "{line}");
            family = name.to_owned();
        } else if let Some(rest) = line.strip_prefix("# UNIT ") {
            let (name, unit) = rest.split_once(' ').expect("a unit");
            assert!(name == family && name.ends_with(&format!("_{unit}")), "{line}");
        } else if let Some(rest) = line.strip_prefix("# HELP ") {
            assert!(rest.starts_with(&format!("{family} ")), "{line}");
        } else {
            let (head, value) = line.rsplit_once("} ").expect("labels");
            let (name, labels) = head.split_once('{').expect("labels");
            assert!(name == family && value.parse::<f64>().is_ok_and(f64::is_finite), "{line}");
            assert!(samples.insert(head), "{line} occurs twice");
            let mut rest = labels;
            while !rest.is_empty() {
                let (label, value) = rest.split_once("=\"").expect("a label");
                assert!(is_name(label), "{line}");
                let mut is_escape = false;
                let end = value.find(|c| {
                    let is_end = c == '"' && !is_escape;
                    assert!(!is_escape || matches!(c, '\\' | '"' | 'n'), "{line}");
                    is_escape = c == '\\' && !is_escape;
                    is_end
                });
                let (_, after) = value.split_at(end.expect("a closing quote") + 1);
                rest = after.strip_prefix(',').unwrap_or(after);
            }
        }
    }
    assert!(text.contains("case=\"f32 1024 PAD=1\"} 0.0000012345\n"), "{text}");
    assert!(text.contains("status=\"wrong\"} 1\n") && text.contains("version=\"0.1.0\"} 1795395723\n"), "{text}");
    assert!(!text.contains("0.000000009"), "the older run: {text}");
}

/// The elements and attributes of the schema that Jenkins publishes (junit-10.xsd).
#[test]
fn junit_counts_its_tests_and_names_what_failed() {
    let text = write(&rows(), Format::Junit);
    let mut reader = Reader::from_str(&text);
    let value = |element: &BytesStart, name: &str| {
        let found = element
            .try_get_attribute(name)
            .expect("valid")
            .map(|found| found.normalized_value(quick_xml::XmlVersion::Implicit1_0).expect("valid"));
        found.map(std::borrow::Cow::into_owned)
    };
    let (mut counts, mut tests, mut results) = (Vec::new(), Vec::new(), Vec::new());
    let mut depth: Vec<String> = Vec::new();
    loop {
        let event = reader.read_event().expect("well-formed XML");
        let is_empty = matches!(event, Event::Empty(_));
        match event {
            Event::Eof => break,
            Event::End(_) => drop(depth.pop()),
            Event::Start(element) | Event::Empty(element) => {
                let name = element.name().as_ref().to_owned();
                let parent = depth.last().map_or("", String::as_str);
                match (parent, name.as_str()) {
                    ("", "testsuites") | ("testsuites", "testsuite") => {
                        let of = ["tests", "failures", "errors", "skipped"].map(|name| value(&element, name));
                        counts.push(of.map(|count| count.expect("a count").parse::<usize>().expect("a number")));
                        let time = value(&element, "timestamp").unwrap_or_else(|| "2026-11-23T01:02:03".to_owned());
                        assert!(time.parse::<jiff::civil::DateTime>().is_ok(), "{time}");
                    }
                    ("testsuite", "properties") | ("properties", "property") => {}
                    ("testsuite", "testcase") => {
                        let time = value(&element, "time").expect("a time");
                        assert!(time.parse::<f64>().is_ok_and(|seconds| seconds >= 0.0), "{time}");
                        tests.push(value(&element, "name").expect("a name"));
                    }
                    ("testcase", "failure" | "error" | "skipped") => {
                        let message = value(&element, "message").expect("a message");
                        results.push((name.clone(), message));
                    }
                    other => panic!("{other:?}"),
                }
                if !is_empty {
                    depth.push(name);
                }
            }
            _ => {}
        }
    }
    assert_eq!(counts, [[8, 2, 1, 1], [6, 2, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0]]);
    assert_eq!((tests.len(), tests[0].as_str()), (8, "ok f32 1024 PAD=1"));
    let shown = crate::error::visible(HOSTILE).into_owned();
    assert_eq!(results[0], ("failure".to_owned(), shown));
    let kinds: Vec<&str> = results.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, ["failure", "error", "skipped", "failure"]);
}

/// <https://bencher.dev/docs/reference/bencher-metric-format/>.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Metric {
    value: f64,
    lower_value: Option<f64>,
    upper_value: Option<f64>,
}

#[test]
fn bencher_has_a_latency_for_each_row_with_a_time() {
    let text = write(&rows(), Format::Bencher);
    let all: HashMap<String, HashMap<String, Metric>> = serde_json::from_str(&text).expect("the format");
    assert_eq!(all.len(), 4, "{text}");
    let (_, measures) =
        all.iter().find(|(name, _)| name.contains("transpose/ok, f32 1024 PAD=1, cuda")).expect("named");
    let latency = &measures["latency"];
    assert_eq!((latency.value, latency.lower_value, latency.upper_value), (1000.0, Some(1200.0), Some(1300.0)));
}

/// The fields of `customSmallerIsBetter` in the action's README.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    unit: String,
    value: f64,
    range: Option<String>,
    extra: Option<String>,
}

#[test]
fn the_github_action_gets_times_with_their_noise() {
    let text = write(&rows()[..3], Format::Github);
    let [entry] = &serde_json::from_str::<Vec<Entry>>(&text).expect("the format")[..] else { panic!("{text}") };
    assert_eq!((entry.name.as_str(), entry.unit.as_str()), ("transpose/ok, f32 1024 PAD=1, vulkan", "ns"));
    assert_eq!((entry.value, entry.range.as_deref()), (1234.5, Some("± 4.1 %")));
    assert!(entry.extra.as_ref().is_some_and(|extra| extra.ends_with(", 1.2 & 3")), "{text}");
    let names: HashSet<String> = serde_json::from_str::<Vec<Entry>>(&write(&rows(), Format::Github))
        .expect("the format")
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    assert_eq!(names.len(), 4, "each row has a name of its own");
}
