//! The gain of coalescing, tiles and padding in a transpose.

use super::finding::{Draft, Finding};
use super::query::{fastest_of_largest, is_f32, label, like};
use crate::results::Record;

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let best = fastest_of_largest(rows.iter().copied().filter(|row| is_f32(row)))?;
    let of = |benchmark, params: &[(&str, f64)]| like(rows, benchmark, params, best)?.gb_per_s;
    let mut draft = Draft::default();
    let rate = draft.gb_per_s("fastest", best.gb_per_s?);
    let share = draft.share("fastest share", best.share, "the measured copy peak");
    let mut text = vec![format!("Transpose of {} f32: {} is fastest at {rate}{share}.", best.size(), label(best))];
    if let (Some(read), Some(write)) = (of("naive_coalesced_read", &[]), of("naive_coalesced_write", &[])) {
        let ratio = draft.times("coalesced writes over coalesced reads", write / read);
        text.push(format!("With coalesced writes the naive kernel is {ratio} as fast as with coalesced reads."));
    }
    if let (Some(read), Some(both)) = (of("naive_coalesced_write", &[]), of("naive_read_write_input", &[])) {
        let ratio = draft.times("read over read_write", read / both);
        text.push(format!("With an input bound as `read` it is {ratio} as fast as with one bound as `read_write`."));
    }
    if let (Some(bare), Some(padded)) = (of("tiled", &[("PAD", 0.0)]), of("tiled", &[("PAD", 1.0)])) {
        let ratio = draft.times("padded tile over unpadded", padded / bare);
        text.push(format!("A padded tile is {ratio} as fast as an unpadded one."));
    }
    draft.finish(&text)
}
