//! The cards behind the sides of a page.

use std::collections::HashMap;

use crate::compare::Comparison;
use record::suite::DeviceType;
use record::{Record, by_card};

pub(super) struct Card<'a> {
    pub(super) sides: Vec<usize>,
    pub(super) device: &'a str,
    pub(super) is_software: bool,
}

/// A row of each side; device properties are the same in all its rows. `None` for a side without rows.
pub(super) fn rows_of_sides<'a>(comparison: &Comparison<'a>) -> Vec<Option<&'a Record>> {
    let sides = 0..comparison.sides.len();
    sides.map(|side| comparison.on_side(side).next().map(|(_, _, entry)| entry.row())).collect()
}

/// The cards in the order of their first sides, distinguished by [`by_card`] as in a summary, so that two cards of one
/// model are never merged. If reports do not name the card, the CPU of the host distinguishes cards.
pub(super) fn cards<'a>(rows: &[Option<&'a Record>]) -> Vec<Card<'a>> {
    let side_of: HashMap<*const Record, usize> =
        rows.iter().enumerate().filter_map(|(side, row)| Some((std::ptr::from_ref(*row.as_ref()?), side))).collect();
    let mut cards: Vec<Card> = Vec::new();
    for group in by_card(rows.iter().copied().flatten()) {
        let mut by_cpu: Vec<(&str, Vec<&Record>)> = Vec::new();
        for row in group {
            let cpu = if row.card.is_empty() { row.cpu.as_str() } else { "" };
            match by_cpu.iter_mut().find(|(known, _)| *known == cpu) {
                Some((_, rows)) => rows.push(row),
                None => by_cpu.push((cpu, vec![row])),
            }
        }
        cards.extend(by_cpu.into_iter().map(|(_, rows)| Card {
            sides: rows.iter().filter_map(|row| side_of.get(&std::ptr::from_ref(*row)).copied()).collect(),
            device: &rows[0].device,
            is_software: rows[0].device_type == Some(DeviceType::Software),
        }));
    }
    cards.sort_by_key(|card| card.sides.first().copied());
    cards
}
