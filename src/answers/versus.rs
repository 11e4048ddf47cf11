//! Ratios of times of one device through two toolchains: APIs, or compilers of one API.
//!
//! A ratio is the time of the first toolchain ÷ the time of the second; above 1, the second is faster. A case is
//! compared only if both sides are `ok` and use the same clock. The interval is that of the differences between the
//! epochs, in which the toolchains took turns; for rows without epochs, it is that of [`stats::ratio`].

use std::collections::{HashMap, HashSet};

use super::compare::ratios_in_turns;
use kernels::work_kind;
use record::Record;
use record::stats::{self, Estimate};
use record::suite::{Toolchain, WorkKind};

/// Geometric mean of (time of the first toolchain ÷ time of the second) over kernels, and the number of cases, without
/// those with cold caches. `None` if no case can be compared.
#[must_use]
pub fn mean_ratio(rows: &[&Record], toolchains: [Toolchain; 2]) -> Option<(f64, usize)> {
    let is_counted = |row: &&Record| !row.is_cold() && work_kind(row) == WorkKind::Kernel;
    let rows: Vec<&Record> = rows.iter().copied().filter(is_counted).collect();
    let ratios: Vec<f64> = gaps(&rows, toolchains).iter().map(|gap| gap.ratio.value).collect();
    Some((stats::geometric_mean(&ratios)?, ratios.len()))
}

/// The ratios of all cases shared by two toolchains, computed together because each interval depends on the other rows.
pub(super) struct Ratios<'a> {
    gaps: Vec<Gap<'a>>,
}

impl<'a> Ratios<'a> {
    /// Time of the first of `toolchains` ÷ time of the second, for all cases in `rows`.
    pub(super) fn new(rows: &[&'a Record], toolchains: [Toolchain; 2]) -> Self {
        Self { gaps: gaps(rows, toolchains) }
    }

    /// The ratio for the case of `row`, a row of the first toolchain; `None` if it is not compared.
    pub(super) fn of(&self, row: &Record) -> Option<Estimate> {
        let is_same = |of: &Record| {
            (&of.family, &of.benchmark, of.dtype, of.n, &of.params)
                == (&row.family, &row.benchmark, row.dtype, row.n, &row.params)
        };
        self.gaps.iter().find(|gap| is_same(gap.row)).map(|gap| gap.ratio)
    }

    /// The geometric mean for each family with compared cases, in the order of the records.
    pub(super) fn by_family(&self) -> Vec<(&'a str, f64)> {
        let mut families: Vec<&str> = self.gaps.iter().map(|gap| gap.row.family.as_str()).collect();
        families.dedup();
        let mean_of = |family: &'a str| {
            let of_family = self.gaps.iter().filter(|gap| gap.row.family == family);
            let ratios: Vec<f64> = of_family.map(|gap| gap.ratio.value).collect();
            Some((family, stats::geometric_mean(&ratios)?))
        };
        families.into_iter().filter_map(mean_of).collect()
    }
}

struct Gap<'a> {
    row: &'a Record,
    ratio: Estimate,
}

/// The cases of the first toolchain whose times are comparable with those of the second, in the order of the rows.
fn gaps<'a>(rows: &[&'a Record], [first, second]: [Toolchain; 2]) -> Vec<Gap<'a>> {
    let key = |row: &'a Record| (&*row.family, &*row.benchmark, row.dtype_name(), row.size(), row.params_text());
    let rows_of = |toolchain| rows.iter().copied().filter(move |row| row.toolchain() == Some(toolchain));
    let (mut others, mut known) = (HashMap::new(), HashSet::new());
    rows_of(second).for_each(|row| _ = others.entry(key(row)).or_insert(row));
    let is_sound = |(a, b): &(&Record, &Record)| {
        a.timer == b.timer && [a, b].iter().all(|row| row.median_ns.is_some() && row.status.is_timed())
    };
    let pairs =
        rows_of(first).filter(|row| known.insert(key(row))).filter_map(|row| Some((row, *others.get(&key(row))?)));
    let pairs: Vec<(&Record, &Record)> = pairs.filter(is_sound).collect();
    let estimate = |row: &Record| Some(Estimate { value: row.median_ns?, low: row.ci_low_ns?, high: row.ci_high_ns? });
    let gap = |(ratio, (row, other)): (Option<super::compare::Ratio>, (&'a Record, &'a Record))| {
        let in_turns = ratio.and_then(|ratio| ratio.estimate());
        let ratio = in_turns.or_else(|| stats::ratio(estimate(row)?, estimate(other)?))?;
        Some(Gap { row, ratio })
    };
    ratios_in_turns(&pairs).into_iter().zip(pairs.iter().copied()).filter_map(gap).collect()
}
