//! The cards of one host that ran in step: which ones are slower than the others of their model, and whether they slow
//! each other down.
//!
//! Fewer than four cards do not show what cards of their model differ by ([`Fleet::judge`](super::Fleet::judge)). So the
//! question is a smaller one: whether this card took longer than the others of this host in this run, by more than a
//! margin. Its answer follows from the epochs.

pub mod text;

use std::collections::HashMap;

use crate::answers::outliers::{Key, Model, Numbered};
use crate::record::Record;
use crate::record::stats::{
    Errors, Estimate, LogValue, Null, Observation, SPREAD_EFFICIENCY, Variance, adjusted_p_values, binomial_above,
    median, moderate, spread, student, student_beyond,
};
use crate::record::times::{Class, classes, degrees, least_variance, log_epochs, mean_and_squares};

/// Variance of a median ÷ variance of a mean, for normal values: π / 2.
const OF_MEDIAN: f64 = std::f64::consts::FRAC_PI_2;

/// Standard deviation of a row's time between two processes, besides what their epochs show, as a logarithm: 0.3 %
/// (`docs/method.md`).
const PROCESS: f64 = 0.003;

/// Fewest cases of a family whose scatter is estimated robustly.
const ROBUST: usize = 4;

/// Maximum weight of what the rows' own intervals say about the scatter of a family's cases, in degrees of freedom.
const PRIOR: f64 = 8.0;

/// When a card is slow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HostRules {
    /// Least slow-down that is reported, as a fraction: it must be certain.
    pub limit: f64,
    /// Probability that a host of equal cards has any finding, at most.
    pub level: f64,
}

impl Default for HostRules {
    fn default() -> Self {
        Self { limit: 0.02, level: 0.01 }
    }
}

/// A card against the others of its model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relative {
    /// Speed ÷ median speed of all cards of the model, over the cases of the family; of two cards, ÷ mean of both.
    pub share: f64,
    /// Time ÷ median of the other cards, with its 95 % interval.
    pub ratio: Estimate,
}

/// The cards of a model in one family.
#[derive(Debug, Clone, PartialEq)]
pub struct HostFamily {
    /// The model.
    pub model: Model,
    /// Name of the family.
    pub family: String,
    /// Number of cases.
    pub cases: usize,
    /// Each card of the host; `None` without rows in this family and model.
    pub cards: Vec<Option<Relative>>,
}

/// A card that is slow in a family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlowInHost {
    /// Index of the card.
    pub card: usize,
    /// Index of the family in [`Host::families`].
    pub family: usize,
}

/// A card that is slow in some cases of a family and as fast as the others in the rest, as one that a second process uses:
/// what survives in its caches between two turns differs from kernel to kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Uneven {
    /// Index of the card.
    pub card: usize,
    /// Index of the family in [`Host::families`].
    pub family: usize,
    /// Cases in which the card takes longer than the median of the others by the limit or more.
    pub slower: usize,
    /// Cases in which it takes less time by the limit or more.
    pub faster: usize,
    /// Median of time ÷ median time of the others, over the slower cases.
    pub typical: f64,
    /// Largest of these ratios.
    pub most: f64,
}

/// A case that was also measured while the other cards waited.
#[derive(Debug, Clone, PartialEq)]
pub struct Influence {
    /// The model.
    pub model: Model,
    /// Benchmark, type, size and parameters.
    pub case: String,
    /// For each card: time with all cards at work ÷ time alone, with its 95 % interval.
    pub cards: Vec<Option<Estimate>>,
    /// The cards that take longer together by the limit or more, for certain.
    pub slowed: Vec<usize>,
    /// The ratio that none of the cards exceeds, at 95 % for all cases together.
    pub bound: f64,
}

/// What the rows of one host's cards show.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Host {
    /// The families of each model with at least two cards.
    pub families: Vec<HostFamily>,
    /// The slow cards, family by family.
    pub slow: Vec<SlowInHost>,
    /// The cards that are slow in some cases of a family, beside those in `slow`.
    pub uneven: Vec<Uneven>,
    /// The cases that were also measured alone.
    pub influences: Vec<Influence>,
}

/// The times of a case, by card, and the median of its epochs.
struct Case {
    family: usize,
    times: Vec<Option<LogValue>>,
    medians: Vec<Option<f64>>,
}

impl Host {
    /// Compares the cards of a host. `cards` has the rows of each card, of one run in step.
    ///
    /// For each card and family, the ratio is the median over the cases of time ÷ median time of the other cards of the
    /// model. Its variance follows from the intervals of the rows and from the scatter of the cases around the median,
    /// whichever is larger; the test is Student's, that the ratio is above 1 + `limit`.
    ///
    /// A card may be slow in some cases only, which leaves the scatter too large for that. So a sign test asks whether it
    /// is slower by `limit` or more in more cases than it is faster by as much. A case counts by the median of its epochs,
    /// which one disturbed epoch does not move.
    ///
    /// Holm's procedure (*Scandinavian Journal of Statistics* 6, 1979) corrects for the number of cards, families and
    /// tests. So do the tests of whether cards slow each other down, which compare the epochs of a case with those
    /// measured alone.
    #[must_use]
    pub fn judge(cards: &[Vec<Record>], rules: &HostRules) -> Self {
        let mut models = Numbered::default();
        let (families, trials, signs) = families(cards, &mut models, rules.limit);
        let p_values = trials.iter().filter_map(|(_, test)| test.p_at_most(rules.limit.ln_1p()));
        let p_values: Vec<f64> = p_values.chain(signs.iter().map(Uneven::p)).collect();
        let found: Vec<bool> = Errors::Any.adjusted(&p_values).into_iter().map(|p| p <= rules.level).collect();
        let (by_median, by_sign) = found.split_at(trials.len());
        let slow: Vec<SlowInHost> =
            trials.iter().zip(by_median).filter_map(|((slow, _), is_found)| is_found.then_some(*slow)).collect();
        let is_new = |uneven: &Uneven| !slow.contains(&SlowInHost { card: uneven.card, family: uneven.family });
        let uneven = signs.iter().zip(by_sign).filter_map(|(uneven, is_found)| is_found.then_some(*uneven));
        let uneven = uneven.filter(is_new).collect();
        Self { families, slow, uneven, influences: influences(cards, &mut models, rules) }
    }
}

/// Each card's test in each family.
type Tests = Vec<(SlowInHost, LogValue)>;

/// The families with at least two cards of a model, and each card's tests.
fn families(cards: &[Vec<Record>], models: &mut Numbered<Model>, limit: f64) -> (Vec<HostFamily>, Tests, Vec<Uneven>) {
    let mut names: Numbered<(usize, String)> = Numbered::default();
    let (mut cases, mut indices): (Vec<Case>, HashMap<Key, usize>) = (Vec::new(), HashMap::new());
    for (card, records) in cards.iter().enumerate() {
        for (record, degrees) in records.iter().zip(degrees(records)) {
            let Some(time) = time(record, degrees).filter(|_| record.status.is_timed()) else { continue };
            let model = models.index(Model::of(record));
            let index = *indices.entry(Key::of(record, model)).or_insert_with(|| {
                let family = names.index((model, record.family.clone()));
                cases.push(Case { family, times: vec![None; cards.len()], medians: vec![None; cards.len()] });
                cases.len() - 1
            });
            cases[index].times[card] = Some(time);
            cases[index].medians[card] = median(&log_epochs(record));
        }
    }
    cases.retain(|case| case.times.iter().flatten().count() > 1);
    let (mut families, mut trials, mut signs) = (Vec::new(), Vec::new(), Vec::new());
    for (index, (model, family)) in names.all.iter().enumerate() {
        let own: Vec<&Case> = cases.iter().filter(|case| case.family == index).collect();
        if own.is_empty() {
            continue;
        }
        let relative = |card: usize| {
            let difference = difference(&own, card)?;
            let logs: Vec<f64> = own.iter().filter_map(|case| case.share(card)).collect();
            Some((Relative { share: median(&logs)?.exp(), ratio: difference.estimate()? }, difference))
        };
        let of_cards: Vec<Option<(Relative, LogValue)>> = (0..cards.len()).map(relative).collect();
        for (card, (_, difference)) in of_cards.iter().enumerate().filter_map(|(card, of)| Some((card, of.as_ref()?))) {
            trials.push((SlowInHost { card, family: families.len() }, *difference));
            signs.push(uneven(&own, card, families.len(), limit));
        }
        families.push(HostFamily {
            model: models.all[*model].clone(),
            family: family.clone(),
            cases: own.len(),
            cards: of_cards.into_iter().map(|of| of.map(|(relative, _)| relative)).collect(),
        });
    }
    (families, trials, signs)
}

/// In how many cases of a family a card differs from the others by the limit or more.
fn uneven(cases: &[&Case], card: usize, family: usize, limit: f64) -> Uneven {
    let ratios: Vec<f64> = cases.iter().filter_map(|case| case.median_against_others(card)).map(f64::exp).collect();
    let slower: Vec<f64> = ratios.iter().copied().filter(|ratio| *ratio >= 1.0 + limit).collect();
    let faster = ratios.iter().filter(|ratio| **ratio <= 1.0 / (1.0 + limit)).count();
    let (typical, most) = (median(&slower).unwrap_or(1.0), slower.iter().copied().fold(1.0, f64::max));
    Uneven { card, family, slower: slower.len(), faster, typical, most }
}

impl Uneven {
    /// Probability that of the cases that differ, so many or more are slower, if slower and faster are as likely.
    fn p(&self) -> f64 {
        binomial_above(self.slower, self.slower + self.faster, 0.5)
    }
}

impl Case {
    /// Logarithm of the card's speed ÷ median speed of all cards.
    fn share(&self, card: usize) -> Option<f64> {
        let all: Vec<f64> = self.times.iter().flatten().map(|time| time.log).collect();
        Some(median(&all)? - self.times[card]?.log)
    }

    /// Logarithm of the median of the card's epochs ÷ median of those of the others.
    fn median_against_others(&self, card: usize) -> Option<f64> {
        let others = self.medians.iter().enumerate().filter(|(other, _)| *other != card);
        let others: Vec<f64> = others.filter_map(|(_, log)| *log).collect();
        Some(self.medians[card]? - median(&others)?)
    }

    /// The card's time ÷ median time of the others.
    fn against_others(&self, card: usize) -> Option<LogValue> {
        let own = self.times[card]?;
        let others: Vec<LogValue> =
            self.times.iter().enumerate().filter(|(other, _)| *other != card).filter_map(|(_, time)| *time).collect();
        let variances: Vec<Variance> = others.iter().filter_map(|time| time.variance).collect();
        let count = others.len() as f64;
        let centre = median(&others.iter().map(|time| time.log).collect::<Vec<_>>())?;
        let mean = variances.iter().map(|variance| variance.value).sum::<f64>() / count;
        let of_centre = if others.len() > 2 { OF_MEDIAN * mean / count } else { mean / count };
        let degrees = variances.iter().map(|variance| variance.degrees).fold(own.variance?.degrees, f64::min);
        let value = own.variance?.value + of_centre + 2.0 * PROCESS * PROCESS;
        Some(LogValue { log: own.log - centre, variance: Some(Variance { value, degrees }) })
    }
}

/// The row's time; `None` without an interval of several epochs.
fn time(record: &Record, degrees: Option<f64>) -> Option<LogValue> {
    let (median, high, degrees) = (record.median_ns?, record.ci_high_ns?, degrees?);
    let error = (high / median).ln() / student(degrees);
    let variance = Some(Variance { value: error * error, degrees });
    (error.is_finite() && error >= 0.0).then(|| LogValue { log: median.ln(), variance })
}

/// A card against the others in the cases of a family.
fn difference(cases: &[&Case], card: usize) -> Option<LogValue> {
    let rows: Vec<LogValue> = cases.iter().filter_map(|case| case.against_others(card)).collect();
    let logs: Vec<f64> = rows.iter().map(|row| row.log).collect();
    let (log, count) = (median(&logs)?, rows.len() as f64);
    let known: Vec<Variance> = rows.iter().filter_map(|row| row.variance).collect();
    let variances: Vec<f64> = known.iter().map(|variance| variance.value).collect();
    let known = known.iter().map(|variance| variance.degrees).fold(PRIOR, f64::min);
    // A disturbed row hardly moves a median, so it must not widen its interval.
    let is_robust = rows.len() >= ROBUST;
    let of_rows = if is_robust { median(&variances)? } else { variances.iter().sum::<f64>() / count };
    let squares: f64 = logs.iter().map(|other| (other - log).powi(2)).sum();
    let (scatter, own) = match spread(&logs).filter(|_| is_robust) {
        Some(spread) => (spread * spread, SPREAD_EFFICIENCY * (count - 1.0)),
        None => (squares / (count - 1.0).max(1.0), count - 1.0),
    };
    let degrees = known + own;
    let of_cases = (known * of_rows + own * scatter) / degrees;
    let factor = if rows.len() > 2 { OF_MEDIAN } else { 1.0 };
    let value = factor * of_rows.max(of_cases) / count;
    Some(LogValue { log, variance: Some(Variance { value, degrees }) })
}

/// The cases that were also measured alone.
fn influences(cards: &[Vec<Record>], models: &mut Numbered<Model>, rules: &HostRules) -> Vec<Influence> {
    let (mut found, mut indices): (Vec<Influence>, HashMap<Key, usize>) = (Vec::new(), HashMap::new());
    let mut trials: Vec<(usize, usize, LogValue)> = Vec::new();
    for (card, records) in cards.iter().enumerate() {
        let rows: Vec<(&Record, f64, Observation<Class>)> = records.iter().filter_map(together_and_alone).collect();
        let observed: Vec<Observation<Class>> = rows.iter().map(|(_, _, observation)| observation.clone()).collect();
        for ((record, log, _), variance) in rows.into_iter().zip(moderate(&observed)) {
            let model = models.index(Model::of(record));
            let index = *indices.entry(Key::of(record, model)).or_insert_with(|| {
                let case =
                    format!("{} {} {} {}", record.name(), record.dtype_name(), record.size(), record.params_text());
                found.push(Influence {
                    model: models.all[model].clone(),
                    case: case.trim_end().to_owned(),
                    cards: vec![None; cards.len()],
                    slowed: Vec::new(),
                    bound: 0.0,
                });
                found.len() - 1
            });
            let counts = [record.epochs_ns.len(), record.alone_epochs_ns.len()];
            let value = variance.value * counts.map(|count| 1.0 / count as f64).iter().sum::<f64>();
            trials.push((index, card, LogValue { log, variance: Some(Variance { value, ..variance }) }));
        }
    }
    let logs: Vec<LogValue> = trials.iter().map(|(_, _, test)| *test).collect();
    let slowed = adjusted_p_values(&logs, Null::AtMost(rules.limit.ln_1p()), Errors::Any);
    let tail = 0.05 / trials.len().max(1) as f64;
    for ((index, card, test), adjusted) in trials.into_iter().zip(slowed) {
        let influence = &mut found[index];
        influence.cards[card] = test.estimate();
        influence.slowed.extend(adjusted.is_some_and(|p| p <= rules.level).then_some(card));
        let reach = test.variance.map_or(0.0, |own| student_beyond(tail, own.degrees) * own.value.sqrt());
        let bound = (test.log + reach).exp();
        influence.bound = influence.bound.max(bound);
    }
    found
}

/// Logarithm of the time with all cards at work ÷ alone, and the variance of one epoch.
fn together_and_alone(record: &Record) -> Option<(&Record, f64, Observation<Class>)> {
    let alone: Vec<f64> = record.alone_epochs_ns.iter().map(|ns| ns.ln()).filter(|log| log.is_finite()).collect();
    let together = log_epochs(record);
    if !record.status.is_timed() || alone.len() < 2 || together.len() < 2 {
        return None;
    }
    let ((mean, squares), (mean_alone, squares_alone)) = (mean_and_squares(&together), mean_and_squares(&alone));
    let degrees = (together.len() + alone.len() - 2) as f64;
    let value = ((squares + squares_alone) / degrees).max(least_variance(record, mean.exp()));
    let observation = Observation { classes: classes(record, mean.exp()), variance: Variance { value, degrees } };
    Some((record, mean - mean_alone, observation))
}

#[cfg(test)]
mod tests;
