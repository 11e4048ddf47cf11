//! Parameters that `--param` set for a whole run: claims name only declared ones.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::benchmark;
use record::Record;
use record::suite::params_text;

/// Claims and tables have their own rules for the workgroup size.
const WORKGROUP_SIZE: &str = "WG";

/// Parameters set for the whole run: a benchmark's rows all have the same value, and it declares cases without it.
fn given(rows: &[&Record]) -> BTreeMap<String, f64> {
    let names: BTreeSet<&String> = rows.iter().flat_map(|row| row.params.keys()).collect();
    let value = |name: &String| {
        let holders: BTreeSet<&str> =
            rows.iter().filter(|row| row.params.contains_key(name)).map(|row| row.benchmark.as_str()).collect();
        let mut values =
            rows.iter().filter(|row| holders.contains(row.benchmark.as_str())).map(|row| row.params.get(name));
        let first = *values.next()??;
        let is_optional = |row: &&Record| {
            let known = benchmark(&row.family, &row.benchmark);
            known.is_some_and(|known| {
                let mut declared = known.cases.iter().flat_map(|cases| cases.params);
                declared.any(|params| params.iter().all(|(own, _)| own != name))
            })
        };
        let is_given = values.all(|value| value == Some(&first))
            && rows.iter().filter(|row| holders.contains(row.benchmark.as_str())).all(is_optional);
        is_given.then(|| (name.clone(), first))
    };
    names.into_iter().filter(|name| *name != WORKGROUP_SIZE).filter_map(value).collect()
}

/// The rows of one family without the parameters set for the whole run, and these as text: `HEIGHT=8`, or empty.
pub(super) fn without_given<'a>(rows: &[&'a Record]) -> (Vec<Cow<'a, Record>>, String) {
    let given = given(rows);
    let stripped = |row: &&'a Record| {
        if row.params.keys().all(|name| !given.contains_key(name)) {
            return Cow::Borrowed(*row);
        }
        let mut copy = (*row).clone();
        copy.params.retain(|name, _| !given.contains_key(name));
        Cow::Owned(copy)
    };
    (rows.iter().map(stripped).collect(), params_text(&given).replace(';', ", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::{found, row};
    use record::suite::{Dtype, Extent};

    fn transposed(benchmark: &str, params: &[(&str, f64)], ns: f64) -> Record {
        Record {
            family: "transpose".to_owned(),
            dtype: Some(Dtype::F32),
            n: Some(Extent::Matrix(1024, 1024)),
            gb_per_s: Some(8e6 / ns),
            ..row(benchmark, params, 1, ns)
        }
    }

    #[test]
    fn a_finding_does_not_vanish_where_a_parameter_is_given() {
        let rows = |height: &[(&str, f64)]| {
            [
                transposed("naive_coalesced_read", height, 2e6),
                transposed("naive_coalesced_write", height, 1e6),
                transposed("tiled", &[&[("PAD", 0.0)], height].concat(), 9e5),
                transposed("tiled", &[&[("PAD", 1.0)], height].concat(), 5e5),
                transposed("registers", &[], 4e5),
            ]
        };
        let default = found("transpose", &rows(&[])).expect("a finding").text();
        assert!(default.contains("With coalesced writes, the naive kernel is 2.00×"));
        assert!(default.contains("padded tile"));
        let given = found("transpose", &rows(&[("HEIGHT", 32.0)])).expect("a finding").text();
        assert_eq!(given, format!("With HEIGHT=32: {default}"));
        // With two reports in one, it is unknown which rows to compare. A declared parameter stays.
        let mixed = [rows(&[("HEIGHT", 32.0)]), rows(&[])].concat();
        assert!(!found("transpose", &mixed).expect("the fastest").text().starts_with("With HEIGHT"));
        let (stripped, text) = without_given(&mixed.iter().collect::<Vec<_>>());
        assert_eq!((stripped[3].params.get("PAD"), text.as_str()), (Some(&1.0), ""));
    }
}
