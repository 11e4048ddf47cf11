//! The rows of each API of a report's first device.

use crate::report::{apis, toolchains};
use record::Record;

/// The rows of one device through one API.
pub struct Side<'a> {
    /// The API's name.
    pub label: &'static str,
    /// The rows.
    pub rows: Vec<&'a Record>,
}

/// The rows of a report's first device, by API; only those of each API's first compiler.
#[must_use]
pub fn sides(records: &[Record]) -> Vec<Side<'_>> {
    let Some(first) = records.first() else { return Vec::new() };
    // A run measures one card at a time.
    let is_one_run = |row: &Record| row.date == first.date && row.may_be_of_one_card(first);
    let is_own = |row: &&Record| {
        let is_named = row.card == first.card && row.device == first.device;
        if row.backend == first.backend { is_named } else { is_named || is_one_run(row) }
    };
    let device_rows: Vec<&Record> = records.iter().filter(is_own).collect();
    let toolchains = toolchains(device_rows.iter().copied());
    let side = |api| {
        let first = toolchains.iter().find(|toolchain| toolchain.api == api).copied();
        let rows = device_rows.iter().copied().filter(|row| row.toolchain() == first).collect();
        Side { label: api.title(), rows }
    };
    apis(device_rows.iter().copied()).into_iter().map(side).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::suite::Api;

    #[test]
    fn both_apis_of_a_run_are_sides_and_other_cards_are_not() {
        let row = |backend, card: &str, date: &str| Record {
            device: "H200".to_owned(),
            card: card.to_owned(),
            date: date.to_owned(),
            backend: Some(backend),
            ..Record::default()
        };
        let rows = [
            row(Api::Vulkan, "0000:06:00.0", "today"),
            row(Api::Cuda, "GPU-1", "today"),
            row(Api::Vulkan, "0000:07:00.0", "today"),
            row(Api::Cuda, "GPU-2", "yesterday"),
        ];
        let found: Vec<(&str, usize)> = sides(&rows).iter().map(|side| (side.label, side.rows.len())).collect();
        assert_eq!(found, [("Vulkan", 1), ("CUDA", 1)]);
    }
}
