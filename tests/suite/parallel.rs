//! `run --device all --parallel`: cards of one host in step. Two software devices are one driver under two names.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::command::{Folder, has_device, shaderbench_in_empty_folder};
use shaderbench::answers::outliers::in_step::text::{HostCard, host};
use shaderbench::answers::outliers::{Host, HostRules, Uneven};
use shaderbench::record::{Record, Status};
use shaderbench::report::{Medium, Terminal, reader};

const PROGRAM: &str = env!("CARGO_BIN_EXE_shaderbench");

/// The drivers that make two devices of a software one: its own file, and a copy. `None` if it is not installed.
fn two_drivers(folder: &Folder) -> Option<String> {
    let found = std::fs::read_dir("/usr/share/vulkan/icd.d").ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let own = found.into_iter().find(|path| path.to_string_lossy().contains("lvp_icd"));
    let Some(own) = own.filter(|_| has_device()) else {
        eprintln!("skipped: llvmpipe is not installed");
        return None;
    };
    let copy = folder.path("second_icd.json");
    std::fs::copy(&own, &copy).expect("copied");
    Some(format!("{}:{}", own.display(), copy.display()))
}

/// A run on two devices with small sizes.
fn command(folder: &Folder, drivers: &str, names: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .current_dir(folder.path(""))
        .env("VK_DRIVER_FILES", drivers)
        .env("NODEVICE_SELECT", "1")
        .args(["run", "--device", "all", "--parallel", "--backend", "vulkan", "--profile", "quick"])
        .args(["--size", "2^12", "--epochs", "3", "--seed", "7", "--out", "all.csv"])
        .args(names)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The processes that a run has started, once there are two.
fn children(run: &Child) -> Vec<String> {
    let start = Instant::now();
    loop {
        let listed = Command::new("pgrep").args(["-P", &run.id().to_string()]).output().expect("pgrep");
        let ids: Vec<String> = String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned).collect();
        if ids.len() == 2 || start.elapsed() > Duration::from_secs(20) {
            return ids;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(name: &str, id: &str) {
    assert!(Command::new("kill").args([name, id]).status().expect("kill").success());
}

/// Waits until a report has a row.
fn wait_for_rows(path: &Path) {
    let start = Instant::now();
    while std::fs::read_to_string(path).map_or(0, |text| text.lines().count()) < 2 {
        assert!(start.elapsed() < Duration::from_secs(60), "no row");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn two_devices_run_in_step_and_are_compared() {
    let folder = Folder::new();
    let Some(drivers) = two_drivers(&folder) else { return };
    let output = command(&folder, &drivers, &["stream/copy", "reduction/sequential"]).output().expect("runs");
    let (text, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // Two devices on one CPU may differ in any way, and so may their rows and ceilings.
    assert!(matches!(output.status.code(), Some(0 | 3 | 4)), "{log}");
    assert!(log.contains("2 cards at once, ") && log.contains("pass 3"), "{log}");
    assert!(text.contains("share of the mean of both cards") && text.contains("device 1: llvmpipe"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let all = folder.records("all.csv");
    let (first, second) = all.split_at(all.len() / 2);
    let names = |rows: &[Record]| rows.iter().map(|row| (row.name(), row.dtype)).collect::<Vec<_>>();
    assert_eq!(names(first), names(second), "the same cases in the same order");
    assert!(all.iter().all(|row| row.seed == Some(7) && !matches!(row.status, Status::Wrong | Status::Failed)));
    assert!(all.iter().all(|row| row.epochs_ns.len() == 3), "{all:#?}");
    for family in ["stream", "reduction"] {
        let alone: Vec<usize> = all
            .iter()
            .filter(|row| row.family == family && !row.alone_epochs_ns.is_empty())
            .map(|row| row.alone_epochs_ns.len())
            .collect();
        assert_eq!(alone, [3, 3], "one case of {family} on each card");
    }
    // The files of the cards are in that of all.
    assert!(!folder.path("all-device0.csv").exists());
}

#[cfg(unix)]
#[test]
fn a_card_whose_process_dies_goes_on_in_another_one_and_blocks_no_other() {
    let folder = Folder::new();
    let Some(drivers) = two_drivers(&folder) else { return };
    let run = command(&folder, &drivers, &["stream", "reduction/sequential"]).spawn().expect("starts");
    let ids = children(&run);
    wait_for_rows(&folder.path("all-device1.csv"));
    signal("-KILL", &ids[1]);
    let output = run.wait_with_output().expect("ends");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(log.contains("device 1: ") && log.contains("the process was killed (SIGKILL)"), "{log}");
    assert!(log.contains("whether the cards slow each other down cannot be told"), "{log}");
    let all = folder.records("all.csv");
    let (first, second) = all.split_at(all.len() / 2);
    let names = |rows: &[Record]| rows.iter().map(|row| (row.name(), row.dtype)).collect::<Vec<_>>();
    assert_eq!(names(first), names(second), "{log}");
    assert!(first.iter().all(|row| row.epochs_ns.len() == 3), "the other card is complete");
    let lost = second.iter().filter(|row| row.epochs_ns.len() < 3).count();
    assert!(lost <= 1 && matches!(output.status.code(), Some(0 | 3 | 4)), "{lost} {log}");
}

#[cfg(unix)]
#[test]
fn an_interruption_ends_all_cards_with_their_rows() {
    let folder = Folder::new();
    let Some(drivers) = two_drivers(&folder) else { return };
    let run = command(&folder, &drivers, &["stream", "reduction", "scan"]).spawn().expect("starts");
    wait_for_rows(&folder.path("all-device0.csv"));
    signal("-INT", &run.id().to_string());
    let output = run.wait_with_output().expect("ends");
    let log = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{log}");
    // None if the current case ends before the message, which has a tenth of a second.
    assert!(log.matches("interrupted: finishing the current case").count() <= 1, "{log}");
    let count = |name: &str| folder.records(name).len();
    assert!(count("all-device0.csv") > 0);
    assert_eq!(count("all.csv"), count("all-device0.csv") + count("all-device1.csv"));
    assert_eq!(log.matches("to measure the rest of device ").count(), 2, "{log}");
}

#[cfg(unix)]
#[test]
fn the_processes_of_the_cards_end_if_their_parent_is_killed() {
    let folder = Folder::new();
    let Some(drivers) = two_drivers(&folder) else { return };
    let mut run = command(&folder, &drivers, &["stream", "reduction", "scan"]).spawn().expect("starts");
    let ids = children(&run);
    wait_for_rows(&folder.path("all-device0.csv"));
    run.kill().expect("killed");
    run.wait().expect("ends");
    let start = Instant::now();
    let is_alive = |id: &String| Path::new("/proc").join(id).join("exe").read_link().is_ok();
    while ids.iter().any(is_alive) {
        assert!(start.elapsed() < Duration::from_secs(60), "{ids:?} still run");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(!folder.records("all-device0.csv").is_empty());
}

#[test]
fn what_cannot_run_on_all_cards_at_once_is_refused_in_one_sentence() {
    for (arguments, sentence) in [
        (&["run", "--parallel"][..], "--parallel runs all cards of the host at once: write --device all"),
        (&["run", "--parallel", "--device", "0"], "--parallel runs all cards of the host at once: write --device all"),
        (&["run", "stream", "--device", "all", "--parallel", "--soak", "10s"], "'--parallel' cannot be used with"),
        (&["run", "--device", "all", "--parallel", "--resume", "r.csv"], "'--parallel' cannot be used with"),
        (&["run", "--device", "all", "--parallel", "--json", "r.json"], "'--parallel' cannot be used with"),
        (&["run", "--device", "all", "--parallel", "--time", "60s"], "'--parallel' cannot be used with"),
    ] {
        let output = shaderbench_in_empty_folder(arguments).exits_with(2);
        assert!(output.stderr.contains(sentence), "{output}");
    }
    if has_device() {
        let folder = Folder::new();
        let output = folder.run(&["run", "--device", "all", "--parallel", "--size", "2^12", "stream/copy"]);
        // A machine with two cards runs.
        assert!(
            output.code != Some(2) || output.stderr.contains("is the only one, run without --parallel"),
            "{output}"
        );
    }
}

/// The rows of each card of a run in step, in the order of their cards.
fn recorded(name: &str) -> Vec<Vec<Record>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/two_cards").join(name);
    let mut cards: Vec<Vec<Record>> = Vec::new();
    for record in reader::open(&path).unwrap_or_else(|error| panic!("{}", error.chain())).records {
        match cards.iter_mut().find(|card| card[0].card == record.card) {
            Some(card) => card.push(record),
            None => cards.push(vec![record]),
        }
    }
    cards
}

/// Two H100, of which the second one also ran `stream/triad --soak` of another process in `burdened.csv.gz`.
#[test]
fn a_card_that_a_second_process_uses_is_slow_in_a_part_of_its_cases() {
    let rules = HostRules::default();
    let alike = Host::judge(&recorded("alike.csv.gz"), &rules);
    assert!(alike.slow.is_empty() && alike.uneven.is_empty() && alike.families.len() == 5, "{alike:?}");
    let cards = recorded("burdened.csv.gz");
    let burdened = Host::judge(&cards, &rules);
    let names: Vec<HostCard> = cards
        .iter()
        .enumerate()
        .map(|(number, rows)| HostCard { number, device: rows[0].device.clone(), card: rows[0].card.clone() })
        .collect();
    let plain = Medium::Terminal(Terminal { width: 80, has_color: false });
    println!("{}", host(&burdened, &names, &rules, plain));
    let found = |uneven: &Uneven| (uneven.card, burdened.families[uneven.family].family.as_str());
    assert_eq!(burdened.uneven.iter().map(found).collect::<Vec<_>>(), [(1, "ceiling"), (1, "reduction")]);
    assert!(burdened.slow.is_empty());
}
