//! Short names of sides: `H100 A, 25 Nov · Vulkan`, the same everywhere on a page.

use std::collections::{BTreeSet, HashMap};

use super::cards::Card;
use crate::compare::{Comparison, Side};
use crate::summary::letter;
use record::format::joined;
use record::suite::Api;

pub(super) struct Name {
    /// Model, and card and day if the page has several; with the API.
    pub(super) full: String,
    /// The full name; on a page of one card, only the API.
    pub(super) short: String,
    /// Model and API, the same for all cards of a model.
    pub(super) model: String,
}

pub(super) fn device<'a>(side: &Side<'a>) -> &'a str {
    if side.device.is_empty() { "unnamed device" } else { side.device }
}

/// The title of the page: its devices, and the days of the measurements.
pub(super) fn title(sides: &[Side]) -> String {
    let days: BTreeSet<&str> = sides.iter().flat_map(|side| &side.dates).filter_map(|date| date.get(..10)).collect();
    let devices: BTreeSet<&str> = sides.iter().map(device).collect();
    let names = devices.iter().copied().collect::<Vec<_>>().join(", ");
    let what = if devices.len() > 3 { format!("{} devices", devices.len()) } else { names };
    let when = match (days.first(), days.last()) {
        (Some(first), Some(last)) if first != last => format!(", {first} to {last}"),
        (Some(day), _) => format!(", {day}"),
        _ => String::new(),
    };
    format!("{what}{when}")
}

/// Makers' names, which short model names omit.
const MAKERS: &[&str] = &["NVIDIA", "AMD", "Intel(R)", "Intel"];

/// The names of all sides; `counts` are their numbers of cards.
pub(super) fn names(comparison: &Comparison, cards: &[Card], counts: &[usize]) -> Vec<Name> {
    let sides = &comparison.sides;
    let devices: BTreeSet<&str> = sides.iter().map(|side| side.device).collect();
    let models = models(&devices);
    let reports: BTreeSet<&str> = sides.iter().flat_map(|side| side.reports.iter().copied()).collect();
    let years: BTreeSet<&str> = sides.iter().flat_map(|side| &side.dates).filter_map(|date| date.get(..4)).collect();
    let mut of_model: HashMap<&str, usize> = HashMap::new();
    for card in cards {
        *of_model.entry(card.device).or_default() += 1;
    }
    let mut next: HashMap<&str, usize> = HashMap::new();
    let mut names: Vec<(String, String)> = vec![Default::default(); sides.len()];
    let mut of_model_names: Vec<String> = vec![String::new(); sides.len()];
    for card in cards {
        let model = models.get(card.device).map_or("unnamed device", String::as_str);
        let number = next.entry(card.device).or_default();
        let letter = if of_model[card.device] > 1 { format!(" {}", letter(*number)) } else { String::new() };
        *number += 1;
        for index in &card.sides {
            let side = &sides[*index];
            let day = if reports.len() > 1 { days(&side.dates, years.len() > 1) } else { String::new() };
            let day = if day.is_empty() { day } else { format!(", {day}") };
            // A side of several cards gets no card letter.
            let letter = if counts[*index] > 1 { "" } else { &letter };
            let api = [side.api.map_or("", Api::title), side.compiler[0]].join(" ").trim().to_owned();
            of_model_names[*index] = format!("{model} · {api}").trim_end_matches(" · ").to_owned();
            names[*index] = (format!("{model}{letter}{day}"), api);
        }
    }
    let with_api = |(name, api): &(String, String)| {
        if api.is_empty() { name.clone() } else { format!("{name} · {api}") }
    };
    let full: Vec<String> = names.iter().map(with_api).collect();
    let mut twins: HashMap<&str, Vec<&Side>> = HashMap::new();
    full.iter().zip(sides).for_each(|(name, side)| twins.entry(name).or_default().push(side));
    let name = |(index, side): (usize, &Side)| {
        let suffix = suffix(side, &twins[full[index].as_str()]);
        let short = if cards.len() > 1 || names[index].1.is_empty() { &full[index] } else { &names[index].1 };
        Name {
            full: format!("{}{suffix}", full[index]),
            short: format!("{short}{suffix}"),
            model: of_model_names[index].clone(),
        }
    };
    sides.iter().enumerate().map(name).collect()
}

/// Each model's shortest name that is unique on the page: without maker and memory, without maker, or in full.
fn models<'a>(devices: &BTreeSet<&'a str>) -> HashMap<&'a str, String> {
    let forms = |device: &str| {
        let name = device.split(" (").next().unwrap_or(device);
        let words = name.split(' ').filter(|word| !MAKERS.contains(word) && !word.is_empty());
        let without_maker = words.clone().collect::<Vec<_>>().join(" ");
        let short = words.filter(|word| !is_memory(word)).collect::<Vec<_>>().join(" ");
        [short, without_maker, name.to_owned(), device.to_owned()]
    };
    let mut uses: HashMap<(usize, String), usize> = HashMap::new();
    for device in devices {
        forms(device).into_iter().enumerate().for_each(|form| *uses.entry(form).or_default() += 1);
    }
    let model = |device: &&'a str| {
        let unique = |(index, form): &(usize, String)| !form.is_empty() && uses[&(*index, form.clone())] == 1;
        let form = forms(device).into_iter().enumerate().find(unique).map(|(_, form)| form);
        (*device, form.filter(|form| !form.is_empty()).unwrap_or_else(|| "unnamed device".to_owned()))
    };
    devices.iter().map(model).collect()
}

fn is_memory(word: &str) -> bool {
    let is_amount = word.strip_suffix("GB").is_some_and(|count| count.parse::<f64>().is_ok());
    is_amount || word.starts_with("HBM") || word.starts_with("GDDR")
}

/// The days of runs: `25 Nov`, `23–25 Nov`; with the year if the page has several years. Empty if no date can be read.
fn days(dates: &[&str], has_years: bool) -> String {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let day = |date: &str| -> Option<[String; 3]> {
        let month: usize = date.get(5..7)?.parse().ok()?;
        let day: u8 = date.get(8..10)?.parse().ok()?;
        let year = if has_years { format!(" {}", date.get(..4)?) } else { String::new() };
        Some([day.to_string(), format!(" {}", MONTHS.get(month.checked_sub(1)?)?), year])
    };
    let sorted: BTreeSet<&str> = dates.iter().filter_map(|date| date.get(..10)).collect();
    let ends = sorted.first().and_then(|date| day(date)).zip(sorted.last().and_then(|date| day(date)));
    let Some((first, last)) = ends else { return String::new() };
    // The part that both days share is written once, after the last day.
    let differing = (0..3).rev().find(|part| first[*part] != last[*part]);
    differing.map_or_else(String::new, |part| format!("{}–", first[..=part].concat())) + &last.concat()
}

/// What distinguishes a side from `twins` of the same name: the other APIs of its run, its driver, its version.
fn suffix(side: &Side, twins: &[&Side]) -> String {
    let differ = |get: fn(&Side) -> String| {
        let value = get(side);
        twins.iter().any(|twin| get(twin) != value).then_some(value)
    };
    let others = |side: &Side| {
        let api = side.api.map_or("", Api::name);
        let title = |name: &str| Api::named(name).map_or_else(|| name.to_owned(), |api| api.title().to_owned());
        let others: Vec<String> =
            side.apis.split('+').filter(|name| *name != api && !name.is_empty()).map(title).collect();
        match () {
            () if side.apis.is_empty() => "APIs unknown".to_owned(),
            () if others.is_empty() => "alone".to_owned(),
            () => format!("with {}", others.join(", ")),
        }
    };
    let known = [
        differ(others),
        differ(|side| side.driver.to_owned()),
        differ(|side| side.tool_version.to_owned()),
        differ(|side| side.compiler[1].to_owned()),
    ];
    let known = joined(known.into_iter().flatten(), ", ");
    if known.is_empty() { String::new() } else { format!(" ({known})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_as_short_as_the_others_allow() {
        let shortened = |devices: &[&str]| -> Vec<String> {
            let models = models(&devices.iter().copied().collect());
            devices.iter().map(|device| models[device].clone()).collect()
        };
        assert_eq!(shortened(&["NVIDIA H100 80GB HBM3", "NVIDIA H200"]), ["H100", "H200"]);
        assert_eq!(shortened(&["NVIDIA A100 40GB", "NVIDIA A100 80GB"]), ["A100 40GB", "A100 80GB"]);
        assert_eq!(shortened(&["llvmpipe (LLVM 15.0.6, 256 bits)"]), ["llvmpipe"]);
        let drivers = ["AMD X (RADV)", "AMD X (AMDVLK)"];
        assert_eq!(shortened(&drivers), drivers);
        assert_eq!(shortened(&["", "NVIDIA"]), ["unnamed device", "NVIDIA"]);
    }

    #[test]
    fn days_say_the_month_once() {
        let shown = |dates: &[&str]| days(dates, false);
        assert_eq!(shown(&["2026-11-25T01:02:03Z"]), "25 Nov");
        assert_eq!(shown(&["2026-11-25T01:02:03Z", "2026-11-23T01:02:03Z"]), "23–25 Nov");
        assert_eq!(shown(&["2026-11-25", "2026-12-01"]), "25 Nov–1 Dec");
        assert_eq!(days(&["2026-11-25", "2027-01-01"], true), "25 Nov 2026–1 Jan 2027");
        assert_eq!(days(&["2026-11-05"], true), "5 Nov 2026");
        assert_eq!(
            (shown(&["soon"]), shown(&["2026-13-45"]), shown(&[])),
            (String::new(), String::new(), String::new())
        );
    }
}
