//! Levels of the memory hierarchy, from the latency of dependent loads by working set.

use record::claim::level as level_of;
use record::stats::{self, Estimate};

/// The latency of a load from one working set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub(super) bytes: u64,
    pub(super) ns: Estimate,
    /// Whether the latency's interval includes several placements of the set in memory.
    pub(super) has_several_placements: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plateau {
    /// The smallest and the largest set, in bytes.
    pub(super) sets: (u64, u64),
    /// The median latency, in nanoseconds.
    pub(super) ns: f64,
}

/// The most that a plateau's latencies differ from their median.
const FLAT: f64 = 0.15;

/// A point with a wider relative interval is on no plateau.
const TOO_NOISY: f64 = 0.1;

/// The plateaus of a curve: runs of working sets within 15 % of their median, the last at least twice the first. Sets
/// between two plateaus are partly in both caches and belong to neither. Later plateaus and single sets with a level's
/// latency belong to that level. A drop belongs to the level before, since a larger set is faster only by chance.
pub(super) fn plateaus(curve: &[Point]) -> Vec<Plateau> {
    let quiet = |point: &&Point| record::claim::noise(point.ns) <= TOO_NOISY;
    let mut curve: Vec<(u64, f64)> = curve.iter().filter(quiet).map(|point| (point.bytes, point.ns.value)).collect();
    curve.sort_by_key(|point| point.0);
    let median =
        |run: &[(u64, f64)]| stats::median(&run.iter().map(|point| point.1).collect::<Vec<_>>()).unwrap_or_default();
    let is_flat = |run: &[(u64, f64)]| {
        let middle = median(run);
        run.iter().all(|point| (point.1 / middle - 1.0).abs() <= FLAT)
    };
    let mut levels: Vec<Plateau> = Vec::new();
    let mut first = 0;
    while first < curve.len() {
        let mut end = first + 1;
        while end < curve.len() && is_flat(&curve[first..=end]) {
            end += 1;
        }
        let run = &curve[first..end];
        let (least, most) = (run[0].0, run[run.len() - 1].0);
        if most < 2 * least {
            // Either part of the previous level, whose plateau ended early because its first sets were faster than its
            // last; or between two levels, and the next set may start one.
            if let Some(level) = levels.last_mut().filter(|level| (run[0].1 / level.ns - 1.0).abs() <= FLAT) {
                level.sets.1 = least;
            }
            first += 1;
            continue;
        }
        let ns = median(run);
        match levels.last_mut() {
            Some(level) if ns <= level.ns * (1.0 + FLAT) => level.sets.1 = most,
            _ => levels.push(Plateau { sets: (least, most), ns }),
        }
        first = end;
    }
    levels
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bracket {
    /// The largest set surely inside, in bytes.
    pub(super) at_least: u64,
    /// The smallest set surely beyond, in bytes.
    pub(super) at_most: u64,
}

/// Largest share of misses among the loads from a set inside a level.
const INSIDE: f64 = 0.05;
/// Smallest share of misses among the loads from a set beyond a level.
const BEYOND: f64 = 0.25;

/// Where `level` ends and `next` begins; `None` if the points contradict each other.
///
/// The share of loads that miss is (latency − this level's) ÷ (next level's − this level's). A set is surely inside if
/// the share's interval ends below 5 %, and surely beyond if it starts above 25 %. If a set was measured in only one
/// placement, others may miss more, so the next smaller set is the lower end.
pub(super) fn bracket(curve: &[Point], level: &Plateau, next: &Plateau) -> Option<Bracket> {
    let mut points: Vec<&Point> = curve.iter().filter(|point| point.bytes >= level.sets.0).collect();
    points.sort_by_key(|point| point.bytes);
    let misses = |ns: f64| (ns - level.ns) / (next.ns - level.ns);
    let largest = points.iter().rposition(|point| misses(point.ns.high) <= INSIDE)?;
    let smallest = points.iter().position(|point| misses(point.ns.low) >= BEYOND)?;
    let steps_back = usize::from(!points[largest].has_several_placements);
    let at_least = points.get(largest.checked_sub(steps_back)?)?.bytes;
    let at_most = points[smallest].bytes;
    (largest < smallest).then_some(Bracket { at_least, at_most })
}

/// The latency of the sets in this range, in nanoseconds; its interval contains all of theirs.
pub(super) fn latency(curve: &[Point], sets: std::ops::RangeInclusive<u64>) -> Option<Estimate> {
    let inside: Vec<Estimate> =
        curve.iter().filter(|point| sets.contains(&point.bytes)).map(|point| point.ns).collect();
    level_of(&inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(bytes: u64, ns: f64, noise: f64) -> Point {
        let ns = Estimate { value: ns, low: ns * (1.0 - noise), high: ns * (1.0 + noise) };
        Point { bytes, ns, has_several_placements: true }
    }

    /// Sets of 4 KiB, 8 KiB, … with these latencies.
    fn curve(latencies: &[f64]) -> Vec<Point> {
        latencies.iter().enumerate().map(|(power, &latency)| point(4096 << power, latency, 0.001)).collect()
    }

    fn plateau(least: u64, most: u64, ns: f64) -> Plateau {
        Plateau { sets: (least, most), ns }
    }

    #[test]
    fn two_levels_are_seen() {
        let plateaus = plateaus(&curve(&[20.0, 20.0, 20.0, 20.0, 300.0, 300.0, 300.0]));
        assert_eq!(plateaus, [plateau(4 << 10, 32 << 10, 20.0), plateau(64 << 10, 256 << 10, 300.0)]);
    }

    #[test]
    fn three_levels_with_noise_and_sets_between_them_are_seen() {
        let noisy = [17.0, 17.4, 16.8, 17.2, 60.0, 140.0, 149.0, 137.0, 143.0, 230.0, 410.0, 560.0, 541.0, 590.0];
        let mut backwards = curve(&noisy);
        backwards.reverse();
        for curve in [curve(&noisy), backwards] {
            assert_eq!(
                plateaus(&curve),
                [
                    plateau(4 << 10, 32 << 10, 17.1),
                    plateau(128 << 10, 1 << 20, 141.5),
                    plateau(8 << 20, 32 << 20, 560.0)
                ]
            );
        }
    }

    #[test]
    fn an_outlier_parts_no_level_and_a_drop_starts_none() {
        // Like the DRAM of an H200, whose first sets, still partly cached, end the plateau early; the last are as slow.
        let rising = plateaus(&curve(&[20.0, 20.0, 20.0, 77.0, 88.0, 99.0, 98.0]));
        assert_eq!(rising.len(), 2, "{rising:?}");
        assert_eq!(rising[1].sets.1, 256 << 10);
        let with_outlier = plateaus(&curve(&[20.0, 20.5, 31.0, 20.0, 20.2, 300.0, 310.0]));
        assert_eq!(with_outlier.len(), 2);
        assert_eq!(with_outlier[0].sets.1, 64 << 10);
        assert_eq!(plateaus(&curve(&[20.0, 20.0, 15.0, 15.0])), [plateau(4 << 10, 32 << 10, 20.0)]);
    }

    #[test]
    fn few_or_noisy_points_show_nothing() {
        assert_eq!(plateaus(&[]), []);
        assert_eq!(plateaus(&curve(&[20.0])), []);
        assert_eq!(plateaus(&curve(&[20.0, 40.0, 80.0])), []);
        let noisy: Vec<Point> = (0..4).map(|power| point(4096 << power, 20.0, 0.2)).collect();
        assert_eq!(plateaus(&noisy), []);
    }

    /// Neighbouring sets in a cache that fills up are similar but form no level. From an H200, starting at 8 MiB.
    #[test]
    fn a_slope_is_no_level_and_the_bracket_spans_it() {
        let latencies = [149.5, 151.0, 152.0, 174.0, 222.0, 271.0, 321.0, 345.0, 345.2, 345.4, 345.4];
        let sets = (0..11).map(|step: u32| (if step.is_multiple_of(2) { 2 << 22 } else { 3 << 22 }) << (step / 2));
        let mut curve: Vec<Point> = sets.zip(latencies).map(|(bytes, ns)| point(bytes, ns, 0.002)).collect();
        let plateaus = plateaus(&curve);
        assert_eq!(plateaus, [plateau(8 << 20, 24 << 20, 151.5), plateau(64 << 20, 256 << 20, 345.2)]);
        let end = |curve: &[Point]| bracket(curve, &plateaus[0], &plateaus[1]);
        assert_eq!(end(&curve), Some(Bracket { at_least: 16 << 20, at_most: 32 << 20 }));
        // With one placement, the set of 16 MiB may miss in another.
        curve[2].has_several_placements = false;
        assert_eq!(end(&curve), Some(Bracket { at_least: 12 << 20, at_most: 32 << 20 }));
        // A set whose placements disagree is neither inside nor beyond.
        curve[4] = point(curve[4].bytes, 222.0, 0.2);
        assert_eq!(end(&curve), Some(Bracket { at_least: 12 << 20, at_most: 48 << 20 }));
        curve[6] = point(curve[6].bytes, 150.0, 0.002);
        assert_eq!(end(&curve), None, "a larger set inside contradicts a smaller one beyond");
    }
}
