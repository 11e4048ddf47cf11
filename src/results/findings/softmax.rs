//! Softmax and normalisation by the length of rows, and the gain of one pass over several.

use super::claim::Claim;
use super::estimate::byte_rate;
use super::finding::Draft;
use super::query::{fastest, of, scalars};
use crate::record::Record;
use crate::suite::Extent;

/// The condition of a comparison of two kernels.
const COMPARED: &str = "a factor if the intervals are apart; alike if they overlap and are within ±5 %";

pub(super) const CLAIMS: &[Claim] = &[
    Claim {
        name: "softmax by the length of rows",
        rows: "the fastest row of subgroup at each size with the most elements",
        condition: "each rate with the digits that its interval leaves",
        state: |rows, draft| by_length(rows, draft, "Softmax"),
    },
    Claim {
        name: "gain over three passes",
        rows: "three_pass and the fastest other row, at the size with the longest rows that both have",
        condition: COMPARED,
        state: |rows, draft| gain(rows, draft, "three_pass"),
    },
];

/// The claims of `rmsnorm`, whose kernels are alike.
pub(super) const OF_RMSNORM: &[Claim] = &[
    Claim {
        name: "normalisation by the length of rows",
        rows: "the fastest row of subgroup at each size with the most elements",
        condition: "each rate with the digits that its interval leaves",
        state: |rows, draft| by_length(rows, draft, "RMS normalisation"),
    },
    Claim {
        name: "gain over two passes",
        rows: "two_pass and the fastest other row, at the size with the longest rows that both have",
        condition: COMPARED,
        state: |rows, draft| gain(rows, draft, "two_pass"),
    },
];

/// Elements of a row.
fn columns(row: &Record) -> u64 {
    row.n.map_or(0, |extent: Extent| extent.matrix().1)
}

fn by_length(rows: &[&Record], draft: &mut Draft, job: &str) -> Option<String> {
    let own: Vec<&Record> = of(rows, "subgroup").filter(|row| byte_rate(row).is_some()).collect();
    let most = own.iter().map(|row| scalars(row)).max()?;
    let mut lengths: Vec<u64> = own.iter().filter(|row| scalars(row) == most).map(|row| columns(row)).collect();
    lengths.sort_unstable();
    lengths.dedup();
    let of_length = |length: u64| {
        let best =
            fastest(own.iter().copied().filter(|row| scalars(row) == most && columns(row) == length), byte_rate)?;
        let rate = draft.byte_rate(format!("rows of {length}"), best.rate)?;
        let share = draft.share(format!("rows of {length} share"), best.row, "the measured copy peak");
        Some(format!("rows of {length} at {rate}{share}"))
    };
    let parts: Vec<String> = lengths.into_iter().filter_map(of_length).collect();
    (!parts.is_empty()).then(|| format!("{job} in registers runs {}.", parts.join(", ")))
}

fn gain(rows: &[&Record], draft: &mut Draft, passes: &str) -> Option<String> {
    let measured = rows.iter().copied().filter(|row| byte_rate(row).is_some());
    let others = measured.filter(|row| row.benchmark != passes);
    let has_size = |row: &&Record| byte_rate(row).is_some() && others.clone().any(|other| other.n == row.n);
    let several = of(rows, passes).filter(has_size).max_by_key(|row| (columns(row), scalars(row)))?;
    let best = fastest(others.filter(|row| row.n == several.n), byte_rate)?;
    let speed = draft.speed(format!("{} over {passes}", best.row.benchmark), best.rate, byte_rate(several)?)?;
    Some(format!("At {}, {} is {speed} {passes}.", several.short_size(), best.row.benchmark))
}

#[cfg(test)]
mod tests {
    use super::super::planted::{found, row};
    use super::*;

    #[test]
    fn each_length_of_rows_has_its_rate() {
        let of = |name: &str, rows, columns, rate: f64| Record {
            n: Some(Extent::Matrix(rows, columns)),
            gb_per_s: Some(rate),
            ..row(name, &[], 1, 1e9 / rate)
        };
        let rows = [
            of("three_pass", 100, 100, 500.0),
            of("subgroup", 100, 100, 1000.0),
            of("three_pass", 10, 1000, 400.0),
            of("online", 10, 1000, 900.0),
            of("subgroup", 10, 1000, 2000.0),
            of("subgroup", 3, 7, 3000.0),
        ];
        let text = found("softmax", &rows).expect("a finding").text;
        let said = "Softmax in registers runs rows of 100 at 1.00 TB/s, rows of 1000 at 2.00 TB/s. \
                    At 10x1000, subgroup is 5.00× as fast as three_pass.";
        assert_eq!(text, said);
    }
}
