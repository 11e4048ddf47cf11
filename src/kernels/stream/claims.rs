//! The stream kernels compared with a copy.

use record::claim::*;
use record::stats::Estimate;
use record::suite::prelude::*;
use record::{Record, ranking};

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured {
        name: "rate of a copy",
        state: |rows, facts| {
            let (row, rate) = copy(rows)?;
            let rate = facts.byte_rate("copy", rate)?;
            Some(format!("With {} {} values, copy runs at {rate}.", row.short_size(), row.dtype_name()))
        },
    }),
    Claim::Measured(Measured {
        name: "fastest kernel",
        state: |rows, facts| extreme(rows, facts, FASTEST, Estimate::recip),
    }),
    Claim::Measured(Measured {
        name: "slowest kernel",
        state: |rows, facts| extreme(rows, facts, SLOWEST, |rate| rate),
    }),
    Claim::Ratio(Ratio {
        name: "byte rate ratio: nstream / triad",
        kernels: [("stream/nstream", NONE), ("stream/triad", NONE)],
        by: By::Bytes,
        says: "At {size} {dtype}, nstream (three reads per write) moves bytes {} triad.",
    }),
];

const FASTEST: &str = "fastest";
const SLOWEST: &str = "slowest";

fn copy<'a>(rows: &[&'a Record]) -> Option<(&'a Record, Estimate)> {
    let copies = of(rows, "copy").filter(|row| row.dtype == Some(Dtype::Vec4F32) && byte_rate(row).is_some());
    let row = largest(copies)?;
    Some((row, byte_rate(row)?))
}

/// The other kernels with the shortest `time`, compared with a copy; not the slowest if they tie with the fastest.
fn extreme(rows: &[&Record], facts: &mut Facts, word: &str, time: fn(Estimate) -> Estimate) -> Option<String> {
    let (copy, copied) = copy(rows)?;
    let is_alike = |row: &&&Record| (row.dtype, row.n) == (copy.dtype, copy.n) && has_params(row, &[]);
    let others = rows.iter().filter(is_alike).filter(|row| row.benchmark != copy.benchmark);
    let others: Vec<(&str, Estimate)> = others.filter_map(|row| Some((&*row.benchmark, byte_rate(row)?))).collect();
    let ranking = ranking(others.iter().map(|other| (*other, time(other.1))))?;
    let first = [ranking.best].into_iter().chain(ranking.ties.into_iter().map(|(tie, _)| tie));
    let (names, rates): (Vec<String>, Vec<Estimate>) = first.map(|(name, rate)| (name.to_owned(), rate)).unzip();
    if others.len() < 2 || word == SLOWEST && names.len() == others.len() {
        return None;
    }
    let name = if let [name] = &*names { name } else { word };
    let rate = level(&rates)?;
    let speed = facts.speed(format!("byte rate ratio: {name} / copy"), rate, copied)?;
    let rate = facts.byte_rate(name, rate)?;
    Some(match &*names {
        [name] => format!("The {word} other kernel is {name} at {rate}, {speed} copy."),
        _ => format!("Among the other kernels, {} {rate}, {speed} copy.", first_by(word, &names)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::{found, row};

    fn text(rates: &[(&str, f64)]) -> String {
        let row = |(name, rate): &(&str, f64)| Record {
            dtype: Some(Dtype::Vec4F32),
            gb_per_s: Some(*rate),
            ..row(name, &[], 1 << 20, 1e6 / rate)
        };
        found("stream", &rates.iter().map(row).collect::<Vec<_>>()).expect("a copy").text()
    }

    #[test]
    fn kernels_that_tie_are_named_together() {
        let alone = text(&[("copy", 1000.0), ("mul", 1200.0), ("add", 1100.0), ("dot", 500.0)]);
        assert!(alone.contains("The fastest other kernel is mul at 1.20 TB/s, 1.20× as fast as copy."), "{alone}");
        assert!(alone.contains("The slowest other kernel is dot at 500 GB/s, 0.500× as fast as copy."), "{alone}");
        let tie = text(&[("copy", 1000.0), ("mul", 1200.0), ("add", 1198.0), ("dot", 500.0), ("triad", 501.0)]);
        assert!(
            tie.contains("Among the other kernels, mul and add tie for fastest at 1.20 TB/s, 1.20× as fast as copy."),
            "{tie}"
        );
        assert!(tie.contains("Among the other kernels, dot and triad tie for slowest at 500 GB/s"), "{tie}");
    }

    #[test]
    fn the_slowest_are_not_named_where_they_are_the_fastest_too() {
        let all = text(&[("copy", 1000.0), ("mul", 1000.0), ("add", 1001.0)]);
        assert!(all.contains("Among the other kernels, add and mul tie for fastest at 1.00 TB/s"), "{all}");
        assert!(!all.contains("slowest"), "{all}");
        assert!(!text(&[("copy", 1000.0), ("mul", 1000.0)]).contains("others"), "one kernel has no rivals");
    }
}
