//! By the CSV reader's rules, the JSON reader returns a report or a one-line error; both formats keep what it reads.

#![no_main]

use std::path::Path;

use answers::report::{csv, json, reader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let report = match json::read(Path::new("fuzz.json"), bytes) {
        Ok(report) => report,
        Err(error) => {
            let text = error.to_string();
            assert!(text.starts_with("fuzz.json, line ") && !text.contains(record::error::is_hidden), "{text:?}");
            return;
        }
    };
    let notes = report.notes.join(" ");
    assert!(!notes.contains(record::error::is_hidden), "{notes:?}");
    let again = json::read(Path::new("again.json"), &json::write(&report.records)).expect("own report");
    assert_eq!(again.records, report.records);
    let mut records = report.records;
    for record in &mut records {
        // CSV has no columns for these.
        record.all_samples_ns.clear();
        record.epoch_samples.clear();
        record.picture_hash = None;
    }
    let again = reader::read(Path::new("again.csv"), &csv::write(&records)[..]).expect("own report");
    assert_eq!(again.records, records);
});
