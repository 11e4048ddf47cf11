//! Sends the events of a run to the page.

use js_sys::Function;
use serde::Serialize;
use serde_json::Value;
use shaderbench::engine::measure::Timer;
use shaderbench::engine::{Changes, Expected, Observer};
use shaderbench::error::Result;
use shaderbench::record::Record;
use shaderbench::report::{json, table};
use shaderbench::suite::{Case, Toolchain};
use wasm_bindgen::JsValue;

use crate::tab;

/// An event of a run. `web/page/main.js` has a function for each.
#[derive(Serialize)]
#[serde(tag = "what", content = "value")]
pub(crate) enum Event {
    /// The run begins, with so many cases.
    Pass { count: usize },
    /// The clock, with its step as text.
    Timer { is_device: bool, tick: String, note: Option<String> },
    /// The epochs of all cases that are still to come.
    Plan { epochs: usize },
    /// A case begins.
    Start { case: String },
    /// The rows from the first one on that is new or changed.
    Rows { from: usize, rows: Vec<Row>, ends_pass: bool },
    /// The lost device is open again.
    Reopened,
}

impl Event {
    /// Calls the page with the event as JSON. An exception of the callback does not end the run.
    pub(crate) fn post(&self, callback: &Function) {
        let text = serde_json::to_string(self).unwrap_or_default();
        let _ = callback.call1(&JsValue::NULL, &text.into());
    }
}

/// A row as in the JSON report, and its figures as texts for a table.
#[derive(Serialize)]
pub(crate) struct Row {
    record: Value,
    texts: table::Texts,
}

impl From<&Record> for Row {
    fn from(record: &Record) -> Self {
        let report = json::write(std::slice::from_ref(record));
        let [row]: [Value; 1] = serde_json::from_slice(&report).unwrap_or_default();
        Self { record: row, texts: record.into() }
    }
}

/// Sends the events of a run to the page.
pub(crate) struct Rows {
    callback: Function,
}

impl Rows {
    /// Sends the number of cases.
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
