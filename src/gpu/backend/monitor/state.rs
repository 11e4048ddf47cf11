//! The trait of what reads a card's state.

use std::time::SystemTime;

use record::suite::Reading;

/// Reads a card's state.
pub trait Monitor {
    /// The current state. Takes up to some milliseconds and would disturb a measurement.
    fn read(&mut self) -> Reading;

    /// Energy used since some moment in the past, in joules; `None` without an energy counter.
    fn joules(&mut self) -> Option<f64> {
        None
    }

    /// Power draw in watts: instantaneous or a mean over up to a second, depending on the card's sensor.
    fn watts(&mut self) -> Option<f64> {
        self.read().watts
    }

    /// The number of processes, including this one, that kept the card at least 10 % busy in any sample since then;
    /// `None` if the driver does not report it.
    fn users(&mut self, since: SystemTime) -> Option<usize> {
        let _ = since;
        None
    }

    /// The highest clock of the streaming multiprocessors, in MHz; `None` if not reported.
    fn max_sm_mhz(&self) -> Option<u32> {
        None
    }
}
