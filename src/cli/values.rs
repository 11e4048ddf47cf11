//! Parsers of option values.

use std::ffi::OsString;
use std::time::Duration;

use record::Status;
use record::error::{Error, Result};
use record::suite::Extent;

/// Parses the arguments of a command from words, of which the first is its name.
pub(super) fn arguments<T: clap::Args>(words: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<T> {
    let matches = T::augment_args(clap::Command::new("arguments")).try_get_matches_from(words);
    matches.and_then(|matches| T::from_arg_matches(&matches)).map_err(|error| Error::Usage(error.to_string()))
}

/// Parses `90`, `90s`, `2m` or `1h 30m`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<u32>().ok().map(|seconds| Duration::from_secs(seconds.into()));
    let parsed = || text.parse::<jiff::SignedDuration>().ok().and_then(|duration| Duration::try_from(duration).ok());
    seconds
        .or_else(parsed)
        .filter(|time| *time >= Duration::from_secs(1))
        .ok_or_else(|| format!("'{text}' is not a duration of at least 1 s: write, for example, 90s, 5m or 1h"))
}

pub(super) fn size(text: &str) -> Result<Extent, String> {
    Extent::parse(text).map_err(|error| error.to_string())
}

/// Parses a status that makes a run exit with code 3.
pub(super) fn fail_on(text: &str) -> Result<Status, String> {
    let known = [Status::Wrong, Status::Failed, Status::Implausible, Status::Skipped];
    known
        .into_iter()
        .find(|status| status.name() == text)
        .ok_or_else(|| format!("unknown status '{text}': use {}", known.map(Status::name).join(", ")))
}

pub(super) fn param(text: &str) -> Result<(String, f64), String> {
    let pair = text.split_once('=').and_then(|(name, value)| Some((name.to_owned(), value.parse::<f64>().ok()?)));
    match pair {
        Some((name, value)) if value.is_finite() && !name.is_empty() => Ok((name, value)),
        _ => Err(format!("'{text}' is not a parameter: write NAME=NUMBER, for example WG=128")),
    }
}

/// Parses a percentage, with or without the % sign.
pub(super) fn percentage(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim_end().parse::<f64>().ok();
    let fault = || format!("'{text}' is not a percentage: write a number of at least 0, for example 5");
    number.filter(|percent| percent.is_finite() && *percent >= 0.0).ok_or_else(fault)
}
