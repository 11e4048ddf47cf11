//! The error rates of the verdicts of `shaderbench compare`, and the coverage of its intervals.
//!
//! - `cargo run --release --example noise -- same REPORT REPORT…`: compares every two runs of one build on one machine,
//!   and, of six runs or more, the first half with the second. At most 1 % of the rows may be `faster` or `slower`, and
//!   at most 15 % `unclear`.
//! - `… -- planted REPORT REPORT… [--slow 1.03]`: the same with one side slowed down. Of the rows timed by the device, at
//!   least 90 % must be `slower`.
//! - `… -- coverage REPORT REPORT…`: how often the interval of the ratio of every two runs contains 1, by time; goal: 93
//!   to 97 %.
//! - `… -- simulate [ROWS [SEED]]`: all of them on synthetic runs, which vary within an epoch, between epochs and between
//!   processes.
//!
//! A first argument `--processes-alike` leaves out what processes differ by besides their epochs, which widens the
//! intervals of `shaderbench compare`. Reports are the CSV or JSON files of `shaderbench run`.

mod synthetic;

use std::error::Error;
use std::path::Path;

use shaderbench::answers::compare::{Comparison, Pair, Report, Rules, Verdict, compare_by};
use shaderbench::engine::measure::Rules as Sampling;
use shaderbench::record::{Clock, Record, stats};
use shaderbench::report::reader;
use shaderbench::suite::{Api, Extent};
use synthetic::{Disturbance, Process, Random, Varies};

/// Upper ends of the groups of times, in nanoseconds.
const TIMES: [(&str, f64); 7] = [
    ("below 3 µs", 3e3),
    ("3 to 10 µs", 10e3),
    ("10 to 30 µs", 30e3),
    ("30 to 100 µs", 100e3),
    ("0.1 to 1 ms", 1e6),
    ("from 1 ms on", f64::INFINITY),
    ("all", f64::INFINITY),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let widens = words.first() != Some(&"--processes-alike");
    if !widens {
        words.remove(0);
    }
    let rules = Rules { widens, ..Rules::default() };
    match words[..] {
        ["same", ref files @ ..] if files.len() > 1 => same(&rules, &read_all(files)?),
        ["planted", ref files @ .., "--slow", factor] if files.len() > 1 => {
            planted(&rules, &read_all(files)?, factor.parse()?);
        }
        ["planted", ref files @ ..] if files.len() > 1 => planted(&rules, &read_all(files)?, 1.03),
        ["coverage", ref files @ ..] if files.len() > 1 => coverage(&rules, &read_all(files)?),
        ["simulate"] => simulate(&rules, 2000, 2026),
        ["simulate", rows] => simulate(&rules, rows.parse()?, 2026),
        ["simulate", rows, seed] => simulate(&rules, rows.parse()?, seed.parse()?),
        _ => {
            return Err("noise [--processes-alike] same|planted|coverage REPORT REPORT… [--slow FACTOR], or noise \
                        simulate [ROWS [SEED]]"
                .into());
        }
    }
    Ok(())
}

fn read_all(paths: &[&str]) -> shaderbench::error::Result<Vec<Report>> {
    let read = |path: &&str| Ok(Report { name: (*path).to_owned(), records: reader::open(Path::new(path))?.records });
    paths.iter().map(read).collect()
}

/// The pairs of sides: every two runs, and the halves of six runs or more.
fn pairs(reports: &[Report]) -> Vec<(&[Report], &[Report])> {
    let mut pairs: Vec<_> = each_two(reports).collect();
    if reports.len() >= 6 {
        pairs.push(reports.split_at(reports.len() / 2));
    }
    pairs
}

fn each_two(reports: &[Report]) -> impl Iterator<Item = (&[Report], &[Report])> {
    (0..reports.len()).flat_map(move |a| (a + 1..reports.len()).map(move |b| (&reports[a..=a], &reports[b..=b])))
}

fn name(side: &[Report]) -> String {
    side.iter().map(|report| report.name.as_str()).collect::<Vec<_>>().join(" + ")
}

fn percent(part: usize, whole: usize) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

/// The pairs of rows that differ in nothing but time, with the baseline's row.
fn unmarked<'c>(comparison: &'c Comparison<'c>) -> Vec<(&'c Record, &'c Pair<'c>)> {
    let of_case = comparison.cases.iter().flat_map(|case| case.pairs.values().map(|pair| (case.row, pair)));
    of_case.filter(|(_, pair)| pair.marks.is_empty()).collect()
}

fn holds_one(pair: &Pair) -> bool {
    pair.ratio.interval.is_some_and(|(low, high)| low <= 1.0 && 1.0 <= high)
}

fn is(verdict: Verdict) -> impl Fn(&(&Record, &Pair)) -> bool {
    move |(_, pair)| pair.verdict == verdict
}

fn same(rules: &Rules, reports: &[Report]) {
    for (a, b) in pairs(reports) {
        let comparison = compare_by(rules, a, b);
        let all = unmarked(&comparison);
        let count = |is_it: &dyn Fn(&(&Record, &Pair)) -> bool| all.iter().filter(|one| is_it(one)).count();
        let differs = |one: &(&Record, &Pair)| is(Verdict::Faster)(one) || is(Verdict::Slower)(one);
        println!("{} against {}: {} pairs of rows", name(b), name(a), all.len());
        let by_device = |one: &(&Record, &Pair)| one.1.is_device_timed;
        let timed = count(&by_device);
        println!(
            "  of {timed} rows timed by the device faster or slower: {} (goal: at most 1 %), unclear: {} (goal: at most \
             15 %), same: {}",
            percent(count(&|one| by_device(one) && differs(one)), timed),
            percent(count(&|one| by_device(one) && is(Verdict::Unclear)(one)), timed),
            percent(count(&|one| by_device(one) && is(Verdict::Same)(one)), timed)
        );
        println!(
            "  of all rows faster or slower: {}, unclear: {}",
            percent(count(&differs), all.len()),
            percent(count(&is(Verdict::Unclear)), all.len())
        );
        let distance = |one: &(&Record, &Pair)| one.1.ratio.value.ln().abs();
        let mut distances: Vec<f64> = all.iter().map(distance).collect();
        distances.sort_by(f64::total_cmp);
        let at = |share: f64| 100.0 * distances.get((distances.len() as f64 * share) as usize).unwrap_or(&0.0);
        println!(
            "  times differ by {:.2} % (half of them), {:.2} % (95 %), {:.2} % (99 %)",
            at(0.5),
            at(0.95),
            at(0.99)
        );
        let within = |limit: f64, is_it: &dyn Fn(&(&Record, &Pair)) -> bool| {
            let near = count(&|one| is_it(one) && distance(one) <= limit);
            format!("{} of {}", percent(near, count(is_it)), count(is_it))
        };
        println!(
            "  within 1 %: {}; by the device's clock {}, from 50 µs on {}; by the host's {}; within 5 %: {}",
            within(0.01, &|_| true),
            within(0.01, &by_device),
            within(0.01, &|one| by_device(one) && one.0.median_ns.is_some_and(|median| median >= 50e3)),
            within(0.01, &|one| !by_device(one)),
            within(0.05, &|_| true)
        );
        let apart = count(&|one| distance(one) > 0.01);
        let excused = count(&|one| distance(one) > 0.01 && holds_one(one.1));
        println!(
            "  of the {apart} rows further apart than 1 %, the interval excuses {excused}: {}",
            percent(excused, apart)
        );
        for (row, pair) in all.iter().filter(|one| differs(one)) {
            let case = [row.name(), row.dtype_name().to_owned(), row.size(), row.params_text()].join(" ");
            println!("  {case}: {:.3}×", pair.ratio.value);
        }
    }
}

fn planted(rules: &Rules, reports: &[Report], factor: f64) {
    for (a, b) in pairs(reports) {
        let slowed: Vec<_> = b.iter().map(|report| slowed(report, factor)).collect();
        let comparison = compare_by(rules, a, &slowed);
        let all: Vec<_> = unmarked(&comparison).into_iter().filter(|(_, pair)| pair.is_device_timed).collect();
        let share = |verdict: Verdict| percent(all.iter().filter(|one| is(verdict)(one)).count(), all.len());
        println!("{} slowed down by {:.1} % against {}: {} rows", name(b), 100.0 * (factor - 1.0), name(a), all.len());
        println!(
            "  slower: {} (goal: at least 90 %); faster: {}, same: {} (goal: none), unclear: {}",
            share(Verdict::Slower),
            share(Verdict::Faster),
            share(Verdict::Same),
            share(Verdict::Unclear)
        );
    }
}

fn slowed(report: &Report, factor: f64) -> Report {
    let slow = |record: &Record| {
        let mut record = record.clone();
        let times = [&mut record.median_ns, &mut record.ci_low_ns, &mut record.ci_high_ns, &mut record.stddev_ns];
        let series = [&mut record.epochs_ns, &mut record.all_samples_ns].into_iter().flatten();
        times.into_iter().flatten().chain(series).for_each(|ns| *ns *= factor);
        record
    };
    Report { name: report.name.clone(), records: report.records.iter().map(slow).collect() }
}

/// One table over every two runs: coverage, and what rows vary by.
fn coverage(rules: &Rules, reports: &[Report]) {
    let clocks = [("device", Clock::Timestamp), ("host", Clock::Wall)];
    let mut counts = vec![[0_usize; 2]; clocks.len() * TIMES.len()];
    let mut apart: Vec<Vec<f64>> = vec![Vec::new(); counts.len()];
    let groups = |row: &Record| {
        let clock = clocks.iter().position(|(_, clock)| row.timer == Some(*clock)).unwrap_or(0);
        let time = TIMES.iter().position(|(_, end)| row.median_ns.unwrap_or(0.0) < *end).unwrap_or(0);
        [time, TIMES.len() - 1].map(|time| clock * TIMES.len() + time)
    };
    for (a, b) in each_two(reports) {
        for (row, pair) in unmarked(&compare_by(rules, a, b)) {
            for group in groups(row).into_iter().filter(|_| pair.ratio.interval.is_some()) {
                counts[group][0] += usize::from(holds_one(pair));
                counts[group][1] += 1;
                apart[group].push(pair.ratio.value.ln().abs());
            }
        }
    }
    let mut noises = vec![[Vec::new(), Vec::new()]; counts.len()];
    for row in reports.iter().flat_map(|report| &report.records) {
        for group in groups(row) {
            noises[group][0].extend(row.noise_within);
            noises[group][1].extend(row.noise_between);
        }
    }
    println!("{} runs, every two of them; the middle row's noise and distance:", reports.len());
    println!(
        "{:<22} {:>8} {:>10} {:>16} {:>16} {:>12}",
        "clock, time", "pairs", "covered", "within epochs", "between epochs", "runs apart"
    );
    let middle =
        |values: &[f64]| stats::median(values).map_or("–".to_owned(), |value| format!("{:.2} %", 100.0 * value));
    for (group, [covered, all]) in counts.into_iter().enumerate().filter(|(_, [_, all])| *all > 0) {
        println!(
            "{:<22} {all:>8} {:>10} {:>16} {:>16} {:>12}",
            format!("{}, {}", clocks[group / TIMES.len()].0, TIMES[group % TIMES.len()].0),
            percent(covered, all),
            middle(&noises[group][0]),
            middle(&noises[group][1]),
            middle(&apart[group])
        );
    }
}

/// Epochs of a synthetic run.
const EPOCHS: usize = 5;

fn simulate(rules: &Rules, rows: usize, seed: u64) {
    const VARIES: [(f64, f64); 6] =
        [(0.0, 0.0), (0.001, 0.0), (0.003, 0.0), (0.006, 0.0), (0.003, 0.003), (0.003, 0.01)];
    println!("{rows} rows a comparison, {EPOCHS} epochs a run, series with outliers and two modes, seed {seed}.");
    println!("Unchanged rows: faster or slower, unclear, covered; then a slow-down of 3 % and of 2 %: found");
    println!("{:<34} {:>44} {:>44}", "between epochs, between processes", "1 run against 1", "3 runs against 3");
    for (epochs, processes) in VARIES {
        print!("{:<34}", format!("{:.2} %, {:.2} %", 100.0 * epochs, 100.0 * processes));
        for runs in [1, 3] {
            print!(" {:>44}", simulated(rules, rows, seed, Varies { epochs, processes }, runs));
        }
        println!();
    }
}

fn simulated(rules: &Rules, rows: usize, seed: u64, varies: Varies, runs: usize) -> String {
    let sampling = Sampling::with_budget(100e6 / EPOCHS as f64);
    let disturbance = Disturbance { has_drift: false, has_outliers: true, has_two_modes: true, memory: 0.0 };
    let mut random = Random(seed);
    let processes: Vec<Process> =
        (0..rows).map(|_| Process::draw(&mut random, disturbance, (2e3, 2e6), &sampling)).collect();
    let mut side = |first: usize| -> Vec<Report> {
        let run = |date: usize| {
            let row = |(index, process): (usize, &Process)| Record {
                device: "synthetic".to_owned(),
                date: date.to_string(),
                backend: Some(Api::Vulkan),
                timer: Some(Clock::Timestamp),
                n: Some(Extent::Linear(index as u64)),
                median_ns: Some(process.base_ns),
                epochs_ns: process.run(&mut random, &sampling, EPOCHS, varies),
                ..Record::default()
            };
            Report { name: date.to_string(), records: processes.iter().enumerate().map(row).collect() }
        };
        (first..first + runs).map(run).collect()
    };
    let (old, new) = (side(0), side(runs));
    let count = |factor: f64, is_it: &dyn Fn(&(&Record, &Pair)) -> bool| {
        let slowed: Vec<_> = new.iter().map(|report| slowed(report, factor)).collect();
        let comparison = compare_by(rules, &old, &slowed);
        let all = unmarked(&comparison);
        percent(all.iter().filter(|one| is_it(one)).count(), all.len())
    };
    [
        count(1.0, &|one| is(Verdict::Faster)(one) || is(Verdict::Slower)(one)),
        count(1.0, &is(Verdict::Unclear)),
        count(1.0, &|one| holds_one(one.1)),
        count(1.03, &is(Verdict::Slower)),
        count(1.02, &is(Verdict::Slower)),
    ]
    .join(", ")
}
