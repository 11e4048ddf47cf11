//! Text of rates and sizes.

/// A rate for a sentence, to three or four digits.
pub(crate) fn gb_per_s(rate: f64) -> String {
    match rate {
        rate if rate >= 10_000.0 => format!("{:.1} TB/s", rate / 1000.0),
        rate if rate >= 100.0 => format!("{rate:.0} GB/s"),
        rate => format!("{rate:.2} GB/s"),
    }
}

/// A rate of operations for a sentence, from GFLOP/s.
pub(crate) fn flop_per_s(rate: f64) -> String {
    if rate >= 1000.0 { format!("{:.2} TFLOP/s", rate / 1000.0) } else { format!("{rate:.1} GFLOP/s") }
}

/// Binary units of bytes, the largest first, each with its power of two.
const BINARY_UNITS: [(u32, &str); 4] = [(30, "GiB"), (20, "MiB"), (10, "KiB"), (0, "B")];

/// A number of bytes in the largest binary unit that divides it.
#[must_use]
pub fn binary_size(bytes: u64) -> String {
    let divides = |(shift, _): &(u32, &str)| *shift == 0 || bytes >> shift > 0 && bytes.is_multiple_of(1 << shift);
    let (shift, unit) = BINARY_UNITS.into_iter().find(divides).unwrap_or((0, "B"));
    format!("{} {unit}", bytes >> shift)
}

/// Parses the text of [`binary_size`].
#[must_use]
pub fn parse_binary_size(text: &str) -> Option<u64> {
    let (number, unit) = text.split_once(' ')?;
    let (shift, _) = BINARY_UNITS.into_iter().find(|(_, name)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}
