//! Rows against the declarations of the suite: which cases a run has, what each moves and computes, and its kernel.

use std::collections::BTreeSet;

use super::fault::{Checks, Fault, Kind, ROUNDING, compare};
use crate::families::{FAMILIES, benchmark};
use crate::record::{Cause, Record, Status};
use crate::suite::{Api, Block, Case, Params, Profile, Shape, hash};

/// Reports from this day on have a row for each type and size that the suite declares, apart from [`SIZES_SINCE`]. Set it to
/// the day on which types or sizes of a benchmark are removed.
const CASES_SINCE: &str = "2026-11-23T11";

/// Sizes that benchmarks got later, each with its first day.
const SIZES_SINCE: [(&str, &str); 4] = [
    ("coalescing/offset f32 4096", "2026-11-26"),
    ("pitched/slices_3d f32 64x64x64", "2026-11-26"),
    ("transpose/naive_coalesced_read f64 2048x2048", "2026-11-26"),
    ("transpose/naive_coalesced_write f64 2048x2048", "2026-11-26"),
];

/// The parameter that sets the invocations of a workgroup.
const WORKGROUP_SIZE: &str = "WG";

/// The case of a row; `None` if the suite declares none with its type, size and parameters. Nothing is computed from sizes
/// and parameters that a stranger made up.
pub(super) fn case_of(row: &Record) -> Option<Case> {
    let family = FAMILIES.iter().find(|family| family.name == row.family)?;
    let benchmark = family.benchmarks.iter().find(|benchmark| benchmark.name == row.benchmark)?;
    let (dtype, extent) = (row.dtype?, row.n?);
    // What a run may set itself: smaller workgroups.
    let is_set =
        |name: &str, value: f64| name == WORKGROUP_SIZE && (1.0..=4096.0).contains(&value) && value.fract() == 0.0;
    let is_of = |(dtypes, extents, sets): Block<'_>| {
        let has_size = extents.contains(&extent) || benchmark.small == Some(extent);
        let has = |params: &Params| {
            let declared = |name: &str| params.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
            row.params.iter().all(|(name, value)| declared(name) == Some(*value) || is_set(name, *value))
                && params.iter().all(|(name, _)| row.params.contains_key(*name))
        };
        has_size && dtypes.contains(&dtype) && sets.iter().any(has)
    };
    let is_declared = benchmark.blocks().any(is_of);
    is_declared.then(|| Case::new(family, benchmark, Shape::new(dtype, extent, row.params.clone())))
}

/// A kernel of an earlier build, as a number: language, case and hash.
#[must_use]
pub fn kernel_key(row: &Record) -> u64 {
    let language = if row.backend == Some(Api::Cuda) { "cuda" } else { "wgsl" };
    let text = [language, &row.name(), row.dtype_name(), &row.params_text(), &row.shader_hash].join(" ");
    u64::from_str_radix(&hash(text.as_bytes()), 16).unwrap_or_default()
}

pub(super) fn check(records: &[Record], checks: &Checks, faults: &mut Vec<Fault>) {
    for (index, row) in records.iter().enumerate() {
        match case_of(row) {
            Some(case) => of_case(index, row, &case, checks, faults),
            None if had_case(row, checks) => {}
            None => faults.push(Fault::of_row(index, Kind::UnknownCase)),
        }
    }
    complete(records, faults);
}

/// Whether an earlier build may have had the case: its benchmark with other types or sizes. A copy has no kernel.
fn had_case(row: &Record, checks: &Checks) -> bool {
    let is_known = row.shader_hash.is_empty() || (checks.is_known_kernel)(kernel_key(row));
    // Or its benchmark was declared anew later.
    let of = benchmark(&row.family, &row.benchmark);
    of.is_some_and(|of| row.date.as_str() < CASES_SINCE.max(of.since)) && is_known
}

/// Whether the case was skipped before its kernel was read.
fn is_unread(row: &Record) -> bool {
    row.shader_hash.is_empty() && row.status == Status::Skipped
}

fn of_case(index: usize, row: &Record, case: &Case, checks: &Checks, faults: &mut Vec<Fault>) {
    let Some(program) = (checks.program)(case) else {
        if row.status != Status::Skipped {
            faults.push(Fault::of_row(index, Kind::CannotRun));
        }
        return;
    };
    let expected = if row.backend == Some(Api::Cuda) { program.cuda_hash } else { program.wgsl_hash };
    if row.shader_hash != expected && !is_unread(row) {
        if !(checks.is_known_kernel)(kernel_key(row)) {
            faults.push(Fault::of_row(index, Kind::UnknownKernel { expected }));
        }
        // Declarations may have changed with the kernel.
        return;
    }
    let (work, mut again) = (case.work(), row.clone());
    again.bytes = (work.bytes > 0).then_some(work.bytes);
    again.flops = (work.flops > 0).then_some(work.flops);
    again.model = case.benchmark.model.map(|model| model(&case.shape));
    // A row that is skipped before its kernel is read has none.
    again.workgroup_size = row.workgroup_size.and(program.workgroup_size.or(row.workgroup_size));
    let columns = [("bytes", 0.0, 0.0), ("flops", 0.0, 0.0), ("model", ROUNDING, 0.0), ("workgroup_size", 0.0, 0.0)];
    compare(index, row, &again, &columns, faults);
}

/// Each API has every benchmark of its day, and every declared type and size of these.
fn complete(records: &[Record], faults: &mut Vec<Fault>) {
    let mut add = |api, case| faults.push(Fault::of_report(Kind::Missing { api, case }));
    let mut apis: Vec<Api> = Vec::new();
    for api in records.iter().filter_map(|row| row.backend) {
        if !apis.contains(&api) {
            apis.push(api);
        }
    }
    for api in apis {
        let rows: Vec<&Record> = records.iter().filter(|row| row.backend == Some(api)).collect();
        let Some(first) = rows.first() else { continue };
        let profile = first.profile.unwrap_or(Profile::Quick);
        let named: BTreeSet<String> = rows.iter().map(|row| row.name()).collect();
        let sizes: BTreeSet<String> =
            rows.iter().map(|row| [&*row.name(), row.dtype_name(), &row.size()].join(" ")).collect();
        // A run with a time limit leaves out sizes without a row.
        let has_limit = profile == Profile::Quick || rows.iter().any(|row| row.cause == Some(Cause::TimeLimit));
        for (family, benchmark) in
            FAMILIES.iter().flat_map(|family| family.benchmarks.iter().map(move |own| (family, own)))
        {
            let is_left_out = match profile {
                Profile::Quick => benchmark.quick.is_empty(),
                _ => benchmark.cases.iter().all(|block| block.from > profile),
            };
            if is_left_out {
                continue;
            }
            let name = format!("{}/{}", family.name, benchmark.name);
            if first.date.as_str() < benchmark.since {
                continue;
            }
            if !named.contains(&name) {
                add(api, name);
                continue;
            }
            if has_limit || first.date.as_str() < CASES_SINCE {
                continue;
            }
            for block in benchmark.cases.iter().filter(|block| block.from <= profile) {
                for (dtype, extent) in
                    block.dtypes.iter().flat_map(|dtype| block.extents.iter().map(move |extent| (dtype, extent)))
                {
                    let size = [&*name, dtype.name(), &extent.to_string()].join(" ");
                    let is_later = |(name, day): &(&str, &str)| *name == size && first.date.as_str() < *day;
                    if !sizes.contains(&size) && !SIZES_SINCE.iter().any(is_later) {
                        add(api, size);
                    }
                }
            }
        }
    }
}
