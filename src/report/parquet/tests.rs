//! What is written is read back; what is no such file is refused.

use std::fs::File;

use super::*;
use crate::report::intake::Parsed;
use crate::results::Status;
use crate::suite::Extent;

fn rows(count: u64) -> Vec<Record> {
    let row = |n: u64| Record {
        schema: Some(2),
        family: "transpose".to_owned(),
        benchmark: "tiled".to_owned(),
        n: Some(Extent::Linear(n)),
        median_ns: Some(0.1 + n as f64),
        bytes: Some(u64::MAX - n),
        drift: n.is_multiple_of(3).then_some(-0.5),
        epochs_ns: vec![1.0, 0.1 + 0.2],
        status: if n.is_multiple_of(5) { Status::Failed } else { Status::Ok },
        reason: if n.is_multiple_of(5) { "=1, \"quoted\"\u{1b}".to_owned() } else { String::new() },
        ..Record::default()
    };
    (1..=count).map(row).collect()
}

/// The file with these rows, in a folder that lives as long as the file.
fn written(records: &[Record]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("r.parquet");
    let mut writer = Writer::new(&path, File::create(&path).expect("created")).expect("begun");
    records.chunks(1000).for_each(|rows| writer.push(rows.to_vec()).expect("written"));
    writer.finish().expect("ended");
    (folder, path)
}

#[test]
fn what_is_written_is_read_back() {
    // More rows than a group and a batch have.
    let records = rows(40_000);
    let (_folder, path) = written(&records);
    let Parsed { records: got, notes } = open(&path).expect("own file");
    let escaped = |record: &Record| Record { reason: record.cell("reason"), ..record.clone() };
    assert!(got == records.iter().map(escaped).collect::<Vec<_>>() && notes.is_empty(), "{notes:?}");
    assert!(path.metadata().expect("a file").len() < 40 * 40_000, "{}", path.metadata().expect("a file").len());
    let (_folder, path) = written(&[]);
    assert!(open(&path).expect("own file").records.is_empty());
}

#[test]
fn numbers_are_stored_as_numbers() {
    let storage = |name: &str| STORAGES[COLUMNS.iter().position(|column| column.name == name).expect("a column")];
    for (name, wanted) in [
        ("median_ns", Storage::Real),
        ("samples", Storage::Whole),
        ("schema", Storage::Whole),
        ("device", Storage::Text),
        ("n", Storage::Text),
        ("epochs_ns", Storage::Text),
        ("status", Storage::Text),
        ("params", Storage::Text),
    ] {
        assert_eq!(storage(name), wanted, "{name}");
    }
}

#[test]
fn a_row_that_no_csv_may_have_is_refused_with_its_number() {
    let mut records = rows(3);
    records[1].median_ns = Some(-1.0);
    let (_folder, path) = written(&records);
    let error = open(&path).expect_err("negative").to_string();
    assert!(error.ends_with("r.parquet, line 2: column median_ns: '-1' is negative"), "{error}");
}

/// Files of others may be damaged anywhere: an error or other rows, but no panic.
#[test]
fn a_damaged_file_is_an_error_or_other_rows() {
    let (_folder, path) = written(&rows(50));
    let whole = std::fs::read(&path).expect("readable");
    let mut errors = 0;
    for at in (0..whole.len()).step_by(7) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0xff;
        std::fs::write(&path, damaged).expect("written");
        errors += usize::from(open(&path).is_err());
        std::fs::write(&path, &whole[..at]).expect("written");
        let error = open(&path).expect_err("cut off").chain();
        assert!(error.starts_with("cannot read "), "{error}");
    }
    assert!(errors > 100, "{errors}");
}
