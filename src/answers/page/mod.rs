//! Writes reports as an HTML page: one file that loads nothing from the network.
//!
//! [`data()`] turns reports into one object of plain data: times pooled by side, ratios with intervals, findings,
//! ceilings, cache levels. [`page()`] writes this object, the style and the script into one file.

mod cases;
mod data;
mod facts;
mod figure;
mod headlines;
mod matches;
mod samples;

use base64::prelude::{BASE64_STANDARD, Engine};
use sha2::{Digest, Sha256};

pub use data::{Data, data, sides, sides_by};
pub use samples::share_samples;

/// Style sheet of the page.
pub const STYLE: &str = include_str!("drawing/page.css");
/// Script of the page. It defines only `ShaderbenchReport.render(element, data)`. It includes Observable Plot and parts
/// of D3 with their ISC and MIT licences; `scripts/vendor.sh` builds that part.
pub const SCRIPT: &str = concat!(
    "const ShaderbenchReport = (() => {\n\"use strict\";\n",
    include_str!("drawing/vendor/plot.js"),
    include_str!("drawing/figures.js"),
    include_str!("drawing/model.js"),
    include_str!("drawing/parts.js"),
    include_str!("drawing/marks.js"),
    include_str!("drawing/save.js"),
    include_str!("drawing/frame.js"),
    include_str!("drawing/ladders.js"),
    include_str!("drawing/curves.js"),
    include_str!("drawing/levels.js"),
    include_str!("drawing/roofline.js"),
    include_str!("drawing/headlines.js"),
    include_str!("drawing/versus.js"),
    include_str!("drawing/safety.js"),
    include_str!("drawing/epochs.js"),
    include_str!("drawing/table.js"),
    include_str!("drawing/report.js"),
    "return { render };\n})();\n"
);

/// Starts the script with the data in the file.
const START: &str = "ShaderbenchReport.render(document.getElementById(\"report\"), \
     JSON.parse(document.getElementById(\"report-data\").textContent));";

const TEMPLATE: &str = include_str!("drawing/template.html");

/// The complete HTML page.
///
/// Text from reports cannot become markup: the JSON data escapes every `<`, `>` and `&`, and the script inserts text
/// only as text nodes.
#[must_use]
pub fn page(data: &Data) -> String {
    let (style, script) = (compact(STYLE), compact(SCRIPT));
    let hashes = format!("{} {}", hash(&script), hash(START));
    let parts = [
        ("script_hashes", &*hashes),
        ("style", &*style),
        ("data", &json(data)),
        ("script", &*script),
        ("start", START),
    ];
    let mut text = String::new();
    let mut rest = TEMPLATE;
    // Insert each part once, in order, so that placeholders inside parts are not expanded.
    for (name, part) in parts {
        let (before, after) = rest.split_once(&format!("{{{{{name}}}}}")).unwrap_or((rest, ""));
        text.push_str(before);
        text.push_str(part);
        rest = after;
    }
    text.push_str(rest);
    text
}

/// Hash of a script for the content security policy, which allows only the hashed scripts.
fn hash(script: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(script)))
}

/// The data as JSON, escaped for a script element.
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

/// The text without doc comments and the spaces at the start of lines, which no reader of the page needs. No text within the
/// script or the style goes over several lines. Licences are no doc comments.
fn compact(text: &str) -> String {
    let mut is_comment = false;
    let is_code = |line: &&str| {
        is_comment |= line.starts_with("/**");
        let is_code = !is_comment;
        is_comment &= !line.ends_with("*/");
        is_code
    };
    text.lines().map(str::trim_start).filter(is_code).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
