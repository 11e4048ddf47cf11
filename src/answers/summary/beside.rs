//! Several reports side by side.

use super::figures::{best, peaks, spaces};
use super::texts::{arithmetic_name, job_rate, operations, quoted_rate, quoted_time};
use crate::record::Record;
use crate::report::layout::{Column, Grid, Mark, Medium, Part, Row, lay_out};
use crate::report::toolchains;
use crate::suite::{Limit, Toolchain, binary_range};

/// Reports side by side that fit in 80 columns.
const MOST: usize = 4;

/// A table of the headline figures of several reports, each with its name: a column for each report, API and compiler, which
/// lines above the table name.
#[must_use]
pub fn side_by_side(reports: &[(String, Vec<Record>)], medium: Medium) -> String {
    let sides: Vec<(String, Vec<(String, String)>)> = reports
        .iter()
        .flat_map(|(name, records)| {
            toolchains(records)
                .into_iter()
                .map(move |toolchain| (title(name, records, toolchain), figures(records, toolchain)))
        })
        .collect();
    let letters: Vec<String> = (0..sides.len()).map(letter).collect();
    let mut parts: Vec<Part> = letters
        .iter()
        .zip(&sides)
        .map(|(letter, (title, _))| Part::Text { text: format!("{letter}: {title}"), indent: "   " })
        .collect();
    for (letters, sides) in letters.chunks(MOST).zip(sides.chunks(MOST)) {
        parts.push(Part::Text { text: String::new(), indent: "" });
        parts.push(Part::Table(grid(letters, sides)));
    }
    lay_out(parts, medium)
}

/// A, B, …, Z, AA, AB, …
fn letter(index: usize) -> String {
    let last = char::from(b'A' + (index % 26) as u8);
    if index < 26 { last.to_string() } else { format!("{}{last}", letter(index / 26 - 1)) }
}

fn title(name: &str, records: &[Record], toolchain: Toolchain) -> String {
    let Some(first) = records.iter().find(|row| row.toolchain() == Some(toolchain)) else { return name.to_owned() };
    let day = first.date.get(..10).unwrap_or(&first.date);
    let through = toolchain.title();
    let facts = [first.device.as_str(), &through, &first.driver, day];
    let facts: Vec<&str> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    format!("{} ({name})", facts.join(", "))
}

/// The figures of one toolchain, by name, in the order of the summary.
fn figures(records: &[Record], toolchain: Toolchain) -> Vec<(String, String)> {
    let rows: Vec<&Record> = records.iter().filter(|row| row.toolchain() == Some(toolchain)).collect();
    let mut figures: Vec<(String, String)> = Vec::new();
    let mut add = |name: String, text: Option<String>| figures.extend(text.map(|text| (name, text)));
    for space in spaces(&rows) {
        let name = &space.name;
        add(format!("{name} read"), space.read.and_then(quoted_rate));
        add(format!("{name} copy"), space.copy.and_then(quoted_rate));
        add(format!("{name} latency"), space.latency.and_then(quoted_time));
        add(format!("{name} size"), space.size.map(|(least, most)| binary_range(least, most)));
        add(format!("{name} banks"), space.banks.map(|banks| banks.to_string()));
    }
    for peak in peaks(&rows) {
        match peak.limit {
            Limit::Fma | Limit::Tensor => {
                let name = if peak.limit == Limit::Tensor {
                    arithmetic_name(&peak)
                } else {
                    format!("FMA {}", arithmetic_name(&peak))
                };
                add(name, peak.gflop_per_s.and_then(|rate| operations(&peak, rate)));
            }
            Limit::Launch => add("launch".to_owned(), peak.ns.and_then(quoted_time)),
            Limit::Copy | Limit::Read | Limit::Fill | Limit::Workgroup => {}
        }
    }
    for best in best(&rows) {
        add(best.job.name.to_owned(), Some(job_rate(best.row)));
    }
    figures
}

fn grid(letters: &[String], sides: &[(String, Vec<(String, String)>)]) -> Grid {
    // A name that the sides before lack stands behind the one that precedes it in its own side.
    let mut names: Vec<&String> = Vec::new();
    for (_, figures) in sides {
        let mut at = 0;
        for (name, _) in figures {
            at = names.iter().position(|known| *known == name).unwrap_or_else(|| {
                names.insert(at, name);
                at
            }) + 1;
        }
    }
    let cell = |figures: &[(String, String)], name: &String| {
        figures.iter().find(|(known, _)| known == name).map_or_else(|| "–".to_owned(), |(_, text)| text.clone())
    };
    let row = |name: &&String| Row {
        group: String::new(),
        mark: Mark::None,
        name: (*name).clone(),
        cells: sides.iter().map(|(_, figures)| cell(figures, name).into()).collect(),
    };
    Grid {
        columns: letters.iter().map(|letter| Column { heading: letter.clone(), is_right: true }).collect(),
        widest_name: None,
        note: None,
        has_marks: false,
        rows: names.iter().map(row).collect(),
    }
}
