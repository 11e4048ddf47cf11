//! `bench` on tests/cases: kernels as in public repositories, and files as other programs write them.

use std::path::Path;

use crate::command::{Folder, Output, has_device, has_vulkan, is_installed};
use record::{Record, Status};

fn case(name: &str) -> Folder {
    let folder = Folder::new();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name);
    for entry in std::fs::read_dir(path).expect("a folder") {
        let path = entry.expect("readable").path();
        let file = path.file_name().expect("a name").to_string_lossy().into_owned();
        folder.write(&file, std::fs::read(&path).expect("bytes"));
    }
    folder
}

fn bench(folder: &Folder, file: &str, options: &[&str]) -> Output {
    let always = ["bench", file, "--profile", "quick", "--epochs", "2", "--out", "r.csv", "--force"];
    folder.run(&[&always[..], options].concat())
}

fn rows(folder: &Folder) -> Vec<Record> {
    folder.records("r.csv").into_iter().filter(|row| row.family != "ceiling").collect()
}

fn assert_status(name: &str, file: &str, options: &[&str], status: Status, count: usize) -> Vec<Record> {
    let folder = case(name);
    let output = bench(&folder, file, options);
    let rows = rows(&folder);
    let are_so = rows.len() == count && rows.iter().all(|row| row.status == status);
    assert!(are_so, "{name} {file}: {:?}\n{output}", rows.iter().map(|row| &row.reason).collect::<Vec<_>>());
    rows
}

#[test]
fn files_of_other_programs_are_read_as_they_mean_it() {
    if !has_device() {
        return;
    }
    for (name, file, status, count) in [
        ("files/02-int64-npy", "narrow.toml", Status::Ok, 1),
        ("files/02-int64-npy", "copy64.toml", Status::Wrong, 1),
        ("files/03-right-value-does-not-fit", "five.toml", Status::Failed, 1),
        ("files/03-right-value-does-not-fit", "five_wrap.toml", Status::Failed, 1),
        ("files/04-png-integer-texture", "labels.wgsl", Status::Ok, 1),
        ("files/05-override-with-id", "id.wgsl", Status::Ok, 2),
        ("files/09-png-16-bits", "depth.wgsl", Status::Ok, 1),
    ] {
        if name.starts_with("files/02") && !has_vulkan() {
            continue;
        }
        assert_status(name, file, &[], status, count);
    }
    assert_status("files/05-override-with-id", "id.wgsl", &["--param", "k=3"], Status::Ok, 1);
    let folder = case("files/10-npy-by-name-only");
    bench(&folder, "copy.wgsl", &[]).fails_with(2, "plain.npz: the file is an archive; save each array as a .npy file");
    folder.write("copy.toml", folder.text("copy.toml").replace("plain.npz", "UP.NPY"));
    bench(&folder, "copy.wgsl", &[]).succeeds();
}

#[test]
fn sources_of_preprocessors_and_of_other_compilers_of_wgsl_are_read() {
    if !has_device() {
        return;
    }
    if is_installed("cpp") {
        assert_status("files/14-cpp-line-markers", "pre.toml", &[], Status::Ok, 1);
    }
    if has_vulkan() {
        assert_status("files/15-requires", "imm.wgsl", &[], Status::Ok, 1);
    }
    let folder = case("files/15-requires");
    folder.write("sg.toml", folder.text("sg.toml").lines().take(2).collect::<Vec<_>>().join("\n"));
    bench(&folder, "sg.wgsl", &[]).succeeds();
    let folder = case("kernels/15-preprocess-hides-errors");
    let output = bench(&folder, "bad.toml", &[]).exits_with(2);
    let whole = output.stderr.contains("sh ended with exit code 1:\n") && output.stderr.contains("error: data_b");
    assert!(whole, "{output}");
}

#[test]
fn kernels_of_public_repositories_are_right_or_rightly_wrong() {
    if !has_device() {
        return;
    }
    for (name, file, options, status) in [
        ("kernels/01-matrix-default-groups", "matrix2d.toml", &[][..], Status::Ok),
        ("kernels/13-texture-array-3d-depth", "arr.wgsl", &["--size", "64x64"], Status::Unverified),
        ("kernels/13-texture-array-3d-depth", "t3d.wgsl", &["--size", "64x64"], Status::Unverified),
        ("kernels/14-words-and-tolerance", "mixed.toml", &[], Status::Ok),
        ("kernels/17-race-that-is-one", "race.toml", &[], Status::Wrong),
        ("kernels/20-texels-are-whole-numbers", "ts.toml", &[], Status::Ok),
    ] {
        assert_status(name, file, options, status, 1);
    }
    let folder = case("kernels/13-texture-array-3d-depth");
    bench(&folder, "depth.wgsl", &["--size", "64x64"]).fails_with(2, "bench supports only sampled and storage");
    let folder = case("kernels/18-long-spin-on-llvmpipe");
    bench(&folder, "spin.toml", &[]);
    let row = &rows(&folder)[0];
    let is_named = row.reason.contains("llvmpipe ends all loops after 65,535 iterations");
    assert!(row.status == Status::Ok || is_named || !row.device.contains("llvmpipe"), "{}", row.reason);
    let folder = case("kernels/21-type-by-a-buffer");
    folder.write("dt.toml", format!("limit = \"none\"\n{}", folder.text("dt.toml")));
    bench(&folder, "dt.toml", &[]).succeeds();
    assert_eq!(rows(&folder)[0].dtype_name(), "f32");
}

#[test]
fn a_kernel_without_a_declaration_is_told_all_that_it_needs_at_once() {
    let folder = case("kernels/16-one-fault-at-a-time");
    let output = bench(&folder, "two.wgsl", &[]).exits_with(2);
    let sentence =
        "two.wgsl needs a declaration that defines T, entry, p, q, t; `shaderbench bench init two.wgsl` writes";
    assert!(output.stderr.contains(sentence), "{output}");
    let initial = folder.run(&["bench", "init", "two.wgsl"]).succeeds();
    assert!(initial.stdout.ends_with("next: shaderbench bench two.wgsl\n"), "{initial}");
    assert!(output.stderr.contains(folder.text("two.toml").trim_end()), "{output}");
    folder.run(&["bench", "init", "two.wgsl"]).fails_with(2, "two.toml already exists");
    if has_device() {
        bench(&folder, "two.wgsl", &["--size", "64x64"]).succeeds();
        assert_eq!(rows(&folder)[0].status, Status::Unverified);
    }
}

/// SPIR-V that naga reads runs with checks; other SPIR-V goes to Vulkan as it is, or is refused, naming what it needs.
#[test]
fn spirv_runs_as_drivers_take_it() {
    if !has_vulkan() || !is_installed("glslangValidator") {
        return;
    }
    for (name, file, status, count) in [
        ("02-constant-with-two-names", "k2.toml", Status::Ok, 1),
        ("03-constant-as-array-size", "specarrayp.toml", Status::Ok, 1),
        ("04-param-unknown-in-expect", "k4.toml", Status::Ok, 1),
        ("05-image-without-writeonly", "image.toml", Status::Ok, 1),
        ("08-subgroup-elect", "elect.toml", Status::Unverified, 1),
        ("09-mul-extended", "mulext.toml", Status::Ok, 1),
        ("10-combined-sampler", "sampler.toml", Status::Unverified, 1),
        ("12-bytes", "i8.toml", Status::Ok, 1),
        ("22-descriptor-arrays", "copylog.toml", Status::Ok, 1),
        ("22-descriptor-arrays", "nofmt.toml", Status::Ok, 1),
        ("24-sets-and-addresses", "sets.toml", Status::Ok, 2),
        ("28-computed-constants", "scaled.toml", Status::Ok, 2),
    ] {
        assert_status(&format!("kernels/{name}"), file, &[], status, count);
    }
    let folder = case("kernels/22-descriptor-arrays");
    bench(&folder, "bindless.toml", &[]).fails_with(2, "'levels' is a descriptor array");
    let folder = case("kernels/24-sets-and-addresses");
    bench(&folder, "address.comp", &[]).fails_with(2, "it needs buffer addresses");
    let folder = case("kernels/28-computed-constants");
    bench(&folder, "scaled.toml", &[]).succeeds();
    let names: Vec<String> = rows(&folder).into_iter().map(|row| row.benchmark).collect();
    assert_eq!(names, ["scaled_SCALE=2", "scaled_SCALE=5"]);
    // Its accesses are unchecked, which is reported once; its wrong result is found.
    let folder = case("kernels/09-mul-extended");
    let toml = folder.text("mulext.toml").replace("1000003) >> 32", "1000003) >> 31");
    folder.write("mulext.toml", toml);
    let output = bench(&folder, "mulext.toml", &[]).exits_with(3);
    assert_eq!(output.stderr.matches("without bounds checks").count(), 1, "{output}");
    assert_eq!(rows(&folder)[0].status, Status::Wrong);
}

#[test]
fn json_to_stdout_is_json_alone() {
    if !has_device() || !cfg!(unix) {
        return;
    }
    let folder = case("files/07-json-to-stdout");
    let output = bench(&folder, "k.wgsl", &["--json", "/dev/stdout"]).succeeds();
    let rows: serde_json::Value = serde_json::from_str(&output.stdout).unwrap_or_else(|why| panic!("{why}\n{output}"));
    assert_eq!(rows.as_array().map(Vec::len), Some(1));
}

/// However the program ends, its child processes end, and their folders are removed.
#[cfg(target_os = "linux")]
#[test]
fn a_command_ends_with_the_program() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    if !has_device() {
        return;
    }
    let folder = case("files/11-gold-survives");
    let toml = folder.text("double.toml").replace("sleep 50", "sh gold.sh {folder}").replace("2^20", "4096");
    folder.write("double.toml", toml);
    folder.write("gold.sh", "echo $$ $1 > gold.txt; sleep 50 & wait");
    let line = ["bench", "double.toml", "--profile", "quick", "--out", "r.csv", "--table", "none"];
    let mut command = folder.shaderbench(&line).into_command();
    let mut program = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts");
    let until = |what: &str, is_so: &dyn Fn() -> bool| {
        let start = Instant::now();
        while !is_so() {
            assert!(start.elapsed() < Duration::from_secs(120), "{what}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    until("the command starts", &|| {
        std::fs::read_to_string(folder.path("gold.txt")).is_ok_and(|text| text.ends_with('\n'))
    });
    let text = folder.text("gold.txt");
    let (id, temporary) = text.trim_end().split_once(' ').expect("a process and a folder");
    let is_running = || {
        let status = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        !status.is_empty() && !status.contains(") Z ")
    };
    assert!(is_running() && Path::new(temporary).is_dir(), "{text}");
    program.kill().expect("killed");
    program.wait().expect("ended");
    until("the command ends", &|| !is_running());
    until("its folder is removed", &|| !Path::new(temporary).exists());
}
