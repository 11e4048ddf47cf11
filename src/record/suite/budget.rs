//! Limits on the host's time for a user's kernels: one for each command, expression and front end, and one for all.

use std::cell::Cell;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The default limit.
pub const USUAL: Duration = Duration::from_secs(60);

/// Everything before the first launch may take this many times the limit.
const ALL: u32 = 10;

struct State {
    limit: Duration,
    /// When everything must have ended.
    end: Option<Instant>,
}

static STATE: Mutex<State> = Mutex::new(State { limit: USUAL, end: None });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets the limit.
pub fn set_limit(limit: Duration) {
    state().limit = limit;
}

/// Starts the common limit of everything before the first launch.
pub fn start_preparing() {
    let mut state = state();
    state.end = Instant::now().checked_add(state.limit.saturating_mul(ALL));
}

/// Ends the common limit, before the first launch.
pub fn end_preparing() {
    state().end = None;
}

thread_local! {
    static SHARED: Cell<Option<Budget>> = const { Cell::new(None) };
}

/// While it lives, everything that this thread starts shares one budget.
pub struct Shared {
    outer: Option<Budget>,
}

impl Shared {
    /// Starts a budget, or continues the shared one.
    #[must_use]
    pub fn start() -> Self {
        let outer = SHARED.get();
        SHARED.set(Some(Budget::start()));
        Self { outer }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        SHARED.set(self.outer);
    }
}

/// The time of one command, expression or front end.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    end: Option<Instant>,
    limit: Duration,
    /// Whether it ends with the common limit.
    is_common: bool,
}

impl Budget {
    /// A new budget, or the one that the thread shares.
    #[must_use]
    pub fn start() -> Self {
        SHARED.get().unwrap_or_else(|| Self::within(Duration::MAX))
    }

    /// A budget of at most `limit`.
    #[must_use]
    pub fn within(limit: Duration) -> Self {
        let state = state();
        let limit = limit.min(state.limit);
        let end = Instant::now().checked_add(limit);
        match state.end {
            Some(common) if end.is_none_or(|end| common < end) => {
                Self { end: state.end, limit: state.limit.saturating_mul(ALL), is_common: true }
            }
            _ => Self { end, limit, is_common: false },
        }
    }

    /// The time left.
    #[must_use]
    pub fn left(self) -> Duration {
        self.end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()))
    }

    /// An error once the budget is used up, with the limit and how to raise it.
    pub fn check(self) -> Result<(), String> {
        if self.left().is_zero() { Err(self.exceeded()) } else { Ok(()) }
    }

    /// The error text for a used-up budget.
    #[must_use]
    pub fn exceeded(self) -> String {
        let with = if self.is_common { ", including all earlier steps" } else { "" };
        format!("not finished within {} s{with}; raise the limit with --host-timeout", self.limit.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_thread_shares_has_one_end() {
        let free = Budget::start();
        assert!(free.check().is_ok() && free.left() > USUAL / 2);
        let shared = Shared::start();
        let first = Budget::start();
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(Budget::start().end, first.end);
        drop(shared);
        assert!(Budget::start().end > first.end);
        let over = Budget::within(Duration::ZERO);
        assert_eq!(over.check(), Err("not finished within 0 s; raise the limit with --host-timeout".to_owned()));
    }
}
