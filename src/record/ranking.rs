//! Which of several kernels for the same work is fastest and which tie: the one rule of all answers.

use super::stats::{self, Estimate};

/// Times within this fraction count as equal: a sample lasts at least 100 clock ticks, so a clock may resolve only 1 %.
pub const MARGIN: f64 = 0.0125;

/// [`MARGIN`] for alternating processes: clock, temperature and memory placement already vary between their epochs.
pub const MARGIN_IN_TURNS: f64 = 0.005;

/// Candidates for the same work, ranked by time.
#[derive(Debug, Clone)]
pub struct Ranking<T> {
    /// The candidate with the shortest time; the first of equals.
    pub best: T,
    /// Candidates that may be as fast, fastest first, each with its time ÷ the best time.
    pub ties: Vec<(T, Option<Estimate>)>,
    /// The fastest of the slower candidates, with its time ÷ the best time.
    pub next: Option<(T, Estimate)>,
}

/// Ranks candidates by independent estimates of their times; `None` without candidates. A candidate ties with the best
/// unless the whole 95 % interval of their ratio lies beyond [`MARGIN`].
pub fn ranking<T: Copy>(timed: impl IntoIterator<Item = (T, Estimate)>) -> Option<Ranking<T>> {
    let timed: Vec<((T, Estimate), f64)> = timed.into_iter().map(|one| (one, one.1.value)).collect();
    let ranking = ranking_by(timed, MARGIN, |other, best| stats::ratio(other.1, best.1))?;
    Some(Ranking {
        best: ranking.best.0,
        ties: ranking.ties.into_iter().map(|((tie, _), ratio)| (tie, ratio)).collect(),
        next: ranking.next.map(|((next, _), ratio)| (next, ratio)),
    })
}

/// [`ranking()`] where the time ratio of two candidates (first ÷ second) is known better; without a ratio they tie.
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
        // b is slower, but by less than the margin; c may be as fast.
        assert_eq!((ranking.best, ties), ('a', vec!['b', 'c']));
        let (next, ratio) = ranking.next.expect("a next one");
        assert!(next == 'd' && (ratio.value - 1.03).abs() < 1e-9 && ratio.low > 1.0 + MARGIN, "{ratio:?}");
        assert!((ranking.ties[0].1.expect("a ratio").value - 1.01).abs() < 1e-9);
    }

    #[test]
    fn the_interval_of_the_ratio_decides_not_the_overlap_of_two() {
        // 5 % apart, each ±3 %: the intervals overlap, and the ratio's interval of ±4.2 % begins at 1.007.
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
