//! The kernel of a family to use at each type and size, and how far behind the next one is.

use serde::Serialize;

use super::summary::figures::{Contest, contests};
use crate::report::layout::{Column, Grid, Part, Row};
use crate::report::toolchains;
use record::stats::Estimate;
use record::suite::{Extent, Family, Headline, Tag, Toolchain, binary_size};
use record::{Record, format};

pub(super) struct Job<'a> {
    toolchain: Toolchain<'a>,
    dtype: &'static str,
    n: Extent,
    bytes: Option<u64>,
    pub(super) contest: Contest<'a>,
}

impl<'a> Job<'a> {
    /// The job of a contest; `None` unless several kernels take part.
    fn new(toolchain: Toolchain<'a>, contest: Contest<'a>) -> Option<Self> {
        let best = contest.ranking.best;
        let has_rival = contest.rows.iter().any(|row| row.benchmark != best.benchmark);
        let n = best.n.filter(|_| has_rival)?;
        Some(Self { toolchain, dtype: best.dtype_name(), n, bytes: best.bytes, contest })
    }

    /// The row after the fastest, and its time ÷ that of the fastest; no ratio if both tie or there is no other row.
    fn second(&self) -> (&'a Record, Option<Estimate>) {
        let ranking = &self.contest.ranking;
        let next = ranking.next.map(|(row, ratio)| (row, Some(ratio)));
        ranking.ties.first().copied().or(next).unwrap_or((ranking.best, None))
    }

    fn is_tied(&self) -> bool {
        !self.contest.ranking.ties.is_empty()
    }

    /// The kernel's name with its parameters, except those of the input: `tiled PAD=1`.
    fn name(&self, row: &Record) -> String {
        let is_given = |name: &str| self.contest.given.iter().any(|(given, _)| *given == name);
        let params = row.params.iter().filter(|(name, _)| !is_given(name));
        let params = params.map(|(name, value)| format!(" {name}={value}"));
        std::iter::once(row.benchmark.clone()).chain(params).collect()
    }

    fn names(&self) -> [String; 2] {
        [self.contest.ranking.best, self.second().0].map(|row| self.name(row))
    }

    /// The next kernel: `tiled_vec4 +4.0 %`, or `or tiled_vec4` if both tie.
    fn next(&self) -> String {
        let [_, name] = self.names();
        match self.second().1 {
            _ if self.is_tied() => format!("or {name}"),
            Some(ratio) if ratio.value >= 2.0 => format!("{name} {}", format::ratio(ratio.value)),
            Some(ratio) => format!("{name} +{} %", format::significant((ratio.value - 1.0) * 100.0, 2)),
            None => name,
        }
    }

    fn kind(&self) -> String {
        let given = self.contest.given.iter().map(|(name, value)| format!(" {name}={value}"));
        std::iter::once(self.dtype.to_owned()).chain(given).collect()
    }
}

/// Whether the kernels of a family do the same job, so that one of them can be chosen.
fn has_choice(family: &Family) -> bool {
    family.tags.iter().any(|tag| matches!(tag, Tag::Primitive | Tag::Llm))
}

pub(super) fn jobs<'a>(family: &'static Family, rows: &[&'a Record]) -> Vec<Job<'a>> {
    let toolchains = if has_choice(family) { toolchains(rows.iter().copied()) } else { Vec::new() };
    let of_toolchain = |toolchain: Toolchain<'a>| {
        let toolchain_rows: Vec<&Record> =
            rows.iter().copied().filter(|row| row.toolchain() == Some(toolchain)).collect();
        let all = contests(family.name, &Headline::WHOLE, &toolchain_rows).into_iter();
        let mut jobs: Vec<Job> = all.filter_map(|contest| Job::new(toolchain, contest)).collect();
        jobs.sort_by_key(Job::kind);
        jobs
    };
    toolchains.into_iter().flat_map(of_toolchain).collect()
}

/// Which kernel to use. Consecutive sizes of one type with the same two fastest kernels share a line. Empty for
/// families whose kernels do different jobs.
#[must_use]
pub fn choice(family: &'static Family, rows: &[&Record]) -> Vec<Part> {
    let mut lines: Vec<(Job, Extent)> = Vec::new();
    let jobs = jobs(family, rows);
    let keys: Vec<_> = jobs.iter().map(|job| (job.toolchain, job.kind(), job.n)).collect();
    // Lower-bit weights make another job of the same size.
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
                    && last.names() == job.names()
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
        let [fastest, _] = job.names();
        Row::new(job.toolchain.title(), format!("  {} {sizes}{moved}", job.kind()), [fastest, job.next()])
    };
    vec![
        Part::Table(Grid::new(["fastest", "next"].map(Column::left), lines.iter().map(row))),
        Part::text("In the column next, `NAME +4 %` takes 4 % longer at the largest size on the line; `or NAME` ties."),
    ]
}

/// The fastest kernel of a job, as JSON.
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
    is_tied: bool,
    next_time_ratio: Option<Estimate>,
}

/// The choices of [`choice`], one per size.
#[must_use]
pub fn choices<'a>(family: &'static Family, rows: &[&'a Record]) -> Vec<Choice<'a>> {
    let choice = |job: Job<'a>| {
        let [fastest, next] = job.names();
        Choice {
            family: family.name,
            api: job.toolchain.api.name(),
            compiler: job.toolchain.foreign(),
            dtype: job.dtype,
            n: job.n.to_string(),
            params: job.kind().split_once(' ').map_or_else(String::new, |(_, given)| given.to_owned()),
            fastest,
            next,
            is_tied: job.is_tied(),
            next_time_ratio: job.second().1,
        }
    };
    jobs(family, rows).into_iter().map(choice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernels::FAMILIES;
    use record::Status;
    use record::suite::{Api, Dtype};

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

    fn names(family_name: &str, rows: &[Record]) -> Vec<String> {
        let rows: Vec<Record> =
            rows.iter().map(|row| Record { family: family_name.to_owned(), ..row.clone() }).collect();
        let rows: Vec<&Record> = rows.iter().collect();
        let jobs = jobs(family(family_name), &rows);
        jobs.iter().map(|job| format!("{}, {}", job.names()[0], job.next())).collect()
    }

    #[test]
    fn the_fastest_is_named_with_the_next_one_and_its_distance() {
        let mut rows = vec![
            of("naive_coalesced_read", &[], 1024, 200.0),
            of("tiled", &[("PAD", 0.0)], 1024, 104.0),
            of("tiled_wide", &[], 1024, 100.0),
        ];
        assert_eq!(names("transpose", &rows), ["tiled_wide, tiled PAD=0 +4.0 %"]);
        rows[2] = of("tiled_wide", &[], 2048, 100.0);
        let next = ["tiled PAD=0, naive_coalesced_read +92 %"];
        assert_eq!(names("transpose", &rows), next, "one kernel at a size is no choice");
    }

    #[test]
    fn kernels_that_tie_are_both_named() {
        let noisy = |benchmark: &str, ns: f64| Record {
            ci_low_ns: Some(ns * 0.9),
            ci_high_ns: Some(ns * 1.1),
            ..of(benchmark, &[], 1024, ns)
        };
        assert_eq!(names("transpose", &[noisy("tiled", 101.0), noisy("registers", 100.0)]), ["registers, or tiled"]);
        let rows = [of("tiled", &[], 1024, 101.0), of("registers", &[], 1024, 100.0)];
        assert_eq!(names("transpose", &rows), ["registers, or tiled"], "1 % is within the margin");
    }

    #[test]
    fn parameters_that_all_kernels_have_are_those_of_the_input() {
        let rows = [
            of("row", &[("MATRIX", 1.0)], 1024, 100.0),
            of("subgroup", &[("MATRIX", 1.0)], 1024, 200.0),
            of("row", &[("MATRIX", 2.0)], 1024, 400.0),
            of("subgroup", &[("MATRIX", 2.0), ("WG", 16.0)], 1024, 300.0),
        ];
        assert_eq!(names("spmv", &rows), ["row, subgroup 2.00×", "subgroup WG=16, row +33 %"]);
    }

    #[test]
    fn kernels_of_different_jobs_are_no_choice() {
        let rows = [of("offset", &[], 1024, 1.0), of("stride", &[], 1024, 2.0)];
        let rows: Vec<&Record> = rows.iter().collect();
        assert!(choice(family("coalescing"), &rows).is_empty());
    }
}
