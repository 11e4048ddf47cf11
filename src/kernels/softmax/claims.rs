//! Softmax and normalisation by the length of rows, and the gain of one pass over several.

use record::Record;
use record::claim::*;
use record::suite::prelude::*;

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured {
        name: "rate by row length",
        state: |rows, facts| by_length(rows, facts, "subgroup", "Softmax in registers"),
    }),
    Claim::Measured(Measured { name: "gain over three passes", state: |rows, facts| gain(rows, facts, "three_pass") }),
];

pub(crate) fn columns(row: &Record) -> u64 {
    row.n.map_or(0, |extent: Extent| extent.matrix().1)
}

pub(crate) fn by_length(rows: &[&Record], facts: &mut Facts, kernel: &str, job: &str) -> Option<String> {
    let timed: Vec<&Record> = of(rows, kernel).filter(|row| byte_rate(row).is_some()).collect();
    let most = timed.iter().map(|row| scalars(row)).max()?;
    let mut lengths: Vec<u64> = timed.iter().filter(|row| scalars(row) == most).map(|row| columns(row)).collect();
    lengths.sort_unstable();
    lengths.dedup();
    let of_length = |length: u64| {
        let best =
            fastest(timed.iter().copied().filter(|row| scalars(row) == most && columns(row) == length), byte_rate)?;
        let rate = facts.byte_rate(format!("rows of {length}"), best.rate)?;
        let share = facts.share(format!("rows of {length} share"), best.row, "the measured copy peak");
        Some(format!("{rate} with rows of {length}{share}"))
    };
    Some(format!("{job} reaches {}.", joined(lengths.into_iter().filter_map(of_length), ", ")?))
}

pub(crate) fn gain(rows: &DeviceRows, facts: &mut Facts, passes: &str) -> Option<String> {
    let measured = rows.iter().copied().filter(|row| byte_rate(row).is_some());
    let others = measured.filter(|row| row.benchmark != passes);
    let has_size = |row: &&Record| byte_rate(row).is_some() && others.clone().any(|other| other.n == row.n);
    let several = of(rows, passes).filter(has_size).max_by_key(|row| (columns(row), scalars(row)))?;
    let best = fastest(others.filter(|row| row.n == several.n), byte_rate)?;
    let name = format!("speed ratio: {} / {passes}", best.row.benchmark);
    let speed = facts.speed(name, best.rate, byte_rate(several)?)?;
    Some(format!("At {}, {} is {speed} {passes}.", several.short_size(), best.row.benchmark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::{found, row};

    #[test]
    fn each_length_of_rows_has_its_rate() {
        let row = |name: &str, rows, columns, rate: f64| Record {
            n: Some(Extent::Matrix(rows, columns)),
            gb_per_s: Some(rate),
            ..row(name, &[], 1, 1e9 / rate)
        };
        let rows = [
            row("three_pass", 100, 100, 500.0),
            row("subgroup", 100, 100, 1000.0),
            row("three_pass", 10, 1000, 400.0),
            row("online", 10, 1000, 900.0),
            row("subgroup", 10, 1000, 2000.0),
            row("subgroup", 3, 7, 3000.0),
        ];
        let text = found("softmax", &rows).expect("a finding").text();
        let said = "Softmax in registers reaches 1.00 TB/s with rows of 100, 2.00 TB/s with rows of 1000. At 10x1000, \
                    subgroup is 5.00× as fast as three_pass.";
        assert_eq!(text, said);
    }
}
