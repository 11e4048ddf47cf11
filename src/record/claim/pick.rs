use std::collections::BTreeMap;

use super::pair::level;
use crate::suite::{Dtype, Extent};
use crate::{Record, byte_rate, flop_rate, ranking, stats::Estimate};

/// Rows of a benchmark.
pub fn of<'a>(rows: &[&'a Record], benchmark: &str) -> impl Iterator<Item = &'a Record> + Clone {
    rows.iter().copied().filter(move |row| row.benchmark == benchmark)
}

/// Scalars of the row's size; 0 if it has none.
pub fn scalars(row: &Record) -> u64 {
    row.n.map_or(0, Extent::count)
}

/// A number of scalars as tables write a size.
pub fn short(scalars: u64) -> String {
    Extent::Linear(scalars).short()
}

/// Whether a row is of f32.
pub fn is_f32(row: &Record) -> bool {
    row.dtype == Some(Dtype::F32)
}

/// The row with the largest size; the last of equals.
pub fn largest<'a>(rows: impl Iterator<Item = &'a Record>) -> Option<&'a Record> {
    rows.max_by_key(|row| scalars(row))
}

/// A row's figure; `None` for a row without an interval.
pub type Figure = fn(&Record) -> Option<Estimate>;

/// The row with the highest figure, and those that tie with it by [`ranking()`].
#[derive(Clone)]
pub struct Fastest<'a> {
    /// The fastest row.
    pub row: &'a Record,
    /// The row's figure.
    pub rate: Estimate,
    /// The rows that tie, with their figures.
    pub ties: Vec<(&'a Record, Estimate)>,
}

impl Fastest<'_> {
    /// Whether no other row ties.
    pub const fn is_certain(&self) -> bool {
        self.ties.is_empty()
    }

    /// The subject of a sentence, and the rate: `tiled is fastest at`, `tiled and naive tie for fastest at`.
    pub fn named(&self, label: fn(&Record) -> String) -> (String, Estimate) {
        let mut names = vec![label(self.row)];
        names.extend(self.ties.iter().map(|(row, _)| label(row)));
        let rates: Vec<Estimate> = [self.rate].into_iter().chain(self.ties.iter().map(|tie| tie.1)).collect();
        (first_by("fastest", &names), level(&rates).unwrap_or(self.rate))
    }
}

/// The subject of a sentence about the first of a ranking: `tiled and naive tie for fastest at`.
pub fn first_by(word: &str, names: &[String]) -> String {
    match names {
        [one] => format!("{one} is {word} at"),
        [first, second] => format!("{first} and {second} tie for {word} at"),
        [first, second, third] => format!("{first}, {second} and {third} tie for {word} at"),
        many => format!("the {} {word} cases tie at", many.len()),
    }
}

/// The row with the highest figure.
pub fn fastest<'a>(rows: impl Iterator<Item = &'a Record>, figure: Figure) -> Option<Fastest<'a>> {
    let timed = rows.filter_map(|row| Some((row, figure(row)?))).map(|(row, rate)| ((row, rate), rate.recip()));
    let ranking = ranking(timed)?;
    let (row, rate) = ranking.best;
    Some(Fastest { row, rate, ties: ranking.ties.into_iter().map(|(tie, _)| tie).collect() })
}

/// The fastest of the largest rows that have the figure.
pub fn fastest_of_largest<'a>(rows: impl Iterator<Item = &'a Record> + Clone, figure: Figure) -> Option<Fastest<'a>> {
    let measured = rows.filter(|row| figure(row).is_some());
    let most = scalars(largest(measured.clone())?);
    fastest(measured.filter(|row| scalars(row) == most), figure)
}

/// [`fastest_of_largest`] by bytes per second.
pub fn fastest_bytes<'a>(rows: impl Iterator<Item = &'a Record> + Clone) -> Option<Fastest<'a>> {
    fastest_of_largest(rows, byte_rate)
}

/// [`fastest_of_largest`] by operations per second.
pub fn fastest_flops<'a>(rows: impl Iterator<Item = &'a Record> + Clone) -> Option<Fastest<'a>> {
    fastest_of_largest(rows, flop_rate)
}

/// A parameter of the row.
pub fn param(row: &Record, name: &str) -> Option<f64> {
    row.params.get(name).copied()
}

const WORKGROUP_SIZE: &str = "WG";

/// Whether the row has exactly these parameters, apart from its workgroup size.
pub fn has_params(row: &Record, params: &[(&str, f64)]) -> bool {
    let others: BTreeMap<&str, f64> = row
        .params
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .filter(|pair| pair.0 != WORKGROUP_SIZE)
        .collect();
    others == params.iter().copied().collect()
}

/// The row of a benchmark with these parameters, of the type and size of `like`.
pub fn like<'a>(rows: &[&'a Record], benchmark: &str, params: &[(&str, f64)], like: &Record) -> Option<&'a Record> {
    of(rows, benchmark).find(|row| row.dtype == like.dtype && row.n == like.n && has_params(row, params))
}

/// The benchmark and its parameters: `tiled (PAD=1)`.
pub fn label(row: &Record) -> String {
    let params = row.params_text();
    if params.is_empty() { row.benchmark.clone() } else { format!("{} ({params})", row.benchmark) }
}

/// The benchmark without its parameters.
pub fn benchmark(row: &Record) -> String {
    row.benchmark.clone()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn row(benchmark: &str, rate: f64, noise: f64) -> Record {
        Record {
            benchmark: benchmark.to_owned(),
            n: Some(Extent::Linear(1)),
            samples: Some(20),
            median_ns: Some(1e9 / rate),
            ci_low_ns: Some(1e9 / rate * (1.0 - noise)),
            ci_high_ns: Some(1e9 / rate * (1.0 + noise)),
            gb_per_s: Some(rate),
            epochs_ns: vec![1e9 / rate; 3],
            ..Record::default()
        }
    }

    fn subject(rows: &[Record]) -> String {
        fastest_bytes(rows.iter()).expect("rows").named(label).0
    }

    #[test]
    fn the_fastest_is_named_only_if_no_other_ties() {
        let mut rows = vec![row("a", 100.0, 0.01), row("b", 90.0, 0.01)];
        assert_eq!(subject(&rows), "a is fastest at");
        rows[1] = row("b", 99.0, 0.01);
        assert_eq!(subject(&rows), "a and b tie for fastest at");
        rows[1] = row("b", 60.0, 0.6);
        assert_eq!(subject(&rows), "a and b tie for fastest at");
        rows.extend([row("c", 99.5, 0.01), row("d", 99.5, 0.01)]);
        assert_eq!(subject(&rows), "the 4 fastest cases tie at");
        rows[0].ci_low_ns = None;
        assert_eq!(subject(&rows), "c, d and b tie for fastest at");
    }
}
