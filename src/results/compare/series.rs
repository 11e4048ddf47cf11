//! The times of a case as logarithms, by run and epoch, and the variance of their mean.

use crate::results::estimate::{Class, classes, least_variance, log_epochs, mean_and_squares};
use crate::results::stats::{Observation, Variance, moderate, student};
use crate::results::{Record, Status};

/// One run of a case.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Run<'a> {
    pub(super) record: &'a Record,
    /// Logarithm of the time of each epoch in nanoseconds, or of the median alone; at least one.
    pub(super) logs: Vec<f64>,
}

impl Run<'_> {
    pub(super) fn mean(&self) -> f64 {
        mean_and_squares(&self.logs).0
    }
}

/// The runs of a case on one side, or the differences between two APIs that took turns in the same runs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Series<'a> {
    /// At least one.
    pub(super) runs: Vec<Run<'a>>,
    classes: Vec<Class>,
    /// Least variance of an epoch.
    least: f64,
}

impl<'a> Series<'a> {
    /// The rows with a possible time; `None` if there are none.
    pub(super) fn new(records: &[&'a Record]) -> Option<Self> {
        let ok = records.iter().filter(|record| record.status == Status::Ok);
        let runs = ok.map(|record| Run { record, logs: log_epochs(record) });
        let runs: Vec<Run> = runs.filter(|run| !run.logs.is_empty()).collect();
        let least = runs.iter().map(|run| least_variance(run.record, run.mean().exp())).fold(0.0, f64::max);
        let classes = classes(runs.first()?.record, runs.first()?.mean().exp());
        Some(Self { runs, classes, least })
    }

    /// Differences between the epochs of two APIs that took turns: `a` − `b`. `None` unless every run has both.
    pub(super) fn of_turns(a: &Self, b: &Self) -> Option<Self> {
        let turn = |run: &Run<'a>| {
            let took_turns = |other: &&Run| {
                is_one_run(run.record, other.record) && run.logs.len() == other.logs.len() && run.logs.len() > 1
            };
            let other = b.runs.iter().find(took_turns)?;
            let logs = run.logs.iter().zip(&other.logs).map(|(a, b)| a - b).collect();
            Some(Run { record: run.record, logs })
        };
        let runs: Option<Vec<Run>> = a.runs.iter().map(turn).collect();
        let runs = runs.filter(|runs| runs.len() == b.runs.len())?;
        Some(Self { runs, classes: a.classes.clone(), least: a.least + b.least })
    }

    /// The finest class and the one above it.
    pub(super) fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// Mean of the runs' means.
    pub(super) fn mean(&self) -> f64 {
        mean_and_squares(&self.means()).0
    }

    fn means(&self) -> Vec<f64> {
        self.runs.iter().map(Run::mean).collect()
    }

    /// The factor from the variance between epochs to the variance of the mean.
    fn shrinking(&self) -> f64 {
        let count = self.runs.len() as f64;
        self.runs.iter().map(|run| (run.logs.len() as f64).recip()).sum::<f64>() / (count * count)
    }

    /// Variance between the epochs of a run, over all runs; `None` if no run has two.
    fn between_epochs(&self) -> Option<Variance> {
        let squares: f64 = self.runs.iter().map(|run| mean_and_squares(&run.logs).1).sum();
        let degrees: usize = self.runs.iter().map(|run| run.logs.len() - 1).sum();
        self.variance(squares, degrees, 1.0)
    }

    /// Variance between the means of runs; `None` for a single run.
    fn between_runs(&self) -> Option<Variance> {
        let count = self.runs.len();
        self.variance(mean_and_squares(&self.means()).1, count - 1, self.shrinking() * count as f64)
    }

    fn variance(&self, squares: f64, degrees: usize, shrinking: f64) -> Option<Variance> {
        let value = (squares / degrees as f64).max(self.least * shrinking);
        (degrees > 0).then_some(Variance { value, degrees: degrees as f64 })
    }
}

/// Whether two rows of different APIs were measured in turns: one run, one host, one card.
fn is_one_run(a: &Record, b: &Record) -> bool {
    let host = |row: &Record| (row.date.clone(), row.os.clone(), row.cpu.clone(), row.tool_version.clone());
    let is_one_card = if a.card.is_empty() || b.card.is_empty() { a.device == b.device } else { a.card == b.card };
    a.backend != b.backend && !a.date.is_empty() && is_one_card && host(a) == host(b)
}

/// The variance of each series' mean, for the mean of other runs of the same number; `None` if nothing is known about
/// run-to-run variation: a single run with less than two epochs.
///
/// For one run of E epochs it is the variance between epochs ÷ E. For k runs it is the variance between the runs' means
/// ÷ k, if that is larger than the variance between epochs ÷ kE; else their mean by degrees of freedom, since runs then
/// differ by their epochs alone. Each is moderated over all series first ([`moderate`]). So variation that no single run
/// shows widens the interval, and runs that agree by chance hardly narrow it.
pub(super) fn variances(all: &[Option<&Series>]) -> Vec<Option<Variance>> {
    let moderated = |of: &dyn Fn(&Series) -> Option<Variance>, factor: &dyn Fn(&Series) -> f64| {
        let known: Vec<(usize, &Series, Variance)> = all
            .iter()
            .enumerate()
            .filter_map(|(index, series)| series.and_then(|series| Some((index, series, of(series)?))))
            .collect();
        let observed: Vec<_> = known
            .iter()
            .map(|(_, series, variance)| Observation { classes: series.classes.clone(), variance: *variance })
            .collect();
        let mut found = vec![None; all.len()];
        for ((index, series, _), variance) in known.iter().zip(moderate(&observed)) {
            found[*index] = Some(Variance { value: variance.value * factor(series), ..variance });
        }
        found
    };
    let epochs = moderated(&|series| series.between_epochs(), &|series| series.shrinking());
    let runs = moderated(&|series| series.between_runs(), &|series| (series.runs.len() as f64).recip());
    epochs.into_iter().zip(runs).map(|(epochs, runs)| combined(epochs, runs)).collect()
}

fn combined(epochs: Option<Variance>, runs: Option<Variance>) -> Option<Variance> {
    match (epochs, runs) {
        (Some(epochs), Some(runs)) if runs.value < epochs.value => {
            let degrees = epochs.degrees + runs.degrees;
            let value = (epochs.degrees * epochs.value + runs.degrees * runs.value) / degrees;
            Some(Variance { value, degrees })
        }
        (epochs, runs) => runs.or(epochs),
    }
}

/// The larger of two variances.
pub(super) fn larger(a: Option<Variance>, b: Option<Variance>) -> Option<Variance> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if a.value < b.value { b } else { a }),
        (a, b) => a.or(b),
    }
}

/// Half width of the 95 % interval of a mean with this variance.
pub(super) fn reach(variance: Variance) -> f64 {
    student(variance.degrees) * variance.value.sqrt()
}

/// The variance of a sum of independent means, with the degrees of freedom of Welch and Satterthwaite (*Biometrics
/// Bulletin* 2, 1946).
pub(super) fn sum(variances: impl Iterator<Item = Variance>) -> Variance {
    let (mut value, mut squares) = (0.0, 0.0);
    for variance in variances {
        value += variance.value;
        squares += variance.value * variance.value / variance.degrees;
    }
    Variance { value, degrees: value * value / squares }
}
