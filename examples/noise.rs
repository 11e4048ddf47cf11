//! Whether verdicts on two runs can be trusted.
//!
//! - `cargo run --release --example noise -- same REPORT REPORT…`: runs of one build on one machine, against each other. No row should be
//!   `faster` or `slower`: at most 1 % may.
//! - `… -- planted REPORT REPORT… [--slow 1.03]`: the same runs with one of each two slowed down. Of the rows whose noise is below 0.5 % in
//!   both, at least 95 % should be `slower`.
//! - `… -- simulate [SERIES [SEED]]`: both on synthetic series, with runs that differ by more than the noise within them.
//!
//! Reports are the JSON files of `shaderbench run --json`, whose samples are summarised anew, or its CSV files.

mod synthetic;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use shaderbench::measure::Rules;
use shaderbench::report::csv;
use shaderbench::stats::{self, Estimate, ratio};
use synthetic::{Disturbance, Process, Random};

/// Rows as calm as this are those on which a small change must be found.
const CALM: f64 = 0.005;

/// Differences that nobody acts on.
const LEAST_EFFECT: f64 = 0.01;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Faster,
    Same,
    Slower,
    Unclear,
}

// replaced by shaderbench::compare
/// What an interval of new ÷ old says, where differences below `least` do not count: `slower` or `faster` where even its near end lies
/// beyond, `same` where all of it lies within.
fn verdict(ratio: Estimate, least: f64) -> Verdict {
    let (low, high) = ((1.0 + least).recip(), 1.0 + least);
    if ratio.low > high {
        Verdict::Slower
    } else if ratio.high < low {
        Verdict::Faster
    } else if ratio.low >= low && ratio.high <= high {
        Verdict::Same
    } else {
        Verdict::Unclear
    }
}

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

/// A report: its rows that have a right and plausible time with an interval, by what is measured.
struct Report {
    path: String,
    rows: BTreeMap<String, Estimate>,
}

fn read_all(paths: &[&str]) -> Result<Vec<Report>, Box<dyn Error>> {
    paths.iter().map(|path| read(path).map_err(|error| format!("{path}: {error}").into())).collect()
}

fn read(path: &str) -> Result<Report, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let is_json = Path::new(path).extension().is_some_and(|extension| extension == "json");
    let rows = if is_json { json_rows(&bytes)? } else { csv_rows(path, &bytes)? };
    if rows.is_empty() {
        return Err("no row has a time: is it a report of shaderbench?".into());
    }
    Ok(Report { path: path.to_owned(), rows })
}

fn json_rows(bytes: &[u8]) -> Result<BTreeMap<String, Estimate>, Box<dyn Error>> {
    let report: serde_json::Value = serde_json::from_slice(bytes)?;
    let mut rows = BTreeMap::new();
    for row in report.as_array().into_iter().flatten().filter(|row| row["status"] == "ok") {
        let key =
            ["backend", "family", "benchmark", "dtype", "n", "params"].map(|name| row[name].as_str().unwrap_or(""));
        let samples: Vec<f64> =
            row["samples_ns"].as_array().into_iter().flatten().filter_map(|ns| ns.as_f64()).collect();
        rows.extend(estimate(&samples).map(|estimate| (key.join(" "), estimate)));
    }
    Ok(rows)
}

fn csv_rows(path: &str, bytes: &[u8]) -> Result<BTreeMap<String, Estimate>, Box<dyn Error>> {
    let mut rows = BTreeMap::new();
    for row in csv::read(Path::new(path), bytes)?.iter().filter(|row| row.status == Default::default()) {
        let key = [&row.backend, &row.family, &row.benchmark, &row.dtype, &row.n, &row.params].map(String::as_str);
        let figures = (row.median_ns, row.ci_low_ns, row.ci_high_ns);
        if let (Some(value), Some(low), Some(high)) = figures {
            rows.insert(key.join(" "), Estimate { value, low, high });
        }
    }
    Ok(rows)
}

fn estimate(samples: &[f64]) -> Option<Estimate> {
    let summary = stats::summarize(samples)?;
    let (low, high) = summary.interval?;
    Some(Estimate { value: summary.median, low, high })
}

/// Half the interval's width, relative to the median.
fn noise(of: Estimate) -> f64 {
    (of.high - of.low) / 2.0 / of.value
}

/// The rows that two reports share.
fn pairs<'a>(a: &'a Report, b: &'a Report) -> impl Iterator<Item = (&'a str, Estimate, Estimate)> {
    a.rows.iter().filter_map(|(key, of_a)| Some((key.as_str(), *of_a, *b.rows.get(key)?)))
}

fn each_two(reports: &[Report]) -> impl Iterator<Item = (&Report, &Report)> {
    reports.iter().enumerate().flat_map(move |(place, a)| reports[place + 1..].iter().map(move |b| (a, b)))
}

fn percent(part: usize, whole: usize) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / whole as f64) }
}

fn same(reports: &[Report]) {
    let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
    let (mut drawn, mut apart, mut in_doubt) = (Vec::new(), Vec::new(), Vec::new());
    for (a, b) in each_two(reports) {
        let mut of_pair: BTreeMap<Verdict, usize> = BTreeMap::new();
        for (key, of_a, of_b) in pairs(a, b) {
            let Some(ratio) = ratio(of_b, of_a) else { continue };
            let verdict = verdict(ratio, LEAST_EFFECT);
            *of_pair.entry(verdict).or_default() += 1;
            *counts.entry(verdict).or_default() += 1;
            if matches!(verdict, Verdict::Faster | Verdict::Slower) {
                drawn.push(format!("{key}: {:.3} [{:.3}, {:.3}]", ratio.value, ratio.low, ratio.high));
            }
            let reach = (ratio.high / ratio.low).ln() / 2.0;
            if noise(of_a).max(noise(of_b)) < CALM {
                apart.push(ratio.value.ln().abs());
            }
            in_doubt.push(reach);
        }
        println!("{} against {}: {of_pair:?}", b.path, a.path);
    }
    let all: usize = counts.values().sum();
    let false_ones = [Verdict::Faster, Verdict::Slower].iter().filter_map(|verdict| counts.get(verdict)).sum();
    println!(
        "{false_ones} of {all} pairs of rows are faster or slower: {} (goal: at most 1 %)",
        percent(false_ones, all)
    );
    println!("unclear: {}", percent(counts.get(&Verdict::Unclear).copied().unwrap_or(0), all));
    for line in &drawn {
        println!("  {line}");
    }
    apart.sort_by(f64::total_cmp);
    let at = |share: f64| apart.get(((apart.len() as f64 * share) as usize).min(apart.len().saturating_sub(1)));
    if let (Some(half), Some(most), Some(last)) = (at(0.5), at(0.95), at(1.0)) {
        let [half, most, last] = [half, most, last].map(|log| 100.0 * log);
        println!(
            "medians of the {} pairs with noise below 0.5 % differ by {half:.2} % (half of them), {most:.2} % (95 %), {last:.2} % (all)",
            apart.len()
        );
    }
    if let Some(reach) = stats::median(&in_doubt) {
        println!("half of the ratios are known to ± {:.2} % or better", 100.0 * reach);
    }
}

fn planted(reports: &[Report], factor: f64) {
    let (mut found, mut calm, mut missed) = (0, 0, Vec::new());
    for (a, b) in each_two(reports) {
        for (old, new) in [(a, b), (b, a)] {
            for (key, of_old, of_new) in pairs(old, new) {
                if noise(of_old).max(noise(of_new)) >= CALM {
                    continue;
                }
                let slowed =
                    Estimate { value: of_new.value * factor, low: of_new.low * factor, high: of_new.high * factor };
                let Some(ratio) = ratio(slowed, of_old) else { continue };
                calm += 1;
                if verdict(ratio, LEAST_EFFECT) == Verdict::Slower {
                    found += 1;
                } else {
                    missed.push(format!("{key}: {:.3} [{:.3}, {:.3}]", ratio.value, ratio.low, ratio.high));
                }
            }
        }
    }
    println!(
        "a slow-down of {:.1} % is found in {found} of {calm} pairs of rows with noise below 0.5 %: {} (goal: at least 95 %)",
        100.0 * (factor - 1.0),
        percent(found, calm)
    );
    for line in missed {
        println!("  {line}");
    }
}

/// Both experiments on synthetic pairs of runs: each run's level is off by e^N(0, s), which no interval from within it can know.
fn simulate(series: usize, seed: u64) {
    const OFFSETS: [f64; 6] = [0.0, 0.001, 0.002, 0.003, 0.004, 0.005];
    const LEAST: [f64; 5] = [0.0, 0.005, 0.01, 0.015, 0.02];
    println!("{series} pairs of series for each line, drift, outliers and two modes together, seed {seed}.");
    println!("faster or slower though nothing changed (of all pairs) / 3 % found (of pairs with noise below 0.5 %),");
    println!("where differences below this do not count:");
    print!("{:<26}", "runs differ by (std. dev.)");
    for least in LEAST {
        print!(" {:>15}", format!("{:.1} %", 100.0 * least));
    }
    println!();
    for offset in OFFSETS {
        let counts = LEAST.map(|least| simulated(series, seed, offset, least));
        print!("{:<26}", format!("{:.1} %", 100.0 * offset));
        for [drawn, of, found, calm] in counts {
            print!(" {:>15}", format!("{} / {}", percent(drawn, of), percent(found, calm)).replace(" %", "%"));
        }
        println!();
    }
}

/// Pairs that seem to differ and do not, of how many; pairs whose slow-down of 3 % is found, of how many calm ones.
fn simulated(series: usize, seed: u64, offset: f64, least: f64) -> [usize; 4] {
    let rules = Rules::with_budget(100e6);
    let disturbance = Disturbance { has_drift: true, has_outliers: true, has_two_modes: true, memory: 0.0 };
    let mut random = Random(seed);
    let mut counts = [0; 4];
    for _ in 0..series {
        let process = Process::draw(&mut random, disturbance, (1e3, 5e7), &rules);
        let mut run = || {
            let off = (offset * random.normal()).exp();
            let mut process = process;
            process.base_ns *= off;
            estimate(&process.measure(&mut random, &rules).0)
        };
        let (Some(old), Some(new)) = (run(), run()) else { continue };
        let slowed = Estimate { value: new.value * 1.03, low: new.low * 1.03, high: new.high * 1.03 };
        let (Some(alike), Some(slower)) = (ratio(new, old), ratio(slowed, old)) else { continue };
        counts[0] += usize::from(matches!(verdict(alike, least), Verdict::Faster | Verdict::Slower));
        counts[1] += 1;
        if noise(old).max(noise(new)) < CALM {
            counts[2] += usize::from(verdict(slower, least) == Verdict::Slower);
            counts[3] += 1;
        }
    }
    counts
}
