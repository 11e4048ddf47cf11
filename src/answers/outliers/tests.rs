//! Simulated fleets: slow cards are found, and very few others.

use crate::outliers::*;
use record::stats::random::Random;

/// How the cards of a simulated fleet differ, as standard deviations of logarithms.
#[derive(Clone, Copy)]
struct Noise {
    /// Between cards, in all families alike.
    cards: f64,
    /// Between cards, in each family.
    families: f64,
    /// Between runs of a case.
    cases: f64,
}

const USUAL: Noise = Noise { cards: 0.004, families: 0.003, cases: 0.01 };
const FAMILIES: [&str; 5] = ["ceiling", "matmul", "reduction", "scan", "transpose"];

fn row(card: usize, family: &str, case: usize, ns: f64) -> Record {
    Record {
        device: "H200".to_owned(),
        card: format!("GPU-{card}"),
        host: format!("node{}", card / 4),
        backend: Some(Api::Vulkan),
        family: family.to_owned(),
        benchmark: format!("kernel{case}"),
        median_ns: Some(ns),
        epochs_ns: vec![ns, 1.001 * ns],
        ..Record::default()
    }
}

/// A fleet in which card 3 takes `factor` times as long in the first `slow` families.
fn simulated(random: &mut Random, by: By, cards: usize, noise: Noise, (factor, slow): (f64, usize)) -> Fleet {
    const CASES: usize = 8;
    let mut fleet = Fleet::new(by);
    for card in 0..cards {
        let shift = noise.cards * random.normal();
        for (index, family) in FAMILIES.iter().enumerate() {
            let of_family = noise.families * random.normal();
            for case in 0..CASES {
                let is_slow = card == 3 && index < slow;
                let log = shift + of_family + noise.cases * random.normal() + if is_slow { factor.ln() } else { 0.0 };
                fleet.add(&row(card, family, case, 1000.0 * (1 + case) as f64 * log.exp()));
            }
        }
    }
    fleet
}

fn names(verdicts: &Verdicts) -> Vec<&str> {
    verdicts.slow.iter().map(|slow| slow.unit.card.as_str()).collect()
}

#[test]
fn a_card_five_percent_slow_is_found_and_no_other() {
    let mut random = Random(2026);
    let (mut found, mut others) = (0, 0);
    for _ in 0..20 {
        let verdicts = simulated(&mut random, By::Card, 100, USUAL, (1.05, 5)).judge(&Rules::default());
        let slow = names(&verdicts);
        found += usize::from(slow.contains(&"GPU-3"));
        others += slow.iter().filter(|card| **card != "GPU-3").count();
        assert_eq!((verdicts.units, verdicts.tested, verdicts.families.len()), (100, 100, 5));
    }
    assert!(found >= 19 && others <= 1, "{found} of 20 found, and {others} others");
}

#[test]
fn the_families_in_which_a_card_is_slow_are_named_with_an_interval() {
    let mut random = Random(5);
    let (mut covered, mut named, mut wrong) = (0, 0, 0);
    for _ in 0..40 {
        let verdicts = simulated(&mut random, By::Card, 60, USUAL, (1.08, 2)).judge(&Rules::default());
        let slow = verdicts.slow.iter().find(|slow| slow.unit.card == "GPU-3").expect("8 % slow");
        for family in &slow.families {
            let is_right = FAMILIES[..2].contains(&verdicts.families[family.family].family.as_str());
            (named, wrong) = (named + usize::from(is_right), wrong + usize::from(!is_right));
            covered += usize::from((family.ratio.low..=family.ratio.high).contains(&1.08));
        }
    }
    assert!(named >= 78 && wrong <= 2, "{named} named, {wrong} of them wrongly");
    // The card's own deviation of 0.5 % is part of its true ratio.
    assert!(covered >= 60, "{covered} of {named} intervals hold 1.08");
}

#[test]
fn equal_cards_are_hardly_ever_called_slow() {
    let mut random = Random(7);
    for noise in [USUAL, Noise { cards: 0.02, ..USUAL }, Noise { cases: 0.1, ..USUAL }] {
        for cards in [4, 8, 100] {
            let trials = 1000 / cards;
            let judged = |_| simulated(&mut random, By::Card, cards, noise, (1.0, 0)).judge(&Rules::default());
            let with_any = (0..trials).map(judged).filter(|verdicts| !verdicts.slow.is_empty()).count();
            assert!(with_any as f64 <= 0.05 * trials as f64 + 1.0, "{with_any} of {trials} with {cards} cards");
        }
    }
}

#[test]
fn a_slow_host_is_found_by_the_median_of_its_cards() {
    let mut random = Random(3);
    let mut fleet = simulated(&mut random, By::Host, 80, USUAL, (1.0, 0));
    for card in 80..84 {
        for (family, case) in FAMILIES.iter().flat_map(|family| (0..8).map(move |case| (family, case))) {
            fleet.add(&row(card, family, case, 1060.0 * (1 + case) as f64));
        }
    }
    let verdicts = fleet.judge(&Rules::default());
    assert_eq!(verdicts.slow.iter().map(|slow| slow.unit.host.as_str()).collect::<Vec<_>>(), ["node20"]);
    assert_eq!(verdicts.units, 21);
    let mut nameless = Fleet::new(By::Host);
    nameless.add(&Record { host: String::new(), ..row(1, "scan", 1, 1.0) });
    assert_eq!((nameless.without_host(), nameless.cases.len()), (1, 0));
}

#[test]
fn three_cards_are_too_few() {
    let verdicts = simulated(&mut Random(1), By::Card, 3, USUAL, (1.5, 5)).judge(&Rules::default());
    assert_eq!((verdicts.units, verdicts.tested, verdicts.slow.len(), verdicts.families.len()), (3, 0, 0, 0));
}

#[test]
fn other_models_kernels_and_apis_are_not_compared() {
    let mut fleet = Fleet::new(By::Card);
    let mut random = Random(1);
    for card in 0..16 {
        let mut unit_row = |factor: f64| row(card, "scan", 1, factor * 1000.0 * (0.002 * random.normal()).exp());
        fleet.add(&unit_row(1.0));
        let (slower_api, other_kernel) = (Record { backend: Some(Api::Cuda), ..unit_row(2.0) }, unit_row(3.0));
        fleet.add(&slower_api);
        fleet.add(&Record { shader_hash: (card % 2).to_string(), ..other_kernel });
    }
    fleet.add(&Record { device: "A100".to_owned(), ..row(99, "scan", 1, 9000.0) });
    let verdicts = fleet.judge(&Rules::default());
    assert_eq!((verdicts.units, verdicts.tested, names(&verdicts).len()), (17, 16, 0));
    let toolchains: Vec<&str> = verdicts.families.iter().map(|family| family.model.toolchain.as_str()).collect();
    assert_eq!(toolchains, ["Vulkan", "CUDA"]);
}

#[test]
fn runs_of_a_card_are_averaged_and_faults_are_counted() {
    let mut fleet = Fleet::new(By::Card);
    for card in 0..8 {
        for ns in [900.0, 1111.11] {
            fleet.add(&Record { host: (card % 3).to_string(), ..row(card, "scan", 1, ns) });
        }
    }
    fleet.add(&Record { status: Status::Wrong, ..row(2, "scan", 1, 1.0) });
    fleet.add(&Record { card: String::new(), host: String::new(), date: "d".to_owned(), ..row(0, "scan", 1, 1e3) });
    let verdicts = fleet.judge(&Rules::default());
    assert_eq!((verdicts.units, verdicts.tested, verdicts.slow.len()), (9, 9, 0));
    let (unit, counts) = &verdicts.faulty[0];
    assert_eq!((unit.card.as_str(), counts["wrong"]), ("GPU-2", 1));
    let [low, high] = verdicts.families[0].range;
    assert!(0.99 < low && high < 1.01, "{low} {high}");
}
