//! A simulated fleet of cards of one model, one of which is slow.
//!
//! `fleet reports DIR [CARDS [ROWS]]` writes a report for each card (1000 of 1000 rows), to measure `merge` and `outliers`.
//! `fleet simulate [TRIALS [CARDS [PERCENT]]]` counts how often `outliers` finds the slow card (100 trials with 1000 cards,
//! one of them 5 % slow), and how many others it names.
//!
//! The rows are those of a committed report. Cards differ by 0.5 % in all families alike and by 0.3 % in each family; runs
//! of a case differ by 0.3 to 3 %, its epochs by a third of that; and one row in a hundred is up to 30 % slow by chance, as
//! rows are that a host disturbs.

#[path = "synthetic/random.rs"]
#[allow(dead_code, unreachable_pub, reason = "each example that includes this file uses its own part")]
mod random;

use std::path::{Path, PathBuf};

use shaderbench::answers::outliers::{By, Fleet, Rules};
use shaderbench::record::{Record, Status};
use shaderbench::report::csv;
use shaderbench::suite::Extent;

use random::Random;

const SOURCE: &str = "results/nvidia-h200/2026-11-23-vulkan.csv";
const USAGE: &str = "usage: fleet reports DIR [CARDS [ROWS]] | fleet simulate [TRIALS [CARDS [PERCENT]]]";

/// The index of the slow card.
const SLOW: usize = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, usual: f64| arguments.get(index).map_or(Ok(usual), |text| text.parse::<f64>());
    match arguments.first().map(String::as_str) {
        Some("reports") => {
            let folder = PathBuf::from(arguments.get(1).ok_or(USAGE)?);
            reports(&folder, number(2, 1e3)? as usize, number(3, 1e3)? as usize)
        }
        Some("simulate") => simulate(number(1, 1e2)? as usize, number(2, 1e3)? as usize, number(3, 5.0)? / 100.0),
        _ => Err(USAGE.into()),
    }
}

/// The rows of a run with a time, repeated with other sizes until there are `count`.
fn rows(count: usize) -> Result<Vec<Record>, Box<dyn std::error::Error>> {
    let mut source = csv::open(Path::new(SOURCE))?.records;
    source.retain(|row| row.status == Status::Ok && row.median_ns.is_some());
    let of = |index: usize| {
        let row = source[index % source.len()].clone();
        match index / source.len() {
            0 => row,
            round => Record { n: Some(Extent::Linear(round as u64)), ..row },
        }
    };
    Ok((0..count).map(of).collect())
}

fn reports(folder: &Path, cards: usize, count: usize) -> Result<(), Box<dyn std::error::Error>> {
    let (source, mut random) = (rows(count)?, Random(2026));
    std::fs::create_dir_all(folder)?;
    for card in 0..cards {
        let rows = run(&source, card, 0.05, &mut random);
        std::fs::write(folder.join(format!("card{card:05}.csv")), csv::write(&rows))?;
    }
    Ok(())
}

fn simulate(trials: usize, cards: usize, slowdown: f64) -> Result<(), Box<dyn std::error::Error>> {
    // A tenth of the rows, from all families, to save time: with all of them the noise is smaller.
    let source: Vec<Record> = rows(1000)?.into_iter().step_by(10).collect();
    let (mut random, mut found, mut others, mut worst) = (Random(2026), 0, 0, 0);
    for _ in 0..trials {
        let mut fleet = Fleet::new(By::Card);
        for card in 0..cards {
            run(&source, card, slowdown, &mut random).iter().for_each(|row| fleet.add(row));
        }
        let slow = fleet.judge(&Rules::default()).slow;
        let is_it = |name: &str| name == self::name(SLOW);
        let wrong = slow.iter().filter(|slow| !is_it(&slow.unit.card)).count();
        found += usize::from(slow.len() > wrong);
        (others, worst) = (others + wrong, worst.max(wrong));
    }
    println!(
        "{cards} cards, {} rows each, one {:.1} % slow: found in {found} of {trials} trials; {others} others named, at \
         most {worst} in a trial",
        source.len(),
        100.0 * slowdown
    );
    Ok(())
}

fn name(card: usize) -> String {
    format!("GPU-{card:08x}-0000-0000-0000-000000000000")
}

/// The rows of a run on a card.
fn run(source: &[Record], card: usize, slowdown: f64, random: &mut Random) -> Vec<Record> {
    let own = 0.005 * random.normal() + if card == SLOW { slowdown.ln_1p() } else { 0.0 };
    let mut family = (String::new(), 0.0);
    let mut rows = Vec::with_capacity(source.len());
    for (index, of) in source.iter().enumerate() {
        if of.family != family.0 {
            family = (of.family.clone(), 0.003 * random.normal());
        }
        // A case is noisy or quiet on every card.
        let noise = 0.003 * 10_f64.powf((index * 7 % 11) as f64 / 10.0);
        let disturbed = if random.uniform() < 0.01 { random.between(0.0, 0.3) } else { 0.0 };
        let level = own + family.1 + noise * random.normal() + disturbed;
        let factor = level.exp();
        let epochs = of.epochs_ns.iter().map(|ns| ns * factor * (noise / 3.0 * random.normal()).exp());
        let epochs_ns = epochs.map(seven_digits).collect();
        let times = |ns: Option<f64>| ns.map(|ns| seven_digits(ns * factor));
        rows.push(Record {
            date: format!("2026-11-23T12:{:02}:{:02}Z", card / 60 % 60, card % 60),
            card: name(card),
            host: format!("node{:03}", card / 8),
            median_ns: times(of.median_ns),
            min_ns: times(of.min_ns),
            mean_ns: times(of.mean_ns),
            ci_low_ns: times(of.ci_low_ns),
            ci_high_ns: times(of.ci_high_ns),
            gb_per_s: of.gb_per_s.map(|rate| seven_digits(rate / factor)),
            gflop_per_s: of.gflop_per_s.map(|rate| seven_digits(rate / factor)),
            epochs_ns,
            ..of.clone()
        });
    }
    rows
}

fn seven_digits(value: f64) -> f64 {
    shaderbench::record::stats::round_to_seven_digits(value)
}
