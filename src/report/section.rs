//! Rows by family, with their findings.

use crate::backend::Api;
use crate::families::FAMILIES;
use crate::results::Record;
use crate::results::findings::{Finding, finding};

/// The rows of a family, and what they show.
pub struct Section<'a> {
    /// Name of the family, or another title.
    pub title: &'a str,
    /// One sentence: what the family does.
    pub summary: &'a str,
    /// Findings on this device, each with the API through which its rows were measured.
    pub findings: Vec<(Api, Finding)>,
    /// Its rows, in order.
    pub rows: Vec<&'a Record>,
    /// Whether rows are grouped by kernel (ceilings) rather than by type and size.
    pub is_by_kernel: bool,
}

/// The APIs that `records` were measured through, in the order in which they occur.
pub fn apis<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<Api> {
    let mut apis: Vec<Api> = Vec::new();
    for api in records.into_iter().filter_map(|record| record.backend) {
        if !apis.contains(&api) {
            apis.push(api);
        }
    }
    apis
}

/// The findings of a family's rows, each API for itself.
#[must_use]
pub fn findings(family: &str, rows: &[&Record]) -> Vec<(Api, Finding)> {
    let found = |api: Api| {
        let own: Vec<_> = rows.iter().copied().filter(|row| row.backend == Some(api)).collect();
        Some((api, finding(family, &own)?))
    };
    apis(rows.iter().copied()).into_iter().filter_map(found).collect()
}

/// A section for each family that has rows, in the order of the suite.
#[must_use]
pub fn sections(records: &[Record]) -> Vec<Section<'_>> {
    let section = |family: &&'static crate::suite::Family| {
        let rows: Vec<_> = records.iter().filter(|record| record.family == family.name).collect();
        let findings = findings(family.name, &rows);
        Section { title: family.name, summary: family.summary, findings, rows, is_by_kernel: family.is_by_kernel }
    };
    FAMILIES.iter().map(section).filter(|section| !section.rows.is_empty()).collect()
}
