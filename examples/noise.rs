//! The error rates of the verdicts of `shaderbench compare`.
//!
//! - `cargo run --release --example noise -- same REPORT REPORT…`: compares every two runs of one build on one machine,
//!   and, of six runs or more, the first half with the second. At most 1 % of the rows may be `faster` or `slower`.
//! - `… -- planted REPORT REPORT… [--slow 1.03]`: the same with one side slowed down. At least 95 % of the rows whose
//!   noise is below 0.5 % on both sides should be `slower`.
//! - `… -- simulate [SERIES [SEED]]`: both on synthetic series, with more variation between runs than within them.
//!
//! Reports are the CSV or JSON files of `shaderbench run`.

mod synthetic;

use std::error::Error;
use std::path::Path;

use shaderbench::engine::measure::Rules;
use shaderbench::report::reader;
use shaderbench::results::compare::{Ratio, Report, Timing, Verdict, compare};
use shaderbench::results::{Clock, Record};
use synthetic::{Disturbance, Process, Random};

/// The noise below which a small change must be found.
const LOW_NOISE: f64 = 0.005;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["same", ref files @ ..] if files.len() > 1 => same(&read_all(files)?),
        ["planted", ref files @ .., "--slow", factor] if files.len() > 1 => planted(&read_all(files)?, factor.parse()?),
        ["planted", ref files @ ..] if files.len() > 1 => planted(&read_all(files)?, 1.03),
        ["simulate"] => simulate(10_000, 2026),
        ["simulate", series] => simulate(series.parse()?, 2026),
        ["simulate", series, seed] => simulate(series.parse()?, seed.parse()?),
        _ => return Err("noise same|planted REPORT REPORT… [--slow FACTOR], or noise simulate [SERIES [SEED]]".into()),
    }
    Ok(())
}

fn read_all(paths: &[&str]) -> shaderbench::error::Result<Vec<Report>> {
    let read = |path: &&str| Ok(Report { name: (*path).to_owned(), records: reader::open(Path::new(path))?.records });
    paths.iter().map(read).collect()
}

/// The pairs of sides: every two runs, and the halves of six runs or more.
fn pairs(reports: &[Report]) -> Vec<(&[Report], &[Report])> {
    let each_two = (0..reports.len()).flat_map(|a| (a + 1..reports.len()).map(move |b| (a, b)));
    let mut pairs: Vec<_> = each_two.map(|(a, b)| (&reports[a..=a], &reports[b..=b])).collect();
    if reports.len() >= 6 {
        pairs.push(reports.split_at(reports.len() / 2));
    }
    pairs
}

fn name(side: &[Report]) -> String {
    side.iter().map(|report| report.name.as_str()).collect::<Vec<_>>().join(" + ")
}

fn percent(part: usize, whole: usize) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

fn same(reports: &[Report]) {
    for (a, b) in pairs(reports) {
        let comparison = compare(a, b);
        let mut counts = [0; Verdict::ALL.len()];
        let (mut different, mut distances) = (Vec::new(), Vec::new());
        for case in &comparison.cases {
            for pair in case.pairs.iter().flatten().filter(|pair| pair.marks.is_empty()) {
                counts[Verdict::ALL.iter().position(|verdict| *verdict == pair.verdict).unwrap_or(0)] += 1;
                distances.push((pair.ratio.value.ln().abs(), case.row));
                if matches!(pair.verdict, Verdict::Faster | Verdict::Slower) {
                    different.push(format!(
                        "  {} {} {} {}: {:.3}×",
                        case.row.name(),
                        case.row.dtype_name(),
                        case.row.size(),
                        case.row.params_text(),
                        pair.ratio.value
                    ));
                }
            }
        }
        let (all, unsure) = (counts.iter().sum(), counts[Verdict::ALL.len() - 1]);
        println!("{} against {}: {all} pairs of rows", name(b), name(a));
        println!(
            "  faster or slower: {} (goal: at most 1 %), unclear: {}",
            percent(different.len(), all),
            percent(unsure, all)
        );
        distances.sort_by(|a, b| a.0.total_cmp(&b.0));
        let at = |share: f64| {
            100.0 * distances.get((distances.len() as f64 * share) as usize).map_or(0.0, |(distance, _)| *distance)
        };
        println!(
            "  medians differ by {:.2} % (half of them), {:.2} % (95 %), {:.2} % (99 %)",
            at(0.5),
            at(0.95),
            at(0.99)
        );
        let within = |limit: f64, counts: &dyn Fn(&Record) -> bool| {
            let counted: Vec<f64> =
                distances.iter().filter(|(_, row)| counts(row)).map(|(distance, _)| *distance).collect();
            let near = counted.iter().filter(|distance| **distance <= limit).count();
            format!("{} of {}", percent(near, counted.len()), counted.len())
        };
        let by_device = |row: &Record| row.timer == Some(Clock::Timestamp);
        println!(
            "  within 1 %: {}; by the device's clock {}, from 50 µs on {}; by the host's {}; within 5 %: {}",
            within(0.01, &|_| true),
            within(0.01, &by_device),
            within(0.01, &|row| by_device(row) && row.median_ns.is_some_and(|median| median >= 50e3)),
            within(0.01, &|row| !by_device(row)),
            within(0.05, &|_| true)
        );
        different.iter().for_each(|line| println!("{line}"));
    }
}

fn planted(reports: &[Report], factor: f64) {
    for (a, b) in pairs(reports) {
        let slowed: Vec<_> = b.iter().map(|report| slowed(report, factor)).collect();
        let comparison = compare(a, &slowed);
        let (mut found, mut counted) = (0, 0);
        for case in &comparison.cases {
            let is_low_noise = |side: usize| {
                case.timing(side).and_then(|timing| timing.noise()).is_some_and(|noise| noise < LOW_NOISE)
            };
            for (of, pair) in comparison.matches.iter().zip(&case.pairs) {
                let Some(pair) = pair.as_ref().filter(|pair| pair.marks.is_empty()) else { continue };
                if is_low_noise(of.baseline) && is_low_noise(of.side) {
                    counted += 1;
                    found += usize::from(pair.verdict == Verdict::Slower);
                }
            }
        }
        println!("{} slowed down by {:.1} % against {}:", name(b), 100.0 * (factor - 1.0), name(a));
        println!(
            "  found in {found} of {counted} pairs of rows with noise below 0.5 %: {} (goal: at least 95 %)",
            percent(found, counted)
        );
    }
}

fn slowed(report: &Report, factor: f64) -> Report {
    let slow = |record: &Record| {
        let mut record = record.clone();
        let times = [&mut record.median_ns, &mut record.ci_low_ns, &mut record.ci_high_ns, &mut record.stddev_ns];
        times.into_iter().flatten().chain(&mut record.all_samples_ns).for_each(|ns| *ns *= factor);
        record
    };
    Report { name: report.name.clone(), records: report.records.iter().map(slow).collect() }
}

/// Both experiments on synthetic sides of several runs each. The level of each run has a factor e^N(0, s), which no
/// interval of that run contains.
fn simulate(series: usize, seed: u64) {
    const OFFSETS: [f64; 6] = [0.0, 0.001, 0.002, 0.004, 0.006, 0.0085];
    const RUNS: [usize; 3] = [1, 3, 5];
    println!(
        "{series} pairs of sides for each figure; series with drift, outliers and two modes together, seed {seed}."
    );
    println!(
        "faster or slower though nothing changed (of all pairs) / a slow-down of 3 % found (of pairs with noise below \
         0.5 %):"
    );
    print!("{:<28}", "runs differ by (std. dev.)");
    RUNS.iter().for_each(|runs| print!(" {:>22}", format!("{runs} against {runs}")));
    println!();
    for offset in OFFSETS {
        print!("{:<28}", format!("{:.2} %", 100.0 * offset));
        for runs in RUNS {
            let [different, of, found, counted] = simulated(series, seed, offset, runs);
            print!(
                " {:>22}",
                format!("{} / {} of {counted}", percent(different, of), percent(found, counted)).replace(" %", "%")
            );
        }
        println!();
    }
}

/// Pairs that seem to differ and do not, of all; pairs whose slow-down of 3 % is found, of those with low noise.
fn simulated(series: usize, seed: u64, offset: f64, runs: usize) -> [usize; 4] {
    let rules = Rules::with_budget(100e6);
    let disturbance = Disturbance { has_drift: true, has_outliers: true, has_two_modes: true, memory: 0.0 };
    let mut random = Random(seed);
    let mut counts = [0; 4];
    for _ in 0..series {
        // Launches much longer than their start.
        let process = Process::draw(&mut random, disturbance, (1e5, 5e7), &rules);
        let mut side = |slow: f64| {
            let mut run = || {
                let mut process = process;
                process.base_ns *= (offset * random.normal()).exp();
                let samples = process.measure(&mut random, &rules).0;
                let all_samples_ns = samples.iter().map(|ns| ns * slow).collect();
                Timing::of_run(&Record { all_samples_ns, ..Record::default() })
            };
            Timing::pooled(&(0..runs).filter_map(|_| run()).collect::<Vec<_>>())
        };
        let (Some(old), Some(new), Some(slowed)) = (side(1.0), side(1.0), side(1.03)) else { continue };
        counts[0] += usize::from(matches!(Ratio::of(&old, &new).verdict(), Verdict::Faster | Verdict::Slower));
        counts[1] += 1;
        if [old, slowed].iter().all(|side| side.noise().is_some_and(|noise| noise < LOW_NOISE)) {
            counts[2] += usize::from(Ratio::of(&old, &slowed).verdict() == Verdict::Slower);
            counts[3] += 1;
        }
    }
    counts
}
