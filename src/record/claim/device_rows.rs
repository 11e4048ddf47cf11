use std::collections::BTreeMap;
use std::ops::{Deref, RangeInclusive};

use crate::suite::{Dtype, Extent};
use crate::times::POSSIBLE;
use crate::{Record, Status, is_software};

/// Why rows support no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why(String);

impl Why {
    /// A reason, as part of a sentence.
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }

    /// The reason as a sentence.
    pub fn text(self) -> String {
        let mut characters = self.0.chars();
        let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
        format!("{first}{}.", characters.as_str())
    }
}

/// A kernel (`transpose/tiled`) with its parameters, except for a number of rounds or steps.
pub type Named<'a> = (&'a str, &'a [(&'a str, f64)]);

/// No parameters.
pub const NONE: &[(&str, f64)] = &[];

/// Parameters that may have any value, if compared rows have the same.
const ANY: [&str; 2] = ["ROUNDS", "STEPS"];
/// The workgroup size: set by the user, or by the run to fit a device limit.
const WORKGROUP_SIZE: &str = "WG";

/// The rows of one device through one API, as claims see them. Derefs to the verified ones with possible figures.
pub struct DeviceRows<'a> {
    all: Vec<&'a Record>,
    sound: Vec<&'a Record>,
}

impl<'a> Deref for DeviceRows<'a> {
    type Target = [&'a Record];

    fn deref(&self) -> &Self::Target {
        &self.sound
    }
}

impl<'a> DeviceRows<'a> {
    /// Leaves out rows with cold caches: every claim is about repeated launches.
    pub fn new(rows: &[&'a Record]) -> Self {
        let rows: Vec<&Record> = rows.iter().copied().filter(|row| !row.is_cold()).collect();
        let is_sound = |row: &&Record| row.status == Status::Ok && is_possible(row);
        let sound = rows.iter().copied().filter(is_sound).collect();
        Self { all: rows, sound }
    }

    /// Whether the device is a CPU.
    pub fn is_software(&self) -> bool {
        self.all.iter().any(|row| is_software(row))
    }

    /// Every row, whatever its family and status.
    pub fn all(&self) -> &[&'a Record] {
        &self.all
    }

    /// The rows of a family, whatever their status.
    pub fn family(&self, family: &str) -> Vec<&'a Record> {
        self.all.iter().copied().filter(|row| row.family == family).collect()
    }

    /// The rows of a kernel (`family/benchmark`), whatever their status.
    pub fn of(&self, kernel: &str) -> impl Iterator<Item = &'a Record> + Clone {
        let (family, name) = kernel.split_once('/').unwrap_or((kernel, ""));
        let rows: Vec<&Record> =
            self.all.iter().copied().filter(|row| row.family == family && row.benchmark == name).collect();
        rows.into_iter()
    }

    /// The timed rows of a kernel with these parameters.
    pub fn timed(&self, (kernel, params): Named) -> impl Iterator<Item = &'a Record> + Clone {
        let rows: Vec<&Record> = self.of(kernel).filter(|row| is_timed(row) && others(row, params).is_some()).collect();
        rows.into_iter()
    }

    /// One row of each kernel: all of one type (f32 if there is any), of the largest common size, timed by one clock.
    pub fn together<const N: usize>(&self, kernels: [Named; N]) -> Result<[&'a Record; N], Why> {
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
            return Err(Why::new("the rows were timed by different clocks"));
        }
        Ok(rows)
    }

    /// Why there are no rows to compare.
    pub fn missing(&self, kernels: &[&str]) -> Why {
        for kernel in kernels {
            let mut rows = self.of(kernel);
            let Some(first) = rows.clone().next() else {
                return Why::new(format!("this report has no row for `{kernel}`"));
            };
            if rows.clone().any(is_timed) {
                continue;
            }
            let faulty = rows.find(|row| row.status.is_fault());
            return match faulty {
                Some(row) => Why::new(format!("`{kernel}` has the status {} in this report", row.status.name())),
                None if first.status == Status::Skipped && !first.reason.is_empty() => {
                    Why::new(format!("`{kernel}` was skipped: {}", first.reason))
                }
                None => Why::new(format!("`{kernel}` has no time in this report")),
            };
        }
        Why::new(format!("no rows of {} match in size, type and parameters", listed(kernels)))
    }

    /// The verified rows of the kernels; an error if a result is wrong.
    pub fn right(&self, kernels: &[&str]) -> Result<Vec<&'a Record>, Why> {
        self.verified(kernels)?.map_err(|kernel| Why::new(format!("`{kernel}` gives a wrong result on this device")))
    }

    /// The verified rows of each kernel, including implausible ones. Returns `Ok(Err(kernel))` for a kernel with a
    /// wrong result, and [`Why`] if a kernel has no verified rows.
    pub fn verified(&self, kernels: &[&str]) -> Result<Result<Vec<&'a Record>, String>, Why> {
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

/// The parts with `separator` between them; `None` if there are none.
pub fn joined(parts: impl IntoIterator<Item = String>, separator: &str) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().collect();
    (!parts.is_empty()).then(|| parts.join(separator))
}

/// Whether the row's figures cannot make a sentence divide by zero or overflow. Others are errors in the report.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
