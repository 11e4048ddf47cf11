//! Writes records as Parquet.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use rayon::prelude::*;

use super::{STORAGES, Storage, fault};
use crate::error::Result;
use crate::results::{COLUMNS, Column, Record, SCHEMA};

/// Rows of a group: its values fit in some 50 MiB.
const GROUP: usize = 1 << 15;

/// Writes a Parquet file row by row.
pub struct Writer<W: Write + Send> {
    path: PathBuf,
    writer: SerializedFileWriter<W>,
    pending: Vec<Record>,
}

impl<W: Write + Send> Writer<W> {
    /// Begins a file. `path` is used only in messages.
    ///
    /// # Errors
    /// [`Error::Io`](crate::error::Error::Io) if `sink` fails.
    pub fn new(path: &Path, sink: W) -> Result<Self> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::LZ4_RAW)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_created_by(format!("shaderbench {}", crate::VERSION))
            .set_key_value_metadata(Some(vec![KeyValue::new("shaderbench.schema".to_owned(), SCHEMA.to_string())]))
            .build();
        let writer = schema().and_then(|schema| SerializedFileWriter::new(sink, schema, Arc::new(properties)));
        let writer = writer.map_err(fault("write", path))?;
        Ok(Self { path: path.to_owned(), writer, pending: Vec::new() })
    }

    /// Adds rows.
    ///
    /// # Errors
    /// [`Error::Io`](crate::error::Error::Io) if they cannot be written.
    pub fn push(&mut self, records: Vec<Record>) -> Result<()> {
        self.pending.extend(records);
        while self.pending.len() >= GROUP {
            let rest = self.pending.split_off(GROUP);
            let group = std::mem::replace(&mut self.pending, rest);
            self.write(&group)?;
        }
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// [`Error::Io`](crate::error::Error::Io) if it cannot be written.
    pub fn finish(mut self) -> Result<()> {
        let rest = std::mem::take(&mut self.pending);
        if !rest.is_empty() {
            self.write(&rest)?;
        }
        self.writer.close().map_err(fault("write", &self.path))?;
        Ok(())
    }

    fn write(&mut self, records: &[Record]) -> Result<()> {
        let column = |(column, storage): (&Column, &Storage)| match storage {
            Storage::Text => Cells::Text(texts(column, records)),
            Storage::Whole => Cells::Whole(wholes(column, records)),
            Storage::Real => Cells::Real(reals(column, records)),
        };
        let columns: Vec<Cells> = COLUMNS.par_iter().zip(&*STORAGES).map(column).collect();
        let mut write = || {
            let mut group = self.writer.next_row_group()?;
            for cells in &columns {
                match cells {
                    Cells::Text(values) => write_column::<ByteArrayType, _>(&mut group, values),
                    Cells::Whole(values) => write_column::<Int64Type, _>(&mut group, values),
                    Cells::Real(values) => write_column::<DoubleType, _>(&mut group, values),
                }?;
            }
            group.close().map(drop)
        };
        write().map_err(fault("write", &self.path))
    }
}

/// The schema: each column in order, nullable.
fn schema() -> Result<TypePtr, ParquetError> {
    let field = |(column, storage): (&Column, &Storage)| {
        let (physical, logical) = match storage {
            Storage::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Storage::Whole => (Physical::INT64, Some(LogicalType::integer(64, false))),
            Storage::Real => (Physical::DOUBLE, None),
        };
        let built = Type::primitive_type_builder(column.name, physical).with_logical_type(logical);
        built.with_repetition(Repetition::OPTIONAL).build().map(Arc::new)
    };
    let fields = COLUMNS.iter().zip(&*STORAGES).map(field).collect::<Result<Vec<_>, _>>()?;
    Type::group_type_builder("shaderbench").with_fields(fields).build().map(Arc::new)
}

/// A column of a group.
enum Cells {
    Text(Values<ByteArray>),
    Whole(Values<i64>),
    Real(Values<f64>),
}

/// The values that are there, and for each row whether it has one.
struct Values<T> {
    values: Vec<T>,
    levels: Vec<i16>,
}

impl<T> FromIterator<Option<T>> for Values<T> {
    fn from_iter<I: IntoIterator<Item = Option<T>>>(all: I) -> Self {
        let mut found = Self { values: Vec::new(), levels: Vec::new() };
        for value in all {
            found.levels.push(i16::from(value.is_some()));
            found.values.extend(value);
        }
        found
    }
}

fn texts(column: &Column, records: &[Record]) -> Values<ByteArray> {
    // Most texts are those of the row before: they share its bytes.
    let mut last = (String::new(), ByteArray::new());
    let text = |record| {
        let text = (column.get)(record);
        if text.is_empty() {
            return None;
        }
        if text != last.0 {
            last = (text.clone(), ByteArray::from(text.into_bytes()));
        }
        Some(last.1.clone())
    };
    records.iter().map(text).collect()
}

fn wholes(column: &Column, records: &[Record]) -> Values<i64> {
    // The schema says that the bits are those of an unsigned number.
    records.iter().map(|record| (column.json)(record).as_u64().map(u64::cast_signed)).collect()
}

fn reals(column: &Column, records: &[Record]) -> Values<f64> {
    records.iter().map(|record| (column.json)(record).as_f64()).collect()
}

fn write_column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<W>,
    values: &Values<T::T>,
) -> Result<(), ParquetError> {
    let column = group.next_column()?;
    let mut column = column.ok_or_else(|| ParquetError::General("the schema has too few columns".to_owned()))?;
    column.typed::<T>().write_batch(&values.values, Some(&values.levels), None)?;
    column.close()
}
