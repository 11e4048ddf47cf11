//! Runs killed at random moments: the report stays readable, lacks at most one finished row, and `--resume` completes
//! it. `KILLS` sets the number of killed runs (`scripts/kill_test.sh`: 50).

#![cfg(unix)]

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::command::{Folder, Program, has_device, program};
use record::{Record, Status};

/// On a busy machine, rows may be implausible: no fault here.
const RUN: [&str; 6] = ["run", "transpose", "--size", "64x96", "--profile=quick", "--fail-on=wrong,failed"];

fn run(folder: &Folder, arguments: &[&str]) -> Program {
    folder.shaderbench(&RUN).args(arguments)
}

fn start(folder: &Folder, arguments: &[&str]) -> Child {
    let mut command = run(folder, arguments).into_command();
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("starts")
}

fn case(record: &Record) -> [String; 4] {
    [record.name(), record.dtype_name().to_owned(), record.size(), record.params_text()]
}

/// The cases of a report. Asserts that each has one row.
fn cases(folder: &Folder, report: &str) -> BTreeSet<[String; 4]> {
    let records = folder.records(report);
    let cases: BTreeSet<_> = records.iter().map(case).collect();
    assert_eq!(cases.len(), records.len(), "no case twice");
    cases
}

fn random(end: u64) -> u64 {
    RandomState::new().hash_one(0) % end.max(1)
}

struct RunningProcess {
    child: Child,
    has_opened: mpsc::Receiver<()>,
    /// The number of printed rows, sent when the run ends.
    rows: mpsc::Receiver<usize>,
}

impl RunningProcess {
    fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let mut child = start(folder, arguments);
        let lines = BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok);
        let ((opened, has_opened), (printed, rows)) = (mpsc::channel(), mpsc::channel());
        std::thread::spawn(move || {
            let mut count = 0;
            for line in lines {
                count += usize::from(line.starts_with("ceiling/") || line.starts_with("transpose/"));
                if line.starts_with("timing by") {
                    let _ = opened.send(());
                }
            }
            let _ = printed.send(count);
        });
        Self { child, has_opened, rows }
    }

    /// Kills the run this long after it opens its device. Returns the number of printed rows.
    fn kill(mut self, after: Duration) -> usize {
        // A run with nothing left to measure may have ended.
        let _ = self.has_opened.recv();
        std::thread::sleep(after);
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
        self.rows.recv().expect("counted")
    }
}

fn kills(usual: usize) -> usize {
    std::env::var("KILLS").ok().map_or(usual, |kills| kills.parse().expect("KILLS is a number"))
}

/// The cases of an undisturbed run, and how long it measures.
fn undisturbed(folder: &Folder) -> (BTreeSet<[String; 4]>, Duration) {
    let first = RunningProcess::start(folder, &["--out", "complete.csv"]);
    first.has_opened.recv().expect("opens");
    let start = Instant::now();
    assert!(first.rows.recv().expect("counted") > 0);
    let length = start.elapsed();
    (cases(folder, "complete.csv"), length)
}

#[test]
fn a_run_killed_at_any_moment_loses_one_row_at_most_and_is_completed() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let kills = kills(2);
    let (complete, length) = undisturbed(&folder);
    let (mut resumed_from, mut lost, mut killed_twice) = (Vec::new(), 0, 0);
    for number in 0..kills {
        let moment = || Duration::from_micros(random(length.as_micros() as u64));
        let report = format!("{number}.csv");
        let printed = RunningProcess::start(&folder, &["--out", &report]).kill(moment());
        let left = cases(&folder, &report);
        // A row is printed just before it is written.
        assert!(left.len() + 1 >= printed, "{printed} rows were measured, {} are left", left.len());
        lost += printed.saturating_sub(left.len());
        if number % 2 == 1 {
            RunningProcess::start(&folder, &["--resume", &report]).kill(moment());
            assert!(cases(&folder, &report).is_superset(&left), "earlier rows stay");
            killed_twice += 1;
        }
        resumed_from.push(cases(&folder, &report).len());
        run(&folder, &["--resume", &report]).run().succeeds();
        assert_eq!(cases(&folder, &report), complete);
    }
    println!(
        "{kills} runs of {} rows killed by SIGKILL within the {:.1} s that they measure, {killed_twice} of them again \
         while resumed: 0 unreadable files, {lost} rows lost, at most one each; resumed from {resumed_from:?} rows, \
         all completed to the same {} rows",
        complete.len(),
        length.as_secs_f64(),
        complete.len()
    );
}

/// The process id of a program's worker, if it has started.
fn worker(program: &Child) -> Option<String> {
    let listed = self::program("pgrep").args(&["-P", &program.id().to_string()]).run();
    listed.stdout.lines().next().map(str::to_owned)
}

#[test]
fn a_worker_that_dies_at_any_moment_costs_its_case_alone() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let kills = kills(3);
    let (complete, length) = undisturbed(&folder);
    let (mut failed, mut survived) = (0, 0);
    for number in 0..kills {
        let signal = ["-SEGV", "-KILL", "-STOP"][number % 3];
        let report = format!("{number}.csv");
        let mut command = run(&folder, &["--out", &report]).into_command();
        let command = command.env("SHADERBENCH_SILENCE", "10").stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("starts");
        let lines = BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok);
        let mut lines = lines.skip_while(|line| !line.starts_with("timing by"));
        let mut log: Vec<String> = lines.next().into_iter().collect();
        std::thread::sleep(Duration::from_micros(random(length.as_micros() as u64)));
        // A run with nothing left to measure may have ended.
        if let Some(id) = worker(&child) {
            self::program("kill").args(&[signal, &id]).run();
        }
        log.extend(lines);
        let code = child.wait().expect("ends").code();
        assert!(matches!(code, Some(0 | 3)), "{signal}: {code:?} {log:#?}");
        assert_eq!(cases(&folder, &report), complete, "{signal}: {log:#?}");
        let lost = folder.records(&report).iter().filter(|row| row.status == Status::Failed).count();
        assert!(lost <= 1, "{signal}: {lost} rows failed: {log:#?}");
        failed += lost;
        survived += usize::from(log.iter().any(|line| line.ends_with("continuing with a new worker")));
    }
    println!(
        "{kills} runs of {} rows whose worker got SIGSEGV, SIGKILL or SIGSTOP: {survived} workers died before they \
         were done, {failed} rows of cases in progress failed, none other was lost",
        complete.len()
    );
}

/// Starts `shaderbench` and interrupts it after the first row. Returns the later stderr lines; `None` without a device.
fn interrupted(folder: &Folder, arguments: &[&str]) -> Option<Vec<String>> {
    let mut command = folder.shaderbench(arguments).into_command();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok);
    if !lines.any(|line| line.starts_with("ceiling/")) {
        assert_eq!(child.wait().expect("ends").code(), Some(1), "without a device the run fails");
        eprintln!("SKIPPED: there is no device to run on");
        return None;
    }
    let pid = child.id().to_string();
    // Twice, as `timeout` does.
    program("kill").args(&["-INT", &pid, &pid]).run().succeeds();
    let lines: Vec<String> = lines.collect();
    assert_eq!(child.wait().expect("ends").code(), Some(130), "{lines:#?}");
    Some(lines)
}

#[test]
fn an_interrupted_run_exits_with_130_and_says_how_to_resume() {
    let own = [&RUN[..], &["--out", "my r.csv", "--force", "--json=r.json"]].concat();
    // Without the word `run`, and into the usual report.
    let usual = [&RUN[1..], &["--", "ceiling/launch"]].concat();
    for (arguments, report) in [(own, Some("my r.csv")), (usual, None)] {
        let folder = Folder::new();
        let Some(lines) = interrupted(&folder, &arguments) else { return };
        let sentence = lines.last().expect("a sentence");
        let (counted, rest) = sentence.split_once("; the same command with --resume ").expect("how to go on");
        let path = rest.strip_suffix(" measures the rest").expect("a report");
        assert!(report.is_none_or(|report| report == path), "{sentence}");
        let left = cases(&folder, path);
        assert!(!left.is_empty() && counted.starts_with(&format!("{} of ", left.len())), "{sentence}");
        let output = folder.run(&[&RUN[..], &["ceiling/launch", "--resume", path]].concat());
        assert!(output.stderr.contains(&format!("{path}: keeping {} row", left.len())), "{output}");
        assert!(cases(&folder, path).len() > left.len(), "{output}");
    }
}
