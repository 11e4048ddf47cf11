//! The rate of each way between host and device.

use super::finding::{Draft, Finding};
use super::query::of;
use crate::backend::Api;
use crate::results::Record;
use crate::suite::binary_size;

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

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let at_largest = |benchmark: &str| {
        of(rows, benchmark).filter_map(|row| Some((row.bytes?, row.gb_per_s?))).max_by_key(|(bytes, _)| *bytes)
    };
    let is_cuda = rows.iter().any(|row| row.backend == Some(Api::Cuda));
    let measured: Vec<(&str, &str, u64, f64)> = WAYS
        .into_iter()
        .filter_map(|(benchmark, wgpu, cuda)| {
            let words = Some(if is_cuda { cuda } else { wgpu }).filter(|words| !words.is_empty())?;
            let (bytes, rate) = at_largest(benchmark)?;
            Some((benchmark, words, bytes, rate))
        })
        .collect();
    let most = measured.iter().map(|(_, _, bytes, _)| *bytes).max()?;
    let mut draft = Draft::default();
    let parts = measured.into_iter().map(|(benchmark, words, bytes, rate)| {
        let size = if bytes == most { String::new() } else { format!(" (at {})", binary_size(bytes)) };
        format!("{words} {}{size}", draft.gb_per_s(benchmark, rate))
    });
    let text = format!("Copies of {}: {}.", binary_size(most), parts.collect::<Vec<_>>().join("; "));
    draft.finish(&[text])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_copies_count_since_caches_hold_small_ones() {
        let row = |benchmark: &str, bytes: u64, rate: f64| Record {
            benchmark: benchmark.to_owned(),
            bytes: Some(bytes),
            gb_per_s: Some(rate),
            ..Record::default()
        };
        let rows = [
            row("pinned_to_device", 1 << 22, 303.0),
            row("pinned_to_device", 1 << 28, 51.2),
            row("write_buffer", 1 << 20, 16.9),
            row("write_buffer", 1 << 26, 11.5),
        ];
        let found = find(&rows.iter().collect::<Vec<_>>()).expect("rows");
        let text = "Copies of 256 MiB: host to device by write_buffer 11.50 GB/s (at 64 MiB); from host memory by the \
                    device 51.20 GB/s.";
        assert_eq!(found.text, text);
    }
}
