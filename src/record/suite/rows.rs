/// Splits the slots, the first of which is element `first`, at the ends of rows of `length`: `fill` gets each piece
/// with its row and the column of its first element. This divides once per row instead of once per element.
#[inline(always)]
pub fn by_rows<T>(first: u64, mut slots: &mut [T], length: u64, mut fill: impl FnMut(u64, u64, &mut [T])) {
    let (mut row, mut column) = (first / length, first % length);
    while !slots.is_empty() {
        let (piece, rest) = slots.split_at_mut((length - column).min(slots.len() as u64) as usize);
        fill(row, column, piece);
        (row, column, slots) = (row + 1, 0, rest);
    }
}
