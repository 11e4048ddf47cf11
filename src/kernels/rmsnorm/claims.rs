//! Claims on the normalisation, whose kernels resemble those of `softmax`.

use crate::softmax::claims::{by_length, gain};
use record::claim::*;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured {
        name: "rate by row length",
        rows: "subgroup's fastest case for each length of matrix rows, at the largest number of elements",
        condition: "each rate's interval is within ±15 %",
        state: |rows, facts| by_length(rows, facts, "subgroup", "RMS normalisation in registers"),
    }),
    Claim::Measured(Measured {
        name: "gain over two passes",
        rows: "two_pass and the fastest other kernel, at the size with the longest matrix rows",
        condition: COMPARED,
        state: |rows, facts| gain(rows, facts, "two_pass"),
    }),
];
