//! Texts that tables and sentences share.

use crate::backend::Api;
use crate::results::format;
use crate::results::stats::Estimate;

/// Merges equal lines. Each line has a prefix that names its APIs, unless all APIs have it.
pub(super) fn by_api<T: PartialEq>(lines: Vec<(Api, T)>, apis: &[Api]) -> Vec<(String, T)> {
    let mut merged: Vec<(Vec<&str>, T)> = Vec::new();
    for (api, line) in lines {
        match merged.iter_mut().find(|(_, known)| *known == line) {
            Some((of, _)) => of.push(api.title()),
            None => merged.push((vec![api.title()], line)),
        }
    }
    let prefix = |of: &[&str]| if of.len() == apis.len() { String::new() } else { format!("{}: ", of.join(", ")) };
    merged.into_iter().map(|(of, line)| (prefix(&of), line)).collect()
}

pub(super) fn none() -> String {
    "–".to_owned()
}

pub(super) fn with_interval(ratio: Estimate) -> String {
    format::ratio_with_interval(ratio.value, Some((ratio.low, ratio.high)))
}
