//! Splits bytes into rows of fields, holding one row at a time.

use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use csv_core::ReadRecordResult;

use record::error::{Error, Result};

/// Maximum length of a row in bytes.
const LONGEST: usize = 1 << 20;

/// The fields of one row, unquoted.
#[derive(Debug, Default)]
pub(super) struct Fields {
    /// Line of the row's start, counted from 1.
    pub line: u64,
    /// Whether the input ended inside the row.
    pub is_cut: bool,
    bytes: Vec<u8>,
    ends: Vec<usize>,
    count: usize,
}

impl Fields {
    pub(super) const fn len(&self) -> usize {
        self.count
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.count).map(|index| self.get(index))
    }

    fn get(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }
}

/// Splits `source` into rows. Lines end in LF, CR LF or CR.
pub(super) struct Splitter<R> {
    path: PathBuf,
    source: BufReader<R>,
    core: csv_core::Reader,
    /// Line number of the next byte.
    line: u64,
    was_return: bool,
}

impl<R: Read> Splitter<R> {
    pub(super) fn new(path: &Path, source: R) -> Self {
        Self {
            path: path.to_owned(),
            source: BufReader::with_capacity(1 << 16, source),
            core: csv_core::Reader::new(),
            line: 1,
            was_return: false,
        }
    }

    /// Reads the next row into `row`; `false` at the end of the input. [`Error::Io`] if the source fails,
    /// [`Error::Report`] if the row is too long.
    pub(super) fn next(&mut self, row: &mut Fields) -> Result<bool> {
        let (mut length, mut has_started) = (0, false);
        (row.count, row.is_cut) = (0, false);
        loop {
            let input = match self.source.fill_buf() {
                Ok(input) => input,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(source) => return Err(Error::io("read", &self.path)(source)),
            };
            let is_end = input.is_empty();
            let (result, consumed, written, ended) =
                self.core.read_record(input, &mut row.bytes[length..], &mut row.ends[row.count..]);
            for byte in &input[..consumed] {
                let is_line_end = matches!(byte, b'\n' | b'\r');
                if !has_started && !is_line_end {
                    (has_started, row.line) = (true, self.line);
                }
                // CR LF is one line end.
                self.line += u64::from(is_line_end && !(*byte == b'\n' && self.was_return));
                self.was_return = *byte == b'\r';
            }
            self.source.consume(consumed);
            length += written;
            row.count += ended;
            match result {
                ReadRecordResult::Record => {
                    row.is_cut = is_end;
                    return Ok(true);
                }
                ReadRecordResult::End => return Ok(false),
                ReadRecordResult::InputEmpty if is_end => return Ok(false),
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull if length.max(row.count) >= LONGEST => {
                    let message = "a row exceeds 1 MiB: the file is not a report, or a quote is not closed".to_owned();
                    return Err(Error::Report { path: self.path.clone(), line: row.line.max(1), message });
                }
                ReadRecordResult::OutputFull => row.bytes.resize((2 * row.bytes.len()).clamp(1024, LONGEST), 0),
                ReadRecordResult::OutputEndsFull => row.ends.resize((2 * row.ends.len()).clamp(64, LONGEST), 0),
            }
        }
    }
}
