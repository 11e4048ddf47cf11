//! Compares rows with measured peaks: share, plausibility, and whether a working set fits in a cache.

use std::collections::BTreeMap;

use super::bound::Bound;
use super::record::{Cause, Record, Status};
use super::stats::round_to_seven_digits;
use crate::suite::{Case, Limit, Scalar};

/// A share above this is a fault: dead code, an input in cache, a wrong byte count, or a ceiling measured too low.
pub const IMPLAUSIBLE: f64 = 1.05;

/// A working set counts as cached if its ceiling exceeds that of the largest working set by this factor.
const CACHED_FACTOR: f64 = 1.15;

/// A limit, and for FMA its type.
type Key = (Limit, Option<Scalar>);

fn key(limit: Limit, case: &Case) -> Key {
    (limit, (limit == Limit::Fma).then_some(case.shape.dtype.scalar()))
}

/// Peak rates of a device, by limit and working set.
///
/// A ceiling is the rate of the fastest *sample* of the fastest kernel, so that a row's median exceeds it through a
/// fault and not by chance.
#[derive(Debug, Default, Clone)]
pub struct Ceilings {
    /// Rates (bytes, operations or launches per nanosecond) by working set in bytes. The working set is 0 for limits
    /// other than memory.
    rates: BTreeMap<Key, BTreeMap<u64, f64>>,
}

impl Ceilings {
    /// Adds the row of a ceiling; rows of other benchmarks are ignored. Returns whether a ceiling rose: rows compared
    /// with it must then be judged again.
    pub fn add(&mut self, case: &Case, record: &Record) -> bool {
        let (Some(limit), true, Some(fastest)) = (case.benchmark.ceiling, case.benchmark.sets_ceiling, record.min_ns)
        else {
            return false;
        };
        let rate = amount(limit, case) / fastest;
        let working_set = if limit.is_memory() { case.work().bytes } else { 0 };
        let best = self.rates.entry(key(limit, case)).or_default().entry(working_set).or_default();
        let has_risen = rate > *best;
        *best = best.max(rate);
        has_risen
    }

    /// Compares a row with the ceiling that limits it: sets `ceiling` and `share`, and the status `implausible` if the
    /// row is more than 5 % above the ceiling even at the slow end of its interval. May be called again when a ceiling
    /// has risen.
    ///
    /// `software_scatter` is `Some` for a software device: the variation of its speed, as a fraction. Its kernels are
    /// limited by instructions and not by memory, so the fastest of all memory ceilings decides what is plausible.
    pub fn judge(&self, case: &Case, record: &mut Record, software_scatter: Option<f64>) {
        if let Some((cause, reason)) = record.unjudged.take() {
            (record.cause, record.reason) = (cause, reason);
        } else if record.cause.is_some_and(Cause::is_by_ceiling) {
            // The row is from a report, which does not store the earlier cause and reason.
            return;
        }
        if record.status == Status::Implausible {
            record.status = Status::Ok;
        }
        let Some((limit, working_set, rate)) = self.limiting(case) else { return };
        let possible = IMPLAUSIBLE
            * if software_scatter.is_some() && limit.is_memory() {
                self.fastest_memory().max(rate)
            } else {
                self.possible(limit, case, rate)
            };
        let Some(median) = record.median_ns else { return };
        let bound = self.bound(limit, working_set, case);
        record.ceiling = Some(bound);
        let share = amount(limit, case) / median / rate;
        record.share = Some(round_to_seven_digits(share));
        if record.status != Status::Ok || amount(limit, case) / median <= possible {
            return;
        }
        // Twice the variation, since the row and its ceiling were measured at different times.
        let slowest = record.ci_high_ns.unwrap_or(median).max(median) * (1.0 + 2.0 * software_scatter.unwrap_or(0.0));
        let (cause, verdict) = if amount(limit, case) / slowest > possible {
            record.status = Status::Implausible;
            (Cause::AboveCeiling, "no kernel can be that fast")
        } else {
            (Cause::PerhapsAboveCeiling, "too noisy to judge")
        };
        let mut reason = format!("{:.0} % of the ceiling '{bound}': {verdict}", share * 100.0);
        if !record.reason.is_empty() {
            reason.push_str("; ");
            reason.push_str(&record.reason);
        }
        let known = std::mem::replace(&mut record.reason, reason);
        record.unjudged = Some((record.cause.replace(cause), known));
    }

    /// Restores a ceiling from the share of a row of an earlier part of the run: if the ceiling rose when it was
    /// measured again, its own row does not show it. All rows of that part must have been added before.
    pub fn recall(&mut self, case: &Case, record: &Record) {
        let (Some((limit, working_set, rate)), Some(share), Some(median)) =
            (self.limiting(case), record.share, record.median_ns)
        else {
            return;
        };
        let is_same = record.ceiling.is_some_and(|bound| bound.is_same(&self.bound(limit, working_set, case)));
        let was = amount(limit, case) / median / share;
        // Shares and medians have seven digits.
        if is_same && was.is_finite() && was > rate * (1.0 + 1e-6) {
            let key = if limit == Limit::Launch { (limit, None) } else { key(limit, case) };
            self.rates.entry(key).or_default().insert(working_set, was);
        }
    }

    /// The value of the column `ceiling`.
    fn bound(&self, limit: Limit, working_set: u64, case: &Case) -> Bound {
        let scalar = (limit == Limit::Fma).then_some(case.shape.dtype.scalar());
        let working_set = (working_set > 0).then_some(working_set);
        let is_cached = working_set.is_some_and(|bytes| self.is_cached(limit, bytes));
        Bound { limit, scalar, working_set, is_cached }
    }

    /// Whether `case` is compared with the ceiling that `ceiling` measures.
    #[must_use]
    pub fn is_limited_by(&self, case: &Case, ceiling: &Case) -> bool {
        let (Some((limit, working_set, _)), true) = (self.limiting(case), ceiling.benchmark.sets_ceiling) else {
            return false;
        };
        let of_ceiling = ceiling.benchmark.ceiling.map(|limit| key(limit, ceiling));
        of_ceiling == Some(key(limit, case)) && (!limit.is_memory() || ceiling.work().bytes == working_set)
    }

    /// The limit of a case, with the working set and rate of its ceiling. For memory it is the rung within 25 % of the
    /// case's working set, or else the faster of the two rungs around it. Below a quarter of the smallest rung, the
    /// launch rate is the limit.
    fn limiting(&self, case: &Case) -> Option<(Limit, u64, f64)> {
        let limit = case.benchmark.ceiling?;
        let rates = self.rates.get(&key(limit, case))?;
        if !limit.is_memory() {
            return rates.get(&0).map(|rate| (limit, 0, *rate));
        }
        let bytes = case.work().bytes;
        let near = rates.iter().find(|(rung, _)| bytes * 4 <= **rung * 5 && **rung * 4 <= bytes * 5);
        if let Some((rung, rate)) = near {
            return Some((limit, *rung, *rate));
        }
        let below = rates.range(..bytes).next_back();
        let above = rates.range(bytes..).next();
        match (below, above) {
            (None, Some((rung, _))) if bytes * 4 < *rung => {
                let launch = self.rates.get(&(Limit::Launch, None))?.get(&0)?;
                Some((Limit::Launch, 0, *launch))
            }
            (below, above) => {
                let faster = below.into_iter().chain(above).max_by(|a, b| a.1.total_cmp(b.1))?;
                Some((limit, *faster.0, *faster.1))
            }
        }
    }

    /// The highest plausible rate of `case`, whose ceiling is `rate`. If the case is larger than the largest rung,
    /// because the device's buffer limit cut the ladder short, it is the rate of the fastest rung.
    fn possible(&self, limit: Limit, case: &Case, rate: f64) -> f64 {
        let Some(rates) = self.rates.get(&key(limit, case)).filter(|_| limit.is_memory()) else { return rate };
        let is_above_the_ladder = rates.last_key_value().is_some_and(|(rung, _)| case.work().bytes * 4 > rung * 5);
        if is_above_the_ladder { rates.values().copied().fold(rate, f64::max) } else { rate }
    }

    /// The fastest memory ceiling at any working set.
    fn fastest_memory(&self) -> f64 {
        let memory = self.rates.iter().filter(|((limit, _), _)| limit.is_memory());
        memory.flat_map(|(_, rates)| rates.values().copied()).fold(0.0, f64::max)
    }

    fn is_cached(&self, limit: Limit, working_set: u64) -> bool {
        let Some(rates) = self.rates.get(&(limit, None)) else { return false };
        let largest = rates.last_key_value();
        rates.get(&working_set).zip(largest).is_some_and(|(rate, (_, largest))| *rate > CACHED_FACTOR * largest)
    }
}

/// Bytes, operations or launches that one launch of the case counts towards the limit.
fn amount(limit: Limit, case: &Case) -> f64 {
    match limit {
        Limit::Copy | Limit::Read | Limit::Fill | Limit::Workgroup => case.work().bytes as f64,
        Limit::Fma | Limit::Tensor => case.work().flops as f64,
        Limit::Launch => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::plan::{Request, plan};
    use crate::suite::{Extent, Profile};

    fn case(name: &str, n: u64) -> Case {
        let request = Request { sizes: vec![Extent::Linear(n)], ..Request::new(vec![name.to_owned()], Profile::Quick) };
        let cases = plan(&request).expect("a plan");
        cases.into_iter().find(|case| case.name() == name && case.shape.count() == n).expect("such a case")
    }

    /// A row with a rate of `rate` bytes per nanosecond.
    fn row(case: &Case, rate: f64) -> Record {
        let time = Some(case.work().bytes as f64 / rate);
        Record { median_ns: time, min_ns: time, ..Record::default() }
    }

    /// The row of `case` at `rate`, judged by ceilings of 900 B/ns at 2^20 elements (cache) and 500 B/ns at 2^24
    /// (DRAM).
    fn judged(case: &Case, rate: f64, ladder: &str) -> Record {
        let mut ceilings = Ceilings::default();
        for (n, rate) in [(1 << 20, 900.0), (1 << 24, 500.0)] {
            let rung = self::case(ladder, n);
            ceilings.add(&rung, &row(&rung, rate));
        }
        let mut record = row(case, rate);
        ceilings.judge(case, &mut record, None);
        record
    }

    #[test]
    fn a_row_above_its_rung_is_implausible() {
        let copy = case("stream/copy", 1 << 24);
        assert_eq!(judged(&copy, 510.0, "ceiling/copy").status, Status::Ok);
        assert_eq!(judged(&copy, 540.0, "ceiling/copy").status, Status::Implausible);
    }

    #[test]
    fn a_row_whose_interval_reaches_its_ceiling_is_too_noisy_to_judge() {
        let (copy, rung) = (case("stream/copy", 1 << 24), case("ceiling/copy", 1 << 24));
        let mut ceilings = Ceilings::default();
        ceilings.add(&rung, &row(&rung, 500.0));
        // 20 % above the ceiling, with various intervals of the row and variations of the device.
        for (slowest, scatter, status) in [
            (1.0, None, Status::Implausible),
            (1.1, None, Status::Implausible),
            (1.2, None, Status::Ok),
            (1.0, Some(0.05), Status::Implausible),
            (1.0, Some(0.1), Status::Ok),
            (1.1, Some(0.05), Status::Ok),
        ] {
            let mut record = row(&copy, 600.0);
            record.ci_high_ns = record.median_ns.map(|median| median * slowest);
            ceilings.judge(&copy, &mut record, scatter);
            assert_eq!(record.status, status, "{slowest} {scatter:?}");
            let (cause, verdict) = match status {
                Status::Ok => (Cause::PerhapsAboveCeiling, "too noisy to judge"),
                _ => (Cause::AboveCeiling, "no kernel can be that fast"),
            };
            assert_eq!(record.cause, Some(cause));
            assert_eq!(record.reason, format!("120 % of the ceiling 'copy 128 MiB': {verdict}"));
            assert_eq!(record.share, Some(1.2));
            // The reason disappears when the ceiling rises.
            let mut risen = ceilings.clone();
            risen.add(&rung, &row(&rung, 590.0));
            risen.judge(&copy, &mut record, scatter);
            assert_eq!((record.status, record.reason.as_str()), (Status::Ok, ""));
        }
    }

    #[test]
    fn a_software_device_is_judged_by_the_fastest_of_its_memory_ceilings() {
        let (add, copy, read) =
            (case("stream/add", 1 << 24), case("ceiling/copy", 1 << 24), case("ceiling/read", 1 << 24));
        let mut ceilings = Ceilings::default();
        ceilings.add(&read, &row(&read, 300.0));
        ceilings.add(&copy, &row(&copy, 500.0));
        for (rate, scatter, status) in [
            (510.0, None, Status::Implausible),
            (510.0, Some(0.0), Status::Ok),
            (540.0, Some(0.0), Status::Implausible),
        ] {
            let mut record = row(&add, rate);
            ceilings.judge(&add, &mut record, scatter);
            assert_eq!(record.status, status, "{rate} {scatter:?}: {}", record.reason);
        }
    }

    #[test]
    fn a_verdict_that_is_withdrawn_restores_the_earlier_reason() {
        let (copy, rung) = (case("stream/copy", 1 << 24), case("ceiling/copy", 1 << 24));
        let mut ceilings = Ceilings::default();
        ceilings.add(&rung, &row(&rung, 500.0));
        for known in ["", "the canary moved by 11 % and did not settle"] {
            let mut record = Record { reason: known.to_owned(), ..row(&copy, 540.0) };
            ceilings.judge(&copy, &mut record, None);
            assert_eq!(record.status, Status::Implausible);
            assert!(record.reason.starts_with("108 % of ") && record.reason.ends_with(known), "{}", record.reason);
            let mut risen = ceilings.clone();
            risen.add(&rung, &row(&rung, 530.0));
            risen.judge(&copy, &mut record, None);
            assert_eq!((record.status, record.reason.as_str()), (Status::Ok, known));
        }
    }

    #[test]
    fn a_ceiling_that_rose_when_measured_again_is_recalled_from_the_rows_below_it() {
        let (copy, rung) = (case("stream/copy", 1 << 24), case("ceiling/copy", 1 << 24));
        let mut ceilings = Ceilings::default();
        assert!(ceilings.add(&rung, &row(&rung, 500.0)) && ceilings.add(&rung, &row(&rung, 600.0)));
        let mut record = row(&copy, 570.0);
        ceilings.judge(&copy, &mut record, None);
        let mut resumed = Ceilings::default();
        resumed.add(&rung, &row(&rung, 500.0));
        resumed.recall(&copy, &record);
        let mut again = record.clone();
        resumed.judge(&copy, &mut again, None);
        assert_eq!((again.status, again.share), (Status::Ok, record.share));
        // A row with another ceiling restores nothing.
        let mut resumed = Ceilings::default();
        resumed.add(&rung, &row(&rung, 500.0));
        resumed.recall(&copy, &Record { ceiling: Bound::parse("copy 1 KiB"), ..record.clone() });
        resumed.judge(&copy, &mut again, None);
        assert_eq!(again.status, Status::Implausible);
    }

    #[test]
    fn a_row_above_the_largest_rung_is_judged_by_the_fastest_rung() {
        let copy = case("stream/copy", 1 << 26);
        let record = judged(&copy, 540.0, "ceiling/copy");
        assert_eq!((record.status, record.share), (Status::Ok, Some(1.08)));
        assert_eq!(judged(&copy, 950.0, "ceiling/copy").status, Status::Implausible);
    }
}
