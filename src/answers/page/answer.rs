//! The first sentences of the page.

use super::cards::Card;
use crate::report::section::other_families;
use crate::summary::figures::{MEMORY, best, spaces};
use crate::summary::{Shown, pair_sentences};
use crate::variants;
use record::format::{joined, percent, plural};
use record::{Record, Status, format};

/// At this share of its peak or more, a job is near the peak.
const NEAR: f64 = 0.85;

/// For `bench`, the fastest kernel; else the card's figures, or how two cards compare, and whether all results are
/// right. `rows` and `jobs` have one entry per side.
pub(super) fn answer(cards: &[Card], rows: &[Vec<&Record>], jobs: &[Vec<Shown>]) -> Vec<String> {
    let all: Vec<&Record> = rows.iter().flatten().copied().collect();
    let own = other_families(all.iter().copied());
    if !own.is_empty() {
        let of = |family: &&str| all.iter().copied().filter(|row| row.family == **family).collect::<Vec<_>>();
        return own.iter().flat_map(|family| variants::verdict(&of(family))).collect();
    }
    let hardware: Vec<&Card> = cards.iter().filter(|card| !card.is_software).collect();
    let mut sentences = match hardware.as_slice() {
        [] => Vec::new(),
        [card] => of_card(&rows[card.sides[0]]),
        _ => {
            let is_shown = |side: usize| hardware.iter().any(|card| card.sides.contains(&side));
            let of_side = |side: usize| if is_shown(side) { rows[side].clone() } else { Vec::new() };
            pair_sentences(&(0..rows.len()).map(of_side).collect::<Vec<_>>(), jobs)
        }
    };
    sentences.push(verified(&all));
    sentences
}

/// `DRAM 93 % of 3.35 TB/s; 6 of 11 jobs at 85 % of their peak or more.`
fn of_card(rows: &[&Record]) -> Vec<String> {
    let memory = spaces(rows).into_iter().find(|space| MEMORY.contains(&space.name.as_str())).and_then(|space| {
        let (read, peak) = (space.read?.value, space.driver_peak?);
        Some(format!("{} {} of {}", space.name, percent(read / peak), format::byte_rate(peak)))
    });
    let shares: Vec<f64> = best(rows).iter().filter_map(|best| best.row.share).collect();
    let near = shares.iter().filter(|share| **share >= NEAR).count();
    let jobs = (!shares.is_empty()).then(|| {
        format!("{near} of {} at {} of their peak or more", plural(shares.len(), "job", "jobs"), percent(NEAR))
    });
    let text = joined(memory.into_iter().chain(jobs), "; ");
    if text.is_empty() { Vec::new() } else { vec![format!("{text}.")] }
}

fn verified(rows: &[&Record]) -> String {
    let is_unproven = |row: &&&Record| row.status.is_fault() || row.status == Status::Unverified;
    match rows.iter().filter(is_unproven).count() {
        0 => "Every result is verified.".to_owned(),
        count => {
            let are = if count == 1 { "is" } else { "are" };
            let all = plural(rows.len(), "row", "rows");
            format!("{count} of {all} {are} wrong, failed, implausible or unverified.")
        }
    }
}
