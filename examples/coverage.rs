//! How often the 95 % interval of a median holds the truth, over synthetic series that the harness's own sampling and statistics measure:
//! `cargo run --release --example coverage [SERIES [SEED]]`, 10,000 series of each kind by default. Exit code 1 where a kind that the
//! tool answers for misses 93 to 97 %.

mod synthetic;

use std::process::ExitCode;

use shaderbench::engine::measure::Rules;
use shaderbench::results::stats;
use synthetic::{Disturbance, Process, Random};

/// Launch times: what a quick profile's tenth of a second holds many of, and what it holds few of.
const SHORT_NS: (f64, f64) = (1e3, 5e6);
const LONG_NS: (f64, f64) = (2e7, 3e8);

const GOAL: std::ops::RangeInclusive<f64> = 0.93..=0.97;

struct Kind {
    name: &'static str,
    disturbance: Disturbance,
    launch_ns: (f64, f64),
    /// Whether the tool answers for it.
    is_promised: bool,
}

/// Lengths of series that are told apart: up to each of these.
const LENGTHS: [usize; 5] = [5, 10, 30, 100, 2000];

fn main() -> ExitCode {
    let number = |place: usize, default: u64| {
        std::env::args().nth(place).map_or(Ok(default), |text| text.parse().map_err(|_| text))
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
    println!("{series} series of each kind, seed {seed}: how many 95 % intervals hold the true median");
    print!("{:<34} {:>7} {:>8}", "", "all", "± of it");
    let mut from = 2;
    for upto in LENGTHS {
        print!(" {:>9}", format!("{from}–{upto}"));
        from = upto + 1;
    }
    println!("  samples");
    let mut is_met = true;
    for kind in kinds() {
        let coverage = run(&kind, series, seed);
        is_met &= !kind.is_promised || GOAL.contains(&coverage);
    }
    let verdict = if is_met { "met" } else { "MISSED" };
    println!("Goal: 93 to 97 % of every kind that is not in brackets: {verdict}.");
    ExitCode::from(u8::from(!is_met))
}

fn kinds() -> Vec<Kind> {
    let calm = Disturbance::default();
    let (drift, outliers, modes) = (
        Disturbance { has_drift: true, ..calm },
        Disturbance { has_outliers: true, ..calm },
        Disturbance { has_two_modes: true, ..calm },
    );
    let all = Disturbance { has_drift: true, has_outliers: true, has_two_modes: true, ..calm };
    let promised = |name, disturbance| Kind { name, disturbance, launch_ns: SHORT_NS, is_promised: true };
    let shown = |name, memory, launch_ns| Kind {
        name,
        disturbance: Disturbance { memory, ..calm },
        launch_ns,
        is_promised: false,
    };
    vec![
        promised("noise alone", calm),
        promised("drift", drift),
        promised("outliers", outliers),
        promised("two modes", modes),
        promised("drift, outliers", Disturbance { has_outliers: true, ..drift }),
        promised("drift, two modes", Disturbance { has_two_modes: true, ..drift }),
        promised("outliers, two modes", Disturbance { has_two_modes: true, ..outliers }),
        promised("drift, outliers, two modes", all),
        shown("(noise alone, 20 to 300 ms)", 0.0, LONG_NS),
        Kind { name: "(all three, 20 to 300 ms)", disturbance: all, launch_ns: LONG_NS, is_promised: false },
        shown("(neighbours correlated by 0.3)", 0.3, SHORT_NS),
        shown("(neighbours correlated by 0.6)", 0.6, SHORT_NS),
    ]
}

/// Prints the kind's line; gives the share of its intervals that hold the truth.
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
        let group = LENGTHS.iter().position(|upto| samples.len() <= *upto).unwrap_or(LENGTHS.len() - 1);
        counts[group].0 += u64::from(low <= truth && truth <= high);
        counts[group].1 += 1;
        reaches.push((high - low) / 2.0 / summary.median);
    }
    let (held, of) = counts.iter().fold((0, 0), |(held, of), count| (held + count.0, of + count.1));
    let share = |held: u64, of: u64| held as f64 / of as f64;
    let reach = stats::median(&reaches).unwrap_or(0.0);
    print!("{:<34} {:>6.1}% {:>7.2}%", kind.name, 100.0 * share(held, of), 100.0 * reach);
    for (held, of) in counts {
        let text = if of < 100 { "–".to_owned() } else { format!("{:.1}%", 100.0 * share(held, of)) };
        print!(" {text:>9}");
    }
    println!();
    share(held, of)
}
