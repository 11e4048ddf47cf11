//! Figures of the summary, with the digits that their intervals leave.

use crate::results::format;
use crate::results::stats::Estimate;
use crate::results::summary::Peak;
use crate::suite::{Limit, Scalar};

/// A figure in the first of `units` that fits, after multiplication by `factor`; `None` if it is too noisy to quote.
pub(in crate::report) fn quoted(estimate: Estimate, units: &[&str], factor: f64) -> Option<String> {
    let digits = format::digits(estimate.value, estimate.low, estimate.high)?;
    Some(format::scaled(format::rounded(estimate.value, digits) * factor, units, digits))
}

/// A rate in GB/s.
pub(in crate::report) fn quoted_rate(rate: Estimate) -> Option<String> {
    quoted(rate, format::BYTE_RATE_UNITS, 1000.0)
}

/// A ratio, with three digits at most.
pub(super) fn quoted_ratio(ratio: Estimate) -> Option<String> {
    let digits = format::digits(ratio.value, ratio.low, ratio.high)?.min(3);
    Some(format!("{}×", format::significant(format::rounded(ratio.value, digits), digits)))
}

/// `f32`, `tensor f16`.
pub(super) fn arithmetic_name(peak: &Peak) -> String {
    let scalar = peak.scalar.map_or("", Scalar::name);
    if peak.limit == Limit::Tensor { "tensor f16".to_owned() } else { scalar.to_owned() }
}

/// Operations per second, from 10^9: `33.2 TOP/s` for integers, `65.6 TFLOP/s` for floats.
pub(in crate::report) fn operations(peak: &Peak, gflop_per_s: f64) -> String {
    format::operation_rate(gflop_per_s, peak.scalar.is_none_or(Scalar::is_float))
}
