use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::LazyLock;

use rayon::prelude::*;

use super::student::f_above;

/// A variance with its degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variance {
    /// The variance, above zero.
    pub value: f64,
    /// Degrees of freedom, at least 1.
    pub degrees: f64,
}

/// The variance of a row and the classes it belongs to.
#[derive(Debug, Clone)]
pub struct Observation<K> {
    /// The row's classes, finest first. Classes with fewer than [`LEAST`] rows are ignored.
    pub classes: Vec<K>,
    /// The row's own variance.
    pub variance: Variance,
}

/// Minimum number of rows in a class.
pub const LEAST: usize = 10;

/// Logarithms of variances are winsorised at this quantile and its mirror image.
const WINSORISED: f64 = 0.1;

/// Minimum degrees of freedom of a prior, even for classes whose rows scatter more.
const LEAST_DEGREES: f64 = 0.5;

/// The distribution of the true variances in a class: scaled inverse χ² with `degrees`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Prior {
    value: f64,
    degrees: f64,
}

/// Moderates variances, as limma does: s̃² = (d₀ s₀² + d s²) / (d₀ + d) with d₀ + d degrees of freedom (Smyth,
/// *Statistical Applications in Genetics and Molecular Biology* 3, 2004). s₀² and d₀ belong to the row's class. They
/// are fitted so that the logarithms of the class's variances have the mean and variance that the F distribution gives
/// them, both winsorised at 10 % on either side against a few huge variances (Phipson, Lee, Majewski, Alexander &
/// Smyth, *Annals of Applied Statistics* 10, 2016). d₀ is at most the sum of the class's degrees. As in that paper, a
/// row whose variance is too large for the class has a smaller d₀, down to 0: only its own variance counts. Rows
/// without a class of [`LEAST`] rows keep their own variance.
#[must_use]
pub fn moderate<K: Eq + Hash + Sync>(rows: &[Observation<K>]) -> Vec<Variance> {
    let mut members: HashMap<&K, Vec<usize>> = HashMap::new();
    for (index, row) in rows.iter().enumerate() {
        row.classes.iter().for_each(|class| members.entry(class).or_default().push(index));
    }
    let is_large = |class: &&K| members.get(class).is_some_and(|members| members.len() >= LEAST);
    let own: Vec<Option<&K>> = rows.iter().map(|row| row.classes.iter().find(is_large)).collect();
    let fitted: HashSet<&K> = own.iter().copied().flatten().collect();
    let fitted: Vec<&K> = fitted.into_iter().collect();
    let of_class = |class: &&K| {
        let members = &members[*class];
        let variances: Vec<Variance> = members.iter().map(|index| rows[*index].variance).collect();
        let prior = fit(&variances);
        let degrees = members.iter().copied().zip(prior_degrees(prior, &variances));
        degrees.map(|(index, degrees)| (index, prior.value, degrees)).filter(|row| own[row.0] == Some(*class)).collect()
    };
    let priors: Vec<Vec<(usize, f64, f64)>> = fitted.par_iter().map(of_class).collect();
    let mut moderated: Vec<Variance> = rows.iter().map(|row| row.variance).collect();
    for (index, value, degrees) in priors.into_iter().flatten() {
        let own = &mut moderated[index];
        let sum = degrees + own.degrees;
        *own = Variance { value: (degrees * value + own.degrees * own.value) / sum, degrees: sum };
    }
    moderated
}

fn fit(variances: &[Variance]) -> Prior {
    let mut logs: Vec<f64> = variances.iter().map(|variance| variance.value.ln()).collect();
    logs.sort_by(f64::total_cmp);
    let at = |probability: f64| {
        let rank = probability * (logs.len() - 1) as f64;
        let (low, high) = (logs[rank.floor() as usize], logs[rank.ceil() as usize]);
        low + (high - low) * rank.fract()
    };
    let (low, high) = (at(WINSORISED), at(1.0 - WINSORISED));
    let count = logs.len() as f64;
    let mean = logs.iter().map(|log| log.clamp(low, high)).sum::<f64>() / count;
    let spread = logs.iter().map(|log| (log.clamp(low, high) - mean).powi(2)).sum::<f64>() / (count - 1.0);

    let mut degrees: Vec<(f64, f64)> = Vec::new();
    for variance in variances {
        match degrees.iter_mut().find(|(known, _)| *known == variance.degrees) {
            Some((_, number)) => *number += 1.0,
            None => degrees.push((variance.degrees, 1.0)),
        }
    }
    // The spread falls as d₀ grows: find the logarithm of d₀ whose spread is that of the class.
    let most: f64 = variances.iter().map(|variance| variance.degrees).sum();
    let (mut few, mut many) = (LEAST_DEGREES.ln(), most.ln());
    let excess = |log: f64| moments(&degrees, log.exp()).1 - spread;
    let [at_few, at_many] = [few, many].map(excess);
    let log = match () {
        () if at_many >= 0.0 => many,
        () if at_few <= 0.0 => few,
        () => zero(excess, [(few, at_few), (many, at_many)]),
    };
    // Round up to a step of at most 10⁻⁴, so that sums in another order give the same digits.
    while at_many < 0.0 && many - few > 1e-4 {
        let middle = f64::midpoint(few, many);
        if middle < log {
            few = middle;
        } else {
            many = middle;
        }
    }
    let prior = many.exp();
    Prior { value: (mean - moments(&degrees, prior).0).exp(), degrees: prior }
}

/// A function's zero between points of different sign, by inverse quadratic interpolation where this is safe, else by
/// bisection (Chandrupatla, *Advances in Engineering Software* 28, 1997).
fn zero(of: impl Fn(f64) -> f64, ends: [(f64, f64); 2]) -> f64 {
    const TOLERANCE: f64 = 1e-7;
    let [mut b, mut a] = ends;
    let mut part = 0.5;
    loop {
        let at = a.0 + part * (b.0 - a.0);
        let new = (at, of(at));
        let c = if (new.1 > 0.0) == (a.1 > 0.0) {
            a
        } else {
            let c = b;
            b = a;
            c
        };
        a = new;
        let least = TOLERANCE / (b.0 - a.0).abs();
        if least > 0.5 || a.1 == 0.0 {
            return a.0;
        }
        let (xi, phi) = ((a.0 - b.0) / (c.0 - b.0), (a.1 - b.1) / (c.1 - b.1));
        let is_safe = phi * phi < xi && (1.0 - phi).powi(2) < 1.0 - xi;
        part = if is_safe {
            a.1 / (b.1 - a.1) * c.1 / (b.1 - c.1) + (c.0 - a.0) / (b.0 - a.0) * a.1 / (c.1 - a.1) * b.1 / (c.1 - b.1)
        } else {
            0.5
        };
        part = part.clamp(least, 1.0 - least);
    }
}

/// The density of ln F is computed at the midpoints of `STEPS` steps of width `STEP` that start at `LOW`.
const LOW: f64 = -30.0;
const STEP: f64 = 0.05;
const STEPS: usize = 1800;
/// The first step above F = 1.
const MODE: usize = 600;
/// Steps with a lower log density, relative to the mode, are left out of sums.
const NEGLIGIBLE: f64 = -45.0;

fn point(step: usize) -> f64 {
    LOW + (step as f64 + 0.5) * STEP
}

static POINTS_EXP: LazyLock<Vec<f64>> = LazyLock::new(|| (0..STEPS).map(|step| point(step).exp()).collect());

/// Winsorised mean and variance of ln F for `prior` denominator and these numerator degrees (each with its row count).
fn moments(degrees: &[(f64, f64)], prior: f64) -> (f64, f64) {
    let mut density = vec![0.0; STEPS];
    for (own, number) in degrees {
        let half = f64::midpoint(*own, prior);
        let log = |step: usize| own / 2.0 * point(step) - half * (own / prior * POINTS_EXP[step]).ln_1p();
        // The density falls on both sides of its mode, which is F = 1.
        let highest = log(MODE).max(log(MODE - 1));
        let relative = |step: usize| log(step) - highest;
        let is_there = |log: &f64| *log > NEGLIGIBLE;
        let mut part: Vec<f64> = (0..MODE).rev().map(relative).take_while(is_there).map(f64::exp).collect();
        part.reverse();
        let first = MODE - part.len();
        part.extend((MODE..STEPS).map(relative).take_while(is_there).map(f64::exp));
        let sum: f64 = part.iter().sum();
        density[first..].iter_mut().zip(&part).for_each(|(at, own)| *at += number * own / sum);
    }
    let whole: f64 = density.iter().sum();
    let quantile = |probability: f64| {
        let mut below = 0.0;
        for (step, at) in density.iter().enumerate() {
            if below + at >= probability * whole {
                return LOW + (step as f64 + (probability * whole - below) / at) * STEP;
            }
            below += at;
        }
        LOW + STEPS as f64 * STEP
    };
    let (low, high) = (quantile(WINSORISED), quantile(1.0 - WINSORISED));
    let mean_of = |of: &dyn Fn(f64) -> f64| {
        let at = |(step, at): (usize, &f64)| at * of(point(step).clamp(low, high));
        density.iter().enumerate().map(at).sum::<f64>() / whole
    };
    let mean = mean_of(&|z| z);
    (mean, mean_of(&|z| (z - mean).powi(2)))
}

/// The prior's degrees for each row. If the row's variance is too large for the class, only this fraction of them: tail
/// probability ÷ expected rank. Larger variances never have more degrees.
fn prior_degrees(prior: Prior, variances: &[Variance]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..variances.len()).collect();
    order.sort_by(|a, b| variances[*b].value.total_cmp(&variances[*a].value));
    let mut degrees = vec![prior.degrees; variances.len()];
    let mut kept: f64 = 0.0;
    for (larger, index) in order.into_iter().enumerate() {
        let tail = f_above(variances[index].value / prior.value, variances[index].degrees, prior.degrees);
        let expected = (larger as f64 + 0.5) / variances.len() as f64;
        kept = kept.max((tail / expected).min(1.0));
        degrees[index] = kept * prior.degrees;
    }
    degrees
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::super::student;
    use super::*;

    /// `count` rows: true variances s₀² / (χ²₆ / 6), and observed ones with `degrees`.
    fn rows(random: &mut Random, count: usize, value: f64, degrees: usize) -> (Vec<f64>, Vec<Variance>) {
        let one = |random: &mut Random| {
            let truth = value / random.chi(6);
            (truth, Variance { value: truth * random.chi(degrees), degrees: degrees as f64 })
        };
        (0..count).map(|_| one(random)).unzip()
    }

    fn observed(variances: &[Variance]) -> Vec<Observation<u8>> {
        variances.iter().map(|variance| Observation { classes: vec![0], variance: *variance }).collect()
    }

    #[test]
    fn the_prior_of_simulated_rows_is_found() {
        let mut random = Random(2026);
        for degrees in [2, 4, 7] {
            let priors: Vec<Prior> = (0..20).map(|_| fit(&rows(&mut random, 2000, 0.25, degrees).1)).collect();
            let mean = |of: fn(&Prior) -> f64| priors.iter().map(of).sum::<f64>() / priors.len() as f64;
            let (value, found) = (mean(|prior| prior.value), mean(|prior| prior.degrees));
            assert!((value / 0.25 - 1.0).abs() < 0.03, "{value} with {degrees} degrees");
            assert!((found / 6.0 - 1.0).abs() < 0.07, "{found} with {degrees} degrees");
        }
    }

    #[test]
    fn rows_of_different_degrees_share_a_prior() {
        let mut random = Random(7);
        let mut variances = rows(&mut random, 4000, 3.0, 3).1;
        variances.extend(rows(&mut random, 4000, 3.0, 7).1);
        let prior = fit(&variances);
        assert!((prior.value / 3.0 - 1.0).abs() < 0.05 && (prior.degrees / 6.0 - 1.0).abs() < 0.15, "{prior:?}");
    }

    #[test]
    fn a_class_of_equal_variances_has_as_many_degrees_as_it_may() {
        let mut random = Random(11);
        let variances: Vec<Variance> =
            (0..2000).map(|_| Variance { value: 2.0 * random.chi(4), degrees: 4.0 }).collect();
        let prior = fit(&variances);
        assert!(prior.degrees > 100.0 && (prior.value / 2.0 - 1.0).abs() < 0.04, "{prior:?}");
        assert!(prior.degrees <= 8000.0);
        let same = vec![Variance { value: 1e-6, degrees: 4.0 }; 30];
        let prior = fit(&same);
        assert!((prior.degrees - 120.0).abs() < 1e-6, "{prior:?}");
    }

    fn coverage(random: &mut Random, count: usize, outliers: usize, factor: f64) -> (f64, f64) {
        const EPOCHS: usize = 5;
        let (mut held, mut all) = ([0_usize; 2], [0_usize; 2]);
        for _ in 0..60_000 / count {
            let (mut means, mut variances) = (Vec::new(), Vec::new());
            for row in 0..count {
                let truth = if row < outliers { factor } else { 1.0 } / random.chi(6);
                let values: Vec<f64> = (0..EPOCHS).map(|_| truth.sqrt() * random.normal()).collect();
                let mean = values.iter().sum::<f64>() / EPOCHS as f64;
                let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
                means.push(mean);
                variances.push(Variance { value: squares / 4.0, degrees: 4.0 });
            }
            for (row, (mean, variance)) in means.iter().zip(moderate(&observed(&variances))).enumerate() {
                let kind = usize::from(row < outliers);
                all[kind] += 1;
                let reach = student(variance.degrees) * (variance.value / EPOCHS as f64).sqrt();
                held[kind] += usize::from(mean.abs() <= reach);
            }
        }
        let share = |kind: usize| if all[kind] == 0 { 1.0 } else { held[kind] as f64 / all[kind] as f64 };
        (share(0), share(1))
    }

    #[test]
    #[ignore = "takes minutes: scripts/test.sh --all"]
    fn intervals_of_five_values_cover_95_percent_with_few_and_with_many_rows() {
        let mut random = Random(2027);
        for count in [10, 20, 50, 500] {
            let (usual, _) = coverage(&mut random, count, 0, 1.0);
            assert!((0.94..=0.96).contains(&usual), "{usual} with {count} rows");
        }
    }

    #[test]
    fn rows_with_a_huge_variance_of_their_own_stay_honest_and_spoil_no_other() {
        let mut random = Random(2028);
        for (count, outliers, factor) in [(200, 4, 1e4), (200, 10, 100.0), (40, 2, 100.0), (1000, 50, 30.0)] {
            let (usual, odd) = coverage(&mut random, count, outliers, factor);
            assert!((0.94..=0.965).contains(&usual), "{usual} of usual rows, {count} rows, factor {factor}");
            assert!((0.90..=0.97).contains(&odd), "{odd} of odd rows, {count} rows, factor {factor}");
        }
        // A prior that counted the outliers would have few degrees.
        let (_, mut variances) = rows(&mut random, 2000, 1.0, 4);
        variances[..100].iter_mut().for_each(|variance| variance.value *= 1e4);
        assert!(fit(&variances).degrees > 3.0, "{:?}", fit(&variances));
    }

    #[test]
    fn small_classes_use_the_next_one_and_few_rows_stand_for_themselves() {
        let mut random = Random(5);
        let variances = rows(&mut random, 60, 1.0, 4).1;
        let all: Vec<_> = variances
            .iter()
            .enumerate()
            .map(|(index, variance)| Observation {
                classes: vec![if index < 9 { "few" } else { "many" }, "all"],
                variance: *variance,
            })
            .collect();
        let moderated = moderate(&all);
        let coarse = moderate(&observed(&variances));
        assert_eq!(moderated[..9], coarse[..9], "as in the class of all");
        assert_eq!(moderated[9..], moderate(&observed(&variances[9..])), "as in their own class");
        assert_eq!(moderate(&observed(&variances[..9])), variances[..9]);
        assert!(moderate::<u8>(&[]).is_empty());
    }
}
