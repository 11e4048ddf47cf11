//! The built-in report, for readers who have none of their own yet.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::csv;
use record::{COLUMNS, Kind, Record};

/// The committed report that it is made from.
pub const SOURCE: &str = "results/nvidia-h100-80gb-hbm3/2026-11-28-vulkan+cuda.csv";

/// Columns that are left out, because no reader shows them.
const LEFT_OUT: [&str; 6] = ["min_ns", "mean_ns", "stddev_ns", "drift", "noise_within", "noise_between"];

/// Digits kept of figures; tables show at most four.
const DIGITS: usize = 5;

/// Digits of the canary's times, of which only a median is used.
const CANARY: (&str, usize) = ("canary_ns", 3);

/// Digits of the epochs' times, which differ by more than 0.1 %.
const EPOCHS: (&str, usize) = ("epochs_ns", 4);

/// The file: a CSV with rounded figures, compressed with gzip.
#[must_use]
pub fn pack(records: &[Record]) -> Vec<u8> {
    let mut records = records.to_vec();
    for record in &mut records {
        for column in COLUMNS {
            let of_column = [CANARY, EPOCHS].into_iter().find(|(name, _)| *name == column.name);
            let digits = of_column.map_or(DIGITS, |(_, digits)| digits);
            let text = match column.kind {
                Kind::Identity => continue,
                _ if LEFT_OUT.contains(&column.name) => String::new(),
                _ => {
                    let text = (column.get)(record);
                    text.split(';').map(|figure| rounded(figure, digits)).collect::<Vec<_>>().join(";")
                }
            };
            // If the figure is valid, so is the rounded figure.
            let _ = (column.set)(record, &text);
        }
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writes to memory cannot fail.
    let _ = encoder.write_all(&csv::write(&records));
    encoder.finish().unwrap_or_default()
}

/// A number with a decimal point, rounded to this many digits; other text is unchanged.
fn rounded(text: &str, digits: usize) -> String {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && text.contains('.'));
    number.map_or_else(
        || text.to_owned(),
        |number| {
            // The exponent format counts significant digits.
            let text = format!("{number:.*e}", digits - 1);
            text.parse::<f64>().map_or(text, |number| number.to_string())
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::reader;
    use std::path::Path;

    #[test]
    fn only_fractions_are_rounded() {
        for (text, expected) in [
            ("2380.619", "2380.6"),
            ("0.005044523", "0.0050445"),
            ("524288", "524288"),
            ("2026-11-25T19:04:50Z", "2026-11-25T19:04:50Z"),
            ("CUDA 13.0", "CUDA 13.0"),
            ("", ""),
        ] {
            assert_eq!(rounded(text, DIGITS), expected);
        }
    }

    #[test]
    fn a_packed_report_has_its_rows() {
        let row = Record {
            family: "stream".to_owned(),
            benchmark: "copy".to_owned(),
            median_ns: Some(1234.5678),
            mean_ns: Some(1.0),
            epochs_ns: vec![123.45678, 1.0],
            ..Record::default()
        };
        let read = reader::read(Path::new("h100"), pack(&[row]).as_slice()).expect("a report");
        let [row] = read.records.as_slice() else { panic!("one row") };
        assert_eq!((row.median_ns, row.mean_ns, &row.epochs_ns[..]), (Some(1234.6), None, &[123.5, 1.0][..]));
    }
}
