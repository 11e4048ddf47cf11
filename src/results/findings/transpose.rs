//! The gain of coalescing, tiles and padding in a transpose.

use super::claim::Claim;
use super::estimate::byte_rate;
use super::finding::Draft;
use super::query::{Fastest, fastest_bytes, is_f32, label, like};
use crate::record::Record;

/// The condition of a comparison of two kernels.
const COMPARED: &str = "a factor if the intervals are apart; alike if they overlap and are within ±5 %";

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "fastest transpose",
        rows: "f32, at the largest size",
        condition: "one kernel is named if its interval is clear of the others, else those that overlap",
        state: fastest,
    },
    Claim {
        name: "coalesced writes",
        rows: "naive_coalesced_write and naive_coalesced_read, f32, at the largest size",
        condition: COMPARED,
        state: |rows, draft| {
            let (write, read) = (("naive_coalesced_write", NONE), ("naive_coalesced_read", NONE));
            let speed = speed(rows, draft, "coalesced writes over coalesced reads", write, read)?;
            Some(format!("With coalesced writes the naive kernel is {speed} with coalesced reads."))
        },
    },
    Claim {
        name: "input bound as read",
        rows: "naive_coalesced_write and naive_read_write_input, f32, at the largest size",
        condition: COMPARED,
        state: |rows, draft| {
            let (read, both) = (("naive_coalesced_write", NONE), ("naive_read_write_input", NONE));
            let speed = speed(rows, draft, "read over read_write", read, both)?;
            Some(format!("With an input bound as `read` the naive kernel is {speed} with one bound as `read_write`."))
        },
    },
    Claim {
        name: "padded tile",
        rows: "tiled with PAD=1 and with PAD=0, f32, at the largest size",
        condition: COMPARED,
        state: |rows, draft| {
            let (padded, bare) = (("tiled", &[("PAD", 1.0)][..]), ("tiled", &[("PAD", 0.0)][..]));
            let speed = speed(rows, draft, "padded tile over unpadded", padded, bare)?;
            Some(format!("A padded tile is {speed} an unpadded one."))
        },
    },
];

/// A benchmark with its parameters.
type Named<'a> = (&'a str, &'a [(&'a str, f64)]);

const NONE: &[(&str, f64)] = &[];

fn best<'a>(rows: &[&'a Record]) -> Option<Fastest<'a>> {
    fastest_bytes(rows.iter().copied().filter(|row| is_f32(row)))
}

fn fastest(rows: &[&Record], draft: &mut Draft) -> Option<String> {
    let best = best(rows)?;
    let (subject, rate) = best.named(label);
    let rate = draft.byte_rate("fastest", rate)?;
    let share = if best.is_certain() {
        draft.share("fastest share", best.row, "the measured copy peak")
    } else {
        String::new()
    };
    Some(format!("Transpose of {} f32: {subject} {rate}{share}.", best.row.short_size()))
}

fn speed(rows: &[&Record], draft: &mut Draft, name: &str, own: Named, other: Named) -> Option<String> {
    let best = best(rows)?;
    let rate = |(benchmark, params): Named| byte_rate(like(rows, benchmark, params, best.row)?);
    draft.speed(name, rate(own)?, rate(other)?)
}
