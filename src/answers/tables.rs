//! Writes sections as text.

#[cfg(not(target_family = "wasm"))]
use super::rates;
use super::{cold, versus};
use crate::record::Record;
use crate::report::layout::{Medium, Part, Terminal, lay_out};
use crate::report::{Section, table, toolchains};
use crate::suite::Toolchain;

/// All sections as terminal tables. Rows of several APIs or compilers are compared; a table of all families then ends the text,
/// and one of the compilers.
#[must_use]
pub fn tables(sections: &[Section], terminal: Terminal) -> String {
    write(sections, Medium::Terminal(terminal))
}

/// All sections for the given medium.
#[must_use]
pub fn write(sections: &[Section], medium: Medium) -> String {
    let all = sections.iter().map(|section| rows(section, medium)).chain(versus::overall(sections));
    let rows = sections.iter().flat_map(|section| section.rows.iter().copied());
    let speed = table::changed_speed(rows, medium.terminal()).map(|remark| vec![Part::Remark(remark)]);
    let rows: Vec<&Record> = sections.iter().flat_map(|section| section.rows.iter().copied()).collect();
    let cold = cold::sentence(&rows).map(|text| vec![Part::text(&text)]);
    let all = all.chain(versus::compilers(sections)).chain(cold).chain(speed);
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
    let speed = table::changed_speed(section.rows.iter().copied(), medium.terminal()).map(Part::Remark);
    rows(section, medium).into_iter().chain(speed).collect()
}

/// A section without the remark that all sections share.
fn rows(section: &Section, medium: Medium) -> Vec<Part> {
    let toolchains = toolchains(section.rows.iter().copied());
    let terminal = medium.terminal();
    let mut kernels = section.rows.iter().map(|row| (&*row.family, &*row.benchmark));
    let is_rates = kernels.next().is_some_and(|first| first.0 == "rates" && kernels.any(|other| other != first));
    let rates_of = |toolchain: Option<&Toolchain>| {
        let of = |row: &&Record| toolchain.is_none_or(|toolchain| row.toolchain() == Some(*toolchain));
        let rows: Vec<_> = section.rows.iter().copied().filter(of).collect();
        if is_rates { rates::parts(&rows, terminal) } else { None }
    };
    if toolchains.len() < 2 {
        let Some(grids) = rates_of(None) else {
            let mut parts = table::section(section, terminal);
            if is_rates {
                let why = "No fractions: f32_fma, which all rates are compared with, has no time.";
                parts.push(Part::text(why));
            }
            return parts;
        };
        return table::around(section, grids, terminal);
    }
    let mut parts = versus::section(section, &toolchains, terminal);
    for toolchain in &toolchains {
        if let Some(grids) = rates_of(Some(toolchain)) {
            parts.push(Part::text(&format!("{}:", toolchain.title())));
            parts.extend(grids);
        }
    }
    parts
}

/// Browsers have no family `rates`.
#[cfg(target_family = "wasm")]
mod rates {
    pub(super) fn parts(
        _: &[&crate::record::Record],
        _: crate::report::layout::Terminal,
    ) -> Option<Vec<crate::report::layout::Part>> {
        None
    }
}
