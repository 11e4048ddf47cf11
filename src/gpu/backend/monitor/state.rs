//! Reads a card's state.

use std::time::SystemTime;

use record::suite::Reading;

/// Reads a card's state.
pub trait Monitor {
    /// The current state. Takes up to some milliseconds, and would disturb a measurement.
    fn read(&mut self) -> Reading;

    /// Energy that the card has used since some moment in the past, in joules, by a counter; `None` without a counter.
    fn joules(&mut self) -> Option<f64> {
        None
    }

    /// Power draw in watts: of this moment or a mean over up to a second, as the card's sensor has it.
    fn watts(&mut self) -> Option<f64> {
        self.read().watts
    }

    /// The number of processes that kept the card busy for at least a tenth of a moment since then, this one included;
    /// `None` where the driver does not tell.
    fn users(&mut self, since: SystemTime) -> Option<usize> {
        let _ = since;
        None
    }

    /// The highest clock that the streaming multiprocessors can be set to, in MHz; `None` where it is not reported.
    fn max_sm_mhz(&self) -> Option<u32> {
        None
    }
}
