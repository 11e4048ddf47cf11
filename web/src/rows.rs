//! Who watches a run in a tab: it tells the page.

use js_sys::Function;
use serde_json::{Value, json};
use shaderbench::backend::Api;
use shaderbench::engine::measure::Timer;
use shaderbench::engine::{Changes, Observer};
use shaderbench::error::Result;
use shaderbench::families::FAMILIES;
use shaderbench::report::{json, table};
use shaderbench::results::Record;
use shaderbench::results::findings::finding;
use shaderbench::suite::Case;
use wasm_bindgen::JsValue;

use crate::tab;

/// Tells the page of a run.
pub(crate) struct Rows {
    tell: Function,
}

impl Rows {
    /// Tells that there are `cases` cases.
    pub(crate) fn new(tell: Function, cases: usize) -> Self {
        let rows = Self { tell };
        rows.say("plan", &json!({ "cases": cases }));
        rows
    }

    fn say(&self, what: &str, value: &Value) {
        // A page that throws has had its say on its own console.
        let _ = self.tell.call2(&JsValue::NULL, &what.into(), &value.to_string().into());
    }
}

impl Observer for Rows {
    fn timer(&mut self, _api: Api, timer: &Timer) {
        let tick = table::time(Some(timer.tick_ns));
        self.say("timer", &json!({ "is_device": timer.is_device, "tick": tick, "note": timer.note }));
    }

    fn start(&mut self, place: usize, case: &Case, _row: &Record) {
        self.say("start", &json!({ "place": place, "case": case.to_string() }));
    }

    fn row(&mut self, _record: &Record) {}

    fn finish(&mut self, records: &[Record], changes: &Changes) -> Result<()> {
        let first = changes.unchanged().min(records.len());
        let rows: Vec<Value> = records[first..].iter().map(|record| row(records, record)).collect();
        self.say("rows", &json!({ "from": first, "rows": rows, "families": families(records, &records[first..]) }));
        Ok(())
    }

    fn is_interrupted(&self) -> bool {
        tab::is_stopped()
    }
}

/// A row as the JSON report has it, and as a table does.
fn row(records: &[Record], record: &Record) -> Value {
    let family = FAMILIES.iter().find(|family| family.name == record.family);
    let of_family: Vec<&Record> = records.iter().filter(|other| other.family == record.family).collect();
    let texts = table::texts(family.is_some_and(|family| family.is_by_kernel), &of_family, record);
    let report = serde_json::from_slice::<Value>(&json::write(std::slice::from_ref(record))).unwrap_or_default();
    json!({ "record": report[0], "texts": texts })
}

/// What is to be said of the families of the rows that are new.
fn families(records: &[Record], fresh: &[Record]) -> Vec<Value> {
    let is_fresh = |name: &str| fresh.iter().any(|record| record.family == name);
    let touched = FAMILIES.iter().filter(|family| is_fresh(family.name));
    let said = touched.map(|family| {
        let rows: Vec<&Record> = records.iter().filter(|record| record.family == family.name).collect();
        json!({ "name": family.name, "summary": family.summary, "finding": finding(family.name, &rows).map(|finding| finding.text) })
    });
    said.collect()
}
