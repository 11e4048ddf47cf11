//! Reads records from Parquet, batch by batch.

use std::borrow::Cow;
use std::fs::File;
use std::path::Path;

use parquet::basic::{ConvertedType, LogicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::fault;
use super::guard::guarded;
use crate::error::{Error, Result};
use crate::report::intake::{Cell, Intake, Parsed, column, quoted};
use crate::results::{Column, Record};

/// Rows that are read at once.
const BATCH: usize = 1 << 13;

/// Most rows of a file that is read as a whole.
const MOST_ROWS: usize = 1 << 20;

/// Reads the whole file.
///
/// # Errors
/// The errors of [`for_each`]; [`Error::Usage`] for more than a million rows, which only `merge` and `outliers` read.
pub fn open(path: &Path) -> Result<Parsed> {
    let mut records = Vec::new();
    let notes = for_each(path, |batch| {
        records.extend(batch);
        if records.len() <= MOST_ROWS {
            return Ok(());
        }
        Err(Error::Usage(format!(
            "{} has more than {MOST_ROWS} rows: only `merge` and `outliers` read so many",
            crate::error::shown(path)
        )))
    })?;
    Ok(Parsed { records, notes })
}

/// Reads the file and hands its rows over in batches. Returns notes for the user. Columns are found by name, as in a CSV;
/// rows that repeat a case are kept.
///
/// # Errors
/// [`Error::Io`] if the file cannot be read or is no Parquet file, [`Error::Report`] with the number of the row for a value
/// that is invalid for its column, and the errors of `each`.
pub fn for_each(path: &Path, mut each: impl FnMut(Vec<Record>) -> Result<()>) -> Result<Vec<String>> {
    let file = File::open(path).map_err(|source| Error::Io { action: "read", path: path.to_owned(), source })?;
    let fault = fault("read", path);
    let reader = guarded(|| SerializedFileReader::new(file)).map_err(&fault)?;
    let (mut notes, mut row) = (Vec::new(), 0);
    for index in 0..reader.num_row_groups() {
        let opened = guarded(|| columns(&*reader.get_row_group(index)?));
        let (mut columns, unknown) = opened.map_err(&fault)?;
        loop {
            let mut intake = Intake::keeping_repeated();
            if row == 0 {
                intake.columns(&unknown, |name| columns.iter().any(|known| known.column.name == name));
            }
            let counts = guarded(|| columns.iter_mut().map(Known::fill).collect::<Result<Vec<usize>, _>>());
            let counts = counts.map_err(&fault)?;
            let count = counts.first().copied().unwrap_or_default();
            if counts.iter().any(|other| *other != count) {
                return Err(fault(ParquetError::General("the columns differ in length".to_owned())));
            }
            for _ in 0..count {
                row += 1;
                let cells: Vec<Cell> = columns.iter_mut().map(|known| (known.column, known.next())).collect();
                let added = intake.row(row, &cells, |_| Ok(()));
                added.map_err(|message| Error::Report { path: path.to_owned(), line: row, message })?;
            }
            let batch = intake.report();
            notes.extend(batch.notes);
            if count == 0 {
                break;
            }
            each(batch.records)?;
        }
    }
    notes.dedup();
    Ok(notes)
}

/// The columns of a row group that this version knows, and the names of the others.
fn columns(group: &dyn RowGroupReader) -> Result<(Vec<Known>, Vec<String>), ParquetError> {
    let (mut known, mut unknown): (Vec<Known>, Vec<String>) = (Vec::new(), Vec::new());
    for index in 0..group.num_columns() {
        let schema = group.metadata().column(index).column_descr_ptr();
        let found = column(schema.name()).filter(|_| schema.path().parts().len() == 1);
        let Some(found) = found.filter(|found| known.iter().all(|other| other.column.name != found.name)) else {
            unknown.push(quoted(&schema.path().string()));
            continue;
        };
        let reader = group.get_column_reader(index)?;
        known.push(Known { column: found, values: Values::new(&schema, reader)?, levels: Vec::new(), at: (0, 0) });
    }
    Ok((known, unknown))
}

/// A column of a row group with the values of the current batch.
struct Known {
    column: &'static Column,
    values: Values,
    /// For each row, whether it has a value; empty if every row must have one.
    levels: Vec<i16>,
    /// The next row and the next value.
    at: (usize, usize),
}

enum Values {
    Text(ColumnReaderImpl<parquet::data_type::ByteArrayType>, Vec<ByteArray>),
    Whole(ColumnReaderImpl<parquet::data_type::Int64Type>, Vec<i64>, bool),
    Short(ColumnReaderImpl<parquet::data_type::Int32Type>, Vec<i32>, bool),
    Real(ColumnReaderImpl<parquet::data_type::DoubleType>, Vec<f64>),
    Single(ColumnReaderImpl<parquet::data_type::FloatType>, Vec<f32>),
}

impl Values {
    fn new(schema: &ColumnDescriptor, reader: ColumnReader) -> Result<Self, ParquetError> {
        let is_unsigned = matches!(schema.logical_type_ref(), Some(LogicalType::Integer(kind)) if !kind.is_signed)
            || matches!(schema.converted_type(), ConvertedType::UINT_64 | ConvertedType::UINT_32);
        match reader {
            ColumnReader::ByteArrayColumnReader(reader) => Ok(Self::Text(reader, Vec::new())),
            ColumnReader::Int64ColumnReader(reader) => Ok(Self::Whole(reader, Vec::new(), is_unsigned)),
            ColumnReader::Int32ColumnReader(reader) => Ok(Self::Short(reader, Vec::new(), is_unsigned)),
            ColumnReader::DoubleColumnReader(reader) => Ok(Self::Real(reader, Vec::new())),
            ColumnReader::FloatColumnReader(reader) => Ok(Self::Single(reader, Vec::new())),
            _ => Err(ParquetError::General(format!(
                "column {} is {}: it must be a text or a number",
                quoted(schema.name()),
                schema.physical_type()
            ))),
        }
    }

    /// The value as a CSV has it; `None` beyond the last one.
    fn get(&self, index: usize) -> Option<Result<Cow<'_, str>, String>> {
        let number = |text: String| Ok(Cow::Owned(text));
        match self {
            Self::Text(_, values) => values.get(index).map(|text| {
                let text = str::from_utf8(text.data()).map_err(|_| "a text is not UTF-8".to_owned())?;
                Ok(Cow::Borrowed(text))
            }),
            Self::Whole(_, values, true) => values.get(index).map(|value| number(value.cast_unsigned().to_string())),
            Self::Whole(_, values, false) => values.get(index).map(|value| number(value.to_string())),
            Self::Short(_, values, true) => values.get(index).map(|value| number(value.cast_unsigned().to_string())),
            Self::Short(_, values, false) => values.get(index).map(|value| number(value.to_string())),
            Self::Real(_, values) => values.get(index).map(|value| number(value.to_string())),
            Self::Single(_, values) => values.get(index).map(|value| number(value.to_string())),
        }
    }
}

impl Known {
    /// Reads the next batch. Returns the number of rows.
    fn fill(&mut self) -> Result<usize, ParquetError> {
        fn read<T: DataType>(
            reader: &mut ColumnReaderImpl<T>,
            levels: &mut Vec<i16>,
            values: &mut Vec<T::T>,
        ) -> Result<usize, ParquetError> {
            values.clear();
            reader.read_records(BATCH, Some(levels), None, values).map(|(rows, _, _)| rows)
        }
        self.levels.clear();
        self.at = (0, 0);
        let levels = &mut self.levels;
        match &mut self.values {
            Values::Text(reader, values) => read(reader, levels, values),
            Values::Whole(reader, values, _) => read(reader, levels, values),
            Values::Short(reader, values, _) => read(reader, levels, values),
            Values::Real(reader, values) => read(reader, levels, values),
            Values::Single(reader, values) => read(reader, levels, values),
        }
    }

    /// The value of the next row.
    fn next(&mut self) -> Result<Cow<'_, str>, String> {
        let (row, value) = self.at;
        let is_there = self.levels.get(row).is_none_or(|level| *level > 0);
        self.at = (row + 1, value + usize::from(is_there));
        let found = is_there.then(|| self.values.get(value)).flatten();
        found.unwrap_or(Ok(Cow::Borrowed("")))
    }
}
