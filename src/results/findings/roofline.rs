//! The number of operations at which arithmetic lowers bandwidth.

use super::finding::{Draft, Finding};
use super::query::{param, scalars};
use crate::results::Record;

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let largest = rows.iter().filter(|row| row.gb_per_s.is_some()).map(|row| scalars(row)).max()?;
    let same = rows.iter().filter(|row| scalars(row) == largest);
    let mut points: Vec<(f64, f64, f64)> =
        same.filter_map(|row| Some((param(row, "FMAS")?, row.gb_per_s?, row.gflop_per_s?))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ((fewest, full, _), (most, last, tops)) = (*points.first()?, *points.last()?);
    if points.len() < 2 {
        return None;
    }
    let mut draft = Draft::default();
    let fallen = points.windows(2).find(|pair| pair[0].1 >= full / 2.0 && pair[1].1 < full / 2.0);
    let whole = draft.gb_per_s("bandwidth", full);
    let ridge = match fallen {
        None => {
            let last = draft.gb_per_s("last bandwidth", last);
            format!("stays above half of {whole} up to {most} FMA per element ({last})")
        }
        Some(pair) => {
            // Interpolated linearly on logarithmic axes, as rooflines are drawn.
            let part = (pair[0].1 / (full / 2.0)).ln() / (pair[0].1 / pair[1].1).ln();
            let fmas = pair[0].0 * (pair[1].0 / pair[0].0).powf(part);
            draft.times("half bandwidth FLOP per byte", fmas / 4.0);
            format!(
                "falls from {whole} (at {fewest} FMA per element) to half of it at about {fmas:.0} FMA per element, \
                 {:.1} FLOP per byte",
                fmas / 4.0
            )
        }
    };
    let top = draft.gflop_per_s("last rate", tops);
    draft.finish(&[format!("At {largest} f32, bandwidth {ridge}; {most} FMA per element reach {top}.")])
}
