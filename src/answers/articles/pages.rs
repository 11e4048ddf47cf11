//! The list of steps with their verdicts, and one step.

use anstyle::{AnsiColor, Style};

use super::picture::{drawn, predicted};
use super::side::Side;
use super::terms::term;
use crate::report::layout::{Cell, Column, DIM, Grid, Part, Row, colored};
use kernels::articles::{ARTICLES, judged, pictured, steps};
use record::claim::{ArticleClaim, Verdict};

/// The number of claims that hold, then one line per step with each side's verdict.
#[must_use]
pub fn overview(sides: &[Side]) -> Vec<Part> {
    let found: Vec<Vec<Verdict>> =
        sides.iter().map(|side| steps().into_iter().map(|step| judged(step, &side.rows).verdict).collect()).collect();
    let row = |(index, step): (usize, &ArticleClaim)| {
        let cells = found.iter().map(|verdicts| cell(verdicts[index]));
        Row::new(chapter(step.chapter()), format!("  {:<4}{}", step.id, step.title), cells)
    };
    let columns = sides.iter().map(|side| Column::left(side.label));
    let grid = Grid::new(columns, steps().into_iter().enumerate().map(row));
    let counts = sides.iter().zip(&found).map(|(side, verdicts)| Part::text(&count(side.label, verdicts)));
    let meaning = "A claim is judged by the whole 95 % interval of its rows. measured: the article makes no testable \
                   claim.";
    counts.chain([Part::Table(grid), Part::text(meaning)]).collect()
}

/// `D: article 003, coalescing and transpose`.
#[must_use]
pub fn chapter(letter: char) -> String {
    let number = ARTICLES.iter().position(|(known, _)| *known == letter).unwrap_or_default();
    format!("{letter}: article {number:03}, {}", ARTICLES[number].1)
}

fn cell(verdict: Verdict) -> Cell {
    Cell { style: style(verdict), ..Cell::from(verdict.name().to_owned()) }
}

const fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Holds => colored(AnsiColor::Green),
        Verdict::Fails => colored(AnsiColor::Yellow),
        Verdict::Unknown | Verdict::Unmeasured => DIM,
        Verdict::Reported => Style::new(),
    }
}

/// `Vulkan: on this GPU, 17 claims: 13 hold, 3 fail, 1 undecided. 20 steps without a claim: 20 measured.`
fn count(label: &str, verdicts: &[Verdict]) -> String {
    let number = |wanted: Verdict| verdicts.iter().filter(|verdict| **verdict == wanted).count();
    let judged = steps().iter().filter(|step| step.is_judged()).count();
    format!(
        "{label}: on this GPU, {judged} claims: {} hold, {} fail, {} undecided. {} steps without a claim: {} measured.",
        number(Verdict::Holds),
        number(Verdict::Fails),
        judged - number(Verdict::Holds) - number(Verdict::Fails),
        verdicts.len() - judged,
        number(Verdict::Reported)
    )
}

/// A step: each side's verdict, claim, expectation, kernels, terms, pictures, and the next commands to type.
#[must_use]
pub fn step(step: &ArticleClaim, sides: &[Side]) -> Vec<Part> {
    let field = |label, text: String| Part::Field { label, text };
    let name = [&[step.id], step.also].concat().join(", ");
    let mut parts = vec![Part::Heading { name, rest: step.title.to_owned() }];
    parts.extend(sides.iter().map(|side| field(side.label, judged(step, &side.rows).whole())));
    if sides.is_empty() {
        let command = if step.kernels.is_empty() { "run".to_owned() } else { format!("explain {} --run", step.id) };
        parts.push(field("measured", format!("no rows yet: run `shaderbench {command}`")));
    }
    parts.extend([
        field(if step.is_judged() { "claim" } else { "article" }, step.claim.to_owned()),
        field("expected", step.expected()),
        field("kernels", kernels(step)),
        field("names", terms(step)),
    ]);
    parts.extend((!step.table.is_empty()).then(|| Part::Figure(step.table.to_owned())));
    parts.extend((step.model)().iter().map(|graph| Part::Figure(predicted(graph))));
    for side in sides {
        let Some(picture) = pictured(step, &side.rows) else { continue };
        parts.push(Part::Figure(drawn(&picture, side.label)));
    }
    parts.push(field("next", next(step)));
    parts
}

fn kernels(step: &ArticleClaim) -> String {
    match step.kernels {
        [] => "none: `shaderbench devices` shows device properties".to_owned(),
        kernels => kernels.join(", "),
    }
}

/// `__shared__ ↔ var<workgroup>; __syncwarp() ↔ nothing in WGSL`.
fn terms(step: &ArticleClaim) -> String {
    let named = step.terms.iter().filter_map(|cuda| term(cuda));
    let text = named.map(|term| match term.wgsl {
        "none" => format!("{} ↔ nothing in WGSL", term.cuda),
        wgsl => format!("{} ↔ {wgsl}", term.cuda),
    });
    text.collect::<Vec<_>>().join("; ")
}

/// Commands that show the kernel's source and the next step.
fn next(step: &ArticleClaim) -> String {
    let following = steps().into_iter().skip_while(|other| other.id != step.id).nth(1);
    let following = following.map(|next| format!("shaderbench explain {}", next.id));
    let show = step.kernels.first().map(|kernel| format!("shaderbench show {kernel}"));
    let commands: Vec<String> = show.into_iter().chain(following).map(|command| format!("`{command}`")).collect();
    if commands.is_empty() { "`shaderbench explain`".to_owned() } else { commands.join("; ") }
}
