//! The built-in reports as one file: JSON, compressed with gzip.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use crate::references::Reference;
use crate::report::limited::Limited;
use crate::share::kernel_key;
use record::Record;

/// The data kept from the committed reports.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Shipped {
    /// The runs of the reports.
    pub runs: Vec<Reference>,
    /// The [`kernel_key`]s of their kernels, ascending: those of this build and of earlier builds.
    pub kernels: Vec<u64>,
}

impl Shipped {
    /// Adds a report.
    pub fn add(&mut self, records: &[Record]) {
        self.runs.extend(Reference::of_report(records));
        self.kernels.extend(records.iter().filter(|row| !row.shader_hash.is_empty()).map(kernel_key));
    }
}

/// The file; it does not depend on the order of the reports.
#[must_use]
pub fn pack(mut shipped: Shipped) -> Vec<u8> {
    let Shipped { runs: references, kernels } = &mut shipped;
    kernels.sort_unstable();
    kernels.dedup();
    references.sort_by(|a, b| a.identity().cmp(&b.identity()));
    references.dedup_by(|a, b| a.is_same_run(b));
    // Neither can fail: the data is plain, and it is written to memory.
    let json = serde_json::to_vec(&shipped).unwrap_or_default();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let _ = encoder.write_all(&json);
    encoder.finish().unwrap_or_default()
}

/// The content of a file made by [`pack`].
///
/// # Errors
/// What is wrong with the file.
pub fn unpack(bytes: &[u8]) -> Result<Shipped, String> {
    let mut json = Vec::new();
    Limited::new(GzDecoder::new(bytes)).read_to_end(&mut json).map_err(|error| error.to_string())?;
    serde_json::from_slice(&json).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::references::{Figure, Unit};

    #[test]
    fn reports_survive_packing_in_any_order_and_once() {
        let figure = Figure {
            name: "sum".to_owned(),
            unit: Unit::Bytes,
            value: 4496.123,
            reach: Some(0.001234567),
            case: "reduction/atomic f32 1024".to_owned(),
            settings: "0123456789abcdef off timestamp".to_owned(),
        };
        let run = |date: &str| Reference {
            device: "H200".to_owned(),
            date: date.to_owned(),
            figures: vec![figure.clone()],
            ..Reference::default()
        };
        let all = |dates: &[&str], kernels: &[u64]| Shipped {
            runs: dates.iter().map(|date| run(date)).collect(),
            kernels: kernels.to_vec(),
        };
        let packed = pack(all(&["2", "1", "2"], &[9, 3, 9]));
        assert_eq!(packed, pack(all(&["1", "2"], &[3, 9])));
        assert_eq!(unpack(&packed), Ok(all(&["1", "2"], &[3, 9])));
        assert!(unpack(&packed[..packed.len() / 2]).is_err() && unpack(b"no gzip").is_err());
    }
}
