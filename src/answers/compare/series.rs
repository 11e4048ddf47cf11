//! The times of a case as logarithms, by run and epoch, and the variance of their mean.

use record::Record;
use record::stats::{Observation, Variance, f_above, moderate};
use record::times::{Class, classes, least_variance, log_epochs, mean_and_squares};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Run<'a> {
    pub(super) record: &'a Record,
    /// Logarithms of the epochs' times in nanoseconds, or of the median alone; at least one.
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
    /// Minimum variance of an epoch.
    least: f64,
}

impl<'a> Series<'a> {
    /// The rows with a possible time; `None` if there are none.
    pub(super) fn new(records: &[&'a Record]) -> Option<Self> {
        let ok = records.iter().filter(|record| record.status.is_timed());
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

    pub(super) fn mean(&self) -> f64 {
        mean_and_squares(&self.means()).0
    }

    fn means(&self) -> Vec<f64> {
        self.runs.iter().map(Run::mean).collect()
    }

    /// Variance of the mean ÷ variance between epochs.
    fn shrinking(&self) -> f64 {
        let count = self.runs.len() as f64;
        self.runs.iter().map(|run| (run.logs.len() as f64).recip()).sum::<f64>() / (count * count)
    }

    /// The variance of the mean, from its own epochs alone.
    pub(super) fn own_variance(&self) -> Option<Variance> {
        let variance = self.between_epochs().variance()?;
        Some(Variance { value: variance.value * self.shrinking(), ..variance })
    }

    /// Squared distances between the epochs of a run, over all runs.
    fn between_epochs(&self) -> Squares {
        let sum = self.runs.iter().map(|run| mean_and_squares(&run.logs).1).sum();
        Squares { sum, degrees: self.runs.iter().map(|run| run.logs.len() - 1).sum(), least: self.least }
    }

    fn between_runs(&self) -> Squares {
        let count = self.runs.len();
        let least = self.least * self.shrinking() * count as f64;
        Squares { sum: mean_and_squares(&self.means()).1, degrees: count - 1, least }
    }
}

#[derive(Debug, Clone, Copy)]
struct Squares {
    sum: f64,
    degrees: usize,
    least: f64,
}

impl Squares {
    /// `None` without degrees of freedom.
    fn variance(self) -> Option<Variance> {
        let value = (self.sum / self.degrees as f64).max(self.least);
        (self.degrees > 0).then_some(Variance { value, degrees: self.degrees as f64 })
    }

    fn pooled(self, other: Self) -> Self {
        Self { sum: self.sum + other.sum, degrees: self.degrees + other.degrees, least: self.least.max(other.least) }
    }

    /// Whether two variances certainly differ: the F test's two-sided p-value is below 1 %.
    fn differs_from(self, other: Self) -> bool {
        self.variance().zip(other.variance()).is_some_and(|(a, b)| {
            let (large, small) = if a.value < b.value { (b, a) } else { (a, b) };
            2.0 * f_above(large.value / small.value, large.degrees, small.degrees) < 0.01
        })
    }
}

/// Whether two rows of different APIs or compilers took turns: same run, host and card. In a run with `--against`, the
/// builds may differ in version and driver, and so in the card's name.
fn is_one_run(a: &Record, b: &Record) -> bool {
    let host = |row: &Record| (row.date.clone(), row.os.clone(), row.cpu.clone(), row.host.clone());
    let is_like = || a.may_be_of_one_card(b) && a.tool_version == b.tool_version;
    let is_against = a.is_against() != b.is_against();
    a.toolchain() != b.toolchain() && !a.date.is_empty() && host(a) == host(b) && (is_against || is_like())
}

/// The variance of each series' mean, for the mean of the same number of other runs; `None` for a single run with fewer
/// than two epochs, whose run-to-run variation is unknown.
///
/// For one run of E epochs it is the variance between epochs ÷ E. For k runs it is the variance between the runs' means
/// ÷ k, if larger than the variance between epochs ÷ kE; otherwise runs differ only by their epochs, and it is the mean
/// of both, weighted by degrees of freedom. Each is moderated over all series first ([`moderate`]). So variation that
/// no single run shows widens the interval, and runs that agree by chance hardly narrow it.
pub(super) fn variances(all: &[Option<&Series>]) -> Vec<Option<Variance>> {
    let epochs = |series: &&Series| (series.between_epochs(), series.shrinking());
    let runs = |series: &&Series| (series.between_runs(), (series.runs.len() as f64).recip());
    moderated(all, |series| &series.classes, epochs, runs)
}

/// The variance of the difference between the means of each two independent series, like [`variances`]; `None` if
/// nothing is known about either, or if their variances certainly differ.
///
/// Both sides show how their epochs vary, so their squares are pooled before they are moderated, as in limma (residual
/// variances over all groups). Welch's sum of two moderated variances would count the variance of the class twice, and
/// trust a side that ended early because its few epochs agreed by chance.
pub(super) fn differences(all: &[Option<[&Series; 2]>]) -> Vec<Option<Variance>> {
    let is_alike = |[a, b]: &[&Series; 2]| !a.between_epochs().differs_from(b.between_epochs());
    let alike: Vec<Option<[&Series; 2]>> = all.iter().map(|pair| pair.filter(is_alike)).collect();
    let epochs = |[a, b]: &[&Series; 2]| (a.between_epochs().pooled(b.between_epochs()), a.shrinking() + b.shrinking());
    let runs = |[a, b]: &[&Series; 2]| {
        let factor = (a.runs.len() as f64).recip() + (b.runs.len() as f64).recip();
        (a.between_runs().pooled(b.between_runs()), factor)
    };
    moderated(&alike, |[a, _]| &a.classes, epochs, runs)
}

/// Moderated variances between epochs and between runs, each times its factor, combined into variances of means.
fn moderated<'s, T: 's>(
    all: &'s [Option<T>],
    classes: impl Fn(&'s T) -> &'s Vec<Class>,
    epochs: impl Fn(&T) -> (Squares, f64),
    runs: impl Fn(&T) -> (Squares, f64),
) -> Vec<Option<Variance>> {
    let all_of = |of: &dyn Fn(&T) -> (Squares, f64)| {
        let mut found = vec![None; all.len()];
        let (mut places, mut observed) = (Vec::new(), Vec::new());
        for (index, item) in all.iter().enumerate() {
            let Some(item) = item else { continue };
            let (squares, factor) = of(item);
            let Some(variance) = squares.variance() else { continue };
            places.push((index, factor));
            observed.push(Observation { classes: classes(item).clone(), variance });
        }
        for ((index, factor), variance) in places.into_iter().zip(moderate(&observed)) {
            found[index] = Some(Variance { value: variance.value * factor, ..variance });
        }
        found
    };
    let (epochs, runs) = (all_of(&epochs), all_of(&runs));
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

pub(super) fn larger(a: Option<Variance>, b: Option<Variance>) -> Option<Variance> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if a.value < b.value { b } else { a }),
        (a, b) => a.or(b),
    }
}
