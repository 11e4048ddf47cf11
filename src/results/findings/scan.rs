//! The gain of one pass over three kernels.

use super::finding::{Draft, Finding};
use super::query::{fastest, is_f32, of};
use crate::results::Record;

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let measured: Vec<&Record> = rows.iter().copied().filter(|row| is_f32(row) && row.gb_per_s.is_some()).collect();
    let mut draft = Draft::default();
    let mut scanned = |row: &Record| {
        let rate = draft.gb_per_s(row.benchmark.as_str(), row.gb_per_s?);
        let share = draft.share(format!("{} share", row.benchmark), row.share, "the measured copy peak");
        Some(format!("{} runs at {rate}{share}", row.benchmark))
    };
    let three_kernels = |one: &Record| of(&measured, "three_kernels").find(|row| row.n == one.n);
    let pairs = of(&measured, "single_pass").filter_map(|one| Some((one, three_kernels(one)?)));
    let Some((one, three)) = pairs.max_by_key(|(one, _)| one.bytes) else {
        let largest = measured.iter().max_by_key(|row| row.bytes)?;
        let text = format!("Scan of {} f32: {}.", largest.size(), scanned(largest)?);
        return draft.finish(&[text]);
    };
    let mut text = format!("Scan of {} f32: {}, {}", one.size(), scanned(three)?, scanned(one)?);
    let by_subgroups = fastest(of(&measured, "single_pass_subgroup").filter(|row| row.n == one.n));
    let by_subgroups = by_subgroups.and_then(|row| Some((scanned(row)?, row)));
    let ratio = draft.times("single_pass over three_kernels", one.gb_per_s? / three.gb_per_s?);
    text.push_str(&format!(", {ratio} as fast"));
    if let Some((scanned, row)) = by_subgroups {
        let ratio = draft.times("single_pass_subgroup over three_kernels", row.gb_per_s? / three.gb_per_s?);
        text.push_str(&format!("; {scanned} with {}, {ratio} as fast as three_kernels", row.params_text()));
    }
    draft.finish(&[format!("{text}.")])
}
