//! The suite in a browser tab. The page's worker calls these functions; values are passed as JSON.

mod event;
mod files;
mod plant;
mod rows;
mod tab;
mod verify;

use std::cell::RefCell;
use std::collections::HashSet;
use std::time::Duration;

use gpu::backend::wgpu::{Timeouts, WgpuBackend, adapters};
use gpu::backend::{Backend, Device};
use gpu::engine::plan::{Request, plan};
use gpu::engine::{End, Epochs, RowTable, Settings, fit, resume};
use js_sys::Function;
use kernels::FAMILIES;
use record::error::{Error, Result};
use record::suite::{Case, DeviceType, Extent, Profile, Shape};
use serde_json::{Value, json};
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

use rows::Rows;
use tab::Tab;

thread_local! {
    static TAB: RefCell<Option<Tab>> = const { RefCell::new(None) };
}

/// Maximum upload of a case with an end-to-end time, in bytes: the tab's memory holds a copy.
const END_TO_END_BYTES: u64 = 64 << 20;

/// Maximum launches per sample: the clock may step by 100 µs, and short launches must fill 100 steps.
const MAX_LAUNCHES: u32 = 8000;

#[wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}

/// The version, the names of the profiles, and the families with their summaries.
#[wasm_bindgen]
#[must_use]
pub fn choices() -> String {
    let family = |family: &&record::suite::Family| json!({ "name": family.name, "summary": family.summary });
    let families: Vec<Value> = FAMILIES.iter().map(family).collect();
    json!({ "version": shaderbench::VERSION, "profiles": Profile::ALL.map(Profile::name), "families": families })
        .to_string()
}

/// Opens the browser's preferred adapter. `host` has what only scripts can read: `browser`, `os` and `cpu`, and the
/// adapter's `device`, `vendor` and `is_software`. Returns the device's properties, each as section, name and value.
///
/// # Errors
/// If there is no adapter, or it cannot be opened.
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
    let backend = opened.map_err(|error| JsError::new(&format!("{}: {ADVICE}", error.chain())))?;
    let properties = device_properties(backend.device());
    let tab = Tab { backend, os: text("os"), cpu: text("cpu"), reopen_failed: false, on_reopened: None };
    TAB.with(|slot| slot.replace(Some(tab)));
    Ok(properties.to_string())
}

const QUICK_TIME: Duration = Duration::from_secs(120);

const NO_ADAPTER: &str = "The browser supports WebGPU but gives this page no adapter: \
     enable hardware acceleration in its settings, update the graphics driver, or try another browser.";

const ADVICE: &str = "reload the page; if that does not help, restart the browser or update the graphics driver.";

fn device_properties(device: &Device) -> Value {
    let basics = device.basics().into_iter().map(|(name, value)| json!(["", name, value]));
    let facts = device.facts.iter().map(|(section, name, value)| json!([section, name, value]));
    basics.chain(facts).collect()
}

/// Number of cases, with the ceilings that they need. `sizes` replace the profile's sizes unless empty.
///
/// # Errors
/// If a family, the profile or a size is invalid.
#[wasm_bindgen]
pub fn count(families: Vec<String>, profile: &str, sizes: Vec<String>) -> Result<usize, JsError> {
    let cases = cases(families, profile, &sizes).map_err(js_error)?;
    Ok(cases.iter().filter(|case| !case.is_reserve).count())
}

/// Measures the cases that [`count`] counts. `epochs` and `seconds` replace the profile's number of epochs and the time
/// limit unless empty. `plant` names a benchmark whose kernel gets a fault, to test the page; empty for none.
/// `callback` receives each [`event::Event`] as JSON. Returns whether the run was interrupted.
///
/// # Errors
/// If a value is invalid, or the run cannot continue.
#[wasm_bindgen]
pub async fn run(
    families: Vec<String>,
    profile: &str,
    sizes: Vec<String>,
    epochs: &str,
    seconds: &str,
    plant: &str,
    callback: Function,
) -> Result<bool, JsError> {
    let cases = cases(families, profile, &sizes).map_err(js_error)?;
    let settings = settings(profile, epochs, seconds).map_err(js_error)?;
    let Some(mut tab) = TAB.with(RefCell::take) else { return Err(JsError::new("no device is open")) };
    let end = measure(&mut tab, cases, settings, plant, callback).await;
    TAB.with(|slot| slot.replace(Some(tab)));
    end.map_err(js_error)
}

/// Verifies the families' cases of `quick` by one launch each, to test the page. Returns rows without figures.
///
/// # Errors
/// If a value is invalid.
#[wasm_bindgen]
pub async fn verify(families: Vec<String>, sizes: Vec<String>, plant: &str) -> Result<String, JsError> {
    let mut cases = cases(families.clone(), "quick", &sizes).map_err(js_error)?;
    cases.retain(|case| families.iter().any(|family| family == case.family.name));
    verify::shorten(&mut cases);
    let Some(mut tab) = TAB.with(RefCell::take) else { return Err(JsError::new("no device is open")) };
    let verified = match fitted(&tab, cases, plant) {
        Ok(cases) => Ok(verify::rows(&mut tab, &cases).await.to_string()),
        Err(error) => Err(js_error(error)),
    };
    TAB.with(|slot| slot.replace(Some(tab)));
    verified
}

/// The cases, with workgroups that the device accepts and with the planted fault, if any.
fn fitted(tab: &Tab, cases: Vec<Case>, plant: &str) -> Result<Vec<Case>> {
    let mut cases = fit(cases, &[tab.backend.device()], |_| false).cases;
    if !plant.is_empty() {
        plant::plant_fault(&mut cases, plant)?;
    }
    Ok(cases)
}

/// The settings of a run that starts now, except those that only the tab knows.
fn settings(profile: &str, epochs: &str, seconds: &str) -> Result<Settings> {
    let now = String::from(js_sys::Date::new_0().to_iso_string());
    let date = format!("{}Z", now.split('.').next().unwrap_or_default());
    let mut settings = Settings::new(self::profile(profile)?, date, String::new(), String::new());
    shaderbench::BUILD.clone_into(&mut settings.tool_version);
    if let Some(epochs) = number("epochs", epochs)? {
        settings.epochs = Epochs { least: epochs, most: epochs, ..settings.epochs };
    }
    settings.time = number("time", seconds)?.map(|seconds| Duration::from_secs(seconds as u64));
    Ok(settings)
}

/// A whole number from the page's address; `None` if absent.
fn number(name: &str, text: &str) -> Result<Option<usize>> {
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.parse().ok().filter(|number| *number > 0);
    let invalid = || Error::Usage(format!("'{name}={text}' is not valid: use a whole number above 0"));
    Ok(Some(number.ok_or_else(invalid)?))
}

async fn measure(
    tab: &mut Tab,
    cases: Vec<Case>,
    mut settings: Settings,
    plant: &str,
    callback: Function,
) -> Result<bool> {
    let cases = fitted(tab, cases, plant)?;
    (settings.os, settings.cpu) = (tab.os.clone(), tab.cpu.clone());
    let random = |below: f64| (js_sys::Math::random() * below) as u64;
    (settings.seed, settings.secret) = (random(4_294_967_296.0), random(9_007_199_254_740_992.0));
    // Only runs with smaller sizes in reserve have a default time limit.
    settings.time = settings.time.or(cases.iter().any(|case| case.is_reserve).then_some(QUICK_TIME));
    settings.end_to_end_bytes = settings.end_to_end_bytes.min(END_TO_END_BYTES);
    settings.rules.max_launches = MAX_LAUNCHES;
    tab::clear_stop();
    tab.reopen_if_lost().await.map_err(unusable)?;
    tab.on_reopened = Some(callback.clone());
    let mut rows = Rows::new(callback, cases.iter().filter(|case| !case.is_reserve).count());
    let outcome = resume(&mut [tab], &cases, RowTable::default(), &settings, &mut rows).await?;
    match outcome.end {
        End::Complete => Ok(false),
        End::Interrupted => Ok(true),
        End::NoDevice(error) => Err(unusable(error)),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn unusable(error: Error) -> Error {
    let reason = error.chain();
    Error::NoDevice(format!(
        "Nothing more can be measured: {reason}. Press Run to try again; if that does not help, save the rows and \
         restart the browser."
    ))
}

/// Ends the run before its next case.
#[wasm_bindgen]
pub fn stop() {
    tab::stop();
}

/// Sets whether the tab is hidden. Measuring pauses while it is.
#[wasm_bindgen]
pub fn hide(is_hidden: bool) {
    tab::hide(is_hidden);
}

/// Converts a JSON report to CSV.
///
/// # Errors
/// If the report is invalid.
#[wasm_bindgen]
pub fn csv(json: &str) -> Result<String, JsError> {
    files::csv(json).map_err(js_error)
}

/// A report's number of rows (`rows`), `devices`, `date` and `notes`, as an object.
///
/// # Errors
/// If the file is not a valid report; the error names the line.
#[wasm_bindgen]
pub fn inspect(name: &str, text: &str) -> Result<String, JsError> {
    Ok(files::inspect(name, text).map_err(js_error)?.to_string())
}

/// Data for `ShaderbenchReport.render`. `reports` is an array of objects with `name` and `text`, the baseline first.
///
/// # Errors
/// If a report is invalid.
#[wasm_bindgen]
pub fn charts(reports: &str) -> Result<String, JsError> {
    files::charts(&named(reports)?).map_err(js_error)
}

fn named(reports: &str) -> Result<Vec<(String, String)>, JsError> {
    let reports: Vec<Value> = serde_json::from_str(reports)?;
    let text = |report: &Value, name: &str| report[name].as_str().unwrap_or_default().to_owned();
    Ok(reports.iter().map(|report| (text(report, "name"), text(report, "text"))).collect())
}

fn cases(families: Vec<String>, name: &str, sizes: &[String]) -> Result<Vec<Case>> {
    let sizes: Vec<Extent> = sizes.iter().map(|size| Extent::parse(size)).collect::<Result<_>>()?;
    let has_sizes = !sizes.is_empty();
    let profile = profile(name)?;
    let has_reserves = profile == Profile::Quick && !has_sizes;
    let mut cases = plan(&Request { sizes, has_reserves, ..Request::new(families, profile) })?;
    if has_sizes {
        shrink_ceilings(&mut cases);
    }
    Ok(cases)
}

/// Uses small ceilings: sizes from the address suit a software device, and plans keep the ceilings' own sizes for GPUs.
fn shrink_ceilings(cases: &mut Vec<Case>) {
    for case in cases.iter_mut().filter(|case| case.benchmark.sets_ceiling) {
        let small = case.benchmark.small.unwrap_or(Extent::Linear(1 << 22));
        if small.count() < case.shape.count() {
            let mut params = case.shape.params.clone();
            // The first set has the fewest rounds.
            let first = case.benchmark.cases.iter().flat_map(|block| block.params).flat_map(|set| set.iter()).next();
            if let Some((name, rounds)) = first.filter(|(name, _)| *name == "ROUNDS") {
                params.insert((*name).to_owned(), *rounds);
            }
            *case = Case::new(case.family, case.benchmark, Shape::new(case.shape.dtype, small, params));
        }
    }
    let mut seen = HashSet::new();
    cases.retain(|case| seen.insert(case.to_string()));
}

fn profile(name: &str) -> Result<Profile> {
    let known = Profile::ALL.into_iter().find(|profile| profile.name() == name);
    known.ok_or_else(|| Error::Usage(format!("there is no profile '{name}'")))
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn js_error(error: Error) -> JsError {
    JsError::new(&error.chain())
}
