//! Comparisons as Markdown for pull requests: the answer first; every row with `--all`.

use super::answer::{answer, row};
use super::columns::block;
use super::sentences::{
    RegressionLine, days, labels, left_out, particulars, regression_lines, rule, tally_lines, title,
};
use super::view::{View, groups};
use crate::compare::{ChangedKernel, Comparison};
use crate::report::markdown::{escape, table};
use record::format::plural;

/// Maximum number of changes, and of regressions, without `--all`: the length of a comment is limited.
const MOST: usize = 30;

pub(super) fn write(comparison: &Comparison, view: View) -> String {
    let matches = || 0..comparison.matches.len();
    let mut parts: Vec<String> = Vec::new();
    let most = if view.has_all_rows { usize::MAX } else { MOST };
    parts.extend(matches().map(|of| answered(comparison, of, most)));
    parts.push(sides(comparison));
    if let Some(limit) = view.limit {
        let lines = regression_lines(comparison, limit);
        let item = |line: &RegressionLine| {
            let text = escape(&line.text);
            if line.is_item { format!("- {text}\n") } else { format!("\n{text}\n") }
        };
        let more = lines.len().saturating_sub(most);
        let mut text = lines.iter().take(most).map(item).collect::<String>().trim_start().to_owned();
        text.extend((more > 0).then(|| format!("- {}\n", and_more(more, "more line", "more lines"))));
        parts.push(text);
    }
    let tally = matches().flat_map(|of| tally_lines(comparison, of));
    parts.push(tally.map(|line| format!("- {}\n", escape(&line))).collect());
    parts.push(format!("Changes in run time with 95 % intervals. {}\n", rule(comparison)));
    if !view.has_all_rows {
        parts.push("`--all` adds every case.\n".to_owned());
        return parts.join("\n");
    }
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

fn and_more(count: usize, one: &str, several: &str) -> String {
    format!("and {}: `--all`", plural(count, one, several))
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

fn answered(comparison: &Comparison, of: usize, most: usize) -> String {
    let [a, b] = labels(comparison, of);
    let heading = ["kernel", "", "cases", &format!("{b} against {a}")].map(str::to_owned);
    let row = |kernel: &ChangedKernel| {
        let [name, cases, change] = row(kernel);
        vec![name, kernel.verdict.name().to_owned(), cases, change]
    };
    let changed = comparison.changed_kernels(of);
    let mut rows: Vec<_> = changed.iter().take(most).map(row).collect();
    let more = changed.len() - rows.len();
    rows.extend((more > 0).then(|| {
        let more = and_more(more, "more kernel", "more kernels");
        vec![more, String::new(), String::new(), String::new()]
    }));
    let kernels = if rows.is_empty() {
        String::new()
    } else {
        format!("\n{}", table(&heading, &[false, false, true, true], &rows))
    };
    format!("{}\n{kernels}", escape(&answer(comparison, of).join(" ")))
}
