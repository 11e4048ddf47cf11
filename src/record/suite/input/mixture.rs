use super::random::hash;

/// Element of [`Values::MixedFrom`](super::Values::MixedFrom) at this position of a stream. Of 16 pieces of 256
/// elements on average, one has equal elements, one ascending, one descending, one few distinct ones, and one many
/// zeros and extremes. In the others, an eighth comes from 16 numbers of the piece.
pub(super) const fn mixture(position: u64, key: u32) -> u32 {
    const EXTREMES: [u32; 4] = [0, u32::MAX, i32::MAX as u32, 1 << 31];
    let random = hash(position, key);
    let of_piece = hash(position >> 8, key ^ 0x7069_6563);
    let (start, step) = (of_piece & !0xff, position as u32 & 0xff);
    match (of_piece >> 8 & 15, random & 7) {
        (0, _) => of_piece,
        (1, _) => start | step,
        (2, _) => start | (0xff - step),
        (3, 0..6) | (5.., 5) => hash((random >> 16 & 15) as u64, of_piece),
        (4, 0..3) => EXTREMES[(random >> 16 & 3) as usize],
        (5.., 6) if random >> 16 & 31 == 0 => EXTREMES[(random >> 24 & 3) as usize],
        _ => random,
    }
}
