//! Options of a printed comparison, and the order of its rows.

use super::sentences::name;
use crate::compare::{CaseComparison, Comparison};
use crate::report::layout::Terminal;

/// The output format of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(not(target_family = "wasm"), derive(clap::ValueEnum))]
pub enum OutputFormat {
    /// A table for a terminal
    #[default]
    Table,
    /// GitHub Markdown, for a pull request
    Markdown,
    /// All data of the comparison
    Json,
}

/// The order of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(not(target_family = "wasm"), derive(clap::ValueEnum))]
pub enum Sort {
    /// By family, in the order of the tables of a run
    #[default]
    Family,
    /// By name
    Name,
    /// Largest slow-down first
    Ratio,
    /// Largest change first, in either direction
    Change,
}

/// What to print of a comparison, and how.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Width and colours of the terminal, for tables.
    pub terminal: Terminal,
    /// The order of the rows.
    pub sort: Sort,
    /// Whether a table shows every row; otherwise only changed kernels, the largest slow-down first, above the totals.
    pub has_all_rows: bool,
    /// Families whose rows are grouped by kernel rather than by type and size.
    pub by_kernel: &'a [&'a str],
    /// The limit of --fail-on-regression as a fraction: 0.05 = 5 %.
    pub limit: Option<f64>,
}

pub(super) struct Group<'a, 'b> {
    pub(super) family: Option<&'a str>,
    pub(super) cases: Vec<&'b CaseComparison<'a>>,
}

pub(super) fn groups<'a, 'b>(comparison: &'b Comparison<'a>, sort: Sort) -> Vec<Group<'a, 'b>> {
    if sort == Sort::Family {
        let cases = |family: &'a str| comparison.cases_of(family).iter().collect();
        return comparison
            .families()
            .into_iter()
            .map(|family| Group { family: Some(family), cases: cases(family) })
            .collect();
    }
    let mut cases: Vec<&CaseComparison> = comparison.cases.iter().collect();
    // Cases without a ratio come last.
    let ratios = |case: &CaseComparison| case.pairs.values().map(|pair| pair.ratio.value).collect::<Vec<_>>();
    let lowest = |case: &CaseComparison| ratios(case).into_iter().fold(f64::INFINITY, f64::min);
    let change =
        |case: &CaseComparison| ratios(case).into_iter().map(|ratio| -ratio.ln().abs()).fold(f64::INFINITY, f64::min);
    match sort {
        Sort::Family => {}
        Sort::Name => cases.sort_by_cached_key(|case| name(case)),
        Sort::Ratio => cases.sort_by(|a, b| lowest(a).total_cmp(&lowest(b))),
        Sort::Change => cases.sort_by(|a, b| change(a).total_cmp(&change(b))),
    }
    vec![Group { family: None, cases }]
}
