//! Whether a report can be shared: one complete run of known kernels on one card, without names.
//!
//! These checks cannot prove where a report comes from: the program can compute every column of an invented report.

use std::collections::BTreeSet;

use kernels::{FAMILIES, benchmark};
use record::suite::{Api, Block, Case, Params, Profile, Program, Shape, hash};
use record::{COLUMNS, Cause, Kind, Record, Status};

/// Day and hour of the suite's last change of cases: earlier reports may lack cases or have others. Keep it current.
pub const CASES_SINCE: &str = "2026-11-30T03";

/// The parameter that sets the invocations of a workgroup.
const WORKGROUP_SIZE: &str = "WG";

/// The kernels to check a report against.
pub struct Checks<'a> {
    /// Whether an earlier build had the kernel with this [`kernel_key`].
    pub is_known_kernel: &'a dyn Fn(u64) -> bool,
    /// The suite's kernel of a case: `engine::program`.
    pub program: fn(&Case) -> Option<Program>,
}

/// A fault of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The fault in a sentence.
    pub text: String,
    /// What to do about it.
    pub remedy: Remedy,
}

/// What to do about a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// Measure the benchmarks without a row: `family/benchmark`.
    Complete(String),
    /// Open an issue: the suite or the driver is at fault.
    Issue,
    /// Measure again with this build.
    Measure,
    /// Share the file of one run on one card, as the program wrote it.
    OneRun,
    /// Share a copy without the host.
    Copy,
}

/// The faults of a report; empty if it can be shared.
#[must_use]
pub fn faults(records: &[Record], checks: &Checks) -> Vec<Fault> {
    let mut faults = Vec::new();
    if records.is_empty() {
        add(&mut faults, "the report has no rows", Remedy::Complete(String::new()));
    }
    one_run(records, &mut faults);
    anonymous(records, &mut faults);
    for row in records {
        kernel(row, checks, &mut faults);
        if matches!(row.status, Status::Wrong | Status::Failed | Status::Implausible) {
            add(&mut faults, &format!("{}: the status is {}", case_text(row), row.status.name()), Remedy::Issue);
        }
    }
    complete(records, &mut faults);
    faults
}

fn add(faults: &mut Vec<Fault>, text: &str, remedy: Remedy) {
    faults.push(Fault { text: text.to_owned(), remedy });
}

/// `vulkan transpose/tiled f32 4096x4096 PAD=1`.
#[must_use]
pub fn case_text(row: &Record) -> String {
    [row.api_name(), &row.name(), row.dtype_name(), &row.size(), &row.params_text()].join(" ").trim().to_owned()
}

/// Columns with one value in a run, and columns with one value for each API.
const OF_A_RUN: [&str; 8] = ["schema", "tool_version", "date", "os", "cpu", "seed", "apis", "profile"];
const OF_AN_API: [&str; 4] = ["device", "driver", "card", "host"];

/// Checks that the rows are from one run on one card. The reader already notes repeated cases.
fn one_run(records: &[Record], faults: &mut Vec<Fault>) {
    let apis: BTreeSet<Option<Api>> = records.iter().map(|row| row.backend).collect();
    let of_apis = apis.into_iter().flat_map(|api| OF_AN_API.map(|column| (Some(api), column)));
    for (api, column) in OF_A_RUN.map(|column| (None, column)).into_iter().chain(of_apis) {
        let rows = records.iter().filter(|row| api.is_none_or(|api| row.backend == api));
        let values: BTreeSet<String> = rows.map(|row| row.cell(column)).collect();
        if let [one, other, ..] = &values.iter().collect::<Vec<_>>()[..] {
            let within = api.flatten().map_or("the report".to_owned(), |api| format!("the {} rows", api.title()));
            add(
                faults,
                &format!("column {column} has more than one value in {within}: '{one}' and '{other}'"),
                Remedy::OneRun,
            );
        }
    }
}

/// Checks that no text contains a path or the host's name.
fn anonymous(records: &[Record], faults: &mut Vec<Fault>) {
    for row in records {
        for column in COLUMNS.iter().filter(|column| column.unit.is_empty() && column.kind != Kind::Figure) {
            if let Some(path) = path_in(&(column.get)(row)) {
                let text = format!("{}: column {} contains the path {path}", case_text(row), column.name);
                add(faults, &text, Remedy::Issue);
            }
        }
    }
    if let Some(row) = records.iter().find(|row| !row.host.is_empty()) {
        add(faults, &format!("column host contains the machine's name, '{}'", row.host), Remedy::Copy);
    }
}

fn path_in(text: &str) -> Option<&str> {
    let is_path = |word: &&str| {
        let word = word.trim_start_matches(['(', '\'', '"', '`', ':', '=']);
        let mut characters = word.chars();
        let is_drive = characters.next().is_some_and(|first| first.is_ascii_alphabetic())
            && characters.next() == Some(':')
            && matches!(characters.next(), Some('\\' | '/'));
        let is_rooted = word.starts_with('/') && word[1..].contains('/') || word.starts_with("~/");
        is_drive || is_rooted || word.starts_with(r"\\")
    };
    text.split_whitespace().find(is_path)
}

/// The case of a row; `None` if the suite declares none like it. Computes nothing from sizes that a stranger made up.
fn case_of(row: &Record) -> Option<Case> {
    let family = FAMILIES.iter().find(|family| family.name == row.family)?;
    let benchmark = family.benchmarks.iter().find(|benchmark| benchmark.name == row.benchmark)?;
    let (dtype, extent) = (row.dtype?, row.n?);
    // A run itself may only set smaller workgroups.
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

/// Identifies a kernel of an earlier build: a hash of language, case and source hash.
#[must_use]
pub fn kernel_key(row: &Record) -> u64 {
    let language = if row.backend == Some(Api::Cuda) { "cuda" } else { "wgsl" };
    let text = [language, &row.name(), row.dtype_name(), &row.params_text(), &row.shader_hash].join(" ");
    u64::from_str_radix(&hash(text.as_bytes()), 16).unwrap_or_default()
}

/// Checks that the row's kernel is one of this build or of an earlier build.
fn kernel(row: &Record, checks: &Checks, faults: &mut Vec<Fault>) {
    let mut add = |what: &str| add(faults, &format!("{}: {what}", case_text(row)), Remedy::Measure);
    let Some(case) = case_of(row) else {
        // An earlier build may have had the benchmark with other types or sizes. Copies have no kernel.
        let is_known = row.shader_hash.is_empty() || (checks.is_known_kernel)(kernel_key(row));
        let is_named = benchmark(&row.family, &row.benchmark).is_some();
        if !(is_known && is_named && row.date.as_str() < CASES_SINCE) {
            add("the suite has no such benchmark, type, size or parameters");
        }
        return;
    };
    let Some(program) = (checks.program)(&case) else {
        if row.status != Status::Skipped {
            add("the benchmark cannot run with this type, this size and these parameters");
        }
        return;
    };
    let expected = if row.backend == Some(Api::Cuda) { program.cuda_hash } else { program.wgsl_hash };
    let is_unread = row.shader_hash.is_empty() && row.status == Status::Skipped;
    if row.shader_hash != expected && !is_unread && !(checks.is_known_kernel)(kernel_key(row)) {
        let found = &row.shader_hash;
        add(&format!(
            "column shader_hash: '{found}' belongs to no known build; the kernel of this build has '{expected}'"
        ));
    }
}

/// Checks that each API has every benchmark, at every declared type and size.
fn complete(records: &[Record], faults: &mut Vec<Fault>) {
    if records.first().is_none_or(|row| row.date.as_str() < CASES_SINCE) {
        return;
    }
    let apis: BTreeSet<Api> = records.iter().filter_map(|row| row.backend).collect();
    for api in apis {
        let rows: Vec<&Record> = records.iter().filter(|row| row.backend == Some(api)).collect();
        let profile = rows[0].profile.unwrap_or(Profile::Quick);
        let named: BTreeSet<String> = rows.iter().map(|row| row.name()).collect();
        let sizes: BTreeSet<String> =
            rows.iter().map(|row| [&*row.name(), row.dtype_name(), &row.size()].join(" ")).collect();
        // A run with a time limit leaves out sizes without adding a row.
        let has_limit = profile == Profile::Quick || rows.iter().any(|row| row.cause == Some(Cause::TimeLimit));
        let mut missing = |name: &str, case: &str| {
            add(faults, &format!("{} has no row for {case}", api.title()), Remedy::Complete(name.to_owned()));
        };
        let all = FAMILIES.iter().flat_map(|family| family.benchmarks.iter().map(move |own| (family, own)));
        for (family, benchmark) in all {
            let is_left_out = match profile {
                Profile::Quick => benchmark.quick.is_empty(),
                _ => benchmark.cases.iter().all(|block| block.from > profile),
            };
            if is_left_out {
                continue;
            }
            let name = format!("{}/{}", family.name, benchmark.name);
            if !named.contains(&name) {
                missing(&name, &name);
                continue;
            }
            if has_limit {
                continue;
            }
            for block in benchmark.cases.iter().filter(|block| block.from <= profile) {
                for (dtype, extent) in
                    block.dtypes.iter().flat_map(|dtype| block.extents.iter().map(move |extent| (dtype, extent)))
                {
                    let size = [&*name, dtype.name(), &extent.to_string()].join(" ");
                    if !sizes.contains(&size) {
                        missing(&name, &size);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_and_names_with_slashes_are_none() {
        for text in ["in /home/ann/x.wgsl", r"C:\Users\ann", r"\\server\share", "(~/x)"] {
            assert!(path_in(text).is_some(), "{text}");
        }
        for text in ["NVIDIA GeForce RTX 3080/PCIe/SSE2", "a / b", "ratio 1/2", "https", "transpose/tiled", "/ 2"] {
            assert_eq!(path_in(text), None, "{text}");
        }
    }
}
