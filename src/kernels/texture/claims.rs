//! The gain of the texture unit.

use record::claim::*;
use record::format::all_correct;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured { name: "gain from the texture unit", state: rotate }),
    Claim::Article(ArticleClaim {
        id: "B9",
        title: "an image rotated by the texture unit",
        claim: "The texture unit takes normalised coordinates, wraps them, and filters linearly.",
        kernels: &[
            "texture/rotate_sampled_float",
            "texture/rotate_by_hand_float",
            "texture/rotate_sampled",
            "texture/rotate_by_hand",
        ],
        terms: &["tex2D()", "cudaTextureObject_t", "texture objects"],
        prediction: "The picture matches a rotation computed by the host, within the error of 8-bit sub-texel \
            precision. Texture references, which the article uses, were removed in CUDA 12.",
        is_timing: false,
        judge: Judge::Claim(|rows, facts| {
            const FLOAT: [&str; 2] = ["texture/rotate_sampled_float", "texture/rotate_by_hand_float"];
            const BYTES: [&str; 2] = ["texture/rotate_sampled", "texture/rotate_by_hand"];
            // The article's picture is f32; older reports have no such rows, and not every device filters f32.
            let has_float = rows.verified(&FLOAT).is_ok();
            let [sampled, by_hand] = if has_float { FLOAT } else { BYTES };
            let answer = right(rows, &[sampled], |rows| all_correct(rows.len()) + ".")?;
            let angle = &[("ANGLE", 30.0)][..];
            let sampled_row = ((sampled, angle), "filtering in the texture unit");
            let other = ((by_hand, angle), "filtering in the kernel");
            let speeds = if rows.is_software() { None } else { beside(rows, facts, sampled_row, other).ok() };
            Ok(answer.and(speeds.map(Report::into_text)))
        }),
        ..ArticleClaim::BLANK
    }),
];

fn rotate(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let sampled = of(rows, "rotate_sampled").filter(|row| row.gb_per_s.is_some()).max_by_key(|row| row.bytes)?;
    let computed = of(rows, "rotate_by_hand").find(|row| (&row.n, &row.params) == (&sampled.n, &sampled.params))?;
    // Compares times, since both ways rotate the same pixels.
    let speed = facts.speed("speed ratio: texture unit / kernel", time(computed)?, time(sampled)?)?;
    let fast = facts.byte_rate("rotate_sampled", byte_rate(sampled)?)?;
    let slow = facts.byte_rate("rotate_by_hand", byte_rate(computed)?)?;
    // The gain depends on the angle.
    let angle = param(sampled, "ANGLE").map_or_else(String::new, |angle| format!(" by {angle} degrees"));
    Some(format!(
        "For a rotation of {} pixels{angle}, filtering in the texture unit is {speed} filtering in the kernel: {fast} \
         and {slow}.",
        sampled.short_size()
    ))
}

#[cfg(test)]
mod tests {
    use crate::planted::{found, row};
    use record::Record;

    #[test]
    fn the_two_ways_are_compared() {
        let row = |benchmark: &str, angle: f64, median_ns: f64| Record {
            bytes: Some(16_384),
            gb_per_s: Some(32_768.0 / median_ns),
            ..row(benchmark, &[("ANGLE", angle)], 64, median_ns)
        };
        let by_hand = [row("rotate_by_hand", 30.0, 120.0), row("rotate_by_hand", 90.0, 150.0)];
        let rows = [&[row("rotate_sampled", 30.0, 100.0), row("rotate_sampled", 90.0, 100.0)], &by_hand[..]].concat();
        let text = found("texture", &rows).expect("both rows").text();
        assert!(text.starts_with("For a rotation of 64 pixels by 90 degrees, filtering"), "{text}");
        assert!(text.contains("1.50× as fast as filtering in the kernel: 328 GB/s and 218 GB/s"), "{text}");
    }
}
