//! Where the processes of several cards meet: who waits, who may go on.

use std::time::{Duration, Instant};

use crate::engine::{Point, Way};

/// What a card does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It is on its way to the next point.
    Running,
    /// It waits at a point.
    Waiting(Point, Way),
    /// It is on its way to a point that the others have left without it.
    Behind,
    /// It has ended.
    Gone,
}

/// A card that may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Release {
    /// Index of the card.
    pub(super) card: usize,
    /// Whether all cards are in step: none lags, and none has ended.
    pub(super) is_in_step: bool,
}

/// The meetings of all cards.
///
/// Once every card waits, those at the earliest point go on: all of them, or the first one where they take turns. A card
/// that skips a point is at a later one, and waits there for the others. A card that ends or takes too long is not waited
/// for, so that no card can block another.
pub(super) struct Meetings {
    cards: Vec<State>,
    /// The latest point that a card has left.
    reached: Option<Point>,
    /// Since when a card waits for another.
    since: Option<Instant>,
    patience: Duration,
}

impl Meetings {
    /// Meetings of `cards` cards, which wait for each other for `patience` at most.
    pub(super) fn new(cards: usize, patience: Duration) -> Self {
        Self { cards: vec![State::Running; cards], reached: None, since: None, patience }
    }

    /// A card has come to a point. Returns the cards that may go on.
    pub(super) fn arrive(&mut self, card: usize, point: Point, way: Way, now: Instant) -> Vec<Release> {
        if self.cards[card] == State::Behind && self.reached.is_some_and(|reached| point <= reached) {
            return vec![Release { card, is_in_step: false }];
        }
        self.cards[card] = State::Waiting(point, way);
        self.advance(now)
    }

    /// A card starts anew, and comes to a point that the others may have left.
    pub(super) fn lag(&mut self, card: usize) {
        self.cards[card] = State::Behind;
    }

    /// A card has ended. Returns the cards that may go on.
    pub(super) fn leave(&mut self, card: usize, now: Instant) -> Vec<Release> {
        self.cards[card] = State::Gone;
        self.advance(now)
    }

    /// The cards that others have waited for too long, and those that go on without them.
    pub(super) fn expire(&mut self, now: Instant) -> (Vec<usize>, Vec<Release>) {
        if self.since.is_none_or(|since| now.duration_since(since) < self.patience) {
            return (Vec::new(), Vec::new());
        }
        let late: Vec<usize> = (0..self.cards.len()).filter(|card| self.cards[*card] == State::Running).collect();
        late.iter().for_each(|card| self.cards[*card] = State::Behind);
        (late, self.advance(now))
    }

    /// Lets the cards at the earliest point go on, if every card in step waits.
    fn advance(&mut self, now: Instant) -> Vec<Release> {
        let waiting = |card: usize| match self.cards[card] {
            State::Waiting(point, way) => Some((point, way)),
            _ => None,
        };
        let Some((first, way)) = (0..self.cards.len()).filter_map(waiting).min_by_key(|(point, _)| *point) else {
            self.since = None;
            return Vec::new();
        };
        if self.cards.contains(&State::Running) {
            self.since.get_or_insert(now);
            return Vec::new();
        }
        let mut there: Vec<usize> =
            (0..self.cards.len()).filter(|card| waiting(*card).is_some_and(|(point, _)| point == first)).collect();
        if way == Way::InTurn {
            there.truncate(1);
        }
        let is_in_step = !self.cards.contains(&State::Behind) && !self.cards.contains(&State::Gone);
        there.iter().for_each(|card| self.cards[*card] = State::Running);
        self.reached = self.reached.max(Some(first));
        self.since = (self.cards.iter().any(|state| matches!(state, State::Waiting(..)))).then_some(now);
        there.into_iter().map(|card| Release { card, is_in_step }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);

    fn point(rank: u64, phase: u64) -> Point {
        Point { pass: 0, rank, turn: 0, phase }
    }

    fn cards(releases: &[Release]) -> Vec<usize> {
        releases.iter().map(|release| release.card).collect()
    }

    #[test]
    fn cards_go_on_together_once_all_have_come() {
        let (mut meetings, now) = (Meetings::new(3, PATIENCE), Instant::now());
        for rank in 0..5 {
            let mut arrive = |card| meetings.arrive(card, point(rank, 0), Way::Together, now);
            assert!(arrive(2).is_empty() && arrive(0).is_empty());
            let releases = arrive(1);
            assert_eq!(cards(&releases), [0, 1, 2]);
            assert!(releases.iter().all(|release| release.is_in_step));
        }
    }

    #[test]
    fn in_turn_the_next_card_goes_on_once_the_one_before_waits_again() {
        let (mut meetings, now) = (Meetings::new(2, PATIENCE), Instant::now());
        assert!(meetings.arrive(1, point(0, 3), Way::InTurn, now).is_empty());
        assert_eq!(cards(&meetings.arrive(0, point(0, 3), Way::InTurn, now)), [0]);
        // The first one has measured.
        assert_eq!(cards(&meetings.arrive(0, point(0, 4), Way::Together, now)), [1]);
        assert_eq!(cards(&meetings.arrive(1, point(0, 4), Way::Together, now)), [0, 1]);
    }

    #[test]
    fn a_card_that_skips_a_case_waits_at_the_next_one() {
        let (mut meetings, now) = (Meetings::new(2, PATIENCE), Instant::now());
        assert!(meetings.arrive(0, point(1, 0), Way::Together, now).is_empty());
        // Card 1 has the case at rank 0 alone.
        assert_eq!(cards(&meetings.arrive(1, point(0, 0), Way::Together, now)), [1]);
        assert_eq!(cards(&meetings.arrive(1, point(0, 1), Way::Together, now)), [1]);
        assert_eq!(cards(&meetings.arrive(1, point(1, 0), Way::Together, now)), [0, 1]);
    }

    #[test]
    fn a_card_that_ends_blocks_no_other() {
        let (mut meetings, now) = (Meetings::new(3, PATIENCE), Instant::now());
        assert!(meetings.arrive(0, point(0, 0), Way::Together, now).is_empty());
        assert!(meetings.arrive(1, point(0, 0), Way::Together, now).is_empty());
        let releases = meetings.leave(2, now);
        assert!(cards(&releases) == [0, 1] && !releases[0].is_in_step);
        // Another one ends while it has the turn.
        assert!(meetings.arrive(1, point(0, 3), Way::InTurn, now).is_empty());
        assert_eq!(cards(&meetings.arrive(0, point(0, 3), Way::InTurn, now)), [0]);
        assert_eq!(cards(&meetings.leave(0, now)), [1]);
        assert_eq!(cards(&meetings.arrive(1, point(0, 4), Way::Together, now)), [1]);
        assert!(meetings.leave(1, now).is_empty());
    }

    #[test]
    fn a_card_that_lags_is_left_behind_and_may_catch_up() {
        let (mut meetings, start) = (Meetings::new(2, PATIENCE), Instant::now());
        assert!(meetings.arrive(0, point(0, 0), Way::Together, start).is_empty());
        assert_eq!(meetings.expire(start + PATIENCE / 2), (Vec::new(), Vec::new()));
        let (late, releases) = meetings.expire(start + PATIENCE);
        assert_eq!((late, cards(&releases)), (vec![1], vec![0]));
        assert!(!releases[0].is_in_step, "a card that lags may be at work");
        let now = start + 2 * PATIENCE;
        assert_eq!(cards(&meetings.arrive(0, point(1, 0), Way::Together, now)), [0], "no one waits twice for it");
        // It comes to points that the other one has left, then to a new one.
        assert_eq!(cards(&meetings.arrive(1, point(0, 0), Way::Together, now)), [1]);
        assert_eq!(cards(&meetings.arrive(1, point(1, 0), Way::Together, now)), [1]);
        assert!(meetings.arrive(1, point(2, 0), Way::Together, now).is_empty(), "in step again");
        let releases = meetings.arrive(0, point(2, 0), Way::Together, now);
        assert!(cards(&releases) == [0, 1] && releases[0].is_in_step);
        assert_eq!(meetings.expire(now + 9 * PATIENCE), (Vec::new(), Vec::new()), "no one waits");
    }
}
