//! Sparse matrices in CSR as pure functions of the index, like inputs: never stored, and the same on every machine.

use std::sync::OnceLock;

use rayon::prelude::*;

/// A square sparse matrix, whose structure is the same in every random stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Csr {
    /// Rows, and columns.
    pub rows: u64,
    /// Where its nonzeros are.
    pub pattern: Pattern,
}

/// Where a matrix has its nonzeros: about 16 in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// 16 in each row, next to each other around the diagonal; around the edges they continue at the other end.
    Banded,
    /// 0 to 32 in a row, random columns.
    Random,
    /// From 2 to 8192 in a row, by a power law: 8192 / k in the row of rank k of 4096. Random columns.
    PowerLaw,
}

/// An array of a matrix in CSR.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CsrArray {
    /// For each row the number of its first nonzero; at the end the number of all.
    Starts,
    /// The column of each nonzero.
    Columns,
}

/// Rows after which row lengths repeat.
const BLOCK: u64 = 4096;

/// Nonzeros of a row of a band.
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

    /// Where the rows of a block start, and its end.
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
    /// The number of the first nonzero of a row; of row `rows`, the number of all nonzeros.
    #[must_use]
    pub fn start(self, row: u64) -> u64 {
        let block = self.pattern.block();
        row / BLOCK * block[BLOCK as usize] + block[(row % BLOCK) as usize]
    }

    /// The number of nonzeros.
    #[must_use]
    pub fn nonzeros(self) -> u64 {
        self.start(self.rows)
    }

    /// The column of a nonzero.
    #[must_use]
    pub fn column(self, nonzero: u64) -> u64 {
        if self.pattern == Pattern::Banded {
            let column = (nonzero / BAND + nonzero % BAND).wrapping_sub(BAND / 2);
            // Only the first and the last rows need the division.
            return if column < self.rows { column } else { column.wrapping_add(self.rows * BAND) % self.rows };
        }
        // The finaliser of MurmurHash3, scaled to the columns.
        let mut x = nonzero as u32 ^ (nonzero >> 32) as u32 ^ 0x5eed_c0de;
        x = (x ^ x >> 16).wrapping_mul(0x85eb_ca6b);
        x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
        (u64::from(x ^ x >> 16) * self.rows) >> 32
    }

    /// Writes the words of an array from number `first` on into `bytes`, little-endian, on all cores; 0 behind its end.
    pub fn encode(self, array: CsrArray, first: u64, bytes: &mut [u8]) {
        const PIECE: usize = 1 << 16;
        let nonzeros = self.nonzeros();
        let word = |index: u64| match array {
            CsrArray::Starts if index <= self.rows => self.start(index),
            CsrArray::Columns if index < nonzeros => self.column(index),
            _ => 0,
        };
        bytes.par_chunks_mut(PIECE).enumerate().for_each(|(piece, chunk)| {
            let first = first + (piece * PIECE / 4) as u64;
            for (index, slot) in (first..).zip(chunk.as_chunks_mut::<4>().0) {
                *slot = (word(index) as u32).to_le_bytes();
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
                let csr = Csr { rows, pattern };
                let mut counted = 0;
                for row in 0..rows {
                    assert_eq!(csr.start(row), counted, "{csr:?}");
                    for nonzero in csr.start(row)..csr.start(row + 1) {
                        let column = csr.column(nonzero);
                        assert!(column < rows, "{csr:?} {nonzero}");
                        let of_band = (row + (nonzero - counted) + BAND * rows - BAND / 2) % rows;
                        assert!(pattern != Pattern::Banded || column == of_band, "{csr:?} {nonzero}: {column}");
                    }
                    counted = csr.start(row + 1);
                }
                assert_eq!(csr.nonzeros(), counted);
            }
            let mean = Csr { rows: 1 << 20, pattern }.nonzeros() >> 20;
            assert!((14..=17).contains(&mean), "{pattern:?}: {mean}");
        }
        let band = Csr { rows: 100, pattern: Pattern::Banded };
        let columns: Vec<u64> = (band.start(50)..band.start(51)).map(|nonzero| band.column(nonzero)).collect();
        assert_eq!(columns, (42..58).collect::<Vec<_>>());
    }

    #[test]
    fn arrays_are_encoded_from_any_index_on() {
        let csr = Csr { rows: 3000, pattern: Pattern::PowerLaw };
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
