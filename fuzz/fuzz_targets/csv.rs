//! The CSV reader returns a report or a one-line error for any bytes; a report written again has the same records.

#![no_main]

use std::path::Path;

use answers::report::csv;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let report = match csv::read(Path::new("fuzz.csv"), bytes) {
        Ok(report) => report,
        Err(error) => {
            let text = error.to_string();
            assert!(text.starts_with("fuzz.csv, line ") && !text.contains(record::error::is_hidden), "{text:?}");
            return;
        }
    };
    let again = csv::read(Path::new("again.csv"), &csv::write(&report.records)[..]).expect("own report");
    assert_eq!(again.records, report.records);
});
