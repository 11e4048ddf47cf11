//! Writes reports as an HTML page: one file that loads nothing from the network. [`data()`] turns reports into one
//! object of plain data; [`page()`] writes this object, the style and the script into one file.

mod answer;
mod cards;
mod cases;
mod data;
mod facts;
mod figure;
mod known;
mod matches;
mod names;
mod packed;
mod screen;
mod sources;

use base64::prelude::{BASE64_STANDARD, Engine};
use packed::packed;
use serde::Serialize;
use sha2::{Digest, Sha256};

pub use data::{Data, data, sides, sides_by};
pub use packed::unpacked;
pub use sources::{Kernel, benchmarks};

/// Style sheet of the page.
pub const STYLE: &str = include_str!("drawing/page.css");
/// Script of the page. It defines only `ShaderbenchReport.render(element, data, kernels)`; `kernels` returns a promise
/// of an array of [`Kernel`]. It includes Observable Plot and parts of D3 with their ISC and MIT licences, built by
/// `scripts/vendor.sh`.
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
    include_str!("drawing/versus.js"),
    include_str!("drawing/address.js"),
    include_str!("drawing/columns.js"),
    include_str!("drawing/table.js"),
    include_str!("drawing/kernel.js"),
    include_str!("drawing/screen.js"),
    include_str!("drawing/report.js"),
    "return { render };\n})();\n"
);

/// Unpacks the page's script and data, and draws the page.
const START: &str = include_str!("drawing/start.js");

const TEMPLATE: &str = include_str!("drawing/template.html");

/// The complete HTML page, with sources and explanations of the `kernels`. Text from reports cannot become markup: the
/// data is packed, title and answer are escaped, and the script inserts text only as text nodes.
#[must_use]
pub fn page(data: &Data, kernels: &[Kernel]) -> String {
    let (style, script, start) = (compact(STYLE), compact(SCRIPT), compact(START));
    let hashes = format!("{} {}", hash(&script), hash(&start));
    let (name, answer) = (escaped(&data.title), escaped(&data.screen.answer.join(" ")));
    let parts = [
        ("script_hashes", hashes),
        ("title", format!("{name} – shaderbench")),
        ("answer", answer.clone()),
        ("name", name.clone()),
        ("answer", answer.clone()),
        ("style", style),
        ("name", name),
        ("answer", answer),
        ("data", packed(&json(data))),
        ("kernels", packed(&json(&kernels))),
        ("script", packed(&script)),
        ("start", start),
    ];
    let mut text = String::new();
    let mut rest = TEMPLATE;
    // Each part is inserted once and in order, so that placeholders inside parts are not expanded.
    for (name, part) in parts {
        let (before, after) = rest.split_once(&format!("{{{{{name}}}}}")).unwrap_or((rest, ""));
        text.push_str(before);
        text.push_str(&part);
        rest = after;
    }
    text.push_str(rest);
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Hash of a script for the content security policy, which allows only scripts with a listed hash.
fn hash(script: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(script)))
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Removes doc comments (licences are none) and indentation. Safe because no string in script or style spans lines.
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
