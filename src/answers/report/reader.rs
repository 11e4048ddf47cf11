//! Reads reports (CSV or JSON, optionally gzipped) from files, bytes or folders.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;

use super::limited::{Limited, MOST_BYTES, too_large};
use super::{csv, json};
pub use csv::Parsed;
use record::error::{Error, Result, shown, usage};

/// Reads the report in the file at `path`; see [`read`].
///
/// # Errors
/// [`Error::Io`] if the file cannot be read or is larger than 256 MiB, and the errors of [`read`].
pub fn open(path: &Path) -> Result<Parsed> {
    let file = File::open(path).map_err(Error::io("read", path))?;
    // A pipe has no length; its bytes are counted while reading.
    if file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() > MOST_BYTES) {
        return Err(Error::io("read", path)(too_large()));
    }
    read(path, file)
}

/// Reads a report from `source`: JSON if `path` ends in `.json` or the text starts as JSON, else CSV. A gzip file is
/// unpacked. Both formats follow the same rules, see [`csv::read`].
///
/// # Errors
/// The errors of [`csv::read`] and [`json::read`], which name `path`; [`Error::Report`] for a file of another kind;
/// [`Error::Io`] for more than 256 MiB, packed or unpacked.
pub fn read(path: &Path, source: impl Read) -> Result<Parsed> {
    let mut source = Limited::new(source);
    let start = start(path, &mut source)?;
    if let Some(message) = foreign(&start) {
        return Err(Error::Report { path: path.to_owned(), line: 1, message });
    }
    if !start.starts_with(GZIP) {
        return text(path, &start, source);
    }
    let mut unpacked = Limited::new(MultiGzDecoder::new(BufReader::new(start.chain(source))));
    let start = self::start(path, &mut unpacked)?;
    text(path, &start, unpacked)
}

fn text(path: &Path, start: &[u8], rest: impl Read) -> Result<Parsed> {
    let mut source = start.chain(rest);
    if !has_ending(path, "json") && !is_json(start) {
        return csv::read(path, source);
    }
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes).map_err(Error::io("read", path))?;
    json::read(path, &bytes)
}

/// The first bytes of a source, which a pipe may deliver one by one.
fn start(path: &Path, source: &mut impl Read) -> Result<Vec<u8>> {
    const LENGTH: u64 = 64;
    let mut start = Vec::new();
    source.take(LENGTH).read_to_end(&mut start).map_err(Error::io("read", path))?;
    Ok(start)
}

/// First bytes of a gzip file (RFC 1952).
const GZIP: &[u8] = b"\x1f\x8b";

/// If the file is certainly not a report: its kind, and what to do.
fn foreign(start: &[u8]) -> Option<String> {
    const PACKED: [(&[u8], &str); 6] = [
        (b"PK\x03\x04", "zip"),
        (b"\xfd7zXZ\0", "xz"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"BZh", "bzip2"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"Rar!", "rar"),
    ];
    let packed = PACKED.iter().find(|(magic, _)| start.starts_with(magic));
    if let Some((_, name)) = packed {
        return Some(format!("a {name} archive, not a report: unpack the archive, or compress the report with gzip"));
    }
    if start.starts_with(b"PAR1") {
        return Some("a Parquet file, not a report: export the rows as CSV (docs/fleet.md shows how)".to_owned());
    }
    let text = start.trim_ascii_start().to_ascii_lowercase();
    let is_page = text.starts_with(b"<!doctype html") || text.starts_with(b"<html");
    is_page.then(|| "a web page, not a report: download the file itself (its \"raw\" link)".to_owned())
}

/// Returns `report` if it has rows.
///
/// # Errors
/// [`Error::Usage`] with `path` if it has none.
pub fn with_rows(path: &Path, report: Parsed) -> Result<Parsed> {
    if report.records.is_empty() {
        return Err(usage!("{} has no rows: name a report with rows", shown(path)));
    }
    Ok(report)
}

/// The reports of a folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Folder {
    /// The paths of all reports (by their names) in the folder and its subfolders, sorted.
    pub reports: Vec<PathBuf>,
    /// What was left out, one sentence each.
    pub notes: Vec<String>,
}

/// The reports (`.csv` or `.json`, optionally with `.gz`) in `folder`, searching each subfolder once. Follows links.
///
/// # Errors
/// [`Error::Io`] if the folder cannot be read, [`Error::Usage`] if there is no report.
pub fn files(folder: &Path) -> Result<Folder> {
    let (mut found, mut entries) = (Folder::default(), 0);
    collect(folder, 0, &mut HashSet::new(), &mut entries, &mut found)?;
    if entries > MOST_ENTRIES {
        let folder = shown(folder);
        return Err(usage!(
            "{folder} has more than {MOST_ENTRIES} files and folders: name a folder of reports inside it"
        ));
    }
    if found.reports.is_empty() {
        return Err(usage!("{} contains no report: no file in the folder ends in .csv or .json", shown(folder)));
    }
    found.reports.sort();
    Ok(found)
}

/// Whether the file name ends in `.csv` or `.json`, optionally with `.gz`.
#[must_use]
pub fn is_report_name(path: &Path) -> bool {
    has_ending(path, "csv") || has_ending(path, "json")
}

/// Maximum number of files and folders to search: more are probably the root of a disk.
const MOST_ENTRIES: usize = 200_000;

/// Maximum nesting of folders to search.
const MOST_FOLDERS: usize = 32;

fn collect(
    folder: &Path,
    depth: usize,
    seen: &mut HashSet<PathBuf>,
    entries: &mut usize,
    found: &mut Folder,
) -> Result<()> {
    if depth > MOST_FOLDERS {
        let folder: String = shown(folder).chars().take(80).collect();
        found.notes.push(format!("skipped a folder nested more than {MOST_FOLDERS} levels deep: {folder}…"));
        return Ok(());
    }
    let whole = folder.canonicalize().map_err(Error::io("read", folder))?;
    if !seen.insert(whole) {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder).map_err(Error::io("read", folder))? {
        let path = entry.map_err(Error::io("read", folder))?.path();
        *entries += 1;
        if *entries > MOST_ENTRIES {
            break;
        }
        let kind = path.metadata().map(|metadata| metadata.file_type());
        match kind {
            Ok(kind) if kind.is_dir() => {
                if let Err(error) = collect(&path, depth + 1, seen, entries, found) {
                    found.notes.push(format!("skipped a folder: {}", error.chain()));
                }
            }
            _ if !is_report_name(&path) => {}
            // A pipe in a folder might never end.
            Ok(kind) if !kind.is_file() => {
                found.notes.push(format!("skipped {}: neither a file nor a folder", shown(&path)));
            }
            _ => found.reports.push(path),
        }
    }
    Ok(())
}

/// Whether the file has the extension `ending`, possibly followed by `.gz`.
#[must_use]
pub fn has_ending(path: &Path, ending: &str) -> bool {
    let is = |path: &Path, ending: &str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending));
    is(path, ending) || is(path, "gz") && is(Path::new(path.file_stem().unwrap_or_default()), ending)
}

/// A CSV header never starts with a bracket.
fn is_json(start: &[u8]) -> bool {
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    matches!(text.trim_ascii_start().first(), Some(b'[' | b'{'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Record;

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
        let empty = files(folder.path()).expect_err("empty").to_string();
        assert!(empty.ends_with("no file in the folder ends in .csv or .json"), "{empty}");
        let names = ["a.csv", "b/c.json", "b/d.CSV", "c.csv"].map(|name| folder.path().join(name));
        names
            .iter()
            .chain([&folder.path().join("notes.md")])
            .for_each(|path| std::fs::write(path, "").expect("written"));
        assert_eq!(files(folder.path()).expect("reports"), Folder { reports: names.into(), notes: Vec::new() });
        assert!(open(&below).expect_err("a folder").chain().starts_with("cannot read "));
    }

    #[test]
    fn a_report_without_rows_is_refused() {
        let empty = with_rows(Path::new("r.csv"), Parsed::default()).expect_err("no rows").to_string();
        assert_eq!(empty, "r.csv has no rows: name a report with rows");
    }

    fn packed(source: impl Read) -> Vec<u8> {
        let mut packed = Vec::new();
        let mut encoder = flate2::read::GzEncoder::new(source, flate2::Compression::fast());
        encoder.read_to_end(&mut packed).expect("packed");
        packed
    }

    #[test]
    fn a_gzip_file_is_unpacked_whatever_its_name() {
        let records = vec![Record { benchmark: "tiled".to_owned(), ..Record::default() }];
        let (csv, json) = (packed(&csv::write(&records)[..]), packed(&json::write(&records)[..]));
        for (name, bytes) in [("r.csv.gz", &csv), ("r.csv", &csv), ("r.JSON.GZ", &json), ("r", &json)] {
            assert_eq!(read(Path::new(name), &bytes[..]).expect(name).records, records, "{name}");
            assert!(name == "r" || is_report_name(Path::new(name)));
        }
        assert!(!is_report_name(Path::new("r.gz")) && !is_report_name(Path::new("csv.gz")));
        let members = [csv.clone(), packed(&csv::write_rows([&Record::default()])[..])].concat();
        assert_eq!(read(Path::new("r.csv.gz"), &members[..]).expect("both members").records.len(), 2);
        let cut = read(Path::new("r.csv.gz"), &csv[..csv.len() / 2]).expect_err("cut off").chain();
        assert!(cut.starts_with("cannot read 'r.csv.gz': "), "{cut}");
    }

    #[test]
    fn another_kind_of_file_is_called_by_its_name() {
        for (start, name) in [
            (&b"PK\x03\x04\x14\0"[..], "a zip archive"),
            (b"\xfd7zXZ\0\0", "a xz archive"),
            (b"\x28\xb5\x2f\xfd\x04", "a zstd archive"),
            (b"BZh91AY", "a bzip2 archive"),
            (b"\n<!DOCTYPE html><html>", "a web page"),
        ] {
            let error = read(Path::new("r.csv"), start).expect_err(name).to_string();
            assert!(error.starts_with(&format!("r.csv, line 1: {name}, not a report: ")), "{error}");
        }
    }

    #[test]
    fn more_bytes_than_a_report_has_are_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("large.csv");
        let file = File::create(&path).expect("created");
        file.set_len(MOST_BYTES + 1).expect("a sparse file");
        let message = "the report is larger than 256 MiB; split it by device or by run, or give the folder of the reports \
                       that it was merged from";
        assert!(open(&path).expect_err("too large").chain().ends_with(message));
        let endless = || std::io::repeat(b' ');
        let error = read(Path::new("r.json"), endless()).expect_err("endless").chain();
        assert_eq!(error, format!("cannot read 'r.json': {message}"));
        let bomb = packed(endless().take(MOST_BYTES + 1));
        assert!(bomb.len() < 4 << 20, "{}", bomb.len());
        assert_eq!(read(Path::new("r.json"), &bomb[..]).expect_err("a bomb").chain(), error);
        // Short lines: no single row is too long.
        let mut rows = b"status,family,benchmark\n".to_vec();
        rows.resize(1 << 20, b'\n');
        let many = std::io::repeat(b'\n');
        let error = read(Path::new("r.csv"), rows.as_slice().chain(many)).expect_err("endless").chain();
        assert_eq!(error, format!("cannot read 'r.csv': {message}"));
    }

    #[test]
    #[cfg(unix)]
    fn a_folder_that_links_to_itself_is_searched_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let report = folder.path().join("a.csv");
        std::fs::write(&report, "").expect("written");
        std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).expect("linked");
        std::os::unix::fs::symlink("nowhere", folder.path().join("dangling.csv")).expect("linked");
        let found = files(folder.path()).expect("reports");
        assert_eq!(found.reports, [report, folder.path().join("dangling.csv")]);
        assert!(open(&found.reports[1]).is_err());
    }
}
