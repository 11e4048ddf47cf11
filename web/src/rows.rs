//! Sends the events of a run to the page.

use js_sys::Function;
use serde_json::{Value, json};
use shaderbench::engine::measure::Timer;
use shaderbench::engine::{Changes, Expected, Observer};
use shaderbench::error::Result;
use shaderbench::families::FAMILIES;
use shaderbench::families::claims::finding;
use shaderbench::record::Record;
use shaderbench::report::{json, table};
use shaderbench::suite::{Case, Toolchain};
use wasm_bindgen::JsValue;

use crate::tab;

/// Sends the events of a run to the page. Their names and fields are those of the worker process, `Event` in
/// `src/cli/worker/protocol.rs`, where they mean the same.
pub(crate) struct Rows {
    callback: Function,
}

impl Rows {
    /// Sends the number of cases.
    pub(crate) fn new(callback: Function, cases: usize) -> Self {
        let rows = Self { callback };
        rows.post("Pass", &json!({ "number": 1, "count": cases }));
        rows
    }

    /// Sends the rows from the first one on that is new or changed: the texts of later rows depend on it.
    fn post_rows(&self, records: &[Record], changes: &Changes, ends_pass: bool) {
        let first = changes.unchanged().min(records.len());
        let rows: Vec<Value> = records[first..].iter().map(|record| row(records, record)).collect();
        let families = families(records, &records[first..]);
        self.post("Rows", &json!({ "from": first, "rows": rows, "families": families, "ends_pass": ends_pass }));
    }

    fn post(&self, event: &str, value: &Value) {
        // An exception of the callback does not end the run.
        let _ = self.callback.call2(&JsValue::NULL, &event.into(), &value.to_string().into());
    }
}

impl Observer for Rows {
    fn timer(&mut self, _: Toolchain<'_>, timer: &Timer) {
        let tick = table::time(Some(timer.tick_ns));
        let timer = json!({ "is_device": timer.is_device, "tick": tick, "note": timer.note });
        self.post("Timer", &json!({ "timer": timer }));
    }

    fn start(&mut self, index: usize, case: &Case, _row: &Record) {
        self.post("Start", &json!({ "index": index, "case": case.to_string() }));
    }

    fn row(&mut self, _record: &Record) {}

    fn plan(&mut self, cases: &[Expected]) {
        let expected = cases.iter().map(|case| json!({ "epochs": case.epochs }));
        self.post("Plan", &expected.collect());
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

/// A row as in the JSON report, and as texts for a table.
fn row(records: &[Record], record: &Record) -> Value {
    let family = FAMILIES.iter().find(|family| family.name == record.family);
    let of_family: Vec<&Record> = records.iter().filter(|other| other.family == record.family).collect();
    let texts = table::texts(family.is_some_and(|family| family.is_by_kernel), &of_family, record);
    let report = serde_json::from_slice::<Value>(&json::write(std::slice::from_ref(record))).unwrap_or_default();
    json!({ "record": report[0], "texts": texts })
}

/// Name, summary and finding of each family with fresh rows.
fn families(records: &[Record], fresh: &[Record]) -> Vec<Value> {
    let is_fresh = |name: &str| fresh.iter().any(|record| record.family == name);
    let touched = FAMILIES.iter().filter(|family| is_fresh(family.name));
    let values = touched.map(|family| {
        let rows: Vec<&Record> = records.iter().filter(|record| record.family == family.name).collect();
        let finding = finding(family.name, &rows).map(|finding| finding.text());
        json!({ "name": family.name, "summary": family.summary, "finding": finding })
    });
    values.collect()
}
