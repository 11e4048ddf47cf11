//! What a run tells the page.

use answers::report::{json, table};
use js_sys::Function;
use record::Record;
use serde::Serialize;
use serde_json::Value;
use wasm_bindgen::JsValue;

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
