//! Writes sections as text.

use super::layout::{Medium, Part, Terminal, lay_out};
use super::{Section, lanes, table, versus};

/// All sections as terminal tables. Rows of several APIs or compilers are compared; a table of all families then ends the text.
#[must_use]
pub fn tables(sections: &[Section], terminal: Terminal) -> String {
    write(sections, Medium::Terminal(terminal))
}

/// All sections for the given medium.
#[must_use]
pub fn write(sections: &[Section], medium: Medium) -> String {
    let all = sections.iter().map(|one| section(one, medium)).chain(versus::overall(sections));
    all.map(|parts| lay_out(parts, medium)).collect::<Vec<_>>().join("\n")
}

/// One section: table, remarks and findings.
#[must_use]
pub fn section(section: &Section, medium: Medium) -> Vec<Part> {
    let lanes = lanes(section.rows.iter().copied());
    let terminal = medium.terminal();
    if lanes.len() < 2 { table::section(section, terminal) } else { versus::section(section, &lanes, terminal) }
}
