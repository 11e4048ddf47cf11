//! Writes report files: replaces the whole file, or appends rows.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::csv;
use crate::error::{Error, Result};
use crate::results::Record;

/// Writes `text` to a temporary file in the same folder and renames it to `path`. Readers of `path` see either the old
/// or the new text, never a part.
///
/// # Errors
/// [`Error::Io`] with the path.
pub fn replace_file(path: &Path, text: &[u8]) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    let mut file = File::create(&part).map_err(io("create", &part))?;
    file.write_all(text).and_then(|()| file.sync_data()).map_err(io("write", &part))?;
    std::fs::rename(&part, path).map_err(io("rename to", path))?;
    sync_folder(path);
    Ok(())
}

/// Syncs the folder, so that the renamed file survives a crash. Errors are ignored: some file systems cannot sync a
/// folder.
fn sync_folder(path: &Path) {
    if cfg!(unix) {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
}

fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Io { action, path, source }
}

/// A CSV report that is updated after each case. New rows are appended; if an earlier row changes, the whole file is
/// replaced. After a crash, at most the rows being written are lost.
pub struct CsvFile {
    path: PathBuf,
    /// Rows that precede the updated rows.
    before: Vec<Record>,
    /// Number of updated rows in the file.
    rows: usize,
    /// Whether the updated rows are in order.
    is_sorted: bool,
}

impl CsvFile {
    /// Writes `before` and `records` to `path` and overwrites any existing file.
    ///
    /// # Errors
    /// [`Error::Io`] with the path.
    pub fn create(path: &Path, before: Vec<Record>, records: &[Record]) -> Result<Self> {
        let mut file = Self { path: path.to_owned(), before, rows: 0, is_sorted: true };
        file.replace(records)?;
        Ok(file)
    }

    /// Updates the file to `records`. `added` has the indices of the new rows, in any order. `has_changed` states
    /// whether other rows changed.
    ///
    /// # Errors
    /// [`Error::Io`] with the path.
    pub fn update(&mut self, records: &[Record], added: &[usize], has_changed: bool) -> Result<()> {
        if has_changed || !self.is_there() {
            return self.replace(records);
        }
        let fresh: Vec<Record> = added.iter().map(|at| records[*at].clone()).collect();
        self.is_sorted &= added.iter().copied().eq(self.rows..records.len());
        self.append(&fresh)
    }

    /// Rewrites the file in the order of `records` if rows were appended in another order.
    ///
    /// # Errors
    /// [`Error::Io`] with the path.
    pub fn sort(&mut self, records: &[Record]) -> Result<()> {
        if self.is_sorted { Ok(()) } else { self.replace(records) }
    }

    /// Appends `records`.
    ///
    /// # Errors
    /// [`Error::Io`] with the path.
    pub fn append(&mut self, records: &[Record]) -> Result<()> {
        let mut file = OpenOptions::new().append(true).open(&self.path).map_err(io("open", &self.path))?;
        // A hanging driver can take down the machine, so sync the rows to disk now.
        let written = file.write_all(&csv::write_rows(records)).and_then(|()| file.sync_data());
        written.map_err(io("write", &self.path))?;
        self.rows += records.len();
        Ok(())
    }

    fn replace(&mut self, records: &[Record]) -> Result<()> {
        (self.rows, self.is_sorted) = (records.len(), true);
        replace_file(&self.path, &csv::write(self.before.iter().chain(records)))
    }

    /// Whether the file still exists.
    fn is_there(&self) -> bool {
        !matches!(self.path.metadata(), Err(error) if error.kind() == ErrorKind::NotFound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Extent;

    fn rows(count: usize) -> Vec<Record> {
        (1..=count as u64).map(|n| Record { n: Some(Extent::Linear(n)), ..Record::default() }).collect()
    }

    fn read(path: &Path) -> Vec<Record> {
        csv::open(path).expect("a report").records
    }

    /// The inode: it changes if another file replaces this one.
    #[cfg(unix)]
    fn file_number(path: &Path) -> u64 {
        std::os::unix::fs::MetadataExt::ino(&path.metadata().expect("there"))
    }

    #[test]
    #[cfg(unix)]
    fn rows_are_appended_and_replace_the_file_only_where_earlier_ones_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("r.csv");
        let before = vec![Record { device: "another".to_owned(), ..Record::default() }];
        let mut file = CsvFile::create(&path, before.clone(), &[]).expect("created");
        let number = file_number(&path);
        let mut records = rows(3);
        for count in 1..=3 {
            file.update(&records[..count], &[count - 1], false).expect("appended");
            assert_eq!(read(&path), [&before[..], &records[..count]].concat());
        }
        assert_eq!(file_number(&path), number, "the same file");
        records[1].share = Some(0.5);
        records.push(Record { n: Some(Extent::Linear(4)), ..Record::default() });
        file.update(&records, &[3], true).expect("replaced");
        assert_ne!(file_number(&path), number, "another file");
        assert_eq!(read(&path), [before, records].concat());
        assert_eq!(std::fs::read_dir(folder.path()).expect("readable").count(), 1, "nothing else is left");
    }

    #[test]
    fn rows_that_come_in_another_order_are_appended_and_sorted_in_the_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("r.csv");
        let mut file = CsvFile::create(&path, Vec::new(), &[]).expect("created");
        let records = rows(3);
        let [first, second, third] = &records[..] else { panic!("three rows") };
        file.update(&records[1..2], &[0], false).expect("appended");
        file.update(&records[1..], &[1], false).expect("appended");
        file.update(&records, &[0], false).expect("appended");
        assert_eq!(read(&path), [second.clone(), third.clone(), first.clone()]);
        file.sort(&records).expect("sorted");
        assert_eq!(read(&path), records);
    }

    #[test]
    fn a_file_that_was_taken_away_is_written_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("r.csv");
        let records = rows(3);
        let mut file = CsvFile::create(&path, Vec::new(), &records[..2]).expect("created");
        std::fs::remove_file(&path).expect("removed");
        file.update(&records, &[2], false).expect("written");
        assert_eq!(read(&path), records);
    }
}
