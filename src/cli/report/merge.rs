//! `report -o all.csv`: many reports in one file.

use std::collections::HashSet;
use std::hash::{BuildHasher, Hash, RandomState};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::Ordering;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::arguments::Arguments;
use crate::cli::interrupt;
use crate::cli::output::{complain, print, say};
use crate::cli::outputs::{check_different, check_new};
use crate::cli::reports::{Streamed, stream};
use answers::report::{Output, csv, reader};
use record::Record;
use record::error::{Error, Result, shown, usage};
use record::format::plural;

/// Whether the merged file is compressed, by its extension.
fn is_packed(path: &Path) -> Result<bool> {
    if !reader::has_ending(path, "csv") {
        return Err(usage!("{} is not a CSV file name: name a file that ends in .csv or .csv.gz", shown(path)));
    }
    Ok(path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz")))
}

/// Writes the rows of the reports to the file of `--out`, and returns the exit code.
pub(super) fn merge(arguments: &Arguments) -> Result<u8> {
    let files = arguments.files()?;
    let unnamed = || usage!("--format csv needs a file name, for example --out all.csv.gz");
    let path = arguments.out.as_deref().ok_or_else(unnamed)?;
    let is_packed = is_packed(path)?;
    check_new(path, arguments.force, "name another file with --out")?;
    files.iter().try_for_each(|file| check_different(("FILE", file), ("--out", path)))?;
    let output = if arguments.force { Output::open(path)? } else { Output::open_new(path)? };
    let (mut rows, mut read, mut known) = (0, Streamed::default(), Known::default());
    // A signal must not leave the temporary file behind.
    let is_interrupted = interrupt::flag()?;
    output.replace_by(|file| {
        let fault = || Error::io("write", path);
        let mut sink = Sink::new(is_packed, file).map_err(fault())?;
        read = stream(&files, output.file(), |mut records| {
            if is_interrupted.load(Ordering::Relaxed) {
                return Err(Error::Undecided("interrupted: nothing was written".to_owned()));
            }
            records.retain(|row| known.is_new(row));
            if arguments.anonymous {
                records.iter_mut().for_each(Record::anonymize);
            }
            rows += records.len();
            sink.write(&csv::write_rows(&records)).map_err(fault())
        })?;
        if rows == 0 {
            return Err(usage!("these reports have no rows"));
        }
        sink.finish().map_err(fault())
    })?;
    if known.repeated > 0 {
        let repeat = plural(known.repeated, "duplicate row is", "duplicate rows are");
        say(&format!("{repeat} left out"));
    }
    print(&format!(
        "{}: {} of {}\n",
        shown(path),
        plural(rows, "row", "rows"),
        plural(read.files, "report", "reports")
    ))?;
    if read.unreadable > 0 {
        let files = plural(read.unreadable, "unreadable file is", "unreadable files are");
        complain(&format!("error: {files} missing from {}", shown(path)));
        return Ok(1);
    }
    Ok(0)
}

/// 128-bit hashes of the rows so far: a run's CSV and JSON reports have the same rows.
#[derive(Default)]
struct Known {
    hashes: HashSet<u128>,
    hashers: [RandomState; 2],
    repeated: usize,
}

impl Known {
    fn is_new(&mut self, row: &Record) -> bool {
        let hash = |hasher: &RandomState| u128::from(hasher.hash_one(Fingerprint(row)));
        let [high, low] = &self.hashers;
        let is_new = self.hashes.insert(hash(high) << 64 | hash(low));
        self.repeated += usize::from(!is_new);
        is_new
    }
}

/// A row, hashed by what distinguishes measurements.
struct Fingerprint<'a>(&'a Record);

impl Hash for Fingerprint<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let row = self.0;
        let texts = [&row.tool_version, &row.date, &row.driver, &row.device, &row.card, &row.host, &row.compiler];
        let case = (&row.family, &row.benchmark, row.dtype, row.n, row.backend, row.workgroup_size);
        let figures = [row.median_ns, row.min_ns, row.mean_ns, row.drift, row.canary_ns];
        let bits = |value: &f64| value.to_bits();
        (texts, case, row.status.name(), &row.reason, row.samples, row.launches).hash(state);
        row.params.iter().for_each(|(name, value)| (name, bits(value)).hash(state));
        figures.map(|figure| figure.as_ref().map(bits)).hash(state);
        row.epochs_ns.iter().map(bits).for_each(|bits| bits.hash(state));
    }
}

/// The merged file, possibly compressed.
enum Sink<'a> {
    Plain(BufWriter<&'a mut (dyn Write + Send)>),
    Packed(GzEncoder<BufWriter<&'a mut (dyn Write + Send)>>),
}

impl<'a> Sink<'a> {
    fn new(is_packed: bool, file: &'a mut (dyn Write + Send)) -> std::io::Result<Self> {
        let file = BufWriter::new(file);
        let mut sink =
            if is_packed { Self::Packed(GzEncoder::new(file, Compression::fast())) } else { Self::Plain(file) };
        sink.write(&csv::write(&[]))?;
        Ok(sink)
    }

    fn write(&mut self, text: &[u8]) -> std::io::Result<()> {
        match self {
            Self::Plain(file) => file.write_all(text),
            Self::Packed(file) => file.write_all(text),
        }
    }

    fn finish(self) -> std::io::Result<()> {
        let finished = match self {
            Self::Plain(file) => Ok(file),
            Self::Packed(file) => file.finish(),
        };
        finished.and_then(|mut file| file.flush())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_tells_the_format() {
        let packed = |name: &str| is_packed(Path::new(name)).ok();
        assert_eq!([packed("a.CSV"), packed("a.csv.gz"), packed("a.csv.GZ")], [Some(false), Some(true), Some(true)]);
        assert_eq!([packed("a.json"), packed("a.parquet"), packed("a"), packed("a.json.gz")], [None; 4]);
    }

    #[test]
    fn only_copies_of_a_row_are_known() {
        let row = Record { date: "today".to_owned(), median_ns: Some(1.0), epochs_ns: vec![1.0], ..Record::default() };
        let mut known = Known::default();
        assert!(known.is_new(&row) && !known.is_new(&row.clone()));
        for other in [
            Record { median_ns: Some(2.0), ..row.clone() },
            Record { epochs_ns: vec![1.0, 2.0], ..row.clone() },
            Record { host: "b".to_owned(), ..row.clone() },
            Record { params: [("PAD".to_owned(), 1.0)].into(), ..row.clone() },
            Record { reason: "slow".to_owned(), ..row.clone() },
        ] {
            assert!(known.is_new(&other), "{other:?}");
        }
        assert_eq!(known.repeated, 1);
    }
}
