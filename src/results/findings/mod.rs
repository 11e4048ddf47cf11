//! Findings: statements about a device, each computed from the rows of one family, in one file per family.

mod atomics;
pub mod bank_conflict;
mod barrier;
pub mod cache_curve;
mod ceiling;
mod coalescing;
mod finding;
mod histogram;
mod matmul;
mod memory_spaces;
mod pitched;
mod query;
mod reduction;
mod roofline;
mod safety_tax;
mod scan;
mod stream;
mod sum_of_cubes;
mod texture;
mod transfer;
mod transpose;
mod workgroup_memory;

pub use finding::{Finding, Quantity};

use super::record::{Record, low_noise};

/// Computes a family's finding from its rows of one device through one API, if they show one.
type Find = fn(&[&Record]) -> Option<Finding>;

const FINDINGS: &[(&str, Find)] = &[
    ("atomics", atomics::find),
    ("bank_conflict", bank_conflict::find),
    ("barrier", barrier::find),
    ("cache_curve", cache_curve::find),
    ("ceiling", ceiling::find),
    ("coalescing", coalescing::find),
    ("histogram", histogram::find),
    ("matmul", matmul::find),
    ("memory_spaces", memory_spaces::find),
    ("pitched", pitched::find),
    ("reduction", reduction::find),
    ("roofline", roofline::find),
    ("safety_tax", safety_tax::find),
    ("scan", scan::find),
    ("stream", stream::find),
    ("sum_of_cubes", sum_of_cubes::find),
    ("texture", texture::find),
    ("transfer", transfer::find),
    ("transpose", transpose::find),
    ("workgroup_memory", workgroup_memory::find),
];

/// What the rows of a family show of one device through one API. Rows with an interval wider than ±10 % are left out;
/// `None` where too many are, or where too few were measured.
#[must_use]
pub fn finding(family: &str, rows: &[&Record]) -> Option<Finding> {
    let (_, find) = FINDINGS.iter().find(|(name, _)| *name == family)?;
    find(&low_noise(rows)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::FAMILIES;

    #[test]
    fn every_finding_is_of_a_family_and_needs_rows() {
        for (name, find) in FINDINGS {
            assert!(FAMILIES.iter().any(|family| family.name == *name), "{name}");
            assert_eq!(find(&[]), None, "{name}");
        }
    }
}
