//! The glossary as a table.

use super::terms::GLOSSARY;
use crate::report::layout::{Medium, headed};
use crate::report::markdown::table;

/// Headings of the columns.
const HEADINGS: [&str; 3] = ["CUDA", "WGSL, WebGPU", "note"];

/// CUDA's names beside WGSL's; in Markdown, `docs/glossary.md`.
#[must_use]
pub fn glossary(medium: Medium) -> String {
    match medium {
        Medium::Terminal(terminal) => headed(&HEADINGS, rows(), terminal) + "\n",
        Medium::Markdown => page(),
    }
}

fn rows() -> Vec<Vec<String>> {
    GLOSSARY.iter().map(|term| [term.cuda, term.wgsl, term.note].map(str::to_owned).into()).collect()
}

fn page() -> String {
    let table = table(&HEADINGS.map(str::to_owned), &[false; 3], &rows());
    format!("# Glossary: CUDA and WGSL\n\n`shaderbench explain glossary` prints this table.\n\n{table}")
}
