//! How the figures of a run stand among those of others.

use std::collections::BTreeMap;

use super::reference::{Figure, Reference, Unit};
use crate::record::MARGIN;
use crate::record::stats::{LogValue, Variance, median, round_to_seven_digits, sum};

/// With fewer cards of the model, a quantile says nothing.
pub const LEAST_CARDS: usize = 5;

/// A report at the edge of its model: certainly slower, or faster, than this part of the cards or more.
pub const EDGE: f64 = 0.9;

/// Probability that any of the statements about a report in one direction is wrong.
const FALSE_STATEMENTS: f64 = 0.025;

/// What runs of one card differ by besides their epochs, where nothing else is known, as a variance of logarithms.
const BETWEEN_RUNS: Variance = Variance { value: 1e-4, degrees: 8.0 };

/// How a figure stands among those of other runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// This run's figure.
    pub figure: Figure,
    /// Reports with this figure and the same settings, without this one.
    pub reports: usize,
    /// Reports of the model with this figure that differ in profile, kernel, checks or clock, and are not compared.
    pub others: usize,
    /// Cards of these reports, without this one.
    pub cards: usize,
    /// What is compared: cards if there are enough, else reports.
    pub compared: usize,
    /// Median of what is compared, in the figure's unit; `None` if there is nothing.
    pub median: Option<f64>,
    /// This speed ÷ the median speed, and the slowest and the fastest ÷ the median.
    pub ratio: Option<f64>,
    /// The slowest and the fastest of what is compared, as speed ÷ the median speed.
    pub range: Option<(f64, f64)>,
    /// How many of what is compared are certainly faster, and how many certainly slower.
    pub certain: (usize, usize),
}

impl Standing {
    /// Whether quantiles are quoted.
    #[must_use]
    pub const fn has_quantile(&self) -> bool {
        self.cards >= LEAST_CARDS
    }

    /// The share of cards that are slower than this one, as the interval that is certain; `None` with too few cards.
    #[must_use]
    pub fn quantile(&self) -> Option<(f64, f64)> {
        let count = self.compared as f64;
        let (faster, slower) = self.certain;
        self.has_quantile().then(|| (slower as f64 / count, 1.0 - faster as f64 / count))
    }

    /// Whether this card is certainly slower than nearly all others, and by more than the margin below their median.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        self.is_edge(self.certain.0) && self.ratio.is_some_and(|ratio| ratio < 1.0 / (1.0 + MARGIN))
    }

    /// Whether it is certainly faster than nearly all others, and by more than the margin above their median.
    #[must_use]
    pub fn is_fast(&self) -> bool {
        self.is_edge(self.certain.1) && self.ratio.is_some_and(|ratio| ratio > 1.0 + MARGIN)
    }

    fn is_edge(&self, certain: usize) -> bool {
        self.compared > 1 && certain as f64 >= EDGE * self.compared as f64
    }
}

/// How each headline figure of `run` stands among `references`: those of its model count, without the run itself.
#[must_use]
pub fn standings(run: &Reference, references: &[Reference]) -> Vec<Standing> {
    let own: Vec<&Figure> = first_of_each_name(&run.figures);
    let level = FALSE_STATEMENTS / own.len().max(1) as f64;
    let all: Vec<&Reference> = of_model(run, references);
    let runs = BetweenRuns::of(run, &all);
    own.into_iter().map(|figure| standing(run, figure, &all, &runs, level)).collect()
}

/// The references of the run's model, without the run itself.
pub(super) fn of_model<'a>(run: &Reference, references: &'a [Reference]) -> Vec<&'a Reference> {
    let mut found: Vec<&Reference> = Vec::new();
    for other in references.iter().filter(|other| run.is_of_model(other) && !run.is_same_run(other)) {
        if !found.iter().any(|known| known.is_same_run(other)) {
            found.push(other);
        }
    }
    found
}

fn first_of_each_name(figures: &[Figure]) -> Vec<&Figure> {
    let mut found: Vec<&Figure> = Vec::new();
    for figure in figures {
        if !found.iter().any(|known| known.name == figure.name) {
            found.push(figure);
        }
    }
    found
}

/// The figure of `other` that may be compared with `figure` of `run`.
pub(super) fn like<'a>(run: &Reference, figure: &Figure, other: &'a Reference) -> Option<&'a Figure> {
    let is_like =
        |known: &&Figure| (&known.name, &known.case, &known.settings) == (&figure.name, &figure.case, &figure.settings);
    let figures = other.figures.iter().chain(&other.copy_in);
    if run.profile == other.profile { figures.into_iter().find(is_like) } else { None }
}

fn standing(run: &Reference, figure: &Figure, all: &[&Reference], runs: &BetweenRuns, level: f64) -> Standing {
    let compared: Vec<(&Reference, &Figure)> =
        all.iter().filter_map(|other| Some((*other, like(run, figure, other)?))).collect();
    let has_name = |other: &&&Reference| other.figures.iter().any(|known| known.name == figure.name);
    let mut by_card: BTreeMap<&str, Vec<&Figure>> = BTreeMap::new();
    for (other, known) in compared.iter().filter(|(other, _)| other.card != run.card) {
        by_card.entry(&other.card).or_default().push(known);
    }
    let between = runs.of_figure(&figure.name);
    let cards = by_card.len();
    let levels: Vec<LogValue> = if cards >= LEAST_CARDS {
        by_card.values().map(|figures| level_of(figures, between)).collect()
    } else {
        compared.iter().map(|(_, known)| level_of(&[*known], between)).collect()
    };
    let own = level_of(&[figure], between);
    let logs: Vec<f64> = levels.iter().map(|level| level.log).collect();
    let middle = median(&logs);
    let relative = |log: f64| middle.map(|middle| round_to_seven_digits((log - middle).exp()));
    let ends = logs.iter().copied().reduce(f64::min).zip(logs.iter().copied().reduce(f64::max));
    Standing {
        figure: figure.clone(),
        reports: compared.len(),
        others: all.iter().filter(has_name).count().saturating_sub(compared.len()),
        cards,
        compared: levels.len(),
        median: middle
            .map(|log| round_to_seven_digits(if figure.unit == Unit::Time { (-log).exp() } else { log.exp() })),
        ratio: relative(own.log),
        range: ends.and_then(|(low, high)| Some((relative(low)?, relative(high)?))),
        certain: (certain(own, &levels, 1.0, level), certain(own, &levels, -1.0, level)),
    }
}

/// Mean of the runs of a card.
fn level_of(figures: &[&Figure], between: Variance) -> LogValue {
    let count = figures.len() as f64;
    let log = figures.iter().map(|figure| figure.log_speed()).sum::<f64>() / count;
    let variances: Option<Vec<Variance>> = figures.iter().map(|figure| figure.variance()).collect();
    let shrunk = |variance: Variance, by: f64| Variance { value: variance.value / by, ..variance };
    let variance = variances.map(|all| {
        let own = all.into_iter().map(|variance| shrunk(variance, count * count));
        sum(own.chain([shrunk(between, count)]))
    });
    LogValue { log, variance }
}

/// How many of `others` are certainly faster than `own` (`sign` 1), or slower (−1): the largest k with a p-value of the
/// partial conjunction of at most `level`.
fn certain(own: LogValue, others: &[LogValue], sign: f64, level: f64) -> usize {
    let p_value = |other: &LogValue| {
        let ahead = other.over(own);
        LogValue { log: sign * ahead.log, ..ahead }.p_at_most(0.0).unwrap_or(1.0)
    };
    let mut p_values: Vec<f64> = others.iter().map(p_value).collect();
    p_values.sort_by(f64::total_cmp);
    let count = p_values.len();
    let holds = |k: &usize| (count - k + 1) as f64 * p_values[k - 1] <= level;
    (1..=count).rev().find(holds).unwrap_or(0)
}

/// What runs of one card differ by, by figure.
struct BetweenRuns {
    /// Squared distances from the card's mean, and their degrees.
    by_name: BTreeMap<String, (f64, f64)>,
    pooled: Variance,
}

impl BetweenRuns {
    /// Of cards with several runs under one set of settings.
    fn of(run: &Reference, others: &[&Reference]) -> Self {
        let mut groups: BTreeMap<[&str; 5], Vec<f64>> = BTreeMap::new();
        for reference in others.iter().copied().chain([run]) {
            for figure in reference.figures.iter().chain(&reference.copy_in) {
                let key = [&*figure.name, &*figure.case, &*figure.settings, &*reference.profile, &*reference.card];
                groups.entry(key).or_default().push(figure.log_speed());
            }
        }
        let mut by_name: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        for ([name, ..], logs) in groups.into_iter().filter(|(_, logs)| logs.len() > 1) {
            let mean = logs.iter().sum::<f64>() / logs.len() as f64;
            let known = by_name.entry(name.to_owned()).or_default();
            known.0 += logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>();
            known.1 += (logs.len() - 1) as f64;
        }
        let (squares, degrees) = by_name.values().fold((0.0, 0.0), |sum, known| (sum.0 + known.0, sum.1 + known.1));
        Self { pooled: moderated(BETWEEN_RUNS, squares, degrees), by_name }
    }

    /// That of a figure, moderated by what all figures show.
    fn of_figure(&self, name: &str) -> Variance {
        let (squares, degrees) = self.by_name.get(name).copied().unwrap_or_default();
        // Figures differ in how steady they are: together they count as little as the prior.
        let prior = Variance { degrees: BETWEEN_RUNS.degrees, ..self.pooled };
        moderated(prior, squares, degrees)
    }
}

fn moderated(prior: Variance, squares: f64, degrees: f64) -> Variance {
    let sum = prior.degrees + degrees;
    Variance { value: (prior.degrees * prior.value + squares) / sum, degrees: sum }
}
