//! Writes sections as text.

use super::cold;
#[cfg(not(target_family = "wasm"))]
use super::rates;
use crate::report::layout::{Medium, Part, Terminal, lay_out};
use crate::report::{Section, table, toolchains};
use record::Record;
use record::suite::Toolchain;

/// All sections as tables for a terminal.
#[must_use]
pub fn tables(sections: &[Section], terminal: Terminal) -> String {
    write(sections, Medium::Terminal(terminal))
}

/// All sections for the given medium.
#[must_use]
pub fn write(sections: &[Section], medium: Medium) -> String {
    let all = sections.iter().map(|section| rows(section, medium));
    let rows = sections.iter().flat_map(|section| section.rows.iter().copied());
    let speed = table::changed_speed(rows, medium.terminal()).map(|remark| vec![Part::Remark(remark)]);
    let rows: Vec<&Record> = sections.iter().flat_map(|section| section.rows.iter().copied()).collect();
    let cold = cold::sentence(&rows).map(|text| vec![Part::text(&text)]);
    let toolchains = toolchains(rows.iter().copied());
    let names: Vec<_> = toolchains.iter().map(Toolchain::title).collect();
    let ratios = (names.len() > 1)
        .then(|| vec![Part::text(&format!("For ratios of {}, see `shaderbench compare`.", names.join(", ")))]);
    let all = all.chain(cold).chain(ratios).chain(speed);
    all.map(|parts| lay_out(parts, medium)).collect::<Vec<_>>().join("\n")
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
    let mut parts = vec![table::headline(section)];
    // Rows of other versions may name no API.
    let each = if toolchains.len() < 2 { vec![None] } else { toolchains.into_iter().map(Some).collect() };
    for toolchain in each {
        let is_of = |of: Option<Toolchain>| toolchain.is_none() || of == toolchain;
        let rows: Vec<&Record> = section.rows.iter().copied().filter(|row| is_of(row.toolchain())).collect();
        parts.extend(toolchain.map(|toolchain| Part::text(&format!("{}:", toolchain.title()))));
        parts.extend(of_toolchain(section, &rows, medium.terminal()));
        let findings = section.findings.iter().filter(|(of, _)| is_of(Some(*of)));
        parts.extend(findings.map(|(_, finding)| Part::text(&finding.text())));
    }
    parts
}

fn of_toolchain(section: &Section, rows: &[&Record], terminal: Terminal) -> Vec<Part> {
    let mut kernels = rows.iter().map(|row| (&*row.family, &*row.benchmark));
    let is_rates = kernels.next().is_some_and(|first| first.0 == "rates" && kernels.any(|other| other != first));
    let rates = if is_rates { rates::parts(rows, terminal) } else { None };
    let has_no_fractions = is_rates && rates.is_none();
    let mut parts = rates.unwrap_or_else(|| table::rows(section.is_by_kernel, rows, terminal).into_iter().collect());
    parts.extend(table::remarks(rows, terminal).into_iter().map(Part::Remark));
    let why = "No ratios: f32_fma, the reference for all rates, was not measured.";
    parts.extend(has_no_fractions.then(|| Part::text(why)));
    parts
}

/// Browsers show no table of the family `rates`.
#[cfg(target_family = "wasm")]
mod rates {
    pub(super) fn parts(
        _: &[&record::Record],
        _: crate::report::layout::Terminal,
    ) -> Option<Vec<crate::report::layout::Part>> {
        None
    }
}
