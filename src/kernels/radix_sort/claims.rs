//! The fastest sort, and the gain of one pass per digit over three kernels.

use record::Record;
use record::claim::*;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured {
        name: "fastest sort of keys",
        state: |rows, facts| {
            let best = fastest_bytes(keys(rows))?;
            let fastest = facts.fastest("fastest", &best, benchmark, "the measured copy peak")?;
            Some(format!("Radix sort of {} keys: {fastest}.", best.row.short_size()))
        },
    }),
    Claim::Measured(Measured {
        name: "gain over three kernels",
        state: |rows, facts| {
            let of_kernel =
                |name: &'static str| keys(rows).filter(move |row| row.benchmark == name && byte_rate(row).is_some());
            let sweep = of_kernel("onesweep").filter(|row| of_kernel("three_kernels").any(|other| other.n == row.n));
            let sweep = largest(sweep)?;
            let three = fastest(of_kernel("three_kernels").filter(|row| row.n == sweep.n), byte_rate)?;
            let speed = facts.speed("speed ratio: onesweep / three_kernels", byte_rate(sweep)?, three.rate)?;
            Some(format!("At {}, onesweep is {speed} {}.", sweep.short_size(), label(three.row)))
        },
    }),
];

fn keys<'a>(rows: &[&'a Record]) -> impl Iterator<Item = &'a Record> + Clone {
    rows.iter().copied().filter(|row| param(row, "PAIRS") == Some(0.0))
}
