//! A report's page, opened in a headless Chromium.

#![allow(clippy::unwrap_used, reason = "a failed step ends the test")]

use std::path::PathBuf;

use crate::browser::Browser;
use crate::command::{Folder, shaderbench};

pub(crate) const H100: &str = "results/nvidia-h100-80gb-hbm3/2026-11-28-vulkan+cuda.csv";
pub(crate) const H200: &str = "results/nvidia-h200/2026-11-30-vulkan+cuda.csv";
pub(crate) const LLVMPIPE: &str = "results/llvmpipe-llvm-15-0-6-256-bits/2026-11-22-vulkan.csv";

/// Writes the page of `reports`.
pub(crate) fn page(folder: &Folder, reports: &[&str]) -> PathBuf {
    let path = folder.argument("report.html");
    let output = shaderbench(&["report", "--force", "--out", &path]).args(reports).run().succeeds();
    assert_eq!(output.stdout, format!("{path}\n"));
    path.into()
}

/// The page of `reports` in a browser of this width, with the folder that has it. `None` without a browser.
pub(crate) fn opened(width: u32, reports: &[&str]) -> Option<(Browser, Folder)> {
    let mut browser = Browser::start()?;
    let folder = Folder::new();
    let page = page(&folder, reports);
    browser.resize(width, false);
    browser.open(&page);
    Some((browser, folder))
}

/// Errors and console messages of the page, and its requests to the network.
pub(crate) fn faults(browser: &Browser) -> Vec<String> {
    let is_own = |url: &str| url.starts_with("file://") && url.ends_with("/report.html");
    let events = browser.events.iter().filter(|event| match event["method"].as_str().unwrap_or_default() {
        "Network.requestWillBeSent" => !is_own(event["params"]["request"]["url"].as_str().unwrap_or_default()),
        "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded" | "Page.javascriptDialogOpening" => {
            true
        }
        _ => false,
    });
    events.map(ToString::to_string).collect()
}

/// Fails if the page has one of these.
pub(crate) fn assert_no_faults(browser: &Browser) {
    assert_eq!(faults(browser), Vec::<String>::new());
}

/// The texts of a column of the table, from top to bottom.
pub(crate) fn column(browser: &mut Browser, index: usize) -> Vec<String> {
    let cells = browser.value(&format!(
        "[...document.querySelectorAll('.comparison tbody tr')].map(row => row.children[{index}]?.textContent ?? '')"
    ));
    cells.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap().to_owned()).collect()
}
