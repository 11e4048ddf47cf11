//! The fastest kernel for each kind of matrix, and what irregular rows cost.

use record::Record;
use record::claim::*;

const KINDS: [(&str, f64); 3] = [("banded", 0.0), ("random", 1.0), ("power-law", 2.0)];

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured {
        name: "fastest kernel for each kind of matrix",
        state: |rows, facts| joined(KINDS.iter().filter_map(|(name, kind)| best(rows, facts, name, *kind)), " "),
    }),
    Claim::Ratio(Ratio {
        name: "byte rate ratio of row: power-law matrix / random matrix",
        kernels: [("spmv/row", &[("MATRIX", 2.0)]), ("spmv/row", &[("MATRIX", 1.0)])],
        by: By::Bytes,
        says: "spmv/row processes the bytes of a power-law matrix (rows of 2 to 8192 nonzeros) {} those of a random \
            matrix (rows of 0 to 32).",
    }),
    Claim::Ratio(Ratio {
        name: "byte rate ratio of merge: power-law matrix / random matrix",
        kernels: [("spmv/merge", &[("MATRIX", 2.0)]), ("spmv/merge", &[("MATRIX", 1.0)])],
        by: By::Bytes,
        says: "spmv/merge processes the bytes of a power-law matrix (rows of 2 to 8192 nonzeros) {} those of a random \
            matrix (rows of 0 to 32).",
    }),
];

fn of_kind<'a>(rows: &[&'a Record], kind: f64) -> impl Iterator<Item = &'a Record> + Clone {
    rows.iter().copied().filter(move |row| is_f32(row) && param(row, "MATRIX") == Some(kind))
}

fn best(rows: &[&Record], facts: &mut Facts, name: &str, kind: f64) -> Option<String> {
    let best = fastest_bytes(of_kind(rows, kind))?;
    let fastest = facts.fastest(&format!("fastest {name}"), &best, benchmark, "the measured read peak")?;
    Some(format!("SpMV of {} rows, {name}: {fastest}.", best.row.short_size()))
}
