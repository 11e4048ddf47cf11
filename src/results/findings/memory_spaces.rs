//! Latency and bandwidth of each address space.

use super::claim::Claim;
use super::estimate::{byte_rate, is_software, scaled, time};
use super::finding::Draft;
use super::query::{of, param};
use crate::record::stats::{self, Estimate};
use crate::record::{Record, Status};

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "latencies",
        rows: "each latency benchmark: its time over STEPS",
        condition: "each with the digits that its interval leaves",
        state: latencies,
    },
    Claim {
        name: "read bandwidths",
        rows: "each bandwidth benchmark at its most ROUNDS, where the launch costs least",
        condition: "each with the digits that its interval leaves",
        state: bandwidths,
    },
    Claim {
        name: "fewer registers",
        rows: "spill with REGISTERS=64 and REGISTERS=256, at their most ROUNDS",
        condition: "a factor if the intervals are apart; alike if they overlap and are within ±5 %",
        state: |rows, draft| {
            let limited =
                |registers: f64| longest(of(rows, "spill").filter(|row| param(row, "REGISTERS") == Some(registers)));
            let speed = draft.speed("64 registers over 256", limited(64.0)?, limited(256.0)?)?;
            Some(format!("Limited to 64 registers, a kernel with 96 live values is {speed} with 256."))
        },
    },
    Claim {
        name: "tables",
        rows: "each table benchmark with EACH=1 and EACH=0, at their most ROUNDS",
        condition: "each ratio with the digits that its interval leaves",
        state: tables,
    },
];

/// Benchmarks of dependent loads, and the space that each reads.
const LATENCIES: [(&str, &str); 7] = [
    ("storage_latency", "storage"),
    ("pointer_latency", "pointer"),
    ("uniform_latency", "uniform"),
    ("texture_latency", "texture"),
    ("workgroup_latency", "workgroup"),
    ("private_latency", "private"),
    ("pinned_latency", "pinned host memory"),
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

/// Latency of a dependent load from a space (`workgroup`, `storage`, …), in nanoseconds; `None` on a software device,
/// where it is a time of the host.
#[must_use]
pub fn latency(rows: &[&Record], space: &str) -> Option<Estimate> {
    let (benchmark, _) = LATENCIES.iter().find(|(_, known)| *known == space)?;
    let rows: Vec<&Record> = rows.iter().copied().filter(|row| row.status == Status::Ok && !is_software(row)).collect();
    step_times(&rows, benchmark).next()
}

/// The time of a step in each row of a chain of dependent loads, in nanoseconds.
fn step_times(rows: &[&Record], benchmark: &str) -> impl Iterator<Item = Estimate> {
    of(rows, benchmark).filter_map(|row| Some(scaled(time(row)?, 1.0 / param(row, "STEPS")?)))
}

fn latencies(rows: &[&Record], draft: &mut Draft) -> Option<String> {
    let mut latencies: Vec<(Estimate, &str)> = Vec::new();
    for (benchmark, space) in LATENCIES {
        latencies.extend(step_times(rows, benchmark).map(|ns| (ns, space)));
    }
    latencies.sort_by(|a, b| a.0.value.total_cmp(&b.0.value));
    let list: Vec<String> = latencies
        .iter()
        .filter_map(|(ns, space)| Some(format!("{space} {}", draft.time(format!("{space} latency"), *ns)?)))
        .collect();
    (!list.is_empty()).then(|| format!("Latency of a dependent load: {}.", list.join(", ")))
}

/// The rate with the most rounds, where the launch costs least.
fn longest<'a>(rows: impl Iterator<Item = &'a Record>) -> Option<Estimate> {
    let row = rows
        .filter(|row| row.gb_per_s.is_some())
        .filter_map(|row| Some((param(row, "ROUNDS")?, row)))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    byte_rate(row?.1)
}

fn bandwidths(rows: &[&Record], draft: &mut Draft) -> Option<String> {
    let rate = |(benchmark, space): (&str, &'static str)| Some((longest(of(rows, benchmark))?, space));
    let mut rates: Vec<(Estimate, &str)> = BANDWIDTHS.into_iter().filter_map(rate).collect();
    rates.sort_by(|a, b| b.0.value.total_cmp(&a.0.value));
    let list: Vec<String> = rates
        .iter()
        .filter_map(|(rate, space)| Some(format!("{space} {}", draft.byte_rate(format!("{space} bandwidth"), *rate)?)))
        .collect();
    (!list.is_empty()).then(|| format!("Read bandwidth: {}.", list.join(", ")))
}

fn tables(rows: &[&Record], draft: &mut Draft) -> Option<String> {
    let table =
        |benchmark: &str, is_each: f64| longest(of(rows, benchmark).filter(|row| param(row, "EACH") == Some(is_each)));
    let ratio = |(benchmark, space): (&str, &str)| {
        let ratio = stats::ratio(table(benchmark, 1.0)?, table(benchmark, 0.0)?)?;
        Some(format!("{space} {}", draft.times(format!("{space} table, own element"), ratio)?))
    };
    let tables: Vec<String> = TABLES.into_iter().filter_map(ratio).collect();
    let list = tables.join(", ");
    (!tables.is_empty()).then(|| {
        format!("Reading a table, the rate with one element per invocation over that with a common element: {list}.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::memory_spaces::FAMILY;
    use crate::results::findings::planted::{found, row};

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
            gb_per_s: Some(gb_per_s),
            ..row(benchmark, params, 1024, median_ns)
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
        assert_eq!(
            found("memory_spaces", &rows).expect("rows").text,
            "Latency of a dependent load: workgroup 20.0 ns, storage 30.0 ns. Read bandwidth: workgroup 2.00 TB/s, \
             storage 1.00 TB/s. Reading a table, the rate with one element per invocation over that with a common \
             element: uniform 0.125×."
        );
    }
}
