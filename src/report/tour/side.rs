//! The rows of each API of a report's first device.

use crate::report::apis;
use crate::results::Record;

/// The rows of one device through one API.
pub struct Side<'a> {
    /// The API's name.
    pub label: &'static str,
    /// The rows.
    pub rows: Vec<&'a Record>,
}

/// The rows of a report's first device, by API.
#[must_use]
pub fn sides(records: &[Record]) -> Vec<Side<'_>> {
    let device = |row: &Record| (row.device.clone(), row.card.clone());
    let Some(first) = records.first().map(device) else { return Vec::new() };
    let own: Vec<&Record> = records.iter().filter(|row| device(row) == first).collect();
    let side = |api| {
        let rows = own.iter().copied().filter(|row| row.backend == Some(api)).collect();
        Side { label: api.title(), rows }
    };
    apis(own.iter().copied()).into_iter().map(side).collect()
}
