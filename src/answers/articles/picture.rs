//! Pictures of block characters: columns over a parameter, and bars of rates.

use crate::report::layout::{BAR, padded};
use record::claim::{Bar, Graph, Picture};
use record::format;
use textwrap::core::display_width;

const COLUMN: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Lines above the axis.
const HEIGHT: usize = 4;
const INDENT: &str = "  ";
/// With more values than this, columns have no space between them.
const SPACED: usize = 32;
const WIDTH: usize = 28;

/// At most 80 columns wide.
pub(super) fn drawn(picture: &Picture, side: &str) -> String {
    match picture {
        Picture::Graph(graph) => columns(&format!("{side}: {}", graph.title), graph),
        Picture::Bars(title, bars) => rates(&format!("{side}: {title}"), bars),
    }
}

pub(super) fn predicted(graph: &Graph) -> String {
    columns(graph.title, graph)
}

/// A column for each value; a dot if the value is missing.
fn columns(title: &str, graph: &Graph) -> String {
    let gap = if graph.values.len() <= SPACED { " " } else { "" };
    let mut lines = vec![format!("{INDENT}{title}")];
    for line in (0..HEIGHT).rev() {
        let label = match line {
            line if line + 1 == HEIGHT => "100 %",
            0 => "0 %",
            _ => "",
        };
        let cell = |value: &Option<f64>| match value {
            Some(value) => cell(*value, line),
            None if line == 0 => '·',
            None => ' ',
        };
        let cells: Vec<String> = graph.values.iter().map(|value| cell(value).to_string()).collect();
        lines.push(format!("{INDENT}{label:>5} ┤{}", cells.join(gap)).trim_end().to_owned());
    }
    lines.push(format!("{INDENT}{}", ticks(graph, 1 + gap.len())));
    lines.join("\n")
}

/// The character of a value in a line, counted from the axis. Values above zero are always visible.
fn cell(value: f64, line: usize) -> char {
    let eighths = (value.clamp(0.0, 1.0) * (8 * HEIGHT) as f64).round() as usize;
    let eighths = if value > 0.0 { eighths.max(1) } else { 0 };
    match eighths.saturating_sub(8 * line).min(8) {
        0 => ' ',
        filled => COLUMN[filled - 1],
    }
}

/// Labels below the columns: the parameter's first value and each multiple of 8.
fn ticks(graph: &Graph, width: usize) -> String {
    let mut line = String::new();
    for (index, _) in graph.values.iter().enumerate() {
        let value = graph.first + index as u64;
        let at = "100 % ┤".chars().count() + index * width;
        if (index == 0 || value.is_multiple_of(8)) && display_width(&line) <= at {
            line = format!("{}{value}", padded(&line, at));
        }
    }
    line
}

fn rates(title: &str, bars: &[Bar]) -> String {
    let highest = bars.iter().map(|bar| bar.gb_per_s).fold(f64::MIN_POSITIVE, f64::max);
    let name = bars.iter().map(|bar| display_width(&bar.name)).max().unwrap_or(0);
    let line = |bar: &Bar| {
        let eighths = (bar.gb_per_s / highest * (8 * WIDTH) as f64).round().max(1.0) as usize;
        let mut drawn = BAR[7].to_string().repeat(eighths / 8);
        drawn.extend((!eighths.is_multiple_of(8)).then(|| BAR[eighths % 8 - 1]));
        let rate = format::byte_rate(bar.gb_per_s);
        format!("{INDENT}{}  {} {rate:>11}", padded(&bar.name, name), padded(&drawn, WIDTH))
    };
    [format!("{INDENT}{title}")].into_iter().chain(bars.iter().map(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_has_a_column_for_each_value_and_a_dot_for_a_gap() {
        let values = vec![Some(1.0), Some(0.5), Some(0.001), None, Some(0.25), Some(1.3), None, Some(0.0)];
        let drawn = predicted(&Graph { title: "speed", first: 1, values });
        let expected = [
            "  speed",
            "  100 % ┤█         █",
            "        ┤█         █",
            "        ┤█ █       █",
            "    0 % ┤█ █ ▁ · █ █ ·",
            "         1             8",
        ];
        assert_eq!(drawn.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn pictures_are_at_most_80_columns_wide() {
        let values: Vec<Option<f64>> = (0..64).map(|i| Some(f64::from(i) / 64.0)).collect();
        let wide = predicted(&Graph { title: "t", first: 1, values });
        let bar = |name: &str, gb_per_s| Bar { name: name.to_owned(), gb_per_s };
        let bars = rates("t", &[bar("naive_coalesced_write", 4123.0), bar("tiled_wide PAD=1", 0.5)]);
        for line in wide.lines().chain(bars.lines()) {
            assert!(display_width(line) <= 80, "{line}");
        }
        assert!(bars.contains("4.12 TB/s") && bars.contains("▏"), "{bars}");
    }
}
