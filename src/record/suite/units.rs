const BINARY_UNITS: [(u32, &str); 4] = [(30, "GiB"), (20, "MiB"), (10, "KiB"), (0, "B")];

/// A number of bytes in the largest binary unit that divides it.
#[must_use]
pub fn binary_size(bytes: u64) -> String {
    let divides = |(shift, _): &(u32, &str)| *shift == 0 || bytes >> shift > 0 && bytes.is_multiple_of(1 << shift);
    let (shift, unit) = BINARY_UNITS.into_iter().find(divides).unwrap_or((0, "B"));
    format!("{} {unit}", bytes >> shift)
}

/// A range of sizes: `24–48 MiB`.
#[must_use]
pub fn binary_range(least: u64, most: u64) -> String {
    let (low, high) = (binary_size(least), binary_size(most));
    match (low.split_once(' '), high.split_once(' ')) {
        (Some((number, unit)), Some((_, other))) if unit == other => format!("{number}–{high}"),
        _ => format!("{low}–{high}"),
    }
}

/// Parses the text of [`binary_size`].
#[must_use]
pub fn parse_binary_size(text: &str) -> Option<u64> {
    let (number, unit) = text.split_once(' ')?;
    let (shift, _) = BINARY_UNITS.into_iter().find(|(_, name)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}
