//! The rate of each way between host and device.

use super::claim::Claim;
use super::estimate::byte_rate;
use super::finding::Draft;
use super::query::of;
use crate::record::Record;
use crate::suite::{Api, binary_size};

pub(super) const CLAIMS: &[Claim] = &[Claim {
    name: "rates of copies",
    rows: "each benchmark at its largest size, since caches hold small copies",
    condition: "each rate with the digits that its interval leaves",
    state: rates,
}];

/// A benchmark, and its description for wgpu and for CUDA; empty where another benchmark measures the same there.
const WAYS: [(&str, &str, &str); 10] = [
    ("write_buffer", "host to device by write_buffer", "host to device from pageable memory"),
    ("mapped_staging", "through a mapped staging buffer", "from pinned memory"),
    ("mapped_primary_write", "into a mapped storage buffer", ""),
    ("pinned_to_device", "from host memory by the device", "from pinned memory by the device's clock"),
    ("pinned_by_kernel", "from host memory by a kernel's loads", "by a kernel's loads"),
    ("device_to_staging", "device to staging buffer", ""),
    ("read_back", "device to host through a mapped staging buffer", "device to host into pinned memory"),
    ("read_back_pageable", "", "into pageable memory"),
    ("mapped_primary_read", "from a mapped storage buffer", ""),
    ("clear_buffer", "clear_buffer", "setting memory to zero"),
];

fn rates(rows: &[&Record], draft: &mut Draft) -> Option<String> {
    let at_largest = |benchmark: &str| {
        of(rows, benchmark).filter_map(|row| Some((row.bytes?, byte_rate(row)?))).max_by_key(|(bytes, _)| *bytes)
    };
    let is_cuda = rows.iter().any(|row| row.backend == Some(Api::Cuda));
    let way = |(benchmark, wgpu, cuda): (&str, &'static str, &'static str)| {
        let words = Some(if is_cuda { cuda } else { wgpu }).filter(|words| !words.is_empty())?;
        let (bytes, rate) = at_largest(benchmark)?;
        Some((words, bytes, draft.byte_rate(benchmark, rate)?))
    };
    let measured: Vec<(&str, u64, String)> = WAYS.into_iter().filter_map(way).collect();
    let most = measured.iter().map(|(_, bytes, _)| *bytes).max()?;
    let parts = measured.into_iter().map(|(words, bytes, rate)| {
        let size = if bytes == most { String::new() } else { format!(" (at {})", binary_size(bytes)) };
        format!("{words} {rate}{size}")
    });
    Some(format!("Copies of {}: {}.", binary_size(most), parts.collect::<Vec<_>>().join("; ")))
}

#[cfg(test)]
mod tests {
    use crate::record::Record;
    use crate::results::findings::planted::{found, row};

    #[test]
    fn the_largest_copies_count_since_caches_hold_small_ones() {
        let row = |benchmark: &str, bytes: u64, rate: f64| Record {
            bytes: Some(bytes),
            gb_per_s: Some(rate),
            ..row(benchmark, &[], bytes / 4, bytes as f64 / rate)
        };
        let rows = [
            row("pinned_to_device", 1 << 22, 303.0),
            row("pinned_to_device", 1 << 28, 51.2),
            row("write_buffer", 1 << 20, 16.9),
            row("write_buffer", 1 << 26, 11.5),
        ];
        let text = "Copies of 256 MiB: host to device by write_buffer 11.5 GB/s (at 64 MiB); from host memory by the \
                    device 51.2 GB/s.";
        assert_eq!(found("transfer", &rows).expect("rows").text, text);
    }
}
