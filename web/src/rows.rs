//! Sends the events of a run to the page.

use answers::report::table;
use gpu::engine::measure::Timer;
use gpu::engine::{Changes, Expected, Observer};
use js_sys::Function;
use record::Record;
use record::error::Result;
use record::suite::{Case, Toolchain};

use crate::event::{Event, Row};
use crate::tab;

pub(crate) struct Rows {
    callback: Function,
}

impl Rows {
    pub(crate) fn new(callback: Function, count: usize) -> Self {
        Event::Pass { count }.post(&callback);
        Self { callback }
    }

    fn post_rows(&self, records: &[Record], changes: &Changes, ends_pass: bool) {
        let from = changes.unchanged().min(records.len());
        let rows = records[from..].iter().map(Row::from).collect();
        Event::Rows { from, rows, ends_pass }.post(&self.callback);
    }
}

impl Observer for Rows {
    fn timer(&mut self, _: Toolchain<'_>, timer: &Timer) {
        let tick = table::time(Some(timer.tick_ns));
        Event::Timer { is_device: timer.is_device, tick, note: timer.note.clone() }.post(&self.callback);
    }

    fn start(&mut self, _: usize, case: &Case, _: &Record) {
        Event::Start { case: case.to_string() }.post(&self.callback);
    }

    fn row(&mut self, _: &Record) {}

    fn plan(&mut self, cases: &[Expected]) {
        Event::Plan { epochs: cases.iter().map(|case| case.epochs).sum() }.post(&self.callback);
    }

    fn finish(&mut self, records: &[Record], changes: &Changes) -> Result<()> {
        self.post_rows(records, changes, false);
        Ok(())
    }

    fn finish_pass(&mut self, records: &[Record], changes: &Changes) -> Result<()> {
        self.post_rows(records, changes, true);
        Ok(())
    }

    fn is_interrupted(&self) -> bool {
        tab::is_stopped()
    }
}
