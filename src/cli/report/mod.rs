//! `report`: reports as a page, as one CSV, as the list of a folder, or for github-action-benchmark.

mod arguments;
mod github;
mod index;
mod merge;
mod page;

use crate::error::Result;

pub(super) use arguments::Arguments;
use arguments::Format;
use github::github;
use index::index;
use merge::merge;
use page::page;

/// Runs the command and returns the exit code.
pub(super) fn report(arguments: &Arguments) -> Result<u8> {
    let by_ending = || arguments.out.as_deref().map_or(Ok(Format::Html), Format::of);
    match arguments.format.map_or_else(by_ending, Ok)? {
        Format::Html => page(arguments),
        Format::Csv => merge(arguments),
        Format::Index => index(arguments).map(|()| 0),
        Format::Github => github(arguments).map(|()| 0),
    }
}
