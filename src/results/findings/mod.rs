//! Findings: statements about a device, each computed from the rows of one family, in one file per family.
//!
//! [`claims`] lists them: what each says, which rows it follows from, and when it is printed.

mod atomics;
pub mod bank_conflict;
mod barrier;
pub mod cache_curve;
mod ceiling;
mod claim;
mod coalescing;
mod estimate;
mod finding;
mod granule;
mod histogram;
mod levels;
mod matmul;
pub mod memory_spaces;
mod pitched;
#[cfg(test)]
mod planted;
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

pub use claim::Claim;
pub(in crate::results) use estimate::{byte_rate, flop_rate, is_software, share, time as time_of};
pub(in crate::results) use finding::Draft;
pub use finding::{Finding, Quantity};

use super::record::Record;

/// The claims of each family, in the order of their sentences.
const CLAIMS: &[(&str, &[Claim])] = &[
    ("atomics", atomics::CLAIMS),
    ("bank_conflict", bank_conflict::CLAIMS),
    ("barrier", barrier::CLAIMS),
    ("cache_curve", cache_curve::CLAIMS),
    ("ceiling", ceiling::CLAIMS),
    ("coalescing", coalescing::CLAIMS),
    ("histogram", histogram::CLAIMS),
    ("matmul", matmul::CLAIMS),
    ("memory_spaces", memory_spaces::CLAIMS),
    ("pitched", pitched::CLAIMS),
    ("reduction", reduction::CLAIMS),
    ("roofline", roofline::CLAIMS),
    ("safety_tax", safety_tax::CLAIMS),
    ("scan", scan::CLAIMS),
    ("stream", stream::CLAIMS),
    ("sum_of_cubes", sum_of_cubes::CLAIMS),
    ("texture", texture::CLAIMS),
    ("transfer", transfer::CLAIMS),
    ("transpose", transpose::CLAIMS),
    ("workgroup_memory", workgroup_memory::CLAIMS),
];

/// Every claim with its family: what a finding may say, which rows it follows from, and when.
pub fn claims() -> impl Iterator<Item = (&'static str, &'static Claim)> {
    CLAIMS.iter().flat_map(|(family, claims)| claims.iter().map(move |claim| (*family, claim)))
}

/// What the rows of a family show of one device through one API; `None` where they support no claim.
#[must_use]
pub fn finding(family: &str, rows: &[&Record]) -> Option<Finding> {
    let (_, claims) = CLAIMS.iter().find(|(name, _)| *name == family)?;
    let stated: Vec<Finding> = claims.iter().filter_map(|claim| claim.stated(rows)).collect();
    let text = stated.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(" ");
    let values = stated.into_iter().flat_map(|one| one.values).collect();
    (!text.is_empty()).then_some(Finding { text, values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::FAMILIES;

    #[test]
    fn every_claim_is_of_a_family_and_needs_rows() {
        for (name, claims) in CLAIMS {
            assert!(FAMILIES.iter().any(|family| family.name == *name), "{name}");
            assert_eq!(finding(name, &[]), None, "{name}");
            assert!(!claims.is_empty(), "{name}");
        }
    }

    #[test]
    fn every_claim_is_described() {
        let mut seen = std::collections::BTreeSet::new();
        for (family, claim) in claims() {
            assert!(seen.insert((family, claim.name)), "{family}: {} twice", claim.name);
            assert!(claim.rows.len() > 10 && claim.condition.len() > 10, "{family}: {}", claim.name);
        }
    }
}
