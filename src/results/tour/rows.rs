//! Rows by kernel, and what two of them show of each other.

use std::collections::BTreeMap;

use crate::families::benchmark;
use crate::record::stats::{self, Estimate};
use crate::record::{Record, Status, format};
use crate::results::findings::{Draft, byte_rate, is_software, time_of};
use crate::suite::{Dtype, Extent, Shape};

/// Why rows support no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cannot(String);

impl Cannot {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }

    /// As a sentence.
    pub(super) fn text(self) -> String {
        let mut characters = self.0.chars();
        let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
        format!("{first}{}.", characters.as_str())
    }
}

/// A kernel with its parameters, apart from those that [`ANY`] names.
pub(super) type Named<'a> = (&'a str, &'a [(&'a str, f64)]);

/// Parameters that may have any value, but the same in rows that are compared: the number of rounds or steps.
const ANY: [&str; 2] = ["ROUNDS", "STEPS"];
/// The workgroup size, which the user sets, or the run for a device with a smaller limit.
const WORKGROUP_SIZE: &str = "WG";

/// Speeds that differ by less than this factor count as the same: too little to prefer one kernel, and about what rows of
/// one epoch leave uncertain. One is faster if the whole 95 % interval of the ratio is above it; they are the same if the
/// whole interval is within it (an equivalence test by two one-sided tests, Schuirmann, *Journal of Pharmacokinetics and
/// Biopharmaceutics* 15, 1987).
pub(super) const MARGIN: f64 = 1.1;
/// [`MARGIN`] in words.
pub(super) const WITHIN: &str = "within 10 %";

/// The rows of one device through one API.
pub(super) struct Rows<'a>(Vec<&'a Record>);

impl<'a> Rows<'a> {
    pub(super) fn new(rows: &[&'a Record]) -> Self {
        Self(rows.to_vec())
    }

    pub(super) fn is_software(&self) -> bool {
        self.0.iter().any(|row| is_software(row))
    }

    /// Every row, whatever its family and status.
    pub(super) fn all(&self) -> &[&'a Record] {
        &self.0
    }

    /// The rows of a family, whatever their status.
    pub(super) fn family(&self, family: &str) -> Vec<&'a Record> {
        self.0.iter().copied().filter(|row| row.family == family).collect()
    }

    /// The rows of a kernel (`family/benchmark`), whatever their status.
    pub(super) fn of(&self, kernel: &str) -> impl Iterator<Item = &'a Record> + Clone {
        let (family, name) = kernel.split_once('/').unwrap_or((kernel, ""));
        let rows: Vec<&Record> =
            self.0.iter().copied().filter(|row| row.family == family && row.benchmark == name).collect();
        rows.into_iter()
    }

    /// The timed rows of a kernel with these parameters.
    pub(super) fn timed(&self, (kernel, params): Named) -> impl Iterator<Item = &'a Record> + Clone {
        let rows: Vec<&Record> = self.of(kernel).filter(|row| is_timed(row) && others(row, params).is_some()).collect();
        rows.into_iter()
    }

    /// One row of each kernel, all of the same type and size and timed by the same clock: f32 if there are such rows,
    /// and the largest size.
    pub(super) fn together<const N: usize>(&self, kernels: [Named; N]) -> Result<[&'a Record; N], Cannot> {
        let of_first = kernels.first().map(|first| self.timed(*first));
        let set = |first: &'a Record| -> Option<[&'a Record; N]> {
            let rest = others(first, kernels.first()?.1)?;
            let matching = |named: &Named| {
                let is_same = |row: &&Record| {
                    row.n == first.n
                        && row.dtype == first.dtype
                        && others(row, named.1).is_some_and(|others| others == rest)
                };
                self.timed(*named).find(is_same)
            };
            let found: Vec<&Record> = kernels.iter().map(matching).collect::<Option<_>>()?;
            found.try_into().ok()
        };
        let sets = of_first.into_iter().flatten().filter_map(set);
        let rank = |rows: &[&Record; N]| {
            let first = rows[0];
            let rounds: f64 = ANY.iter().filter_map(|name| first.params.get(*name)).sum();
            (first.dtype == Some(Dtype::F32), first.n.map_or(0, Extent::count), rounds)
        };
        let best = sets.max_by(|a, b| rank(a).partial_cmp(&rank(b)).unwrap_or(std::cmp::Ordering::Equal));
        let rows = best.ok_or_else(|| self.missing(&kernels.map(|(kernel, _)| kernel)))?;
        if rows.iter().any(|row| row.timer != rows[0].timer) {
            return Err(Cannot::new("the rows are timed by different clocks"));
        }
        Ok(rows)
    }

    /// Why there are no rows to compare.
    pub(super) fn missing(&self, kernels: &[&str]) -> Cannot {
        for kernel in kernels {
            let mut rows = self.of(kernel);
            let Some(first) = rows.clone().next() else {
                return Cannot::new(format!("no row of `{kernel}` in this report"));
            };
            if rows.clone().any(is_timed) {
                continue;
            }
            let faulty = rows.find(|row| row.status.is_fault());
            return match faulty {
                Some(row) => Cannot::new(format!("`{kernel}` is {} in this report", row.status.name())),
                None if first.status == Status::Skipped && !first.reason.is_empty() => {
                    Cannot::new(format!("`{kernel}` is skipped here: {}", first.reason))
                }
                None => Cannot::new(format!("`{kernel}` has no time in this report")),
            };
        }
        Cannot::new(format!("no rows of {} with the needed parameters, at the same size", listed(kernels)))
    }

    /// The verified rows of each kernel: those with the right answer, whether or not their time is plausible.
    ///
    /// # Errors
    /// `Ok(Err(kernel))` names a kernel with a wrong answer; [`Cannot`] a kernel without verified rows.
    pub(super) fn verified(&self, kernels: &[&str]) -> Result<Result<Vec<&'a Record>, String>, Cannot> {
        let mut verified = Vec::new();
        for kernel in kernels {
            if self.of(kernel).any(|row| row.status == Status::Wrong) {
                return Ok(Err((*kernel).to_owned()));
            }
            let right: Vec<&Record> =
                self.of(kernel).filter(|row| matches!(row.status, Status::Ok | Status::Implausible)).collect();
            if right.is_empty() {
                return Err(self.missing(&[kernel]));
            }
            verified.extend(right);
        }
        Ok(Ok(verified))
    }
}

/// Whether the row is right and has a time.
fn is_timed(row: &Record) -> bool {
    row.status == Status::Ok && row.median_ns.is_some()
}

/// The row's parameters in [`ANY`], if its others are exactly `params`.
fn others(row: &Record, params: &[(&str, f64)]) -> Option<BTreeMap<String, f64>> {
    let (any, own): (BTreeMap<_, _>, BTreeMap<_, _>) = row
        .params
        .iter()
        .filter(|(name, _)| *name != WORKGROUP_SIZE)
        .map(|(name, value)| (name.clone(), *value))
        .partition(|(name, _)| ANY.contains(&name.as_str()));
    let is_same = own.len() == params.len() && params.iter().all(|(name, value)| own.get(*name) == Some(value));
    is_same.then_some(any)
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn listed(names: &[impl AsRef<str>]) -> String {
    match names {
        [] => String::new(),
        [one] => format!("`{}`", one.as_ref()),
        [first @ .., last] => {
            let first: Vec<String> = first.iter().map(|name| format!("`{}`", name.as_ref())).collect();
            format!("{} and `{}`", first.join(", "), last.as_ref())
        }
    }
}

/// The row's time in nanoseconds.
pub(super) fn time(row: &Record) -> Result<Estimate, Cannot> {
    time_of(row).ok_or_else(|| Cannot::new(format!("`{}` has too few samples for an interval", row.name())))
}

/// The speed of `own` relative to `other`, at the same work: the ratio of their times.
pub(super) fn speed(own: &Record, other: &Record) -> Result<Estimate, Cannot> {
    let ratio = stats::ratio(time(other)?, time(own)?);
    ratio.ok_or_else(|| Cannot::new("the rows have no interval"))
}

/// Whether a speed relative to another is higher, by more than the margin; an interval that contains the margin's end
/// shows nothing.
pub(super) fn is_faster(speed: Estimate) -> Result<bool, Cannot> {
    if speed.low > MARGIN {
        Ok(true)
    } else if speed.high <= MARGIN {
        Ok(false)
    } else {
        Err(noisy("the ratio of the speeds is", speed))
    }
}

/// Whether `found` is `expected`, [`WITHIN`] 10 %; an interval that overlaps the margin's ends shows nothing.
pub(super) fn is_near(found: Estimate, expected: f64) -> Result<bool, Cannot> {
    let (low, high) = (found.low / expected, found.high / expected);
    if low >= MARGIN.recip() && high <= MARGIN {
        Ok(true)
    } else if high < MARGIN.recip() || low > MARGIN {
        Ok(false)
    } else {
        Err(noisy("the ratio is", found))
    }
}

/// Whether the speed relative to another is no lower, by more than the margin.
pub(super) fn is_no_slower(speed: Estimate) -> Result<bool, Cannot> {
    if speed.low >= MARGIN.recip() {
        Ok(true)
    } else if speed.high < MARGIN.recip() {
        Ok(false)
    } else {
        Err(noisy("the ratio of the speeds is", speed))
    }
}

/// `too noisy: the ratio is 1.02× [0.95, 1.12]`.
pub(super) fn noisy(what: &str, ratio: Estimate) -> Cannot {
    let ratio = format::ratio_with_interval(ratio.value, Some((ratio.low, ratio.high)));
    Cannot::new(format!("too noisy: {what} {ratio}"))
}

/// `3.5× as fast as`; within the margin `as fast, within 10 % (1.03×), as`, with the factor if the interval excludes one.
pub(super) fn compared(draft: &mut Draft, name: &str, speed: Estimate) -> Result<String, Cannot> {
    let is_apart = speed.low > 1.0 || speed.high < 1.0;
    let times = if is_apart { draft.times(name, speed) } else { None };
    if speed.low >= MARGIN.recip() && speed.high <= MARGIN {
        let times = times.map_or_else(String::new, |times| format!(" ({times})"));
        return Ok(format!("as fast, {WITHIN}{times}, as"));
    }
    match times {
        Some(times) => Ok(format!("{times} as fast as")),
        None if speed.low > MARGIN => Ok("faster than".to_owned()),
        None if speed.high < MARGIN.recip() => Ok("slower than".to_owned()),
        None if speed.high <= MARGIN => Ok(format!("not faster, {WITHIN}, than")),
        None if speed.low >= MARGIN.recip() => Ok(format!("not slower, {WITHIN}, than")),
        None => Err(noisy("the ratio of the speeds is", speed)),
    }
}

/// A part of a whole: `80 %`, or `75–87 %` where the noise leaves one digit.
pub(super) fn percent(draft: &mut Draft, name: &str, part: Estimate) -> Result<String, Cannot> {
    let quoted = draft.percent(name, part).ok_or_else(|| noisy("the ratio is", part))?;
    let is_one_digit = format::digits(part.value, part.low, part.high) == Some(1);
    Ok(if is_one_digit { format::percent_range(part.low, part.high) } else { quoted })
}

/// `name 484 GB/s`, if the row has a rate that is not too noisy to quote.
pub(super) fn rate(draft: &mut Draft, name: &str, row: &Record) -> Option<String> {
    let rate = draft.byte_rate(name, byte_rate(row)?)?;
    Some(format!("{name} {rate}"))
}

/// `name 23.6 µs`, if it is not too noisy to quote.
pub(super) fn duration(draft: &mut Draft, name: &str, row: &Record) -> Option<String> {
    let time = draft.time(name, time_of(row)?)?;
    Some(format!("{name} {time}"))
}

/// The model's speed for one value of a parameter, relative to the family's first row; `None` without a model.
pub(super) fn predicted(kernel: &str, name: &str, value: u64) -> Option<f64> {
    let (family, own) = kernel.split_once('/')?;
    let params = BTreeMap::from([(name.to_owned(), value as f64)]);
    let model = benchmark(family, own)?.model?;
    Some(model(&Shape::new(Dtype::F32, Extent::Linear(1 << 20), params)))
}

/// The speed of each value of a parameter relative to `first`, at the largest size; `None` for a value without a row or
/// with a row too noisy to quote.
pub(super) fn speeds(rows: &Rows, kernel: &str, name: &str, values: impl Iterator<Item = u64>) -> Vec<Option<f64>> {
    let mut values = values.peekable();
    let Some(first) = values.peek().copied() else { return Vec::new() };
    let relative = |value: u64| {
        let [own, base] = rows.together([(kernel, &[(name, value as f64)]), (kernel, &[(name, first as f64)])]).ok()?;
        let ratio = speed(own, base).ok()?;
        format::digits(ratio.value, ratio.low, ratio.high).map(|_| ratio.value)
    };
    values.map(relative).collect()
}
