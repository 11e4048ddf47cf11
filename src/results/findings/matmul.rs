//! The gain of tiles, registers and tensor cores in a matrix product.

use super::finding::{Draft, Finding};
use super::query::{of, scalars};
use crate::results::Record;

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let measured: Vec<&Record> = rows.iter().copied().filter(|row| row.gflop_per_s.is_some()).collect();
    let largest = measured.iter().map(|row| scalars(row)).max()?;
    let fastest = |benchmark: &str| {
        let same = of(&measured, benchmark).filter(|row| scalars(row) == largest);
        same.filter_map(|row| Some((row.gflop_per_s?, row))).max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let mut draft = Draft::default();
    let mut parts = Vec::new();
    if let (Some((naive, _)), Some((tiled, row))) = (fastest("naive"), fastest("tiled")) {
        let gain = draft.times("tiled over naive", tiled / naive);
        let best = row.params_text();
        parts.push(format!("tiles in workgroup memory (best with {best}) run at {gain} the naive rate"));
    }
    for (benchmark, words) in [
        ("register_blocked", "4×4 elements per invocation in registers reach"),
        ("double_buffered", "8×8 elements with the next tiles prefetched reach"),
    ] {
        let Some((rate, row)) = fastest(benchmark) else { continue };
        let rate = draft.gflop_per_s(benchmark, rate);
        let share = draft.share(format!("{benchmark} share"), row.share, "the measured FMA peak");
        parts.push(format!("{words} {rate}{share}"));
    }
    if let Some((rate, row)) = fastest("cooperative") {
        let rate = draft.gflop_per_s("cooperative", rate);
        let share = draft.share("cooperative share", row.share, "their measured peak");
        parts.push(format!("tensor cores with f16 factors reach {rate}{share}"));
    }
    let n = measured.iter().find(|row| scalars(row) == largest)?.size();
    let text = format!("Matrix product of {n}: {}.", parts.join("; "));
    draft.finish(if parts.is_empty() { &[] } else { std::slice::from_ref(&text) })
}
