//! The gain of each step of the article's sum.

use super::finding::{Draft, Finding};
use super::query::{of, scalars};
use crate::results::Record;

/// A kernel, the kernel of the next step, and what the step adds.
const STEPS: [(&str, &str, &str); 4] = [
    ("one_invocation", "one_block_chunks", "a workgroup instead of one invocation"),
    ("one_block_chunks", "one_block_interleaved", "coalesced reads"),
    ("one_block_interleaved", "many_blocks_host_sum", "32 workgroups"),
    ("serial_block_sum", "tree_block_sum", "a tree instead of one invocation"),
];

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let largest = rows.iter().filter(|row| row.n.is_some()).map(|row| scalars(row)).max()?;
    let median = |benchmark: &str| of(rows, benchmark).find(|row| scalars(row) == largest)?.median_ns;
    let mut draft = Draft::default();
    let gains: Vec<String> = STEPS
        .iter()
        .filter_map(|(from, to, what)| Some(format!("{what} {}", draft.times(*what, median(from)? / median(to)?))))
        .collect();
    if gains.is_empty() {
        return None;
    }
    let whole = median("one_invocation").zip(median("tree_block_sum")).map_or_else(String::new, |(first, last)| {
        format!("; from the first step to the tree {}", draft.times("all steps", first / last))
    });
    let mut text = vec![format!("Speedup by step at {largest} u32: {}{whole}.", gains.join(", "))];
    if let Some((inside, outside)) = rows.iter().find_map(|row| Some((row.in_kernel_ns?, row.median_ns?))) {
        let inside = draft.microseconds("in kernel", inside, 1);
        let outside = draft.microseconds("around the kernel", outside, 1);
        text.push(format!(
            "A clock in the kernel gives {inside} from the first workgroup's start to the last one's end, the clock \
             around the launch {outside}."
        ));
    }
    draft.finish(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Extent;

    #[test]
    fn both_clocks_are_compared_where_a_kernel_reads_one() {
        let row = |benchmark: &str, median_ns: f64, in_kernel_ns: Option<f64>| Record {
            benchmark: benchmark.to_owned(),
            n: Some(Extent::Linear(4)),
            median_ns: Some(median_ns),
            in_kernel_ns,
            ..Record::default()
        };
        let rows = [
            row("serial_block_sum", 30_000.0, None),
            row("tree_block_sum", 20_000.0, None),
            row("clock_in_kernel", 30_500.0, Some(28_448.0)),
        ];
        let rows: Vec<&Record> = rows.iter().collect();
        let start = "Speedup by step at 4 u32: a tree instead of one invocation 1.50×.";
        assert_eq!(find(&rows[..2]).expect("two steps").text, start);
        let found = find(&rows).expect("three rows").text;
        assert!(found.starts_with(start), "{found}");
        assert!(found.contains("gives 28.4 µs") && found.contains("around the launch 30.5 µs"), "{found}");
    }
}
