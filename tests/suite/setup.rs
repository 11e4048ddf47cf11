//! `scripts/run.sh` without its packages, in a pseudo-terminal: sudo, apt-get and cargo are stand-ins.

#![cfg(target_os = "linux")]

use std::io::Write;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::command::{Folder, is_installed, program};

/// The system's programs that the scripts use. No C compiler: the setup must install one.
const TOOLS: [&str; 17] = [
    "bash", "cat", "cut", "dirname", "env", "grep", "head", "ldconfig", "printf", "sed", "sleep", "sort", "stty",
    "touch", "timeout", "true", "uname",
];

/// sudo, which clears the environment.
const SUDO: &str = r#"exec env -i PATH="$PATH" "$@""#;

/// Changes a terminal mode, as apt-get does: the terminal stops a background process that does so.
const APT_GET: &str = r#"
stty -echo </dev/tty && stty echo </dev/tty
echo "$DEBIAN_FRONTEND $NEEDRESTART_SUSPEND $*" >>apt-get.log
echo "Selecting previously unselected package"
"#;

fn found(tool: &str) -> String {
    let path = std::env::var("PATH").expect("a PATH") + ":/usr/sbin:/sbin";
    let mut paths = path.split(':').map(|folder| format!("{folder}/{tool}"));
    paths.find(|path| Path::new(path).exists()).expect(tool)
}

/// A script's environment: its PATH has only [`TOOLS`] and stand-ins.
struct Machine(Folder);

struct Screen {
    text: String,
    code: Option<i32>,
}

impl Machine {
    /// `apt_get` are the commands of apt-get, which is absent if they are empty.
    fn new(apt_get: &str) -> Self {
        let folder = Folder::new();
        std::fs::create_dir(folder.path("bin")).expect("created");
        for tool in TOOLS {
            std::os::unix::fs::symlink(found(tool), folder.path("bin").join(tool)).expect("linked");
        }
        let machine = Self(folder);
        machine.add("id", "echo 1000");
        machine.add("sudo", SUDO);
        machine.add("cargo", r#"[ "$1" != --version ] || echo 'cargo 99.0.0'"#);
        machine.add("target/release/shaderbench", r#"echo "shaderbench $*""#);
        if !apt_get.is_empty() {
            machine.add("apt-get", apt_get);
        }
        machine
    }

    /// Adds a program that runs these commands in the folder.
    fn add(&self, name: &str, commands: &str) {
        use std::os::unix::fs::PermissionsExt;
        let name = if name.contains('/') { name.to_owned() } else { format!("bin/{name}") };
        let folder = self.0.argument("");
        self.0.write(&name, format!("#!/usr/bin/env bash\ncd {folder}\n{commands}\n"));
        std::fs::set_permissions(self.0.path(&name), std::fs::Permissions::from_mode(0o755)).expect("permitted");
    }

    fn start(&self, command: &str) -> Child {
        let mut script = program(&found("script")).args(&["-qefc", command, "/dev/null"]).into_command();
        script.current_dir(env!("CARGO_MANIFEST_DIR")).env("PATH", self.0.path("bin")).env("SHELL", "/bin/sh");
        script.env("CARGO_TARGET_DIR", self.0.path("target")).env("VK_DRIVER_FILES", "none.json");
        script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("script starts")
    }

    /// Waits up to five minutes: the machine may be busy.
    #[track_caller]
    fn end(&self, mut child: Child) -> Screen {
        let end = Instant::now() + Duration::from_secs(300);
        while child.try_wait().expect("known").is_none() {
            if Instant::now() > end {
                child.kill().expect("killed");
                panic!("it does not end; apt-get did: {:?}", std::fs::read_to_string(self.0.path("apt-get.log")));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let output = child.wait_with_output().expect("read");
        Screen { text: String::from_utf8(output.stdout).expect("UTF-8").replace('\r', ""), code: output.status.code() }
    }

    #[track_caller]
    fn run(&self, command: &str) -> Screen {
        self.end(self.start(command))
    }
}

impl Screen {
    /// Asserts that this sentence is the last line and the only error.
    #[track_caller]
    fn fails_with(&self, sentence: &str) {
        let Self { text, code } = self;
        assert_eq!(*code, Some(1), "{text}");
        assert_eq!(text.lines().last(), Some(sentence), "{text}");
        assert_eq!(text.matches("error: ").count(), 1, "{text}");
    }
}

/// The packages that the script reports to install, which depend on the machine.
fn packages(screen: &Screen) -> String {
    let line = screen.text.lines().find_map(|line| line.strip_prefix("installing ")).expect(&screen.text);
    line.trim_end_matches(" with apt-get: about a minute").to_owned()
}

#[test]
fn the_first_command_installs_packages_in_a_terminal() {
    if !is_installed("script") {
        return;
    }
    let machine = Machine::new(APT_GET);
    let screen = machine.run("scripts/run.sh --profile quick");
    assert_eq!(screen.code, Some(0), "{}", screen.text);
    assert_eq!(screen.text.lines().last(), Some("shaderbench --profile quick"), "{}", screen.text);
    assert!(!screen.text.contains("Selecting"), "{}", screen.text);
    let packages = packages(&screen);
    assert!(packages.ends_with("gcc libc6-dev"), "{packages}");
    let log = machine.0.text("apt-get.log");
    let calls: Vec<&str> = log.lines().collect();
    assert_eq!(calls.len(), 2, "{log}");
    assert!(calls[0].ends_with(" update"), "{log}");
    assert!(calls[1].ends_with(&format!(" install -y --no-install-recommends {packages}")), "{log}");
    // Neither debconf nor needrestart may prompt.
    assert!(calls.iter().all(|call| call.starts_with("noninteractive 1 -qq ")), "{log}");
}

#[test]
fn chromium_is_installed_in_a_terminal() {
    if !is_installed("script") {
        return;
    }
    let chromium = r#"bash -c '. scripts/setup.sh; has_chromium() { false; }; grep() { true; }; setup_chromium'"#;
    let machine = Machine::new(APT_GET);
    let screen = machine.run(chromium);
    assert_eq!((screen.code, screen.text.as_str()), (Some(0), "installing chromium with apt-get\n"));
    assert!(machine.0.text("apt-get.log").ends_with(" chromium\n"));
    let screen = Machine::new("exit 100").run(chromium);
    assert_eq!(screen.code, Some(0), "{}", screen.text);
    assert!(screen.text.ends_with("SKIPPED: apt-get cannot install chromium, so the pages are not tested\n"));
}

#[test]
fn a_failing_installation_says_what_to_install_by_hand() {
    if !is_installed("script") {
        return;
    }
    let by_hand = |screen: &Screen| {
        let packages = packages(screen);
        format!("as root, run 'apt-get update && apt-get install {packages}', then run this script again")
    };
    // One package source may fail if the packages are known.
    let machine = Machine::new(r#"case "$*" in *update) exit 100 ;; esac"#);
    assert_eq!(machine.run("scripts/run.sh").code, Some(0));

    let machine =
        Machine::new(r#"case "$*" in *install*) echo 'E: Unable to locate package gcc' >&2; exit 100 ;; esac"#);
    let screen = machine.run("scripts/run.sh");
    assert!(screen.text.contains("\nE: Unable to locate package gcc\n"), "{}", screen.text);
    let reason = format!("error: apt-get cannot install {}; ", packages(&screen));
    screen.fails_with(&(reason + &by_hand(&screen)));

    for call in ["update", "install"] {
        let machine = Machine::new(&format!(r#"case "$*" in *{call}*) exec sleep 600 ;; esac"#));
        let screen = machine.run("INSTALL_SECONDS=1 scripts/run.sh");
        screen.fails_with(&("error: apt-get did not end within 1 s; ".to_owned() + &by_hand(&screen)));
    }

    let machine = Machine::new(APT_GET);
    machine.add("sudo", "exit 1");
    let screen = machine.run("scripts/run.sh");
    screen.fails_with(&("error: an installation needs root or sudo; ".to_owned() + &by_hand(&screen)));
    std::fs::remove_file(machine.0.path("bin/sudo")).expect("removed");
    let screen = machine.run("scripts/run.sh");
    screen.fails_with(&("error: an installation needs root or sudo; ".to_owned() + &by_hand(&screen)));
}

#[test]
fn systems_without_apt_get_or_a_new_rust_are_told_what_to_install() {
    if !is_installed("script") {
        return;
    }
    let machine = Machine::new("");
    let screen = machine.run("scripts/run.sh");
    assert_eq!(screen.code, Some(1), "{}", screen.text);
    assert!(screen.text.starts_with("error: install these first (Debian's names): "), "{}", screen.text);
    assert!(screen.text.contains("gcc libc6-dev (Fedora: gcc vulkan-loader"), "{}", screen.text);
    assert_eq!(screen.text.lines().count(), 1, "{}", screen.text);
    machine.add("cargo", "echo 'cargo 1.65.0'");
    let oldest = env!("CARGO_PKG_RUST_VERSION");
    let install = format!("install Rust {oldest} or newer (https://rustup.rs)");
    machine.run("scripts/run.sh").fails_with(&format!("error: Rust 1.65.0 is too old: {install}"));
    std::fs::remove_file(machine.0.path("bin/cargo")).expect("removed");
    machine.run("scripts/run.sh").fails_with(&format!("error: cargo is not on the PATH: {install}"));
}

#[test]
fn control_c_ends_an_installation() {
    if !is_installed("script") {
        return;
    }
    let machine = Machine::new(r#"case "$*" in *install*) : >started; exec sleep 600 ;; esac"#);
    let mut child = machine.start("scripts/run.sh");
    let end = Instant::now() + Duration::from_secs(300);
    while !machine.0.path("started").exists() {
        assert!(Instant::now() < end, "apt-get is not started");
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut keyboard = child.stdin.take().expect("piped");
    keyboard.write_all(b"\x03").expect("typed");
    let screen = machine.end(child);
    assert_eq!(screen.code, Some(130), "{}", screen.text);
    assert!(!screen.text.contains("error: "), "{}", screen.text);
}

/// Without `--foreground`, `timeout` uses a process group of its own: the terminal stops it, and Ctrl-C does not reach
/// it.
#[test]
fn no_script_moves_a_command_out_of_the_terminals_foreground() {
    let mut timeouts = 0;
    for folder in ["scripts", "packaging", "contrib", ".ci"] {
        for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
                let words: Vec<&str> = line.split_whitespace().collect();
                for pair in words.windows(2).filter(|pair| pair[0] == "timeout") {
                    timeouts += 1;
                    assert_eq!(pair[1], "--foreground", "{}: {line}", path.display());
                }
                let moves = ["setsid", "nohup"].iter().any(|word| words.contains(word)) || line.contains("set -m");
                assert!(!moves, "{}: {line}", path.display());
            }
        }
    }
    assert!(timeouts > 10, "{timeouts}");
}
