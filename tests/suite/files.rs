//! Files that commands write, and outputs that close early: no user's file is lost, and no run ends over its messages.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Child, Stdio};

use crate::command::{Folder, Output, Program, has_device, program};
use answers::report::png;
use gpu::engine::stream_of;
use record::suite::Scalar;
use record::suite::input::Values;

/// A few rows. On a busy machine they may be implausible: no fault here.
const RUN: [&str; 7] =
    ["run", "transpose/tiled", "--size", "64x96", "--profile=quick", "--seed=1", "--fail-on=wrong,failed"];

/// Writes a file, and needs no device.
const SHOW: [&str; 3] = ["show", "transpose/tiled", "--out"];

/// A shell script in which `"$@"` is `shaderbench` with these arguments.
fn in_shell(folder: &Folder, script: &str, arguments: &[&str]) -> Program {
    let shell = program("sh").args(&["-c", script, "sh", env!("CARGO_BIN_EXE_shaderbench")]).args(arguments);
    shell.folder(&folder.path(".")).env("NODEVICE_SELECT", "1")
}

fn names(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path(".")).expect("readable").map(|entry| entry.expect("readable"));
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    path.metadata().expect("there").permissions().mode() & 0o777
}

/// The number of rows of a complete run.
fn complete(folder: &Folder) -> usize {
    folder.run(&[&RUN[..], &["--out", "complete.csv"]].concat()).succeeds();
    folder.records("complete.csv").len()
}

/// A run whose first case has started.
fn started(program: Program) -> (Child, impl Iterator<Item = String>) {
    let mut child = program.into_command().stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.starts_with("ceiling/")), "{:?}", child.wait());
    (child, lines)
}

#[test]
fn a_run_outlives_its_outputs() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let rows = complete(&folder);
    for (number, (script, code)) in [
        (r#""$@" 2>&1 | head -1"#, 0),
        (r#""$@" 2>&- >&-"#, 0),
        (r#""$@" 2>/dev/full"#, 0),
        (r#""$@" >/dev/full"#, 1),
        (r#""$@" >/dev/full 2>&1"#, 1),
    ]
    .into_iter()
    .enumerate()
    {
        let report = format!("{number}.csv");
        let output = in_shell(&folder, script, &[&RUN[..], &["--out", &report]].concat()).run().exits_with(code);
        assert_eq!(folder.records(&report).len(), rows, "{output}");
        if code == 1 && !script.contains("2>") {
            assert_eq!(output.error(), "error: cannot write to 'stdout': No space left on device (os error 28)");
        }
    }
}

#[test]
fn a_run_whose_terminal_goes_away_saves_its_rows_and_nohup_lets_it_go_on() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    for (script, code, report) in [(r#"exec "$@""#, 130, "lost.csv"), (r#"trap "" HUP; exec "$@""#, 0, "nohup.csv")] {
        let (mut child, lines) = started(in_shell(&folder, script, &[&RUN[..], &["--out", report]].concat()));
        let pid = child.id().to_string();
        // Twice: both a shell and the system send SIGHUP.
        program("kill").args(&["-HUP", &pid]).run().succeeds();
        program("kill").args(&["-HUP", &pid]).run();
        let lines: Vec<String> = lines.collect();
        assert_eq!(child.wait().expect("ends").code(), Some(code), "{lines:#?}");
        assert!(!folder.records(report).is_empty());
    }
    folder.run(&[&RUN[..], &["--resume", "lost.csv"]].concat()).succeeds();
    assert_eq!(folder.records("lost.csv").len(), folder.records("nohup.csv").len());
}

#[test]
fn no_file_beside_the_written_one_is_touched() {
    let folder = Folder::new();
    folder.write("a.wgsl.part", "mine");
    folder.write("own", "mine");
    symlink("own", folder.path("b.wgsl.part")).expect("linked");
    for name in ["a.wgsl", "b.wgsl"] {
        folder.run(&[&SHOW[..], &[name]].concat()).succeeds();
    }
    assert_eq!((folder.text("a.wgsl.part"), folder.text("own")), ("mine".to_owned(), "mine".to_owned()));
    assert_eq!(names(&folder), ["a.wgsl", "a.wgsl.part", "b.wgsl", "b.wgsl.part", "own"]);
}

#[test]
fn a_link_stays_a_link_and_a_replaced_file_keeps_its_mode() {
    let folder = Folder::new();
    folder.write("own", "mine");
    std::fs::set_permissions(folder.path("own"), PermissionsExt::from_mode(0o640)).expect("set");
    symlink("own", folder.path("link")).expect("linked");
    symlink("link", folder.path("chain")).expect("linked");
    folder.run(&[&SHOW[..], &["chain"]].concat()).fails_with(2, "chain exists: name another file, or pass --force");
    assert_eq!(folder.text("own"), "mine");
    folder.run(&[&SHOW[..], &["chain", "--force"]].concat()).succeeds();
    assert!(folder.path("chain").is_symlink() && folder.path("link").is_symlink());
    assert!(folder.text("own").contains("@compute"));
    assert_eq!(mode(&folder.path("own")), 0o640);
    // A dangling link names the file to create.
    symlink("missing", folder.path("dangling")).expect("linked");
    folder.run(&[&SHOW[..], &["dangling"]].concat()).succeeds();
    assert!(folder.path("dangling").is_symlink() && folder.text("missing").contains("@compute"));
    in_shell(&folder, r#"umask 027; exec "$@""#, &[&SHOW[..], &["new"]].concat()).run().succeeds();
    assert_eq!(mode(&folder.path("new")), 0o640);
}

#[test]
fn devices_and_pipes_are_written_through_and_folders_refused() {
    let folder = Folder::new();
    let printed = folder.run(&["show", "transpose/tiled"]).succeeds().stdout;
    let arguments = [&SHOW[..], &["/dev/stdout"]].concat();
    assert_eq!(folder.run(&arguments).succeeds().stdout, printed);
    // A file that a shell opened must not be replaced: the shell may write more to it.
    in_shell(&folder, r#"{ "$@" && echo end; } > out"#, &arguments).run().succeeds();
    assert_eq!(folder.text("out"), format!("{printed}end\n"));
    program("mkfifo").arg(folder.path("pipe")).run().succeeds();
    let to_pipe = [&SHOW[..], &["pipe", "--force"]].concat();
    folder.run(&to_pipe).fails_with(2, "no program reads the pipe pipe: start its reader first");
    let script = r#"cat pipe > read & while ! "$@"; do sleep 0.1; done 2>&-; wait"#;
    in_shell(&folder, script, &to_pipe).run().succeeds();
    assert_eq!(folder.text("read"), printed);
    assert!(folder.path("pipe").symlink_metadata().expect("there").file_type().is_fifo());
    folder.run(&[&SHOW[..], &[".", "--force"]].concat()).fails_with(2, ". is a folder: name a file");
    folder.run(&[&SHOW[..], &["new/"]].concat()).fails_with(2, "new/ is a folder: name a file");
    assert_eq!(names(&folder), ["out", "pipe", "read"]);
}

#[test]
fn a_file_that_cannot_be_written_leaves_the_old_one_as_it_was() {
    let folder = Folder::new();
    folder.write("own", "mine");
    let limited = in_shell(&folder, r#"ulimit -f 0; exec "$@""#, &[&SHOW[..], &["own", "--force"]].concat());
    limited.run().fails_with(1, "cannot write 'own': File too large");
    assert_eq!((names(&folder), folder.text("own")), (vec!["own".to_owned()], "mine".to_owned()));
    in_shell(&folder, r#"ulimit -f 0; exec "$@""#, &["--generate", "man", "--out", "."]).run().exits_with(1);
    assert_eq!(names(&folder), ["own"]);
}

#[test]
fn a_page_does_not_overwrite_a_report_that_it_reads() {
    let folder = Folder::new();
    folder.write("r.csv", "family,benchmark,status\ntranspose,tiled,ok\n");
    let before = folder.read("r.csv");
    let refused = folder.run(&["report", "r.csv", "--out", "./r.csv", "--force"]);
    refused.fails_with(2, "--out and FILE are the same file, r.csv: name another file");
    assert_eq!(folder.read("r.csv"), before);
}

#[test]
fn two_reports_in_one_file_are_refused_before_the_first_case() {
    let folder = Folder::new();
    let refused = |csv: [&str; 2], json: &str| {
        let output = folder.run(&[&RUN[..], &csv, &["--json", json, "--force"]].concat()).exits_with(2);
        let sentence = format!("--json and {} are the same file, {}: name another file", csv[0], csv[1]);
        assert!(output.sole_error().ends_with(&sentence), "{output}");
    };
    for json in ["r.csv", "./r.csv", "sub/../r.csv"] {
        refused(["--out", "r.csv"], json);
    }
    assert!(folder.is_empty());
    folder.write("r.csv", "mine");
    symlink("r.csv", folder.path("link.json")).expect("linked");
    std::fs::hard_link(folder.path("r.csv"), folder.path("hard.json")).expect("linked");
    for json in ["r.csv", "link.json", "hard.json"] {
        refused(["--out", "r.csv"], json);
        refused(["--resume", "r.csv"], json);
    }
    assert_eq!(folder.text("r.csv"), "mine");
}

#[test]
#[cfg(target_os = "linux")]
fn paths_that_cannot_be_written_are_found_before_the_first_case() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    folder.write("file", "mine");
    for (arguments, code, sentence) in [
        (&["--out", "/proc/none/r.csv"][..], 1, "cannot write '/proc/none/r.csv': "),
        (&["--out", "r.csv", "--json", "/proc/none/r.json"], 1, "cannot write '/proc/none/r.json': "),
        (&["--out", "file/r.csv"], 1, "cannot write 'file/r.csv': Not a directory"),
        (&["--out", "r.csv", "texture", "--save-image", "/proc/none"], 1, "cannot write into '/proc/none': "),
        (&["--out", "r.csv", "texture", "--save-image", "file"], 2, "--save-image: file is a file; name a folder"),
    ] {
        let output = folder.run(&[&RUN[..], arguments].concat()).exits_with(code);
        assert!(output.sole_error().contains(sentence), "{output}");
        assert_eq!(names(&folder), ["file"]);
    }
}

#[test]
fn an_image_is_overwritten_with_force_only() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let run = |more: &[&str]| -> Output {
        let first = ["run", "texture/rotate_sampled", "--size", "64x64", "--profile=quick", "--save-image", "images"];
        folder.run(&[&first[..], &["--seed", "7"], more].concat())
    };
    run(&["--out", "r.csv"]).succeeds();
    let images = std::fs::read_dir(folder.path("images")).expect("a folder");
    let images: Vec<_> = images.map(|entry| entry.expect("readable").path()).collect();
    let names: BTreeSet<_> = images.iter().filter_map(|image| image.file_name()?.to_str()).collect();
    assert_eq!(names, BTreeSet::from(["texture-original-64x64.png", "texture-rotate_sampled-64x64-ANGLE=30.png"]));
    let mut original = vec![0; 4 * 64 * 64];
    Values::Picture(64).of(stream_of(7, 0)).encode(Scalar::Unorm8, 0, &mut original);
    let original = png::write(64, 64, &original).expect("an image");
    assert!(std::fs::read(folder.path("images/texture-original-64x64.png")).expect("there") == original);
    let image = images.first().expect("an image");
    std::fs::write(image, "mine").expect("written");
    let refused = run(&["--out", "q.csv"]).exits_with(2);
    assert!(
        refused.sole_error().ends_with("exists: name another folder, or pass --force to overwrite it"),
        "{refused}"
    );
    assert!(!folder.path("q.csv").exists());
    assert_eq!(std::fs::read(image).expect("there"), b"mine");
    run(&["--out", "q.csv", "--force"]).succeeds();
    assert!(std::fs::read(image).expect("there").starts_with(b"\x89PNG"));
}

#[test]
fn a_report_has_one_writer_at_a_time() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let (mut child, lines) = started(folder.shaderbench(&[&RUN[..], &["--out", "r.csv"]].concat()));
    symlink("r.csv", folder.path("link.csv")).expect("linked");
    for (name, arguments) in
        [("r.csv", ["--resume", "r.csv"]), ("link.csv", ["--resume", "link.csv"]), ("r.csv", ["--out", "r.csv"])]
    {
        let refused = folder.run(&[&RUN[..], &arguments, &["--force"]].concat()).exits_with(2);
        let sentence =
            format!("error: {name} is being written by another run: wait until that run ends, or name another file");
        assert_eq!(refused.sole_error(), sentence);
    }
    let count = lines.count();
    assert!(child.wait().expect("ends").success() && count > 0);
    folder.run(&[&RUN[..], &["--resume", "r.csv"]].concat()).succeeds();
    assert_eq!(names(&folder), ["link.csv", "r.csv"], "the lock file is removed");
}

#[test]
fn a_report_of_another_profile_is_not_resumed() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let run = |profile: &str, file: [&str; 2]| {
        folder.run(&[&["run", "ceiling/launch", "--profile", profile], &file[..]].concat())
    };
    run("quick", ["--out", "r.csv"]).succeeds();
    let before = folder.read("r.csv");
    let sentence = "r.csv cannot be resumed: it is from another profile: quick in the file, standard now";
    run("standard", ["--resume", "r.csv"]).fails_with(2, sentence);
    assert_eq!(folder.read("r.csv"), before);
}

#[test]
fn a_full_disk_in_mid_run_keeps_the_rows_and_says_how_to_go_on() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let rows = complete(&folder);
    // Blocks of 512 bytes: a header and a few rows.
    let limited = in_shell(&folder, r#"ulimit -f 4; exec "$@""#, &[&RUN[..], &["--out", "r.csv"]].concat());
    let output = limited.run().exits_with(1);
    let kept = folder.records("r.csv").len();
    assert!(0 < kept && kept < rows, "{kept} of {rows} rows");
    assert_eq!(output.error(), "error: cannot write 'r.csv': File too large (os error 27)");
    let sentence = format!("{kept} of {rows} rows; the same command with --resume r.csv measures the rest");
    assert!(output.stderr.lines().any(|line| line == sentence), "{output}");
    assert!(output.stdout.contains("ceiling") && output.stdout.contains("copy"), "{output}");
    folder.run(&[&RUN[..], &["--resume", "r.csv"]].concat()).succeeds();
    assert_eq!(folder.records("r.csv").len(), rows);
}

#[test]
fn a_pipe_receives_the_whole_report_at_the_end() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    program("mkfifo").arg(folder.path("pipe")).run().succeeds();
    let arguments = ["run", "ceiling/launch", "--profile=quick", "--json", "pipe", "--out", "/dev/stdout"];
    let mut reader = program("cat").arg(folder.path("pipe")).into_command();
    let mut reader = reader.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
    let output = folder.run(&arguments).succeeds();
    let mut json = String::new();
    reader.stdout.take().expect("piped").read_to_string(&mut json).expect("UTF-8");
    assert!(reader.wait().expect("ends").success());
    let rows: serde_json::Value = serde_json::from_str(&json).expect("one JSON text");
    assert_eq!(rows.as_array().map(Vec::len), Some(1), "{json}");
    assert_eq!(output.stdout.matches("schema,").count(), 1, "{output}");
    assert!(output.stdout.starts_with("schema,"), "the table follows\n{output}");
    assert_eq!(names(&folder), ["pipe"]);
}
