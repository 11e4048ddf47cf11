//! Groups and sorts the rows of a comparison.

use super::sentences::name;
use super::view::Sort;
use crate::answers::compare::{CaseComparison, Comparison};

/// The rows of one table: one family, or all families.
pub(super) struct Group<'a, 'b> {
    pub(super) family: Option<&'a str>,
    pub(super) cases: Vec<&'b CaseComparison<'a>>,
}

pub(super) fn groups<'a, 'b>(comparison: &'b Comparison<'a>, sort: Sort) -> Vec<Group<'a, 'b>> {
    if sort == Sort::Family {
        let of = |family: &'a str| comparison.cases_of(family).iter().collect();
        return comparison
            .families()
            .into_iter()
            .map(|family| Group { family: Some(family), cases: of(family) })
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
