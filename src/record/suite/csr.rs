//! Sparse matrices in CSR as pure functions of the index, like inputs: never stored, and the same on every machine.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::input::{hash, hashes, key};
use super::rows::by_rows;
use super::vectors::vectorised;

/// A square sparse matrix, drawn from a random stream. The number of nonzeros is the same in every stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Csr {
    /// Rows, and columns.
    pub rows: u64,
    /// The positions of its nonzeros.
    pub pattern: Pattern,
    /// Number of the random stream.
    pub stream: u64,
}

/// The positions of a matrix's nonzeros: about 16 per row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// 16 per row, in 18 columns around the diagonal that wrap around at the edges; two of the columns are left out.
    Banded,
    /// 0 to 32 per row, in random columns.
    Random,
    /// 2 to 8192 per row by a power law: 8192 / k in the row of rank k of 4096. Random columns.
    PowerLaw,
}

/// An array of a matrix in CSR.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CsrArray {
    /// The index of each row's first nonzero, then the number of nonzeros.
    Starts,
    /// The column of each nonzero.
    Columns,
}

/// Rows of a block. Whole blocks have the pattern's row lengths in its order, rotated at random. Later rows have the
/// first lengths, so that no stream has more nonzeros.
const BLOCK: u64 = 4096;

const BAND: u64 = 16;

impl Pattern {
    /// Every pattern, in the order of the parameter `MATRIX`.
    pub const ALL: [Self; 3] = [Self::Banded, Self::Random, Self::PowerLaw];

    const fn length(self, row: u64) -> u64 {
        // Ranks in a mixed order: an odd factor permutes them.
        let rank = row * 421 % BLOCK;
        match self {
            Self::Banded => BAND,
            Self::PowerLaw => 8192 / (rank + 1),
            Self::Random => rank % 33,
        }
    }

    /// The offsets of a block's rows, and its end.
    fn block(self) -> &'static [u64] {
        static BLOCKS: OnceLock<[Vec<u64>; 3]> = OnceLock::new();
        let blocks = BLOCKS.get_or_init(|| {
            Self::ALL.map(|pattern| {
                let sums = (0..BLOCK).scan(0, |sum, row| {
                    *sum += pattern.length(row);
                    Some(*sum)
                });
                std::iter::once(0).chain(sums).collect()
            })
        });
        &blocks[self as usize]
    }
}

impl Csr {
    /// The index of a row's first nonzero; for row `rows`, the number of nonzeros.
    #[must_use]
    pub fn start(self, row: u64) -> u64 {
        let sums = self.pattern.block();
        let all = sums[BLOCK as usize];
        let (block, within) = (row / BLOCK, (row % BLOCK) as usize);
        if within == 0 {
            return block * all;
        }
        let first = self.first(block);
        let end = first + within;
        let wrapped = if end > BLOCK as usize { all + sums[end - BLOCK as usize] } else { sums[end] };
        block * all + wrapped - sums[first]
    }

    /// The index in the pattern's lengths at which a block starts.
    fn first(self, block: u64) -> usize {
        let is_whole = (block + 1) * BLOCK <= self.rows;
        if is_whole { (hash(block, self.key()) as u64 % BLOCK) as usize } else { 0 }
    }

    const fn key(self) -> u32 {
        key(self.stream ^ 0x6373_7200_0000)
    }

    /// The number of nonzeros.
    #[must_use]
    pub fn nonzeros(self) -> u64 {
        self.start(self.rows)
    }

    /// The column of a nonzero.
    pub fn column(self, nonzero: u64) -> u64 {
        let mut column = [0];
        self.columns(nonzero, &mut column);
        column[0].into()
    }

    /// Writes the columns of the nonzeros that start at index `first`.
    pub fn columns(self, first: u64, columns: &mut [u32]) {
        columns_of(self, first, columns);
    }

    /// Writes the words of an array from index `first` into `bytes`, little-endian, on all cores; 0 past its end.
    pub fn encode(self, array: CsrArray, first: u64, bytes: &mut [u8]) {
        const PIECE: usize = 1 << 16;
        let nonzeros = self.nonzeros();
        bytes.par_chunks_mut(PIECE).enumerate().for_each(|(piece, chunk)| {
            let first = first + (piece * PIECE / 4) as u64;
            let words = chunk.as_chunks_mut::<4>().0;
            if array == CsrArray::Starts {
                let start = |row| if row <= self.rows { self.start(row) as u32 } else { 0 };
                (first..).zip(words).for_each(|(row, word)| *word = start(row).to_le_bytes());
                return;
            }
            let mut columns = vec![0; words.len()];
            self.columns(first, &mut columns[..words.len().min(nonzeros.saturating_sub(first) as usize)]);
            words.iter_mut().zip(columns).for_each(|(word, column)| *word = column.to_le_bytes());
        });
    }
}

vectorised! {
    fn columns_of(csr: Csr, first: u64, columns: &mut [u32]) {
        let (key, rows) = (csr.key(), csr.rows);
        if csr.pattern != Pattern::Banded {
            hashes(first, 1, key, columns);
            columns.iter_mut().for_each(|word| *word = ((u64::from(*word) * rows) >> 32) as u32);
            return;
        }
        by_rows(first, columns, BAND, |row, place, columns| {
            // Positions at which a column is left out.
            let gaps = hash(row, key);
            let [a, b] = [gaps >> 16, gaps >> 24].map(|gap| gap % (BAND as u32 + 1));
            let before = BAND as u32 / 2 + 1;
            let skipped = |place: u32| place + u32::from(place >= a) + u32::from(place >= b);
            if row >= u64::from(before) && row + BAND + 2 < rows {
                let first = row as u32 - before;
                (place as u32..).zip(columns).for_each(|(place, column)| *column = first + skipped(place));
                return;
            }
            // At the edges; a matrix may have fewer columns than the band.
            for (place, column) in (place as u32..).zip(columns) {
                *column = ((row + rows * BAND + u64::from(skipped(place)) - u64::from(before)) % rows) as u32;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_start_where_the_last_one_ends_and_lie_in_the_matrix() {
        for pattern in Pattern::ALL {
            for rows in [1, 7, 4095, 4096, 9001] {
                let csr = Csr { rows, pattern, stream: 5 };
                let mut counted = 0;
                for row in 0..rows {
                    assert_eq!(csr.start(row), counted, "{csr:?}");
                    for nonzero in csr.start(row)..csr.start(row + 1) {
                        let column = csr.column(nonzero);
                        assert!(column < rows, "{csr:?} {nonzero}");
                        if pattern == Pattern::Banded && rows > BAND + 2 {
                            let skipped = (column + rows + BAND / 2 + 1 - row - (nonzero - counted)) % rows;
                            assert!(skipped < 3, "{csr:?} {nonzero}: {column}");
                        }
                    }
                    counted = csr.start(row + 1);
                }
                assert_eq!(csr.nonzeros(), counted);
            }
            let mean = Csr { rows: 1 << 20, pattern, stream: 5 }.nonzeros() >> 20;
            assert!((14..=17).contains(&mean), "{pattern:?}: {mean}");
        }
    }

    /// No formula predicts a matrix, and every stream takes equally long.
    #[test]
    fn streams_have_other_columns_and_lengths_and_as_many_nonzeros() {
        for pattern in Pattern::ALL {
            let [a, b] = [0, 1].map(|stream| Csr { rows: 9001, pattern, stream });
            assert_eq!(a.nonzeros(), b.nonzeros());
            let differing = (0..a.nonzeros()).filter(|nonzero| a.column(*nonzero) != b.column(*nonzero)).count();
            assert!(differing as u64 > a.nonzeros() / 4, "{pattern:?}: {differing}");
            let is_longer = |row: &u64| a.start(row + 1) - a.start(*row) != b.start(row + 1) - b.start(*row);
            let differing = (0..8192).filter(is_longer).count();
            assert!(pattern == Pattern::Banded || differing > 7000, "{pattern:?}: {differing}");
        }
    }

    #[test]
    fn arrays_are_encoded_from_any_index_on() {
        let csr = Csr { rows: 3000, pattern: Pattern::PowerLaw, stream: 5 };
        for (array, first, words) in [(CsrArray::Starts, 4, 3004), (CsrArray::Columns, 8, 40_000)] {
            let mut bytes = vec![0xff; 4 * words];
            csr.encode(array, first, &mut bytes);
            for (index, bytes) in (first..).zip(bytes.as_chunks::<4>().0) {
                let wanted = match array {
                    CsrArray::Starts if index <= 3000 => csr.start(index),
                    CsrArray::Columns => csr.column(index),
                    CsrArray::Starts => 0,
                };
                assert_eq!(u64::from(u32::from_le_bytes(*bytes)), wanted, "{array:?} {index}");
            }
        }
    }
}
