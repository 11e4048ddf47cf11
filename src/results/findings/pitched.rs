//! The gain of padded rows, and the rates of copies to and from textures.

use super::claim::Claim;
use super::estimate::{byte_rate, time};
use super::finding::Draft;
use super::query::{has_params, of};
use crate::record::Record;

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "gain of padded rows",
        rows: "rows_2d and slices_3d at PITCHED=0 and PITCHED=1, at the largest size",
        condition: "a factor if the intervals are apart; alike if they overlap and are within ±5 %",
        state: padding,
    },
    Claim {
        name: "copies to and from textures",
        rows: "buffer_to_texture and texture_to_buffer, at the largest size",
        condition: "both rates with the digits that their intervals leave",
        state: copies,
    },
];

fn padding(rows: &[&Record], draft: &mut Draft) -> Option<String> {
    let gain = |benchmark: &&str| {
        let largest = of(rows, benchmark).filter(|row| row.median_ns.is_some()).max_by_key(|row| row.bytes)?;
        let own = |pitched: f64| {
            time(of(rows, benchmark).find(|row| row.n == largest.n && has_params(row, &[("PITCHED", pitched)]))?)
        };
        let speed = draft.speed(format!("{benchmark} padded"), own(0.0)?, own(1.0)?)?;
        Some(format!("{speed} without at {} ({benchmark})", largest.short_size()))
    };
    let gains: Vec<String> = ["rows_2d", "slices_3d"].iter().filter_map(gain).collect();
    let list = gains.join(", and ");
    (!gains.is_empty()).then(|| format!("With rows padded to 256 bytes, reading is {list}."))
}

fn copies(rows: &[&Record], draft: &mut Draft) -> Option<String> {
    let mut rate = |benchmark: &str| {
        let largest = of(rows, benchmark).max_by_key(|row| row.bytes)?;
        Some((draft.byte_rate(benchmark, byte_rate(largest)?)?, largest.short_size()))
    };
    let ((into, n), (out, _)) = rate("buffer_to_texture").zip(rate("texture_to_buffer"))?;
    Some(format!("Copying {n} words from a buffer to a texture runs at {into}, back at {out}."))
}
