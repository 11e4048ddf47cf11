//! Chooses the row of a job in each of several columns, so that columns compare like with like.

use std::collections::BTreeMap;

use super::cells::size;
use super::figures::{Best, best_of, counted, rate};
use super::texts::job_rate;
use kernels::headlines;
use record::stats::geometric_mean;
use record::suite::{DeviceType, Headline, Toolchain};
use record::{MARGIN, Record, comparable};

/// A job in one column.
#[derive(Clone)]
pub(crate) struct Shown<'a> {
    pub(crate) job: &'static Headline,
    /// The row of the kernel that the columns of this API have in common, or the fastest row if there is none.
    pub(crate) row: &'a Record,
    /// Whether kernel, source or size differ from most columns of the API; there is no ratio then.
    pub(crate) is_unlike: bool,
    /// The fastest kernel of the column, if it is a different one that is faster.
    pub(crate) faster: Option<&'a Record>,
}

/// The jobs of each column, in the order of the summary. Columns of one toolchain show the same kernel, type, size,
/// parameters and, if possible, source. Software devices show their own fastest kernel, not to limit the GPUs' sizes.
pub(crate) fn jobs_of<'a>(columns: &[Vec<&'a Record>]) -> Vec<Vec<Shown<'a>>> {
    let mut jobs: Vec<Vec<Shown>> = vec![Vec::new(); columns.len()];
    let mut groups: Vec<(Option<Toolchain>, bool, Vec<usize>)> = Vec::new();
    for (index, rows) in columns.iter().enumerate() {
        let toolchain = rows.first().and_then(|row| row.toolchain());
        let is_software = rows.first().is_some_and(|row| row.device_type == Some(DeviceType::Software));
        match groups.iter_mut().find(|(of, software, _)| (*of, *software) == (toolchain, is_software)) {
            Some((.., group)) => group.push(index),
            None => groups.push((toolchain, is_software, vec![index])),
        }
    }
    for (family, job) in headlines() {
        for (.., group) in &groups {
            let group_rows: Vec<&[&Record]> = group.iter().map(|index| columns[*index].as_slice()).collect();
            for (index, shown) in group.iter().zip(shown(family, job, &group_rows)) {
                jobs[*index].extend(shown);
            }
        }
    }
    jobs
}

fn shown<'a>(family: &str, job: &'static Headline, columns: &[&[&'a Record]]) -> Vec<Option<Shown<'a>>> {
    let best: Vec<Option<Best>> = columns.iter().map(|rows| best_of(family, job, rows)).collect();
    let common = common(family, job, columns, &best);
    let row = |column: usize| match &common {
        Some(rows) => rows.get(&column).copied(),
        None => Some(best[column].as_ref()?.row),
    };
    let usual = usual((0..columns.len()).filter_map(row));
    let in_column = |column: usize| {
        let (row, best) = (row(column)?, best[column].as_ref()?.row);
        let rate = |row: &Record| rate(job, row).map_or(0.0, |rate| rate.value);
        let is_faster = !std::ptr::eq(best, row) && rate(best) > rate(row) * (1.0 + MARGIN);
        let is_unlike = usual.is_some_and(|usual| comparable(usual, row).is_err());
        Some(Shown { job, row, is_unlike, faster: is_faster.then_some(best) })
    };
    (0..columns.len()).map(in_column).collect()
}

/// The row that is comparable with the most rows; the first of several.
fn usual<'a>(rows: impl Iterator<Item = &'a Record>) -> Option<&'a Record> {
    let rows: Vec<&Record> = rows.collect();
    let alike = |row: &&&Record| rows.iter().filter(|other| comparable(row, other).is_ok()).count();
    // Reversed, because `max_by_key` returns the last maximum and the first is wanted.
    rows.iter().rev().max_by_key(alike).copied()
}

/// The rows of the best case that all columns with the job have: the largest size if the job asks for it, then the
/// fewest differing sources, then the highest mean rate.
fn common<'a>(
    family: &str,
    job: &Headline,
    columns: &[&[&'a Record]],
    best: &[Option<Best>],
) -> Option<BTreeMap<usize, &'a Record>> {
    let having: Vec<usize> = (0..columns.len()).filter(|column| best[*column].is_some()).collect();
    let (first, others) = having.split_first()?;
    let rows: Vec<Vec<&Record>> = columns.iter().map(|rows| counted(family, job, rows)).collect();
    let is_case =
        |a: &Record, b: &Record| (&a.benchmark, a.dtype, a.n, &a.params) == (&b.benchmark, b.dtype, b.n, &b.params);
    let candidate = |row: &&'a Record| {
        let mut found = BTreeMap::from([(*first, *row)]);
        for column in others {
            found.insert(*column, *rows[*column].iter().find(|other| is_case(row, other))?);
        }
        let rates: Option<Vec<f64>> = found.values().map(|row| Some(rate(job, row)?.value)).collect();
        let usual = usual(found.values().copied())?;
        let unlike = found.values().filter(|other| comparable(usual, other).is_err()).count();
        let bytes = if job.is_largest { row.bytes } else { None };
        Some((bytes, std::cmp::Reverse(unlike), geometric_mean(&rates?)?, found))
    };
    let all = rows[*first].iter().filter_map(candidate);
    let best = all.max_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
    best.map(|(.., found)| found)
}

/// Names kernels faster than the common one: `GEMM f16 by cooperative: B also has the faster wgmma, 744 TFLOP/s`.
pub(crate) fn faster_ones<'n>(jobs: &[Vec<Shown>], name: impl Fn(usize) -> &'n str) -> Vec<String> {
    let mut notes: Vec<(&str, &str, Vec<String>)> = Vec::new();
    for (column, shown) in jobs.iter().enumerate().flat_map(|(column, jobs)| jobs.iter().map(move |job| (column, job)))
    {
        let Some(faster) = shown.faster else { continue };
        let params = faster.params_text();
        let kernel = [faster.benchmark.as_str(), &params].join(" ");
        let at = if faster.n == shown.row.n { String::new() } else { format!(" at {}", size(faster)) };
        let text = format!("{} also has the faster {}{at}, {}", name(column), kernel.trim_end(), job_rate(faster));
        let key = (shown.job.name, shown.row.benchmark.as_str());
        match notes.iter_mut().find(|(job, kernel, _)| (*job, *kernel) == key) {
            Some((.., texts)) => texts.push(text),
            None => notes.push((key.0, key.1, vec![text])),
        }
    }
    let order = |job: &str| headlines().iter().position(|(_, known)| known.name == job);
    notes.sort_by_key(|(job, ..)| order(job));
    notes.into_iter().map(|(job, kernel, texts)| format!("{job} by {kernel}: {}.", texts.join("; "))).collect()
}

pub(crate) const UNLIKE: &str =
    "≠ another kernel, source or size than in the unmarked figures of the same API, so no ratio";

#[cfg(test)]
mod tests {
    use super::*;
    use record::suite::{Api, Dtype, Extent};

    fn row(api: Api, benchmark: &str, hash: &str, tflops: f64) -> Record {
        let ns = 2e12 / tflops / 1e3;
        Record {
            backend: Some(api),
            family: "matmul".to_owned(),
            benchmark: benchmark.to_owned(),
            shader_hash: hash.to_owned(),
            dtype: Some(Dtype::F16),
            n: Some(Extent::Product(4096, 4096, 4096)),
            flops: Some(2_000_000_000_000),
            gflop_per_s: Some(tflops * 1e3),
            median_ns: Some(ns),
            ci_low_ns: Some(ns * 0.999),
            ci_high_ns: Some(ns * 1.001),
            epochs_ns: vec![ns; 2],
            ..Record::default()
        }
    }

    fn gemm<'a>(columns: &[&'a [Record]]) -> Vec<Option<Shown<'a>>> {
        let columns: Vec<Vec<&Record>> = columns.iter().map(|rows| rows.iter().collect()).collect();
        jobs_of(&columns).into_iter().map(|jobs| jobs.into_iter().find(|shown| shown.job.name == "GEMM f16")).collect()
    }

    #[test]
    fn columns_show_the_kernel_that_both_have_and_name_the_faster_one() {
        let new = [row(Api::Cuda, "cooperative", "1f", 430.0), row(Api::Cuda, "wgmma", "3d", 744.0)];
        let old = [row(Api::Cuda, "cooperative", "1f", 428.0), row(Api::Cuda, "tiled", "4c", 60.0)];
        let shown = gemm(&[&new, &old]);
        let shown_in = |column: usize| shown[column].clone().expect("the job");
        assert_eq!([0, 1].map(|column| shown_in(column).row.benchmark.clone()), ["cooperative", "cooperative"]);
        assert!(!shown_in(0).is_unlike && !shown_in(1).is_unlike && shown_in(1).faster.is_none());
        let notes = faster_ones(&[vec![shown_in(0)], vec![shown_in(1)]], |column| ["A", "B"][column]);
        assert_eq!(notes, ["GEMM f16 by cooperative: A also has the faster wgmma, 744 TFLOP/s."]);
    }

    #[test]
    fn another_source_gives_no_ratio_and_a_kernel_of_one_source_is_preferred() {
        let new = [row(Api::Cuda, "cooperative", "1f", 430.0), row(Api::Cuda, "wgmma", "4c", 744.0)];
        let old = [row(Api::Cuda, "cooperative", "2e", 428.0), row(Api::Cuda, "wgmma", "5b", 740.0)];
        let shown = gemm(&[&new, &old]);
        assert!(shown[1].as_ref().is_some_and(|shown| shown.is_unlike && shown.row.benchmark == "wgmma"));
        let old = [row(Api::Cuda, "cooperative", "1f", 428.0), old[1].clone()];
        let shown = gemm(&[&new, &old]);
        assert!(shown[1].as_ref().is_some_and(|shown| !shown.is_unlike && shown.row.benchmark == "cooperative"));
        assert_eq!(shown[0].as_ref().and_then(|shown| shown.faster).map(|row| row.benchmark.as_str()), Some("wgmma"));
        // The columns have nothing in common.
        let new = [new[0].clone()];
        let other = [row(Api::Cuda, "wgmma", "3d", 744.0)];
        assert!(gemm(&[&new, &other])[1].as_ref().is_some_and(|shown| shown.is_unlike));
    }

    #[test]
    fn columns_of_two_apis_show_their_own_kernels() {
        let vulkan = [row(Api::Vulkan, "cooperative", "1f", 286.0)];
        let cuda = [row(Api::Cuda, "cooperative", "2e", 430.0), row(Api::Cuda, "wgmma", "3d", 744.0)];
        let shown = gemm(&[&vulkan, &cuda]);
        let names: Vec<_> = shown.iter().flatten().map(|shown| shown.row.benchmark.as_str()).collect();
        assert_eq!(names, ["cooperative", "wgmma"]);
        assert!(shown.iter().flatten().all(|shown| !shown.is_unlike));
    }
}
