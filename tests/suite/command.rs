//! Runs programs in tests. A failed assertion shows exit code, stdout and stderr together.

#![allow(dead_code, unreachable_pub, reason = "each test program that includes this file uses its own part")]

use std::ffi::OsStr;
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use answers::report::csv;
use record::Record;

/// A program with its arguments, to be run without a terminal.
pub struct Program(Command);

/// `shaderbench`, without the caller's settings for colours and width.
pub fn shaderbench(arguments: &[&str]) -> Program {
    let mut program = program(env!("CARGO_BIN_EXE_shaderbench")).args(arguments);
    program.0.env_remove("NO_COLOR").env_remove("COLUMNS");
    program
}

/// Runs `shaderbench` in an empty folder, and asserts that the folder stays empty.
#[track_caller]
pub fn shaderbench_in_empty_folder(arguments: &[&str]) -> Output {
    let folder = Folder::new();
    let output = folder.run(arguments);
    assert!(folder.is_empty(), "files are left behind\n{output}");
    output
}

/// A temporary folder in which `shaderbench` runs.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn argument(&self, name: &str) -> String {
        self.path(name).into_os_string().into_string().expect("UTF-8")
    }

    /// Writes a file, and the folders above it.
    #[track_caller]
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        std::fs::write(path, contents).expect("written");
    }

    #[track_caller]
    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    #[track_caller]
    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("UTF-8")
    }

    #[track_caller]
    pub fn records(&self, name: &str) -> Vec<Record> {
        csv::open(&self.path(name)).unwrap_or_else(|error| panic!("{}", error.chain())).records
    }

    pub fn is_empty(&self) -> bool {
        std::fs::read_dir(self.0.path()).expect("readable").next().is_none()
    }

    pub fn shaderbench(&self, arguments: &[&str]) -> Program {
        shaderbench(arguments).folder(self.0.path())
    }

    #[track_caller]
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.shaderbench(arguments).run()
    }
}

/// Another program, by its name on the PATH.
pub fn program(name: &str) -> Program {
    let mut command = Command::new(name);
    command.stdin(Stdio::null());
    Program(command)
}

impl Program {
    pub fn args(mut self, arguments: &[&str]) -> Self {
        self.0.args(arguments);
        self
    }

    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.0.arg(argument);
        self
    }

    pub fn folder(mut self, folder: &Path) -> Self {
        self.0.current_dir(folder);
        self
    }

    pub fn without_devices(self) -> Self {
        let names = ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"];
        names.into_iter().fold(self.env("WGPU_BACKEND", "vulkan"), |program, name| program.env(name, "/nonexistent"))
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.0.env(name, value);
        self
    }

    #[track_caller]
    pub fn run(mut self) -> Output {
        let label = format!("{:?}", self.0);
        let output = self.0.output().unwrap_or_else(|error| panic!("{label}: {error}"));
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        Output { label, code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// The command itself, for a test that keeps the process or connects its streams.
    pub fn into_command(self) -> Command {
        self.0
    }
}

/// An ended program. Its text is its arguments, exit code, stdout and stderr.
pub struct Output {
    label: String,
    /// `None` after a signal.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Display for Output {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { label, code, stdout, stderr } = self;
        write!(f, "{label}\nexit code: {code:?}\nstdout:\n{stdout}\nstderr:\n{stderr}")
    }
}

impl Output {
    #[track_caller]
    pub fn exits_with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }

    /// Asserts an exit code and the only line of stderr that starts with `error: `, or a part of that line.
    #[track_caller]
    pub fn fails_with(self, code: i32, sentence: &str) {
        let output = self.exits_with(code);
        assert!(output.error().contains(sentence), "'{sentence}' is missing\n{output}");
    }

    #[track_caller]
    pub fn succeeds(self) -> Self {
        self.exits_with(0)
    }

    /// The only line of stderr that starts with `error: `. A driver may print other lines.
    #[track_caller]
    pub fn error(&self) -> &str {
        let is_error = |line: &&str| line.starts_with("error: ") && !line.contains("XDG_RUNTIME");
        let lines: Vec<_> = self.stderr.lines().filter(is_error).collect();
        assert_eq!(lines.len(), 1, "{self}");
        lines[0]
    }

    /// The only line of stderr, which starts with `error: `.
    #[track_caller]
    pub fn sole_error(&self) -> &str {
        assert_eq!(self.stderr.lines().count(), 1, "{self}");
        self.error()
    }
}

/// Whether a program can be started. Prints that the test is skipped if not.
pub fn is_installed(name: &str) -> bool {
    let found = program(name).args(&["--version"]).into_command().output().is_ok();
    if !found {
        eprintln!("SKIPPED: the program '{name}' is not on the PATH");
    }
    found
}

/// Whether `shaderbench` finds a device without `--backend`. Prints that the test is skipped if not.
pub fn has_device() -> bool {
    lists_a_device(&[], "there is no device to run on")
}

/// The same for a Vulkan device.
pub fn has_vulkan() -> bool {
    lists_a_device(&["--backend", "vulkan"], "no device has Vulkan")
}

fn lists_a_device(arguments: &[&str], otherwise: &str) -> bool {
    let found = shaderbench_in_empty_folder(&[&["devices"], arguments].concat()).stdout.contains("[0] ");
    if !found {
        eprintln!("SKIPPED: {otherwise}");
    }
    found
}
