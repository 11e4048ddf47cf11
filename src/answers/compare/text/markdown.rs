//! Comparisons as Markdown for pull requests: the answer first, then all rows.

use super::answer::{answer, row};
use super::columns::block;
use super::sentences::{
    RegressionLine, days, labels, left_out, particulars, regression_lines, rule, tally_lines, title,
};
use super::view::{View, groups};
use crate::compare::{ChangedKernel, Comparison};
use crate::report::markdown::{escape, table};

pub(super) fn write(comparison: &Comparison, view: View) -> String {
    let matches = || 0..comparison.matches.len();
    let mut parts: Vec<String> = Vec::new();
    parts.extend(matches().map(|of| answered(comparison, of)));
    parts.push(sides(comparison));
    if let Some(limit) = view.limit {
        let lines = regression_lines(comparison, limit);
        let item = |line: &RegressionLine| {
            let text = escape(&line.text);
            if line.is_item { format!("- {text}\n") } else { format!("\n{text}\n") }
        };
        parts.push(lines.iter().map(item).collect::<String>().trim_start().to_owned());
    }
    let tally = matches().flat_map(|of| tally_lines(comparison, of));
    parts.push(tally.map(|line| format!("- {}\n", escape(&line))).collect());
    parts.push(format!("Changes of the time with 95 % intervals. {}\n", rule(comparison)));
    for group in groups(comparison, view.sort) {
        let Some(block) = block(comparison, &group.cases, view) else { continue };
        let columns: Vec<_> = block.groups.iter().flatten().collect();
        let mut heading = vec!["case".to_owned()];
        heading.extend(columns.iter().map(|column| column.heading.clone()));
        heading.push("note".to_owned());
        let row = |index: usize| {
            let mut cells = vec![format!("{} {}", block.titles[index], block.names[index])];
            cells.extend(columns.iter().map(|column| column.cells[index].text.clone()));
            cells.push(block.notes[index].clone());
            cells
        };
        let rows: Vec<_> = (0..block.names.len()).map(row).collect();
        let right = columns.iter().map(|column| column.is_right);
        let right: Vec<bool> = std::iter::once(false).chain(right).chain([false]).collect();
        parts.push(format!("### {}\n\n{}", group.family.unwrap_or("all cases"), table(&heading, &right, &rows)));
    }
    let left: Vec<_> = matches().flat_map(|of| left_out(comparison, of)).collect();
    parts.push(left.iter().map(|line| format!("- {}\n", escape(line))).collect());
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

fn sides(comparison: &Comparison) -> String {
    let heading = ["", "device and API", "driver", "shaderbench", "runs", "reports"].map(str::to_owned);
    let row = |side: &crate::compare::Side| {
        let name = [vec![title(side)], particulars(comparison, side)].concat().join(", ");
        [side.label.as_str(), &name, side.driver, side.tool_version, &days(side), &side.reports.join(", ")]
            .map(str::to_owned)
            .to_vec()
    };
    table(&heading, &[false; 6], &comparison.sides.iter().map(row).collect::<Vec<_>>())
}

/// The answer for a match, and the kernels that changed.
fn answered(comparison: &Comparison, of: usize) -> String {
    let [a, b] = labels(comparison, of);
    let heading = ["kernel", "", "cases", &format!("{b} against {a}")].map(str::to_owned);
    let row = |kernel: &ChangedKernel| {
        let [name, cases, change] = row(kernel);
        vec![name, kernel.verdict.name().to_owned(), cases, change]
    };
    let rows: Vec<_> = comparison.changed_kernels(of).iter().map(row).collect();
    let kernels = if rows.is_empty() {
        String::new()
    } else {
        format!("\n{}", table(&heading, &[false, false, true, true], &rows))
    };
    format!("{}\n{kernels}", escape(&answer(comparison, of).join(" ")))
}
