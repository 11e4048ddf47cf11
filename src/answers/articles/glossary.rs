//! The glossary as a table.

use super::terms::GLOSSARY;
use crate::report::layout::{DIM, Medium, padded, paint, wrap};
use crate::report::markdown::table;

/// Headings of the columns.
const HEADINGS: [&str; 3] = ["CUDA", "WGSL, WebGPU", "note"];
/// Width of the first two columns with the gaps after them.
const WIDTHS: [usize; 2] = [29, 26];
/// Least width of the notes.
const LEAST: usize = 20;

/// CUDA's names beside WGSL's; in Markdown, `docs/glossary.md`.
#[must_use]
pub fn glossary(medium: Medium) -> String {
    let Medium::Terminal(terminal) = medium else { return page() };
    let indent = WIDTHS.iter().sum::<usize>();
    let line = |[cuda, wgsl, note]: [&str; 3]| {
        let note = wrap(note, terminal.width.saturating_sub(indent).max(LEAST), "");
        let note = note.replace('\n', &format!("\n{:indent$}", ""));
        format!("{}{}{note}", padded(cuda, WIDTHS[0]), padded(wgsl, WIDTHS[1]))
    };
    let headings = paint(terminal, DIM, &line(HEADINGS));
    let lines = GLOSSARY.iter().map(|term| line([term.cuda, term.wgsl, term.note]));
    [headings].into_iter().chain(lines).map(|line| line + "\n").collect()
}

fn page() -> String {
    let rows: Vec<Vec<String>> =
        GLOSSARY.iter().map(|term| [term.cuda, term.wgsl, term.note].map(str::to_owned).into()).collect();
    let table = table(&HEADINGS.map(str::to_owned), &[false; 3], &rows);
    format!("# Glossary: CUDA and WGSL\n\n`shaderbench explain glossary` prints this table.\n\n{table}")
}
