//! Which runs are taken together.

use crate::record::Record;

/// Which runs are taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum By {
    /// Those of one card
    #[default]
    Card,
    /// Those of all cards of a model
    Model,
}

/// The rows of all cards of a model, in their order.
pub(super) fn by_model(records: impl IntoIterator<Item = Record>) -> Vec<Vec<Record>> {
    let mut models: Vec<Vec<Record>> = Vec::new();
    for record in records {
        match models.iter_mut().find(|rows| rows[0].device == record.device) {
            Some(rows) => rows.push(record),
            None => models.push(vec![record]),
        }
    }
    models
}
