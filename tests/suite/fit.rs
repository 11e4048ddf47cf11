//! Plans fitted to workgroup limits: on fake devices, on a real one with lowered limits, and on the command line.

use std::collections::BTreeSet;
use std::path::Path;

use crate::command::{Folder, Program};
use crate::common::{cases, device, measure, right, run, settings};
use crate::device::{adapter, fault, one_case_each, open};
use gpu::backend::{Backend, Device};
use gpu::engine::plan::{Request, plan};
use gpu::engine::{Fitted, RowTable, WORKGROUP_SIZE, fit};
use gpu::job::Job;
use record::suite::{Api, Case, Extent, Feature, Profile};
use record::{Record, Status};

fn with_limits(invocations: u32, bytes: u32) -> Device {
    Device { max_invocations: invocations, max_workgroup_bytes: bytes, ..device() }
}

fn fitted(cases: Vec<Case>, devices: &[&Device]) -> Fitted {
    fit(cases, devices, |_| false)
}

/// Invocations and bytes of the case's workgroups.
fn workgroup(case: &Case) -> (u64, u32) {
    let interface = Job::new(case).expect("valid").kernel.interface;
    (interface.invocations(), interface.workgroup_bytes)
}

/// The declared or fitted parameter; `None` for the kernel's own value.
fn size_of(case: &Case) -> Option<f64> {
    case.shape.params.get(WORKGROUP_SIZE).copied()
}

fn texts(cases: &[Case]) -> Vec<String> {
    cases.iter().map(Case::to_string).collect()
}

fn skipped(rows: &[Record]) -> usize {
    rows.iter().filter(|row| row.family == "reduction" && row.status == Status::Skipped).count()
}

#[test]
fn reductions_run_on_a_device_with_256_invocations() {
    let mut backend = right();
    backend.device.max_invocations = 256;
    let plan = cases(&["reduction"], &["2^12"]);
    let before = measure(&mut backend, &plan);
    let Fitted { cases, smaller, repeated } = fitted(plan, &[&backend.device]);
    assert!(cases.iter().all(|case| workgroup(case).0 <= 256 || case.benchmark.only_cuda.is_some()));
    let rows = measure(&mut backend, &cases);
    // One kernel and one library are CUDA's alone.
    assert_eq!((skipped(&rows), skipped(&before)), (2, 2 + smaller.len()));
    assert_eq!((rows.len(), repeated), (before.len(), 0));
    let of = |name: &str| rows.iter().find(|row| row.name() == name).expect("a row");
    let sequential = of("reduction/sequential");
    assert_eq!((sequential.params_text(), sequential.status), ("WG=256".to_owned(), Status::Ok));
    assert_eq!(sequential.workgroup_size, Some([256, 1, 1]));
    // A kernel within the limit keeps its own size, without a parameter.
    assert_eq!(of("reduction/vec4_grid_stride").params_text(), "");
}

#[test]
fn invocations_width_and_memory_are_limits_alike() {
    let narrow = Device { max_workgroup_size: [64, 1024, 64], ..device() };
    for (device, most) in
        [(with_limits(64, 32 << 10), (64, 32 << 10)), (with_limits(1024, 512), (128, 512)), (narrow, (64, 32 << 10))]
    {
        let Fitted { cases, smaller, .. } = fitted(cases(&["reduction/sequential"], &["2^12"]), &[&device]);
        let reductions = || cases.iter().filter(|case| case.family.name == "reduction");
        assert!(!smaller.is_empty() && reductions().count() > 0);
        for case in reductions() {
            let (invocations, bytes) = workgroup(case);
            assert!(invocations <= most.0 && bytes <= most.1, "{case}: {invocations} invocations, {bytes} bytes");
            assert!(2 * invocations > most.0 || 2 * bytes > most.1, "{case}: {invocations} invocations");
        }
    }
}

#[test]
fn a_device_without_excess_leaves_the_plan_as_it_is() {
    let plan = cases(&[], &[]);
    let before = texts(&plan);
    let Fitted { cases, smaller, repeated } = fitted(plan, &[&device()]);
    assert_eq!((texts(&cases), smaller.len(), repeated), (before, 0, 0));
}

#[test]
fn cases_that_cannot_be_fitted_stay_and_are_skipped_with_the_reason() {
    let mut backend = right();
    backend.device.max_invocations = 128;
    let plan = cases(&["transpose/registers"], &["64x64"]);
    let Fitted { cases: kept, .. } = fitted(plan, &[&backend.device]);
    let rows = measure(&mut backend, &kept);
    let row = rows.iter().find(|row| row.name() == "transpose/registers").expect("a row");
    assert_eq!((row.status, row.params_text().as_str()), (Status::Skipped, ""));
    assert_eq!(row.reason, "needs 256 invocations per workgroup, but the device allows 128");
    // Smaller workgroups do not help where the kernel needs a feature that the device lacks.
    let mut poor = with_limits(256, 32 << 10);
    poor.features.remove(&Feature::Subgroups);
    let Fitted { cases: kept, .. } = fitted(cases(&["reduction/subgroup"], &["2^12"]), &[&poor]);
    let subgroups: Vec<&Case> = kept.iter().filter(|case| case.benchmark.name == "subgroup").collect();
    assert!(!subgroups.is_empty() && subgroups.iter().all(|case| size_of(case).is_none()));
    // No reduction accepts fewer than 16 invocations.
    let Fitted { cases: kept, .. } = fitted(cases(&["reduction/sequential"], &["2^12"]), &[&with_limits(8, 32 << 10)]);
    assert!(kept.iter().filter(|case| case.family.name == "reduction").all(|case| size_of(case).is_none()));
}

#[test]
fn a_case_that_equals_another_once_it_is_smaller_is_left_out() {
    let request =
        Request { sizes: vec![Extent::Linear(1 << 12)], ..Request::new(vec!["barrier".into()], Profile::Standard) };
    let plan = plan(&request).expect("a plan");
    let sizes =
        |cases: &[Case]| -> BTreeSet<u32> { cases.iter().filter_map(size_of).map(|size| size as u32).collect() };
    let declared = plan.len();
    assert!(sizes(&plan).contains(&256));
    let Fitted { cases, smaller, repeated } = fitted(plan, &[&with_limits(64, 32 << 10)]);
    assert_eq!(sizes(&cases).last(), Some(&64));
    assert!(repeated > 0 && cases.len() + repeated == declared);
    let names = texts(&cases);
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{names:?}");
    // The declared case with 64 invocations stays, and the larger ones are dropped.
    assert!(smaller.is_empty(), "{names:?}");
}

#[test]
fn fixed_cases_keep_their_size() {
    let plan = cases(&["reduction"], &["2^12"]);
    let before = texts(&plan);
    let Fitted { cases, smaller, .. } = fit(plan, &[&with_limits(128, 32 << 10)], |_| true);
    assert_eq!((texts(&cases), smaller.len()), (before, 0));
}

#[test]
fn all_apis_of_a_run_have_the_cases_of_the_smallest_limit() {
    let (mut large, mut small) = (right(), right());
    (small.device.api, small.device.max_invocations) = (Api::Gl, 128);
    let devices = [&large.device, &small.device];
    let plan = cases(&["reduction/sequential"], &["2^12"]);
    let Fitted { cases, .. } = fitted(plan.clone(), &devices);
    let rows = run(&mut [&mut large, &mut small], &cases, &mut Default::default()).expect("a run");
    let sequential: Vec<_> = rows.iter().filter(|row| row.name() == "reduction/sequential").collect();
    assert!(sequential.len() >= 2 && sequential.len().is_multiple_of(2));
    for row in sequential {
        assert_eq!((row.params_text().as_str(), row.status), ("WG=128", Status::Ok), "{}", row.reason);
    }
    // If one device accepts no size of the kernel, the other still runs it.
    let (none, small) = (with_limits(1024, 32), with_limits(256, 32 << 10));
    let Fitted { cases, .. } = fitted(plan, &[&none, &small]);
    assert!(cases.iter().filter(|case| case.family.name == "reduction").all(|case| size_of(case) == Some(256.0)));
}

#[test]
fn fitted_rows_are_compared_with_fitted_ceilings() {
    let mut backend = right();
    backend.device.max_invocations = 128;
    let Fitted { cases, .. } = fitted(cases(&["reduction", "stream/copy"], &["2^16"]), &[&backend.device]);
    let rows = measure(&mut backend, &cases);
    let ceilings: Vec<_> = rows.iter().filter(|row| row.name() == "ceiling/read").collect();
    assert!(!ceilings.is_empty() && ceilings.iter().all(|row| row.params.get(WORKGROUP_SIZE) == Some(&128.0)));
    let fitted = rows.iter().filter(|row| row.family != "ceiling" && row.status == Status::Ok);
    let shares: Vec<bool> = fitted.map(|row| row.share.is_some()).collect();
    assert!(shares.len() > 5 && shares.iter().all(|has_share| *has_share), "{shares:?}");
}

#[test]
fn rows_of_a_fitted_run_belong_to_the_fitted_plan_alone() {
    let mut backend = right();
    backend.device.max_invocations = 256;
    let plan = cases(&["reduction"], &["2^12"]);
    let Fitted { cases, .. } = fitted(plan.clone(), &[&backend.device]);
    let mut rows = measure(&mut backend, &cases);
    rows.truncate(rows.len() - 2);
    let devices = [backend.device.clone()];
    let earlier = RowTable::resumed(rows.clone(), &cases, &devices, &settings()).expect("rows of this plan");
    assert_eq!((earlier.records().len(), earlier.repeats()), (rows.len(), 0));
    let refused = RowTable::resumed(rows, &plan, &devices, &settings()).expect_err("rows of another plan");
    assert!(refused.contains("which these arguments do not measure"), "{refused}");
}

#[test]
fn a_real_device_with_lowered_limits_runs_fitted_cases() {
    let Some(mut adapter) = adapter() else { return };
    adapter.device.max_invocations = 256;
    adapter.device.max_workgroup_bytes = 16 << 10;
    let mut backend = open(adapter);
    let plan = cases(&["reduction", "scan"], &["2^12"]);
    let Fitted { cases, smaller, .. } = fitted(plan, &[backend.device()]);
    assert!(!smaller.is_empty());
    let wanted = |row: &&Record| ["reduction", "scan"].contains(&row.family.as_str());
    let rows = measure(&mut backend, &cases);
    for row in rows.iter().filter(wanted).filter(|row| row.status != Status::Skipped) {
        // On a busy machine a row may exceed its ceiling; its result must be right.
        assert!(!matches!(row.status, Status::Wrong | Status::Failed), "{}: {}", row.name(), row.reason);
    }
    let ran = |row: &&Record| row.status != Status::Skipped && row.params.contains_key(WORKGROUP_SIZE);
    assert!(rows.iter().filter(wanted).filter(ran).count() >= smaller.len().min(10), "{smaller:?}");
    let too_large = rows.iter().find(|row| row.reason.contains("invocations per workgroup"));
    assert!(too_large.is_none_or(|row| row.name() == "reduction/interleaved_dynamic"));
}

/// Every kernel that can shrink, in workgroups of 32 invocations.
#[test]
fn fitted_kernels_give_right_results() {
    let Some(mut adapter) = adapter() else { return };
    adapter.device.max_invocations = 32;
    let mut backend = open(adapter);
    let mut ran = 0;
    for case in one_case_each() {
        let Fitted { cases, smaller, .. } = fitted(vec![case], &[backend.device()]);
        if smaller.is_empty() {
            continue;
        }
        match Job::new(&cases[0]).and_then(|mut job| fault(&mut backend, &mut job)) {
            Ok(fault) => assert_eq!(fault, None, "{}", cases[0]),
            Err(error) => assert!(error.is_skip(), "{}: {error}", cases[0]),
        }
        ran += 1;
    }
    assert!(ran >= 30, "{ran} kernels");
}

/// Chromium's software device, which allows 256 invocations.
const SWIFTSHADER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";

#[test]
fn the_command_line_fits_its_plan_and_resumes_it() {
    if !Path::new(SWIFTSHADER).exists() {
        eprintln!("SKIPPED: {SWIFTSHADER} is not there");
        return;
    }
    let folder = Folder::new();
    let on_swiftshader = |arguments: &[&str]| -> Program {
        let arguments = [&["run", "reduction/sequential", "--profile", "quick", "--size", "4096"], arguments].concat();
        folder.shaderbench(&arguments).env("VK_DRIVER_FILES", SWIFTSHADER).env("WGPU_BACKEND", "vulkan")
    };
    let note = " with smaller workgroups (parameter WG): SwiftShader";
    let output = on_swiftshader(&["--dry-run"]).run().succeeds();
    assert!(output.stderr.contains(note), "{output}");
    assert!(output.stdout.contains("reduction/sequential f32 4096 WG=256\n"), "{output}");
    let exits = ["--fail-on", "wrong,failed", "--out", "r.csv"];
    let output = on_swiftshader(&exits).run().succeeds();
    assert!(output.stderr.contains(note), "{output}");
    let rows = folder.records("r.csv");
    let reductions: Vec<_> = rows.iter().filter(|row| row.family == "reduction").collect();
    assert!(!reductions.is_empty());
    for row in reductions {
        let is_fitted = row.params.get(WORKGROUP_SIZE) == Some(&256.0);
        assert!(is_fitted && row.status != Status::Skipped, "{}: {}", row.params_text(), row.reason);
    }
    let output = on_swiftshader(&["--fail-on", "wrong,failed", "--resume", "r.csv"]).run().succeeds();
    assert!(output.stderr.contains(&format!("keeping {} row", rows.len())), "{output}");
    // A size that the user gives is not replaced.
    let output = on_swiftshader(&["--param", "WG=512", "--out", "given.csv"]).run().succeeds();
    let rows = folder.records("given.csv");
    let is_refused = |row: &Record| row.status == Status::Skipped && row.params_text() == "WG=512";
    assert!(rows.iter().filter(|row| row.family == "reduction").all(is_refused), "{output}");
}
