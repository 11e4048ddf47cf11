use super::device_rows::Why;
use super::facts::Facts;
use crate::stats::{self, Estimate};
use crate::{Record, byte_rate, format, time};

/// Speeds within this factor count as equal: too little to prefer one kernel, and about the uncertainty of one epoch.
/// One is faster if the whole 95 % interval of the ratio is above the factor; they are equal if it is within it (two
/// one-sided tests, Schuirmann, *Journal of Pharmacokinetics and Biopharmaceutics* 15, 1987).
pub const CLAIM_MARGIN: f64 = 1.1;
/// [`CLAIM_MARGIN`] in words.
pub const WITHIN: &str = "within 10 %";

/// The row's time in nanoseconds.
pub fn known_time(row: &Record) -> Result<Estimate, Why> {
    time(row).ok_or_else(|| Why::new(format!("`{}` has too few samples for a confidence interval", row.name())))
}

/// The speed of `own` relative to `other` at the same work: the ratio of their times.
pub fn speed(own: &Record, other: &Record) -> Result<Estimate, Why> {
    let ratio = stats::ratio(known_time(other)?, known_time(own)?);
    ratio.ok_or_else(|| Why::new("the rows have no confidence interval"))
}

/// Whether a relative speed is certainly above `least`; `false` if certainly within the margin, else an error.
pub fn is_faster(speed: Estimate, least: f64) -> Result<bool, Why> {
    if speed.low > least {
        Ok(true)
    } else if speed.high <= CLAIM_MARGIN {
        Ok(false)
    } else {
        Err(noisy("the ratio of the speeds is", speed))
    }
}

/// Whether `found` is `expected`, within 10 %; an error if the interval contains an end of the margin.
pub fn is_near(found: Estimate, expected: f64) -> Result<bool, Why> {
    let (low, high) = (found.low / expected, found.high / expected);
    if low >= CLAIM_MARGIN.recip() && high <= CLAIM_MARGIN {
        Ok(true)
    } else if high < CLAIM_MARGIN.recip() || low > CLAIM_MARGIN {
        Ok(false)
    } else {
        Err(noisy("the ratio is", found))
    }
}

/// Whether a relative speed is not below 1 by more than the margin.
pub fn is_no_slower(speed: Estimate) -> Result<bool, Why> {
    if speed.low >= CLAIM_MARGIN.recip() {
        Ok(true)
    } else if speed.high < CLAIM_MARGIN.recip() {
        Ok(false)
    } else {
        Err(noisy("the ratio of the speeds is", speed))
    }
}

/// `too noisy: the ratio is 1.02× [0.95, 1.12]`.
pub fn noisy(what: &str, ratio: Estimate) -> Why {
    let ratio = format::ratio_with_interval(ratio.value, Some((ratio.low, ratio.high)));
    Why::new(format!("too noisy: {what} {ratio}"))
}

/// `3.5× as fast as`; `as fast (within 10 %) as` if the interval contains 1.
pub fn compared(facts: &mut Facts, name: &str, speed: Estimate) -> Result<String, Why> {
    let is_apart = speed.low > 1.0 || speed.high < 1.0;
    match if is_apart { facts.times(name, speed) } else { None } {
        Some(times) => Ok(format!("{times} as fast as")),
        None if speed.low >= CLAIM_MARGIN.recip() && speed.high <= CLAIM_MARGIN => Ok(format!("as fast ({WITHIN}) as")),
        None if speed.low > CLAIM_MARGIN => Ok("faster than".to_owned()),
        None if speed.high < CLAIM_MARGIN.recip() => Ok("slower than".to_owned()),
        None if speed.high <= CLAIM_MARGIN => Ok("at most 10 % faster than".to_owned()),
        None if speed.low >= CLAIM_MARGIN.recip() => Ok("at most 10 % slower than".to_owned()),
        None => Err(noisy("the ratio of the speeds is", speed)),
    }
}

/// A part of a whole: `80 %`, `80 % ±6 %`.
pub fn percent(facts: &mut Facts, name: &str, part: Estimate) -> Result<String, Why> {
    facts.percent(name, part).ok_or_else(|| noisy("the ratio is", part))
}

/// `name 484 GB/s`, if the row has a rate that is not too noisy to quote.
pub fn rate(facts: &mut Facts, name: &str, row: &Record) -> Option<String> {
    let rate = facts.byte_rate(name, byte_rate(row)?)?;
    Some(format!("{name} {rate}"))
}

/// `name 23.6 µs`, if it is not too noisy to quote.
pub fn duration(facts: &mut Facts, name: &str, row: &Record) -> Option<String> {
    let time = facts.time(name, time(row)?)?;
    Some(format!("{name} {time}"))
}
