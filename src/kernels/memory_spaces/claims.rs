//! Latency and bandwidth of each address space.

use record::claim::*;
use record::format::all_correct;
use record::stats::Estimate;
use record::{Record, Status, stats};

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured { name: "latencies", state: latencies }),
    Claim::Measured(Measured { name: "read bandwidths", state: bandwidths }),
    Claim::Ratio(Ratio {
        name: "speed ratio: limit of 64 registers / limit of 256",
        kernels: [("memory_spaces/spill", &[("REGISTERS", 64.0)]), ("memory_spaces/spill", &[("REGISTERS", 256.0)])],
        by: By::Bytes,
        says: "With a limit of 64 registers, a kernel with 96 live values is {} with a limit of 256.",
    }),
    Claim::Measured(Measured { name: "tables", state: tables }),
    Claim::Article(ArticleClaim {
        id: "B1",
        title: "the memory spaces",
        claim: "The article lists the memory spaces with their locations, caches, access rights and lifetimes.",
        kernels: &[
            "memory_spaces/register_bandwidth",
            "memory_spaces/workgroup_bandwidth",
            "memory_spaces/workgroup_latency",
            "memory_spaces/storage_latency",
            "memory_spaces/pointer_latency",
            "memory_spaces/pinned_latency",
        ],
        terms: &["register", "local memory", "__shared__", "__constant__", "texture", "global memory"],
        prediction: "Registers have the highest rate. The arrays are small, so caches serve every space except pinned \
            memory. Each load by index needs address arithmetic; a load through a pointer needs none.",
        table: SPACES_TABLE,
        judge: Judge::Report(spaces),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "B8",
        title: "tables in constant memory",
        claim: "The article fills constant memory in two ways: with values in the code, and from the host.",
        kernels: &["memory_spaces/table_uniform", "memory_spaces/table_const", "memory_spaces/table_storage"],
        terms: &["__constant__", "__constant__ with values", "cudaMemcpyToSymbol()"],
        prediction: "The constant cache serves one address at a time. A warp that reads 32 elements takes up to 32 \
            steps, so the rate falls to 1/32 at worst.",
        judge: Judge::Report(constant_tables),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "B12",
        title: "bytes in constant memory",
        claim: "The article's array in constant memory holds chars.",
        kernels: &["memory_spaces/table_bytes"],
        terms: &["__constant__", "char and short"],
        prediction: "Every thread reads the correct byte. WGSL has no bytes, so they are unpacked from words.",
        is_timing: false,
        judge: Judge::Report(bytes),
        ..ArticleClaim::BLANK
    }),
];

/// Benchmarks of dependent loads, and the spaces that they read.
const LATENCIES: [(&str, &str); 7] = [
    ("storage_latency", "storage"),
    ("pointer_latency", "pointer"),
    ("uniform_latency", "uniform"),
    ("texture_latency", "texture"),
    ("workgroup_latency", "workgroup"),
    ("private_latency", "private"),
    ("pinned_latency", "pinned host memory"),
];

/// Spaces with a bandwidth benchmark, such as `storage_bandwidth`.
const BANDWIDTHS: [&str; 6] = ["storage", "uniform", "texture", "workgroup", "private", "register"];

/// Kernels that read a small table, and the table's space.
const TABLES: [(&str, &str); 3] =
    [("table_const", "const"), ("table_uniform", "uniform"), ("table_storage", "storage")];

/// Nanoseconds of a dependent load from a space (`workgroup`, `storage`, …); `None` on a software device.
#[must_use]
pub fn latency(rows: &[&Record], space: &str) -> Option<Estimate> {
    let (benchmark, _) = LATENCIES.iter().find(|(_, known)| *known == space)?;
    let rows: Vec<&Record> = rows.iter().copied().filter(|row| row.status == Status::Ok && !is_software(row)).collect();
    step_times(&rows, benchmark).next()
}

fn step_times(rows: &[&Record], benchmark: &str) -> impl Iterator<Item = Estimate> {
    of(rows, benchmark).filter_map(|row| Some(scaled(time(row)?, 1.0 / param(row, "STEPS")?)))
}

fn latencies(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let of_space = |(benchmark, space)| step_times(rows, benchmark).map(move |ns| (ns, space));
    let mut latencies: Vec<(Estimate, &str)> = LATENCIES.into_iter().flat_map(of_space).collect();
    latencies.sort_by(|a, b| a.0.value.total_cmp(&b.0.value));
    let latency = |(ns, space)| Some(format!("{space} {}", facts.time(format!("{space} latency"), ns)?));
    Some(format!("Latency of a dependent load: {}.", joined(latencies.into_iter().filter_map(latency), ", ")?))
}

/// The rate with the most rounds, where the launch costs least.
fn longest_of<'a>(rows: impl Iterator<Item = &'a Record>) -> Option<Estimate> {
    let row = rows
        .filter(|row| row.gb_per_s.is_some())
        .filter_map(|row| Some((param(row, "ROUNDS")?, row)))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    byte_rate(row?.1)
}

fn bandwidths(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let rate = |space: &'static str| Some((longest_of(of(rows, &format!("{space}_bandwidth")))?, space));
    let mut rates: Vec<(Estimate, &str)> = BANDWIDTHS.into_iter().filter_map(rate).collect();
    rates.sort_by(|a, b| b.0.value.total_cmp(&a.0.value));
    let rate = |(rate, space)| Some(format!("{space} {}", facts.byte_rate(format!("{space} bandwidth"), rate)?));
    Some(format!("Read bandwidth: {}.", joined(rates.into_iter().filter_map(rate), ", ")?))
}

fn tables(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let table = |benchmark: &str, is_each: f64| {
        longest_of(of(rows, benchmark).filter(|row| param(row, "EACH") == Some(is_each)))
    };
    let ratio = |(benchmark, space): (&str, &str)| {
        let ratio = stats::ratio(table(benchmark, 1.0)?, table(benchmark, 0.0)?)?;
        let name = format!("speed ratio, {space} table: one element per invocation / one element for all");
        Some(format!("{space} {}", facts.times(name, ratio)?))
    };
    let list = joined(TABLES.into_iter().filter_map(ratio), ", ")?;
    Some(format!("Speed of table reads with one element per invocation, relative to one element for all: {list}."))
}

const SPACES_TABLE: &str = "  space     location     cached in       access                      lifetime
  register  SM           -               one thread, read and write  thread
  local     device DRAM  L1, L2          one thread, read and write  thread
  shared    SM           -               one block, read and write   block
  constant  device DRAM  constant cache  threads read, host sets     until freed
  texture   device DRAM  L1, L2          threads read, host sets     until freed
  global    device DRAM  L1, L2          all threads and host        until freed
  host      host DRAM    host's caches   host                        until freed
  pinned    host DRAM    host's caches   host; threads over the bus  until freed";

/// Prefixes of benchmark names (`workgroup_latency`), and the article's names for the spaces.
const SPACES: [(&str, &str); 8] = [
    ("register", "register"),
    ("private", "local"),
    ("workgroup", "shared"),
    ("uniform", "constant"),
    ("texture", "texture"),
    ("storage", "global"),
    ("pointer", "global by a pointer"),
    ("pinned", "pinned"),
];

fn spaces(rows: &DeviceRows, facts: &mut Facts) -> Result<Report, Why> {
    let kernel = |space: &str, of: &str| format!("memory_spaces/{space}_{of}");
    let mut latency = |space: &str, name: &str| {
        let row = longest(rows, (&kernel(space, "latency"), NONE)).ok()?;
        let each = scaled(known_time(row).ok()?, 1.0 / row.params.get("STEPS")?);
        Some(format!("{name} {}", facts.time(format!("{name} latency"), each)?))
    };
    let latencies: Vec<String> = SPACES.iter().filter_map(|(space, name)| latency(space, name)).collect();
    let mut read =
        |space: &str, name: &str| rate(facts, name, longest(rows, (&kernel(space, "bandwidth"), NONE)).ok()?);
    let rates: Vec<String> = SPACES.iter().filter_map(|(space, name)| read(space, name)).collect();
    if latencies.is_empty() && rates.is_empty() {
        return Err(rows.missing(&["memory_spaces/workgroup_latency", "memory_spaces/register_bandwidth"]));
    }
    let sentence = |start: &str, list: &[String]| (!list.is_empty()).then(|| format!("{start}: {}.", list.join(", ")));
    let sentences = [sentence("Latency of a dependent load", &latencies), sentence("Read rate", &rates)];
    Ok(Report::new(sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")))
}

fn bytes(rows: &DeviceRows, facts: &mut Facts) -> Result<Report, Why> {
    const KERNEL: &str = "memory_spaces/table_bytes";
    let found = rows.right(&[KERNEL])?;
    let mut time_of = |name: &str, each: f64| {
        let row = longest(rows, (KERNEL, &[("EACH", each)])).ok().filter(|_| !rows.is_software())?;
        rate(facts, name, row)
    };
    let rates = [time_of("one byte for all threads", 0.0), time_of("one byte per thread", 1.0)];
    Ok(Report::new(all_correct(found.len()) + ".").with(rates))
}

fn constant_tables(rows: &DeviceRows, facts: &mut Facts) -> Result<Report, Why> {
    const SPACES: [(&str, &str); 3] = [
        ("memory_spaces/table_uniform", "constant memory filled by the host"),
        ("memory_spaces/table_const", "values in the code"),
        ("memory_spaces/table_storage", "global memory"),
    ];
    let mut time_of = |each: f64| {
        let rate = |(kernel, name): (&str, &str)| {
            let row = longest(rows, (kernel, &[("EACH", each)])).ok()?;
            rate(facts, &format!("{name}, EACH={each}"), row).map(|text| text.replace(&format!(", EACH={each}"), ""))
        };
        SPACES.into_iter().filter_map(rate).collect::<Vec<String>>().join(", ")
    };
    let (common, own) = (time_of(0.0), time_of(1.0));
    if common.is_empty() || own.is_empty() {
        return Err(rows.missing(&SPACES.map(|(kernel, _)| kernel)));
    }
    Ok(Report::new(format!("One element for all threads: {common}. One element per thread: {own}.")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_spaces::FAMILY;
    use crate::planted::{found, row};

    /// Benchmarks that measure no space.
    const OTHERS: [&str; 2] = ["spill", "table_bytes"];

    #[test]
    fn every_latency_and_bandwidth_of_the_family_has_a_space() {
        let mut named: Vec<String> = BANDWIDTHS.map(|space| format!("{space}_bandwidth")).into();
        named.extend(LATENCIES.iter().chain(&TABLES).map(|(name, _)| *name).chain(OTHERS).map(str::to_owned));
        for benchmark in FAMILY.benchmarks {
            assert!(named.iter().any(|name| name == benchmark.name), "{}", benchmark.name);
            let has_latency = LATENCIES.iter().any(|(name, _)| *name == benchmark.name);
            assert_eq!(benchmark.is_latency, has_latency, "{}", benchmark.name);
        }
        assert_eq!(named.len(), FAMILY.benchmarks.len());
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
            found("memory_spaces", &rows).expect("rows").text(),
            "Latency of a dependent load: workgroup 20.0 ns, storage 30.0 ns. Read bandwidth: workgroup 2.00 TB/s, \
             storage 1.00 TB/s. Speed of table reads with one element per invocation, relative to one element \
             for all: uniform 0.125×."
        );
    }
}
