//! Groups rows by family and adds findings.

use std::collections::HashMap;
use std::hash::Hash;

use kernels::claims::finding;
use kernels::{FAMILIES, articles};
use record::Record;
use record::claim::Finding;
use record::format::distinct;
use record::suite::{Api, Dtype, Extent, Family, Toolchain};

/// The rows of one family and their findings.
pub struct Section<'a> {
    /// Family name, or another title.
    pub title: &'a str,
    /// What the family does, in one sentence.
    pub summary: &'a str,
    /// Findings on this device, each with the API and compiler of its rows.
    pub findings: Vec<(Toolchain<'a>, Finding)>,
    /// Rows in order.
    pub rows: Vec<&'a Record>,
    /// Whether rows are grouped by kernel (ceilings) rather than by type and size.
    pub is_by_kernel: bool,
}

/// The APIs of `records`, in order of first occurrence.
pub fn apis<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<Api> {
    distinct(records.into_iter().filter_map(|record| record.backend))
}

/// The pairs of API and compiler of `records`, in order of first occurrence.
pub fn toolchains<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<Toolchain<'a>> {
    distinct(records.into_iter().filter_map(Record::toolchain))
}

/// The findings of a family's rows, separately for each API and compiler.
#[must_use]
pub fn findings<'a>(family: &str, rows: &[&'a Record]) -> Vec<(Toolchain<'a>, Finding)> {
    let found = |toolchain: Toolchain<'a>| {
        let of_toolchain: Vec<_> = rows.iter().copied().filter(|row| row.toolchain() == Some(toolchain)).collect();
        Some((toolchain, finding(family, &of_toolchain)?))
    };
    toolchains(rows.iter().copied()).into_iter().filter_map(found).collect()
}

/// The families in reading order: ceilings, the families of the articles' steps, then the others in the suite's order.
#[must_use]
pub fn families_in_reading_order() -> Vec<&'static Family> {
    let steps = articles::steps();
    let step = |family: &Family| {
        let first = family.benchmarks.first()?;
        let is_of = |kernel: &&str| kernel.split('/').next() == Some(family.name);
        steps.iter().position(|step| step.kernels.first().is_some_and(is_of) || step.shows(family.name, first.name))
    };
    let mut families = FAMILIES.to_vec();
    families.sort_by_key(|family| (family.name != "ceiling", step(family).unwrap_or(steps.len())));
    families
}

/// Sorts the rows of a family by type and size (by kernel if `is_by_kernel`), then by parameters as numbers. Types,
/// kernels and sets of parameters keep the order in which they first occur.
pub fn sort_rows(rows: &mut [&Record], is_by_kernel: bool) {
    let mut order = Order::default();
    rows.sort_by_cached_key(|row| order.key(row, is_by_kernel));
}

/// Sorts the rows of each card, API and compiler like the tables of a run. Cards, APIs and compilers keep their order.
pub fn sort_records(records: &mut [Record]) {
    let families = families_in_reading_order();
    let (mut order, mut sides, mut others) = (Order::default(), Numbered::default(), Numbered::default());
    records.sort_by_cached_key(|row| {
        let route = (row.backend, row.compiler.clone(), row.driver.clone());
        let card = (row.device.clone(), row.card_id().host.to_owned(), row.card.clone());
        let side = (card, route, row.tool_version.clone());
        let known = families.iter().position(|family| family.name == row.family);
        let family = known.unwrap_or_else(|| families.len() + others.index(row.family.clone()));
        let is_by_kernel = known.is_some_and(|known| families[known].is_by_kernel);
        (sides.index(side), family, order.key(row, is_by_kernel))
    });
}

/// The order of first occurrence.
#[derive(Default)]
struct Order {
    dtypes: Numbered<Option<Dtype>>,
    kernels: Numbered<(String, String)>,
    sets: Numbered<Vec<String>>,
}

/// Sort key in a family: kernel (in a table by kernel), type, size, kernel; number, set and values of the parameters.
type Key = ((Option<usize>, usize, Option<(u64, Extent)>, usize), (usize, usize, Vec<i64>));

impl Order {
    fn key(&mut self, row: &Record, is_by_kernel: bool) -> Key {
        let kernel = self.kernels.index((row.family.clone(), row.benchmark.clone()));
        let size = row.n.map(|n| (n.count(), n));
        let group = (is_by_kernel.then_some(kernel), self.dtypes.index(row.dtype), size, kernel);
        let set = self.sets.index(row.params.keys().cloned().collect());
        // Fewest parameters first: a kernel without any is the reference for its variants.
        (group, (row.params.len(), set, row.params.values().copied().map(numeric).collect()))
    }
}

/// Numbers values by their first occurrence.
pub struct Numbered<T> {
    /// The values in their order.
    pub all: Vec<T>,
    indices: HashMap<T, usize>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self { all: Vec::new(), indices: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    /// The index of `thing`, which is added if new.
    pub fn index(&mut self, thing: T) -> usize {
        *self.indices.entry(thing).or_insert_with_key(|thing| {
            self.all.push(thing.clone());
            self.all.len() - 1
        })
    }
}

/// An integer that sorts like the value by [`f64::total_cmp`]; NaN is last.
const fn numeric(value: f64) -> i64 {
    let bits = value.to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

/// One section per family with rows, in reading order, with sorted rows; families outside the suite come last.
#[must_use]
pub fn sections(records: &[Record]) -> Vec<Section<'_>> {
    let known = families_in_reading_order().into_iter();
    let known = known.map(|family| (family.name, family.summary, family.is_by_kernel));
    let others = other_families(records).into_iter().map(|name| (name, "", false));
    let section = |(title, summary, is_by_kernel)| {
        let mut rows: Vec<_> = records.iter().filter(|record| record.family == title).collect();
        let findings = findings(title, &rows);
        sort_rows(&mut rows, is_by_kernel);
        Section { title, summary, findings, rows, is_by_kernel }
    };
    known.chain(others).map(section).filter(|section| !section.rows.is_empty()).collect()
}

/// The families that are not in the suite, in order of first occurrence: those of `bench` and of other versions.
pub fn other_families<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<&'a str> {
    let names = records.into_iter().map(|row| row.family.as_str());
    distinct(names.filter(|name| FAMILIES.iter().all(|family| family.name != *name)))
}
