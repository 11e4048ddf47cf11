//! The coverage of the 95 % interval of one series' median: the share of synthetic series whose interval contains the
//! true median, sampled and summarized by the suite's own code: `cargo run --release --example coverage [SERIES
//! [SEED]]`. The default is 10,000 series of each kind. Exits with 1 if a kind without brackets misses 93 to 97 %.

mod synthetic;

use std::process::ExitCode;

use gpu::engine::measure::Rules;
use record::stats;
use synthetic::{Disturbance, Process, Random};

/// Launch times: many launches, or few, fit into the 0.1 s of a quick profile.
const SHORT_NS: (f64, f64) = (1e3, 5e6);
const LONG_NS: (f64, f64) = (2e7, 3e8);

const GOAL: std::ops::RangeInclusive<f64> = 0.93..=0.97;

struct Kind {
    name: &'static str,
    disturbance: Disturbance,
    launch_ns: (f64, f64),
    has_goal: bool,
}

/// Upper ends of the groups of series lengths.
const LENGTHS: [usize; 5] = [5, 10, 30, 100, 2000];

fn main() -> ExitCode {
    let number = |index: usize, default: u64| {
        std::env::args().nth(index).map_or(Ok(default), |text| text.parse().map_err(|_| text))
    };
    let (series, seed) = match (number(1, 10_000), number(2, 2026)) {
        (Ok(series), Ok(seed)) if series > 0 => (series, seed),
        (Err(text), _) | (_, Err(text)) => {
            eprintln!("error: '{text}' is no whole number: coverage [SERIES [SEED]]");
            return ExitCode::from(2);
        }
        _ => {
            eprintln!("error: at least one series is needed: coverage [SERIES [SEED]]");
            return ExitCode::from(2);
        }
    };
    println!("{series} series of each kind, seed {seed}: the share of 95 % intervals with the true median");
    print!("{:<34} {:>7} {:>8}", "", "all", "± of it");
    let mut first = 2;
    for last in LENGTHS {
        print!(" {:>9}", format!("{first}–{last}"));
        first = last + 1;
    }
    println!("  samples");
    let mut is_met = true;
    for kind in kinds() {
        let coverage = run(&kind, series, seed);
        is_met &= !kind.has_goal || GOAL.contains(&coverage);
    }
    let verdict = if is_met { "met" } else { "MISSED" };
    println!("Goal: 93 to 97 % of every kind that is not in brackets: {verdict}.");
    ExitCode::from(u8::from(!is_met))
}

fn kinds() -> Vec<Kind> {
    let noise = Disturbance::default();
    let (drift, outliers, modes) = (
        Disturbance { has_drift: true, ..noise },
        Disturbance { has_outliers: true, ..noise },
        Disturbance { has_two_modes: true, ..noise },
    );
    let all = Disturbance { has_drift: true, has_outliers: true, has_two_modes: true, ..noise };
    let with_goal = |name, disturbance| Kind { name, disturbance, launch_ns: SHORT_NS, has_goal: true };
    let without_goal = |name, memory, launch_ns| Kind {
        name,
        disturbance: Disturbance { memory, ..noise },
        launch_ns,
        has_goal: false,
    };
    vec![
        with_goal("noise alone", noise),
        with_goal("drift", drift),
        with_goal("outliers", outliers),
        with_goal("two modes", modes),
        with_goal("drift, outliers", Disturbance { has_outliers: true, ..drift }),
        with_goal("drift, two modes", Disturbance { has_two_modes: true, ..drift }),
        with_goal("outliers, two modes", Disturbance { has_two_modes: true, ..outliers }),
        with_goal("drift, outliers, two modes", all),
        without_goal("(noise alone, 20 to 300 ms)", 0.0, LONG_NS),
        Kind { name: "(all three, 20 to 300 ms)", disturbance: all, launch_ns: LONG_NS, has_goal: false },
        without_goal("(neighbours correlated by 0.3)", 0.3, SHORT_NS),
        without_goal("(neighbours correlated by 0.6)", 0.6, SHORT_NS),
    ]
}

/// Prints the line of a kind; returns the share of its intervals that contain the true median.
fn run(kind: &Kind, series: u64, seed: u64) -> f64 {
    let rules = Rules::with_budget(100e6);
    let mut random = Random(seed);
    let mut counts = [(0_u64, 0_u64); LENGTHS.len()];
    let mut reaches = Vec::new();
    for _ in 0..series {
        let process = Process::draw(&mut random, kind.disturbance, kind.launch_ns, &rules);
        let (samples, truth) = process.measure(&mut random, &rules);
        let Some((summary, (low, high))) = stats::summarize(&samples).and_then(|s| Some((s, s.interval?))) else {
            continue;
        };
        let group = LENGTHS.iter().position(|last| samples.len() <= *last).unwrap_or(LENGTHS.len() - 1);
        counts[group].0 += u64::from(low <= truth && truth <= high);
        counts[group].1 += 1;
        reaches.push((high - low) / 2.0 / summary.median);
    }
    let (covered, of) = counts.iter().fold((0, 0), |(covered, of), count| (covered + count.0, of + count.1));
    let share = |covered: u64, of: u64| covered as f64 / of as f64;
    let reach = stats::median(&reaches).unwrap_or(0.0);
    print!("{:<34} {:>6.1}% {:>7.2}%", kind.name, 100.0 * share(covered, of), 100.0 * reach);
    for (covered, of) in counts {
        let text = if of < 100 { "–".to_owned() } else { format!("{:.1}%", 100.0 * share(covered, of)) };
        print!(" {text:>9}");
    }
    println!();
    share(covered, of)
}
