//! Findings: statements about a device, each computed from the rows of one family, in one file per family.
//!
//! [`claims`] lists them: what each says, which rows it follows from, and when it is printed.

mod atomics;
mod attention;
pub mod bank_conflict;
mod barrier;
pub mod cache_curve;
mod ceiling;
mod claim;
mod coalescing;
mod estimate;
mod finding;
mod gemv;
mod given;
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
mod softmax;
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
pub(in crate::results) use given::without_given;

use std::ops::RangeInclusive;

use crate::record::Record;
use crate::record::times::POSSIBLE;

/// The claims of each family, in the order of their sentences.
const CLAIMS: &[(&str, &[Claim])] = &[
    ("atomics", atomics::CLAIMS),
    ("attention", attention::CLAIMS),
    ("bank_conflict", bank_conflict::CLAIMS),
    ("barrier", barrier::CLAIMS),
    ("cache_curve", cache_curve::CLAIMS),
    ("ceiling", ceiling::CLAIMS),
    ("coalescing", coalescing::CLAIMS),
    ("gemv", gemv::CLAIMS),
    ("histogram", histogram::CLAIMS),
    ("matmul", matmul::CLAIMS),
    ("memory_spaces", memory_spaces::CLAIMS),
    ("pitched", pitched::CLAIMS),
    ("reduction", reduction::CLAIMS),
    ("rmsnorm", softmax::OF_RMSNORM),
    ("roofline", roofline::CLAIMS),
    ("safety_tax", safety_tax::CLAIMS),
    ("scan", scan::CLAIMS),
    ("softmax", softmax::CLAIMS),
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
    let rows: Vec<&Record> = rows.iter().copied().filter(|row| is_possible(row)).collect();
    let (rows, given) = without_given(&rows);
    let rows: Vec<&Record> = rows.iter().map(AsRef::as_ref).collect();
    let stated: Vec<Finding> = claims.iter().filter_map(|claim| claim.stated(&rows)).collect();
    let text = stated.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(" ");
    let values = stated.into_iter().flat_map(|one| one.values).collect();
    let with = if given.is_empty() { String::new() } else { format!("With {given}: ") };
    (!text.is_empty()).then(|| Finding { text: with + text.as_str(), values })
}

/// Whether the row's figures are such that no sentence divides by zero or overflows. Others are errors in the report.
fn is_possible(row: &Record) -> bool {
    const RATES: RangeInclusive<f64> = 1e-9..=1e12;
    const LARGEST: f64 = 1e15;
    let within = |range: RangeInclusive<f64>, figures: &[Option<f64>]| {
        figures.iter().flatten().all(|figure| range.contains(figure))
    };
    let others = [row.share, row.share_low, row.share_high, row.model, row.drift, row.noise_within, row.noise_between];
    within(POSSIBLE, &[row.median_ns, row.ci_low_ns, row.ci_high_ns])
        && within(0.0..=*POSSIBLE.end(), &[row.min_ns, row.mean_ns, row.stddev_ns, row.end_to_end_ns, row.in_kernel_ns])
        && within(RATES, &[row.gb_per_s, row.gflop_per_s])
        && within(-LARGEST..=LARGEST, &others)
        && row.params.values().all(|value| value.abs() <= LARGEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::FAMILIES;

    #[test]
    fn a_row_with_an_impossible_figure_supports_no_claim() {
        let row = Record { median_ns: Some(5.0), gb_per_s: Some(1.0), ..Record::default() };
        assert!(is_possible(&row) && is_possible(&Record::default()));
        for wrong in [
            Record { gb_per_s: Some(0.0), ..row.clone() },
            Record { gb_per_s: Some(1e308), ..row.clone() },
            Record { median_ns: Some(1e-300), ..row.clone() },
            Record { model: Some(1e300), ..row.clone() },
            Record { params: [("STRIDE".to_owned(), 1e308)].into(), ..row.clone() },
        ] {
            assert!(!is_possible(&wrong), "{wrong:?}");
        }
    }

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
