//! The fastest sum, and the gain of workgroup memory.

use super::finding::{Draft, Finding};
use super::query::{fastest_of_largest, has_params, is_f32, like};
use crate::results::Record;

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let best = fastest_of_largest(rows.iter().copied().filter(|row| is_f32(row) && has_params(row, &[])))?;
    let mut draft = Draft::default();
    let rate = draft.gb_per_s("fastest", best.gb_per_s?);
    let share = draft.share("fastest share", best.share, "the measured read peak");
    let mut text = vec![format!("Sum of {} f32: {} is fastest at {rate}{share}.", best.size(), best.benchmark)];
    let of = |benchmark| like(rows, benchmark, &[], best)?.gb_per_s;
    if let (Some(global), Some(workgroup)) = (of("interleaved_global"), of("interleaved_workgroup")) {
        let ratio = draft.times("workgroup memory over global memory", workgroup / global);
        text.push(format!("In workgroup memory the same steps run {ratio} as fast as in global memory."));
    }
    draft.finish(&text)
}
