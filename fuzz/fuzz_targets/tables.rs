//! Whatever a report says, tables, Markdown, comparisons, the index and the page are written without a panic, and nothing
//! of it acts on a terminal.

#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use shaderbench::error::is_hidden;
use shaderbench::families::FAMILIES;
use shaderbench::report::comparison::{self, OutputFormat, Sort, View};
use shaderbench::report::summary::{LINES, card, side_by_side};
use shaderbench::report::tour;
use shaderbench::report::{Medium, Terminal, apis, html, index, lay_out, reader, section, sections};
use shaderbench::results::compare::{Report, compare};
use shaderbench::results::tour::steps;

fn check(what: &str, text: &str) {
    let bad = text.char_indices().find(|(_, character)| *character != '\n' && is_hidden(*character));
    assert!(bad.is_none(), "{what}: {bad:?}");
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(report) = reader::read(Path::new("fuzz"), bytes) else { return };
    check("notes", &report.notes.join(" "));
    let records = report.records;
    for width in [20, 80, 240] {
        let terminal = Terminal { width, has_color: false };
        for medium in [Medium::Terminal(terminal), Medium::Markdown] {
            for one in sections(&records) {
                check("section", &lay_out(section(&one, medium), medium));
            }
        }
    }
    let terminal = Terminal { width: 80, has_color: false };
    let summary = card(&records, &[], terminal);
    check("summary", &summary);
    assert!(summary.lines().count() <= LINES, "{summary}");
    let sides = [("a".to_owned(), records.clone()), ("b".to_owned(), records.clone())];
    check("summaries", &side_by_side(&sides, Medium::Terminal(terminal)));
    let judged = tour::sides(&records);
    for step in steps() {
        check("tour", &lay_out(tour::step(step, &judged), Medium::Terminal(terminal)));
    }
    let facts = apis(&records).into_iter().map(|api| (api, index::Facts::default())).collect();
    let entry = index::Entry { path: "a b.csv".to_owned(), records: records.clone(), facts };
    check("index", &index::write(&[entry]));
    // Half of the rows are the baseline, so that both sides of the comparison are foreign.
    let (old, new) = records.split_at(records.len() / 2);
    let [old, new] = [old, new].map(|rows| [Report { name: "r".to_owned(), records: rows.to_vec() }]);
    let comparison = compare(&old, &new);
    let by_kernel: Vec<&str> = FAMILIES.iter().filter(|family| family.is_by_kernel).map(|family| family.name).collect();
    for (sort, is_relative, has_all_rows) in [
        (Sort::Family, false, true),
        (Sort::Family, false, false),
        (Sort::Ratio, false, true),
        (Sort::Change, true, true),
    ] {
        let terminal = Terminal { width: 100, has_color: false };
        let view = View { terminal, sort, is_relative, has_all_rows, by_kernel: &by_kernel, limit: Some(0.05) };
        for format in [OutputFormat::Table, OutputFormat::Markdown, OutputFormat::Csv, OutputFormat::Json] {
            check("comparison", &comparison::write(&comparison, view, format));
        }
    }
    let all = [old, new].concat();
    let sides = html::sides(&all);
    check("page", &serde_json::to_string(&html::data(&sides)).expect("plain data"));
});
