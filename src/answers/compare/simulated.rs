//! Comparisons of simulated runs: how often verdicts and intervals are right.

use crate::compare::*;
use record::suite::{Api, Extent};
use record::{Clock, stats::random::Random};

const EPOCHS: usize = 5;

/// How the rows of a run vary, as standard deviations of logarithms.
#[derive(Clone, Copy)]
struct Noise {
    /// Between epochs, for the median row. Rows differ tenfold.
    epochs: f64,
    /// Between runs, in addition to their epochs.
    runs: f64,
    /// Between epochs, of all rows together.
    together: f64,
}

const USUAL: Noise = Noise { epochs: 0.003, runs: 0.0, together: 0.0 };

struct Rows {
    truths: Vec<f64>,
    noises: Vec<f64>,
}

impl Rows {
    fn draw(random: &mut Random, count: usize, noise: Noise) -> Self {
        let noises = (0..count).map(|_| noise.epochs * 10_f64.powf(random.uniform() - 0.5)).collect();
        Self { truths: (0..count).map(|_| 2e3 * 1e3_f64.powf(random.uniform())).collect(), noises }
    }

    fn run(&self, random: &mut Random, noise: Noise, date: &str, apis: &[(Api, f64)]) -> Report {
        let shared: Vec<f64> = (0..EPOCHS).map(|_| noise.together * random.normal()).collect();
        let mut records = Vec::new();
        for (index, (truth, own)) in self.truths.iter().zip(&self.noises).enumerate() {
            for (api, factor) in apis {
                let level = truth.ln() + factor.ln() + noise.runs * random.normal();
                let epochs_ns = shared.iter().map(|shared| (level + shared + own * random.normal()).exp()).collect();
                records.push(Record {
                    device: "card".into(),
                    date: date.into(),
                    backend: Some(*api),
                    timer: Some(Clock::Timestamp),
                    family: "all".into(),
                    n: Some(Extent::Linear(index as u64)),
                    median_ns: Some(*truth),
                    epochs_ns,
                    ..Record::default()
                });
            }
        }
        Report { name: date.into(), records }
    }

    fn runs(&self, random: &mut Random, noise: Noise, dates: std::ops::Range<usize>, factor: f64) -> Vec<Report> {
        dates.map(|date| self.run(random, noise, &date.to_string(), &[(Api::Vulkan, factor)])).collect()
    }
}

#[derive(Debug, Default)]
struct Counts {
    pairs: usize,
    verdicts: [usize; 4],
    covered: usize,
    means: usize,
    means_covered: usize,
}

impl Counts {
    fn add(&mut self, comparison: &Comparison, truth: f64) {
        let holds = |ratio: &Ratio| ratio.interval.is_some_and(|(low, high)| (low..=high).contains(&truth));
        for pair in comparison.cases.iter().filter_map(|case| case.pairs.get(0)) {
            self.pairs += 1;
            self.verdicts[pair.verdict as usize] += 1;
            self.covered += usize::from(holds(&pair.ratio));
        }
        self.means += 1;
        self.means_covered += usize::from(comparison.tally(0, None).mean.is_some_and(|mean| holds(&mean)));
    }

    fn share(&self, verdict: Verdict) -> f64 {
        self.verdicts[verdict as usize] as f64 / self.pairs as f64
    }

    /// The share of wrong verdicts if nothing changed.
    fn differs(&self) -> f64 {
        self.share(Verdict::Faster) + self.share(Verdict::Slower)
    }

    fn coverage(&self) -> f64 {
        self.covered as f64 / self.pairs as f64
    }

    fn coverage_of_means(&self) -> f64 {
        self.means_covered as f64 / self.means as f64
    }
}

/// Compares `runs` runs with `runs` runs of a side that is `factor` times as slow, `rounds` times.
fn simulate(rounds: usize, runs: usize, noise: Noise, factor: f64, rules: &Rules) -> Counts {
    let (mut random, mut counts) = (Random(2026), Counts::default());
    for _ in 0..rounds {
        let rows = Rows::draw(&mut random, 300, noise);
        let old = rows.runs(&mut random, noise, 0..runs, 1.0);
        let new = rows.runs(&mut random, noise, runs..2 * runs, factor);
        counts.add(&compare_by(rules, &old, &new), 1.0 / factor);
    }
    counts
}

#[test]
fn unchanged_rows_are_hardly_ever_different_and_intervals_cover_95() {
    // If processes do not differ, widening for them can only make intervals too wide.
    for (widens, most) in [(false, 0.97), (true, 0.975)] {
        for runs in [1, 3] {
            let counts = simulate(40, runs, USUAL, 1.0, &Rules { widens, ..Rules::default() });
            assert!(counts.differs() <= 0.001, "{counts:?}");
            assert!((0.93..=most).contains(&counts.coverage()), "{} {counts:?}", counts.coverage());
            assert!(counts.share(Verdict::Same) > 0.75, "{counts:?}");
        }
    }
}

#[test]
fn planted_changes_are_found() {
    let one = simulate(20, 1, USUAL, 1.03, &Rules::default());
    assert!(one.share(Verdict::Slower) > 0.8, "{one:?}");
    let three = simulate(20, 3, USUAL, 1.02, &Rules::default());
    assert!(three.share(Verdict::Slower) > 0.6, "{three:?}");
    let faster = simulate(20, 3, USUAL, 1.0 / 1.03, &Rules::default());
    assert!(faster.share(Verdict::Faster) > 0.9, "{faster:?}");
    for counts in [one, three, faster] {
        assert_eq!(counts.share(Verdict::Same), 0.0, "{counts:?}");
    }
}

#[test]
fn several_runs_show_what_runs_differ_by_and_a_single_one_cannot() {
    let noise = Noise { runs: 0.02, ..USUAL };
    let rules = Rules { widens: false, ..Rules::default() };
    assert!(simulate(20, 1, noise, 1.0, &rules).differs() > 0.1);
    for runs in [2, 3, 6] {
        let counts = simulate(20, runs, noise, 1.0, &rules);
        assert!(counts.differs() <= 0.005, "{counts:?}");
        assert!((0.93..=0.97).contains(&counts.coverage()), "{runs} runs: {}", counts.coverage());
    }
}

#[test]
fn the_comparison_itself_shows_what_processes_differ_by() {
    let noise = Noise { runs: 0.01, ..USUAL };
    let by = |widens: bool| Rules { widens, ..Rules::default() };
    let without = simulate(20, 1, noise, 1.0, &by(false));
    assert!(without.coverage() < 0.7, "{}", without.coverage());
    let with = simulate(20, 1, noise, 1.0, &by(true));
    assert!(with.coverage() > 0.85 && with.differs() < without.differs() / 5.0, "{with:?}");
    let calm = simulate(20, 1, USUAL, 1.0, &by(true));
    assert!((0.94..=0.975).contains(&calm.coverage()), "{}", calm.coverage());
    let planted = simulate(20, 1, USUAL, 1.03, &by(true));
    assert!(planted.share(Verdict::Slower) > 0.8, "all rows changed alike: {planted:?}");
}

#[test]
fn means_of_rows_that_move_together_cover_95_percent() {
    for noise in [USUAL, Noise { together: 0.002, ..USUAL }, Noise { together: 0.01, ..USUAL }] {
        let mut random = Random(7);
        let mut counts = Counts::default();
        for _ in 0..400 {
            let rows = Rows::draw(&mut random, 20, noise);
            let (old, new) = (rows.runs(&mut random, noise, 0..1, 1.0), rows.runs(&mut random, noise, 1..2, 1.0));
            counts.add(&compare(&old, &new), 1.0);
        }
        // If both variances are about equal, taking the larger covers more than 95 %.
        assert!((0.92..=0.99).contains(&counts.coverage_of_means()), "{}", counts.coverage_of_means());
    }
}

#[test]
fn apis_that_took_turns_are_compared_by_their_differences() {
    let noise = Noise { together: 0.05, ..USUAL };
    let apis = [(Api::Vulkan, 1.0), (Api::Cuda, 1.03)];
    let mut random = Random(9);
    let (mut turns, mut apart) = (Counts::default(), Counts::default());
    for _ in 0..20 {
        let rows = Rows::draw(&mut random, 200, noise);
        let run = [rows.run(&mut random, noise, "1", &apis)];
        turns.add(&compare(&run, &[]), 1.03);
        let vulkan = [rows.run(&mut random, noise, "1", &apis[..1])];
        let cuda = [rows.run(&mut random, noise, "2", &apis[1..])];
        apart.add(&compare(&vulkan, &cuda), 1.0 / 1.03);
    }
    assert!((0.94..=0.965).contains(&turns.coverage()), "{}", turns.coverage());
    assert!(turns.coverage_of_means() >= 0.85, "{}", turns.coverage_of_means());
    assert!(turns.share(Verdict::Faster) > 0.8, "{turns:?}");
    assert!(apart.share(Verdict::Slower) < 0.3, "{apart:?}");
}

#[test]
fn rows_that_are_not_compared_still_show_the_noise_of_their_class() {
    let mut random = Random(12);
    let rows = Rows::draw(&mut random, 300, USUAL);
    let (old, new) = (rows.runs(&mut random, USUAL, 0..1, 1.0), rows.runs(&mut random, USUAL, 1..2, 1.0));
    let is_compared = |record: &Record| record.n == Some(Extent::Linear(5));
    let some = compare_by(&Rules { is_compared: &is_compared, ..Rules::default() }, &old, &new);
    let all = compare(&old, &new);
    assert_eq!((some.cases.len(), some.sides.len()), (1, 2));
    let ratio = |comparison: &Comparison| {
        let case = comparison.cases.iter().find(|case| is_compared(case.row)).expect("the case");
        case.pairs.get(0).expect("both sides").ratio
    };
    assert_eq!(ratio(&some), ratio(&all));
    let none = compare_by(&Rules { is_compared: &|_| false, ..Rules::default() }, &old, &new);
    assert!(none.sides.is_empty() && none.cases.is_empty());
}

/// Without known run-to-run variation, no verdict is possible.
#[test]
fn single_runs_without_epochs_are_unclear_and_three_a_side_are_not() {
    let mut random = Random(13);
    let rows = Rows::draw(&mut random, 100, USUAL);
    let mut runs = |dates: std::ops::Range<usize>, factor: f64| {
        let mut reports = rows.runs(&mut random, USUAL, dates, factor);
        for record in reports.iter_mut().flat_map(|report| &mut report.records) {
            record.median_ns = Some(record.epochs_ns[0]);
            record.epochs_ns.clear();
        }
        reports
    };
    for (old, new) in [(runs(0..1, 1.0), runs(1..2, 1.03)), (runs(0..3, 1.0), runs(3..4, 1.5))] {
        assert_eq!(compare(&old, &new).tally(0, None).verdicts, [0, 0, 0, 100]);
    }
    let slower = compare(&runs(0..3, 1.0), &runs(3..6, 1.1)).tally(0, None).verdicts;
    assert!(slower[1] > 95 && slower[0] + slower[2] == 0, "{slower:?}");
}
