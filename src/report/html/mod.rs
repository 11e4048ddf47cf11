//! Reports as an HTML page: one file that loads nothing from the network.
//!
//! [`data()`] turns reports into one object of plain data, with all that is worked out here: times pooled by side,
//! ratios with their intervals, findings, ceilings, levels of caches. [`page()`] puts it into a file with the style and
//! the script that draw it.

mod cases;
mod data;
mod facts;
mod figure;
mod matches;
mod samples;

use base64::prelude::{BASE64_STANDARD, Engine};
use sha2::{Digest, Sha256};

pub use data::{Data, data, sides};
pub use samples::share_samples;

/// Colours, type and print of the page.
pub const STYLE: &str = include_str!("page/page.css");
/// What draws it: defines `ShaderbenchReport.render(element, data)` and nothing else. Within it is Observable Plot with
/// what it needs of D3, under ISC and MIT licences that it includes; `scripts/vendor.sh` makes that part.
pub const SCRIPT: &str = concat!(
    "const ShaderbenchReport = (() => {\n\"use strict\";\n",
    include_str!("page/vendor/plot.js"),
    include_str!("page/figures.js"),
    include_str!("page/model.js"),
    include_str!("page/parts.js"),
    include_str!("page/ladders.js"),
    include_str!("page/curves.js"),
    include_str!("page/roofline.js"),
    include_str!("page/versus.js"),
    include_str!("page/table.js"),
    include_str!("page/report.js"),
    "return { render };\n})();\n"
);

/// Draws what the file holds.
const START: &str = "ShaderbenchReport.render(document.getElementById(\"report\"), \
     JSON.parse(document.getElementById(\"report-data\").textContent));";

const TEMPLATE: &str = include_str!("page/template.html");

/// The page: a complete HTML file of its own.
///
/// No text of a report can be read as markup: within the data every `<`, `>` and `&` is written as an escape of JSON,
/// and the script puts text into the page as text alone.
#[must_use]
pub fn page(data: &Data) -> String {
    let hashes = format!("{} {}", hash(SCRIPT), hash(START));
    let parts =
        [("script_hashes", &*hashes), ("style", STYLE), ("data", &json(data)), ("script", SCRIPT), ("start", START)];
    let mut text = String::new();
    let mut rest = TEMPLATE;
    // Each part is inserted once, in order: a placeholder inside a part is not expanded.
    for (name, part) in parts {
        let (before, after) = rest.split_once(&format!("{{{{{name}}}}}")).unwrap_or((rest, ""));
        text.push_str(before);
        text.push_str(part);
        rest = after;
    }
    text.push_str(rest);
    text
}

/// What the page's policy lets run: this script and no other.
fn hash(script: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(script)))
}

/// The data as JSON that is safe in a script element.
fn json(data: &Data) -> String {
    let text = serde_json::to_string(data).unwrap_or_default();
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => escaped.push_str(&format!("\\u{:04x}", character as u32)),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests;
