//! Latency and bandwidth of each address space.

use super::finding::{Draft, Finding};
use super::query::{of, param};
use crate::results::Record;

/// Benchmarks of dependent loads, and the space that each reads.
const LATENCIES: [(&str, &str); 6] = [
    ("storage_latency", "storage"),
    ("pointer_latency", "pointer"),
    ("uniform_latency", "uniform"),
    ("texture_latency", "texture"),
    ("workgroup_latency", "workgroup"),
    ("private_latency", "private"),
];

/// Benchmarks of independent loads, and the space that each reads.
const BANDWIDTHS: [(&str, &str); 6] = [
    ("storage_bandwidth", "storage"),
    ("uniform_bandwidth", "uniform"),
    ("texture_bandwidth", "texture"),
    ("workgroup_bandwidth", "workgroup"),
    ("private_bandwidth", "private"),
    ("register_bandwidth", "register"),
];

/// Kernels that read a small table, and the space that it lies in.
const TABLES: [(&str, &str); 3] =
    [("table_const", "const"), ("table_uniform", "uniform"), ("table_storage", "storage")];

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let mut draft = Draft::default();
    let mut text = Vec::new();
    let mut latencies: Vec<(f64, &str)> = Vec::new();
    for (benchmark, space) in LATENCIES {
        let steps = of(rows, benchmark).filter_map(|row| Some(row.median_ns? / param(row, "STEPS")?));
        latencies.extend(steps.map(|ns| (ns, space)));
    }
    latencies.sort_by(|a, b| a.0.total_cmp(&b.0));
    if !latencies.is_empty() {
        let list =
            latencies.iter().map(|(ns, space)| format!("{space} {}", draft.latency(format!("{space} latency"), *ns)));
        text.push(format!("Latency of a dependent load: {}.", list.collect::<Vec<_>>().join(", ")));
    }
    // The rate with the most rounds, where the launch costs least.
    let longest = |rows: &mut dyn Iterator<Item = &Record>| {
        rows.filter_map(|row| Some((param(row, "ROUNDS")?, row.gb_per_s?)))
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, rate)| rate)
    };
    let rate = |(benchmark, space): (&str, &'static str)| Some((longest(&mut of(rows, benchmark))?, space));
    let mut rates: Vec<(f64, &str)> = BANDWIDTHS.into_iter().filter_map(rate).collect();
    rates.sort_by(|a, b| b.0.total_cmp(&a.0));
    if !rates.is_empty() {
        let list = rates
            .iter()
            .map(|(rate, space)| format!("{space} {}", draft.gb_per_s(format!("{space} bandwidth"), *rate)));
        text.push(format!("Read bandwidth: {}.", list.collect::<Vec<_>>().join(", ")));
    }
    let limited =
        |registers: f64| longest(&mut of(rows, "spill").filter(|row| param(row, "REGISTERS") == Some(registers)));
    if let (Some(free), Some(few)) = (limited(256.0), limited(64.0)) {
        let ratio = draft.times("64 registers over 256", few / free);
        text.push(format!("A kernel with 96 live values runs at {ratio} the rate when it is limited to 64 registers."));
    }
    let table = |benchmark: &str, is_each: f64| {
        longest(&mut of(rows, benchmark).filter(|row| param(row, "EACH") == Some(is_each)))
    };
    let tables = TABLES.into_iter().filter_map(|(benchmark, space)| {
        let ratio = table(benchmark, 1.0)? / table(benchmark, 0.0)?;
        Some(format!("{space} {}", draft.times(format!("{space} table, own element"), ratio)))
    });
    let tables: Vec<String> = tables.collect();
    if !tables.is_empty() {
        text.push(format!(
            "Reading a table, the rate with one element per invocation over that with a common element: {}.",
            tables.join(", ")
        ));
    }
    draft.finish(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::memory_spaces::FAMILY;

    #[test]
    fn every_latency_and_bandwidth_of_the_family_has_a_space() {
        let named: Vec<&str> = [&LATENCIES[..], &BANDWIDTHS, &TABLES].concat().iter().map(|(name, _)| *name).collect();
        for benchmark in FAMILY.benchmarks {
            assert!(named.contains(&benchmark.name) || benchmark.name == "spill", "{}", benchmark.name);
            let has_latency = LATENCIES.iter().any(|(name, _)| *name == benchmark.name);
            assert_eq!(benchmark.is_latency, has_latency, "{}", benchmark.name);
        }
        assert_eq!(named.len() + 1, FAMILY.benchmarks.len());
    }

    #[test]
    fn spaces_are_ranked() {
        let row = |benchmark: &str, params: &[(&str, f64)], median_ns: f64, gb_per_s: f64| Record {
            benchmark: benchmark.to_owned(),
            params: params.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
            median_ns: Some(median_ns),
            gb_per_s: Some(gb_per_s),
            ..Record::default()
        };
        let rows = [
            row("storage_latency", &[("STEPS", 1000.0)], 30_000.0, 0.1),
            row("workgroup_latency", &[("STEPS", 1000.0)], 20_000.0, 0.1),
            row("storage_bandwidth", &[("ROUNDS", 4.0)], 1.0, 900.0),
            row("storage_bandwidth", &[("ROUNDS", 64.0)], 1.0, 1000.0),
            row("workgroup_bandwidth", &[("ROUNDS", 64.0)], 1.0, 2000.0),
            row("table_uniform", &[("EACH", 0.0), ("ROUNDS", 64.0)], 1.0, 800.0),
            row("table_uniform", &[("EACH", 1.0), ("ROUNDS", 64.0)], 1.0, 100.0),
        ];
        let found = find(&rows.iter().collect::<Vec<_>>()).expect("rows");
        assert_eq!(
            found.text,
            "Latency of a dependent load: workgroup 20.0 ns, storage 30.0 ns. Read bandwidth: workgroup 2.000 TB/s, \
             storage 1.000 TB/s. Reading a table, the rate with one element per invocation over that with a common \
             element: uniform 0.125×."
        );
    }
}
