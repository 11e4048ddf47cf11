//! The gain of counting in workgroup memory.

use super::finding::{Draft, Finding};
use super::query::{fastest, fastest_of_largest, label, of, scalars};
use crate::results::Record;

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let best = fastest_of_largest(rows.iter().copied())?;
    let mut sizes: Vec<u64> = rows.iter().filter(|row| row.gb_per_s.is_some()).map(|row| scalars(row)).collect();
    sizes.sort_unstable();
    // The best rate of `to` over that of `from`, at the largest size that both have.
    let gain = |from: &str, to: &str| {
        let best = |benchmark: &str, n: u64| fastest(of(rows, benchmark).filter(|row| scalars(row) == n))?.gb_per_s;
        sizes.iter().rev().find_map(|n| Some((*n, best(to, *n)? / best(from, *n)?)))
    };
    let mut draft = Draft::default();
    let rate = draft.gb_per_s("fastest", best.gb_per_s?);
    let mut text = vec![format!("Histogram of {} words: {} is fastest at {rate}.", scalars(best), label(best))];
    if let Some((n, gain)) = gain("global_atomic", "workgroup_atomic") {
        let gain = draft.times("workgroup memory over global memory", gain);
        text.push(format!("Counting in workgroup memory is {gain} as fast as in global memory (at {n} words)."));
    }
    if let Some((n, gain)) = gain("workgroup_atomic", "private") {
        let gain = draft.times("several copies over one", gain);
        text.push(format!("Several copies of the bins are {gain} as fast as one (at {n} words)."));
    }
    draft.finish(&text)
}
