//! The suite in a browser tab: what a worker calls. Everything that is measured, judged or written comes from `shaderbench`; here it is
//! handed over, as JSON.

mod files;
mod fit;
mod plant;
mod rows;
mod tab;

use std::cell::RefCell;

use js_sys::Function;
use serde_json::{Value, json};
use shaderbench::backend::wgpu::{Timeouts, WgpuBackend, adapters};
use shaderbench::backend::{Backend, Device, DeviceType};
use shaderbench::engine::plan::{Request, plan};
use shaderbench::engine::{EarlierRows, End, Settings, resume};
use shaderbench::error::{Error, Result};
use shaderbench::families::FAMILIES;
use shaderbench::suite::{Case, Extent, Profile};
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

use rows::Rows;
use tab::Tab;

thread_local! {
    static TAB: RefCell<Option<Tab>> = const { RefCell::new(None) };
}

/// Bytes that an end-to-end time may upload: the tab holds a copy of them.
const END_TO_END_BYTES: u64 = 64 << 20;

/// The clock may step by 100 µs, and 100 steps of short launches are many.
const MAX_LAUNCHES: u32 = 8000;

#[wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}

/// What there is to choose from: profiles, and families with what they are about.
#[wasm_bindgen]
#[must_use]
pub fn choices() -> String {
    let family = |family: &&shaderbench::suite::Family| json!({ "name": family.name, "summary": family.summary });
    let families: Vec<Value> = FAMILIES.iter().map(family).collect();
    json!({ "version": shaderbench::VERSION, "profiles": Profile::ALL.map(Profile::name), "families": families })
        .to_string()
}

/// Opens the adapter that the browser prefers. `host` is what only scripts can find out, an object: `browser`, `os`, `cpu`; of the
/// adapter `device`, `vendor`, `is_software`. Gives what the device tells, an array of names and values.
///
/// # Errors
/// Where there is no adapter, or it cannot be opened.
#[wasm_bindgen]
pub async fn open(host: &str) -> Result<String, JsError> {
    let host: Value = serde_json::from_str(host)?;
    let mut adapter = adapters(None).await.into_iter().next().ok_or_else(|| JsError::new(NO_ADAPTER))?;
    let text = |name: &str| host[name].as_str().unwrap_or_default().to_owned();
    let device = &mut adapter.device;
    (device.driver, device.vendor) = (text("browser"), text("vendor"));
    if device.name.is_empty() {
        device.name = text("device");
    }
    if host["is_software"] == true {
        device.kind = DeviceType::Software;
    }
    let opened = WgpuBackend::open(adapter, Timeouts::DEFAULT).await;
    let backend = opened.map_err(|error| JsError::new(&format!("{}: {WHAT_TO_DO}", error.chain())))?;
    let told = sheet(backend.device());
    let tab = Tab { backend, os: text("os"), cpu: text("cpu"), is_gone: false, on_reopened: None };
    TAB.with(|slot| slot.replace(Some(tab)));
    Ok(told.to_string())
}

const NO_ADAPTER: &str = "The browser knows WebGPU but gives this page no adapter: switch on hardware acceleration in its settings, \
     update the graphics driver, or try another browser.";

const WHAT_TO_DO: &str =
    "reload the page; where that does not help, restart the browser or update the graphics driver.";

fn sheet(device: &Device) -> Value {
    let basics = device.basics().into_iter().map(|(name, value)| json!(["", name, value]));
    let facts = device.facts.iter().map(|(section, name, value)| json!([section, name, value]));
    basics.chain(facts).collect()
}

/// How many cases these families have at this profile, with the ceilings that they need. `sizes` stand in place of the profile's; none for
/// the profile's.
///
/// # Errors
/// Where there is no such family, or something is no size.
#[wasm_bindgen]
pub fn count(families: Vec<String>, profile: &str, sizes: Vec<String>) -> Result<usize, JsError> {
    Ok(cases(families, profile, &sizes).map_err(thrown)?.len())
}

/// Measures what [`count`] counts. `plant` names a benchmark whose kernel gets a fault, for a test of the page; empty for none. `tell` is
/// called with a name and JSON: `plan`, `timer`, `start`, `rows`, `reopened` (a lost device). Gives `complete` or `interrupted`.
///
/// # Errors
/// Where the run cannot go on.
#[wasm_bindgen]
pub async fn run(
    families: Vec<String>,
    profile: &str,
    sizes: Vec<String>,
    plant: &str,
    tell: Function,
) -> Result<String, JsError> {
    let cases = cases(families, profile, &sizes).map_err(thrown)?;
    let Some(mut tab) = TAB.with(RefCell::take) else { return Err(JsError::new("no device is open")) };
    let ended = measure(&mut tab, cases, profile, plant, tell).await;
    TAB.with(|slot| slot.replace(Some(tab)));
    ended.map(str::to_owned).map_err(thrown)
}

async fn measure(tab: &mut Tab, cases: Vec<Case>, profile: &str, plant: &str, tell: Function) -> Result<&'static str> {
    let mut cases = fit::fit(cases, tab.backend.device());
    if !plant.is_empty() {
        plant::spoil(&mut cases, plant)?;
    }
    let now = String::from(js_sys::Date::new_0().to_iso_string());
    let date = format!("{}Z", now.split('.').next().unwrap_or_default());
    let mut settings = Settings::new(self::profile(profile)?, date, tab.os.clone(), tab.cpu.clone());
    settings.end_to_end_bytes = settings.end_to_end_bytes.min(END_TO_END_BYTES);
    settings.rules.max_launches = MAX_LAUNCHES;
    tab::go_on();
    tab.revive().await.map_err(unusable)?;
    tab.on_reopened = Some(tell.clone());
    let mut rows = Rows::new(tell, cases.len());
    let outcome = resume(&mut [tab], &cases, EarlierRows::default(), &settings, &mut rows).await?;
    match outcome.end {
        End::Complete => Ok("complete"),
        End::Interrupted => Ok("interrupted"),
        End::NoDevice(error) => Err(unusable(error)),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn unusable(error: Error) -> Error {
    let why = error.chain();
    Error::NoDevice(format!(
        "Nothing more can be measured: {why}. Press Run to try again; where that does not help, save the rows and restart the browser."
    ))
}

/// Ends the run before its next case.
#[wasm_bindgen]
pub fn stop() {
    tab::stop();
}

/// Says whether the tab is hidden: nothing is measured then.
#[wasm_bindgen]
pub fn hide(is_hidden: bool) {
    tab::hide(is_hidden);
}

/// A JSON report as CSV.
///
/// # Errors
/// What is wrong with it.
#[wasm_bindgen]
pub fn csv(json: &str) -> Result<String, JsError> {
    files::csv(json).map_err(thrown)
}

/// What a file is a report of, as an object; fails where it is none.
///
/// # Errors
/// What is wrong with it, and in which line.
#[wasm_bindgen]
pub fn look(name: &str, text: &str) -> Result<String, JsError> {
    Ok(files::look(name, text).map_err(thrown)?.to_string())
}

/// Holds reports against each other, as `shaderbench compare` does: `reports` is an array of objects with `name` and `text`, the baseline
/// first.
///
/// # Errors
/// What is wrong with one of them, or that there is nothing to compare.
#[wasm_bindgen]
pub fn compare(reports: &str) -> Result<String, JsError> {
    Ok(files::compare(&named(reports)?).map_err(thrown)?.to_string())
}

/// What the report page draws of `reports`, an array as for [`compare`]: the data of `ShaderbenchReport.render`.
///
/// # Errors
/// What is wrong with one of them.
#[wasm_bindgen]
pub fn charts(reports: &str) -> Result<String, JsError> {
    files::charts(&named(reports)?).map_err(thrown)
}

/// Names and texts of reports.
fn named(reports: &str) -> Result<Vec<(String, String)>, JsError> {
    let reports: Vec<Value> = serde_json::from_str(reports)?;
    let text = |report: &Value, name: &str| report[name].as_str().unwrap_or_default().to_owned();
    Ok(reports.iter().map(|report| (text(report, "name"), text(report, "text"))).collect())
}

fn cases(families: Vec<String>, name: &str, sizes: &[String]) -> Result<Vec<Case>> {
    let sizes = sizes.iter().map(|size| Extent::parse(size)).collect::<Result<_>>()?;
    plan(&Request { sizes, ..Request::new(families, profile(name)?) })
}

fn profile(name: &str) -> Result<Profile> {
    let known = Profile::ALL.into_iter().find(|profile| profile.name() == name);
    known.ok_or_else(|| Error::Usage(format!("there is no profile '{name}'")))
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn thrown(error: Error) -> JsError {
    JsError::new(&error.chain())
}
