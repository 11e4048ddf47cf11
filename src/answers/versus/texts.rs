//! Texts that tables and sentences share.

use std::borrow::Cow;

use crate::record::format;
use crate::record::stats::Estimate;
use crate::suite::Lane;

/// Merges equal lines. Each line has a prefix that names its lanes, unless all lanes have it.
pub(super) fn by_lane<'a, T: PartialEq>(lines: Vec<(Lane<'a>, T)>, lanes: &[Lane<'a>]) -> Vec<(String, T)> {
    let mut merged: Vec<(Vec<Cow<str>>, T)> = Vec::new();
    for (lane, line) in lines {
        match merged.iter_mut().find(|(_, known)| *known == line) {
            Some((of, _)) => of.push(lane.title()),
            None => merged.push((vec![lane.title()], line)),
        }
    }
    let prefix = |of: &[Cow<str>]| if of.len() == lanes.len() { String::new() } else { format!("{}: ", of.join(", ")) };
    merged.into_iter().map(|(of, line)| (prefix(&of), line)).collect()
}

pub(super) fn none() -> String {
    "–".to_owned()
}

pub(super) fn with_interval(ratio: Estimate) -> String {
    format::ratio_with_interval(ratio.value, Some((ratio.low, ratio.high)))
}
