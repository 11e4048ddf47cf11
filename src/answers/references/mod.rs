//! Compares a report with the built-in reports of the same model.
//!
//! Figures are compared if case, kernel, checks, clock and profile are the same and the rows are `ok`. One is slower or
//! faster if its interval lies outside those of all references, and it differs from their median by over the margin.

mod packed;
mod reference;
#[cfg(not(target_family = "wasm"))]
mod text;

use serde::Serialize;

pub use packed::{Shipped, pack, unpack};
pub use reference::{Figure, Reference, Unit};
#[cfg(not(target_family = "wasm"))]
pub use text::write;

use record::stats::{median, round_to_seven_digits};
use record::{MARGIN, Record};

/// A run compared with the references of its model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Beside {
    /// The report's name.
    pub report: String,
    /// The model.
    pub device: String,
    /// The API's name in the CSV.
    pub api: String,
    /// The WGSL compiler, if it is not wgpu's own.
    pub compiler: String,
    /// Start of the run.
    pub date: String,
    /// Number of references of the model with this API and compiler, without the run itself.
    pub references: usize,
    /// The headline figures that at least one reference also has.
    pub figures: Vec<Headline>,
}

/// A headline figure compared with the references.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Headline {
    /// This run's figure.
    #[serde(flatten)]
    pub figure: Figure,
    /// Number of references with this figure under the same settings.
    pub references: usize,
    /// The median of the references, in the figure's unit.
    pub median: f64,
    /// Time of this run ÷ median time of the references.
    pub time_ratio: f64,
    /// Time of the fastest and of the slowest reference ÷ median time of the references.
    pub time_range: (f64, f64),
    /// Whether it is slower than every reference.
    pub is_slow: bool,
    /// Whether it is faster than every reference.
    pub is_fast: bool,
}

/// Compares each run in `records`, from the report `name`, with `references`.
#[must_use]
pub fn beside(name: &str, records: &[Record], references: &[Reference]) -> Vec<Beside> {
    Reference::of_report(records).into_iter().map(|run| of_run(name, run, references)).collect()
}

fn of_run(name: &str, run: Reference, references: &[Reference]) -> Beside {
    let is_other = |other: &&Reference| run.is_of_model(other) && !run.is_same_run(other);
    let others: Vec<&Reference> = references.iter().filter(is_other).collect();
    let mut figures: Vec<Headline> = Vec::new();
    for figure in &run.figures {
        // Of several figures with one name, the first is the one in the summary.
        if !figures.iter().any(|known| known.figure.name == figure.name) {
            let like = others.iter().filter(|other| other.profile == run.profile);
            figures.extend(headline(figure, &like.filter_map(|other| other.like(figure)).collect::<Vec<_>>()));
        }
    }
    let Reference { device, api, compiler, date, .. } = run;
    Beside { report: name.to_owned(), device, api, compiler, date, references: others.len(), figures }
}

fn headline(figure: &Figure, others: &[&Figure]) -> Option<Headline> {
    let logs: Vec<f64> = others.iter().map(|other| other.log_speed()).collect();
    let middle = median(&logs)?;
    let relative = |log: f64| round_to_seven_digits((middle - log).exp());
    let (low, high) =
        logs.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), log| (log.min(low), log.max(high)));
    let time_ratio = relative(figure.log_speed());
    // Whether this speed, inverted if `sign` is -1, is certainly below those of all references.
    let is_below_all = |sign: f64| {
        let is_below = |other: &&Figure| {
            let reach = figure.reach.zip(other.reach).map(|(own, other)| own + other);
            reach.is_some_and(|reach| sign * (other.log_speed() - figure.log_speed()) > reach)
        };
        others.iter().all(is_below) && sign * time_ratio.ln() > MARGIN.ln_1p()
    };
    Some(Headline {
        references: others.len(),
        median: round_to_seven_digits(figure.unit.value(middle)),
        time_ratio,
        time_range: (relative(high), relative(low)),
        is_slow: is_below_all(1.0),
        is_fast: is_below_all(-1.0),
        figure: figure.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(date: &str, speed: f64, settings: &str) -> Reference {
        let figure = |name: &str, unit: Unit, value: f64| Figure {
            name: name.to_owned(),
            unit,
            value,
            reach: Some(0.002),
            case: String::new(),
            settings: settings.to_owned(),
        };
        Reference {
            device: "H200".to_owned(),
            date: date.to_owned(),
            figures: vec![
                figure("sum", Unit::Bytes, 4000.0 * speed),
                figure("launch", Unit::Time, 2000.0 / speed),
                // Another kernel of the same job, which may be faster on another card.
                figure("sum", Unit::Bytes, 3900.0 * speed),
            ],
            ..Reference::default()
        }
    }

    #[test]
    fn a_figure_outside_all_references_is_named_and_noise_is_not() {
        let references = [run("1", 1.0, ""), run("2", 1.01, ""), run("3", 0.99, ""), run("4", 0.5, "other checks")];
        for (speed, is_slow, is_fast) in
            [(0.9, true, false), (1.1, false, true), (0.988, false, false), (1.0, false, false)]
        {
            let found = of_run("r", run("5", speed, ""), &references);
            assert_eq!(
                (found.references, found.figures.len()),
                (4, 2),
                "the other settings count, and are not compared"
            );
            for figure in found.figures {
                assert_eq!((figure.is_slow, figure.is_fast), (is_slow, is_fast), "{speed}: {figure:?}");
                assert_eq!(figure.references, 3);
                let (fastest, slowest) = figure.time_range;
                assert!((figure.time_ratio * speed - 1.0).abs() < 1e-6 && fastest < 1.0 && slowest > 1.0);
            }
        }
        let mut noisy = run("5", 0.9, "");
        noisy.figures.iter_mut().for_each(|figure| figure.reach = None);
        assert!(of_run("r", noisy, &references).figures.iter().all(|figure| !figure.is_slow));
        let copy = of_run("r", run("1", 1.0, ""), &references[..1]);
        assert_eq!((copy.references, copy.figures.len()), (0, 0), "a report is no reference of itself");
    }
}
