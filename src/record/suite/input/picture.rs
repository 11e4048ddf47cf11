use super::random::hash;
use crate::suite::scalar::Scalar;

/// The pixel at a position in [`Values::Picture`](super::Values::Picture), with the noise of the stream of this key.
#[inline]
pub(super) fn pixel(width: u64, (x, y): (u64, u64), key: u32) -> [u8; 4] {
    let (number, middle) = (y * width + x, width / 2);
    let [dx, dy] = [x, y].map(|at| (at as i64 - middle as i64) as f64);
    // Sixteen rings to the edge. The root of a whole number below 2^52 is never rounded up to the next one.
    let ring = (dx * dx + dy * dy).sqrt() as i64 as u64 * 32 / width.max(1);
    let green = if ring.is_multiple_of(2) == (x < middle && y < middle) { 48 } else { 208 };
    [(255 * x / width) as u8, green, hash(number, key) as u8, 255]
}

#[inline]
pub(super) fn grey(width: u64, position: (u64, u64), key: u32, scalar: Scalar) -> f64 {
    let [_, rings, noise, _] = pixel(width, position, key);
    let level = f64::from(rings.midpoint(noise));
    if matches!(scalar, Scalar::U32 | Scalar::Unorm8) { level } else { level / 256.0 }
}
