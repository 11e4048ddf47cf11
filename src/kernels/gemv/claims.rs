//! The fastest product of each kind of weights, and what fewer bits save.

use record::Record;
use record::claim::*;
use record::suite::prelude::*;

macro_rules! fastest {
    ($weights:literal, $is_of:expr) => {
        Claim::Measured(Measured {
            name: concat!("fastest product with ", $weights, " weights"),
            state: |rows, facts| best(rows, facts, $weights, $is_of),
        })
    };
}

pub(crate) const CLAIMS: &[Claim] = &[
    fastest!("f32", |row| is_f32(row) && !is_quantised(row)),
    fastest!("f16", |row| row.dtype == Some(Dtype::F16)),
    fastest!("8-bit", |row| row.benchmark.starts_with("q8")),
    fastest!("4-bit", |row| row.benchmark.starts_with("q4")),
    Claim::Measured(Measured {
        name: "gain from 4-bit weights",
        state: |rows, facts| {
            let measured = |row: &&Record| flop_rate(row).is_some();
            let floats = rows.iter().copied().filter(|row| is_f32(row) && !is_quantised(row)).filter(measured);
            let has_size = |row: &&Record| floats.clone().any(|other| other.n == row.n);
            let quantised = of(rows, "q4_vec4").filter(measured).filter(has_size).max_by_key(|row| row.bytes)?;
            // Compares operations, since the bytes differ.
            let float = fastest(floats.filter(|row| row.n == quantised.n), flop_rate)?;
            let speed = facts.speed("speed ratio: 4-bit weights / f32 weights", flop_rate(quantised)?, float.rate)?;
            Some(format!("At {}, 4-bit weights are {speed} f32 weights.", quantised.short_size()))
        },
    }),
];

fn is_quantised(row: &Record) -> bool {
    row.benchmark.starts_with('q')
}

fn best(rows: &DeviceRows, facts: &mut Facts, weights: &str, is_of: fn(&Record) -> bool) -> Option<String> {
    let of_kind: Vec<&Record> = rows.iter().copied().filter(|row| is_of(row) && byte_rate(row).is_some()).collect();
    let best = fastest_bytes(of_kind.iter().copied())?;
    let (subject, rate) = best.named(label);
    let rate = facts.byte_rate(format!("fastest with {weights} weights"), rate)?;
    let share = facts.share(format!("{weights} share"), best.row, "the measured read peak");
    Some(format!("GEMV of {} {weights} weights: {subject} {rate}{share}.", best.row.short_size()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::{found, row};
    use record::suite::Extent;

    #[test]
    fn the_gain_of_fewer_bits_is_in_time_not_in_bytes() {
        let row = |name: &str, dtype, ns: f64, bytes: f64| Record {
            dtype: Some(dtype),
            n: Some(Extent::Matrix(1000, 1000)),
            bytes: Some(bytes as u64),
            gb_per_s: Some(bytes / ns),
            gflop_per_s: Some(2e6 / ns),
            ..row(name, &[], 1, ns)
        };
        let rows = [
            row("naive", Dtype::F32, 4000.0, 4e6),
            row("vec4", Dtype::F32, 1000.0, 4e6),
            row("packed", Dtype::F16, 500.0, 2e6),
            row("q4_vec4", Dtype::F32, 200.0, 0.5625e6),
        ];
        let text = found("gemv", &rows).expect("a finding").text();
        assert!(text.contains("GEMV of 1000x1000 f32 weights: vec4 is fastest at 4.00 TB/s."), "{text}");
        assert!(text.contains("f16 weights: packed is fastest at 4.00 TB/s."), "{text}");
        assert!(text.contains("4-bit weights: q4_vec4 is fastest at 2.81 TB/s."), "{text}");
        assert!(text.contains("At 1000x1000, 4-bit weights are 5.00× as fast as f32 weights."), "{text}");
    }
}
