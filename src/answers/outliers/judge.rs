//! Decides which units of a fleet are slow.

use std::collections::{BTreeMap, HashMap};

use crate::compare::FALSE_DISCOVERIES;
use crate::outliers::{Fleet, Model, Unit};
use record::stats::{
    Estimate, SPREAD_EFFICIENCY, benjamini_hochberg, binomial_above, median, median_interval, simes, spread, student,
    student_above,
};

/// Minimum number of units of a model for an estimate of their spread.
pub const LEAST_UNITS: usize = 4;

/// Minimum spread: no two cards are known to be more alike than 0.1 %.
const LEAST_SPREAD: f64 = 0.001;

/// Variance of a median ÷ variance of a mean, for normal values: π / 2.
const OF_MEDIAN: f64 = std::f64::consts::FRAC_PI_2;

/// Which units count as slow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// Minimum slow-down to report, as a fraction.
    pub limit: f64,
    /// Expected share of false discoveries among the reported units.
    pub false_discoveries: f64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { limit: 0.02, false_discoveries: FALSE_DISCOVERIES }
    }
}

/// The units of a model in one family.
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    /// The model.
    pub model: Model,
    /// Name of the family.
    pub family: String,
    /// Number of cases.
    pub cases: usize,
    /// Number of units.
    pub units: usize,
    /// Spread between the units: standard deviation of the logarithm of their times, robust against outliers.
    pub spread: f64,
    /// Time of the fastest and of the slowest unit ÷ the median of all units.
    pub range: [f64; 2],
}

/// A family in which a unit is slow.
#[derive(Debug, Clone, PartialEq)]
pub struct SlowFamily {
    /// Index of the family in [`Verdicts::families`].
    pub family: usize,
    /// Time ÷ median of the model, over the cases of the family, with a 95 % interval.
    pub ratio: Estimate,
}

/// A slow unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Slow {
    /// The unit.
    pub unit: Unit,
    /// Time ÷ median of the model, over all cases of the unit, with a 95 % interval.
    pub ratio: Estimate,
    /// The p-value of the hypothesis that the unit is not slow, adjusted for the number of units.
    pub adjusted_p: f64,
    /// The families in which it is slow, the slowest first.
    pub families: Vec<SlowFamily>,
}

/// The verdicts on a fleet.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdicts {
    /// Number of units.
    pub units: usize,
    /// Number of units tested: those of models with at least [`LEAST_UNITS`] units.
    pub tested: usize,
    /// The families of each model that has enough units.
    pub families: Vec<Family>,
    /// The slow units, the slowest first.
    pub slow: Vec<Slow>,
    /// Units with wrong, failed or implausible rows, and the number of rows of each status.
    pub faulty: Vec<(Unit, BTreeMap<&'static str, usize>)>,
}

struct Score {
    family: usize,
    /// Logarithm of time ÷ median of the model.
    log: f64,
    logs: Vec<f64>,
    /// Variance of `log` due to the noise of the rows.
    noise: f64,
    /// Variance of the model's median.
    centre: f64,
    p: f64,
}

type Ratios = BTreeMap<usize, Vec<(f64, f64)>>;

impl Fleet {
    /// Tests each unit against the others of its model.
    ///
    /// For each unit and family, the statistic is the median over the cases of log(time ÷ median of the model). It is
    /// divided by the spread of the units ([`spread`]), to which a unit with unusually noisy rows adds the noise of its
    /// epochs. Its tail is Student's. Rows that a host disturbs do not follow this tail. Therefore at least half of the
    /// cases must be slow, and the p-value is at least the probability of that many disturbed rows.
    ///
    /// Simes' test combines the families of a unit (*Biometrika* 73, 1986). The units are corrected for their number
    /// after Benjamini and Hochberg. The families of a slow unit are those kept by Benjamini and Bogomolov's procedure
    /// (*Journal of the Royal Statistical Society B* 76, 2014), if their slow-down reaches the limit.
    #[must_use]
    pub fn judge(&self, rules: &Rules) -> Verdicts {
        let (families, scores) = self.scores();
        let tested: Vec<(usize, Vec<Score>)> = scores.into_iter().collect();
        let joint: Vec<f64> = tested.iter().map(|(_, scores)| simes(&p_values(scores))).collect();
        let adjusted = benjamini_hochberg(&joint);
        let found = adjusted.iter().filter(|p| **p <= rules.false_discoveries).count();
        let level = rules.false_discoveries * found as f64 / tested.len().max(1) as f64;
        let mut slow: Vec<Slow> = Vec::new();
        for ((unit, scores), adjusted_p) in tested.iter().zip(&adjusted) {
            if *adjusted_p > rules.false_discoveries {
                continue;
            }
            let within = benjamini_hochberg(&p_values(scores));
            let is_slow = |(score, p): &(&Score, &f64)| **p <= level && score.log >= rules.limit.ln_1p();
            let named = scores.iter().zip(&within).filter(is_slow);
            let mut families: Vec<SlowFamily> =
                named.map(|(score, _)| SlowFamily { family: score.family, ratio: ratio(&[score]) }).collect();
            families.sort_by(|a, b| b.ratio.value.total_cmp(&a.ratio.value));
            if !families.is_empty() {
                let all: Vec<&Score> = scores.iter().collect();
                let unit = self.units.all[*unit].clone();
                slow.push(Slow { unit, ratio: ratio(&all), adjusted_p: *adjusted_p, families });
            }
        }
        let worst = |slow: &Slow| slow.families.first().map_or(0.0, |family| family.ratio.value);
        slow.sort_by(|a, b| worst(b).total_cmp(&worst(a)));
        let faulty = self.faults.iter().map(|(unit, faults)| (self.units.all[*unit].clone(), faults.clone()));
        Verdicts { units: self.units.all.len(), tested: tested.len(), families, slow, faulty: faulty.collect() }
    }

    fn scores(&self) -> (Vec<Family>, BTreeMap<usize, Vec<Score>>) {
        // Logarithms and variances of each unit, by model and family, in the order of the cases.
        let mut order: Vec<(usize, &str)> = Vec::new();
        let mut ratios: HashMap<(usize, &str), (usize, Ratios)> = HashMap::new();
        for case in self.cases.iter().filter(|case| case.times.len() >= LEAST_UNITS) {
            let mean = |unit: &usize| case.times[unit].sum / case.times[unit].runs;
            let means: Vec<f64> = case.times.keys().map(mean).collect();
            let centre = median(&means).unwrap_or_default();
            let key = (case.model, case.family.as_str());
            let (cases, units) = ratios.entry(key).or_insert_with(|| {
                order.push(key);
                (0, BTreeMap::new())
            });
            *cases += 1;
            for (unit, times) in &case.times {
                let variance = times.variance / (times.runs * times.runs);
                units.entry(*unit).or_default().push((mean(unit) - centre, variance));
            }
        }
        let (mut families, mut scores): (Vec<Family>, BTreeMap<usize, Vec<Score>>) = (Vec::new(), BTreeMap::new());
        for key in order {
            let Some((cases, units)) = ratios.remove(&key) else { continue };
            let mut scored: Vec<(usize, Score)> = units.into_iter().map(|(unit, of)| (unit, score(&of))).collect();
            let Some(spread) = test(&mut scored) else { continue };
            let ends = scored
                .iter()
                .fold([f64::MAX, f64::MIN], |[low, high], (_, score)| [low.min(score.log), high.max(score.log)]);
            for (unit, score) in &mut scored {
                score.family = families.len();
                scores.entry(*unit).or_default().push(Score { logs: std::mem::take(&mut score.logs), ..*score });
            }
            let model = self.models.all[key.0].clone();
            let range = ends.map(f64::exp);
            families.push(Family { model, family: key.1.to_owned(), cases, units: scored.len(), spread, range });
        }
        (families, scores)
    }
}

/// The score of a unit from the logarithms and variances of its cases, without its p-value.
fn score(cases: &[(f64, f64)]) -> Score {
    let logs: Vec<f64> = cases.iter().map(|(log, _)| *log).collect();
    let count = cases.len() as f64;
    let variance = cases.iter().map(|(_, variance)| variance).sum::<f64>() / count;
    let factor = if cases.len() > 2 { OF_MEDIAN } else { 1.0 };
    let noise = factor * variance / count;
    Score { family: 0, log: median(&logs).unwrap_or_default(), logs, noise, centre: 0.0, p: 1.0 }
}

fn p_values(scores: &[Score]) -> Vec<f64> {
    scores.iter().map(|score| score.p).collect()
}

/// Sets the p-values of the units of one family. Returns the units' spread; `None` if there are too few units.
fn test(units: &mut [(usize, Score)]) -> Option<f64> {
    if units.len() < LEAST_UNITS {
        return None;
    }
    let logs: Vec<f64> = units.iter().map(|(_, score)| score.log).collect();
    let noises: Vec<f64> = units.iter().map(|(_, score)| score.noise).collect();
    let (centre, noise, spread) = (median(&logs)?, median(&noises)?, spread(&logs)?.max(LEAST_SPREAD));
    let count = units.len() as f64;
    for (_, score) in &mut *units {
        score.log -= centre;
        score.logs.iter_mut().for_each(|log| *log -= centre);
        score.centre = OF_MEDIAN * spread * spread / count;
        // The spread already contains the usual noise of the rows.
        let variance = spread * spread + (score.noise - noise).max(0.0) + score.centre;
        score.p = student_above(score.log / variance.sqrt(), SPREAD_EFFICIENCY * (count - 1.0));
    }
    let mut all: Vec<f64> = units.iter().flat_map(|(_, score)| score.logs.iter().copied()).collect();
    all.sort_by(f64::total_cmp);
    for (_, score) in units.iter_mut().filter(|(_, score)| score.log > 0.0) {
        score.p = score.p.max(chance_of_disturbances(score, &all));
    }
    Some(spread)
}

/// Probability that by chance so many cases of the unit are at least half as slow as their median, if each is as often
/// disturbed as the others' rows. `all` has the sorted logarithms of all units.
fn chance_of_disturbances(score: &Score, all: &[f64]) -> f64 {
    let limit = score.log / 2.0;
    let slow_cases = score.logs.iter().filter(|log| **log >= limit).count();
    let others = all.len() - all.partition_point(|log| *log < limit) - slow_cases;
    let rows = all.len() - score.logs.len();
    // Plus one: a few rows cannot prove that disturbances never happen.
    binomial_above(slow_cases, score.logs.len(), (others + 1) as f64 / (rows + 1) as f64)
}

/// Time ÷ median of the model over the cases of these families. The interval includes the spread of the cases, the
/// noise of the rows, and the uncertainty of the model's median.
fn ratio(scores: &[&Score]) -> Estimate {
    let logs: Vec<f64> = scores.iter().flat_map(|score| score.logs.iter().copied()).collect();
    let log = median(&logs).unwrap_or_default();
    let ratios: Vec<f64> = logs.iter().map(|log| log.exp()).collect();
    let (low, high) = median_interval(&ratios).map_or((log, log), |(low, high)| (low.ln(), high.ln()));
    let count = scores.len().max(1) as f64;
    let mean = |of: fn(&Score) -> f64| scores.iter().map(|score| of(score)).sum::<f64>() / count;
    // Families share the cards, so the errors of their medians are correlated.
    let variance = mean(|score| score.noise) / count + mean(|score| score.centre);
    let reach = student(f64::MAX) * variance.sqrt();
    let end = |distance: f64| distance.max(0.0).hypot(reach);
    Estimate { value: log.exp(), low: (log - end(log - low)).exp(), high: (log + end(high - log)).exp() }
}
