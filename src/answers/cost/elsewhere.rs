//! Rates of other programs' fastest kernels through Vulkan, from vulkan.csv. This suite has not verified them.

use std::sync::LazyLock;

use record::Record;
use serde::{Deserialize, Serialize};

/// A rate as another program reports it, with the extension and tile of its kernel.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Elsewhere {
    job: String,
    device: String,
    n: String,
    params: String,
    pub(super) gflop_per_s: f64,
    pub(super) program: String,
    kernel: String,
    source: String,
    driver: String,
    pub(super) date: String,
}

/// The rate for a job in the case of `row`, on the same model of card.
pub(super) fn elsewhere(job: &str, row: &Record) -> Option<&'static Elsewhere> {
    static FIGURES: LazyLock<Vec<Elsewhere>> = LazyLock::new(|| {
        let rows = csv::Reader::from_reader(&include_bytes!("vulkan.csv")[..]).into_deserialize();
        rows.filter_map(Result::ok).collect()
    });
    let is_it = |of: &&Elsewhere| {
        (of.job.as_str(), &of.device, &of.n, &of.params) == (job, &row.device, &row.size(), &row.params_text())
    };
    FIGURES.iter().find(is_it)
}
