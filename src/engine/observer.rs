//! Who is told what happens in a run.

use super::measure::Timer;
use crate::backend::Api;
use crate::error::Result;
use crate::results::Record;
use crate::suite::Case;

/// Who watches a run: it draws progress and writes reports.
pub trait Observer {
    /// The timer of the device through `api` was chosen.
    fn timer(&mut self, api: Api, timer: &Timer);
    /// Candidates for the parameters of `case` are about to be tried, of the kernel `number` (from 1 on) of `count`; `row` holds what is known
    /// of the case.
    fn tuning(&mut self, number: usize, count: usize, case: &Case, row: &Record) {
        let _ = (number, count, case, row);
    }
    /// Case number `index` starts; `row` holds what is known of it before, its API among it.
    fn start(&mut self, index: usize, case: &Case, row: &Record);
    /// A row is there, and held against the ceilings so far.
    fn row(&mut self, record: &Record);
    /// A case is done. `records` are all rows, in the order of the plan; `changes` says which of them are new or different.
    /// Earlier rows change where a ceiling rose that they are held against.
    ///
    /// # Errors
    /// Ends the run.
    fn finish(&mut self, records: &[Record], changes: &Changes) -> Result<()>;
    /// A case takes too long for the run's time limit: it has no row.
    fn left_out(&mut self, case: &Case) {
        let _ = case;
    }
    /// A case whose output is a picture was right through `api`: its rows of pixels, red, green, blue and opacity.
    ///
    /// # Errors
    /// Ends the run.
    fn picture(&mut self, case: &Case, api: Api, rgba: &[u8]) -> Result<()> {
        let _ = (case, api, rgba);
        Ok(())
    }
    /// Whether the run is to end before the next case.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// What a case changed about a run's rows, by their positions among all, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// Rows that are new.
    pub added: Vec<usize>,
    /// Rows that were there and are different now.
    pub changed: Vec<usize>,
}

impl Changes {
    /// How many rows, from the first on, stand where they stood and are as they were.
    #[must_use]
    pub fn unchanged(&self) -> usize {
        self.added.iter().chain(&self.changed).copied().min().unwrap_or(usize::MAX)
    }
}
