//! The answer of `bench`: which of several kernels of one run is the fastest, and whether all results are correct.

use std::collections::BTreeMap;

use crate::report::table::{label, rate};
use crate::report::toolchains;
use record::format::{self, ratio_with_interval};
use record::suite::Checks;
use record::{Bound, Ranking, Record, Status, ranking, time_in_run};

/// The answer for the rows of one family: a sentence for each API and type, and one about the results. Only kernels of
/// one size are compared; the fastest at the largest size is named, or all that tie there ([`ranking`]).
#[must_use]
pub fn verdict(rows: &[&Record]) -> Vec<String> {
    let toolchains = toolchains(rows.iter().copied());
    let mut sentences = Vec::new();
    for toolchain in &toolchains {
        let mut by_type: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
        let is_whole = |row: &&Record| !rows.iter().any(|other| is_step_of(&row.benchmark, &other.benchmark));
        for row in rows.iter().copied().filter(|row| row.toolchain() == Some(*toolchain)).filter(is_whole) {
            by_type.entry(row.dtype_name()).or_default().push(row);
        }
        let prefix = if toolchains.len() > 1 { format!("{}: ", toolchain.title()) } else { String::new() };
        sentences.extend(by_type.values().filter_map(|rows| Some(format!("{prefix}{}", of_type(rows)?))));
        sentences.extend(by_type.values().filter_map(|rows| unlike_checks(rows)));
    }
    sentences.extend(results(rows));
    sentences
}

/// Whether `name` is a step of this kernel, such as `scan.2.add`: steps do not compete with kernels.
fn is_step_of(name: &str, kernel: &str) -> bool {
    let rest = name.strip_prefix(kernel).and_then(|rest| rest.strip_prefix('.'));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The fastest kernel at the largest size, and at how many smaller sizes it is also the fastest; figures if only one
/// row has a time there, `None` without one. Rows that move other bytes do different work and are not compared.
fn of_type(rows: &[&Record]) -> Option<String> {
    let mut sizes: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for row in rows {
        if let Some(time) = time_in_run(row) {
            let work = (row.n.map_or(0, |n| n.count()), row.n, row.bytes, row.flops);
            sizes.entry(work).or_default().push((*row, time));
        }
    }
    if let Some([(only, _)]) = sizes.values().next_back().map(Vec::as_slice) {
        return Some(figures(only));
    }
    let several = sizes.into_values().filter(|timed| timed.len() > 1);
    let mut sizes: Vec<Ranking<&Record>> = several.filter_map(ranking).collect();
    let Ranking { best, ties, next } = sizes.pop()?;
    let name = label(best);
    if !ties.is_empty() {
        let ties = ties.into_iter().map(|(row, _)| label(row));
        let mut names: Vec<String> = std::iter::once(name).chain(ties).collect();
        let last = names.pop()?;
        return Some(format!("No clear difference between {} and {last}.", names.join(", ")));
    }
    let (next, ahead) = next?;
    let ahead = ratio_with_interval(ahead.value, Some((ahead.low, ahead.high)));
    let is_again = |size: &&Ranking<&Record>| {
        (&size.best.benchmark, &size.best.params) == (&best.benchmark, &best.params) && size.ties.is_empty()
    };
    let (again, others) = (sizes.iter().filter(is_again).count(), sizes.len());
    let others =
        if again == 0 { String::new() } else { format!("; it is also fastest at {again} of {others} smaller sizes") };
    Some(format!("{name} is fastest: {ahead} as fast as {}{others}.", label(next)))
}

/// Names the kernels with and without run-time checks, if some have them: a module that naga cannot read has none.
fn unlike_checks(rows: &[&Record]) -> Option<String> {
    let names = |is_off: bool| {
        let timed =
            rows.iter().filter(|row| row.median_ns.is_some() && (row.checks == Some(Checks::default())) == is_off);
        let mut names: Vec<&str> = timed.map(|row| row.benchmark.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let (on, off) = (names(false)?, names(true)?);
    Some(format!("Not like for like: run-time checks are on in {on}, off in {off}; --unchecked turns all off."))
}

/// The rate, the time and the share of a row: `life f32 2^20: 22.0 Gcells/s, 45.1 µs ±0.3 %, 61 % of the copy peak.`
fn figures(row: &Record) -> String {
    let noise = row.noise().map_or_else(String::new, |noise| format!(" ±{}", format::noise(noise)));
    let time = row.median_ns.map(|ns| format::time(ns) + &noise);
    let peak = |bound: Bound| Some(format!("{} of the {} peak", format::percent(row.share?), bound.limit.name()));
    let rate = Some(rate(row)).filter(|rate| !rate.is_empty());
    let hint = if rate.is_none() { " Give `bytes` to get a rate." } else { "" };
    let parts: Vec<String> = [rate, time, row.ceiling.and_then(peak)].into_iter().flatten().collect();
    format!("{}: {}.{hint}", label(row), parts.join(", "))
}

fn results(rows: &[&Record]) -> Option<String> {
    let filtered = |is_it: fn(&Record) -> bool| rows.iter().copied().filter(|row| is_it(row)).collect::<Vec<_>>();
    let faults = filtered(|row| row.status.is_fault());
    let unverified = filtered(|row| row.status == Status::Unverified);
    let right = filtered(|row| row.status == Status::Ok);
    let all = rows.iter().filter(|row| row.status != Status::Skipped).count();
    Some(match (faults.as_slice(), all) {
        (_, 0) => return None,
        // The table lists them, with the reasons.
        ([_, ..], _) => format!("{} of {all} results {}.", faults.len(), faulty(&faults)),
        _ if right.len() == all => format::all_correct(all) + ".",
        _ if unverified.len() == all && all == 1 => "The result is not verified.".to_owned(),
        _ if unverified.len() == all => "The results are not verified.".to_owned(),
        _ => {
            let is = |count: usize| if count == 1 { "is" } else { "are" };
            let (right, unverified) = (right.len(), unverified.len());
            format!("{right} of {all} results {} correct, {unverified} {} not verified.", is(right), is(unverified))
        }
    })
}

/// `is wrong`, `are wrong`, or `failed` if another fault is among them.
fn faulty(faults: &[&Record]) -> &'static str {
    match (faults.iter().all(|row| row.status == Status::Wrong), faults.len()) {
        (true, 1) => "is wrong",
        (true, _) => "are wrong",
        (false, _) => "failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::suite::{Api, DeviceType, Dtype, Extent, Limit};

    fn row(benchmark: &str, n: u64, ns: f64, reach: f64) -> Record {
        Record {
            benchmark: benchmark.to_owned(),
            backend: Some(Api::Vulkan),
            dtype: Some(Dtype::F32),
            n: Some(Extent::Linear(n)),
            epochs_ns: vec![ns; 2],
            median_ns: Some(ns),
            ci_low_ns: Some(ns / reach),
            ci_high_ns: Some(ns * reach),
            ..Record::default()
        }
    }

    fn answer(rows: &[Record]) -> String {
        verdict(&rows.iter().collect::<Vec<_>>()).join(" ")
    }

    #[test]
    fn the_fastest_kernel_is_named_only_if_no_other_ties() {
        let rows =
            [row("a", 8, 100.0, 1.01), row("b", 8, 200.0, 1.01), row("a", 4, 60.0, 1.01), row("b", 4, 50.0, 1.01)];
        let text = answer(&rows);
        assert!(text.starts_with("a f32 8 is fastest: 2.00× [1.97, 2.03] as fast as b f32 8."), "{text}");
        assert!(text.ends_with(" All 4 results are correct."), "{text}");
        // Programs that use a software device's cores for longer than a run slow both kernels alike.
        let software = |row: Record| Record { device_type: Some(DeviceType::Software), ..row };
        let rows = [row("a", 8, 152e3, 1.05), row("b", 8, 352e3, 1.05)].map(software);
        assert!(answer(&rows).starts_with("a f32 8 is fastest: 2.3"), "{}", answer(&rows));
        let checked = |checks: Checks, row: Record| Record { checks: Some(checks), ..row };
        let [a, b] = rows;
        let text = answer(&[checked(Checks::default(), a.clone()), checked(Checks::ALL, b.clone())]);
        let unlike = "Not like for like: run-time checks are on in b, off in a; --unchecked turns all off.";
        assert!(text.contains(&format!("as fast as b f32 8. {unlike} Both")), "{text}");
        assert!(!answer(&[a, b].map(|row| checked(Checks::ALL, row))).contains("like for like"));
        let rows = [row("a", 8, 100.0, 1.2), row("b", 8, 110.0, 1.2), row("c", 8, 900.0, 1.2)];
        assert!(
            answer(&rows).starts_with("No clear difference between a f32 8 and b f32 8. All 3"),
            "{}",
            answer(&rows)
        );
    }

    #[test]
    fn a_wrong_result_and_one_that_nothing_verifies_are_no_right_ones() {
        let wrong = Record { status: Status::Wrong, median_ns: None, ..row("b", 8, 1.0, 1.1) };
        let text = answer(&[row("a", 8, 100.0, 1.1), wrong]);
        let figures = "a f32 8: 100 ns ±9.5 %. Give `bytes` to get a rate.";
        assert_eq!(text, format!("{figures} 1 of 2 results is wrong."));
        let unverified = Record { status: Status::Unverified, ..row("a", 8, 100.0, 1.1) };
        assert_eq!(answer(&[unverified]), format!("{figures} The result is not verified."));
        assert_eq!(answer(&[row("a", 8, 100.0, 1.1)]), format!("{figures} The result is correct."));
        let both = answer(&[row("a", 8, 100.0, 1.1), row("b", 8, 200.0, 1.1)]);
        assert!(both.ends_with(" Both results are correct."), "{both}");
        let peak = Bound { limit: Limit::Copy, scalar: None, working_set: None, is_cached: false };
        let rated = Record { gb_per_s: Some(50.0), share: Some(0.61), ceiling: Some(peak), ..row("a", 8, 100.0, 1.1) };
        assert!(answer(&[rated]).starts_with("a f32 8: 50.0 GB/s, 100 ns ±9.5 %, 61 % of the copy peak. The"));
    }
}
