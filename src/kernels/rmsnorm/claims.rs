//! Claims on the normalisation, whose kernels resemble those of `softmax`.

use crate::softmax::claims::{by_length, gain};
use record::claim::*;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured {
        name: "rate by row length",
        state: |rows, facts| by_length(rows, facts, "subgroup", "RMS normalisation in registers"),
    }),
    Claim::Measured(Measured { name: "gain over two passes", state: |rows, facts| gain(rows, facts, "two_pass") }),
];
