use super::*;
use crate::suite::Scalar;
use rayon::prelude::*;

#[test]
fn inputs_are_random_nonzero_and_the_same_everywhere() {
    for scalar in [Scalar::U32, Scalar::F32, Scalar::F64, Scalar::F16] {
        for values in [Values::Wide, Values::Summable, Values::Any, SCALED] {
            let first: Vec<f64> = (0..4096).map(|i| values.of(0).at(scalar, i)).collect();
            assert!(first.iter().all(|&x| x != 0.0));
            let mut bytes = vec![0; first.len() * scalar.bytes()];
            scalar.encode(&first, &mut bytes);
            let mut decoded = vec![0.0; first.len()];
            scalar.decode(&bytes, &mut decoded);
            assert_eq!(decoded, first, "{scalar:?} {values:?}: the type holds every element");
            let mut distinct = first.clone();
            distinct.sort_by(f64::total_cmp);
            distinct.dedup();
            assert!(distinct.len() > 200, "{scalar:?} {values:?}: {} distinct", distinct.len());
        }
    }
    // Pinned: reports are comparable only while inputs do not change.
    let pinned = [(0, 0), (0, 1), (0, 1 << 32), (0, (1 << 40) + 5), (1, 0), (63, 5)];
    let words = pinned.map(|(stream, index)| Values::Wide.of(stream).at(Scalar::U32, index) as u32);
    assert_eq!(words, [1_442_009_498, 2_081_514_789, 1_579_041_690, 3_993_059_592, 2_647_576_755, 2_952_554_159]);
}

#[test]
fn digits_and_signs_are_evenly_spread_and_signs_independent() {
    let n = 40_000;
    for digit in 1..10 {
        let hits = (0..n).filter(|&i| Values::Digits.of(0).at(Scalar::U32, i) == f64::from(digit)).count();
        assert!((4100..4800).contains(&hits), "{digit}: {hits}");
    }
    let sign = |i| Values::Signs.of(0).at(Scalar::F32, i);
    assert!((0..n).all(|i| sign(i).abs() == 1.0));
    assert!((0..n).map(sign).sum::<f64>().abs() < 800.0);
    let products = (0..n).map(|i| sign(i) * Values::Summable.of(0).at(Scalar::F32, i).signum()).sum::<f64>();
    assert!(products.abs() < 800.0, "{products}");
}

#[test]
fn encoding_agrees_with_at_across_pieces() {
    let mut bytes = vec![0_u8; 4 * 40_000];
    Values::Wide.of(0).encode(Scalar::F32, 7, &mut bytes);
    for index in [0, 1, 16_383, 16_384, 39_999] {
        let got = f32::from_le_bytes(bytes[4 * index..4 * index + 4].try_into().expect("four bytes"));
        assert_eq!(f64::from(got), Values::Wide.of(0).at(Scalar::F32, 7 + index as u64));
    }
}

#[test]
fn elements_and_sums_agree_with_at_at_any_stride_and_past_32_bits() {
    let kinds = [Values::Wide, Values::Summable, Values::Signs, Values::Digits, Values::SummableFrom((1 << 40) - 7)];
    let kinds = kinds.into_iter().chain([
        Values::Picture(37),
        Values::Grey(37),
        Values::Queries(37),
        Values::Constant(2.0),
        Values::Ramp,
        Values::WideFrom(9),
        Values::Signed,
        Values::SignedFrom(9),
        Values::Any,
        Values::Scaled(Scaled { most: 127, row: 37, first: (1 << 40) - 7 }),
        Values::Scaled(Scaled { most: 7, row: Scaled::ONE_ROW, first: 9 }),
        Values::LogitRows(37),
        Values::SortKeys(1 << 31),
        Values::SortKeys(1 << 19),
        Values::SortKeys(700),
        Values::AttentionKeys(37),
    ]);
    for (values, stream) in kinds.zip([0, 1, 7, 63, 1 << 40].into_iter().cycle()) {
        let input = values.of(stream);
        for scalar in [Scalar::U32, Scalar::F32, Scalar::F64, Scalar::F16, Scalar::Unorm8] {
            for (first, stride) in [(0, 1), (3, 1), ((1 << 32) - 500, 1), (5, 4100), (1 << 31, (1 << 31) - 1)] {
                let mut slots = [f64::NAN; 1003];
                input.elements(scalar, first, stride, &mut slots);
                let at = |k: u64| input.at(scalar, first + k * stride);
                assert!((0..).zip(slots).all(|(k, slot)| slot == at(k)), "{values:?} {scalar:?} {first} {stride}");
            }
            let (indices, mut slots) = ([u32::MAX, 0, 7, u32::MAX - 3], [f64::NAN; 4]);
            input.elements_at(scalar, &indices, &mut slots);
            let at = indices.map(|index| input.at(scalar, index.into()));
            assert_eq!(slots, at, "{values:?} {scalar:?}");
            // Sums of arbitrary numbers are not compared.
            if values == Values::Any {
                continue;
            }
            let range = (1 << 32) - 100_000..(1 << 32) + 5;
            let one_by_one: f64 = range.clone().map(|i| input.at(scalar, i)).sum();
            let sum = input.sum(scalar, range);
            let expected = if scalar == Scalar::U32 { one_by_one % 4_294_967_296.0 } else { one_by_one };
            assert!((sum - expected).abs() <= 1e-7 * expected.abs(), "{values:?} {scalar:?}: {sum} {expected}");
        }
    }
}

const SCALED: Values = Values::Scaled(Scaled { most: 127, row: Scaled::ONE_ROW, first: 1 << 40 });

/// Kernels that are right only for some numbers must fail on these inputs.
#[test]
fn inputs_have_what_real_data_have() {
    let all = |values: Values, scalar, n| -> Vec<f64> { (0..n).map(|i| values.of(3).at(scalar, i)).collect() };
    for (scalar, binades) in [(Scalar::F32, 254), (Scalar::F16, 30), (Scalar::F64, 2046)] {
        let any = all(Values::Any, scalar, 100_000);
        assert!(any.iter().all(|x| x.is_finite()) && any.iter().filter(|x| **x < 0.0).count().abs_diff(50_000) < 1000);
        let seen: std::collections::BTreeSet<i32> = any.iter().map(|x| x.abs().log2().floor() as i32).collect();
        assert!(seen.len() * 10 > binades * 9, "{scalar:?}: {} binades", seen.len());
    }
    let scaled = all(Values::Scaled(Scaled { most: 127, row: 10, first: 0 }), Scalar::F32, 10_000);
    let tops = scaled.chunks(10).map(|row| row.iter().fold(0.0_f64, |most, x| most.max(x.abs())).log2());
    let (low, high) = tops.fold((f64::MAX, f64::MIN), |(low, high), top| (low.min(top), high.max(top)));
    assert!(low < -19.0 && high > 11.0, "{low} {high}");
    // In most rows, the exponential of no element is a normal number of f32 after a fixed shift.
    let rows = all(Values::LogitRows(100), Scalar::F32, 100_000);
    for shift in [0.0, 60.0, 87.0] {
        let is_safe = |row: &&[f64]| {
            let top = row.iter().copied().fold(f64::MIN, f64::max) - shift;
            (-87.0..88.0).contains(&top)
        };
        assert!(rows.chunks(100).filter(is_safe).count() < 150, "{shift}");
    }
    let n = 100_000;
    let mut keys = all(Values::SortKeys(n), Scalar::U32, n);
    let count = |of: &dyn Fn(&[f64]) -> bool| keys.windows(2).filter(|two| of(two)).count();
    assert!(count(&|two| two[0] == two[1]) > 1000 && count(&|two| two[1] - two[0] == 1.0) > 1000);
    assert!(keys.contains(&0.0) && keys.contains(&f64::from(u32::MAX)));
    keys.sort_by(f64::total_cmp);
    keys.dedup();
    assert!(keys.len() < 90_000 && keys.len() > 70_000, "{}", keys.len());
}

#[test]
fn sums_are_exact_in_f32_in_any_order_and_in_every_stream() {
    for stream in 0..64 {
        let n = if stream == 0 { 1 << 22 } else { 1 << 16 };
        let input = if stream % 2 == 0 { Values::Summable } else { SCALED }.of(stream);
        let exact = input.sum(Scalar::F32, 0..n);
        let forward = (0..n).fold(0.0_f32, |sum, i| sum + input.at(Scalar::F32, i) as f32);
        let backward = (0..n).rev().fold(0.0_f32, |sum, i| sum + input.at(Scalar::F32, i) as f32);
        assert_eq!((f64::from(forward), f64::from(backward)), (exact, exact), "stream {stream}");
    }
}

/// The largest partial sum of n elements of variance 1/3 exceeds five times the square root of n/3 with a
/// probability of 10^-6 (reflection principle: twice that of the last sum).
#[test]
fn partial_sums_of_every_stream_are_those_of_a_random_walk() {
    // In standard deviations of the last sum.
    let extreme = |values: Values, stream: u64, n: u64| {
        let (mut block, mut sum, mut extreme) = ([0.0; BLOCK], 0.0_f64, 0.0_f64);
        for first in (0..n).step_by(BLOCK) {
            values.of(stream).elements(Scalar::F32, first, 1, &mut block);
            for element in block {
                sum += element;
                extreme = extreme.max(sum.abs());
            }
        }
        extreme / (n as f64 / 3.0).sqrt()
    };
    for values in [Values::Summable, Values::SummableFrom(1 << 40)] {
        let extremes: Vec<f64> = (0..64).into_par_iter().map(|stream| extreme(values, stream, 1 << 19)).collect();
        assert!(extremes.iter().all(|extreme| *extreme < 5.0), "{values:?}: {extremes:?}");
        // Half of all walks go further than 1.15 deviations.
        let far = extremes.iter().filter(|extreme| **extreme > 1.15).count();
        assert!((16..=48).contains(&far), "{values:?}: {far} of 64");
        for stream in [0, 7, 63] {
            let extreme = extreme(values, stream, 1 << 24);
            assert!(extreme < 5.0, "{values:?}, stream {stream}: {extreme}");
        }
    }
}

/// A permutation of the same values would have the same sum, and the same histogram.
#[test]
fn streams_are_independent_and_none_is_a_permutation_of_another() {
    const N: u64 = 1 << 16;
    let mut sums: Vec<f64> = (0..64).map(|stream| Values::Wide.of(stream).sum(Scalar::U32, 0..N)).collect();
    sums.sort_by(f64::total_cmp);
    sums.dedup();
    assert_eq!(sums.len(), 64);
    let deviation = (N as f64).sqrt();
    for values in [Values::Summable, Values::Signs, Values::Any, SCALED] {
        let elements = |stream: u64| {
            let mut elements = vec![0.0; N as usize];
            values.of(stream).elements(Scalar::F32, 0, 1, &mut elements);
            elements
        };
        let streams: Vec<Vec<f64>> = (0..24).map(elements).collect();
        for (s, t) in (0..24).flat_map(|t| (0..t).map(move |s| (s, t))) {
            for distance in [0, 1, 2, 1 << 8, 1 << 15] {
                let pairs = streams[s].iter().zip(&streams[t][distance..]);
                let products = pairs.map(|(a, b)| a.signum() * b.signum()).sum::<f64>();
                assert!(products.abs() < 5.0 * deviation, "{values:?}, {s}, {t}, {distance}: {products}");
            }
        }
    }
}

#[test]
fn mixed_integers_have_equal_ones_runs_zeros_and_extremes_in_every_stream() {
    for stream in [0, 1, 77, u64::MAX] {
        let input = Values::MixedFrom(1 << 34).of(stream);
        let mut all = vec![0.0; 1 << 16];
        input.elements(Scalar::U32, 0, 1, &mut all);
        assert!((0..1 << 16).all(|index| input.at(Scalar::U32, index) == all[index as usize]));
        let pieces = || all.chunks(256);
        let distinct =
            |piece: &[f64]| piece.iter().map(|value| *value as u32).collect::<std::collections::BTreeSet<_>>();
        assert!(pieces().filter(|piece| distinct(piece).len() < 256).count() > 200, "nearly each piece has equal ones");
        assert!(pieces().any(|piece| distinct(piece).len() == 1));
        assert!(pieces().any(|piece| piece.is_sorted_by(|a, b| a < b)));
        assert!(pieces().any(|piece| piece.is_sorted_by(|a, b| a > b)));
        for extreme in [0, u32::MAX, i32::MAX as u32, 1 << 31] {
            assert!(all.contains(&f64::from(extreme)), "{extreme}");
        }
    }
}
