//! The gain of the texture unit.

use super::claim::Claim;
use super::estimate::{byte_rate, time};
use super::finding::Draft;
use super::query::of;
use crate::results::Record;

pub(super) const CLAIMS: &[Claim] = &[Claim {
    name: "gain of the texture unit",
    rows: "rotate_sampled at the largest size, and rotate_by_hand at the same size and angle",
    condition: "a factor if the intervals are apart; alike if they overlap and are within ±5 %",
    state: rotate,
}];

fn rotate(rows: &[&Record], draft: &mut Draft) -> Option<String> {
    let sampled = of(rows, "rotate_sampled").filter(|row| row.gb_per_s.is_some()).max_by_key(|row| row.bytes)?;
    let computed = of(rows, "rotate_by_hand").find(|row| (&row.n, &row.params) == (&sampled.n, &sampled.params))?;
    // The times count, since both ways rotate the same pixels.
    let speed = draft.speed("texture unit over kernel", time(computed)?, time(sampled)?)?;
    let fast = draft.byte_rate("rotate_sampled", byte_rate(sampled)?)?;
    let slow = draft.byte_rate("rotate_by_hand", byte_rate(computed)?)?;
    Some(format!(
        "Rotating {} pixels, filtering in the texture unit is {speed} filtering in the kernel: {fast} and {slow}.",
        sampled.size()
    ))
}

#[cfg(test)]
mod tests {
    use crate::results::Record;
    use crate::results::findings::planted::{found, row};

    #[test]
    fn the_two_ways_are_compared() {
        let row = |benchmark: &str, median_ns: f64| Record {
            bytes: Some(16_384),
            gb_per_s: Some(32_768.0 / median_ns),
            ..row(benchmark, &[], 64, median_ns)
        };
        let rows = [row("rotate_sampled", 100.0), row("rotate_by_hand", 150.0)];
        let text = found("texture", &rows).expect("both rows").text;
        assert!(text.contains("1.50× as fast as filtering in the kernel: 328 GB/s and 218.5 GB/s"), "{text}");
    }
}
