//! Reads and writes records as Parquet: the columns of the CSV, with numbers as numbers and missing values as null.
//!
//! Parquet and not SQLite: the crate is pure Rust, so that no package needs a C compiler for its platform; the file is
//! smaller than the packed CSV; and DuckDB, pandas, Polars and Spark read it as it is.

mod guard;
mod read;
mod write;

use std::path::Path;
use std::sync::LazyLock;

use parquet::errors::ParquetError;
use serde_json::Value;

use crate::error::Error;
use crate::results::{COLUMNS, Column, Record};
pub use read::{for_each, open};
pub use write::Writer;

/// First bytes of a Parquet file.
pub const MAGIC: &[u8] = b"PAR1";

/// How a column's values are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Storage {
    /// UTF-8.
    Text,
    /// Unsigned, 64 bits.
    Whole,
    /// 64 bits.
    Real,
}

impl Storage {
    /// How the values of a column are stored, as its JSON shows it.
    fn of(column: &Column) -> Self {
        let mut record = Record::default();
        match (column.set)(&mut record, "1").map(|()| (column.json)(&record)) {
            Ok(Value::Number(number)) if number.is_f64() => Self::Real,
            Ok(Value::Number(_)) => Self::Whole,
            _ => Self::Text,
        }
    }
}

/// The storage of each column, in their order.
static STORAGES: LazyLock<Vec<Storage>> = LazyLock::new(|| COLUMNS.iter().map(Storage::of).collect());

/// An error of the format as one of this crate.
fn fault(action: &'static str, path: &Path) -> impl Fn(ParquetError) -> Error {
    let path = path.to_owned();
    move |error| {
        let source = match error {
            ParquetError::External(error) => match error.downcast::<std::io::Error>() {
                Ok(error) => *error,
                Err(error) => std::io::Error::other(error),
            },
            error => std::io::Error::other(error),
        };
        Error::Io { action, path: path.clone(), source }
    }
}

#[cfg(test)]
mod tests;
