//! Writes report files: replaces the whole file, or appends rows.

mod lock;
mod output;

use std::fs::{Metadata, OpenOptions};
use std::io::{ErrorKind, Write};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::csv;
pub use lock::{Lock, remove_lock_files};
pub use output::{Output, Target, check_folder, free_path, replace_file, write_file};
use record::Record;
use record::error::{Error, Result};

/// A CSV report that is updated after each case. New rows are appended; if an earlier row changes, the whole file is
/// replaced. After a crash, at most the rows being written are lost. A device or pipe receives all rows at the end.
pub struct CsvFile {
    output: Output,
    /// Rows that precede the updated rows.
    before: Vec<Record>,
    /// The updated rows, for a device or pipe.
    pending: Vec<Record>,
    /// Number of updated rows in the file.
    rows: usize,
    /// Whether the updated rows are in order.
    is_sorted: bool,
    /// The file as last written; `None` if it may contain part of a write.
    known: Option<(Mark, Sha256)>,
}

/// Distinguishes the file from another one at its path, and from its own earlier states.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mark {
    number: (u64, u64),
    length: u64,
    modified: Option<SystemTime>,
}

impl Mark {
    fn of(found: &Metadata) -> Self {
        #[cfg(unix)]
        let number = output::number(found);
        #[cfg(not(unix))]
        let number = (0, 0);
        Self { number, length: found.len(), modified: found.modified().ok() }
    }
}

impl CsvFile {
    /// Writes `before` and `records` to `output` and overwrites any existing file.
    ///
    /// # Errors
    /// [`Error::Io`] with the path.
    pub fn create(output: Output, before: Vec<Record>, records: &[Record]) -> Result<Self> {
        let mut file = Self { output, before, pending: Vec::new(), rows: 0, is_sorted: true, known: None };
        file.replace(records)?;
        Ok(file)
    }

    /// The output; a new file beside the first one if another program has replaced that.
    #[must_use]
    pub const fn output(&self) -> &Output {
        &self.output
    }

    /// Updates the file to `records`. `added`: indices of new rows, in any order. `has_changed`: whether other rows
    /// changed.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] with the path. If another program has replaced the file, the rows go into a new file, named in the
    /// error.
    pub fn update(&mut self, records: &[Record], added: &[usize], has_changed: bool) -> Result<()> {
        if has_changed || self.output.file().is_none() || !self.is_there() || self.is_foreign() {
            return self.replace(records);
        }
        let fresh: Vec<Record> = added.iter().map(|at| records[*at].clone()).collect();
        self.is_sorted &= added.iter().copied().eq(self.rows..records.len());
        self.append(&fresh)
    }

    /// Completes the file: rewrites it in the order of `records` if rows were appended in another order.
    ///
    /// # Errors
    /// As for [`Self::update`].
    pub fn finish(&mut self, records: &[Record]) -> Result<()> {
        if self.output.file().is_none() {
            // Earlier cards have written their rows.
            return self.output.replace(&csv::write(records));
        }
        if self.is_sorted && !self.is_foreign() { Ok(()) } else { self.replace(records) }
    }

    fn append(&mut self, records: &[Record]) -> Result<()> {
        let path = self.output.file().unwrap_or(self.output.path());
        let fault = Error::io("write", self.output.path());
        let text = csv::write_rows(records);
        let known = self.known.take();
        let mut options = OpenOptions::new();
        // Do not follow a link that another program may have put here: it may lead to somebody else's file.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW);
        let written = options.append(true).open(path).and_then(|mut file| {
            let length = file.metadata()?.len();
            // A hanging driver can take down the machine, so sync the rows to disk now.
            let written = file.write_all(&text).and_then(|()| file.sync_data());
            // A full disk may take part of a row, and later rows would continue its line: cut that part off.
            if written.is_err() {
                file.set_len(length)?;
            }
            written.and_then(|()| file.metadata())
        });
        let found = written.map_err(fault)?;
        self.known = known.map(|(_, hash)| (Mark::of(&found), hash.chain_update(&text)));
        self.rows += records.len();
        Ok(())
    }

    fn replace(&mut self, records: &[Record]) -> Result<()> {
        if self.output.file().is_none() {
            self.pending = records.to_vec();
            return Ok(());
        }
        let foreign = self.is_foreign().then(|| self.output.path().to_owned());
        if let Some(path) = &foreign {
            self.output = Output::open_new(&free_path(path))?;
        }
        let text = csv::write(self.before.iter().chain(records));
        // Set only after a successful write: after an error, the file does not have these rows.
        self.output.replace(&text)?;
        (self.rows, self.is_sorted) = (records.len(), true);
        let found = self.output.file().and_then(|path| path.symlink_metadata().ok());
        self.known = found.map(|found| (Mark::of(&found), Sha256::new_with_prefix(&text)));
        let Some(path) = foreign else { return Ok(()) };
        let beside = self.output.path().display();
        let why = format!("another program replaced this file, so it is not overwritten: the rows are in {beside}");
        Err(Error::Io { action: "write", path, source: std::io::Error::new(ErrorKind::AlreadyExists, why) })
    }

    /// Whether another program has replaced or changed the file since it was last written.
    fn is_foreign(&mut self) -> bool {
        let (Some((mark, hash)), Some(path)) = (&mut self.known, self.output.file()) else { return false };
        let Ok(found) = path.symlink_metadata() else { return false };
        let now = Mark::of(&found);
        // Some file systems renumber their files: compare the content.
        let is_same = now == *mark
            || found.is_file() && std::fs::read(path).is_ok_and(|text| Sha256::digest(text) == hash.clone().finalize());
        if is_same {
            *mark = now;
        }
        !is_same
    }

    fn is_there(&self) -> bool {
        let path = self.output.file().unwrap_or(self.output.path());
        !matches!(path.metadata(), Err(error) if error.kind() == ErrorKind::NotFound)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use record::suite::Extent;

    fn open(path: &Path) -> Output {
        Output::open(path).expect("writable")
    }

    fn rows(count: usize) -> Vec<Record> {
        (1..=count as u64).map(|n| Record { n: Some(Extent::Linear(n)), ..Record::default() }).collect()
    }

    fn read(path: &Path) -> Vec<Record> {
        csv::open(path).expect("a report").records
    }

    /// The inode, which changes if another file replaces this one.
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
        let mut file = CsvFile::create(open(&path), before.clone(), &[]).expect("created");
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
        let mut file = CsvFile::create(open(&path), Vec::new(), &[]).expect("created");
        let records = rows(3);
        let [first, second, third] = &records[..] else { panic!("three rows") };
        file.update(&records[1..2], &[0], false).expect("appended");
        file.update(&records[1..], &[1], false).expect("appended");
        file.update(&records, &[0], false).expect("appended");
        assert_eq!(read(&path), [second.clone(), third.clone(), first.clone()]);
        file.finish(&records).expect("sorted");
        assert_eq!(read(&path), records);
    }

    #[test]
    fn a_file_that_was_taken_away_is_written_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("r.csv");
        let records = rows(3);
        let mut file = CsvFile::create(open(&path), Vec::new(), &records[..2]).expect("created");
        std::fs::remove_file(&path).expect("removed");
        file.update(&records, &[2], false).expect("written");
        assert_eq!(read(&path), records);
    }

    #[test]
    fn a_file_that_another_program_moves_over_the_report_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, beside) = (folder.path().join("r.csv"), folder.path().join("r-2.csv"));
        let records = rows(3);
        let mut file = CsvFile::create(open(&path), Vec::new(), &records[..1]).expect("created");
        // A copy with the same text is not foreign.
        let copy = folder.path().join("copy");
        std::fs::copy(&path, &copy).expect("copied");
        std::fs::rename(&copy, &path).expect("moved");
        file.update(&records[..2], &[1], false).expect("appended");
        assert_eq!(read(&path), records[..2]);
        std::fs::write(&copy, "mine").expect("written");
        std::fs::rename(&copy, &path).expect("moved");
        let fault = file.update(&records, &[2], false).expect_err("foreign").chain();
        assert!(fault.ends_with(&format!("so it is not overwritten: the rows are in {}", beside.display())), "{fault}");
        file.finish(&records).expect("in the new file");
        assert_eq!((std::fs::read_to_string(&path).expect("there").as_str(), read(&beside)), ("mine", records));
    }

    #[test]
    fn a_file_that_another_program_creates_meanwhile_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("r.json");
        let output = Output::open_new(&path).expect("writable");
        std::fs::write(&path, "mine").expect("written");
        let fault = output.replace(b"rows").expect_err("it is there");
        assert!(fault.chain().ends_with("in the meantime, so it is not overwritten: name another file"), "{fault}");
        assert_eq!(std::fs::read_to_string(&path).expect("there"), "mine");
        std::fs::remove_file(&path).expect("removed");
        // An output replaces a file that it has written itself.
        for text in ["one", "two"] {
            output.replace(text.as_bytes()).expect("written");
            assert_eq!(std::fs::read_to_string(&path).expect("there"), text);
        }
    }
}
