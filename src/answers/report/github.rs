//! JSON of github-action-benchmark for its tool `customSmallerIsBetter`.

use std::collections::HashMap;

use serde_json::{Value, json};

use record::Record;
use record::format::{self, joined};

/// The timed rows, in nanoseconds with their noise. Of rows with the same case and card, only the newest counts.
#[must_use]
pub fn write(records: &[Record]) -> String {
    let rows = newest(records);
    let entry = |(name, row): (String, &&Record)| {
        let median_ns = row.median_ns.filter(|_| row.status.is_timed())?;
        let mut entry = json!({ "name": name, "unit": "ns", "value": median_ns });
        if let Some((low, high)) = row.ci_low_ns.zip(row.ci_high_ns) {
            entry["range"] = format!("± {}", format::noise((high - low) / 2.0 / median_ns)).into();
        }
        entry["extra"] = joined([row.device.as_str(), &row.driver], ", ").into();
        Some(entry)
    };
    let all: Vec<Value> = names(&rows).into_iter().zip(&rows).filter_map(entry).collect();
    format!("{:#}\n", Value::Array(all))
}

/// The newest row of each case on each card through each API, in the order in which the cases first occur.
fn newest(records: &[Record]) -> Vec<&Record> {
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

fn case(record: &Record) -> String {
    joined([record.dtype_name(), &record.size(), &record.params_text()], " ")
}

/// A unique name for each row: the case and its API, and the card if there are several.
fn names(rows: &[&Record]) -> Vec<String> {
    let card = |row: &Record| joined([row.device.as_str(), &row.host, &row.card], " ");
    let is_one_card = rows.iter().all(|row| card(row) == card(rows[0]));
    let name = |row: &&Record| {
        let toolchain = row.toolchain().map_or_else(String::new, |of| joined([of.api.name(), of.foreign()], " "));
        let card = if is_one_card { String::new() } else { card(row) };
        joined([row.name().as_str(), &case(row), &toolchain, &card], ", ")
    };
    rows.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde::Deserialize;

    use super::*;
    use record::Status;
    use record::suite::{Api, Dtype, Extent};

    fn row(status: Status) -> Record {
        Record {
            device: "Fake a\"b\\c<d>&e\n\u{1b}[31mé".to_owned(),
            card: "GPU-1".to_owned(),
            date: "2026-11-23T01:02:03Z".to_owned(),
            driver: "1.2 & 3".to_owned(),
            backend: Some(Api::Vulkan),
            family: "transpose".to_owned(),
            benchmark: status.name().to_owned(),
            dtype: Some(Dtype::F32),
            n: Some(Extent::Linear(1024)),
            params: [("PAD".to_owned(), 1.0)].into(),
            status,
            median_ns: Some(1234.5),
            ci_low_ns: Some(1200.0),
            ci_high_ns: Some(1300.0),
            ..Record::default()
        }
    }

    /// The fields of `customSmallerIsBetter` in the action's README.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Entry {
        name: String,
        unit: String,
        value: f64,
        range: Option<String>,
        extra: Option<String>,
    }

    fn entries(rows: &[Record]) -> Vec<Entry> {
        serde_json::from_str(&write(rows)).expect("the format")
    }

    #[test]
    fn the_github_action_gets_the_newest_times_with_their_noise() {
        let mut rows = vec![row(Status::Ok), row(Status::Wrong), row(Status::Failed), row(Status::Skipped)];
        let [entry] = &entries(&rows)[..] else { panic!("rows without a time count") };
        assert_eq!((entry.name.as_str(), entry.unit.as_str()), ("transpose/ok, f32 1024 PAD=1, vulkan", "ns"));
        assert_eq!((entry.value, entry.range.as_deref()), (1234.5, Some("± 4.1 %")));
        assert!(entry.extra.as_ref().is_some_and(|extra| extra.ends_with(", 1.2 & 3")), "{:?}", entry.extra);
        rows.push(row(Status::Unverified));
        rows.push(Record { backend: Some(Api::Cuda), ..rows[0].clone() });
        rows.push(Record { card: "GPU-2".to_owned(), ..rows[0].clone() });
        rows.push(Record { date: "2026-11-22T01:02:03Z".to_owned(), median_ns: Some(9.0), ..rows[0].clone() });
        let all = entries(&rows);
        assert!(all.iter().all(|entry| entry.value > 9.0), "an older run counts");
        let names: HashSet<&str> = all.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!((all.len(), names.len()), (4, 4), "each row has a name of its own");
    }
}
