//! Random numbers of the checks.

/// Number `number` of a random series. It shows nothing about other numbers or series.
pub(in crate::engine) const fn mixed(series: u64, number: u64) -> u64 {
    // Two rounds of a multiplicative hash whose high half is mixed into the low one.
    let mut bits = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(series);
    bits = (bits ^ (bits >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    bits = (bits ^ (bits >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    bits ^ (bits >> 32)
}
