//! What a driver reports in addition to the measured rows: properties of compiled kernels and of the card's memory.

use crate::report::{Part, toolchains};
use record::suite::{Benchmark, Limit};
use record::{Record, compiled, format};

/// Fields with what the driver reports on the kernels and, for read peaks, on the memory; may be empty.
#[must_use]
pub fn facts(benchmarks: &[&Benchmark], rows: &[&Record]) -> Vec<Part> {
    let all = toolchains(rows.iter().copied());
    let mut parts = Vec::new();
    for benchmark in benchmarks {
        let texts = all.iter().filter_map(|toolchain| {
            let kernel_rows =
                rows.iter().filter(|row| row.benchmark == benchmark.name && row.toolchain() == Some(*toolchain));
            let text = compiled(&kernel_rows.copied().collect::<Vec<_>>());
            (!text.is_empty()).then(|| format!("{}: {text}", toolchain.title()))
        });
        let texts = texts.collect::<Vec<_>>().join("; ");
        // A single kernel is already named in the heading.
        let name = if benchmarks.len() > 1 { format!("{}: ", benchmark.name) } else { String::new() };
        if !texts.is_empty() {
            parts.push(Part::Field { label: "compiled", text: format!("{name}{texts}") });
        }
    }
    if benchmarks.iter().any(|benchmark| benchmark.sets_ceiling && benchmark.ceiling == Some(Limit::Read)) {
        parts.extend(memory(rows).map(|text| Part::Field { label: "memory", text }));
    }
    parts
}

/// `3.11 TB/s of 3.35 TB/s, 93 %: …` for the fastest row of the largest working set.
fn memory(rows: &[&Record]) -> Option<String> {
    let of_peak = |row: &&&Record| row.ceiling.is_some_and(|bound| bound.limit == Limit::Read) && row.status.is_timed();
    let largest = rows.iter().filter(of_peak).filter_map(|row| row.bytes).max()?;
    let fastest = rows.iter().filter(of_peak).filter(|row| row.bytes == Some(largest));
    let rate = fastest.filter_map(|row| row.gb_per_s).reduce(f64::max)?;
    let peak = rows.iter().find_map(|row| row.dram_peak_gb_per_s).filter(|peak| *peak > 0.0)?;
    let [rate_text, peak_text] = [rate, peak].map(format::byte_rate);
    Some(format!(
        "{rate_text} of {peak_text}, {:.0} %: peak from the driver's memory clock and bus width",
        100.0 * rate / peak
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Bound;
    use record::suite::Api;

    #[test]
    fn a_rate_stands_beside_the_peak_by_the_driver() {
        let row = |bytes: u64, gb_per_s: f64| Record {
            backend: Some(Api::Vulkan),
            benchmark: "read".to_owned(),
            bytes: Some(bytes),
            gb_per_s: Some(gb_per_s),
            ceiling: Some(Bound { limit: Limit::Read, scalar: None, working_set: None, is_cached: false }),
            dram_peak_gb_per_s: Some(3352.3),
            registers: Some(24),
            ..Record::default()
        };
        let rows = [row(1 << 20, 7000.0), row(1 << 30, 3109.0), row(1 << 30, 3000.0)];
        let rows: Vec<&Record> = rows.iter().collect();
        let text = memory(&rows).expect("both are known");
        assert_eq!(text, "3.11 TB/s of 3.35 TB/s, 93 %: peak from the driver's memory clock and bus width");
        let read = Benchmark { name: "read", sets_ceiling: true, ceiling: Some(Limit::Read), ..Benchmark::BLANK };
        let fields = facts(&[&read], &rows).into_iter().map(|part| match part {
            Part::Field { label, text } => format!("{label} {text}"),
            _ => String::new(),
        });
        assert_eq!(fields.collect::<Vec<_>>(), ["compiled Vulkan: 24 registers".to_owned(), format!("memory {text}")]);
        assert!(facts(&[&read], &[&Record::default()]).is_empty());
    }
}
