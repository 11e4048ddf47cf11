//! The gain of each step of the article's sum.

use super::claim::Claim;
use super::estimate::time;
use super::finding::Draft;
use super::query::{of, scalars, short};
use crate::record::Record;
use crate::record::stats::{self, Estimate};

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "speedup by step",
        rows: "the kernels of each two neighbouring steps, at the largest size",
        condition: "each factor with the digits that its interval leaves",
        state: steps,
    },
    Claim {
        name: "accumulation in workgroup memory",
        rows: "accumulate_in_workgroup and serial_block_sum, at the largest size",
        condition: "a factor if the intervals are apart; alike if they overlap and are within ±5 %",
        state: |rows, draft| {
            let n = largest(rows)?;
            let (shared, register) = (own(rows, "accumulate_in_workgroup", n)?, own(rows, "serial_block_sum", n)?);
            let takes = draft.duration("workgroup memory over a register", shared, register)?;
            Some(format!("Accumulating in workgroup memory takes {takes} in a register."))
        },
    },
    Claim {
        name: "speedup of all steps",
        rows: "one_invocation and tree_block_sum, at the largest size",
        condition: "the intervals are apart",
        state: |rows, draft| {
            let n = largest(rows)?;
            let speed = draft.speed("all steps", own(rows, "one_invocation", n)?, own(rows, "tree_block_sum", n)?)?;
            Some(format!("At {} u32, the tree is {speed} the first step.", short(n)))
        },
    },
];

/// A kernel, the kernel of the next step, and what the step adds.
const STEPS: [(&str, &str, &str); 4] = [
    ("one_invocation", "one_block_chunks", "a workgroup instead of one invocation"),
    ("one_block_chunks", "one_block_interleaved", "coalesced reads"),
    ("one_block_interleaved", "many_blocks_host_sum", "32 workgroups"),
    ("serial_block_sum", "tree_block_sum", "a tree instead of one invocation"),
];

fn largest(rows: &[&Record]) -> Option<u64> {
    rows.iter().filter(|row| row.n.is_some()).map(|row| scalars(row)).max()
}

/// The time of a kernel.
fn own(rows: &[&Record], benchmark: &str, n: u64) -> Option<Estimate> {
    time(of(rows, benchmark).find(|row| scalars(row) == n)?)
}

fn steps(rows: &[&Record], draft: &mut Draft) -> Option<String> {
    let n = largest(rows)?;
    let gain = |(from, to, what): &(&str, &str, &str)| {
        let gain = stats::ratio(own(rows, from, n)?, own(rows, to, n)?)?;
        Some(format!("{what} {}", draft.times(*what, gain)?))
    };
    let gains: Vec<String> = STEPS.iter().filter_map(gain).collect();
    (!gains.is_empty()).then(|| format!("Speedup by step at {} u32: {}.", short(n), gains.join(", ")))
}
