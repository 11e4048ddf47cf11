//! Which kernel of a family to use at which type and size, and how far behind the next one is.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::claim::time;
use crate::families::is_library;
use crate::record::stats::{self, Estimate};
use crate::record::{Record, Status, format};
use crate::report::layout::{Cell, Column, Grid, Mark, Part, Row};
use crate::report::toolchains;
use crate::suite::{Extent, Family, Tag, Toolchain, binary_size};

/// Rows that do the same work, with their times in nanoseconds, the fastest first.
pub(super) struct Ranked<'a>(Vec<(&'a Record, Estimate)>);

impl<'a> Ranked<'a> {
    /// Ranks `timed`; `None` for fewer than two.
    pub(super) fn new(mut timed: Vec<(&'a Record, Estimate)>) -> Option<Self> {
        timed.sort_by(|a, b| a.1.value.total_cmp(&b.1.value));
        (timed.len() > 1).then_some(Self(timed))
    }

    /// The row at a rank below two, of which there are always rows.
    pub(super) fn row(&self, rank: usize) -> &'a Record {
        self.0[rank].0
    }

    /// The time of the row at a rank over that of the fastest, with its 95 % interval.
    fn over_fastest(&self, rank: usize) -> Option<Estimate> {
        stats::ratio(self.0[rank].1, self.0[0].1)
    }

    /// The time of the next row over that of the fastest.
    pub(super) fn behind(&self) -> Option<Estimate> {
        self.over_fastest(1)
    }

    /// The rows that are not surely slower than the fastest.
    pub(super) fn rivals(&self) -> Vec<&'a Record> {
        let is_rival = |rank: &usize| self.over_fastest(*rank).is_none_or(|ratio| ratio.low <= 1.0);
        (1..self.0.len()).filter(is_rival).map(|rank| self.0[rank].0).collect()
    }
}

/// The kernels of a job.
struct Job<'a> {
    toolchain: Toolchain<'a>,
    dtype: &'static str,
    n: Extent,
    /// Parameters that all its kernels have: those of the input.
    given: BTreeMap<String, f64>,
    /// The bytes that it moves.
    bytes: Option<u64>,
    ranked: Ranked<'a>,
}

impl Job<'_> {
    /// Whether neither of the first two is surely faster.
    fn is_tied(&self) -> bool {
        self.ranked.behind().is_none_or(|ratio| ratio.low <= 1.0)
    }

    /// The name of a kernel without the parameters of the input: `tiled PAD=1`.
    fn name(&self, rank: usize) -> String {
        let row = self.ranked.row(rank);
        let own = row.params.iter().filter(|(name, _)| !self.given.contains_key(*name));
        let own = own.map(|(name, value)| format!(" {name}={value}"));
        std::iter::once(row.benchmark.clone()).chain(own).collect()
    }

    /// The next kernel: `tiled_vec4 +4.0 %`; `or tiled_vec4` where neither is surely faster.
    fn next(&self) -> String {
        let name = self.name(1);
        match self.ranked.behind() {
            Some(_) if self.is_tied() => format!("or {name}"),
            Some(ratio) if ratio.value >= 2.0 => format!("{name} {}", format::ratio(ratio.value)),
            Some(ratio) => format!("{name} +{} %", format::significant((ratio.value - 1.0) * 100.0, 2)),
            None => name,
        }
    }

    /// What the job is: `f32 PAIRS=1`.
    fn kind(&self) -> String {
        let given = self.given.iter().map(|(name, value)| format!(" {name}={value}"));
        std::iter::once(self.dtype.to_owned()).chain(given).collect()
    }
}

/// Whether the kernels of a family do the same job, so that one can be chosen.
fn has_choice(family: &Family) -> bool {
    family.tags.iter().any(|tag| matches!(tag, Tag::Primitive | Tag::Llm))
}

/// The jobs of a family's rows, by toolchain, type, size and input.
fn jobs<'a>(family: &Family, rows: &[&'a Record]) -> Vec<Job<'a>> {
    if !has_choice(family) {
        return Vec::new();
    }
    let mut jobs = Vec::new();
    for toolchain in toolchains(rows.iter().copied()) {
        let own: Vec<(&Record, Estimate)> = rows
            .iter()
            .filter(|row| row.toolchain() == Some(toolchain) && row.status == Status::Ok && !is_library(row))
            .filter_map(|row| Some((*row, time(row)?)))
            .collect();
        let kernels: BTreeSet<&str> = own.iter().map(|(row, _)| row.benchmark.as_str()).collect();
        let is_given = |name: &str| {
            kernels
                .iter()
                .all(|kernel| own.iter().any(|(row, _)| row.benchmark == *kernel && row.params.contains_key(name)))
        };
        // Rows of other bytes or operations do other work.
        let mut by_job: BTreeMap<_, Vec<(&Record, Estimate)>> = BTreeMap::new();
        for (row, time) in own.iter().copied() {
            let Some(n) = row.n else { continue };
            let given: Vec<String> = row
                .params
                .iter()
                .filter(|(name, _)| is_given(name))
                .map(|(name, value)| format!("{name}{value}"))
                .collect();
            let work = (row.flops, row.bytes);
            by_job.entry((row.dtype_name(), given, n.count(), n, work)).or_default().push((row, time));
        }
        for ((dtype, _, _, n, _), timed) in by_job {
            let first = timed[0].0;
            let Some(ranked) = Ranked::new(timed.clone()) else { continue };
            if timed.iter().any(|(row, _)| row.benchmark != first.benchmark) {
                let given = first.params.iter().filter(|(name, _)| is_given(name));
                let given = given.map(|(name, value)| (name.clone(), *value)).collect();
                jobs.push(Job { toolchain, dtype, n, given, bytes: first.bytes, ranked });
            }
        }
    }
    jobs
}

/// Which kernel to use: a line for each type and sizes next to each other with the same two fastest kernels; nothing for
/// families whose kernels do different jobs.
#[must_use]
pub fn choice(family: &Family, rows: &[&Record]) -> Vec<Part> {
    let mut lines: Vec<(Job, Extent)> = Vec::new();
    let jobs = jobs(family, rows);
    let keys: Vec<_> = jobs.iter().map(|job| (job.toolchain, job.kind(), job.n)).collect();
    // Weights of fewer bits are another job of the same size.
    let is_twofold = |job: &Job| {
        keys.iter().filter(|key| (key.0, key.2) == (job.toolchain, job.n) && key.1 == job.kind()).count() > 1
    };
    let twofold: Vec<bool> = jobs.iter().map(is_twofold).collect();
    for (mut job, is_twofold) in jobs.into_iter().zip(twofold) {
        job.bytes = job.bytes.filter(|_| is_twofold);
        match lines.last_mut() {
            Some((last, _))
                if last.toolchain == job.toolchain
                    && last.kind() == job.kind()
                    && [0, 1].map(|rank| last.name(rank)) == [0, 1].map(|rank| job.name(rank))
                    && last.is_tied() == job.is_tied() =>
            {
                *last = job;
            }
            _ => {
                let least = job.n;
                lines.push((job, least));
            }
        }
    }
    if lines.is_empty() {
        return Vec::new();
    }
    let row = |(job, least): &(Job, Extent)| {
        let most = job.n.short();
        let sizes = if *least == job.n { most } else { format!("{} to {most}", least.short()) };
        let moved = job.bytes.map_or_else(String::new, |bytes| format!(", {}", binary_size(bytes)));
        let cells = [job.name(0), job.next()].map(Cell::from).into();
        let group = job.toolchain.title().into_owned();
        Row { group, mark: Mark::None, name: format!("  {} {sizes}{moved}", job.kind()), cells }
    };
    let column = |heading: &str| Column { heading: heading.to_owned(), is_right: false };
    let columns = vec![column("fastest"), column("next")];
    let rows = lines.iter().map(row).collect();
    vec![
        Part::Table(Grid { columns, widest_name: None, note: None, has_marks: false, rows }),
        Part::text(
            "+4 %: the next kernel takes 4 % longer, at the largest size of the line. or: neither is clearly faster.",
        ),
    ]
}

/// The fastest kernel of a job, for programs.
#[derive(Debug, Serialize)]
pub struct Choice<'a> {
    family: &'static str,
    api: &'static str,
    compiler: &'a str,
    dtype: &'static str,
    n: String,
    params: String,
    fastest: String,
    next: String,
    /// The time of the next kernel over that of the fastest, with its 95 % interval.
    next_ratio: Option<Estimate>,
}

/// The choices of [`choice`], one for each size.
#[must_use]
pub fn choices<'a>(family: &Family, rows: &[&'a Record]) -> Vec<Choice<'a>> {
    let choice = |job: Job<'a>| Choice {
        family: family.name,
        api: job.toolchain.api.name(),
        compiler: job.toolchain.foreign(),
        dtype: job.dtype,
        n: job.n.to_string(),
        params: job.kind().split_once(' ').map_or_else(String::new, |(_, given)| given.to_owned()),
        fastest: job.name(0),
        next: job.name(1),
        next_ratio: job.ranked.behind(),
    };
    jobs(family, rows).into_iter().map(choice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::FAMILIES;
    use crate::suite::{Api, Dtype};

    fn of(benchmark: &str, params: &[(&str, f64)], n: u64, ns: f64) -> Record {
        Record {
            benchmark: benchmark.to_owned(),
            backend: Some(Api::Vulkan),
            status: Status::Ok,
            dtype: Some(Dtype::F32),
            n: Some(Extent::Linear(n)),
            params: params.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
            median_ns: Some(ns),
            ci_low_ns: Some(ns * 0.999),
            ci_high_ns: Some(ns * 1.001),
            epochs_ns: vec![ns; 3],
            ..Record::default()
        }
    }

    fn family(name: &str) -> &'static Family {
        FAMILIES.iter().find(|family| family.name == name).expect("a family")
    }

    fn names(rows: &[Record]) -> Vec<String> {
        let rows: Vec<&Record> = rows.iter().collect();
        jobs(family("transpose"), &rows).iter().map(|job| format!("{}, {}", job.name(0), job.next())).collect()
    }

    #[test]
    fn the_fastest_is_named_with_the_next_one_and_its_distance() {
        let mut rows = vec![
            of("naive_coalesced_read", &[], 1024, 200.0),
            of("tiled", &[("PAD", 0.0)], 1024, 104.0),
            of("tiled_wide", &[], 1024, 100.0),
        ];
        assert_eq!(names(&rows), ["tiled_wide, tiled PAD=0 +4.0 %"]);
        rows[2] = of("tiled_wide", &[], 2048, 100.0);
        assert_eq!(names(&rows), ["tiled PAD=0, naive_coalesced_read +92 %"], "one kernel at a size is no choice");
    }

    #[test]
    fn kernels_within_their_noise_are_both_named() {
        let noisy = |benchmark: &str, ns: f64| Record {
            ci_low_ns: Some(ns * 0.9),
            ci_high_ns: Some(ns * 1.1),
            ..of(benchmark, &[], 1024, ns)
        };
        assert_eq!(names(&[noisy("tiled", 101.0), noisy("registers", 100.0)]), ["registers, or tiled"]);
    }

    #[test]
    fn parameters_that_all_kernels_have_are_those_of_the_input() {
        let rows = [
            of("a", &[("SKEW", 1.0)], 1024, 100.0),
            of("b", &[("SKEW", 1.0)], 1024, 200.0),
            of("a", &[("SKEW", 2.0)], 1024, 400.0),
            of("b", &[("SKEW", 2.0), ("TILE", 16.0)], 1024, 300.0),
        ];
        assert_eq!(names(&rows), ["a, b 2.00×", "b TILE=16, a +33 %"]);
    }

    #[test]
    fn kernels_of_different_jobs_are_no_choice() {
        let rows = [of("offset", &[], 1024, 1.0), of("stride", &[], 1024, 2.0)];
        let rows: Vec<&Record> = rows.iter().collect();
        assert!(choice(family("coalescing"), &rows).is_empty());
    }
}
