//! The duration of a wait, without times in which the process was stopped.

use std::time::Duration;

use web_time::Instant;

/// Longest time between two ticks that counts in full: a busy machine may keep a thread from running.
const SLICE: Duration = Duration::from_secs(1);

/// Adds up the time between ticks, so that hours in which the process was stopped count as one second.
pub(super) struct WaitClock {
    last: Instant,
    waited: Duration,
}

impl WaitClock {
    pub(super) fn start() -> Self {
        Self { last: Instant::now(), waited: Duration::ZERO }
    }

    /// Time waited so far. The caller calls this many times per second.
    pub(super) fn tick(&mut self) -> Duration {
        self.tick_at(Instant::now())
    }

    fn tick_at(&mut self, now: Instant) -> Duration {
        self.waited += now.saturating_duration_since(self.last).min(SLICE);
        self.last = now;
        self.waited
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_in_which_the_process_was_stopped_count_as_a_second() {
        let mut clock = WaitClock::start();
        let start = clock.last;
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        assert_eq!(clock.tick_at(at(1)), Duration::from_secs(1));
        assert_eq!(clock.tick_at(at(7201)), Duration::from_secs(2));
        assert_eq!(clock.tick_at(at(7202)), Duration::from_secs(3));
    }
}
