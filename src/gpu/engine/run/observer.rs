//! Progress events of a run.

use crate::engine::measure::Timer;
use record::Record;
use record::error::Result;
use record::suite::{Api, Case, Toolchain};

/// What a case draws, as RGBA pixels, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// The picture that the case reads; empty if none.
    pub original: Vec<u8>,
    /// Its output.
    pub drawn: Vec<u8>,
    /// Pixels of a row, and rows.
    pub size: [u64; 2],
}

/// The epochs that a case needs from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Expected {
    /// Whether the first of them gives the case its row.
    pub is_new: bool,
    /// Their number, an estimate where the row's noise decides.
    pub epochs: usize,
}

/// Receives the events of a run, to show progress and write reports.
pub trait Observer {
    /// The timer for an API is selected.
    fn timer(&mut self, toolchain: Toolchain<'_>, timer: &Timer);
    /// The epochs that each case needs, by index: before the first case, and updated before each pass.
    fn plan(&mut self, cases: &[Expected]) {
        let _ = cases;
    }
    /// The case at `index` starts. `row` has the values known before it runs, among them its API.
    fn start(&mut self, index: usize, case: &Case, row: &Record);
    /// A row is complete and compared with the ceilings measured so far.
    fn row(&mut self, record: &Record);
    /// A case is done. `records` are all rows in plan order; `changes` lists those that are new or changed.
    /// Earlier rows change when their ceiling rises.
    ///
    /// # Errors
    /// Ends the run.
    fn finish(&mut self, records: &[Record], changes: &Changes) -> Result<()>;
    /// Pass `number`, counted from 1, starts: it measures `count` cases once more. The first pass is not announced.
    fn pass(&mut self, number: usize, count: usize) {
        let _ = (number, count);
    }
    /// A pass is done, and all rows are estimated anew.
    ///
    /// # Errors
    /// Ends the run.
    fn finish_pass(&mut self, records: &[Record], changes: &Changes) -> Result<()> {
        let _ = (records, changes);
        Ok(())
    }
    /// The case at `index` gets no row because it exceeds the run's time limit. Another size may run in its place.
    fn left_out(&mut self, index: usize, case: &Case) {
        let _ = (index, case);
    }
    /// The verified output of a case that draws a picture.
    ///
    /// # Errors
    /// Ends the run.
    fn picture(&mut self, case: &Case, api: Api, picture: &Picture) -> Result<()> {
        let _ = (case, api, picture);
        Ok(())
    }
    /// Whether to end the run before the next case.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// Rows that a case added or changed, as ascending positions in the list of all rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// New rows.
    pub added: Vec<usize>,
    /// Earlier rows whose values changed.
    pub changed: Vec<usize>,
}

impl Changes {
    /// Number of leading rows that have the same position and values as before.
    #[must_use]
    pub fn unchanged(&self) -> usize {
        self.added.iter().chain(&self.changed).copied().min().unwrap_or(usize::MAX)
    }
}
