//! The claims that a family's rows support.

use super::given::without_given;
use super::{MEASURED, is_library};
use record::Record;
use record::claim::{DeviceRows, Finding, Own, Stated};

/// Every claim of the suite itself, not of an article, with its family.
pub fn measured() -> impl Iterator<Item = (&'static str, &'static Own)> {
    MEASURED.iter().flat_map(|(family, claims)| claims.iter().map(move |claim| (*family, claim)))
}

/// The claims that a family's rows, of one device through one API, support; `None` if there are none. Rows of libraries
/// are ignored: they are for comparison only.
#[must_use]
pub fn finding(family: &str, rows: &[&Record]) -> Option<Finding> {
    let rows: Vec<&Record> = rows.iter().copied().filter(|row| !is_library(row)).collect();
    let (rows, given) = without_given(&rows);
    let rows: Vec<&Record> = rows.iter().map(AsRef::as_ref).collect();
    let sheet = DeviceRows::new(&rows);
    let measured_here = measured().filter(|(name, _)| *name == family);
    let stated: Vec<Stated> = measured_here.filter_map(|(_, claim)| claim.stated(&sheet)).collect();
    (!stated.is_empty()).then_some(Finding { given, stated })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FAMILIES;

    #[test]
    fn every_family_has_claims_that_need_rows() {
        for family in FAMILIES {
            assert!(measured().any(|(name, _)| name == family.name), "{}", family.name);
            assert_eq!(finding(family.name, &[]), None, "{}", family.name);
        }
    }

    #[test]
    fn every_claim_has_its_own_name() {
        let mut seen = std::collections::BTreeSet::new();
        for (family, claim) in measured() {
            assert!(!claim.name().is_empty() && seen.insert((family, claim.name())), "{family}: {}", claim.name());
        }
    }
}
