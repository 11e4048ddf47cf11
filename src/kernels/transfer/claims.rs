//! Rates of copies between host and device.

use record::Record;
use record::claim::*;
use record::suite::{Api, PcieLink, binary_size};

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured { name: "rates of copies", state: rates }),
    Claim::Article(ArticleClaim {
        id: "B7",
        title: "pageable and pinned host memory",
        claim: "The article allocates pinned host memory, which the device can copy by DMA without a staging copy.",
        kernels: &[
            "transfer/write_buffer",
            "transfer/mapped_staging",
            "transfer/pinned_to_device",
            "transfer/read_back",
            "transfer/read_back_pageable",
        ],
        terms: &["cudaMallocHost()", "cudaHostAlloc()", "cudaMemcpy() to the device", "cudaMemcpy() to the host"],
        prediction: "All copies use the same bus. Pageable memory is first copied into a pinned buffer, as is the \
            data of wgpu's write_buffer and mapped staging buffers.",
        judge: Judge::Report(host_copies),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "B10",
        title: "setting device memory",
        claim: "Device memory has no initial value: the article sets it with the API's own call.",
        kernels: &["transfer/clear_buffer", "ceiling/fill"],
        terms: &["cudaMalloc()", "cudaMemset()"],
        prediction: "The API's call is as fast as a fill kernel, since write bandwidth limits both. WebGPU also sets \
            every new buffer to zero.",
        judge: Judge::Report(setting),
        ..ArticleClaim::BLANK
    }),
];

/// A benchmark, and its description for wgpu and for CUDA; empty where another benchmark measures the same there.
const WAYS: [(&str, &str, &str); 10] = [
    ("write_buffer", "host to device by write_buffer", "host to device from pageable memory"),
    ("mapped_staging", "through a mapped staging buffer", "from pinned memory"),
    ("mapped_primary_write", "into a mapped storage buffer", ""),
    ("pinned_to_device", "from host memory by the device", "from pinned memory, timed by the device"),
    ("pinned_by_kernel", "from host memory, loaded by a kernel", "loaded by a kernel"),
    ("device_to_staging", "device to staging buffer", ""),
    ("read_back", "device to host through a mapped staging buffer", "device to host into pinned memory"),
    ("read_back_pageable", "", "into pageable memory"),
    ("mapped_primary_read", "from a mapped storage buffer", ""),
    ("clear_buffer", "clearing a buffer", "setting memory to zero"),
];

fn rates(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let at_largest = |benchmark: &str| {
        let found = of(rows, benchmark).filter_map(|row| Some((row.bytes?, byte_rate(row)?, row)));
        found.max_by_key(|(bytes, ..)| *bytes)
    };
    let is_cuda = rows.iter().any(|row| row.backend == Some(Api::Cuda));
    let way = |(benchmark, wgpu, cuda): (&str, &'static str, &'static str)| {
        let words = Some(if is_cuda { cuda } else { wgpu }).filter(|words| !words.is_empty())?;
        let (bytes, rate, row) = at_largest(benchmark)?;
        let rate = facts.byte_rate(benchmark, rate)?;
        Some((words, bytes, if OF_BUS.contains(&benchmark) { of_link(rate, row) } else { rate }))
    };
    let measured: Vec<(&str, u64, String)> = WAYS.into_iter().filter_map(way).collect();
    let most = measured.iter().map(|(_, bytes, _)| *bytes).max()?;
    let parts = measured.into_iter().map(|(words, bytes, rate)| {
        let size = if bytes == most { String::new() } else { format!(" (at {})", binary_size(bytes)) };
        format!("{words} {rate}{size}")
    });
    Some(format!("Copies of {}: {}.", binary_size(most), parts.collect::<Vec<_>>().join("; ")))
}

/// Copies by the device alone, which the bus limits.
const OF_BUS: [&str; 2] = ["pinned_to_device", "device_to_staging"];

/// `55.4 of 63.0 GB/s, PCIe 5 x16` if the row's link is known; a rate above the link's is a cache's.
fn of_link(rate: String, row: &Record) -> String {
    let known = row.pcie.parse::<PcieLink>().ok().and_then(|link| Some((link, link.gb_per_s()?)));
    match (known.filter(|(_, nominal)| row.gb_per_s <= Some(*nominal)), rate.strip_suffix(" GB/s")) {
        (Some((link, nominal)), Some(number)) => format!("{number} of {nominal:.1} GB/s, PCIe {link}"),
        _ => rate,
    }
}

/// Copies of 1 MiB and of the largest size, one way and back, as the host waits for them.
fn host_copies(rows: &DeviceRows, facts: &mut Facts) -> Result<Report, Why> {
    const SMALL: u64 = 1 << 20;
    let is_cuda = rows.all().iter().any(|row| row.backend == Some(Api::Cuda));
    let wgpu = [
        ("to the device", "write_buffer", "by write_buffer"),
        ("to the device", "mapped_staging", "through a mapped staging buffer"),
        ("to the device", "pinned_to_device", "from a mapped buffer, by the device alone"),
        ("to the host", "read_back", "through a mapped staging buffer"),
    ];
    let cuda = [
        ("to the device", "write_buffer", "from pageable memory"),
        ("to the device", "mapped_staging", "from pinned memory"),
        ("to the host", "read_back_pageable", "into pageable memory"),
        ("to the host", "read_back", "into pinned memory"),
    ];
    let ways = if is_cuda { cuda } else { wgpu };
    let kernel = |name: &str| format!("transfer/{name}");
    let largest = |name: &str| rows.timed((&kernel(name), NONE)).filter_map(|row| row.bytes).max();
    let most = ways.iter().filter_map(|way| largest(way.1)).max();
    let mut has_rate = false;
    let mut sentence = |bytes: u64, direction: &str| {
        let rates = ways.iter().filter(|way| way.0 == direction).filter_map(|(_, name, words)| {
            let row = rows.timed((&kernel(name), NONE)).find(|row| row.bytes == Some(bytes))?;
            let rate = byte_rate(row).and_then(|rate| facts.byte_rate(format!("{name} of {bytes} B"), rate));
            has_rate |= rate.is_some();
            Some(format!("{words} {}", rate.unwrap_or_else(|| "(too noisy to quote)".to_owned())))
        });
        let rates = rates.collect::<Vec<String>>().join(", ");
        (!rates.is_empty()).then(|| format!("{} {direction}: {rates}.", binary_size(bytes)))
    };
    let mut sentences = Vec::new();
    for bytes in [Some(SMALL), most.filter(|most| *most > SMALL)].into_iter().flatten() {
        sentences.extend(["to the device", "to the host"].into_iter().filter_map(|way| sentence(bytes, way)));
    }
    if !has_rate {
        return Err(rows.missing(&["transfer/write_buffer", "transfer/mapped_staging"]));
    }
    Ok(Report::new(sentences.join(" ")))
}

fn setting(rows: &DeviceRows, facts: &mut Facts) -> Result<Report, Why> {
    const CLEAR: &str = "transfer/clear_buffer";
    const FILL: &str = "ceiling/fill";
    // The kernel writes vec4s, so the same bytes are a different number of elements.
    let pairs = rows.timed((CLEAR, NONE)).filter_map(|clear| {
        let fill = rows.timed((FILL, NONE)).find(|fill| fill.bytes == clear.bytes && fill.bytes.is_some())?;
        Some((clear, fill))
    });
    let (clear, fill) = pairs.max_by_key(|(clear, _)| clear.bytes).ok_or_else(|| rows.missing(&[CLEAR, FILL]))?;
    if clear.timer != fill.timer {
        return Err(Why::new("the two rows were timed by different clocks"));
    }
    sentence(facts, (clear, "the API's call"), (fill, "a fill kernel")).map(Report::new)
}

#[cfg(test)]
mod tests {
    use crate::planted::{found, row};
    use record::Record;

    #[test]
    fn the_largest_copies_count_since_caches_hold_small_ones() {
        let row = |benchmark: &str, bytes: u64, rate: f64| Record {
            bytes: Some(bytes),
            gb_per_s: Some(rate),
            ..row(benchmark, &[], bytes / 4, bytes as f64 / rate)
        };
        let rows = [
            row("pinned_to_device", 1 << 22, 303.0),
            Record { pcie: "5 x16".to_owned(), ..row("pinned_to_device", 1 << 28, 51.2) },
            row("write_buffer", 1 << 20, 16.9),
            row("write_buffer", 1 << 26, 11.5),
        ];
        let text = "Copies of 256 MiB: host to device by write_buffer 11.5 GB/s (at 64 MiB); from host memory by the \
                    device 51.2 of 63.0 GB/s, PCIe 5 x16.";
        assert_eq!(found("transfer", &rows).expect("rows").text(), text);
    }
}
