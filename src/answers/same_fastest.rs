//! Every answer names the same fastest kernel for each job of the committed reports.

use serde_json::{Value, to_value};

use super::compare::Report;
use super::summary::figures::best;
use super::{cost, fastest, page, summary};
use crate::report::{committed, reader, toolchains};
use kernels::FAMILIES;
use record::{Ranking, Record};

/// The item of a list whose `key` has this value.
fn item<'v>(list: &'v Value, key: &str, value: impl Into<Value>) -> &'v Value {
    let value = value.into();
    list.as_array().and_then(|list| list.iter().find(|item| item[key] == value)).unwrap_or(&Value::Null)
}

#[test]
fn every_answer_names_the_same_fastest_kernel_and_the_same_ties() {
    let (mut jobs, mut choices) = (0, 0);
    let Some(paths) = committed::reports() else { return };
    for path in paths {
        let report = (path.display().to_string(), reader::open(&path).expect("a report").records);
        let (name, records) = &report;
        let toolchain = toolchains(records)[0];
        let rows: Vec<&Record> = records.iter().filter(|row| row.toolchain() == Some(toolchain)).collect();
        let reports = [Report { name: name.clone(), records: records.clone() }];
        let comparison = page::sides(&reports);
        let page = to_value(page::data(&comparison)).expect("JSON");
        let summary = to_value(summary::headlines(std::slice::from_ref(&report))).expect("JSON");
        let cost = cost::Cost::new(records, |_| true);
        let cost = to_value(cost.as_ref().and_then(|cost| cost::json(cost, name))).expect("JSON");
        for best in best(&rows) {
            let (job, row, is_tied) = (best.job.name, best.row, best.is_tied());
            let of_page = item(&page["screen"]["card"]["jobs"], "name", job);
            let of_summary = item(&summary[0]["jobs"], "job", job);
            let of_cost = item(&item(&cost["jobs"], "job", job)["cases"], "is_headline", true);
            let family = FAMILIES.iter().find(|family| family.name == row.family).expect("a family");
            let choices_of = fastest::jobs(family, &rows).into_iter().map(|job| job.contest);
            let of_explain = choices_of.into_iter().find(|of| of.rows.iter().any(|own| std::ptr::eq(*own, row)));
            let text = |value: &Value| {
                ["benchmark", "dtype", "n", "params"].map(|key| value[key].as_str().unwrap_or_default()).join(" ")
            };
            let name_of = |row: &Record| [&*row.benchmark, row.dtype_name(), &row.size(), &row.params_text()].join(" ");
            let ranked = |of: &Ranking<&Record>| {
                [of.best].iter().chain(of.ties.iter().map(|(tie, _)| tie)).map(|row| name_of(row)).collect::<Vec<_>>()
            };
            let (own, explained) = (ranked(&best.ranking), of_explain.map(|of| ranked(&of.ranking)));
            println!("{name} {job}: {own:?}, explain {explained:?}");
            println!("  summary {}, cost {}, page {}", text(of_summary), text(of_cost), of_page["kernel"]);
            assert_eq!((text(of_summary), &of_summary["is_tied"]), (own[0].clone(), &Value::from(is_tied)));
            assert_eq!((&of_page["kernel"], of_page["marks"][1] == "~"), (&Value::from(&*row.benchmark), is_tied));
            assert!(cost == Value::Null || text(of_cost) == own[0]);
            assert!(explained.as_ref().is_none_or(|explained| *explained == own));
            choices += usize::from(explained.is_some());
            jobs += 1;
        }
    }
    assert!(jobs > 30 && choices > 20, "{jobs} jobs, {choices} of them with several kernels");
}
