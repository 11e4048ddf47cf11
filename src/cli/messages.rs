//! Messages of a run on stderr, before and after it measures.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use answers::report::{self, Output};
use gpu::backend::{CompilerName, Device};
use gpu::engine::{Fitted, LeftOut};
use record::format::plural;
use record::suite::{AGAINST, Case, DeviceType, Profile, params_text};
use record::{Record, Status};

/// What the run will do on each API, and its time limit, if any.
pub(super) fn beginning(
    devices: &[Device],
    cases: &[Case],
    count: usize,
    profile: Profile,
    time: Option<Duration>,
) -> String {
    let mut families: Vec<&str> = cases.iter().map(|case| case.family.name).collect();
    families.dedup();
    let about = time.map_or_else(String::new, |time| format!(", at most {} s", time.as_secs()));
    let line = |device: &Device| {
        let kind = if device.kind == DeviceType::Software { ", a software device" } else { "" };
        let Device { name, api, driver, .. } = device;
        let (families, profile) = (plural(families.len(), "family", "families"), profile.name());
        let cases = plural(count, "case", "cases");
        format!("{name}{kind} ({api}, {driver}): {families}, {cases}, profile {profile}{about}")
    };
    let mut lines: Vec<String> = devices.iter().map(line).collect();
    lines.dedup();
    let compiler = |device: &Device| {
        let CompilerName { name, version } = &device.kernel_compiler;
        (!name.is_empty() && name != AGAINST).then(|| format!("{name} {version}").trim_end().to_owned())
    };
    let compilers: Vec<String> = devices.iter().filter_map(compiler).collect();
    lines.extend((!compilers.is_empty()).then(|| format!("compilers: {}", compilers.join("; "))));
    lines.join("\n")
}

/// How many cases run with smaller workgroups than their kernels', and the limits that require it. Reserve cases do not
/// count. `None` if there are none.
pub(super) fn smaller_workgroups(fitted: &Fitted, devices: &[&Device]) -> Option<String> {
    let is_own = |index: &&usize| fitted.cases.get(**index).is_none_or(|case| !case.is_reserve);
    let (smaller, repeated) = (fitted.smaller.iter().filter(is_own).count(), fitted.repeated);
    let run = (smaller > 0).then(|| {
        let verb = if smaller == 1 { "runs" } else { "run" };
        format!("{} {verb} with smaller workgroups (parameter WG)", plural(smaller, "case", "cases"))
    });
    let left_out = (repeated > 0).then(|| {
        let cases =
            plural(repeated, "case is left out as a duplicate of a case", "cases are left out as duplicates of cases");
        format!("{cases} with smaller workgroups")
    });
    let text = [run, left_out].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let invocations = devices.iter().map(|device| device.max_invocations.min(device.max_workgroup_size[0])).min()?;
    let bytes = devices.iter().map(|device| device.max_workgroup_bytes).min()?;
    let name = &devices.first()?.name;
    (!text.is_empty())
        .then(|| format!("{text}: {name} allows {invocations} invocations and {bytes} bytes of memory per workgroup"))
}

/// The first of these names, and the number of the others.
pub(super) fn first_of(names: &[impl AsRef<str>]) -> String {
    const MOST: usize = 8;
    let more = names.len().saturating_sub(MOST);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let names: Vec<&str> = names.iter().take(MOST).map(AsRef::as_ref).collect();
    format!("{}{more}", names.join(", "))
}

/// Names the benchmarks that a part of a name selects.
pub(super) fn matched_by_part(filter: &str, names: &[String]) -> String {
    format!("no family is named '{filter}'; running the benchmarks whose names contain it: {}", first_of(names))
}

/// How many of `all` planned cases failed, ran at a smaller size, or were left out.
pub(super) fn left_out(all: usize, left_out: &LeftOut, records: &[Record], time: Duration) -> Option<String> {
    let failed = records.iter().filter(|row| row.status == Status::Failed);
    // A case has a row for each API.
    let case = |row: &Record| (row.name(), row.dtype_name(), row.short_size(), params_text(&row.params));
    let failed: BTreeSet<_> = failed.map(case).collect();
    let (smaller, whole) = (left_out.smaller.len(), left_out.whole.len());
    let longer = if time < LONGER { LONGER } else { 2 * time };
    let longer = longer.as_secs().div_ceil(60);
    let smaller = (smaller > 0).then(|| format!("{smaller} at a smaller size"));
    let whole = (whole > 0).then(|| format!("{whole} left out (time limit): try `--time {longer}m`"));
    let measured = all.saturating_sub(left_out.whole.len() + failed.len());
    let failed = (!failed.is_empty()).then(|| format!("{} failed", failed.len()));
    let parts: Vec<String> = [failed, smaller, whole].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("{measured} of {all} cases measured, {}", parts.join(", ")))
}

/// The time limit to try next.
const LONGER: Duration = Duration::from_secs(600);

/// How to measure the rest of a run; `device` is its number if there are several.
pub(super) fn resume(report: &Path, device: Option<usize>) -> String {
    let device = device.map_or_else(String::new, |device| format!("--device {device} "));
    format!("the same command with {device}--resume {} measures the rest", report.display())
}

/// What the CSV of a run that ended early contains; `rest` is how to measure the rest.
pub(super) fn how_to_go_on(file: &Output, wanted: usize, rest: Option<&str>) -> String {
    let path = file.path().display();
    // A pipe must not be read: it would wait for a writer.
    let kept = file.file().and_then(|file| report::csv::open(file).ok()).map(|report| report.records.len());
    let Some(kept) = kept else {
        return format!("cannot read {path} back: the rows of this run appear only in the printed table");
    };
    let kept = if kept < wanted {
        format!("{kept} of {wanted} rows")
    } else {
        format!("{}, some with fewer epochs than planned", plural(kept, "row", "rows"))
    };
    match rest {
        Some(rest) => format!("{kept}; {rest}"),
        None => format!("{path} has {kept}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::selection::fakes::device;
    use gpu::engine::fit;
    use gpu::engine::plan::{Request, plan};
    use record::suite::Api;

    #[test]
    fn smaller_workgroups_are_told_with_the_smallest_limits_of_the_apis() {
        let large = device("Fake 9000", Api::Vulkan, &[]);
        let small = Device { max_invocations: 256, max_workgroup_bytes: 16 << 10, ..large.clone() };
        let note = |smaller, repeated| {
            let fitted = Fitted { smaller: (0..smaller).collect(), repeated, ..Fitted::default() };
            smaller_workgroups(&fitted, &[&large, &small])
        };
        let limits = ": Fake 9000 allows 256 invocations and 16384 bytes of memory per workgroup";
        assert_eq!(note(0, 0), None);
        assert_eq!(note(1, 0), Some(format!("1 case runs with smaller workgroups (parameter WG){limits}")));
        let both = "13 cases run with smaller workgroups (parameter WG), 2 cases are left out as duplicates of cases \
                    with smaller workgroups";
        assert_eq!(note(13, 2), Some(format!("{both}{limits}")));
        let request =
            Request { has_reserves: true, ..Request::new(vec!["reduction/sequential".into()], Profile::Quick) };
        let fitted = fit(plan(&request).expect("a plan"), &[&small], |_| false);
        let reserve = fitted.smaller.iter().filter(|index| fitted.cases[**index].is_reserve).count();
        assert!(reserve > 0 && fitted.smaller.len() == reserve + 1, "cases in reserve are smaller, too");
        let note = smaller_workgroups(&fitted, &[&small]).expect("a note");
        assert!(note.starts_with("1 case runs "), "{note}");
    }
}
