//! Sections as text.

use super::layout::{Look, Medium, Part, lay_out};
use super::{Section, apis, table, versus};

/// Every section as a table for a terminal; where its rows come from several APIs, these stand against each other, and the whole ends
/// with a table of all families.
#[must_use]
pub fn tables(sections: &[Section], look: Look) -> String {
    write(sections, Medium::Terminal(look))
}

/// The same for any medium.
#[must_use]
pub fn write(sections: &[Section], medium: Medium) -> String {
    let all = sections.iter().map(|one| section(one, medium)).chain(versus::overall(sections));
    all.map(|parts| lay_out(parts, medium)).collect::<Vec<_>>().join("\n")
}

/// One section: its table, what is to be known of its rows, and what they show.
#[must_use]
pub fn section(section: &Section, medium: Medium) -> Vec<Part> {
    let apis = apis(section.rows.iter().copied());
    let look = medium.look();
    if apis.len() < 2 { table::section(section, look) } else { versus::section(section, &apis, look) }
}
