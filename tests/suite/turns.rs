//! `run --against`: two programs, drivers or kernels, measured alternately.

use std::collections::BTreeMap;

use crate::command::{Folder, Output, has_device};
use crate::crash::layer;
use record::{Record, Status};

const PROGRAM: &str = env!("CARGO_BIN_EXE_shaderbench");

const CASES: [&str; 6] = ["run", "stream/copy", "--size", "2^12,2^14", "--epochs", "2"];

fn run(folder: &Folder, against: &str, more: &[&str]) -> Output {
    let against = ["--against", against];
    folder.run(&[&CASES[..], &against, more].concat())
}

/// The rows of each case: this program's, and the other's.
fn cases(rows: &[Record]) -> BTreeMap<String, [Vec<&Record>; 2]> {
    let mut found: BTreeMap<String, [Vec<&Record>; 2]> = BTreeMap::new();
    for row in rows {
        let name = [row.name(), row.dtype_name().to_owned(), row.size(), row.params_text()].join(" ");
        found.entry(name).or_default()[usize::from(row.is_against())].push(row);
    }
    found
}

#[test]
fn both_sides_measure_every_case_in_turns() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let ran = run(&folder, PROGRAM, &["--out", "r.csv", "--fail-on-regression", "100000"]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(ran.stdout.contains("A against B: "), "{ran}");
    assert!(!ran.stdout.contains("run-to-run"), "{ran}");
    let rows = folder.records("r.csv");
    for (name, [own, against]) in cases(&rows) {
        assert_eq!((own.len(), against.len()), (1, 1), "{name}: {ran}");
        let [own, against] = [own[0], against[0]];
        assert_eq!((own.status, &own.shader_hash, &own.date), (against.status, &against.shader_hash, &against.date));
        assert!(own.status != Status::Ok || own.epochs_ns.len() == 2 && against.epochs_ns.len() == 2, "{name}: {ran}");
        assert_eq!((own.compiler.as_str(), &own.tool_version), ("", &against.compiler_version));
    }
    // A lost row is measured again, in its missing epochs.
    let text = folder.text("r.csv");
    let is_kept = |line: &&str| !line.contains(",copy,vec4<f32>,4096,") || !line.contains(",against,");
    folder.write("r.csv", text.lines().filter(is_kept).map(|line| format!("{line}\n")).collect::<String>());
    assert_eq!(folder.records("r.csv").len() + 1, rows.len());
    let resumed = run(&folder, PROGRAM, &["--resume", "r.csv"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    let again = folder.records("r.csv");
    assert_eq!(cases(&again).keys().collect::<Vec<_>>(), cases(&rows).keys().collect::<Vec<_>>());
    assert!(again.iter().all(|row| row.status != Status::Ok || row.epochs_ns.len() == 2), "{resumed}");
    // `compare` reports the same comparison as the run.
    let compared = folder.run(&["compare", "r.csv"]);
    assert!(compared.code == Some(0) && compared.stdout.contains("A against B: "), "{compared}");
}

const FAST: &str = "@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&y) { return; }
    var value = x[id.x];
    for (var i = 0u; i < ROUNDS; i++) { value = fma(value, 0.999, 0.001); }
    y[id.x] = value;
}
";

#[test]
fn a_slower_kernel_is_found_and_gives_code_4() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let kernel = |rounds: u32| FAST.replace("ROUNDS", &format!("{rounds}u"));
    folder.write("life.wgsl", kernel(2000));
    folder.write("old/life.wgsl", kernel(20));
    let bench = ["bench", "life.wgsl", "--against", "old/life.wgsl", "--size", "2^14", "--epochs", "4"];
    let ran = folder.run(&[&bench[..], &["--fail-on-regression", "20", "--out", "r.csv"]].concat());
    assert_eq!(ran.code, Some(4), "{ran}");
    assert!(ran.stdout.contains("life/life (its source changed) is slower"), "{ran}");
    let rows = folder.records("r.csv");
    assert!(rows.iter().any(Record::is_against), "{ran}");
}

#[test]
fn a_crash_of_one_side_costs_its_row_alone() {
    let Some(layer) = layer() else { return };
    let folder = Folder::new();
    let (layer, acted) = (layer.display(), folder.argument("acted"));
    let environment = format!(
        "VK_LAYER_PATH={layer} VK_INSTANCE_LAYERS=VK_LAYER_TEST_crash CRASH=submit:100:segv CRASH_ONCE={acted}"
    );
    let ran = run(&folder, &format!("{environment} {PROGRAM}"), &["--out", "r.csv"]);
    let rows = folder.records("r.csv");
    let failed: Vec<&Record> = rows.iter().filter(|row| row.status == Status::Failed).collect();
    assert_eq!((ran.code, failed.len()), (Some(3), 1), "{ran}");
    assert!(
        failed[0].is_against() && failed[0].reason.contains("the driver ended the process"),
        "{}: {ran}",
        failed[0].reason
    );
    assert!(cases(&rows).values().all(|[own, against]| own.len() == 1 && against.len() == 1), "{ran}");
}

#[test]
fn commands_that_cannot_be_the_other_side_are_refused_in_a_sentence() {
    if !has_device() {
        return;
    }
    let other = r#"echo '{"Devices":{"version":2,"devices":[]}}'; true"#;
    for (command, sentence) in [
        ("false", "did not list its devices because the command ended (exit code 1): give"),
        ("/nonexistent/shaderbench", "did not list its devices because the command ended (exit code 127): give"),
        (other, "uses version 2 of the worker protocol, but this program uses version 3"),
    ] {
        let folder = Folder::new();
        let ran = run(&folder, command, &[]);
        assert_eq!(ran.code, Some(2), "{command}: {ran}");
        assert!(ran.stderr.contains(sentence) && folder.is_empty(), "{command}: {ran}");
    }
}
