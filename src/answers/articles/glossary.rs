//! The glossary as a table.

use super::terms::Term;
use crate::report::layout::{Medium, headed};
use crate::report::markdown::table;

const HEADINGS: [&str; 3] = ["CUDA", "WGSL, WebGPU", "note"];

/// The terms with CUDA's and WGSL's names side by side. All terms in Markdown are `docs/glossary.md`.
#[must_use]
pub fn glossary(terms: &[Term], medium: Medium) -> String {
    let row = |term: &Term| [term.cuda, term.wgsl, term.note].map(str::to_owned).into();
    let rows: Vec<Vec<String>> = terms.iter().map(row).collect();
    match medium {
        Medium::Terminal(terminal) => headed(&HEADINGS, rows, terminal) + "\n",
        Medium::Markdown => {
            let table = table(&HEADINGS.map(str::to_owned), &[false; 3], &rows);
            format!("# Glossary: CUDA and WGSL\n\n`shaderbench explain glossary` prints this table.\n\n{table}")
        }
    }
}
