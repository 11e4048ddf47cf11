//! Faults of a report as sentences, and what to do about them.

use std::mem::discriminant;
use std::path::Path;

use crate::answers::share::{Fault, Kind};
use crate::error::shown;
use crate::families::FAMILIES;
use crate::record::Record;

/// Faults of a kind that are listed; the others are counted.
const MOST_OF_A_KIND: usize = 3;

/// One sentence for each fault, those of a kind together.
pub(super) fn sentences(faults: &[Fault], records: &[Record]) -> Vec<String> {
    let mut kinds: Vec<Vec<&Fault>> = Vec::new();
    for fault in faults {
        match kinds.iter_mut().find(|kind| is_of_one_kind(&kind[0].kind, &fault.kind)) {
            Some(kind) => kind.push(fault),
            None => kinds.push(vec![fault]),
        }
    }
    let mut all = Vec::new();
    for kind in kinds {
        let (listed, others) = kind.split_at(kind.len().min(MOST_OF_A_KIND));
        all.extend(listed.iter().map(|fault| sentence(fault, records)));
        if !others.is_empty() {
            all.push(format!("{} more like the one before", others.len()));
        }
    }
    all
}

fn is_of_one_kind(a: &Kind, b: &Kind) -> bool {
    match (a, b) {
        (Kind::Underived { column: a, .. }, Kind::Underived { column: b, .. }) => a == b,
        _ => discriminant(a) == discriminant(b),
    }
}

fn sentence(fault: &Fault, records: &[Record]) -> String {
    let row = |index: usize| records.get(index).map_or_else(String::new, case);
    let text = text(fault, records, &row);
    fault.row.map_or_else(|| text.clone(), |index| format!("{}: {text}", row(index)))
}

/// `vulkan transpose/tiled f32 4096x4096 PAD=1`.
fn case(row: &Record) -> String {
    [row.api_name(), &row.name(), row.dtype_name(), &row.size(), &row.params_text()].join(" ").trim().to_owned()
}

fn text(fault: &Fault, records: &[Record], row: &dyn Fn(usize) -> String) -> String {
    let of_row =
        |get: fn(&Record) -> &String| records.get(fault.row.unwrap_or(0)).map(get).cloned().unwrap_or_default();
    match &fault.kind {
        Kind::Empty => "the report has no rows".to_owned(),
        Kind::Differs { column, api, values: [one, other] } => {
            let within = api.map_or("the report", crate::suite::Api::title);
            format!("{column} differs within {within}: '{one}' and '{other}'")
        }
        Kind::Invalid { column, value } if value.is_empty() => format!("{column} is empty"),
        Kind::Invalid { column, value } => format!("{column} is '{value}', which no run writes"),
        Kind::Underived { column, written, expected } => {
            let [written, expected] = [written, expected].map(|value| if value.is_empty() { "empty" } else { value });
            format!("{column} is {written}, but {} {expected}", source(column))
        }
        Kind::BeforeSuite => format!("the date {} is before the suite's first day", of_row(|row| &row.date)),
        Kind::InFuture => format!("the date {} is in the future", of_row(|row| &row.date)),
        Kind::NewerVersion => format!(
            "shaderbench {} wrote the report, which this version, {}, cannot check",
            of_row(|row| &row.tool_version),
            crate::VERSION
        ),
        Kind::OldSchema => {
            format!("the report has an old schema, which on {} no version wrote", of_row(|row| &row.date))
        }
        Kind::Repeated => "the case has two rows".to_owned(),
        Kind::SameTimes { other } => format!("the epochs are those of {}, to the last digit", row(*other)),
        Kind::UnknownCase => "the suite has no such benchmark, type, size or parameters".to_owned(),
        Kind::UnknownKernel { expected } => format!(
            "shader_hash is '{}', but the kernel of this build has '{expected}', and no known build had another",
            of_row(|row| &row.shader_hash)
        ),
        Kind::CannotRun => "the benchmark cannot run with this type, size and these parameters".to_owned(),
        Kind::Missing { api, case } => format!("{} has no row for {case}", api.title()),
        Kind::Bad(status) => format!("the status is {}", status.name()),
        Kind::Implausible(reason) => format!("the row must be implausible: {reason}"),
        Kind::SkippedWithFigures => "the row is skipped, but has figures".to_owned(),
        Kind::Path { column, path } => format!("{column} names a path: {path}"),
        Kind::Host => format!("host names a machine: '{}'", of_row(|row| &row.host)),
        Kind::AboveModel { figure, ratio } => {
            format!("{figure} is {ratio:.2}× the largest figure of any report of {}", of_row(|row| &row.device))
        }
    }
}

/// What a column follows from, as the subject of its value.
fn source(column: &str) -> &'static str {
    match column {
        "bytes" | "flops" | "model" => "the benchmark's is",
        "workgroup_size" => "the kernel's is",
        "status" => "for this benchmark it is",
        "apis" => "the rows are of",
        "gb_per_s" | "gflop_per_s" => "median_ns makes it",
        "energy_j" | "energy_noise" | "gb_per_j" | "gflop_per_j" => "energies_j makes it",
        "ceiling" | "share" | "share_low" | "share_high" => "the rows of the family ceiling make it",
        _ => "the epochs make it",
    }
}

/// What to do about faults, one sentence each. `is_anonymous`: whether the run named no host.
pub(super) fn advice(faults: &[Fault], records: &[Record], path: &Path, is_anonymous: bool) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for fault in faults {
        let text = match fault.kind {
            Kind::Missing { .. } | Kind::Empty => incomplete(faults, records, path, is_anonymous),
            Kind::Bad(_) | Kind::Implausible(_) | Kind::AboveModel { .. } | Kind::Path { .. } => {
                "open an issue with the report: this is a fault of the suite or of the driver".to_owned()
            }
            Kind::OldSchema | Kind::UnknownCase | Kind::UnknownKernel { .. } => format!(
                "another build measured this, or --size or --param did: measure again with this build and without them, by \
                 `shaderbench run {}`",
                arguments(records)
            ),
            Kind::NewerVersion => "share the report with the version that wrote it".to_owned(),
            Kind::Differs { .. } => {
                "a shared report is one run on one card: share the file that the run wrote".to_owned()
            }
            Kind::Host => format!("`shaderbench share {}` writes a copy without it", shown(path)),
            _ => UNCHANGED.to_owned(),
        };
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

/// For files that no run wrote so.
pub(super) const UNCHANGED: &str =
    "a report is shared as the program wrote it, without changes by hand or by another program";

/// What to do about rows that are missing. A run is continued if its rows are the first of the plan, which is family by
/// family; others had filters or a time limit.
fn incomplete(faults: &[Fault], records: &[Record], path: &Path, is_anonymous: bool) -> String {
    let index = |family: &str| FAMILIES.iter().position(|known| known.name == family);
    let reached = records.iter().filter_map(|row| index(&row.family)).max();
    let is_beyond = |fault: &Fault| match &fault.kind {
        Kind::Missing { case, .. } => case.split('/').next().and_then(index) >= reached,
        _ => true,
    };
    let arguments = arguments(records);
    match records.last() {
        Some(last) if faults.iter().all(is_beyond) => {
            let anonymous = if is_anonymous { " --anonymous" } else { "" };
            format!(
                "the run ended after {}: `shaderbench run --resume {} {arguments}{anonymous}` measures the rest",
                case(last),
                shown(path)
            )
        }
        _ => format!(
            "a shared report has a row for every benchmark: measure everything, by `shaderbench run {arguments}` without \
             other arguments; if --time left some out, allow more"
        ),
    }
}

/// The options that a run with these rows was given, as far as its rows show.
fn arguments(records: &[Record]) -> String {
    let profile = records.first().and_then(|row| row.profile).map_or("quick", |profile| profile.name());
    let apis = records.first().map_or("", |row| row.apis.as_str());
    let backend = if apis.contains('+') { "all" } else { apis };
    let backend = if backend.is_empty() { String::new() } else { format!(" --backend {backend}") };
    format!("--profile {profile}{backend}")
}
