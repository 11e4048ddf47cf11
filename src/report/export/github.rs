//! JSON of github-action-benchmark for its tool `customSmallerIsBetter`.

use serde_json::{Value, json};

use super::row::{names, time};
use crate::record::{Record, format};

pub(super) fn write(rows: &[&Record]) -> String {
    let entry = |(name, row): (String, &&Record)| {
        let (median_ns, interval) = time(row)?;
        let mut entry = json!({ "name": name, "unit": "ns", "value": median_ns });
        if let Some((low, high)) = interval {
            entry["range"] = format!("± {}", format::noise((high - low) / 2.0 / median_ns)).into();
        }
        let facts = [row.device.as_str(), &row.driver].into_iter().filter(|fact| !fact.is_empty());
        entry["extra"] = facts.collect::<Vec<_>>().join(", ").into();
        Some(entry)
    };
    let all: Vec<Value> = names(rows).into_iter().zip(rows).filter_map(entry).collect();
    format!("{:#}\n", Value::Array(all))
}
