//! The text of `normal`: a table of figures, and sentences about those at the edge of their model.

mod data;
mod packed;

use crate::answers::among::{Figure, Hint, LEAST_CARDS, Reference, Standing, Unit, hints, standings};
use crate::record::stats::student;
use crate::record::{Record, format};
use crate::report::layout::{Column, Grid, Mark, Medium, Part, Row, lay_out};
use crate::suite::{Api, binary_size};
pub use data::{Normality, data};
pub use packed::{Shipped, pack, unpack};

/// How each run in `records`, the report called `name`, stands among `references`.
#[must_use]
pub fn write(name: &str, records: &[Record], references: &[Reference], medium: Medium) -> String {
    let runs = Reference::of_report(records);
    let mut parts = Vec::new();
    if runs.is_empty() {
        parts.push(Part::text(&format!("{name}: no row has a headline figure.")));
    }
    for run in &runs {
        if !parts.is_empty() {
            parts.push(Part::text(""));
        }
        parts.extend(of_run(name, run, records, references));
    }
    lay_out(parts, medium)
}

fn of_run(name: &str, run: &Reference, records: &[Record], references: &[Reference]) -> Vec<Part> {
    let standings = standings(run, references);
    let reports = standings.iter().map(|standing| standing.reports).max().unwrap_or(0);
    let cards = standings.iter().map(|standing| standing.cards).max().unwrap_or(0);
    let api = Api::named(&run.api).map_or_else(|| run.api.clone(), |api| api.title().to_owned());
    let toolchain = if run.compiler.is_empty() { api } else { format!("{} ({api})", run.compiler) };
    let beside = match (reports, cards) {
        (0, _) => "no report to compare with".to_owned(),
        (_, 0) => format!("among {} of the same card", counted(reports, "other report")),
        _ => format!("among {} of {}", counted(reports, "report"), counted(cards, "other card")),
    };
    let heading = format!("{}, {toolchain}", if run.device.is_empty() { "unnamed device" } else { &run.device });
    let mut parts = vec![Part::Heading { name: heading, rest: format!("{beside} ({name})") }];
    let note = |text: String| Part::Text { text, indent: "  " };
    parts.extend(verdict(run, &standings, records, references).into_iter().map(note));
    if reports > 0 {
        let has_quantiles = standings.iter().any(Standing::has_quantile);
        parts.push(Part::Table(grid(&standings, has_quantiles)));
        parts.push(note(legend(&standings, cards, has_quantiles)));
        parts.extend(left_out(&standings).map(note));
    }
    parts
}

/// Whether there is one report to compare with.
fn is_pair(standings: &[Standing]) -> bool {
    standings.iter().all(|standing| standing.compared < 2)
}

/// What the columns mean.
fn legend(standings: &[Standing], cards: usize, has_quantiles: bool) -> String {
    if has_quantiles {
        return "The column ÷ median is a ratio of speeds: above 1 this card is faster. slower cards: the part of the other cards that is \
                slower than this one; all intervals of the table hold together in 95 % of reports."
            .to_owned();
    }
    if is_pair(standings) {
        return "The column ÷ other is a ratio of speeds: above 1 this card is faster.".to_owned();
    }
    format!(
        "{}: too few for quantiles, which need {LEAST_CARDS}. The column ÷ median is a ratio of speeds: \
         above 1 this card is faster. seen: the slowest and the fastest report ÷ the median.",
        match cards {
            0 => "No other card that reports tell apart".to_owned(),
            _ => counted(cards, "other card"),
        }
    )
}

/// What follows from the figures, and what was not compared.
fn sentences(run: &Reference, standings: &[Standing], records: &[Record], references: &[Reference]) -> Vec<String> {
    let has_others = standings.iter().any(|standing| standing.reports > 0);
    let left_out = left_out(standings).filter(|_| has_others);
    verdict(run, standings, records, references).into_iter().chain(left_out).collect()
}

/// The figures at the edge of their model with possible causes, or that there are none.
fn verdict(run: &Reference, standings: &[Standing], records: &[Record], references: &[Reference]) -> Vec<String> {
    if standings.iter().all(|standing| standing.reports == 0) {
        return vec![nothing(run, standings)];
    }
    if is_pair(standings) {
        return vec![one_report(standings)];
    }
    let mut sentences = Vec::new();
    let slow: Vec<&Standing> = standings.iter().filter(|standing| standing.is_slow()).collect();
    let fast: Vec<&Standing> = standings.iter().filter(|standing| standing.is_fast()).collect();
    sentences.extend(edge(&slow, true).into_iter().chain(edge(&fast, false)));
    if !slow.is_empty() {
        let own: Vec<Record> = records.iter().filter(|row| run.has(row)).cloned().collect();
        sentences.extend(causes(&hints(run, &own, references)));
    } else if fast.is_empty() {
        let has_quantiles = standings.iter().any(Standing::has_quantile);
        let others = if has_quantiles { "nearly all other cards" } else { "in all other reports" };
        sentences.push(format!("As usual for this model: no figure is certainly slower or faster than {others}."));
    }
    sentences
}

/// What the comparison with one report can tell.
fn one_report(standings: &[Standing]) -> String {
    let distance = |standing: &Standing| standing.ratio.map_or(0.0, |ratio| ratio.ln().abs());
    let widest = standings.iter().max_by(|a, b| distance(a).total_cmp(&distance(b)));
    let widest = widest.and_then(|widest| Some((&widest.figure.name, format::ratio(widest.ratio?))));
    let widest = widest.map_or_else(String::new, |(name, ratio)| {
        format!(" The largest difference is {name}, {ratio} the other report's speed.")
    });
    format!("One other report cannot tell a slow card from run-to-run variation: give two or more.{widest}")
}

/// Why nothing is compared.
fn nothing(run: &Reference, standings: &[Standing]) -> String {
    match standings.iter().map(|standing| standing.others).max().unwrap_or(0) {
        0 => "No reference report is of this model through this API: give reports by --among PATH.".to_owned(),
        others => format!(
            "{} of this model and API {} under other settings: kernels, checks, clock or profile{}. Figures under other \
             settings are not compared.",
            counted(others, "report"),
            if others == 1 { "was measured" } else { "were measured" },
            if run.profile.is_empty() { String::new() } else { format!(" ({} here)", run.profile) },
        ),
    }
}

/// Reports that are not compared in some figure.
fn left_out(standings: &[Standing]) -> Option<String> {
    let count = |standing: &Standing| standing.others;
    let most = standings.iter().map(count).max().filter(|most| *most > 0)?;
    let is_all = standings.iter().all(|standing| [0, most].contains(&standing.others));
    let named = || {
        let some = standings.iter().filter(|standing| standing.others > 0);
        let names: Vec<String> =
            some.map(|standing| format!("{} ({})", standing.figure.name, standing.others)).collect();
        format!(", by figure: {}", names.join(", "))
    };
    Some(format!(
        "Not compared, since kernel, checks, clock or profile differ or no row is ok: {}{}.",
        counted(most, "report"),
        if is_all { String::new() } else { named() }
    ))
}

fn edge(standings: &[&Standing], is_slow: bool) -> Option<String> {
    let word = if is_slow { "slower" } else { "faster" };
    let one = |standing: &&Standing| {
        let count = if is_slow { standing.certain.0 } else { standing.certain.1 };
        let what = if standing.has_quantile() { "card" } else { "report" };
        let all = if count == standing.compared { "all " } else { "" };
        let of = if all.is_empty() { format!(" of {}", standing.compared) } else { String::new() };
        let ratio = standing.ratio.map_or_else(String::new, |ratio| format!("{} the median, ", format::ratio(ratio)));
        let part = format::percent(count as f64 / standing.compared as f64);
        let part = if standing.has_quantile() && all.is_empty() { format!(" ({part})") } else { String::new() };
        let things = if of.is_empty() { counted(count, what) } else { format!("{count}{of} {what}s") };
        format!("{} ({ratio}{word} than {all}{things}{part})", standing.figure.name)
    };
    let list: Vec<String> = standings.iter().map(one).collect();
    let has_cards = standings.iter().any(|standing| standing.has_quantile());
    let others = if has_cards { "nearly all other cards of this model" } else { "all other reports" };
    (!list.is_empty()).then(|| format!("Certainly {word} than {others}: {}.", list.join(", ")))
}

fn causes(hints: &[Hint]) -> Vec<String> {
    if hints.is_empty() {
        return vec!["No column of this report shows a cause.".to_owned()];
    }
    hints.iter().map(|hint| format!("Possible cause: {}.", cause(hint))).collect()
}

fn cause(hint: &Hint) -> String {
    match hint {
        Hint::Driver(own, other) => format!("the driver, {own}; the newest reference has {other}"),
        Hint::Clock(ratio) => format!(
            "the clock: the canary, a kernel of arithmetic alone, takes {} the references' time (power limit, heat, \
             clocks set by the user)",
            format::ratio(*ratio)
        ),
        Hint::Unsteady(rows, all) => {
            format!("changing clocks: the device's speed changed while {rows} of {all} rows were measured")
        }
        Hint::Limited(by_power, by_heat) => format!(
            "limited clocks: the power limit lowered them after {}, heat or the power supply after {}",
            counted(*by_power, "row"),
            counted(*by_heat, "row")
        ),
        Hint::CopyIn(ratio) => format!(
            "the bus: copies from the host run at {} the references' rate, below all of them (PCIe width or generation)",
            format::ratio(*ratio)
        ),
        Hint::L2(own, other) => format!(
            "another variant or a partition of the card: the driver reports {} of L2, and {} in the references",
            binary_size(*own),
            binary_size(*other)
        ),
        Hint::Apis(apis) => format!("turns between APIs ({apis}): the references ran one API alone"),
    }
}

fn grid(standings: &[Standing], has_quantiles: bool) -> Grid {
    let heading = |text: &str| Column { heading: text.to_owned(), is_right: true };
    let (what, last) = if has_quantiles { ("cards", "slower cards") } else { ("reports", "seen") };
    let headings: &[&str] =
        if is_pair(standings) { &["this", "other", "÷ other"] } else { &["this", "median", "÷ median", what, last] };
    let row = |standing: &Standing| {
        let unit = standing.figure.unit;
        let median = standing.median.map_or_else(|| "–".to_owned(), |median| value(unit, median));
        let ratio = standing.ratio.map_or_else(|| "–".to_owned(), format::ratio);
        let seen = |(low, high): (f64, f64)| format!("{low:.3}–{high:.3}");
        let last = if has_quantiles {
            standing.quantile().map(|(low, high)| share_range(low, high))
        } else {
            standing.range.map(seen)
        };
        let mark = if standing.is_slow() || standing.is_fast() { Mark::Note } else { Mark::None };
        Row {
            group: String::new(),
            mark,
            name: standing.figure.name.clone(),
            cells: [quoted(&standing.figure), median, ratio, standing.compared.to_string()]
                .into_iter()
                .chain([last.unwrap_or_else(|| "–".to_owned())])
                .take(headings.len())
                .map(Into::into)
                .collect(),
        }
    };
    Grid {
        columns: headings.iter().map(|text| heading(text)).collect(),
        widest_name: None,
        note: None,
        has_marks: true,
        rows: standings.iter().map(row).collect(),
    }
}

/// `3–8 %`, `100 %`.
fn share_range(low: f64, high: f64) -> String {
    let percent = |share: f64| format!("{:.0}", share * 100.0);
    if percent(low) == percent(high) {
        format!("{} %", percent(low))
    } else {
        format!("{}–{} %", percent(low), percent(high))
    }
}

/// A figure, with its noise.
fn quoted(figure: &Figure) -> String {
    let reach = figure.variance().map(|variance| student(variance.degrees) * variance.value.sqrt());
    format!("{}{}", value(figure.unit, figure.value), reach.map_or_else(String::new, format::plus_minus))
}

fn value(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Bytes => format::byte_rate(value),
        Unit::Flops | Unit::Operations => format::operation_rate(value, unit == Unit::Flops),
        Unit::Time => format::time(value),
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
