//! Committed reports, and the page that `report` writes of reports.

use std::path::PathBuf;

use crate::command::{Folder, shaderbench};

pub(crate) const H100: &str = "results/nvidia-h100-80gb-hbm3/2026-11-28-vulkan+cuda.csv";
pub(crate) const H200: &str = "results/nvidia-h200/2026-11-30-vulkan+cuda.csv";
pub(crate) const LLVMPIPE: &str = "results/llvmpipe-llvm-15-0-6-256-bits/2026-11-22-vulkan.csv";

pub(crate) fn page(folder: &Folder, reports: &[&str]) -> PathBuf {
    let path = folder.argument("report.html");
    let output = shaderbench(&["report", "--force", "--out", &path]).args(reports).run().succeeds();
    assert_eq!(output.stdout, format!("{path}\n"));
    path.into()
}
