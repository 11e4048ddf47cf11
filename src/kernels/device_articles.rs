//! Claims of the articles about the device, which need no kernel.

use record::Record;
use record::claim::*;
use record::suite::{Api, binary_size};

pub(super) const CLAIMS: &[Claim] = &[Claim::Article(ArticleClaim {
    id: "A1",
    also: &["C5"],
    title: "device properties and the warp size",
    claim: "The host queries the device properties before it launches a kernel.",
    terms: &["cudaGetDeviceProperties()", "warp", "warpSize", "streaming multiprocessor"],
    prediction: "Every API names the device and its driver. A warp has 32 threads on NVIDIA, 32 or 64 on AMD, 8 to 32 \
        on Intel. Only CUDA reports the number of SMs, the registers and the pitch. The article's clockRate and \
        deviceOverlap were removed in CUDA 13.",
    is_timing: false,
    judge: Judge::Report(|rows, _| properties(rows)),
    ..ArticleClaim::BLANK
})];

fn properties(rows: &DeviceRows) -> Result<Report, Why> {
    let first = rows.all().first().ok_or_else(|| Why::new("the report has no rows"))?;
    if first.device.is_empty() {
        return Err(Why::new("the report names no device"));
    }
    let driver = if first.driver.is_empty() { String::new() } else { format!(", driver {}", first.driver) };
    let find = |get: fn(&Record) -> Option<String>| rows.all().iter().find_map(|row| get(row));
    let size = find(|row| Some(format!(", subgroups of {} invocations", row.subgroup_size?))).unwrap_or_default();
    let cache = find(|row| Some(binary_size(row.l2_bytes?)));
    let text = format!("The API reports {}{driver}{size}.", first.device);
    // wgpu reports no cache sizes: the run asks the vendor's own library.
    let source = if first.backend == Some(Api::Cuda) { "CUDA" } else { "The vendor's driver, not this API," };
    Ok(Report::new(text).and(cache.map(|cache| format!("{source} reports an L2 of {cache}."))))
}
