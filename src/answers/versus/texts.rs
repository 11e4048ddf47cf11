//! Texts that tables and sentences share.

use std::borrow::Cow;

use crate::record::format;
use crate::record::stats::Estimate;
use crate::suite::Toolchain;

/// Merges equal lines. Each line has a prefix that names its toolchains, unless all toolchains have it.
pub(super) fn by_lane<'a, T: PartialEq>(
    lines: Vec<(Toolchain<'a>, T)>,
    toolchains: &[Toolchain<'a>],
) -> Vec<(String, T)> {
    let mut merged: Vec<(Vec<Cow<str>>, T)> = Vec::new();
    for (toolchain, line) in lines {
        match merged.iter_mut().find(|(_, known)| *known == line) {
            Some((of, _)) => of.push(toolchain.title()),
            None => merged.push((vec![toolchain.title()], line)),
        }
    }
    let prefix =
        |of: &[Cow<str>]| if of.len() == toolchains.len() { String::new() } else { format!("{}: ", of.join(", ")) };
    merged.into_iter().map(|(of, line)| (prefix(&of), line)).collect()
}

pub(super) fn none() -> String {
    "–".to_owned()
}

pub(super) fn with_interval(ratio: Estimate) -> String {
    format::ratio_with_interval(ratio.value, Some((ratio.low, ratio.high)))
}
