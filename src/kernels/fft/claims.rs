//! Transforms by length, and the gain of a larger radix.

use crate::softmax::claims::{by_length, columns};
use record::claim::*;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured {
        name: "rate by transform length",
        state: |rows, facts| by_length(rows, facts, "stockham", "FFT in workgroup memory"),
    }),
    Claim::Measured(Measured {
        name: "gain from radix 16",
        state: |rows, facts| {
            let best = fastest_bytes(of(rows, "stockham"))?.row;
            let at = |radix: f64| {
                of(rows, "stockham").filter(move |row| row.dtype == best.dtype && has_params(row, &[("RADIX", radix)]))
            };
            let longest = at(16.0).filter(|row| scalars(row) == scalars(best)).max_by_key(|row| columns(row))?;
            let other = at(2.0).find(|row| row.n == longest.n)?;
            let speed = facts.speed("speed ratio: RADIX=16 / RADIX=2", byte_rate(longest)?, byte_rate(other)?)?;
            Some(format!("At {}, RADIX=16 is {speed} RADIX=2.", longest.short_size()))
        },
    }),
];
