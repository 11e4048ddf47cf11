//! Simulated hosts: a slow card is found, and hardly any other.

use crate::answers::outliers::in_step::*;
use crate::record::stats::random::Random;
use crate::record::times::estimate;
use crate::suite::Api;

const FAMILIES: [(&str, usize); 5] = [("ceiling", 12), ("matmul", 4), ("reduction", 6), ("scan", 1), ("stream", 2)];

/// How a simulated host is.
#[derive(Clone, Copy)]
struct Simulation {
    cards: usize,
    epochs: usize,
    /// Standard deviation between the epochs of a row.
    noise: f64,
    /// Probability that another program disturbs an epoch, by up to 30 %.
    disturbed: f64,
    /// Card 1 takes so many times as long in the first `slow` families.
    factor: f64,
    slow: usize,
    /// Time of memory-bound cases with all cards at work ÷ alone.
    together: f64,
}

const USUAL: Simulation =
    Simulation { cards: 2, epochs: 4, noise: 0.003, disturbed: 0.01, factor: 1.0, slow: 0, together: 1.0 };

impl Simulation {
    fn rows(&self, random: &mut Random) -> Vec<Vec<Record>> {
        let of_card = |card: usize, random: &mut Random| {
            let mut rows = Vec::new();
            for (index, (family, cases)) in FAMILIES.iter().enumerate() {
                for case in 0..*cases {
                    let is_slow = card == 1 && index < self.slow;
                    // What one process differs by from another.
                    let process = PROCESS * random.normal();
                    let ns = 1e5 * (1 + case) as f64 * process.exp() * if is_slow { self.factor } else { 1.0 };
                    let mut epoch = |ns: f64| {
                        let disturbance = if random.uniform() < self.disturbed { 0.3 * random.uniform() } else { 0.0 };
                        ns * (self.noise * random.normal() + disturbance).exp()
                    };
                    let together = if case == 0 && index == 0 { self.together } else { 1.0 };
                    rows.push(Record {
                        device: "H200".to_owned(),
                        card: format!("GPU-{card}"),
                        backend: Some(Api::Cuda),
                        family: (*family).to_owned(),
                        benchmark: format!("kernel{case}"),
                        epochs_ns: (0..self.epochs).map(|_| epoch(ns * together)).collect(),
                        alone_epochs_ns: (0..if case == 0 { self.epochs } else { 0 }).map(|_| epoch(ns)).collect(),
                        ..Record::default()
                    });
                }
            }
            estimate(&mut rows);
            rows
        };
        (0..self.cards).map(|card| of_card(card, random)).collect()
    }

    fn judged(&self, random: &mut Random) -> Host {
        Host::judge(&self.rows(random), &HostRules::default())
    }
}

#[test]
fn a_card_five_percent_slow_is_found_and_no_other() {
    let mut random = Random(2026);
    let (mut named, mut wrong, mut found) = ([0; FAMILIES.len()], 0, 0);
    for _ in 0..100 {
        let judged = Simulation { factor: 1.05, slow: 3, ..USUAL }.judged(&mut random);
        found += usize::from(!judged.slow.is_empty());
        for slow in &judged.slow {
            let is_right = slow.card == 1 && slow.family < 3;
            wrong += usize::from(!is_right);
            named[slow.family] += usize::from(is_right);
            let ratio = judged.families[slow.family].cards[slow.card].expect("judged").ratio;
            assert!(ratio.low > 1.02, "{ratio:?}");
        }
    }
    println!("{found} found, {named:?} of 100, {wrong} wrongly");
    // Fewer cases leave a wider interval; the slow-down must be above 2 % with certainty.
    let is_enough = named[0] >= 98 && named[1] >= 80 && named[2] >= 90;
    assert!(found == 100 && is_enough && wrong == 0, "{found} found, {named:?} of 100, {wrong} wrongly");
}

#[test]
#[ignore = "takes minutes: scripts/test.sh --all"]
fn equal_cards_are_never_called_slow_and_do_not_slow_each_other_down() {
    let mut random = Random(7);
    for simulation in [
        USUAL,
        Simulation { cards: 8, ..USUAL },
        Simulation { epochs: 2, ..USUAL },
        Simulation { noise: 0.02, ..USUAL },
        Simulation { disturbed: 0.1, ..USUAL },
    ] {
        let (mut slow, mut slowed) = (0, 0);
        for _ in 0..200 {
            let judged = simulation.judged(&mut random);
            slow += judged.slow.len() + judged.uneven.len();
            slowed += judged.influences.iter().filter(|influence| !influence.slowed.is_empty()).count();
            assert_eq!(judged.families.len(), FAMILIES.len());
        }
        assert_eq!(
            (slow, slowed),
            (0, 0),
            "{} cards, {} epochs, {}",
            simulation.cards,
            simulation.epochs,
            simulation.noise
        );
    }
}

#[test]
fn cards_that_share_a_link_are_found_to_slow_each_other_down() {
    let mut random = Random(3);
    let (mut found, mut covered, mut bounded) = (0, 0, 0);
    for _ in 0..100 {
        let judged = Simulation { together: 1.8, ..USUAL }.judged(&mut random);
        let influence = judged.influences.iter().find(|influence| influence.case.starts_with("ceiling/")).expect("one");
        found += usize::from(influence.slowed == [0, 1]);
        let ratio = influence.cards[0].expect("both");
        covered += usize::from(ratio.low <= 1.8 && 1.8 <= ratio.high);
        bounded += judged.influences.iter().filter(|other| other.bound < 1.0).count();
        assert_eq!(judged.influences.len(), FAMILIES.len());
    }
    assert!(found >= 99 && covered >= 88 && bounded <= 5, "{found} found, {covered} covered, {bounded} bounds below 1");
}

#[test]
fn a_card_without_another_of_its_model_is_not_compared() {
    let mut random = Random(1);
    let mut rows = USUAL.rows(&mut random);
    rows[1].iter_mut().for_each(|row| row.device = "A100".to_owned());
    let judged = Host::judge(&rows, &HostRules::default());
    assert!(judged.families.is_empty() && judged.slow.is_empty());
    assert_eq!(Host::judge(&[], &HostRules::default()), Host::default());
    // A card that ended early has fewer rows.
    let mut rows = Simulation { cards: 3, ..USUAL }.rows(&mut random);
    rows[2].truncate(12);
    let judged = Host::judge(&rows, &HostRules::default());
    let compared: Vec<usize> = judged.families.iter().map(|family| family.cards.iter().flatten().count()).collect();
    assert_eq!(compared, [3, 2, 2, 2, 2]);
}

#[test]
fn shares_of_two_cards_are_of_the_mean_of_both() {
    let row = |ns: f64| {
        let mut rows =
            [Record { family: "scan".to_owned(), epochs_ns: vec![ns, 1.001 * ns, 0.999 * ns], ..Record::default() }];
        estimate(&mut rows);
        rows.to_vec()
    };
    let judged = Host::judge(&[row(1000.0), row(1210.0)], &HostRules::default());
    let shares: Vec<f64> = judged.families[0].cards.iter().flatten().map(|of| of.share).collect();
    assert!((shares[0] - 1.1).abs() < 1e-3 && (shares[1] - 1.0 / 1.1).abs() < 1e-3, "{shares:?}");
    assert_eq!(judged.slow, [SlowInHost { card: 1, family: 0 }]);
}
