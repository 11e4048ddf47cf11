//! Groups rows by family, with findings.

use crate::backend::Api;
use crate::families::FAMILIES;
use crate::results::Record;
use crate::results::findings::{Finding, finding};

/// The rows of one family and their findings.
pub struct Section<'a> {
    /// Family name, or another title.
    pub title: &'a str,
    /// What the family does, in one sentence.
    pub summary: &'a str,
    /// Findings on this device, each with the API of its rows.
    pub findings: Vec<(Api, Finding)>,
    /// Rows in order.
    pub rows: Vec<&'a Record>,
    /// Whether rows are grouped by kernel (ceilings) rather than by type and size.
    pub is_by_kernel: bool,
}

/// The APIs of `records`, in order of first occurrence.
pub fn apis<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<Api> {
    let mut apis: Vec<Api> = Vec::new();
    for api in records.into_iter().filter_map(|record| record.backend) {
        if !apis.contains(&api) {
            apis.push(api);
        }
    }
    apis
}

/// The findings of a family's rows, separately for each API.
#[must_use]
pub fn findings(family: &str, rows: &[&Record]) -> Vec<(Api, Finding)> {
    let found = |api: Api| {
        let of_api: Vec<_> = rows.iter().copied().filter(|row| row.backend == Some(api)).collect();
        Some((api, finding(family, &of_api)?))
    };
    apis(rows.iter().copied()).into_iter().filter_map(found).collect()
}

/// One section per family that has rows, in the order of the suite.
#[must_use]
pub fn sections(records: &[Record]) -> Vec<Section<'_>> {
    let section = |family: &&'static crate::suite::Family| {
        let rows: Vec<_> = records.iter().filter(|record| record.family == family.name).collect();
        let findings = findings(family.name, &rows);
        Section { title: family.name, summary: family.summary, findings, rows, is_by_kernel: family.is_by_kernel }
    };
    FAMILIES.iter().map(section).filter(|section| !section.rows.is_empty()).collect()
}
