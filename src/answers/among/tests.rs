//! Standings of simulated fleets: how often statements are right.

use crate::answers::among::*;
use crate::record::stats::random::Random;

/// Standard deviations of logarithms.
#[derive(Clone, Copy)]
struct Fleet {
    /// Between cards of the model.
    cards: f64,
    /// Between runs of one card.
    runs: f64,
    /// Of a run's estimate, as its epochs show it.
    epochs: f64,
    figures: usize,
}

const USUAL: Fleet = Fleet { cards: 0.02, runs: 0.004, epochs: 0.002, figures: 20 };

impl Fleet {
    /// The true level of each figure of a card: `shift` and the card's own.
    fn card(&self, random: &mut Random, shift: f64) -> Vec<f64> {
        (0..self.figures).map(|_| shift + self.cards * random.normal()).collect()
    }

    fn run(&self, random: &mut Random, levels: &[f64], card: usize, date: usize) -> Reference {
        let figure = |(index, level): (usize, &f64)| {
            let log = level + self.runs * random.normal() + self.epochs * random.normal();
            // Half of the figures are times.
            let unit = if index % 2 == 0 { Unit::Bytes } else { Unit::Time };
            Figure {
                name: format!("figure {index}"),
                unit,
                value: if unit == Unit::Time { 300.0 * (-log).exp() } else { 4000.0 * log.exp() },
                error: Some((self.epochs, 30.0)),
                case: "case".to_owned(),
                settings: "kernel off timestamp".to_owned(),
            }
        };
        Reference {
            device: "H200".to_owned(),
            api: "vulkan".to_owned(),
            card: format!("GPU-{card}"),
            date: format!("{date:05}"),
            figures: levels.iter().enumerate().map(figure).collect(),
            ..Reference::default()
        }
    }

    /// `count` cards with `runs` runs each, and their levels.
    fn references(&self, random: &mut Random, count: usize, runs: usize) -> (Vec<Reference>, Vec<Vec<f64>>) {
        let cards: Vec<Vec<f64>> = (0..count).map(|_| self.card(random, 0.0)).collect();
        let mut all = Vec::new();
        for (card, levels) in cards.iter().enumerate() {
            all.extend((0..runs).map(|run| self.run(random, levels, card, card * runs + run)));
        }
        (all, cards)
    }
}

/// A report's brackets hold all at once in at least 95 % of reports, whatever its noise.
#[test]
fn quantiles_contain_the_truth_in_all_figures_at_once() {
    let mut random = Random(2026);
    for (fleet, runs) in
        [(USUAL, 2), (USUAL, 1), (Fleet { cards: 0.0, ..USUAL }, 2), (Fleet { epochs: 0.02, ..USUAL }, 3)]
    {
        let (mut held, rounds) = (0, 200);
        for _ in 0..rounds {
            let (references, cards) = fleet.references(&mut random, 20, runs);
            let levels = fleet.card(&mut random, 0.0);
            let own = fleet.run(&mut random, &levels, 1000, 99_999);
            let is_right = |(index, standing): (usize, &Standing)| {
                let slower = cards.iter().filter(|card| card[index] < levels[index]).count();
                let faster = cards.iter().filter(|card| card[index] > levels[index]).count();
                standing.certain.0 <= faster && standing.certain.1 <= slower
            };
            held += usize::from(standings(&own, &references).iter().enumerate().all(is_right));
        }
        assert!(held as f64 / rounds as f64 >= 0.95, "{held} of {rounds}: {runs} runs a card, {}", fleet.cards);
    }
}

#[test]
fn a_usual_card_is_rarely_at_the_edge_and_a_slow_one_nearly_always() {
    let mut random = Random(7);
    let (mut usual, mut found, rounds) = (0, 0, 200);
    for _ in 0..rounds {
        let fleet = Fleet { cards: 0.01, ..USUAL };
        let (references, _) = fleet.references(&mut random, 30, 2);
        let median = vec![0.0; fleet.figures];
        let slow = vec![-0.08; fleet.figures];
        let run = fleet.run(&mut random, &median, 1000, 99_999);
        usual += usize::from(standings(&run, &references).iter().any(|one| one.is_slow() || one.is_fast()));
        let run = fleet.run(&mut random, &slow, 1000, 99_999);
        let standings = standings(&run, &references);
        found += standings.iter().filter(|one| one.is_slow()).count();
        assert!(!standings.iter().any(Standing::is_fast));
    }
    assert_eq!(usual, 0);
    assert!(found as f64 >= 0.95 * (rounds * USUAL.figures) as f64, "{found}");
}

fn one(value: f64, error: Option<(f64, f64)>) -> Figure {
    Figure {
        name: "sum".to_owned(),
        unit: Unit::Bytes,
        value,
        error,
        case: "reduction/atomic f32 1024".to_owned(),
        settings: "0123 off timestamp".to_owned(),
    }
}

fn run(card: usize, figure: Figure) -> Reference {
    let date = format!("{card}");
    Reference { device: "H200".to_owned(), card: date.clone(), date, figures: vec![figure], ..Reference::default() }
}

#[test]
fn other_settings_models_and_the_run_itself_are_not_compared() {
    let quiet = Some((0.0001, 100.0));
    let own = run(0, one(100.0, quiet));
    let like = |card: usize| run(card, one(200.0, quiet));
    let mut others: Vec<Reference> = (1..10).map(like).collect();
    others[1].profile = "quick".to_owned();
    others[2].figures[0].settings = "4567 off timestamp".to_owned();
    others[3].figures[0].settings = "0123 on timestamp".to_owned();
    others[4].figures[0].case = "reduction/tree f32 1024".to_owned();
    others[5].device = "H100".to_owned();
    others[6].api = "cuda".to_owned();
    others[7].compiler = "tint".to_owned();
    others.push(own.clone());
    others.push(others[0].clone());
    let found = standings(&own, &others);
    assert_eq!((found[0].reports, found[0].others, found[0].cards), (2, 4, 2), "{found:?}");
    assert_eq!(found[0].quantile(), None, "two cards are too few");
    assert_eq!((found[0].median, found[0].ratio, found[0].range), (Some(200.0), Some(0.5), Some((1.0, 1.0))));
    assert!(found[0].is_slow() && !found[0].is_fast(), "half the speed of both");
}

#[test]
fn runs_of_one_card_count_once_and_its_own_not_at_all() {
    let quiet = Some((0.0001, 100.0));
    let own = run(0, one(100.0, quiet));
    let mut others: Vec<Reference> = (1..=6).map(|card| run(card, one(100.0 + card as f64, quiet))).collect();
    for (date, card) in [("a", 6), ("b", 6), ("c", 0)] {
        others.push(Reference { date: date.to_owned(), ..run(card, one(106.0, quiet)) });
    }
    let found = standings(&own, &others);
    assert_eq!((found[0].reports, found[0].cards, found[0].compared), (9, 6, 6));
    // Cards of 101 to 106: the middle ones, on a log scale.
    let median = (103.0_f64 * 104.0).sqrt();
    assert!((found[0].median.expect("cards") / median - 1.0).abs() < 1e-6);
}

/// Without a second epoch a run does not show how much runs differ.
#[test]
fn a_run_without_epochs_is_never_certain() {
    let own = run(0, one(100.0, None));
    let others: Vec<Reference> = (1..=20).map(|card| run(card, one(300.0, Some((0.001, 50.0))))).collect();
    let found = standings(&own, &others);
    assert_eq!((found[0].certain, found[0].quantile()), ((0, 0), Some((0.0, 1.0))));
    assert!(!found[0].is_slow());
    let noisy = standings(&run(0, one(100.0, Some((0.5, 5.0)))), &others);
    assert!(!noisy[0].is_slow(), "{noisy:?}");
}

#[test]
fn hints_follow_from_columns_alone() {
    let quiet = Some((0.001, 50.0));
    let base = |card: usize| Reference {
        driver: "580".to_owned(),
        apis: "vulkan".to_owned(),
        canary_ns: Some(1000.0),
        rows: (100, 0),
        l2_bytes: Some(60 << 20),
        copy_in: Some(Figure { name: "host to device".to_owned(), ..one(50.0, quiet) }),
        ..run(card, one(100.0, quiet))
    };
    let others: Vec<Reference> = (1..4).map(base).collect();
    assert_eq!(hints(&base(0), &[], &others), []);
    let changed = Reference {
        driver: "550".to_owned(),
        apis: "cuda+vulkan".to_owned(),
        canary_ns: Some(1200.0),
        rows: (100, 9),
        l2_bytes: Some(30 << 20),
        copy_in: Some(Figure { name: "host to device".to_owned(), ..one(25.0, quiet) }),
        ..base(0)
    };
    assert_eq!(
        hints(&changed, &[], &others),
        [
            Hint::Driver("550".to_owned(), "580".to_owned()),
            Hint::Clock(1.2),
            Hint::Unsteady(9, 100),
            Hint::CopyIn(0.5),
            Hint::L2(30 << 20, 60 << 20),
            Hint::Apis("cuda+vulkan".to_owned()),
        ]
    );
    // Within what runs differ by.
    let near = Reference { canary_ns: Some(1040.0), rows: (100, 1), ..base(0) };
    assert_eq!(hints(&near, &[], &others), []);
    // A reference of other settings shows nothing.
    let other: Vec<Reference> =
        others.iter().map(|one| Reference { profile: "quick".to_owned(), ..one.clone() }).collect();
    assert_eq!(hints(&changed, &[], &other), []);
}
