//! Events of a run, for the page.

use answers::report::{json, table};
use js_sys::Function;
use record::Record;
use serde::Serialize;
use serde_json::Value;
use wasm_bindgen::JsValue;

/// `web/page/main.js` has a function for each.
#[derive(Serialize)]
#[serde(tag = "what", content = "value")]
pub(crate) enum Event {
    /// The run begins, with this many cases.
    Pass { count: usize },
    /// The clock; `tick` is its step as text.
    Timer { is_device: bool, tick: String, note: Option<String> },
    /// Number of remaining epochs of all cases.
    Plan { epochs: usize },
    /// A case begins.
    Start { case: String },
    /// All rows from index `from`, the first new or changed one.
    Rows { from: usize, rows: Vec<Row>, ends_pass: bool },
    /// The lost device is open again.
    Reopened,
}

impl Event {
    /// Calls the page with the event as JSON. The run ignores exceptions of the callback.
    pub(crate) fn post(&self, callback: &Function) {
        let text = serde_json::to_string(self).unwrap_or_default();
        let _ = callback.call1(&JsValue::NULL, &text.into());
    }
}

/// A row as in the JSON report, and its figures as table texts.
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
