//! The gain of padded rows, and the rates of copies to and from textures.

use super::finding::{Draft, Finding};
use super::query::{has_params, of};
use crate::results::Record;

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let mut draft = Draft::default();
    let mut gain = |benchmark: &str| {
        let largest = of(rows, benchmark).filter(|row| row.median_ns.is_some()).max_by_key(|row| row.bytes)?;
        let time = |pitched: f64| {
            rows.iter().find(|row| row.n == largest.n && has_params(row, &[("PITCHED", pitched)]))?.median_ns
        };
        let gain = draft.times(format!("{benchmark} padded"), time(0.0)? / time(1.0)?);
        Some(format!("{gain} at {} ({benchmark})", largest.size()))
    };
    let gains: Vec<String> = ["rows_2d", "slices_3d"].into_iter().filter_map(&mut gain).collect();
    let mut text = Vec::new();
    if !gains.is_empty() {
        text.push(format!("Padding rows to 256 bytes changes the speed of reading by {}.", gains.join(" and ")));
    }
    let mut rate = |benchmark: &str| {
        let largest = of(rows, benchmark).max_by_key(|row| row.bytes)?;
        Some((draft.gb_per_s(benchmark, largest.gb_per_s?), largest.size()))
    };
    if let Some(((into, n), (out, _))) = rate("buffer_to_texture").zip(rate("texture_to_buffer")) {
        text.push(format!("Copying {n} words from a buffer to a texture runs at {into}, back at {out}."));
    }
    draft.finish(&text)
}
