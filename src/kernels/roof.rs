//! Roofs of arithmetic: the highest rates of a card, whichever kernel and API reached them.
//!
//! `ceiling/tensor` and similar kernels measure the rate of a subgroup's matrix instruction (`mma`). Hopper's `wgmma`,
//! and libraries that use it, are faster and set the peak.

use std::collections::HashMap;

use super::benchmark;
use record::claim::is_software;
use record::stats::{Estimate, ratio, round_to_seven_digits};
use record::suite::prelude::*;
use record::{Bound, Cause, Record, Status};

/// Card, host and date of a run, and a kind of arithmetic.
type Key = (String, String, String, Bound);

struct Roof {
    rate: Estimate,
    /// Whether a kernel of family `ceiling` measured this kind: other kernels alone are no measure of themselves.
    is_measured: bool,
}

/// Sets `ceiling` and `share` of the rows that arithmetic limits, relative to the highest verified rate of the kind on
/// the card in the run. Returns the indices of the rows that changed. Rows of a software device stay: their shares
/// allow for its varying speed, and it has no tensor cores.
pub fn raise_roofs(rows: &mut [Record]) -> Vec<usize> {
    let mut roofs: HashMap<Key, Roof> = HashMap::new();
    for row in rows.iter() {
        let Some((bound, rate)) = bound(row).zip(rate(row)) else { continue };
        let sets = benchmark(&row.family, &row.benchmark).is_some_and(|benchmark| benchmark.sets_ceiling);
        let is_certain = row.status == Status::Ok && !row.cause.is_some_and(Cause::is_by_ceiling);
        if !is_certain {
            continue;
        }
        let roof = roofs.entry(key(row, bound)).or_insert(Roof { rate, is_measured: false });
        roof.is_measured |= sets;
        if rate.value > roof.rate.value {
            roof.rate = rate;
        }
    }
    let mut changed = Vec::new();
    for (index, row) in rows.iter_mut().enumerate() {
        let Some((bound, rate)) = bound(row).zip(rate(row)) else { continue };
        let Some(roof) = roofs.get(&key(row, bound)).filter(|roof| roof.is_measured) else { continue };
        let is_roof = rate.value == roof.rate.value;
        let share = rate.value / roof.rate.value;
        let known = ratio(rate, roof.rate);
        let text = |value: f64| Some(round_to_seven_digits(value));
        let (low, high) = match known {
            _ if is_roof => (Some(1.0), Some(1.0)),
            Some(known) => (text(known.low), text(known.high)),
            None => (None, None),
        };
        let before = (row.ceiling, row.share, row.share_low, row.share_high);
        (row.ceiling, row.share, row.share_low, row.share_high) = (Some(bound), text(share), low, high);
        if before != (row.ceiling, row.share, row.share_low, row.share_high) {
            changed.push(index);
        }
    }
    changed
}

/// The row that sets the roof of f16 products, unless it is of family `ceiling`.
#[must_use]
pub fn beyond_mma<'a>(rows: &[&'a Record]) -> Option<&'a Record> {
    let sets = |row: &&&Record| row.ceiling.is_some_and(|bound| bound.limit == Limit::Tensor) && row.share == Some(1.0);
    rows.iter().filter(sets).find(|row| row.family != "ceiling").copied()
}

fn key(row: &Record, bound: Bound) -> Key {
    let card = if row.card.is_empty() { &row.device } else { &row.card };
    (card.clone(), row.host.clone(), row.date.clone(), bound)
}

/// The kind of arithmetic that limits a row. In reports of earlier versions, rows of tensor cores have no ceiling.
fn bound(row: &Record) -> Option<Bound> {
    if is_software(row) {
        return None;
    }
    match row.ceiling {
        Some(bound) => bound.limit.is_arithmetic().then_some(bound),
        None => {
            let limit = benchmark(&row.family, &row.benchmark)?.ceiling.filter(|limit| limit.is_tensor())?;
            Some(Bound { limit, scalar: None, working_set: None, is_cached: false })
        }
    }
}

/// Operations per nanosecond, with the interval of the row's time, or 0 to infinity if it has none.
fn rate(row: &Record) -> Option<Estimate> {
    let flops = row.flops.filter(|flops| *flops > 0)? as f64;
    let value = flops / row.median_ns.filter(|median| *median > 0.0)?;
    let (low, high) = match (row.ci_high_ns, row.ci_low_ns) {
        (Some(slowest), Some(fastest)) if fastest > 0.0 => (flops / slowest, flops / fastest),
        _ => (0.0, f64::INFINITY),
    };
    Some(Estimate { value, low, high })
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::suite::{Api, DeviceType};

    /// A row of 10^6 operations, each rate in operations per nanosecond.
    fn row(name: &str, api: Api, rate: f64) -> Record {
        let (family, benchmark) = name.split_once('/').expect("family/benchmark");
        let median = 1e6 / rate;
        Record {
            family: family.to_owned(),
            benchmark: benchmark.to_owned(),
            backend: Some(api),
            flops: Some(1_000_000),
            median_ns: Some(median),
            ci_low_ns: Some(median * 0.99),
            ci_high_ns: Some(median * 1.01),
            ceiling: name.contains("tensor").then(|| Bound::parse("tensor")).flatten(),
            share: Some(1.0),
            ..Record::default()
        }
    }

    fn shares(rows: &mut [Record]) -> Vec<Option<f64>> {
        raise_roofs(rows);
        rows.iter().map(|row| row.share.map(|share| (share * 1e3).round() / 1e3)).collect()
    }

    #[test]
    fn the_fastest_kernel_of_a_card_is_the_roof_of_its_kind() {
        let mut rows = [
            row("ceiling/tensor", Api::Vulkan, 600.0),
            row("ceiling/tensor", Api::Cuda, 625.0),
            row("matmul/wgmma", Api::Cuda, 750.0),
            row("matmul/cublas_f16", Api::Cuda, 720.0),
            row("matmul/cublaslt_bf16", Api::Cuda, 900.0),
        ];
        rows[4].share = None;
        assert_eq!(shares(&mut rows), [Some(0.8), Some(0.833), Some(1.0), Some(0.96), None]);
        assert_eq!((rows[2].share_low, rows[2].share_high), (Some(1.0), Some(1.0)));
        assert!(rows[3].share_low < Some(0.96) && rows[3].share_high > Some(0.96));
        assert_eq!(rows[3].ceiling, Bound::parse("tensor"));
        assert_eq!(beyond_mma(&rows.iter().collect::<Vec<_>>()).map(|row| row.benchmark.as_str()), Some("wgmma"));
        assert!(raise_roofs(&mut rows).is_empty(), "twice is as good as once");
    }

    #[test]
    fn a_roof_is_of_one_card_and_one_run_and_of_certain_rows() {
        let ceiling = row("ceiling/tensor", Api::Cuda, 600.0);
        let faster = row("matmul/wgmma", Api::Cuda, 750.0);
        let others: [fn(&mut Record); 4] = [
            |row| row.date = "2026-11-28".to_owned(),
            |row| row.card = "another".to_owned(),
            |row| row.status = Status::Implausible,
            |row| row.device_type = Some(DeviceType::Software),
        ];
        for change in others {
            let mut rows = [ceiling.clone(), faster.clone()];
            change(&mut rows[1]);
            assert_eq!(shares(&mut rows)[0], Some(1.0));
        }
    }
}
