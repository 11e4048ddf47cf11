//! Bencher Metric Format: for each benchmark its measures, each with a value and an interval.

use serde_json::{Map, Value, json};

use super::row::{names, time};
use crate::record::Record;

pub(super) fn write(rows: &[&Record]) -> String {
    let measures = |(name, row): (String, &&Record)| {
        let (median_ns, interval) = time(row)?;
        let mut latency = json!({ "value": median_ns });
        if let Some((low, high)) = interval {
            latency["lower_value"] = low.into();
            latency["upper_value"] = high.into();
        }
        // `latency`, in nanoseconds, is one of Bencher's own measures.
        Some((name, json!({ "latency": latency })))
    };
    let all: Map<String, Value> = names(rows).into_iter().zip(rows).filter_map(measures).collect();
    format!("{:#}\n", Value::Object(all))
}
