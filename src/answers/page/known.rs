//! A card compared with the reference reports of other models.

use serde::Serialize;

use super::figure::Figure;
use crate::references::{self, Reference};
use record::format::plural;
use record::stats::median;
use record::suite::Api;
use record::{Record, is_software};

/// The headline figures of a card, and the medians over the reference reports of other models.
#[derive(Serialize)]
pub(super) struct Known {
    /// Column headings: the card, then each model with its API and number of reports.
    columns: Vec<String>,
    rows: Vec<KnownFigure>,
}

#[derive(Serialize)]
struct KnownFigure {
    name: String,
    /// The text and the speed relative to the fastest; `null` if a model lacks the figure.
    cells: Vec<Option<(String, Option<Figure>)>>,
}

/// The other models, through the card's API or, if there are none, through any API. `None` for a software device.
pub(super) fn known(rows: &[&Record], references: &[Reference]) -> Option<Known> {
    let records: Vec<Record> = rows.iter().copied().cloned().collect();
    if records.first().is_none_or(is_software) {
        return None;
    }
    let run = Reference::of_report(&records).into_iter().next()?;
    let is_other = |other: &&Reference| other.device != run.device && !other.device.contains("llvmpipe");
    let mut others: Vec<&Reference> = references.iter().filter(is_other).collect();
    if others.iter().any(|other| other.api == run.api) {
        others.retain(|other| other.api == run.api);
    }
    let mut models: Vec<((&str, &str), Vec<&Reference>)> = Vec::new();
    for other in others {
        let name = (other.device.as_str(), other.api.as_str());
        match models.iter_mut().find(|(known, _)| *known == name) {
            Some((_, reports)) => reports.push(other),
            None => models.push((name, vec![other])),
        }
    }
    let mut figures: Vec<KnownFigure> = Vec::new();
    for figure in &run.figures {
        if figures.iter().any(|known| known.name == figure.name) {
            continue;
        }
        let of_model = |(_, reports): &(_, Vec<&Reference>)| {
            let like = |own: &&references::Figure| own.name == figure.name && own.unit == figure.unit;
            let values = reports.iter().filter_map(|report| report.figures.iter().find(like));
            median(&values.map(references::Figure::log_speed).collect::<Vec<_>>())
        };
        let logs: Vec<Option<f64>> =
            [Some(figure.log_speed())].into_iter().chain(models.iter().map(of_model)).collect();
        if logs.iter().flatten().count() < 2 {
            continue;
        }
        let fastest = logs.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        let cell = |log: f64| (figure.unit.text(figure.unit.value(log)), Figure::new((log - fastest).exp(), 3));
        let cells = logs.into_iter().map(|log| log.map(cell)).collect();
        figures.push(KnownFigure { name: figure.name.clone(), cells });
    }
    let head = |((device, api), reports): &((&str, &str), Vec<&Reference>)| {
        let api = Api::named(api).map_or(*api, |api| api.title());
        format!("{device} · {api}, median of {}", plural(reports.len(), "report", "reports"))
    };
    let columns = std::iter::once("This card".to_owned()).chain(models.iter().map(head)).collect();
    (!figures.is_empty()).then_some(Known { columns, rows: figures })
}
