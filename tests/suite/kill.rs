//! Real runs that are killed at random moments: what they leave is readable, has lost one row at most, and is completed to the rows of
//! an unbroken run. `KILLS` says how many runs are killed (`scripts/kill_test.sh` kills 50).

#![cfg(unix)]

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use shaderbench::report::csv;
use shaderbench::results::Record;

/// What a busy machine finds implausible is no fault here.
const RUN: [&str; 6] = ["run", "transpose", "--size", "64x96", "--profile=quick", "--fail-on=wrong,failed"];

fn shaderbench(folder: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shaderbench"));
    command.args(RUN).args(more).current_dir(folder).env("NO_COLOR", "1");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// What a row is about.
fn case(record: &Record) -> [String; 4] {
    [record.name(), record.dtype_name().to_owned(), record.size(), record.params_text()]
}

/// The cases of a report, each of which stands there once.
fn cases(path: &Path) -> BTreeSet<[String; 4]> {
    let records = csv::open(path).unwrap_or_else(|error| panic!("unreadable: {}", error.chain())).records;
    let cases: BTreeSet<_> = records.iter().map(case).collect();
    assert_eq!(cases.len(), records.len(), "no case twice");
    cases
}

/// Runs to the end; gives what was said on stderr.
fn unbroken(folder: &Path, more: &[&str]) -> String {
    let output = shaderbench(folder, more).output().expect("starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    said
}

/// A number that nobody chose, below `end`.
fn random(end: u64) -> u64 {
    RandomState::new().hash_one(0) % end.max(1)
}

/// A run that is to be killed.
struct Victim {
    child: Child,
    has_opened: mpsc::Receiver<()>,
    /// How many rows it told of, when it is gone.
    rows: mpsc::Receiver<usize>,
}

impl Victim {
    fn start(folder: &Path, more: &[&str]) -> Self {
        let mut child = shaderbench(folder, more).spawn().expect("starts");
        let lines = BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok);
        let ((opened, has_opened), (told, rows)) = (mpsc::channel(), mpsc::channel());
        std::thread::spawn(move || {
            let mut count = 0;
            for line in lines {
                count += usize::from(line.starts_with("ceiling/") || line.starts_with("transpose/"));
                if line.starts_with("timing by") {
                    let _ = opened.send(());
                }
            }
            let _ = told.send(count);
        });
        Self { child, has_opened, rows }
    }

    /// Kills it, `after` it has opened its device; gives how many rows it said that it had.
    fn kill(mut self, after: Duration) -> usize {
        // A run that has nothing left to measure may be over.
        let _ = self.has_opened.recv();
        std::thread::sleep(after);
        self.child.kill().expect("killed");
        self.child.wait().expect("gone");
        self.rows.recv().expect("counted")
    }
}

#[test]
fn a_run_killed_at_any_moment_loses_one_row_at_most_and_is_completed() {
    let folder = tempfile::tempdir().expect("a folder");
    let has_device = Command::new(env!("CARGO_BIN_EXE_shaderbench")).arg("devices").output().expect("starts");
    if !String::from_utf8_lossy(&has_device.stdout).contains("[0] ") {
        eprintln!("SKIPPED: there is no device to run on");
        return;
    }
    let kills: usize = std::env::var("KILLS").ok().map_or(2, |kills| kills.parse().expect("KILLS is a number"));
    let first = Victim::start(folder.path(), &["--out", "whole.csv"]);
    first.has_opened.recv().expect("opens");
    let start = Instant::now();
    assert!(first.rows.recv().expect("counted") > 0);
    let length = start.elapsed();
    let whole = cases(&folder.path().join("whole.csv"));
    let (mut kept, mut lost, mut twice) = (Vec::new(), 0, 0);
    for number in 0..kills {
        let moment = || Duration::from_micros(random(length.as_micros() as u64));
        let name = format!("{number}.csv");
        let path = folder.path().join(&name);
        // A row is told of just before it is written.
        let (told, left) = (Victim::start(folder.path(), &["--out", &name]).kill(moment()), cases(&path));
        assert!(left.len() + 1 >= told, "{told} rows were measured, {} are left", left.len());
        lost += told.saturating_sub(left.len());
        if number % 2 == 1 {
            Victim::start(folder.path(), &["--resume", &name]).kill(moment());
            assert!(cases(&path).is_superset(&left), "what was kept stays");
            twice += 1;
        }
        kept.push(cases(&path).len());
        unbroken(folder.path(), &["--resume", &name]);
        assert_eq!(cases(&path), whole);
    }
    println!(
        "{kills} runs of {} rows killed by SIGKILL within the {:.1} s that they measure, {twice} of them again while resumed: \
         0 unreadable files, {lost} rows lost, at most one each; resumed from {kept:?} rows, all completed to the same {} rows",
        whole.len(),
        length.as_secs_f64(),
        whole.len()
    );
}

#[test]
fn an_interrupted_run_says_how_to_go_on_and_exits_with_130() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = shaderbench(folder.path(), &["--out", "r.csv"]).spawn().expect("starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok);
    if !lines.any(|line| line.starts_with("ceiling/")) {
        assert_eq!(child.wait().expect("ends").code(), Some(1), "it ends by itself only where nothing can run");
        eprintln!("SKIPPED: there is no device to run on");
        return;
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("sent").success());
    let said: Vec<String> = lines.collect();
    assert_eq!(child.wait().expect("ends").code(), Some(130), "{said:#?}");
    let last = said.last().expect("a sentence");
    assert!(last.ends_with("rows in r.csv: the same command with --resume r.csv measures the rest"), "{last}");
    let left = cases(&folder.path().join("r.csv"));
    assert!(!left.is_empty());
    let said = unbroken(folder.path(), &["--resume", "r.csv"]);
    assert!(said.contains(&format!("r.csv: keeping {} rows", left.len())), "{said}");
    assert!(cases(&folder.path().join("r.csv")).len() > left.len());
}
