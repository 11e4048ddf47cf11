//! Writes sections as text.

use super::layout::{Medium, Part, Terminal, lay_out};
use super::{Section, lanes, table, versus};

/// All sections as terminal tables. Rows of several APIs or compilers are compared; a table of all families then ends the text,
/// and one of the compilers.
#[must_use]
pub fn tables(sections: &[Section], terminal: Terminal) -> String {
    write(sections, Medium::Terminal(terminal))
}

/// All sections for the given medium.
#[must_use]
pub fn write(sections: &[Section], medium: Medium) -> String {
    let all = sections.iter().map(|one| section(one, medium)).chain(versus::overall(sections));
    let all = all.chain(versus::compilers(sections));
    all.map(|parts| lay_out(parts, medium)).collect::<Vec<_>>().join("\n")
}

/// The table of the compilers; empty unless the rows compare compilers.
#[must_use]
pub fn compilers(sections: &[Section], medium: Medium) -> String {
    versus::compilers(sections).map_or_else(String::new, |parts| lay_out(parts, medium))
}

/// One section: table, remarks and findings.
#[must_use]
pub fn section(section: &Section, medium: Medium) -> Vec<Part> {
    let lanes = lanes(section.rows.iter().copied());
    let terminal = medium.terminal();
    if lanes.len() < 2 { table::section(section, terminal) } else { versus::section(section, &lanes, terminal) }
}
