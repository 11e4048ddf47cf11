//! Sections as text.

use super::layout::{Medium, Part, Terminal, lay_out};
use super::{Section, apis, table, versus};

/// Every section as a table for a terminal. Rows of several APIs are compared, and a table of all families ends the
/// text.
#[must_use]
pub fn tables(sections: &[Section], terminal: Terminal) -> String {
    write(sections, Medium::Terminal(terminal))
}

/// The same for any medium.
#[must_use]
pub fn write(sections: &[Section], medium: Medium) -> String {
    let all = sections.iter().map(|one| section(one, medium)).chain(versus::overall(sections));
    all.map(|parts| lay_out(parts, medium)).collect::<Vec<_>>().join("\n")
}

/// One section: its table, remarks on its rows, and its findings.
#[must_use]
pub fn section(section: &Section, medium: Medium) -> Vec<Part> {
    let apis = apis(section.rows.iter().copied());
    let terminal = medium.terminal();
    if apis.len() < 2 { table::section(section, terminal) } else { versus::section(section, &apis, terminal) }
}
