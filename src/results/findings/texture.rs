//! The gain of the texture unit.

use super::finding::{Draft, Finding};
use super::query::of;
use crate::results::Record;

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let sampled = of(rows, "rotate_sampled").filter(|row| row.gb_per_s.is_some()).max_by_key(|row| row.bytes)?;
    let computed = of(rows, "rotate_by_hand").find(|row| (&row.n, &row.params) == (&sampled.n, &sampled.params))?;
    let mut draft = Draft::default();
    let ratio = draft.times("texture unit over kernel", computed.median_ns? / sampled.median_ns?);
    let fast = draft.gb_per_s("rotate_sampled", sampled.gb_per_s?);
    let slow = draft.gb_per_s("rotate_by_hand", computed.gb_per_s?);
    draft.finish(&[format!(
        "Rotating {} pixels, the texture unit filters {ratio} as fast as the kernel itself: {fast} against {slow}.",
        sampled.size()
    )])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Extent;

    #[test]
    fn the_two_ways_are_compared() {
        let row = |benchmark: &str, median_ns: f64| Record {
            benchmark: benchmark.to_owned(),
            n: Some(Extent::Matrix(64, 64)),
            median_ns: Some(median_ns),
            gb_per_s: Some(32_768.0 / median_ns),
            ..Record::default()
        };
        let rows = [row("rotate_sampled", 100.0), row("rotate_by_hand", 150.0)];
        let text = find(&rows.iter().collect::<Vec<_>>()).expect("both rows").text;
        assert!(text.contains("1.50× as fast as the kernel itself: 327.7 GB/s against 218.5 GB/s"), "{text}");
    }
}
