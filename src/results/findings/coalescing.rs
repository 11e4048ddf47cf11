//! The cost of unaligned, strided and shared reads.

use super::claim::Claim;
use super::estimate::{Comparison, compare, time};
use super::finding::Draft;
use super::query::{has_params, largest, of};
use crate::families::coalescing::{addresses, degree_of_coalescing};
use crate::record::Record;
use crate::record::stats::{self, Estimate};

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "speed at an offset",
        rows: "offset with OFFSET=1 and OFFSET=8, a whole sector, else OFFSET=0, at the largest size",
        condition: "a percentage if the intervals are apart; alike if they overlap and are within ±5 %",
        state: offset,
    },
    Claim {
        name: "speed at an offset, pieces apart",
        rows: "offset_apart with OFFSET=1 and OFFSET=8, at each size",
        condition: "each percentage with the digits that its interval leaves",
        state: apart,
    },
    Claim {
        name: "speed at a stride",
        rows: "stride with STRIDE=2, 8, 32, each relative to STRIDE=1, at the largest size",
        condition: "each percentage with the digits that its interval leaves",
        state: strides,
    },
    Claim {
        name: "uniform buffer",
        rows: "broadcast_uniform and broadcast_storage, at the largest size",
        condition: "a factor if the intervals are apart; alike if they overlap and are within ±5 %",
        state: |rows, draft| {
            let (uniform, storage) = pair(rows, ("broadcast_uniform", &[]), ("broadcast_storage", &[]))?;
            let speed = draft.speed("broadcast from a uniform buffer", storage, uniform)?;
            Some(format!("Reading a shared element from a uniform buffer is {speed} reading it from a storage buffer."))
        },
    },
];

/// A benchmark with its parameters.
type Named<'a> = (&'a str, &'a [(&'a str, f64)]);

/// The times of two benchmarks, at the largest size of the second.
fn pair(rows: &[&Record], own: Named, base: Named) -> Option<(Estimate, Estimate)> {
    let measured = |(benchmark, params): Named| -> Vec<&Record> {
        of(rows, benchmark).filter(|row| row.median_ns.is_some() && has_params(row, params)).collect()
    };
    let base = largest(measured(base).into_iter())?;
    let own = measured(own).into_iter().rfind(|row| row.n == base.n)?;
    Some((time(own)?, time(base)?))
}

fn offset(rows: &[&Record], draft: &mut Draft) -> Option<String> {
    // At 8 the code is that at 1; at 0 a branch of the kernel is dropped.
    let (one, aligned, sector) = [8.0, 0.0].into_iter().find_map(|offset| {
        let (one, aligned) = pair(rows, ("offset", &[("OFFSET", 1.0)]), ("offset", &[("OFFSET", offset)]))?;
        Some((one, aligned, offset))
    })?;
    let model = 100.0 * degree_of_coalescing(&addresses(1, 1), 4);
    let left = match compare(aligned, one)? {
        Comparison::Differ(speed) => {
            format!("leaves {} of the speed at offset {sector}", draft.percent("offset 1", speed)?)
        }
        Comparison::Alike => format!("is as fast, within the noise, as one of {sector}"),
    };
    Some(format!("An offset of one element {left} (sectors alone: {model:.0} %)."))
}

fn apart(rows: &[&Record], draft: &mut Draft) -> Option<String> {
    let at = |offset: f64| {
        of(rows, "offset_apart").filter(move |row| row.median_ns.is_some() && has_params(row, &[("OFFSET", offset)]))
    };
    let speed = |one: &Record| {
        let aligned = at(8.0).find(|aligned| aligned.n == one.n)?;
        let speed =
            draft.percent(format!("offset 1 apart, {}", one.size()), stats::ratio(time(aligned)?, time(one)?)?)?;
        Some(format!("{speed} at {}", one.short_size()))
    };
    let speeds: Vec<String> = at(1.0).filter_map(speed).collect();
    let list = speeds.join(", ");
    (!speeds.is_empty())
        .then(|| format!("Where neighbouring pieces of 128 bytes are read far apart, it leaves {list}."))
}

fn strides(rows: &[&Record], draft: &mut Draft) -> Option<String> {
    let speed = |stride: u64| {
        let (own, first) = pair(rows, ("stride", &[("STRIDE", stride as f64)]), ("stride", &[("STRIDE", 1.0)]))?;
        let degree = 100.0 * degree_of_coalescing(&addresses(stride, 0), 4);
        let speed = draft.percent(format!("stride {stride}"), stats::ratio(first, own)?)?;
        Some(format!("stride {stride} {speed} (degree of coalescing {degree:.1} %)"))
    };
    let strides: Vec<String> = [2, 8, 32].into_iter().filter_map(speed).collect();
    let list = strides.join(", ");
    (!strides.is_empty()).then(|| format!("Speed relative to stride 1: {list}."))
}

#[cfg(test)]
mod tests {
    use crate::results::findings::planted::{found, row};

    #[test]
    fn rows_of_one_size_are_compared() {
        let rows = [
            row("offset", &[("OFFSET", 0.0)], 4096, 10.0e6),
            row("offset", &[("OFFSET", 1.0)], 4096, 20.0e6),
            row("offset", &[("OFFSET", 0.0)], 8192, 30.0e6),
            row("offset", &[("OFFSET", 1.0)], 8192, 40.0e6),
            row("offset_apart", &[("OFFSET", 1.0)], 1024, 12.5e6),
            row("offset_apart", &[("OFFSET", 8.0)], 1024, 10.0e6),
            row("stride", &[("STRIDE", 1.0)], 1024, 10.0e6),
            row("stride", &[("STRIDE", 8.0)], 1024, 40.0e6),
            row("broadcast_storage", &[], 1024, 10.0e6),
            row("broadcast_uniform", &[], 1024, 10.0e6),
        ];
        assert_eq!(
            found("coalescing", &rows).expect("enough rows").text,
            "An offset of one element leaves 75 % of the speed at offset 0 (sectors alone: 80 %). Where \
             neighbouring pieces of 128 bytes are read far apart, it leaves 80 % at 2^10. Speed relative to stride 1: \
             stride 8 25 % (degree of coalescing 12.5 %). Reading a shared element from a uniform buffer is as fast, \
             within the noise, as reading it from a storage buffer."
        );
    }
}
