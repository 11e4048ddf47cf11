//! The fastest sum, and the gain of workgroup memory.

use super::claim::Claim;
use super::estimate::byte_rate;
use super::finding::Draft;
use super::query::{Fastest, benchmark, fastest_bytes, has_params, is_f32, like};
use crate::results::Record;

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "fastest sum",
        rows: "f32 without parameters, at the largest size",
        condition: "one kernel is named if its interval is clear of the others, else those that overlap",
        state: fastest,
    },
    Claim {
        name: "gain of workgroup memory",
        rows: "interleaved_workgroup and interleaved_global, f32, at the largest size",
        condition: "a factor if the intervals are apart; alike if they overlap and are within ±5 %",
        state: |rows, draft| {
            let best = best(rows)?;
            let of = |benchmark| byte_rate(like(rows, benchmark, &[], best.row)?);
            let (workgroup, global) = (of("interleaved_workgroup")?, of("interleaved_global")?);
            let speed = draft.speed("workgroup memory over global memory", workgroup, global)?;
            Some(format!(
                "In workgroup memory, with barriers of that scope, the same steps are {speed} in global memory."
            ))
        },
    },
];

fn best<'a>(rows: &[&'a Record]) -> Option<Fastest<'a>> {
    fastest_bytes(rows.iter().copied().filter(|row| is_f32(row) && has_params(row, &[])))
}

fn fastest(rows: &[&Record], draft: &mut Draft) -> Option<String> {
    let best = best(rows)?;
    let (subject, rate) = best.named(benchmark);
    let rate = draft.byte_rate("fastest", rate)?;
    let share = if best.is_certain() {
        draft.share("fastest share", best.row, "the measured read peak")
    } else {
        String::new()
    };
    Some(format!("Sum of {} f32: {subject} {rate}{share}.", best.row.size()))
}
