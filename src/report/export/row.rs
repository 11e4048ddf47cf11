//! Rows of an export: the newest of each case, and their names.

use std::collections::HashMap;

use crate::record::Record;

/// The newest row of each case on each card through each API, in the order in which the cases first occur.
pub(super) fn newest(records: &[Record]) -> Vec<&Record> {
    let mut rows: Vec<&Record> = Vec::new();
    let mut indices: HashMap<_, usize> = HashMap::new();
    for record in records {
        let card = (&record.device, &record.host, &record.card, record.backend, &record.compiler);
        let index = *indices.entry((card, record.name(), case(record))).or_insert(rows.len());
        match rows.get_mut(index) {
            Some(row) if row.date <= record.date => *row = record,
            Some(_) => {}
            None => rows.push(record),
        }
    }
    rows
}

/// Type, size and parameters of a case: `f32 1024x1024 PAD=1`.
pub(super) fn case(record: &Record) -> String {
    let facts = [record.dtype_name(), &record.size(), &record.params_text()];
    facts.into_iter().filter(|fact| !fact.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Names of the rows, each different from the others: the case and its API, and the card where there are several.
pub(super) fn names(rows: &[&Record]) -> Vec<String> {
    let card = |row: &Record| {
        let facts = [row.device.as_str(), &row.host, &row.card];
        facts.into_iter().filter(|fact| !fact.is_empty()).collect::<Vec<_>>().join(" ")
    };
    let is_one_card = rows.iter().all(|row| card(row) == card(rows[0]));
    let name = |row: &&Record| {
        let toolchain = row.toolchain().map_or_else(String::new, |toolchain| {
            [toolchain.api.name(), toolchain.foreign()].join(" ").trim_end().to_owned()
        });
        let own = if is_one_card { String::new() } else { card(row) };
        let facts = [row.name(), case(row), toolchain, own];
        facts.into_iter().filter(|fact| !fact.is_empty()).collect::<Vec<_>>().join(", ")
    };
    rows.iter().map(name).collect()
}

/// The time of a row in nanoseconds, with its 95 % interval; `None` if the row has no valid time.
pub(super) fn time(record: &Record) -> Option<(f64, Option<(f64, f64)>)> {
    let median_ns = record.median_ns.filter(|_| record.status.is_timed())?;
    Some((median_ns, record.ci_low_ns.zip(record.ci_high_ns)))
}
