//! The fastest kernel for each kind of matrix, and what irregular rows cost.

use record::Record;
use record::claim::{
    COMPARED, Claim, Facts, Measured, benchmark, byte_rate, fastest_bytes, is_f32, joined, like, param,
};

const KINDS: [(&str, f64); 3] = [("banded", 0.0), ("random", 1.0), ("power-law", 2.0)];

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured {
        name: "fastest kernel for each kind of matrix",
        rows: "f32, of each MATRIX, at the largest size",
        condition: "one kernel is named if no other ties with it, else those that tie",
        state: |rows, facts| joined(KINDS.iter().filter_map(|(name, kind)| best(rows, facts, name, *kind)), " "),
    }),
    Claim::Measured(Measured {
        name: "rows of unequal length",
        rows: "the rows of one kernel with MATRIX=2 and with MATRIX=1, f32, at the largest size",
        condition: COMPARED,
        state: |rows, facts| {
            let largest = fastest_bytes(of_kind(rows, 2.0))?.row;
            let compared = |kernel: &str| {
                let at = |kind| like(rows, kernel, &[("MATRIX", kind)], largest);
                let speed =
                    facts.speed(format!("{kernel}, unequal over equal"), byte_rate(at(2.0)?)?, byte_rate(at(1.0)?)?)?;
                Some(format!("With rows of unequal length, {kernel} is {speed} with equal ones, by bytes."))
            };
            joined(["row", "merge"].into_iter().filter_map(compared), " ")
        },
    }),
];

/// The rows of f32 of a kind of matrix.
fn of_kind<'a>(rows: &[&'a Record], kind: f64) -> impl Iterator<Item = &'a Record> + Clone {
    rows.iter().copied().filter(move |row| is_f32(row) && param(row, "MATRIX") == Some(kind))
}

fn best(rows: &[&Record], facts: &mut Facts, name: &str, kind: f64) -> Option<String> {
    let best = fastest_bytes(of_kind(rows, kind))?;
    let fastest = facts.fastest(&format!("fastest {name}"), &best, benchmark, "the measured read peak")?;
    Some(format!("SpMV of {} rows, {name}: {fastest}.", best.row.short_size()))
}
