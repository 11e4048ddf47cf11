//! Rates that no device reaches: above what its units can do, or out of proportion to its other ceilings. Nothing else
//! judges a ceiling: a kernel that computes a closed form in place of its loop would set it.

use crate::engine::ceilings::{BEYOND_NOISE, Ceilings, Estimate, rate, share};
use record::IMPLAUSIBLE;
use record::Record;
use record::format::{byte_rate, operation_rate};
use record::suite::{Case, Limit, Scalar};

/// Multiply-adds of one type are at most this many times as fast as those of another, plus a quarter, as kernels reach
/// different shares of their peaks. f64 is nowhere faster than f32. Packed f16 has four times the rate of f32 on an
/// A100, twice on most others. 32-bit integer multiply-adds take up to 16 instructions, f32 half of one if packed;
/// twice that is allowed.
const PROPORTIONS: [(Scalar, Scalar, f64); 3] =
    [(Scalar::F64, Scalar::F32, 1.25), (Scalar::F16, Scalar::F32, 5.0), (Scalar::F32, Scalar::U32, 64.0)];

/// GB/s and 10^9 operations/s that no device reaches: over twenty times the fastest of 2026 (workgroup memory, tensor).
const MOST_BYTES: f64 = 1e6;
const MOST_OPERATIONS: f64 = 1e9;

impl Ceilings {
    /// Why no device reaches the rate of a row, with its whole interval; `None` if one may. Rows of a software device
    /// are not compared with each other: beside other programs, one may run at half the speed of the next.
    pub(super) fn impossible(&self, case: &Case, record: &Record, is_software: bool) -> Option<String> {
        let scalar = case.shape.dtype.scalar();
        let rates = [(Limit::Copy, record.gb_per_s, MOST_BYTES), (Limit::Fma, record.gflop_per_s, MOST_OPERATIONS)];
        for (limit, rate, most) in rates {
            if let Some(rate) = rate.filter(|rate| *rate > most) {
                let (rate, most) = (text(limit, scalar, rate), text(limit, scalar, most));
                return Some(format!("{rate} exceeds {most}, the limit for any device: no kernel can be that fast"));
            }
        }
        case.limits().find_map(|limit| {
            let rate = rate(limit, case, record)?;
            let proportion = || self.out_of_proportion(limit, case, rate).filter(|_| !is_software);
            self.above_units(limit, case, rate).or_else(proportion)
        })
    }

    /// The reason if a rate exceeds all measured peaks of its kind: with its whole interval, or by more than noise.
    pub(super) fn above_all(&self, case: &Case, record: &Record, widening: f64) -> Option<String> {
        case.limits().find_map(|limit| {
            let rate = rate(limit, case, record)?;
            let is_like = |other: Limit| other != Limit::Launch && other.is_in_bytes() == limit.is_in_bytes();
            let peaks =
                self.rates.iter().filter(|((other, _), _)| is_like(*other)).flat_map(|(_, rates)| rates.values());
            let fastest = peaks.copied().max_by(|a, b| a.value.total_cmp(&b.value))?;
            let excess = share(rate, fastest, widening);
            // Few samples have no interval.
            (excess.low > IMPLAUSIBLE || excess.value > BEYOND_NOISE).then(|| {
                let scalar = case.shape.dtype.scalar();
                let (rate, fastest) = (text(limit, scalar, rate.value), text(limit, scalar, fastest.value));
                format!("{rate} exceeds the highest measured peak, {fastest}: no kernel can be that fast")
            })
        })
    }

    /// The reason if a rate is above what the device's units can do.
    pub(super) fn above_units(&self, limit: Limit, case: &Case, rate: Estimate) -> Option<String> {
        let peaks = self.peaks.as_ref()?;
        let scalar = case.shape.dtype.scalar();
        let most = peaks.rate(limit, scalar)?;
        (rate.low > IMPLAUSIBLE * most).then(|| {
            let (got, most) = (text(limit, scalar, rate.value), text(limit, scalar, most));
            format!("{got} exceeds {most}, the most that {} can reach: no kernel can be that fast", peaks.units())
        })
    }

    /// The reason if a rate of multiply-adds is too far above the ceiling of another type.
    fn out_of_proportion(&self, limit: Limit, case: &Case, rate: Estimate) -> Option<String> {
        let scalar = case.shape.dtype.scalar();
        let others = PROPORTIONS.iter().filter(|(faster, ..)| limit == Limit::Fma && *faster == scalar);
        others.into_iter().find_map(|(_, slower, most)| {
            let ceiling = *self.rates.get(&(limit, Some(*slower)))?.get(&0)?;
            let ratio = share(rate, ceiling, 1.0);
            (ratio.low > IMPLAUSIBLE * most).then(|| {
                let (scalar, slower) = (scalar.name(), slower.name());
                format!(
                    "{:.0} times the ceiling 'fma {slower}', but {scalar} is at most {most} times as fast on any \
                     device: no kernel can be that fast",
                    ratio.value
                )
            })
        })
    }
}

fn text(limit: Limit, scalar: Scalar, rate: f64) -> String {
    if limit.is_in_bytes() { byte_rate(rate) } else { operation_rate(rate, scalar.is_float()) }
}
