//! Sorted words, most of which are never read: most checks compare parts of an output.

use std::sync::{Mutex, OnceLock, PoisonError};

use rayon::prelude::*;

use record::suite::input::{BLOCK, Input};
use record::suite::prelude::*;
use record::suite::vectors::words_of;

/// Words of a bucket if keys are spread evenly: as many as a part of an output, which then touches one or two buckets.
const BUCKET: u64 = 1 << 16;

/// Words in ascending order, in buckets by their keys. A bucket is sorted when an element of it is first read.
pub(super) struct Sorted<W> {
    buckets: Vec<Bucket<W>>,
    starts: Vec<u64>,
}

struct Bucket<W> {
    drawn: Mutex<Vec<W>>,
    sorted: OnceLock<Vec<W>>,
}

impl<W: Copy + Default + Ord + Send + Sync> Sorted<W> {
    /// Draws `n` words on all cores; `word` makes each from an index and the key there, the more significant part.
    pub(super) fn new(input: Input, n: u64, word: impl Fn(u64, u32) -> W + Sync) -> Self {
        let count = n.div_ceil(BUCKET);
        let bucket_of = |key: u32| ((u64::from(key) * count) >> 32) as usize;
        // Eight standard deviations more than the mean, so that few buckets grow.
        let capacity = (n / count + BUCKET / 32) as usize;
        let empty = || Bucket { drawn: Mutex::new(Vec::with_capacity(capacity)), sorted: OnceLock::new() };
        let buckets: Vec<_> = (0..count).map(|_| empty()).collect();
        // A piece stays in the L2 of a CPU core, and has several words for each bucket.
        let piece = (n / 64).clamp(1 << 14, 1 << 18);
        (0..n.div_ceil(piece)).into_par_iter().for_each_init(Piece::default, |scratch, number| {
            let first = number * piece;
            scratch.draw(input, first, piece.min(n - first) as usize);
            let mut ends = vec![0; buckets.len()];
            scratch.keys.iter().for_each(|key| ends[bucket_of(*key)] += 1);
            let mut sum = 0;
            for end in &mut ends {
                sum += std::mem::replace(end, sum);
            }
            scratch.words.resize(sum, W::default());
            for (index, key) in (first..).zip(&scratch.keys) {
                let end = &mut ends[bucket_of(*key)];
                scratch.words[*end] = word(index, *key);
                *end += 1;
            }
            let mut start = 0;
            for (bucket, end) in buckets.iter().zip(ends) {
                if start < end {
                    let mut drawn = bucket.drawn.lock().unwrap_or_else(PoisonError::into_inner);
                    drawn.extend_from_slice(&scratch.words[start..end]);
                }
                start = end;
            }
        });
        let mut end = 0;
        let start = |bucket: &Bucket<W>| {
            let start = end;
            end += bucket.drawn.lock().unwrap_or_else(PoisonError::into_inner).len() as u64;
            start
        };
        let starts = buckets.iter().map(start).collect();
        Self { buckets, starts }
    }

    /// Fills the slots with the values of the words, starting at number `first`.
    pub(super) fn read(&self, first: u64, mut slots: &mut [f64], value: impl Fn(W) -> f64) {
        // The last bucket that starts at or before `first`: earlier ones may be empty.
        let mut number = self.starts.partition_point(|start| *start <= first) - 1;
        let mut skipped = (first - self.starts[number]) as usize;
        while !slots.is_empty() {
            let words = &self.buckets[number].sorted()[skipped..];
            let (own, rest) = slots.split_at_mut(words.len().min(slots.len()));
            own.iter_mut().zip(words).for_each(|(slot, word)| *slot = value(*word));
            (number, skipped, slots) = (number + 1, 0, rest);
        }
    }
}

impl<W: Ord> Bucket<W> {
    /// Sorts on one core: a pool thread that waited here could be given a piece that waits for this bucket.
    fn sorted(&self) -> &[W] {
        self.sorted.get_or_init(|| {
            let mut words = std::mem::take(&mut *self.drawn.lock().unwrap_or_else(PoisonError::into_inner));
            words.sort_unstable();
            words
        })
    }
}

/// A piece of the input, and its words by bucket.
#[derive(Default)]
struct Piece<W> {
    keys: Vec<u32>,
    words: Vec<W>,
}

impl<W> Piece<W> {
    fn draw(&mut self, input: Input, first: u64, length: usize) {
        self.keys.resize(length, 0);
        let mut block = [0.0; BLOCK];
        for (number, keys) in self.keys.chunks_mut(BLOCK).enumerate() {
            let slots = &mut block[..keys.len()];
            input.elements(Scalar::U32, first + (number * BLOCK) as u64, 1, slots);
            words_of(slots, keys);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::suite::input::Values;

    /// Digits, all of them in the first bucket, and words that are spread over all.
    #[test]
    fn words_are_in_order_however_the_keys_are_spread() {
        const N: u64 = 5 * BUCKET + 77;
        for values in [Values::Digits, Values::Wide] {
            let input = values.of(3);
            let word = |index: u64, key: u32| u64::from(key) << 32 | index;
            let mut wanted: Vec<u64> = (0..N).map(|index| word(index, input.at(Scalar::U32, index) as u32)).collect();
            wanted.sort_unstable();
            let sorted = Sorted::new(input, N, word);
            for first in [N - 1, 2 * BUCKET - 3, 0, N] {
                let mut got = vec![f64::NAN; (N - first).min(3 * BUCKET) as usize];
                sorted.read(first, &mut got, |word| word as f64);
                let wanted = wanted[first as usize..].iter().map(|word| *word as f64);
                assert!(got.into_iter().eq(wanted.take(3 * BUCKET as usize)), "{values:?} from {first}");
            }
        }
    }

    #[test]
    fn only_buckets_that_are_read_are_sorted() {
        let sorted = Sorted::new(Values::Wide.of(3), 8 * BUCKET, |_, key| key);
        sorted.read(4 * BUCKET, &mut [0.0], f64::from);
        assert_eq!(sorted.buckets.iter().filter(|bucket| bucket.sorted.get().is_some()).count(), 1);
    }
}
