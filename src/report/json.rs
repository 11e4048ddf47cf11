//! Records as JSON: what the CSV holds, and every sample.

use serde_json::{Map, Value};

use crate::record::{COLUMNS, Record};

/// An array of objects, one a record: the CSV's columns by name (a figure that does not exist is null), `samples_ns`, and where the kernel
/// made a picture, `picture_hash`.
#[must_use]
pub fn write(records: &[Record]) -> Vec<u8> {
    let object = |record: &Record| {
        let mut object: Map<String, Value> =
            COLUMNS.iter().map(|column| (column.name.to_owned(), (column.json)(record))).collect();
        object.insert("samples_ns".to_owned(), record.all_samples_ns.clone().into());
        if let Some(hash) = &record.picture_hash {
            object.insert("picture_hash".to_owned(), hash.clone().into());
        }
        Value::Object(object)
    };
    let mut text = serde_json::to_vec_pretty(&records.iter().map(object).collect::<Vec<_>>()).unwrap_or_default();
    text.push(b'\n');
    text
}
