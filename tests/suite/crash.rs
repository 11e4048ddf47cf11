//! Drivers that end or block the process: a Vulkan layer does so at the nth pipeline, submission or device query.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::command::{Folder, has_device, has_vulkan};
use record::{Cause, Record, Status};

const PROGRAM: &str = env!("CARGO_BIN_EXE_shaderbench");

/// The folder with the layer and its manifest; `None` if it cannot be built or there is no device.
pub(crate) fn layer() -> Option<PathBuf> {
    static LAYER: OnceLock<Option<Folder>> = OnceLock::new();
    let build = || {
        if !cfg!(target_os = "linux") || !has_vulkan() {
            return None;
        }
        let folder = Folder::new();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/crash_layer.c");
        let library = folder.path("libcrash.so");
        let built =
            Command::new("cc").args(["-shared", "-fPIC", "-O1", "-w", "-o"]).arg(&library).arg(&source).status();
        if !built.is_ok_and(|status| status.success()) {
            eprintln!("SKIPPED: no C compiler (cc) builds the Vulkan layer that crashes");
            return None;
        }
        let manifest = r#"{"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_TEST_crash", "type": "GLOBAL",
            "library_path": "./libcrash.so", "api_version": "1.3.0", "implementation_version": "1", "description": "crashes"}}"#;
        std::fs::write(folder.path("crash.json"), manifest).expect("written");
        Some(folder)
    };
    LAYER.get_or_init(build).as_ref().map(|folder| folder.path(""))
}

struct Ran {
    code: Option<i32>,
    log: String,
}

/// Runs the program under the layer. With `once`, the layer acts once, in one process.
fn run(folder: &Folder, plan: &str, once: bool, arguments: &[&str]) -> Option<Ran> {
    let layer = layer()?;
    let mut command = Command::new(PROGRAM);
    command
        .current_dir(folder.path(""))
        .env("NODEVICE_SELECT", "1")
        .env("WGPU_BACKEND", "vulkan")
        .env("VK_LAYER_PATH", layer)
        .env("VK_INSTANCE_LAYERS", "VK_LAYER_TEST_crash")
        .env("CRASH", plan)
        .args(arguments)
        .stdin(Stdio::null());
    if once {
        command.env("CRASH_ONCE", folder.path("acted"));
    }
    // Only for hangs: on a busy machine, a worker may be silent for seconds.
    if plan.ends_with("hang") {
        command.env("SHADERBENCH_SILENCE", "10");
    }
    let output = command.output().expect("starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some(Ran { code: output.status.code(), log: text(&output.stderr) })
}

/// Four cases of two kernels.
const CASES: [&str; 9] =
    ["run", "stream/copy", "stream/triad", "--profile", "quick", "--size", "2^12,2^14", "--epochs", "2"];

fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    CASES.iter().copied().chain(more.iter().copied()).collect()
}

fn of_stream(rows: &[Record]) -> Vec<&Record> {
    rows.iter().filter(|row| row.family == "stream").collect()
}

#[test]
fn a_driver_that_ends_the_process_costs_one_row() {
    for (plan, sentence) in [
        ("pipeline:9:segv", "the driver ended the process (SIGSEGV) while compiling a kernel"),
        ("pipeline:9:exit", "the driver ended the process (exit code 3) while compiling a kernel"),
        ("submit:400:abort", "the driver ended the process (SIGABRT) while running"),
        ("submit:400:kill", "the process was killed (SIGKILL) while running"),
        ("submit:400:hang", "timed out: no response from the device within 10 s"),
        ("pipeline:9:hang", "timed out: no response from the device within 10 s"),
    ] {
        let folder = Folder::new();
        let Some(ran) = run(&folder, plan, true, &arguments(&["--out", "r.csv"])) else { return };
        let rows = folder.records("r.csv");
        let lost: Vec<&Record> = rows.iter().filter(|row| row.status == Status::Failed).collect();
        assert_eq!(lost.len(), 1, "{plan}: {}", ran.log);
        assert!(lost[0].reason.contains(sentence), "{plan}: {}", lost[0].reason);
        assert!(ran.log.contains("; continuing with a new worker"), "{plan}: {}", ran.log);
        assert_eq!(ran.code, Some(3), "{plan}: {}", ran.log);
        // A size above one that hung is not tried, or not a second time.
        let is_above = |row: &&Record| {
            let cause = row.cause == Some(Cause::TimedOut) || row.epochs_ns.len() == 1;
            plan.ends_with("hang") && row.benchmark == lost[0].benchmark && row.n != lost[0].n && cause
        };
        let measured = rows.iter().filter(|row| row.median_ns.is_some() && row.epochs_ns.len() == 2);
        let left_out = rows.iter().filter(is_above).count();
        assert_eq!(measured.count() + left_out + 1, rows.len(), "{plan}: {}", ran.log);
    }
}

#[test]
fn a_crash_that_repeats_ends_the_run_with_its_rows_and_is_skipped_later() {
    let folder = Folder::new();
    // Every process dies at its ninth pipeline, each one kernel further.
    let Some(ran) = run(&folder, "pipeline:9:segv", false, &arguments(&["--out", "r.csv"])) else { return };
    let rows = folder.records("r.csv");
    let crashed = |rows: &[Record]| rows.iter().filter(|row| row.cause == Some(Cause::Crashed)).count();
    assert!(crashed(&rows) >= 1, "{}", ran.log);
    // Without the fault, a resumed run measures what crashed once.
    let resumed = arguments(&["--resume", "r.csv"]);
    let again = run(&folder, "none", false, &resumed).expect("as before");
    let rows = folder.records("r.csv");
    // On a busy machine, a software device's row may exceed an earlier peak: then the exit code is 3.
    let is_lost = |row: &&Record| row.median_ns.is_none();
    assert_eq!((rows.iter().filter(is_lost).count(), crashed(&rows)), (0, 0), "{}", again.log);
    assert_eq!(of_stream(&rows).len(), 4, "{}", again.log);
}

#[test]
fn what_ended_the_process_twice_is_skipped_by_resume() {
    let folder = Folder::new();
    if run(&folder, "submit:400:segv", true, &arguments(&["--out", "r.csv"])).is_none() {
        return;
    }
    let text = std::fs::read_to_string(folder.path("r.csv")).expect("a report");
    std::fs::write(folder.path("r.csv"), text.replace(",crashed,", ",crashed-again,")).expect("written");
    let again = run(&folder, "none", false, &arguments(&["--resume", "r.csv"])).expect("as before");
    assert!(again.log.contains("1 not rerun, since they timed out or crashed twice"), "{}", again.log);
    // If the kernel crashed at its smaller size, the larger one is left out with it.
    let records = folder.records("r.csv");
    let left_out = records.iter().filter(|row| row.cause == Some(Cause::CrashedAgain));
    assert_eq!(left_out.map(|row| &row.benchmark).collect::<BTreeSet<_>>().len(), 1);
    let more = arguments(&["--resume", "r.csv", "--retry-timeouts"]);
    let again = run(&folder, "none", false, &more).expect("as before");
    assert!(folder.records("r.csv").iter().all(|row| row.median_ns.is_some()), "{}", again.log);
}

#[test]
fn a_driver_that_dies_when_asked_leaves_the_others_in_the_list() {
    let folder = Folder::new();
    let found = std::fs::read_dir("/usr/share/vulkan/icd.d").into_iter().flatten().flatten().map(|entry| entry.path());
    let Some(own) = found.into_iter().find(|path| path.to_string_lossy().contains("lvp_icd")) else {
        eprintln!("SKIPPED: llvmpipe is not installed");
        return;
    };
    let Some(layer) = layer() else { return };
    let bad = folder.path("bad_icd.json");
    std::fs::copy(&own, &bad).expect("copied");
    let ask = |arguments: &[&str]| {
        let output = Command::new(PROGRAM)
            .current_dir(folder.path(""))
            .env("NODEVICE_SELECT", "1")
            .env("WGPU_BACKEND", "vulkan")
            .env("VK_LAYER_PATH", &layer)
            .env("VK_INSTANCE_LAYERS", "VK_LAYER_TEST_crash")
            .env("VK_DRIVER_FILES", format!("{}:{}", own.display(), bad.display()))
            .env("CRASH", "query:1:segv")
            .env("CRASH_DRIVER", "bad_icd")
            .args(arguments)
            .output()
            .expect("starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let sentence = "bad_icd.json is skipped: the driver ended the process (SIGSEGV) while listing its devices";
    let (code, list, log) = ask(&["devices"]);
    assert_eq!((code, list.matches("llvmpipe").count() > 0), (Some(0), true), "{log}");
    assert_eq!(log.matches(sentence).count(), 1, "{log}");
    let (code, _, log) = ask(&arguments(&["--out", "r.csv"]));
    assert!(code == Some(0) && log.contains(sentence), "{log}");
    assert_eq!(of_stream(&folder.records("r.csv")).len(), 4, "{log}");
}

#[test]
fn a_worker_without_a_program_ends_at_once() {
    let output = Command::new(PROGRAM).arg("worker").stdin(Stdio::null()).output().expect("starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_may_have_a_name_that_is_no_text() {
    use std::os::unix::ffi::OsStrExt;
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let name = std::ffi::OsStr::from_bytes(b"r\xff.csv");
    let output = Command::new(PROGRAM)
        .current_dir(folder.path(""))
        .args(["run", "ceiling/launch", "--profile", "quick", "--epochs", "1", "--out"])
        .arg(name)
        .stdin(Stdio::null())
        .output()
        .expect("starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(Path::new(&folder.path("")).join(name).exists());
}
