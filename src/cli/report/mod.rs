//! `report`: reports as a page, as one CSV, as the list of a folder, or in formats of other tools.

mod arguments;
mod export;
mod index;
mod merge;
mod page;

use crate::error::Result;
use crate::report::export as tools;

pub(super) use arguments::Arguments;
use arguments::Format;
use export::export;
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
        Format::Openmetrics => export(arguments, tools::Format::Openmetrics).map(|()| 0),
        Format::Junit => export(arguments, tools::Format::Junit).map(|()| 0),
        Format::Bencher => export(arguments, tools::Format::Bencher).map(|()| 0),
        Format::Github => export(arguments, tools::Format::Github).map(|()| 0),
    }
}
