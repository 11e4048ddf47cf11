//! The fastest kernels of others through Vulkan itself: vulkan.csv, figures that no run of this suite measured or verified.

use std::sync::LazyLock;

use record::Record;
use serde::{Deserialize, Serialize};

/// A figure of another program, as it reports it, with the extension and tile of its kernel.
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

/// The figure of a job at the case of `row`, on the same model of card.
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
