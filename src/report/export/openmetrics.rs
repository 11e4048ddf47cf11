//! OpenMetrics 1.0 text, also valid as Prometheus' text format, without time stamps, which the textfile collector refuses.

use super::row::case;
use crate::record::{Record, Status};

/// A gauge: name, unit, help, and the value of a row.
type Gauge = (&'static str, &'static str, &'static str, fn(&Record) -> Option<f64>);

/// The name of a gauge ends in its unit, which is a base unit.
const GAUGES: [Gauge; 5] = [
    ("shaderbench_time_seconds", "seconds", "Median time of one launch.", |row| Some(row.median_ns? / 1e9)),
    (
        "shaderbench_time_interval_seconds",
        "seconds",
        "Half width of the 95 % confidence interval of the time.",
        |row| Some((row.ci_high_ns? - row.ci_low_ns?) / 2e9),
    ),
    (
        "shaderbench_bandwidth_bytes_per_second",
        "bytes_per_second",
        "Bytes that the algorithm must move, divided by the time.",
        |row| Some(row.gb_per_s? * 1e9),
    ),
    (
        "shaderbench_arithmetic_flops_per_second",
        "flops_per_second",
        "Operations that the algorithm must do, divided by the time.",
        |row| Some(row.gflop_per_s? * 1e9),
    ),
    ("shaderbench_peak_ratio", "ratio", "Share of the measured peak that limits the kernel.", |row| row.share),
];

pub(super) fn write(rows: &[&Record]) -> String {
    let mut text = String::new();
    for (name, unit, help, value) in GAUGES {
        head(&mut text, name, unit, help);
        for row in rows.iter().filter(|row| row.status.is_timed()) {
            if let Some(value) = value(row).filter(|value| value.is_finite()) {
                let labels = [
                    &card(row)[..],
                    &[("family", row.family.clone()), ("benchmark", row.benchmark.clone()), ("case", case(row))],
                ];
                sample(&mut text, name, &labels.concat(), value);
            }
        }
    }
    let cards = cards(rows);
    head(&mut text, "shaderbench_rows", "", "Rows of the report by status.");
    for of in &cards {
        for status in Status::ALL {
            let count = of.iter().filter(|row| row.status == status).count();
            let labels = [card(of[0]), vec![("status", status.name().to_owned())]].concat();
            sample(&mut text, "shaderbench_rows", &labels, count as f64);
        }
    }
    let started = "shaderbench_run_start_timestamp_seconds";
    head(&mut text, started, "seconds", "Start of the newest run, in seconds since 1970.");
    for of in &cards {
        let newest = of.iter().max_by(|a, b| a.date.cmp(&b.date)).unwrap_or(&of[0]);
        let facts = [("driver", newest.driver.clone()), ("version", newest.tool_version.clone())];
        if let Ok(start) = newest.date.parse::<jiff::Timestamp>() {
            sample(&mut text, started, &[&card(newest)[..], &facts].concat(), start.as_second() as f64);
        }
    }
    text + "# EOF\n"
}

/// Rows of each card, API and compiler.
fn cards<'a>(rows: &[&'a Record]) -> Vec<Vec<&'a Record>> {
    let mut cards: Vec<Vec<&Record>> = Vec::new();
    for row in rows {
        match cards.iter_mut().find(|of| card(of[0]) == card(row)) {
            Some(of) => of.push(row),
            None => cards.push(vec![row]),
        }
    }
    cards
}

type Labels = Vec<(&'static str, String)>;

fn card(row: &Record) -> Labels {
    let all = [
        ("device", row.device.clone()),
        ("card", row.card.clone()),
        ("host", row.host.clone()),
        ("api", row.api_name().to_owned()),
        ("compiler", row.compiler.clone()),
    ];
    // An empty label is the same as none.
    all.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

fn head(text: &mut String, name: &str, unit: &str, help: &str) {
    *text += &format!("# TYPE {name} gauge\n");
    if !unit.is_empty() {
        *text += &format!("# UNIT {name} {unit}\n");
    }
    *text += &format!("# HELP {name} {help}\n");
}

fn sample(text: &mut String, name: &str, labels: &[(&str, String)], value: f64) {
    let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let labels: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    *text += &format!("{name}{{{}}} {value}\n", labels.join(","));
}
