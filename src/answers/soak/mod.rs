//! A device under load for a long time: whether it became slower, and what its clocks did.

#[cfg(not(target_family = "wasm"))]
pub mod text;

use crate::record::Moment;
use crate::record::stats::median_interval;
use crate::suite::{Reading, Throttle};

/// Moments at the start that do not count: clock and power settle.
const SETTLING: usize = 2;

/// Minimum number of moments that count, of which a quarter has enough for an interval.
pub const LEAST: usize = 24;

/// Smallest change that is stated: clocks have steps, and no user acts on less.
const LEAST_CHANGE: f64 = 0.005;

/// The half widths of the intervals are of 95 %, and of few seconds that resemble each other even less: with this factor
/// noise is called a change in at most one of 100 loads (see the tests).
const CERTAIN: f64 = 2.0;

/// Speed in the last quarter of a load compared with the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sag {
    /// Relative change of the speed: −0.04 is 4 % slower at the end.
    pub change: f64,
    /// Half width of its interval.
    pub reach: f64,
}

impl Sag {
    /// Whether the speed changed for certain, by an amount that matters.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.change.abs() > self.reach && self.change.abs() >= LEAST_CHANGE
    }
}

/// Compares the first and the last quarter of a load; `None` with fewer than [`LEAST`] moments after the first two.
/// Both medians have intervals that take correlation between moments into account ([`median_interval`]).
#[must_use]
pub fn sag(moments: &[Moment]) -> Option<Sag> {
    let times: Vec<f64> = moments.iter().skip(SETTLING).map(|moment| moment.launch_ns).collect();
    if times.len() < LEAST {
        return None;
    }
    let quarter = times.len() / 4;
    let of = |times: &[f64]| {
        let (low, high) = median_interval(times)?;
        let middle = (low * high).sqrt();
        Some((middle, (high / low).ln() / 2.0))
    };
    let ((first, of_first), (last, of_last)) = (of(&times[..quarter])?, of(&times[times.len() - quarter..])?);
    Some(Sag { change: first / last - 1.0, reach: CERTAIN * of_first.hypot(of_last) })
}

/// The first and the last value of a reading, each a mean over a tenth of the moments; `None` if it is not reported.
#[must_use]
pub fn ends(moments: &[Moment], value: fn(&Reading) -> Option<f64>) -> Option<(f64, f64)> {
    let values: Vec<f64> = moments.iter().filter_map(|moment| value(moment.reading.as_ref()?)).collect();
    let tenth = values.len().div_ceil(10);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    (tenth > 0).then(|| (mean(&values[..tenth]), mean(&values[values.len() - tenth..])))
}

/// The reasons that limited the clocks, each with the share of the moments in which it did.
#[must_use]
pub fn limits(moments: &[Moment]) -> Vec<(Throttle, f64)> {
    let mut counts: Vec<(Throttle, usize)> = Vec::new();
    let readings = moments.iter().filter_map(|moment| moment.reading.as_ref());
    for throttle in readings.flat_map(|reading| &reading.throttling).filter(|throttle| **throttle != Throttle::Idle) {
        match counts.iter_mut().find(|(known, _)| known == throttle) {
            Some((_, count)) => *count += 1,
            None => counts.push((*throttle, 1)),
        }
    }
    counts.into_iter().map(|(throttle, count)| (throttle, count as f64 / moments.len() as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::stats::random::Random;

    /// A load of `count` seconds whose speed falls by `fall` in all, with noise of which `kept` remains each second.
    fn load(count: usize, fall: f64, noise: f64, kept: f64, seed: u64) -> Vec<Moment> {
        let mut random = Random((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut wander = 0.0;
        let moment = |index: usize| {
            wander = kept * wander + (1.0 - kept * kept).sqrt() * noise * random.normal();
            let slower = 1.0 + fall * index as f64 / count as f64;
            Moment { seconds: index as f64 + 1.0, launch_ns: 1e6 * slower * (1.0 + wander), reading: None }
        };
        (0..count).map(moment).collect()
    }

    /// A finding that noise can produce is a defect: also where a second resembles the one before it.
    #[test]
    fn noise_is_no_sag() {
        for (count, kept) in [(30, 0.0), (60, 0.0), (600, 0.0), (60, 0.5), (600, 0.5), (600, 0.9)] {
            let of = |seed| sag(&load(count, 0.0, 0.01, kept, seed)).is_some_and(|sag| sag.is_certain());
            let found = (0..1000).filter(|seed| of(*seed)).count();
            assert!(found <= 10, "{count} s, {kept} kept: {found} of 1000");
        }
    }

    #[test]
    fn a_card_that_becomes_slower_is_found_with_its_amount() {
        for (count, noise) in [(60, 0.002), (600, 0.01)] {
            let found = (0..200).filter_map(|seed| sag(&load(count, 0.04, noise, 0.3, seed)));
            let certain: Vec<Sag> = found.filter(Sag::is_certain).collect();
            assert!(certain.len() >= 196, "{count}: {} of 200", certain.len());
            // Between the middles of the quarters lie three quarters of the fall.
            assert!(certain.iter().all(|sag| (sag.change + 0.03).abs() < 2.0 * sag.reach + 0.002), "{certain:?}");
        }
        assert_eq!(sag(&load(25, 0.5, 0.01, 0.0, 1)), None, "too short");
    }

    #[test]
    fn readings_have_ends_and_limits() {
        let reading = |celsius, throttling: &[Throttle]| {
            Some(Reading { celsius: Some(celsius), throttling: throttling.to_vec(), ..Reading::default() })
        };
        let moments: Vec<Moment> = (0..20)
            .map(|index| {
                let limits = if index < 5 { vec![Throttle::Idle] } else { vec![Throttle::PowerCap] };
                Moment { reading: reading(40 + index, &limits), ..Moment::default() }
            })
            .collect();
        assert_eq!(ends(&moments, |reading| reading.celsius.map(f64::from)), Some((40.5, 58.5)));
        assert_eq!(ends(&moments, |reading| reading.watts), None);
        assert_eq!(limits(&moments), [(Throttle::PowerCap, 0.75)]);
    }
}
