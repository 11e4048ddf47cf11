//! Attention on long sequences: the rate, the gains of tiles and of tensor cores, and what a causal mask saves.

use record::Record;
use record::claim::*;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured { name: "rate of attention", state: rate }),
    Claim::Measured(Measured {
        name: "gain from tiles",
        state: |rows, facts| gain(rows, facts, "tiled", "naive", "keeping scores out of memory"),
    }),
    Claim::Measured(Measured {
        name: "gain from tensor cores",
        state: |rows, facts| gain(rows, facts, "cooperative", "tiled", "using tensor cores with f16 inputs"),
    }),
    Claim::Measured(Measured { name: "time of causal attention", state: causal }),
];

fn length(row: &Record) -> u64 {
    row.n.map_or(0, |extent| extent.matrix().1)
}

fn full<'a>(rows: &[&'a Record]) -> Vec<&'a Record> {
    let is_full = |row: &&Record| param(row, "D") == Some(128.0) && param(row, "CAUSAL") == Some(0.0);
    rows.iter().copied().filter(is_full).filter(|row| flop_rate(row).is_some()).collect()
}

/// The fastest row at the longest sequences; if several sizes have them, at the one with the most heads.
fn fastest_of_longest<'a>(rows: &[&'a Record]) -> Option<Fastest<'a>> {
    let size = |row: &Record| (length(row), scalars(row));
    let longest = rows.iter().map(|row| size(row)).max()?;
    fastest(rows.iter().copied().filter(|row| size(row) == longest), flop_rate)
}

fn rate(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let best = fastest_of_longest(&full(rows))?;
    let (name, peak) = match best.row.benchmark.as_str() {
        "cooperative" => ("cooperative", "the measured tensor peak"),
        other => (other, "the measured FMA peak"),
    };
    let rate = facts.flop_rate("attention", best.rate)?;
    let share = facts.share("attention share", best.row, peak);
    Some(format!("Attention at {}: {name} runs at {rate}{share}.", best.row.short_size()))
}

fn gain(rows: &DeviceRows, facts: &mut Facts, faster: &str, slower: &str, what: &str) -> Option<String> {
    let full = full(rows);
    let pairs = of(&full, faster).flat_map(|row| of(&full, slower).map(move |other| (row, other)));
    let alike = pairs.filter(|(row, other)| row.n == other.n);
    let (row, other) = alike.max_by_key(|(row, _)| (length(row), scalars(row)))?;
    let speed = facts.speed(format!("speed ratio: {faster} / {slower}"), flop_rate(row)?, flop_rate(other)?)?;
    Some(format!("At {}, {what} makes {faster} {speed} {slower}.", row.short_size()))
}

fn causal(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let full = fastest_of_longest(&full(rows))?.row;
    let is_causal = |row: &&Record| {
        (row.n, row.dtype) == (full.n, full.dtype)
            && param(row, "D") == Some(128.0)
            && param(row, "CAUSAL") == Some(1.0)
    };
    let causal = of(rows, &full.benchmark).find(is_causal)?;
    let duration = facts.duration("time ratio: causal / full attention", time(causal)?, time(full)?)?;
    let size = full.short_size();
    Some(format!("At {size}, causal attention has half the operations and takes {duration} full attention."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::{found, row};
    use record::suite::{Dtype, Extent};

    #[test]
    fn the_longest_sequences_of_the_fastest_kernel_are_stated() {
        let row = |name: &str, dtype, length: u64, causal: f64, rate: f64| {
            let operations = 4.0 * 16.0 * 128.0 * (length * length) as f64 * if causal == 1.0 { 0.5 } else { 1.0 };
            Record {
                n: Some(Extent::Matrix(16, length)),
                dtype: Some(dtype),
                gflop_per_s: Some(rate),
                share: Some(0.5),
                ..row(name, &[("CAUSAL", causal), ("D", 128.0)], 1, operations / rate)
            }
        };
        let rows = [
            row("naive", Dtype::F32, 4096, 0.0, 1000.0),
            row("tiled", Dtype::F32, 4096, 0.0, 20_000.0),
            row("tiled", Dtype::F32, 16384, 0.0, 25_000.0),
            row("cooperative", Dtype::F16, 4096, 0.0, 300_000.0),
            row("cooperative", Dtype::F16, 16384, 0.0, 250_000.0),
            row("cooperative", Dtype::F16, 16384, 1.0, 200_000.0),
            row("cudnn", Dtype::F16, 16384, 0.0, 500_000.0),
            Record {
                params: [("CAUSAL".to_owned(), 0.0), ("D".to_owned(), 64.0)].into(),
                ..row("cooperative", Dtype::F16, 16384, 0.0, 1e6)
            },
        ];
        let text = found("attention", &rows).expect("a finding").text();
        let said = "Attention at 16x16384: cooperative runs at 250 TFLOP/s (50 % of the measured tensor peak). At \
                    16x4096, keeping scores out of memory makes tiled 20.0× as fast as naive. At 16x16384, using \
                    tensor cores with f16 inputs makes cooperative 10.0× as fast as tiled. At 16x16384, causal \
                    attention has half the operations and takes 0.625× as long as full attention.";
        assert_eq!(text, said);
    }
}
