//! The cards of one host that ran in step: a table with each card's share of its model's median by family, the slow
//! cards, and whether the cards slow each other down.

use crate::answers::outliers::{Host, HostFamily, HostRules, Relative, Uneven};
use crate::record::format::{percent, percent_change, percent_limit, plus_minus, ratio_with_interval};
use crate::record::stats::Estimate;
use crate::report::layout::{Column, Grid, Mark, Medium, Part, Row, lay_out};

/// A card of the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostCard {
    /// Its number on the command line.
    pub number: usize,
    /// Name of the device.
    pub device: String,
    /// UUID of the card, its hash or its PCI address; empty if unknown.
    pub card: String,
}

/// Maximum number of cards in one table.
const WIDEST: usize = 6;

/// A bound above this says nothing: it is noise.
const VAGUE: f64 = 1.1;

/// The table and the sentences.
#[must_use]
pub fn host(host: &Host, cards: &[HostCard], rules: &HostRules, medium: Medium) -> String {
    let mut parts = Vec::new();
    let compared = |card: usize| host.families.iter().any(|family| family.cards[card].is_some());
    let alone: Vec<String> =
        (0..cards.len()).filter(|card| !compared(*card)).map(|card| cards[card].to_string()).collect();
    if host.families.is_empty() {
        parts.push(Part::text("No two cards of one model have rows with an interval: there is nothing to compare."));
    } else {
        let widest = host.families.iter().map(|family| family.cards.iter().flatten().count()).max().unwrap_or(0);
        let what = if widest == 2 { "mean of both cards" } else { "median of the cards of its model" };
        parts.push(Part::text(&format!("Speed of each card as a share of the {what}, measured at the same time:")));
        parts.push(Part::text(""));
        for first in (0..cards.len()).step_by(WIDEST) {
            let columns: Vec<usize> = (first..cards.len().min(first + WIDEST)).collect();
            parts.push(Part::Table(grid(host, cards, &columns)));
            parts.push(Part::text(""));
        }
        for card in cards {
            parts.push(Part::text(&card.to_string()));
        }
        if !alone.is_empty() {
            parts.push(Part::text(&format!("no other card of its model to compare with: {}", alone.join("; "))));
        }
        parts.push(Part::text(""));
        parts.extend(verdict(host, cards, rules));
    }
    parts.extend(influence(host, cards, rules));
    lay_out(parts, medium)
}

impl std::fmt::Display for HostCard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let short = self.card.get(..SHORT).filter(|_| self.card.starts_with("GPU-") || self.card.starts_with("card-"));
        let card = short.unwrap_or(&self.card);
        let card = if card.is_empty() { String::new() } else { format!(", {card}") };
        write!(f, "device {}: {}{card}", self.number, self.device)
    }
}

/// Length of the start of a UUID that is shown: `GPU-1a2b3c4d`.
const SHORT: usize = 12;

fn grid(host: &Host, cards: &[HostCard], columns: &[usize]) -> Grid {
    let row = |family: &HostFamily| {
        let share = |card: &usize| family.cards[*card].map_or_else(|| "–".to_owned(), |of| share(&of));
        Row {
            group: format!("{}, {}", family.model.device, family.model.toolchain),
            mark: Mark::None,
            name: format!("  {}", family.family),
            cells: [family.cases.to_string()].into_iter().chain(columns.iter().map(share)).map(Into::into).collect(),
        }
    };
    let mut families: Vec<&HostFamily> = host.families.iter().collect();
    families.sort_by(|a, b| a.model.cmp(&b.model));
    let column = |heading: String| Column { heading, is_right: true };
    let headings = columns.iter().map(|card| format!("device {}", cards[*card].number));
    let columns = ["cases".to_owned()].into_iter().chain(headings).map(column).collect();
    let rows = families.into_iter().map(row).collect();
    Grid { columns, widest_name: None, note: None, has_marks: false, rows }
}

/// The share, with its noise.
fn share(of: &Relative) -> String {
    let reach = (of.ratio.high / of.ratio.low).ln() / 2.0;
    format!("{}{}", percent(of.share), plus_minus(reach * of.share))
}

/// The slow cards, or that there is none.
fn verdict(host: &Host, cards: &[HostCard], rules: &HostRules) -> Vec<Part> {
    let limit = percent_limit(rules.limit);
    if host.slow.is_empty() && host.uneven.is_empty() {
        return vec![Part::text(&format!("No card is certain to be slower than the others of its model by {limit}."))];
    }
    let sentence = |slow: &crate::answers::outliers::SlowInHost| {
        let family = &host.families[slow.family];
        let ratio = family.cards[slow.card]?.ratio;
        let others: Vec<usize> = (0..cards.len()).filter(|card| family.cards[*card].is_some()).collect();
        let others = match others.iter().filter(|card| **card != slow.card).collect::<Vec<_>>()[..] {
            [other] => format!("device {}", cards[*other].number),
            _ => "the median of the others".to_owned(),
        };
        Some(Part::Text {
            text: format!(
                "device {} is slow in {}, {}: it takes {} longer than {others}.",
                cards[slow.card].number,
                family.family,
                family.model.toolchain,
                longer(&ratio)
            ),
            indent: "  ",
        })
    };
    let mut parts: Vec<Part> = host.slow.iter().filter_map(sentence).collect();
    parts.extend(host.uneven.iter().map(|uneven| slow_in_part(host, cards, uneven, &limit)));
    parts.push(Part::text(&format!(
        "Slow: slower by more than {limit} with certainty; if the cards are alike, {} of such runs name one.",
        percent_limit(rules.level)
    )));
    parts
}

/// A card that is slow in some cases of a family.
fn slow_in_part(host: &Host, cards: &[HostCard], uneven: &Uneven, limit: &str) -> Part {
    let Uneven { card, slower, faster, typical, most, .. } = uneven;
    let family = &host.families[uneven.family];
    let faster = if *faster == 0 { "none".to_owned() } else { faster.to_string() };
    let others = if family.cards.iter().flatten().count() == 2 { "card" } else { "cards" };
    let text = format!(
        "device {} is slow in a part of {}, {}: {slower} of {} cases take {limit} or more longer than on the other {others}, \
         {faster} less by as much; of the slower ones, the median is {typical:.2}×, the largest {most:.2}×.",
        cards[*card].number, family.family, family.model.toolchain, family.cases
    );
    Part::Text { text, indent: "  " }
}

/// `5.1 % [4.9 %, 5.3 %]`.
fn longer(ratio: &Estimate) -> String {
    let percent = |ratio: f64| percent_change(ratio - 1.0);
    format!("{} [{}, {}]", percent(ratio.value), percent(ratio.low), percent(ratio.high))
}

/// Whether the cards slow each other down.
fn influence(host: &Host, cards: &[HostCard], rules: &HostRules) -> Vec<Part> {
    let mut parts = Vec::new();
    let (slowed, rest): (Vec<_>, Vec<_>) = host.influences.iter().partition(|influence| !influence.slowed.is_empty());
    for influence in &slowed {
        let of = |card: &usize| {
            let ratio = influence.cards[*card]?;
            let ratio = ratio_with_interval(ratio.value, Some((ratio.low, ratio.high)));
            Some(format!("device {} {ratio}", cards[*card].number))
        };
        let figures: Vec<String> = influence.slowed.iter().filter_map(of).collect();
        let text = format!(
            "The cards slow each other down in {}, {}; time while the others run ÷ alone: {}.",
            influence.case,
            influence.model.toolchain,
            figures.join(", ")
        );
        parts.push(Part::Text { text, indent: "  " });
    }
    let (bounded, vague): (Vec<_>, Vec<_>) = rest.into_iter().partition(|influence| influence.bound <= VAGUE);
    let bound = bounded.iter().map(|influence| influence.bound).fold(1.0, f64::max);
    if !bounded.is_empty() {
        let of = cases(bounded.len(), !slowed.is_empty() || !vague.is_empty());
        // Rounded up: it is a bound.
        let most = ((bound - 1.0) * 1000.0).ceil() / 1000.0;
        let most = percent_change(most.max(0.001));
        parts.push(Part::text(&format!(
            "In {of} no card slows another down by more than {most} (95 % certain), measured alone and together."
        )));
    }
    if !vague.is_empty() {
        let names: Vec<&str> = vague.iter().map(|influence| influence.case.as_str()).collect();
        let which = format!(
            "Too noisy to tell whether the cards slow each other down by {} or more",
            percent_limit(rules.limit)
        );
        parts.push(Part::Text { text: format!("{which}: {}.", names.join("; ")), indent: "  " });
    }
    parts
}

fn cases(count: usize, is_rest: bool) -> String {
    match (count, is_rest) {
        (1, false) => "the case that was also measured alone".to_owned(),
        (count, false) => format!("the {count} cases that were also measured alone"),
        (1, true) => "one other case".to_owned(),
        (count, true) => format!("{count} other cases"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::outliers::{Influence, Model, SlowInHost};
    use crate::report::Terminal;

    const PLAIN: Medium = Medium::Terminal(Terminal { width: 80, has_color: false });

    fn judged(cards: usize) -> (Host, Vec<HostCard>) {
        let model = Model { device: "NVIDIA H200".to_owned(), toolchain: "CUDA".to_owned() };
        let relative = |log: f64| {
            let ratio = Estimate { value: log.exp(), low: (log - 0.002).exp(), high: (log + 0.002).exp() };
            Some(Relative { share: (-log / 2.0).exp(), ratio })
        };
        let family = |name: &str, log: f64| HostFamily {
            model: model.clone(),
            family: name.to_owned(),
            cases: 12,
            cards: (0..cards).map(|card| relative(if card == 1 { log } else { -log })).collect(),
        };
        let influence = |case: &str, ratio: f64, slowed: &[usize]| Influence {
            model: model.clone(),
            case: case.to_owned(),
            cards: vec![Some(Estimate { value: ratio, low: ratio - 0.01, high: ratio + 0.01 }); cards],
            slowed: slowed.to_vec(),
            bound: ratio + 0.011,
        };
        let host = Host {
            families: vec![family("scan", 0.0), family("stream", 0.05)],
            slow: vec![SlowInHost { card: 1, family: 1 }],
            uneven: vec![Uneven { card: 1, family: 0, slower: 9, faster: 0, typical: 1.09, most: 2.19 }],
            influences: vec![influence("transfer/both_ways f32 67108864", 1.8, &[0, 1]), influence("scan", 1.0, &[])],
        };
        let card = |number| {
            let card = format!("GPU-1a2b3c4{number}-0000-0000-0000-000000000000");
            HostCard { number, device: "NVIDIA H200".to_owned(), card }
        };
        (host, (0..cards).map(card).collect())
    }

    #[test]
    fn the_slow_card_of_two_is_named_with_its_interval() {
        let (judged, cards) = judged(2);
        let text = host(&judged, &cards, &HostRules::default(), PLAIN);
        for line in [
            "Speed of each card as a share of the mean of both cards, measured at the same\n",
            "  stream              12     103 %      98 %\n",
            "device 1: NVIDIA H200, GPU-1a2b3c41\n",
            "device 1 is slow in stream, CUDA: it takes 5.1 % [4.9 %, 5.3 %] longer than\n",
            "device 1 is slow in a part of scan, CUDA: 9 of 12 cases take 2 % or more longer\n",
            "The cards slow each other down in transfer/both_ways f32 67108864, CUDA; time\n",
            "device 0 1.80× [1.79, 1.81], device 1 1.80×",
            "In one other case no card slows another down by more than 1.1 % (95 % certain)",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }

    #[test]
    fn tables_of_many_cards_fit_80_columns() {
        let (judged, cards) = judged(8);
        let text = host(&judged, &cards, &HostRules::default(), PLAIN);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in ["the median of the cards of its model", "longer than the median of the others."] {
            assert!(words.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn nothing_is_said_about_a_card_alone() {
        let cards = judged(2).1;
        let text = host(&Host::default(), &cards, &HostRules::default(), PLAIN);
        assert_eq!(
            text.replace('\n', " "),
            "No two cards of one model have rows with an interval: there is nothing to compare. "
        );
        let calm = Host { slow: Vec::new(), uneven: Vec::new(), ..judged(2).0 };
        let text = host(&calm, &cards, &HostRules::default(), PLAIN);
        assert!(text.contains("No card is certain to be slower than the others of its model by 2 %."), "{text}");
    }
}
