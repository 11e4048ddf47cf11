//! The cost of unaligned, strided and shared reads.

use super::finding::{Draft, Finding};
use super::query::{has_params, largest, of};
use crate::families::coalescing::{addresses, degree_of_coalescing};
use crate::results::Record;

/// A benchmark with its parameters.
type Named<'a> = (&'a str, &'a [(&'a str, f64)]);

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let measured = |(benchmark, params): Named| -> Vec<&Record> {
        of(rows, benchmark).filter(|row| row.median_ns.is_some() && has_params(row, params)).collect()
    };
    // Speed relative to `base`, at the largest size of `base`.
    let speed = |own: Named, base: Named| {
        let base = largest(measured(base).into_iter())?;
        let own = measured(own).into_iter().rfind(|row| row.n == base.n)?;
        Some(base.median_ns? / own.median_ns?)
    };
    let mut draft = Draft::default();
    let mut text = Vec::new();
    if let Some(speed) = speed(("offset", &[("OFFSET", 1.0)]), ("offset", &[("OFFSET", 0.0)])) {
        let model = 100.0 * degree_of_coalescing(&addresses(1, 1), 4);
        let speed = draft.percent("offset 1", speed);
        text.push(format!(
            "An offset of one element leaves {speed} of the aligned speed (sectors alone: {model:.0} %)."
        ));
    }
    let strides = [2, 8, 32].into_iter().filter_map(|stride| {
        let speed = speed(("stride", &[("STRIDE", stride as f64)]), ("stride", &[("STRIDE", 1.0)]))?;
        let degree = 100.0 * degree_of_coalescing(&addresses(stride, 0), 4);
        let speed = draft.percent(format!("stride {stride}"), speed);
        Some(format!("stride {stride} {speed} (degree of coalescing {degree:.1} %)"))
    });
    let strides: Vec<String> = strides.collect();
    if !strides.is_empty() {
        text.push(format!("Speed relative to stride 1: {}.", strides.join(", ")));
    }
    if let Some(speed) = speed(("broadcast_uniform", &[]), ("broadcast_storage", &[])) {
        let speed = draft.times("broadcast from a uniform buffer", speed);
        text.push(format!(
            "Reading a shared element from a uniform buffer runs at {speed} the speed of reading it from a storage \
             buffer."
        ));
    }
    draft.finish(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Extent;

    #[test]
    fn rows_of_one_size_are_compared() {
        let row = |benchmark: &str, (name, value): (&str, f64), n: u64, median_ns| Record {
            benchmark: benchmark.to_owned(),
            params: [(name.to_owned(), value)].into(),
            n: Some(Extent::Linear(n)),
            median_ns: Some(median_ns),
            ..Record::default()
        };
        let rows = [
            row("offset", ("OFFSET", 0.0), 4096, 10.0),
            row("offset", ("OFFSET", 1.0), 4096, 20.0),
            row("offset", ("OFFSET", 0.0), 8192, 30.0),
            row("offset", ("OFFSET", 1.0), 8192, 40.0),
            row("stride", ("STRIDE", 1.0), 1024, 10.0),
            row("stride", ("STRIDE", 8.0), 1024, 40.0),
        ];
        let found = find(&rows.iter().collect::<Vec<_>>()).expect("enough rows");
        assert_eq!(
            found.text,
            "An offset of one element leaves 75 % of the aligned speed (sectors alone: 80 %). Speed relative to stride \
             1: stride 8 25 % (degree of coalescing 12.5 %)."
        );
    }
}
