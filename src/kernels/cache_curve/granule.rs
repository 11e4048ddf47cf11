//! The bytes that one miss fetches, inferred from pairs of dependent loads.

use crate::cache_curve::{blocks, pairs};
use record::Record;
use record::claim::{difference, has_params, of, scaled, time};
use record::stats::{self, Estimate};
use record::suite::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Granule {
    /// This many: a second load at half the distance hits; at this distance it misses.
    Bytes(u64),
    /// More: a second load at this distance, the largest, still hits.
    MoreThan(u64),
}

/// Distances between the two loads, in bytes.
const APART: [u64; 4] = [16, 32, 64, 128];

/// Times of both loads, in nanoseconds, by distance.
pub(super) fn times(rows: &[&Record], words: u64) -> Option<[Estimate; 4]> {
    let time_at = |apart: u64| {
        let params = [("APART", apart as f64)];
        let row =
            of(rows, "granule").find(|row| row.n.map(Extent::count) == Some(words) && has_params(row, &params))?;
        Some(scaled(time(row)?, 1.0 / pairs(blocks(words)) as f64))
    };
    let [a, b, c, d] = APART.map(time_at);
    Some([a?, b?, c?, d?])
}

/// Times within this relative distance count as equal.
const ALIKE: f64 = 0.1;

/// Infers the granule from the times of both loads by distance, and the latency `miss` of a load that misses; `None`
/// unless the times show exactly one step.
///
/// The first load misses, so the shortest time is at least 90 % of `miss`. At distances of the granule or more, the
/// second load misses too: the time is flat (within 10 %), surely over 10 % longer than at each smaller distance, and
/// longer than the shortest by at least half a miss, or three quarters if only the largest distance shows it. If all
/// times are equal and surely below 1.6 misses, every second load hits.
pub(super) fn infer(times: [Estimate; 4], miss: Estimate) -> Option<Granule> {
    let (first, last) = (times[0], times[3]);
    if first.low < 0.9 * miss.high {
        return None;
    }
    let is_alike = |time: &Estimate, other: Estimate| {
        stats::ratio(*time, other).is_some_and(|ratio| 1.0 / (1.0 + ALIKE) < ratio.low && ratio.high < 1.0 + ALIKE)
    };
    let is_shorter = |time: &Estimate| stats::ratio(*time, last).is_some_and(|ratio| ratio.high < 1.0 / (1.0 + ALIKE));
    if times.iter().all(|time| is_alike(time, first)) {
        return times.iter().all(|time| time.high < 1.6 * miss.low).then_some(Granule::MoreThan(APART[3]));
    }
    let step = times.iter().position(|time| is_alike(time, last))?;
    let is_staircase = times[..step].iter().all(is_shorter) && times[step..].iter().all(|time| is_alike(time, last));
    let second = stats::ratio(difference(last, first), miss)?;
    let least = if step + 1 == times.len() { 0.75 } else { 0.5 };
    (step > 0 && is_staircase && second.low >= least).then(|| Granule::Bytes(APART[step]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ns: f64, noise: f64) -> Estimate {
        Estimate { value: ns, low: ns * (1.0 - noise), high: ns * (1.0 + noise) }
    }

    fn inferred(times: [f64; 4], miss: f64) -> Option<Granule> {
        infer(times.map(|ns| of(ns, 0.01)), of(miss, 0.01))
    }

    #[test]
    fn the_distance_from_which_on_both_loads_miss_is_the_granule() {
        // L1 of an H200: sectors of 32 bytes.
        assert_eq!(inferred([174.0, 296.0, 297.0, 297.0], 149.0), Some(Granule::Bytes(32)));
        // Its DRAM: at 32 bytes L2 serves the second load.
        assert_eq!(inferred([381.0, 506.0, 702.0, 700.0], 357.0), Some(Granule::Bytes(64)));
        assert_eq!(inferred([374.0, 375.0, 375.0, 700.0], 357.0), Some(Granule::Bytes(128)));
        assert_eq!(inferred([374.0, 375.0, 375.0, 376.0], 357.0), Some(Granule::MoreThan(128)));
    }

    #[test]
    fn times_that_show_no_single_step_show_no_granule() {
        assert_eq!(inferred([374.0, 450.0, 550.0, 620.0], 357.0), None, "a slope");
        assert_eq!(inferred([200.0, 380.0, 380.0, 380.0], 357.0), None, "the first load hits");
        assert_eq!(inferred([700.0, 701.0, 702.0, 700.0], 357.0), None, "both miss at any distance");
        assert_eq!(inferred([381.0, 381.0, 381.0, 506.0], 357.0), None, "another cache serves the second load");
        assert_eq!(inferred([374.0, 700.0, 374.0, 700.0], 357.0), None, "up and down");
        let noisy = [174.0, 296.0, 297.0, 297.0].map(|ns| of(ns, 0.2));
        assert_eq!(infer(noisy, of(149.0, 0.01)), None, "noise");
    }
}
