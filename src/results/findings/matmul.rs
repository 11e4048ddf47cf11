//! The gain of tiles, registers and tensor cores in a matrix product.

use super::claim::Claim;
use super::finding::Draft;
use super::query::{Fastest, fastest_flops, of, scalars};
use crate::record::Record;

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "gain of tiles",
        rows: "naive, and the fastest row of tiled, at the largest size",
        condition: "a factor if the intervals are apart; alike if they overlap and are within ±5 %",
        state: tiles,
    },
    Claim {
        name: "rate with registers",
        rows: "the fastest row of register_blocked, at the largest size",
        condition: "with the digits that its interval leaves",
        state: |rows, draft| reach(rows, draft, "register_blocked", "4×4 elements per invocation in registers", FMA),
    },
    Claim {
        name: "rate with prefetched tiles",
        rows: "the fastest row of double_buffered, at the largest size",
        condition: "with the digits that its interval leaves",
        state: |rows, draft| reach(rows, draft, "double_buffered", "8×8 elements with the next tiles prefetched", FMA),
    },
    Claim {
        name: "rate of tensor cores",
        rows: "the fastest row of cooperative, at the largest size",
        condition: "with the digits that its interval leaves",
        state: |rows, draft| reach(rows, draft, "cooperative", "tensor cores with f16 factors", "their measured peak"),
    },
];

const FMA: &str = "the measured FMA peak";

/// The fastest row of a benchmark at the family's largest size.
fn best<'a>(rows: &[&'a Record], benchmark: &str) -> Option<Fastest<'a>> {
    let largest = rows.iter().filter(|row| row.gflop_per_s.is_some()).map(|row| scalars(row)).max()?;
    fastest_flops(of(rows, benchmark).filter(|row| scalars(row) == largest))
}

fn tiles(rows: &[&Record], draft: &mut Draft) -> Option<String> {
    let (naive, tiled) = (best(rows, "naive")?, best(rows, "tiled")?);
    let gain = draft.speed("tiled over naive", tiled.rate, naive.rate)?;
    let with = if tiled.is_certain() { format!(" (fastest with {})", tiled.row.params_text()) } else { String::new() };
    let n = tiled.row.short_size();
    Some(format!("At {n}, tiles in workgroup memory{with} are {gain} the naive kernel."))
}

fn reach(rows: &[&Record], draft: &mut Draft, benchmark: &str, what: &str, peak: &str) -> Option<String> {
    let best = best(rows, benchmark)?;
    let rate = draft.flop_rate(benchmark, best.rate)?;
    let share = draft.share(format!("{benchmark} share"), best.row, peak);
    Some(format!("At {}, {what} reach {rate}{share}.", best.row.short_size()))
}
