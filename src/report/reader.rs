//! Reads reports (CSV or JSON) from files, bytes or folders.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::{csv, json};
use crate::error::{Error, Result};
pub use csv::Parsed;

/// Reads the report in the file at `path`; see [`read`].
///
/// # Errors
/// [`Error::Io`] if the file cannot be read, and the errors of [`read`].
pub fn open(path: &Path) -> Result<Parsed> {
    read(path, BufReader::new(File::open(path).map_err(|source| unreadable(path, source))?))
}

/// Reads a report from `source`: JSON if `path` ends in `.json` or the text starts as JSON, else CSV.
///
/// # Errors
/// The errors of [`csv::read`] and [`json::read`], which name `path`.
pub fn read(path: &Path, mut source: impl BufRead) -> Result<Parsed> {
    let start = source.fill_buf().map_err(|source| unreadable(path, source))?;
    if !has_ending(path, "json") && !is_json(start) {
        return csv::read(path, source);
    }
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes).map_err(|source| unreadable(path, source))?;
    Ok(Parsed { records: json::read(path, &bytes)?, notes: Vec::new() })
}

/// Returns `report` if it has rows.
///
/// # Errors
/// [`Error::Usage`] with `path` if it has none.
pub fn with_rows(path: &Path, report: Parsed) -> Result<Parsed> {
    if report.records.is_empty() {
        return Err(Error::Usage(format!("{} has no rows: name a report that has some", path.display())));
    }
    Ok(report)
}

/// The paths of all reports (`.csv` or `.json`) in a folder and its subfolders, sorted.
///
/// # Errors
/// [`Error::Io`] if a folder cannot be read, [`Error::Usage`] if there is no report.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    collect(folder, &mut files)?;
    if files.is_empty() {
        return Err(Error::Usage(format!(
            "{} contains no report: no file in it ends in .csv or .json",
            folder.display()
        )));
    }
    files.sort();
    Ok(files)
}

/// Whether the file name ends in `.csv` or `.json`.
#[must_use]
pub fn is_report_name(path: &Path) -> bool {
    has_ending(path, "csv") || has_ending(path, "json")
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).map_err(|source| unreadable(folder, source))? {
        let path = entry.map_err(|source| unreadable(folder, source))?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if is_report_name(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether the file has the extension `ending`.
#[must_use]
pub fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending))
}

/// A CSV header never starts with a bracket.
fn is_json(start: &[u8]) -> bool {
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    matches!(text.trim_ascii_start().first(), Some(b'[' | b'{'))
}

fn unreadable(path: &Path, source: std::io::Error) -> Error {
    Error::Io { action: "read", path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Record;

    #[test]
    fn a_report_is_known_by_its_content_or_its_ending() {
        let records = vec![Record { benchmark: "tiled".to_owned(), ..Record::default() }];
        let (csv, json) = (csv::write(&records), json::write(&records));
        let marked = [b"\xef\xbb\xbf\n ", &json[..]].concat();
        for (name, bytes) in [("r.csv", &csv), ("r.txt", &csv), ("r.JSON", &json), ("r.csv", &json), ("r", &marked)] {
            assert_eq!(read(Path::new(name), &bytes[..]).expect(name).records, records, "{name}");
        }
        let cut = read(Path::new("r.json"), &b""[..]).expect_err("empty").to_string();
        assert_eq!(cut, "r.json, line 1: the file is cut off");
    }

    #[test]
    fn a_folder_gives_its_reports_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join("b");
        std::fs::create_dir(&below).expect("created");
        assert!(files(folder.path()).expect_err("empty").to_string().ends_with("no file in it ends in .csv or .json"));
        let names = ["a.csv", "b/c.json", "b/d.CSV", "c.csv"].map(|name| folder.path().join(name));
        names
            .iter()
            .chain([&folder.path().join("notes.md")])
            .for_each(|path| std::fs::write(path, "").expect("written"));
        assert_eq!(files(folder.path()).expect("reports"), names);
        assert!(open(&below).expect_err("a folder").chain().starts_with("cannot read "));
    }

    #[test]
    fn a_report_without_rows_is_refused() {
        let empty = with_rows(Path::new("r.csv"), Parsed::default()).expect_err("no rows").to_string();
        assert_eq!(empty, "r.csv has no rows: name a report that has some");
    }
}
