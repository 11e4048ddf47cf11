//! Claims of the articles about the device, which no kernel shows.

use crate::claim::{Answer, ArticleClaim, Claim, Sheet, Why};
use crate::record::Record;
use crate::suite::binary_size;

pub(super) const CLAIMS: &[Claim] = &[
    Claim::Article(ArticleClaim {
        id: "A1",
        title: "device properties",
        claim: "The host asks the device for its name and its limits before it launches a kernel.",
        terms: &["cudaGetDeviceProperties()", "warp", "streaming multiprocessor"],
        prediction: || {
            "Every API names the device and its driver. Only CUDA tells the number of SMs, the registers and the \
             clock rate."
                .to_owned()
        },
        is_timing: false,
        judge: |rows, _| properties(rows),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "C5",
        title: "all properties, and the warp size",
        claim: "Among its properties the device reports its warp size, 32 threads.",
        terms: &["cudaGetDeviceProperties()", "warpSize"],
        prediction: || {
            "32 on NVIDIA, 32 or 64 on AMD, 8 to 32 on Intel. WebGPU reports a range, and no clock rate or pitch."
                .to_owned()
        },
        is_timing: false,
        judge: |rows, _| warp(rows),
        ..ArticleClaim::BLANK
    }),
];

fn properties(rows: &Sheet) -> Result<Answer, Why> {
    let first = rows.all().first().ok_or_else(|| Why::new("the report has no rows"))?;
    if first.device.is_empty() {
        return Ok(Answer::new(false, "The report names no device.".to_owned()));
    }
    let driver = if first.driver.is_empty() { String::new() } else { format!(", driver {}", first.driver) };
    let find = |get: fn(&Record) -> Option<String>| rows.all().iter().find_map(|row| get(row)).unwrap_or_default();
    let size = find(|row| Some(format!(", subgroups of {} invocations", row.subgroup_size?)));
    let cache = find(|row| Some(format!(", an L2 of {}", binary_size(row.l2_bytes?))));
    Ok(Answer::new(true, format!("The API reports {}{driver}{size}{cache}.", first.device)))
}

fn warp(rows: &Sheet) -> Result<Answer, Why> {
    let size = rows.all().iter().find_map(|row| row.subgroup_size);
    let size = size.ok_or_else(|| Why::new("the report has no subgroup size"))?;
    let holds = (size.least, size.most) == (32, 32);
    Ok(Answer::new(holds, format!("A subgroup has {size} invocations on this device.")))
}
