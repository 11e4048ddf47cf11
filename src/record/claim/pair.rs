use crate::stats::{self, Estimate};

/// `estimate` times an exact number above zero.
pub fn scaled(estimate: Estimate, factor: f64) -> Estimate {
    Estimate { value: estimate.value * factor, low: estimate.low * factor, high: estimate.high * factor }
}

/// The difference of two independent estimates; the distances to their interval ends are combined in quadrature,
/// separately for each end (Zou & Donner, *Statistics in Medicine* 27, 2008).
pub fn difference(a: Estimate, b: Estimate) -> Estimate {
    let value = a.value - b.value;
    Estimate {
        value,
        low: value - (a.value - a.low).hypot(b.high - b.value),
        high: value + (a.high - a.value).hypot(b.value - b.low),
    }
}

/// The median of several estimates of about the same figure, with an interval that contains all of theirs.
pub fn level(estimates: &[Estimate]) -> Option<Estimate> {
    let values: Vec<f64> = estimates.iter().map(|estimate| estimate.value).collect();
    let ends = |pick: fn(f64, f64) -> f64, of: fn(&Estimate) -> f64| estimates.iter().map(of).reduce(pick);
    Some(Estimate {
        value: stats::median(&values)?,
        low: ends(f64::min, |estimate| estimate.low)?,
        high: ends(f64::max, |estimate| estimate.high)?,
    })
}

/// Half the width of the interval over the value.
pub fn noise(estimate: Estimate) -> f64 {
    (estimate.high - estimate.low) / 2.0 / estimate.value
}
