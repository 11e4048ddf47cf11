//! Small and odd devices made from a real one: lower limits, fewer features, other subgroup sizes, two devices at once.
//! wgpu is asked for no more than these (`wanted_limits`), so a kernel that exceeds them fails.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::catalogue::benchmark;
use crate::command::{Folder, has_device};
use crate::common::{cases, measure};
use crate::device::{adapter, fault, one_case_each, open};
use gpu::backend::Backend;
use gpu::backend::wgpu::{Adapter, adapters};
use gpu::engine::{Fitted, WORKGROUP_SIZE, fit};
use gpu::job::Job;
use record::suite::{Case, DeviceType, Feature};
use record::{Clock, Record, Status};

/// A device with WebGPU's guaranteed limits, and without optional features.
fn small(mut adapter: Adapter) -> Adapter {
    let device = &mut adapter.device;
    device.max_workgroup_bytes = 16 << 10;
    device.max_invocations = 256;
    device.max_workgroup_size = [256, 256, 64];
    device.max_binding_bytes = 128 << 20;
    device.max_buffer_bytes = 256 << 20;
    device.max_storage_buffers = 8;
    device.max_texture_side = 8192;
    device.features.retain(|feature| feature.of_language().is_some());
    device.has_timestamps = false;
    device.has_copy_timestamps = false;
    device.has_mappable_storage = false;
    adapter
}

fn is_about_limits(reason: &str) -> bool {
    ["the device has", "the device allows", "on this API"].iter().any(|known| reason.contains(known))
}

#[test]
fn every_kernel_is_right_on_a_small_device_or_skipped_for_its_limits() {
    let Some(adapter) = adapter() else { return };
    let mut backend = open(small(adapter));
    let Fitted { cases, smaller, .. } = fit(one_case_each(), &[backend.device()], |_| false);
    assert!(!smaller.is_empty());
    let (mut ran, mut skipped) = (0, Vec::new());
    for case in &cases {
        match Job::new(case).and_then(|mut job| fault(&mut backend, &mut job)) {
            Ok(fault) => {
                assert_eq!(fault, None, "{case}");
                ran += 1;
            }
            Err(error) => {
                assert!(error.is_skip(), "{case}: {error}");
                skipped.push(format!("{case}: {error}"));
            }
        }
    }
    let unexplained: Vec<_> = skipped.iter().filter(|text| !is_about_limits(text)).collect();
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    assert!(ran >= 80 && ran > 3 * skipped.len(), "{ran} ran, skipped: {skipped:#?}");
}

/// The rows on a device that `change` makes of the real one.
fn measured(change: impl FnOnce(&mut Adapter), names: &[&str], size: &str) -> Option<Vec<Record>> {
    let mut adapter = adapter()?;
    change(&mut adapter);
    let mut backend = open(adapter);
    let Fitted { cases, .. } = fit(cases(names, &[size]), &[backend.device()], |_| false);
    let rows = measure(&mut backend, &cases);
    for row in &rows {
        // On a busy machine a row may exceed its ceiling; its result must be right.
        assert!(!matches!(row.status, Status::Wrong | Status::Failed), "{}: {}", row.name(), row.reason);
    }
    Some(rows)
}

#[test]
fn without_timestamps_the_host_times_every_row() {
    let without = |adapter: &mut Adapter| {
        (adapter.device.has_timestamps, adapter.device.has_copy_timestamps) = (false, false);
    };
    let Some(rows) = measured(without, &["reduction/sequential", "stream/copy", "transfer"], "2^14") else { return };
    let timed: Vec<_> = rows.iter().filter(|row| row.median_ns.is_some()).collect();
    assert!(timed.len() >= 5, "{} rows", timed.len());
    for row in timed {
        assert_eq!(row.timer, Some(Clock::Wall), "{}", row.name());
    }
}

#[test]
fn buffers_above_the_largest_binding_are_skipped_and_smaller_ones_run() {
    let narrow = |adapter: &mut Adapter| adapter.device.max_binding_bytes = 1 << 20;
    for (size, is_allowed) in [("2^20", false), ("2^14", true)] {
        let Some(rows) = measured(narrow, &["stream/copy"], size) else { return };
        let of_copy: Vec<_> = rows.iter().filter(|row| row.name() == "stream/copy").collect();
        assert!(!of_copy.is_empty());
        for row in of_copy {
            assert_eq!(row.status != Status::Skipped, is_allowed, "{}", row.reason);
            let is_refused =
                row.reason.starts_with("needs a buffer of ") && row.reason.ends_with(", but the device allows 1 MiB");
            assert_eq!(is_refused, !is_allowed, "{}", row.reason);
        }
    }
}

#[test]
fn without_features_only_the_rows_that_need_them_are_skipped() {
    let without = |adapter: &mut Adapter| {
        adapter.device.features.remove(&Feature::Subgroups);
        adapter.device.features.remove(&Feature::F16);
    };
    let Some(rows) = measured(without, &["reduction", "scan"], "2^12") else { return };
    let in_wgsl = |row: &&Record| benchmark(&row.name()).1.only_cuda.is_none();
    for row in rows.iter().filter(in_wgsl).filter(|row| row.status == Status::Skipped) {
        let known = ["the device has no subgroup operations", "the device has no f16 in shaders"];
        assert!(known.contains(&row.reason.as_str()), "{}: {}", row.name(), row.reason);
    }
    let is_skipped = |name: &str| {
        let mut rows = rows.iter().filter(|row| row.name() == name).peekable();
        rows.peek().is_some() && rows.all(|row| row.status == Status::Skipped)
    };
    assert!(is_skipped("reduction/subgroup") && is_skipped("scan/single_pass_subgroup"));
    assert!(!is_skipped("reduction/sequential") && !is_skipped("scan/single_pass"));
}

/// llvmpipe's subgroups are as wide as its vectors, whose bits this variable sets.
const VECTOR_BITS: &str = "LP_NATIVE_VECTOR_WIDTH";

#[test]
fn kernels_with_subgroups_are_right_whatever_their_size() {
    if !has_device() {
        return;
    }
    let needs_subgroups = |case: &Case| {
        let features = Job::new(case).map(|job| job.kernel.interface.features).unwrap_or_default();
        let matrices = [Feature::CooperativeMatrix, Feature::Int8Matrix, Feature::Bf16Matrix];
        features.contains(&Feature::Subgroups) && !matrices.iter().any(|kind| features.contains(kind))
    };
    let names: BTreeSet<String> = cases(&[], &[]).iter().filter(|case| needs_subgroups(case)).map(Case::name).collect();
    assert!(names.len() >= 2, "{names:?}");
    let folder = Folder::new();
    for (bits, lanes) in [("128", 4), ("512", 16)] {
        let listed =
            folder.shaderbench(&["devices", "--format", "json", "--backend", "vulkan"]).env(VECTOR_BITS, bits).run();
        if !listed.stdout.contains(&format!("\"smallest subgroup\": {lanes}")) {
            eprintln!("SKIPPED: no device has subgroups of {lanes} invocations by {VECTOR_BITS}");
            continue;
        }
        let report = format!("{lanes}.csv");
        let options = ["--backend", "vulkan", "--profile", "quick", "--epochs", "1", "--size", "70001,33x257"];
        // In the default time, a busy machine does not measure every kernel.
        let exits = ["--time", "20m", "--fail-on", "wrong,failed", "--out", &report];
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let arguments = [&["run"], &names[..], &options, &exits].concat();
        folder.shaderbench(&arguments).env(VECTOR_BITS, bits).run().succeeds();
        let rows = folder.records(&report);
        for name in &names {
            let of_name: Vec<_> = rows.iter().filter(|row| row.name() == *name).collect();
            assert!(of_name.iter().any(|row| row.status != Status::Skipped), "{name}");
            for row in of_name {
                let size = row.subgroup_size.expect("Vulkan reports it");
                assert_eq!((size.least, size.most), (lanes, lanes), "{name}");
            }
        }
        let ran = rows.iter().filter(|row| names.contains(&row.name().as_str()) && row.status != Status::Skipped);
        assert!(ran.count() >= 4, "subgroups of {lanes}");
    }
}

/// Each device keeps its limits, memory and clock while the other is open.
#[test]
fn two_open_devices_run_kernels_in_turns() {
    let mut backends: Vec<_> = pollster::block_on(adapters(None)).into_iter().map(open).collect();
    if backends.len() < 2 {
        eprintln!("SKIPPED: there is one device at most");
        return;
    }
    for case in cases(&["reduction/sequential", "transpose/tiled", "scan/single_pass"], &["5000", "33x70"]) {
        for backend in &mut backends {
            match Job::new(&case).and_then(|mut job| fault(backend, &mut job)) {
                Ok(fault) => assert_eq!(fault, None, "{case} on {}", backend.device().name),
                Err(error) => assert!(error.is_skip(), "{case}: {error}"),
            }
        }
    }
}

const SWIFTSHADER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";

fn mesa() -> Option<PathBuf> {
    let installed = Path::new("/usr/share/vulkan/icd.d").read_dir().ok()?.filter_map(Result::ok);
    installed.map(|entry| entry.path()).find(|path| path.to_string_lossy().contains("lvp_icd"))
}

#[test]
fn a_run_on_two_devices_fits_its_plan_to_each() {
    let Some(mesa) = mesa().filter(|_| Path::new(SWIFTSHADER).exists()) else {
        eprintln!("SKIPPED: {SWIFTSHADER} or Mesa's llvmpipe is not there");
        return;
    };
    let folder = Folder::new();
    let drivers = format!("{SWIFTSHADER}:{}", mesa.display());
    let arguments = ["run", "reduction/sequential", "--device", "all", "--backend", "vulkan", "--profile", "quick"];
    let more = ["--size", "4096", "--epochs", "1", "--fail-on", "wrong,failed", "--out", "two.csv"];
    let output = folder
        .shaderbench(&[&arguments[..], &more].concat())
        .env("VK_DRIVER_FILES", &drivers)
        .env("WGPU_BACKEND", "vulkan")
        .run()
        .succeeds();
    let rows = folder.records("two.csv");
    for (device, size) in [("SwiftShader", Some(&256.0)), ("llvmpipe", None)] {
        let mut of_device =
            rows.iter().filter(|row| row.device.contains(device) && row.family == "reduction").peekable();
        assert!(of_device.peek().is_some(), "{device}: {output}");
        for row in of_device {
            assert_eq!((row.params.get(WORKGROUP_SIZE), row.status == Status::Skipped), (size, false), "{device}");
        }
    }
    assert!(rows.iter().all(|row| row.device_type == Some(DeviceType::Software)), "{output}");
}
