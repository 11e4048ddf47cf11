//! The slow cards or hosts of a fleet, and how much the cards of a model vary, as tables and JSON.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::outliers::{By, Family, LEAST_UNITS, Rules, Slow, Unit, Verdicts};
use crate::report::layout::{Column, Grid, Medium, Part, Row, lay_out};
use record::format::{joined, percent, percent_change, percent_limit, time_change, time_change_cell};
use record::stats::Estimate;

/// Maximum number of units that the verdict names.
const NAMED: usize = 3;

/// The verdict, then a block per slow unit with a row for each family in which it is slow.
#[must_use]
pub fn slow(verdicts: &Verdicts, by: By, rules: &Rules, medium: Medium) -> String {
    let mut parts = vec![Part::text(&verdict(verdicts, by))];
    if !verdicts.slow.is_empty() {
        parts.push(Part::text(""));
        parts.push(Part::Table(grid(verdicts)));
        parts.push(Part::text(""));
    }
    parts.push(Part::text(&legend(verdicts, by, rules)));
    if !verdicts.faulty.is_empty() {
        parts.push(Part::text(""));
    }
    for (unit, faults) in &verdicts.faulty {
        let counts: Vec<String> = faults.iter().map(|(status, count)| format!("{count} {status}")).collect();
        parts.push(Part::text(&format!("{}: {}.", name(unit), counts.join(", "))));
    }
    lay_out(parts, medium)
}

/// `1 of 40 cards is slow: GPU-5, +6.0 % time [5.8, 6.2] in scan.`
fn verdict(verdicts: &Verdicts, by: By) -> String {
    let (one, many) = words(by);
    let tested = verdicts.tested;
    let faults = match verdicts.faulty.len() {
        0 => String::new(),
        1 => format!("; 1 {one} has wrong, failed or implausible rows"),
        count => format!("; {count} {many} have wrong, failed or implausible rows"),
    };
    let count = verdicts.slow.len();
    if count == 0 {
        return format!("None of {tested} {many} is slow{faults}.");
    }
    let named = |slow: &Slow| {
        let unit = if slow.unit.card.is_empty() { name(&slow.unit) } else { slow.unit.card.clone() };
        let worst = slow.families.first();
        let ratio = worst.map_or(slow.ratio, |worst| worst.ratio);
        let family = worst.map_or_else(String::new, |worst| format!(" in {}", verdicts.families[worst.family].family));
        format!("{unit}, {}{family}", time_change(ratio.value, Some((ratio.low, ratio.high))))
    };
    let list: Vec<String> = verdicts.slow.iter().take(NAMED).map(named).collect();
    let more = if count > NAMED { format!("; and {} more", count - NAMED) } else { String::new() };
    let are = if count == 1 { "is" } else { "are" };
    format!("{count} of {tested} {many} {are} slow: {}{more}{faults}.", list.join("; "))
}

/// The meaning of slow, and the units that could not be tested.
fn legend(verdicts: &Verdicts, by: By, rules: &Rules) -> String {
    let (one, many) = words(by);
    let rest = match verdicts.units - verdicts.tested {
        0 => String::new(),
        1 => format!(" 1 {one} is not tested: its model has fewer than {LEAST_UNITS} {many}."),
        rest => format!(" {rest} {many} are not tested: their models have fewer than {LEAST_UNITS} {many}."),
    };
    format!(
        "Slow: slower than the median of its model by {} or more. At most {} of the slow {many} are expected to be \
         false positives.{rest}",
        percent_limit(rules.limit),
        percent_limit(rules.false_discoveries)
    )
}

const fn words(by: By) -> (&'static str, &'static str) {
    match by {
        By::Card => ("card", "cards"),
        By::Host => ("host", "hosts"),
    }
}

fn name(unit: &Unit) -> String {
    let host = if unit.host.is_empty() { String::new() } else { format!("host {}", unit.host) };
    joined([unit.card.as_str(), &host, &unit.device], ", ")
}

fn grid(verdicts: &Verdicts) -> Grid {
    let mut rows = Vec::new();
    for slow in &verdicts.slow {
        let mut row = |of: &str, cells: [String; 3]| rows.push(Row::new(name(&slow.unit), format!("  {of}"), cells));
        row("all families", [String::new(), slower(&slow.ratio), String::new()]);
        for found in &slow.families {
            let family = &verdicts.families[found.family];
            let cells = [family.cases.to_string(), slower(&found.ratio), percent(family.spread)];
            row(&format!("{}, {}", family.family, family.model.toolchain), cells);
        }
    }
    Grid::new(["cases", "time", "others vary by"].map(Column::right), rows)
}

/// `+5.1 % [4.9, 5.3]`.
fn slower(ratio: &Estimate) -> String {
    time_change_cell(ratio.value, Some((ratio.low, ratio.high)))
}

/// How much the cards of each model vary: a row for each family.
#[must_use]
pub fn spreads(verdicts: &Verdicts, medium: Medium) -> String {
    let row = |family: &Family| {
        let ends = family.range.map(|ratio| percent_change(ratio - 1.0));
        let cells = [family.units.to_string(), family.cases.to_string(), percent(family.spread)];
        let group = format!("{}, {}", family.model.device, family.model.toolchain);
        Row::new(group, format!("  {}", family.family), cells.into_iter().chain(ends))
    };
    let mut families: Vec<&Family> = verdicts.families.iter().collect();
    families.sort_by(|a, b| a.model.cmp(&b.model));
    let widest = families.iter().copied().max_by(|a, b| a.spread.total_cmp(&b.spread));
    let verdict = widest.map(|widest| {
        let Family { model, family, .. } = widest;
        format!("{} cards differ most in {family} ({}), by {}.", model.device, model.toolchain, percent(widest.spread))
    });
    let columns = ["cards", "cases", "vary by", "fastest", "slowest"].map(Column::right);
    let grid = Grid::new(columns, families.into_iter().map(row));
    let legend = "vary by: standard deviation of the cards' times, robust against outliers. fastest, slowest: \
                  difference of a card's time from the median of its model.";
    let verdict = verdict.into_iter().flat_map(|verdict| [Part::text(&verdict), Part::text("")]);
    lay_out(verdict.chain([Part::Table(grid), Part::text(""), Part::text(legend)]).collect(), medium)
}

/// All verdicts as JSON.
#[must_use]
pub fn json(verdicts: &Verdicts) -> Value {
    let family = |family: &Family| {
        json!({
            "device": family.model.device, "api": family.model.toolchain, "family": family.family, "cases": family.cases,
            "units": family.units, "spread": family.spread, "fastest": family.range[0], "slowest": family.range[1],
        })
    };
    let slow = verdicts.slow.iter().map(|slow| {
        let named = slow.families.iter().map(|found| {
            let slow_family = &verdicts.families[found.family];
            json!({ "api": slow_family.model.toolchain, "family": slow_family.family, "time_ratio": found.ratio })
        });
        json!({
            "unit": slow.unit, "time_ratio": slow.ratio, "adjusted_p": slow.adjusted_p,
            "families": named.collect::<Vec<_>>(),
        })
    });
    let faulty = |(of, counts): &(Unit, BTreeMap<&str, usize>)| json!({ "unit": of, "rows": counts });
    json!({
        "units": verdicts.units, "tested": verdicts.tested, "slow": slow.collect::<Vec<_>>(),
        "families": verdicts.families.iter().map(family).collect::<Vec<_>>(),
        "faulty": verdicts.faulty.iter().map(faulty).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outliers::{Model, SlowFamily};
    use crate::report::Terminal;

    const PLAIN: Medium = Medium::Terminal(Terminal { width: 80, has_color: false });

    fn verdicts() -> Verdicts {
        let model = Model { device: "H200".to_owned(), toolchain: "Vulkan".to_owned() };
        let family = |name: &str, cases| Family {
            model: model.clone(),
            family: name.to_owned(),
            cases,
            units: 40,
            spread: 0.004,
            range: [0.99, 1.07],
        };
        let unit = Unit { device: "H200".to_owned(), host: "node7".to_owned(), card: "GPU-1".to_owned() };
        let ratio = Estimate { value: 1.051, low: 1.048, high: 1.054 };
        let families = vec![SlowFamily { family: 1, ratio }];
        Verdicts {
            units: 41,
            tested: 40,
            families: vec![family("scan", 6), family("matmul", 60)],
            slow: vec![Slow { unit: unit.clone(), ratio, adjusted_p: 0.001, families }],
            faulty: vec![(unit, BTreeMap::from([("wrong", 2)]))],
        }
    }

    #[test]
    fn a_slow_card_is_named_with_its_families() {
        let text = slow(&verdicts(), By::Card, &Rules::default(), PLAIN);
        for line in [
            "1 of 40 cards is slow: GPU-1, +5.1 % time [4.8, 5.4] in matmul; 1 card has\nwrong,",
            "Slow: slower than the median of its model by 2 % or more. At most 5 % of the",
            " 1 card is not tested: ",
            "GPU-1, host node7, H200\n",
            "\n  matmul, Vulkan     60  +5.1 % [4.8, 5.4]           0.4 %\n",
            "GPU-1, host node7, H200: 2 wrong.\n",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(!text.contains("scan"), "{text}");
        let value = json(&verdicts());
        assert_eq!(value["slow"][0]["families"][0]["family"], "matmul");
        assert_eq!(value["slow"][0]["unit"]["host"], "node7");
    }

    #[test]
    fn a_fleet_without_slow_cards_says_so() {
        let calm = Verdicts { slow: Vec::new(), faulty: Vec::new(), units: 40, ..verdicts() };
        let text = slow(&calm, By::Host, &Rules::default(), PLAIN);
        assert!(text.starts_with("None of 40 hosts is slow.\n"), "{text}");
        let text = slow(&Verdicts { units: 43, ..calm }, By::Card, &Rules::default(), PLAIN);
        assert!(text.ends_with("3 cards are not tested: their\nmodels have fewer than 4 cards.\n"), "{text}");
    }

    #[test]
    fn the_spread_of_a_model_has_a_row_for_each_family() {
        let text = spreads(&verdicts(), PLAIN);
        assert!(text.contains("H200, Vulkan\n") && text.contains("0.4 %   -1.0 %    7.0 %"), "{text}");
    }
}
