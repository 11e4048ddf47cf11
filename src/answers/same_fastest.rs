//! The fastest kernel of each job in the committed reports, as every answer names it.

use std::path::Path;

use serde_json::{Value, to_value};

use super::compare::Report;
use super::summary::figures::best;
use super::{cost, fastest, page, summary};
use crate::families::FAMILIES;
use crate::record::Record;
use crate::report::{reader, table::label, toolchains};

fn committed() -> Vec<(String, Vec<Record>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
    let folders = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let paths = folders.filter(|path| path.is_dir()).flat_map(|folder| std::fs::read_dir(folder).expect("a folder"));
    let paths = paths.map(|entry| entry.expect("an entry").path());
    let paths = paths.filter(|path| path.extension().is_some_and(|ending| ending == "csv"));
    paths.map(|path| (path.display().to_string(), reader::open(&path).expect("a report").records)).collect()
}

/// The item of a list that has this value.
fn item<'v>(list: &'v Value, key: &str, value: impl Into<Value>) -> &'v Value {
    let value = value.into();
    list.as_array().and_then(|list| list.iter().find(|item| item[key] == value)).unwrap_or(&Value::Null)
}

#[test]
fn every_answer_names_the_same_fastest_kernel_of_each_job_and_the_same_ties() {
    let (mut jobs, mut choices) = (0, 0);
    for (name, records) in committed() {
        let toolchain = toolchains(&records)[0];
        let rows: Vec<&Record> = records.iter().filter(|row| row.toolchain() == Some(toolchain)).collect();
        let reports = [Report { name: name.clone(), records: records.clone() }];
        let comparison = page::sides(&reports);
        let page = to_value(page::data(&comparison)).expect("JSON");
        let named = [(name.clone(), records.clone())];
        let summary = to_value(summary::headlines(&named)).expect("JSON");
        let cost = cost::Cost::new(&records);
        let cost = to_value(cost.as_ref().and_then(|cost| cost::json(cost, &name))).expect("JSON");
        for best in best(&rows) {
            let (job, row, is_tied) = (best.job.name, best.row, best.is_tied());
            let of_page = item(&page["screen"]["card"]["jobs"], "name", job);
            let of_summary = item(&summary[0]["jobs"], "job", job);
            let of_cost = item(&item(&cost["jobs"], "job", job)["cases"], "is_headline", true);
            let family = FAMILIES.iter().find(|family| family.name == row.family).expect("a family");
            let of_explain = fastest::jobs(family, &rows).into_iter().map(|job| job.contest);
            let of_explain = of_explain.into_iter().find(|of| of.rows.iter().any(|own| std::ptr::eq(*own, row)));
            let ties = |ties: &[(&Record, _)]| ties.iter().map(|(row, _)| label(row).to_string()).collect::<Vec<_>>();
            println!(
                "{name} {job}: summary {} {}, page {}{}, cost {} {}, explain {:?}, ties {:?}",
                of_summary["benchmark"],
                of_summary["params"],
                of_page["kernel"],
                of_page["marks"][1],
                of_cost["benchmark"],
                of_cost["params"],
                of_explain.as_ref().map(|of| label(of.ranking.best)),
                ties(&best.ranking.ties),
            );
            let case = |value: &Value| ["benchmark", "dtype", "n", "params"].map(|key| value[key].clone());
            let own = [&row.benchmark, row.dtype_name(), &row.size(), &row.params_text()].map(Value::from);
            assert_eq!(
                (case(of_summary), &of_summary["is_tied"]),
                (own.clone(), &Value::from(is_tied)),
                "{name} {job}"
            );
            assert_eq!((&of_page["kernel"], of_page["marks"][1] == "~"), (&own[0], is_tied), "{name} {job}");
            if cost != Value::Null {
                assert_eq!(case(of_cost), own, "{name} {job}");
            }
            if let Some(of) = of_explain {
                assert!(std::ptr::eq(of.ranking.best, row), "{name} {job}: {:?}", of.ranking.best);
                assert_eq!(ties(&of.ranking.ties), ties(&best.ranking.ties), "{name} {job}");
                choices += 1;
            }
            jobs += 1;
        }
    }
    assert!(jobs > 100 && choices > 60, "{jobs} jobs, {choices} of them with several kernels");
}
