//! Compares rows with measured peaks: share, plausibility, and whether a working set fits in a cache.

mod impossible;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::backend::Peaks;
use record::Bound;
use record::stats::{self, Estimate, round_to_seven_digits};
use record::suite::{Case, Limit, Scalar};
use record::{Cause, IMPLAUSIBLE, Record, Status};

/// A working set counts as cached if its ceiling exceeds that of the largest working set by this factor.
const CACHED_FACTOR: f64 = 1.15;

/// A rate this many times a ceiling is a wrong claim, however noisy both are.
const BEYOND_NOISE: f64 = 1000.0;

/// Bytes of the smallest rung that rows with cold caches are compared with: a smaller one may lie in caches.
const LEAST_COLD: u64 = 64 << 20;

/// A limit, and for FMA its type.
type Key = (Limit, Option<Scalar>);

fn key(limit: Limit, case: &Case) -> Key {
    (limit, (limit == Limit::Fma).then_some(case.shape.dtype.scalar()))
}

/// Peak rates of a device, by limit and working set.
///
/// A ceiling is the median rate of the fastest kernel, with the interval of that kernel's row. It depends only on the
/// rows, so that a report contains all ceilings that its shares refer to.
#[derive(Debug, Default, Clone)]
pub struct Ceilings {
    /// Rates (bytes, operations or launches per nanosecond) by working set in bytes. The working set is 0 for limits
    /// other than memory.
    rates: BTreeMap<Key, BTreeMap<u64, Estimate>>,
    /// Peaks of the device's units, if known.
    peaks: Option<Peaks>,
}

#[derive(Debug, Clone, Copy)]
struct Peak {
    limit: Limit,
    /// As in [`Ceilings::rates`].
    working_set: u64,
    rate: Estimate,
}

impl Ceilings {
    /// The ceilings of one API, from its rows in any order.
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = (&'a Case, &'a Record)>) -> Self {
        let mut ceilings = Self::default();
        for (case, record) in rows {
            ceilings.add(case, record);
        }
        ceilings
    }

    /// No ceilings yet, of a device with these units.
    #[must_use]
    pub fn of_device(peaks: Option<Peaks>) -> Self {
        Self { peaks, ..Self::default() }
    }

    /// Forgets all ceilings.
    pub fn clear(&mut self) {
        self.rates.clear();
    }

    /// Adds the row of a ceiling, unless it exceeds what the device's units can do; rows of other benchmarks are
    /// ignored. Returns whether a ceiling rose: rows compared with it must then be judged again.
    pub fn add(&mut self, case: &Case, record: &Record) -> bool {
        let (Some(limit), true) = (case.benchmark.ceiling, case.benchmark.sets_ceiling) else { return false };
        let Some(rate) = rate(limit, case, record) else { return false };
        if self.above_units(limit, case, rate).is_some() {
            return false;
        }
        let working_set = if limit.is_memory() { case.work().bytes } else { 0 };
        match self.rates.entry(key(limit, case)).or_default().entry(working_set) {
            Entry::Vacant(vacant) => {
                vacant.insert(rate);
            }
            Entry::Occupied(mut best) if rate.value > best.get().value => {
                best.insert(rate);
            }
            Entry::Occupied(_) => return false,
        }
        true
    }

    /// Compares a row with the ceiling that binds it: sets `ceiling`, `share` and its interval, and the status
    /// `implausible` if the whole interval is more than 5 % above the ceiling, or the rate 1000 times it. Otherwise, a
    /// row without an interval is never implausible. May be called again when the ceilings or the row have changed.
    ///
    /// `software_scatter` is `Some` for a software device: the variation of its speed, as half the width of the middle
    /// 90 %. Twice that, on a log scale, widens the interval: row and ceiling may each be measured in a time in which
    /// other programs are more active or less, which the intervals do not show (1.96 · √2 / 1.645 = 1.7 for 95 %).
    /// Kernels of such a device are limited by instructions and not by memory, so the fastest of all memory ceilings
    /// decides what is plausible.
    pub fn judge(&self, case: &Case, record: &mut Record, software_scatter: Option<f64>) {
        if let Some((cause, reason)) = record.unjudged.take() {
            (record.cause, record.reason) = (cause, reason);
        } else if record.cause.is_some_and(Cause::is_by_ceiling) {
            // The row is from a report, which does not store the earlier cause and reason.
            return;
        }
        if record.status == Status::Implausible {
            record.status = if case.benchmark.is_verified() { Status::Ok } else { Status::Unverified };
        }
        (record.ceiling, record.share, record.share_low, record.share_high) = (None, None, None, None);
        let widening = (2.0 * software_scatter.unwrap_or(0.0)).exp();
        if record.status.is_timed()
            && let Some(reason) = self.impossible(case, record, software_scatter.is_some())
        {
            record.status = Status::Implausible;
            accuse(record, Cause::AboveCeiling, reason);
            return;
        }
        let Some(peak) = self.binding(case) else {
            if record.status.is_timed()
                && case.is_foreign()
                && let Some(reason) = self.above_all(case, record, widening)
            {
                record.status = Status::Implausible;
                accuse(record, Cause::AboveCeiling, reason);
            }
            return;
        };
        let Some(rate) = rate(peak.limit, case, record) else { return };
        let is_the_ceiling = case.benchmark.sets_ceiling && rate == peak.rate;
        let share = if is_the_ceiling {
            Estimate { value: 1.0, low: 1.0, high: 1.0 }
        } else {
            share(rate, peak.rate, widening)
        };
        let bound = self.bound(&peak, case);
        record.ceiling = Some(bound);
        record.share = Some(round_to_seven_digits(share.value));
        if is_known(share) {
            record.share_low = Some(round_to_seven_digits(share.low));
            record.share_high = Some(round_to_seven_digits(share.high));
        }
        // Tensor cores have faster instructions than a subgroup's: only their number and clock limit a kernel.
        if peak.limit.is_tensor() {
            return;
        }
        let possible = match software_scatter {
            Some(_) if peak.limit.is_memory() => self.fastest_memory(peak.rate),
            _ => self.possible(&peak, case),
        };
        let excess = self::share(rate, possible, widening);
        if !record.status.is_timed() || excess.value <= IMPLAUSIBLE || is_the_ceiling {
            return;
        }
        let (cause, verdict) = if excess.low > IMPLAUSIBLE || excess.value > BEYOND_NOISE {
            record.status = Status::Implausible;
            (Cause::AboveCeiling, "no kernel can be that fast")
        } else {
            (
                Cause::PerhapsAboveCeiling,
                if is_known(excess) { "too noisy to judge" } else { "too few samples to judge" },
            )
        };
        accuse(record, cause, format!("{:.0} % of the ceiling '{bound}': {verdict}", share.value * 100.0));
    }

    /// The value of the column `ceiling`.
    fn bound(&self, peak: &Peak, case: &Case) -> Bound {
        let (limit, scalar) = key(peak.limit, case);
        let working_set = (peak.working_set > 0).then_some(peak.working_set);
        let is_cached = working_set.is_some() && self.is_cached(peak);
        Bound { limit, scalar, working_set, is_cached }
    }

    /// Whether `case` is compared with the ceiling that `ceiling` measures.
    #[must_use]
    pub fn is_limited_by(&self, case: &Case, ceiling: &Case) -> bool {
        let (Some(peak), true) = (self.binding(case), ceiling.benchmark.sets_ceiling) else { return false };
        let of_ceiling = ceiling.benchmark.ceiling.map(|limit| key(limit, ceiling));
        of_ceiling == Some(key(peak.limit, case))
            && (!peak.limit.is_memory() || ceiling.work().bytes == peak.working_set)
    }

    /// The ceiling that binds a case: the one that predicts the longest time. `None` if the benchmark's own is missing.
    fn binding(&self, case: &Case) -> Option<Peak> {
        case.benchmark.ceiling.is_none_or(|limit| self.peak(limit, case).is_some()).then_some(())?;
        let time = |peak: &Peak| amount(peak.limit, case) / peak.rate.value;
        let peaks = case.limits().filter_map(|limit| self.peak(limit, case));
        peaks.max_by(|a, b| time(a).total_cmp(&time(b)))
    }

    /// The ceiling of a case for one of its limits. For memory it is the rung within 25 % of the case's working set, or
    /// else the faster of the two rungs around it. Below a quarter of the smallest rung, the launch rate is the limit.
    fn peak(&self, limit: Limit, case: &Case) -> Option<Peak> {
        let rates = self.rates.get(&key(limit, case))?;
        let at = |(working_set, rate): (&u64, &Estimate)| Peak { limit, working_set: *working_set, rate: *rate };
        if !limit.is_memory() {
            return rates.get_key_value(&0).map(at);
        }
        let bytes = case.working_set();
        let least = if case.shape.is_cold() { LEAST_COLD } else { 0 };
        let near = rates.range(least..).find(|(rung, _)| bytes * 4 <= **rung * 5 && **rung * 4 <= bytes * 5);
        if let Some(near) = near {
            return Some(at(near));
        }
        let below = rates.range(least..bytes).next_back();
        let above = rates.range(bytes..).next();
        match (below, above) {
            (None, Some((rung, _))) if bytes * 4 < *rung => {
                let rate = *self.rates.get(&(Limit::Launch, None))?.get(&0)?;
                Some(Peak { limit: Limit::Launch, working_set: 0, rate })
            }
            (below, above) => below.into_iter().chain(above).max_by(|a, b| a.1.value.total_cmp(&b.1.value)).map(at),
        }
    }

    /// The highest plausible rate of a case: the fastest rung's if the buffer limit cut the ladder short of the case.
    fn possible(&self, peak: &Peak, case: &Case) -> Estimate {
        let Some(rates) = self.rates.get(&key(peak.limit, case)).filter(|_| peak.limit.is_memory()) else {
            return peak.rate;
        };
        let is_above_the_ladder = rates.last_key_value().is_some_and(|(rung, _)| case.work().bytes * 4 > rung * 5);
        if is_above_the_ladder { fastest(rates.values().copied(), peak.rate) } else { peak.rate }
    }

    fn fastest_memory(&self, rate: Estimate) -> Estimate {
        let memory = self.rates.iter().filter(|((limit, _), _)| limit.is_memory());
        fastest(memory.flat_map(|(_, rates)| rates.values().copied()), rate)
    }

    fn is_cached(&self, peak: &Peak) -> bool {
        let largest = self.rates.get(&(peak.limit, None)).and_then(BTreeMap::last_key_value);
        largest.is_some_and(|(_, largest)| peak.rate.value > CACHED_FACTOR * largest.value)
    }
}

/// Sets the row's cause and reason, and keeps the earlier ones.
fn accuse(record: &mut Record, cause: Cause, mut reason: String) {
    if !record.reason.is_empty() {
        reason.push_str("; ");
        reason.push_str(&record.reason);
    }
    let known = std::mem::replace(&mut record.reason, reason);
    record.unjudged = Some((record.cause.replace(cause), known));
}

fn fastest(rates: impl Iterator<Item = Estimate>, first: Estimate) -> Estimate {
    rates.fold(first, |best, rate| if rate.value > best.value { rate } else { best })
}

/// The rate of a row in the unit of `limit`, from its median and interval. Without an interval it reaches from 0 to
/// infinity. `None` if the row has no time.
fn rate(limit: Limit, case: &Case, record: &Record) -> Option<Estimate> {
    let amount = amount(limit, case);
    let value = amount / record.median_ns.filter(|median| *median > 0.0)?;
    let (low, high) = match (record.ci_high_ns, record.ci_low_ns) {
        (Some(slowest), Some(fastest)) if fastest > 0.0 => (amount / slowest, amount / fastest),
        _ => (0.0, f64::INFINITY),
    };
    Some(Estimate { value, low, high })
}

/// `rate` ÷ `ceiling` with the interval of [`stats::ratio`], widened; 0 to infinity if one of them has no interval.
fn share(rate: Estimate, ceiling: Estimate, widening: f64) -> Estimate {
    stats::ratio(rate, ceiling).map_or(
        Estimate { value: rate.value / ceiling.value, low: 0.0, high: f64::INFINITY },
        |ratio| Estimate { value: ratio.value, low: ratio.low / widening, high: ratio.high * widening },
    )
}

fn is_known(estimate: Estimate) -> bool {
    estimate.low > 0.0 && estimate.high.is_finite()
}

/// Bytes, operations or launches that one launch of the case counts towards the limit.
fn amount(limit: Limit, case: &Case) -> f64 {
    match limit {
        Limit::Copy | Limit::Read | Limit::Fill | Limit::Workgroup => case.work().bytes as f64,
        Limit::Fma | Limit::Tensor | Limit::TensorBf16 | Limit::TensorTf32 | Limit::TensorFp8 | Limit::TensorInt8 => {
            case.work().flops as f64
        }
        Limit::Launch => 1.0,
    }
}
