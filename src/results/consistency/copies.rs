//! Reports that are copies of others with changed names or digits.

use std::collections::HashMap;

use crate::results::{Record, Status};

/// Fewer rows in common show nothing.
const LEAST_ROWS: usize = 20;

/// Deviations of epochs from their row's mean are noise: those of two runs are not correlated. Nearly so are copies whose
/// digits were changed.
const CORRELATED: f64 = 0.5;

/// Why `records` are another report's rows, which `others` are; `None` if they are measurements of their own.
///
/// Two runs of one kernel have other epochs: what a row's epochs deviate from their mean by, on a log scale, is noise.
/// Its correlation over all rows in common is near 0 for two runs, with a standard deviation of 1 / √n for n epochs, and
/// near 1 for a copy, also if all times were multiplied by a factor, shifted row by row, or changed in their last digits.
#[must_use]
pub fn copied_from(records: &[Record], others: &[Record]) -> Option<String> {
    let mut known: HashMap<[String; 5], &Record> = HashMap::new();
    others.iter().filter(|row| row.status == Status::Ok).for_each(|row| _ = known.insert(key(row), row));
    let pairs: Vec<(&Record, &Record)> = records.iter().filter_map(|row| Some((row, *known.get(&key(row))?))).collect();
    let is_equal = |(row, other): &&(&Record, &Record)| {
        row.median_ns.is_some() && (row.median_ns, row.stddev_ns) == (other.median_ns, other.stddev_ns)
    };
    let equal = pairs.iter().filter(is_equal).count();
    // Short kernels on a coarse clock may have equal figures.
    if equal >= LEAST_ROWS && 4 * equal > pairs.len() {
        return Some(format!("{equal} of {} common rows have the same times, to the last digit", pairs.len()));
    }
    let (mut products, mut own, mut other, mut rows) = (0.0, 0.0, 0.0, 0);
    for (row, known) in pairs {
        let (Some(a), Some(b)) = (deviations(row), deviations(known)) else { continue };
        if a.len() != b.len() {
            continue;
        }
        rows += 1;
        products += a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>();
        own += a.iter().map(|a| a * a).sum::<f64>();
        other += b.iter().map(|b| b * b).sum::<f64>();
    }
    let correlation = products / (own * other).sqrt();
    (rows >= LEAST_ROWS && correlation > CORRELATED).then(|| {
        format!(
            "the noise of {rows} common rows is that of the other report (correlation {correlation:.2}, which is near 0 \
             for two runs)"
        )
    })
}

/// API, kernel, type, size and parameters.
fn key(row: &Record) -> [String; 5] {
    [row.api_name().to_owned(), row.name(), row.dtype_name().to_owned(), row.size(), row.params_text()]
}

/// Deviations of the epochs' logarithms from their mean, in units of their own root mean square: a noisy row counts as
/// much as a quiet one. `None` for fewer than three epochs or equal ones.
fn deviations(row: &Record) -> Option<Vec<f64>> {
    if row.epochs_ns.len() < 3 || row.epochs_ns.iter().any(|ns| !(*ns > 0.0 && ns.is_finite())) {
        return None;
    }
    let logs: Vec<f64> = row.epochs_ns.iter().map(|ns| ns.ln()).collect();
    let mean = logs.iter().sum::<f64>() / logs.len() as f64;
    let scale = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>()).sqrt();
    // Rounding to seven digits.
    (scale > 1e-5).then(|| logs.iter().map(|log| (log - mean) / scale).collect())
}
