//! Tests `action.yml`'s script outside of GitHub: `gh` is a stand-in, and releases are files.

#![cfg(target_os = "linux")]

use std::path::Path;

use crate::command::{Folder, Output, is_installed, program};

/// Lists an earlier run's comment only if the file `old` exists, and saves what the script sends.
const GH: &str = r#"#!/bin/sh
case "$*" in
    *--jq*) cat "$WORK/old" 2>/dev/null || true ;;
    *) printf '%s\n' "$@" >"$WORK/sent" ;;
esac
"#;

/// Prints its arguments, one per line, and exits with the code in the file `code`.
const PROGRAM: &str = "#!/bin/sh\nprintf '<%s>\\n' \"$@\"\nexit \"$(cat \"$WORK/code\")\"\n";

fn act(folder: &Folder, variables: &[(&str, &str)]) -> Output {
    folder.write("bin/gh", GH);
    folder.write("output", "");
    folder.write("summary", "");
    let path = format!("{}:{}", folder.argument("bin"), std::env::var("PATH").expect("a path"));
    program("chmod").args(&["+x", &folder.argument("bin/gh")]).run().succeeds();
    let work = folder.argument("");
    let usual = [
        ("PATH", path.as_str()),
        ("WORK", work.trim_end_matches('/')),
        ("RUNNER_TEMP", work.trim_end_matches('/')),
        ("GITHUB_OUTPUT", &folder.argument("output")),
        ("GITHUB_STEP_SUMMARY", &folder.argument("summary")),
        ("GITHUB_REPOSITORY", "owner/kernels"),
        ("GITHUB_REF", "refs/pull/7/merge"),
        ("SOURCE", "owner/shaderbench"),
        ("COMMENT", "true"),
        ("VERSION", ""),
    ];
    let script = program("bash").arg(Path::new("scripts/action.sh").canonicalize().expect("a script"));
    let script = usual.iter().chain(variables).fold(script, |script, (name, value)| script.env(name, value));
    script.folder(&folder.path("")).run()
}

#[test]
fn the_action_runs_and_comments_and_ends_with_the_code_of_the_program() {
    let folder = Folder::new();
    folder.write("program", PROGRAM);
    folder.write("code", "4");
    program("chmod").args(&["+x", &folder.argument("program")]).run().succeeds();
    let arguments = "run scan --against 'VK_X=1 old/shaderbench' $HOME `id`";
    let own = folder.argument("program");
    let output = act(&folder, &[("ARGUMENTS", arguments), ("PROGRAM", &own)]).exits_with(4);
    for word in ["<scan>", "<VK_X=1 old/shaderbench>", "<$HOME>", "<`id`>", "<--out>"] {
        assert!(output.stdout.contains(word), "{word}: {output}");
    }
    assert_eq!(folder.text("output"), format!("report={}\n", folder.argument("shaderbench/report.csv")));
    assert!(folder.text("summary").contains("**slower than allowed**"), "{}", folder.text("summary"));
    let sent = folder.text("sent");
    assert!(sent.contains("POST\nrepos/owner/kernels/issues/7/comments\n"), "{sent}");
    assert_eq!(folder.text("shaderbench/comment.md"), folder.text("summary"));
    // A later run replaces the first run's comment.
    folder.write("old", "12\n34\n");
    folder.write("code", "0");
    act(&folder, &[("ARGUMENTS", "run"), ("PROGRAM", &own)]).succeeds();
    let sent = folder.text("sent");
    assert!(sent.contains("PATCH\nrepos/owner/kernels/issues/comments/34\n"), "{sent}");
    // A push has no pull request to comment on.
    std::fs::remove_file(folder.path("sent")).expect("removed");
    act(&folder, &[("ARGUMENTS", "run"), ("PROGRAM", &own), ("GITHUB_REF", "refs/heads/main")]).succeeds();
    assert!(!folder.path("sent").exists());
}

#[test]
fn the_action_downloads_a_release_and_checks_it() {
    if !is_installed("curl") {
        return;
    }
    let folder = Folder::new();
    let name = format!("shaderbench-9.8.7-{}-unknown-linux-gnu", std::env::consts::ARCH);
    let release = "owner/shaderbench/releases/download/v9.8.7";
    folder.write(&format!("{release}/{name}/shaderbench"), PROGRAM);
    let pack = format!(
        "cd {release} && chmod +x {name}/shaderbench && tar -czf {name}.tar.gz {name} && sha256sum {name}.tar.gz >SHA256SUMS"
    );
    program("sh").args(&["-c", &pack]).folder(&folder.path("")).run().succeeds();
    folder.write("code", "0");
    let server = format!("file://{}", folder.argument("").trim_end_matches('/'));
    let variables = [("ARGUMENTS", "bench mine.wgsl"), ("VERSION", "9.8.7"), ("GITHUB_SERVER_URL", server.as_str())];
    let output = act(&folder, &variables).succeeds();
    assert!(output.stdout.contains(": OK\n") && output.stdout.contains("<mine.wgsl>"), "{output}");
    let archive = folder.path(&format!("{release}/{name}.tar.gz"));
    std::fs::write(&archive, "other").expect("written");
    let output = act(&folder, &variables).exits_with(1);
    assert!(!output.stdout.contains("<mine.wgsl>"), "{output}");
}
