//! Which of several kernels of the same work is the fastest, and which of them tie: the one rule of all answers.

use super::stats::{self, Estimate};

/// Times that differ by less than this fraction count as equal, by default. A sample lasts at least 100 clock ticks, so
/// the clock may have a resolution of 1 %.
pub const MARGIN: f64 = 0.0125;

/// The same for sides that took turns in processes of their own: clocks, temperatures and places in memory are in the
/// differences between their epochs.
pub const MARGIN_IN_TURNS: f64 = 0.005;

/// Candidates that do the same work, by their times.
#[derive(Debug, Clone)]
pub struct Ranking<T> {
    /// The one with the shortest time; of equal times the first.
    pub best: T,
    /// The others that may be as fast, the fastest first, each with its time ÷ that of the best.
    pub ties: Vec<(T, Option<Estimate>)>,
    /// The fastest of those that are slower, and its time ÷ that of the best.
    pub next: Option<(T, Estimate)>,
}

/// Ranks candidates by independent estimates of their times; `None` without candidates.
///
/// The shortest time is the best. Another one ties with it unless the whole 95 % interval of the ratio of their times lies
/// beyond [`MARGIN`].
pub fn ranking<T: Copy>(timed: impl IntoIterator<Item = (T, Estimate)>) -> Option<Ranking<T>> {
    let timed: Vec<((T, Estimate), f64)> = timed.into_iter().map(|one| (one, one.1.value)).collect();
    let ranking = ranking_by(timed, MARGIN, |other, best| stats::ratio(other.1, best.1))?;
    Some(Ranking {
        best: ranking.best.0,
        ties: ranking.ties.into_iter().map(|((tie, _), ratio)| (tie, ratio)).collect(),
        next: ranking.next.map(|((next, _), ratio)| (next, ratio)),
    })
}

/// The same for a caller that knows the ratio of two candidates better than by two independent estimates: `ratio` is the
/// time of the first ÷ that of the second. Without one, nothing shows that a candidate is slower.
pub fn ranking_by<T: Copy>(
    mut timed: Vec<(T, f64)>,
    margin: f64,
    ratio: impl Fn(T, T) -> Option<Estimate>,
) -> Option<Ranking<T>> {
    timed.sort_by(|a, b| a.1.total_cmp(&b.1));
    let ((best, _), others) = timed.split_first()?;
    let (mut ties, mut next) = (Vec::new(), None);
    for (other, _) in others {
        match ratio(*other, *best) {
            Some(ratio) if ratio.low > 1.0 + margin => next = next.or(Some((*other, ratio))),
            ratio => ties.push((*other, ratio)),
        }
    }
    Some(Ranking { best: *best, ties, next })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: f64, noise: f64) -> Estimate {
        Estimate { value, low: value / (1.0 + noise), high: value * (1.0 + noise) }
    }

    #[test]
    fn a_tie_is_whatever_is_not_surely_slower_by_more_than_the_margin() {
        let timed = [('d', of(103.0, 0.001)), ('c', of(102.0, 0.03)), ('b', of(101.0, 0.0)), ('a', of(100.0, 0.0))];
        let ranking = ranking(timed).expect("four");
        let ties: Vec<char> = ranking.ties.iter().map(|tie| tie.0).collect();
        // b differs for sure, by less than the margin; c may be as fast.
        assert_eq!((ranking.best, ties), ('a', vec!['b', 'c']));
        let (next, ratio) = ranking.next.expect("a next one");
        assert!(next == 'd' && (ratio.value - 1.03).abs() < 1e-9 && ratio.low > 1.0 + MARGIN, "{ratio:?}");
        assert!((ranking.ties[0].1.expect("a ratio").value - 1.01).abs() < 1e-9);
    }

    #[test]
    fn the_interval_of_the_ratio_decides_not_the_overlap_of_two() {
        // 5 % apart, each ±3 %: the intervals overlap, that of the ratio is ±4.2 % and reaches 1.007.
        let near = |ratio: f64| ranking([('a', of(100.0, 0.03)), ('b', of(100.0 * ratio, 0.03))]).expect("two");
        assert_eq!(near(1.05).ties.len(), 1);
        assert!(near(1.059).ties.is_empty(), "their intervals overlap, the ratio is beyond the margin");
    }

    #[test]
    fn a_ratio_that_nobody_knows_shows_nothing() {
        let alone = ranking([('a', of(1.0, 0.0))]).expect("one");
        assert!(alone.ties.is_empty() && alone.next.is_none() && ranking::<char>([]).is_none());
        let unknown = ranking_by(vec![('a', 1.0), ('b', 9.0)], MARGIN, |_, _| None).expect("two");
        assert_eq!(unknown.ties, [('b', None)]);
    }
}
