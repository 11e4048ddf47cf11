//! mt4g's JSON: latencies in cycles, bandwidths in GiB/s, the clock in kHz.

use serde_json::Value as Json;

use super::output::{Found, Output, Value};

/// Bytes of a GiB ÷ those of a GB.
const GIB: f64 = (1_u64 << 30) as f64 / 1e9;

/// Levels under `memory`, and what `summary` calls them.
const LEVELS: [(&str, &str); 4] = [("l1", "L1"), ("l2", "L2"), ("main", "DRAM"), ("shared", "workgroup")];

/// The output.
///
/// # Errors
/// If the text is not JSON.
pub(super) fn read(text: &str) -> Result<Vec<Output>, String> {
    let json: Json = serde_json::from_str(text).map_err(|error| format!("no JSON as mt4g writes it: {error}"))?;
    let text_at = |path: &str| json.pointer(path).and_then(Json::as_str).unwrap_or_default().to_owned();
    let number = |path: &str| json.pointer(path).and_then(Json::as_f64);
    let khz = number("/general/clockRate/value").filter(|khz| *khz > 0.0);
    let mut figures = Vec::new();
    for (level, name) in LEVELS {
        let at = |rest: &str| format!("/memory/{level}/{rest}");
        let is_in = |path: &str, unit: &str| text_at(path) == unit;
        if let Some((cycles, khz)) = number(&at("latency/p50")).zip(khz)
            && is_in(&at("latency/unit"), "cycles")
        {
            let source = format!("memory.{level}.latency.p50 at general.clockRate");
            figures.push(Found { name: format!("{name} latency"), source, value: Value::Ns(cycles * 1e6 / khz) });
        }
        if let Some(gib) = number(&at("readBandwidth/value"))
            && is_in(&at("readBandwidth/unit"), "GiB/s")
        {
            let source = format!("memory.{level}.readBandwidth");
            figures.push(Found { name: format!("{name} read"), source, value: Value::GbPerS(gib * GIB) });
        }
    }
    Ok(vec![Output {
        device: text_at("/general/name"),
        date: text_at("/meta/timestamp"),
        figures,
        ..Output::default()
    }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::published::output::figures;

    #[test]
    fn cycles_become_nanoseconds_and_gibibytes_gigabytes() {
        let text = r#"{
            "general": {"name": "Card A", "clockRate": {"unit": "kHz", "value": 2000000}},
            "memory": {
                "l1": {"latency": {"p50": 40.0, "unit": "cycles"}},
                "l2": {"latency": {"p50": 200.0, "unit": "cycles"}, "readBandwidth": {"unit": "GiB/s", "value": 1000.0}},
                "main": {"latency": {"p50": 800.0, "unit": "seconds"}, "readBandwidth": {"unit": "GiB/s", "value": 500.0}}
            },
            "meta": {"timestamp": "2026-01-02T03:04:05Z"}
        }"#;
        let outputs = read(text).expect("JSON");
        assert_eq!((outputs[0].device.as_str(), outputs[0].date.as_str()), ("Card A", "2026-01-02T03:04:05Z"));
        assert_eq!(
            figures(&outputs),
            [
                ("L1 latency", Value::Ns(20.0)),
                ("L2 latency", Value::Ns(100.0)),
                ("L2 read", Value::GbPerS(1000.0 * GIB)),
                ("DRAM read", Value::GbPerS(500.0 * GIB)),
            ]
        );
        assert!(read("no JSON").expect_err("text").starts_with("no JSON as mt4g writes it"));
    }
}
