//! The fastest stencil in two and in three dimensions, and the gain over reading each neighbour.

use record::Record;
use record::claim::*;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured {
        name: "fastest stencil in two dimensions",
        state: |rows, facts| best(rows, facts, "2d"),
    }),
    Claim::Measured(Measured {
        name: "gain over the naive stencil in two dimensions",
        state: |rows, facts| gain(rows, facts, "2d"),
    }),
    Claim::Measured(Measured {
        name: "fastest stencil in three dimensions",
        state: |rows, facts| best(rows, facts, "3d"),
    }),
    Claim::Measured(Measured {
        name: "gain over the naive stencil in three dimensions",
        state: |rows, facts| gain(rows, facts, "3d"),
    }),
];

/// The f32 rows of kernels whose names end with `dimensions`.
fn of_kind<'a>(rows: &[&'a Record], dimensions: &'static str) -> impl Iterator<Item = &'a Record> + Clone {
    rows.iter().copied().filter(move |row| is_f32(row) && row.benchmark.ends_with(dimensions))
}

fn best(rows: &[&Record], facts: &mut Facts, dimensions: &'static str) -> Option<String> {
    let best = fastest_bytes(of_kind(rows, dimensions))?;
    let fastest = facts.fastest(&format!("fastest {dimensions}"), &best, label, "the measured copy peak")?;
    Some(format!("Stencil on {} f32 cells: {fastest}.", best.row.short_size()))
}

fn gain(rows: &[&Record], facts: &mut Facts, dimensions: &'static str) -> Option<String> {
    let naive = format!("naive_{dimensions}");
    let plain = fastest_bytes(of_kind(rows, dimensions).filter(|row| row.benchmark == naive))?;
    let others = of_kind(rows, dimensions).filter(|row| row.benchmark != naive && row.n == plain.row.n);
    let other = fastest(others, byte_rate)?;
    let name = format!("speed ratio: {} / {naive}", other.row.benchmark);
    let speed = facts.speed(name, other.rate, plain.rate)?;
    Some(format!("At that size, {} is {speed} {naive}.", label(other.row)))
}
