//! How runs stand among others, for programs.

use serde::Serialize;

use super::sentences;
use crate::answers::among::{Reference, Standing, Unit, standings};
use crate::record::Record;

/// How a run stands among others of its model.
#[derive(Debug, Serialize)]
pub struct Normality {
    report: String,
    device: String,
    api: String,
    compiler: String,
    date: String,
    figures: Vec<Figure>,
    /// What follows from the figures, and what was not compared.
    sentences: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Figure {
    name: String,
    case: String,
    unit: &'static str,
    value: f64,
    /// Median of what is compared.
    median: Option<f64>,
    /// This speed ÷ the median speed.
    ratio: Option<f64>,
    /// Numbers of reports and cards with this figure and the same settings, without this one.
    reports: usize,
    cards: usize,
    /// Reports of the model under other settings, which are not compared.
    not_compared: usize,
    /// The slowest and the fastest ÷ the median.
    least_ratio: Option<f64>,
    most_ratio: Option<f64>,
    /// The share of cards that are slower than this one; null with too few cards.
    slower_at_least: Option<f64>,
    slower_at_most: Option<f64>,
    /// Certainly beyond nearly all others.
    is_slow: bool,
    is_fast: bool,
}

/// How each run in `records`, the report called `name`, stands among others.
#[must_use]
pub fn data(name: &str, records: &[Record], references: &[Reference]) -> Vec<Normality> {
    let of_run = |run: Reference| {
        let standings = standings(&run, references);
        let sentences = sentences(&run, &standings, records, references);
        Normality {
            report: name.to_owned(),
            device: run.device,
            api: run.api,
            compiler: run.compiler,
            date: run.date,
            figures: standings.into_iter().map(Figure::from).collect(),
            sentences,
        }
    };
    Reference::of_report(records).into_iter().map(of_run).collect()
}

impl From<Standing> for Figure {
    fn from(standing: Standing) -> Self {
        let ((least_ratio, most_ratio), (slower_at_least, slower_at_most)) =
            (standing.range.unzip(), standing.quantile().unzip());
        let (is_slow, is_fast) = (standing.is_slow(), standing.is_fast());
        Self {
            unit: match standing.figure.unit {
                Unit::Bytes => "GB/s",
                Unit::Flops => "GFLOP/s",
                Unit::Operations => "GOP/s",
                Unit::Time => "ns",
            },
            name: standing.figure.name,
            case: standing.figure.case,
            value: standing.figure.value,
            median: standing.median,
            ratio: standing.ratio,
            reports: standing.reports,
            cards: standing.cards,
            not_compared: standing.others,
            least_ratio,
            most_ratio,
            slower_at_least,
            slower_at_most,
            is_slow,
            is_fast,
        }
    }
}
