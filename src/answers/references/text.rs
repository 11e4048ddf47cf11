//! A report compared with references as text: a line per headline figure, and a sentence on those outside their range.

use super::{Beside, Headline};
use crate::report::layout::{Column, Grid, Mark, Medium, Part, Row, lay_out};
use record::format;
use record::suite::Api;

/// Each run of a report, compared with the references of its model.
#[must_use]
pub fn write(runs: &[Beside], medium: Medium) -> String {
    let mut parts = Vec::new();
    for run in runs {
        if !parts.is_empty() {
            parts.push(Part::text(""));
        }
        parts.extend(of_run(run));
    }
    lay_out(parts, medium)
}

fn of_run(run: &Beside) -> Vec<Part> {
    let api = Api::named(&run.api).map_or(run.api.as_str(), |api| api.title());
    let toolchain = if run.compiler.is_empty() { api.to_owned() } else { format!("{} ({api})", run.compiler) };
    let device = if run.device.is_empty() { "unnamed device" } else { &run.device };
    let most = run.figures.iter().map(|headline| headline.references).max().unwrap_or(0);
    let beside = match most {
        0 => "no reference".to_owned(),
        most => format!("beside {}", counted(most)),
    };
    let rest = format!("{beside} ({})", run.report);
    let mut parts = vec![Part::Heading { name: format!("{device}, {toolchain}"), rest }];
    let note = |text: String| Part::Text { text, indent: "  " };
    if most > 0 {
        parts.push(note(outside(&run.figures)));
        parts.push(Part::Table(grid(&run.figures)));
        let legend = "÷ median: speed ÷ the references' median; above 1, this card is faster. range: the slowest \
                      and the fastest of n references, each ÷ their median.";
        parts.push(note(legend.to_owned()));
    }
    let left = run.references - most;
    if run.references == 0 {
        let none = "There is no built-in report of this model and API: name a second report.";
        parts.push(note(none.to_owned()));
    } else if left > 0 {
        parts.push(note(format!("Not compared because kernels, checks, clock or profile differ: {}.", counted(left))));
    }
    parts
}

/// Names the headline figures that are slower or faster than every reference.
fn outside(figures: &[Headline]) -> String {
    let list = |word: &str, is_it: fn(&Headline) -> bool| {
        let found = figures.iter().filter(|headline| is_it(headline));
        let found: Vec<String> = found
            .map(|headline| format!("{} ({})", headline.figure.name, format::ratio(headline.time_ratio.recip())))
            .collect();
        (!found.is_empty()).then(|| format!("{word} than every reference: {}.", found.join(", ")))
    };
    let found = [list("Slower", |headline| headline.is_slow), list("Faster", |headline| headline.is_fast)];
    let found: Vec<String> = found.into_iter().flatten().collect();
    if found.is_empty() { "No figure is slower or faster than every reference.".to_owned() } else { found.join(" ") }
}

fn grid(figures: &[Headline]) -> Grid {
    let row = |headline: &Headline| {
        let Headline { figure, references, median, time_ratio, time_range: (fastest, slowest), .. } = headline;
        let cells = [
            format!("{}{}", figure.unit.text(figure.value), figure.reach.map_or_else(String::new, format::plus_minus)),
            figure.unit.text(*median),
            format::ratio(time_ratio.recip()),
            format!("{:.3}–{:.3}", slowest.recip(), fastest.recip()),
            references.to_string(),
        ];
        let mark = if headline.is_slow || headline.is_fast { Mark::Note } else { Mark::None };
        Row { mark, ..Row::new("", &figure.name, cells) }
    };
    let columns = ["this", "median", "÷ median", "range", "n"].map(Column::right);
    Grid { has_marks: true, ..Grid::new(columns, figures.iter().map(row)) }
}

fn counted(references: usize) -> String {
    format::plural(references, "reference report", "reference reports")
}
