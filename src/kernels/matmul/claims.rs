//! The gain of tiles, registers and tensor cores in a matrix product.

use record::Record;
use record::claim::*;

/// The rate of a kernel, and its share of a peak.
macro_rules! reach {
    ($name:literal, $kernel:literal, $what:literal, $peak:expr) => {
        Claim::Measured(Measured { name: $name, state: |rows, facts| reach(rows, facts, $kernel, $what, $peak) })
    };
}

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured { name: "gain from tiles", state: tiles }),
    reach!("rate with registers", "register_blocked", "4×4 elements per invocation in registers", FMA),
    reach!("rate with prefetched tiles", "double_buffered", "8×8 elements per invocation with prefetched tiles", FMA),
    reach!("rate of tensor cores", "cooperative", "tensor cores with f16 inputs", "the measured tensor peak"),
    Claim::Ratio(Ratio {
        name: "speed ratio: f16 sums / f32 sums",
        kernels: [("matmul/cooperative_f16", NONE), ("matmul/cooperative", NONE)],
        by: By::Speed,
        says: "At {size}, products with f16 sums (11 significant bits) are {} products with f32 sums.",
    }),
    Claim::Article(ArticleClaim {
        id: "E5",
        title: "the matrix product in tiles",
        claim: "The article links to a matrix product with tiles in shared memory; the suite adds blocks in registers.",
        kernels: &["matmul/naive", "matmul/tiled", "matmul/register_blocked"],
        terms: &["__shared__", "__syncthreads()", "register"],
        prediction: "With 16×16 tiles, the kernel reads global memory 1/16 as often as the naive kernel, but caches \
            already serve some of the naive kernel's reads.",
        judge: Judge::Report(product),
        ..ArticleClaim::BLANK
    }),
];

const FMA: &str = "the measured FMA peak";

/// The fastest row of a benchmark at the family's largest size.
fn best<'a>(rows: &[&'a Record], benchmark: &str) -> Option<Fastest<'a>> {
    let largest = rows.iter().filter(|row| row.gflop_per_s.is_some()).map(|row| scalars(row)).max()?;
    fastest_flops(of(rows, benchmark).filter(|row| scalars(row) == largest))
}

fn tiles(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let (naive, tiled) = (best(rows, "naive")?, best(rows, "tiled")?);
    let gain = facts.speed("speed ratio: tiled / naive", tiled.rate, naive.rate)?;
    let with = if tiled.is_certain() { format!(" (fastest with {})", tiled.row.params_text()) } else { String::new() };
    let n = tiled.row.short_size();
    Some(format!("At {n}, tiles in workgroup memory{with} are {gain} the naive kernel."))
}

fn reach(rows: &DeviceRows, facts: &mut Facts, benchmark: &str, what: &str, peak: &str) -> Option<String> {
    let best = best(rows, benchmark)?;
    let rate = facts.flop_rate(benchmark, best.rate)?;
    let share = facts.share(format!("{benchmark} share"), best.row, peak);
    Some(format!("At {}, {what} reach {rate}{share}.", best.row.short_size()))
}

fn product(rows: &DeviceRows, facts: &mut Facts) -> Result<Report, Why> {
    let tile = &[("TILE", 16.0)][..];
    let [tiled, naive] = rows.together([("matmul/tiled", tile), ("matmul/naive", NONE)])?;
    let [blocked, _] = rows.together([("matmul/register_blocked", NONE), ("matmul/tiled", tile)])?;
    let first = compared(facts, "speed ratio: tiled / naive", speed(tiled, naive)?)?;
    let second = compared(facts, "speed ratio: registers / tiled", speed(blocked, tiled)?)?;
    let size = tiled.short_size();
    Ok(Report::new(format!(
        "At {size}, tiles are {first} the naive kernel, and blocks in registers are {second} tiles."
    )))
}
