//! Kernels compiled by commands: `--compiler`.

use crate::command::{Folder, has_device, is_installed};
use crate::common;
use shaderbench::backend::BUILT_IN_VERSION;
use shaderbench::job::Job;
use shaderbench::record::{Record, Status};
use shaderbench::suite::{Case, Profile};

/// A compiler behind wgpu's own that replaces additions of floats by subtractions (OpFAdd 129, OpFSub 131).
const FLIP: &str = "#!/bin/sh\nperl -0777 -pe 's/\\x81\\x00\\x05\\x00/\\x83\\x00\\x05\\x00/g' < \"$1\" > \"$2\"\n";

/// Whether scripts can be compilers here, and there is a device for their kernels.
fn has_scripts() -> bool {
    if !cfg!(unix) || !is_installed("perl") {
        eprintln!("SKIPPED: scripts that are compilers need Unix and perl");
        return false;
    }
    has_device()
}

/// Writes an executable script.
fn script(folder: &Folder, name: &str, text: &str) {
    folder.write(name, text);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(folder.path(name), std::fs::Permissions::from_mode(0o755)).expect("executable");
    }
}

fn of<'a>(rows: &'a [Record], compiler: &str, family: &str) -> Vec<&'a Record> {
    rows.iter().filter(|row| row.compiler == compiler && row.family == family).collect()
}

const SUM: [&str; 10] =
    ["run", "reduction/sequential", "--size", "1000", "--profile", "quick", "--device", "0", "--out", "r.csv"];

#[test]
fn a_wrong_translation_is_found_and_its_bundle_replays_the_same_spirv() {
    if !has_scripts() {
        return;
    }
    let folder = Folder::new();
    script(&folder, "flip", FLIP);
    let compilers = ["--compiler", "naga", "--compiler", "flip=naga | ./flip {in} {out}"];
    let output = folder.run(&[&SUM[..], &compilers].concat()).exits_with(3);
    let rows = folder.records("r.csv");
    for row in of(&rows, "naga", "reduction") {
        assert_eq!(row.status, Status::Ok, "{row:?}");
        assert!(row.spirv_instructions > Some(20) && row.pipeline_ms > Some(0.0), "{row:?}");
    }
    let flipped = of(&rows, "flip", "reduction");
    let wrong: Vec<_> = flipped.iter().filter(|row| row.status == Status::Wrong).collect();
    assert!(!wrong.is_empty() && wrong.iter().all(|row| row.dtype_name() == "f32"), "{output}");
    // Nothing but the instruction differs.
    let sizes = |compiler| of(&rows, compiler, "reduction").iter().map(|row| row.spirv_bytes).collect::<Vec<_>>();
    assert_eq!(sizes("naga"), sizes("flip"));
    let line = output.stderr.lines().find(|line| line.contains("compiled by flip is wrong: `")).expect("a bundle");
    let command = line.split('`').nth(1).and_then(|text| text.strip_prefix("shaderbench ")).expect("a command");
    let words: Vec<&str> = command.split(' ').collect();
    assert_eq!(words[..3], ["bench", "replay", "--unchecked"], "{line}");
    // The compiler is gone: the bundle has what it wrote.
    std::fs::remove_file(folder.path("flip")).expect("removed");
    let again = folder.run(&words).exits_with(3);
    assert!(again.stdout.contains("\nthe same first wrong element as in the bundle"), "{again}");
    folder.run(&["bench", "replay", words[3]]).fails_with(2, "its kernel is SPIR-V of flip, which runs without checks");
}

#[test]
fn what_a_compiler_does_not_do_is_a_row_with_its_reason() {
    if !has_scripts() {
        return;
    }
    let folder = Folder::new();
    script(&folder, "fails", "#!/bin/sh\necho >&2\necho \"$1: no such type\" >&2\nexit 4\n");
    script(&folder, "idle", "#!/bin/sh\n");
    script(&folder, "copies", "#!/bin/sh\ncp \"$1\" \"$2\"\n");
    let compilers =
        ["./fails {in} {out}", "./idle {in} {out}", "./copies {in} {out}", "same=naga | ./copies {in} {out}"];
    let options = compilers.iter().flat_map(|compiler| ["--compiler", *compiler]);
    let arguments: Vec<&str> = SUM.into_iter().chain(options).collect();
    folder.run(&arguments).exits_with(3);
    let rows = folder.records("r.csv");
    for (name, reason) in [
        ("fails", "shader error: ./fails ended with exit code 4: 0.wgsl: no such type"),
        ("idle", "shader error: ./idle wrote no {out}"),
        ("copies", "shader error: ./copies wrote no SPIR-V: it does not start with SPIR-V's magic number"),
    ] {
        let own = of(&rows, name, "reduction");
        assert!(!own.is_empty(), "{name}");
        for row in own {
            assert_eq!((row.status, row.reason.as_str()), (Status::Failed, reason), "{name}");
            assert_eq!((row.checks, row.compiler_version.is_empty()), (None, false), "{row:?}");
        }
    }
    for row in of(&rows, "same", "reduction") {
        assert_eq!((row.status, row.spirv_bytes.is_some()), (Status::Ok, true), "{row:?}");
        assert_eq!(row.cell("checks"), "off", "{row:?}");
    }
}

#[test]
fn faults_of_the_command_line_are_one_sentence() {
    let folder = Folder::new();
    let run = |compilers: &[&str]| {
        let options = compilers.iter().flat_map(|compiler| ["--compiler", *compiler]);
        folder.run(&SUM.into_iter().chain(options).collect::<Vec<_>>())
    };
    run(&["no-such-program {in} {out}"]).fails_with(2, "--compiler: no-such-program: command not found");
    run(&["naga", "naga"]).fails_with(2, "--compiler: two are called 'naga': write NAME=naga");
    assert!(run(&["tint {in}"]).exits_with(2).stderr.contains("'tint {in}' needs {in} and {out}"));
    assert!(folder.is_empty());
}

#[test]
fn kernels_that_need_checks_and_cases_of_single_checks_are_skipped() {
    if !has_scripts() {
        return;
    }
    let folder = Folder::new();
    script(&folder, "copies", "#!/bin/sh\ncp \"$1\" \"$2\"\n");
    let (_, sequential) = crate::catalogue::benchmark("reduction/sequential");
    folder.write("k/reduction/sequential.wgsl", format!("{}\n", sequential.wgsl));
    let own = ["--shaders", "k", "--compiler", "./copies {in} {out}"];
    folder.run(&[&SUM[..], &own].concat());
    let rows = folder.records("r.csv");
    let foreign = of(&rows, "copies", "reduction");
    let reason = "copies may leave out run-time checks, which this kernel needs: pass --unchecked";
    assert!(!foreign.is_empty());
    assert!(foreign.iter().all(|row| row.status == Status::Skipped && row.reason == reason), "{foreign:?}");
}

/// The suite's kernels as wgpu's own compiler writes them, but passed through: bindings, textures and samplers arrive.
#[test]
fn what_is_passed_through_computes_the_same() {
    if !has_scripts() {
        return;
    }
    let folder = Folder::new();
    script(&folder, "copies", "#!/bin/sh\ncp \"$1\" \"$2\"\n");
    // Small, so that both compilers measure every case however busy the machine is.
    let run = "run texture scan memory_spaces --profile quick --size 256 --epochs 1 --time 10m --device 0";
    let run: Vec<&str> = run.split(' ').collect();
    let compilers = ["--compiler", "naga", "--compiler", "same=naga | ./copies {in} {out}", "--out", "r.csv"];
    folder.run(&[&run[..], &compilers].concat());
    let rows = folder.records("r.csv");
    for family in ["texture", "scan", "memory_spaces"] {
        let (own, passed) = (of(&rows, "naga", family), of(&rows, "same", family));
        assert!(own.iter().any(|row| row.status == Status::Ok), "{family}");
        assert_eq!(own.len(), passed.len(), "{family}");
        for (own, passed) in own.iter().zip(&passed) {
            let is_fine = passed.status == own.status || passed.status == Status::Implausible;
            assert!(is_fine, "{}: {:?} {}", passed.name(), passed.status, passed.reason);
        }
    }
}

#[test]
fn host_cost_times_only_the_compiler_inside_wgpu() {
    let cases = common::cases_of(Profile::Standard, &["host_cost/pipeline_*", "host_cost/encode"], &[]);
    let refused = |compiler: &str| -> Vec<(&str, String)> {
        let mut device = common::device();
        compiler.clone_into(&mut device.kernel_compiler.name);
        let refusal = |case: &Case| {
            let error = device.check(&Job::new(case).expect("valid")).err()?;
            Some((case.benchmark.name, error.to_string()))
        };
        cases.iter().filter_map(refusal).collect()
    };
    assert_eq!([refused(""), refused("naga")], [const { Vec::new() }; 2]);
    let why = || "times naga, which wgpu compiles with, and not tint".to_owned();
    assert_eq!(refused("tint"), [("pipeline_first", why()), ("pipeline_again", why())]);
}

#[test]
fn the_built_in_version_is_the_one_that_is_linked() {
    let lock = std::fs::read_to_string("Cargo.lock").expect("readable");
    assert!(lock.contains(&format!("name = \"naga\"\nversion = \"{BUILT_IN_VERSION}\"")), "naga was updated");
}
