//! The gain of the texture unit.

use super::claim::Claim;
use super::estimate::{byte_rate, time};
use super::finding::Draft;
use super::query::{of, param};
use crate::record::Record;

pub(super) const CLAIMS: &[Claim] = &[Claim {
    name: "gain of the texture unit",
    rows: "rotate_sampled at the largest size and there the last angle, and rotate_by_hand at the same size and angle",
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
    // The gain depends on the angle.
    let angle = param(sampled, "ANGLE").map_or_else(String::new, |angle| format!(" by {angle} degrees"));
    Some(format!(
        "Rotating {} pixels{angle}, filtering in the texture unit is {speed} filtering in the kernel: {fast} and \
         {slow}.",
        sampled.short_size()
    ))
}

#[cfg(test)]
mod tests {
    use crate::record::Record;
    use crate::results::findings::planted::{found, row};

    #[test]
    fn the_two_ways_are_compared() {
        let row = |benchmark: &str, angle: f64, median_ns: f64| Record {
            bytes: Some(16_384),
            gb_per_s: Some(32_768.0 / median_ns),
            ..row(benchmark, &[("ANGLE", angle)], 64, median_ns)
        };
        let by_hand = [row("rotate_by_hand", 30.0, 120.0), row("rotate_by_hand", 90.0, 150.0)];
        let rows = [&[row("rotate_sampled", 30.0, 100.0), row("rotate_sampled", 90.0, 100.0)], &by_hand[..]].concat();
        let text = found("texture", &rows).expect("both rows").text;
        assert!(text.starts_with("Rotating 64 pixels by 90 degrees, filtering"), "{text}");
        assert!(text.contains("1.50× as fast as filtering in the kernel: 328 GB/s and 218.5 GB/s"), "{text}");
    }
}
