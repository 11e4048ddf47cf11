//! The stream kernels compared with a copy.

use super::finding::{Draft, Finding};
use super::query::{largest, like, of};
use crate::families::stream::FAMILY;
use crate::results::Record;
use crate::suite::Dtype;

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let copies = of(rows, "copy").filter(|row| row.dtype == Some(Dtype::Vec4F32) && row.gb_per_s.is_some());
    let copy = largest(copies)?;
    let mut others: Vec<(f64, &str)> = FAMILY
        .benchmarks
        .iter()
        .filter(|benchmark| benchmark.name != "copy")
        .filter_map(|benchmark| Some((like(rows, benchmark.name, &[], copy)?.gb_per_s?, benchmark.name)))
        .collect();
    others.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (slowest, fastest) = (others.first()?, others.last()?);
    let copied = copy.gb_per_s?;
    let mut draft = Draft::default();
    let copy_rate = draft.gb_per_s("copy", copied);
    let mut compared = |(rate, name): &(f64, &str)| {
        let ratio = draft.times(format!("{name} over copy"), rate / copied);
        format!("{name} at {} ({ratio} copy)", draft.gb_per_s(*name, *rate))
    };
    let rest = if others.len() == 1 {
        compared(fastest)
    } else {
        format!("fastest of the others is {}, slowest {}", compared(fastest), compared(slowest))
    };
    let dtype = copy.dtype_name();
    draft.finish(&[format!("At {} {dtype}, copy runs at {copy_rate}; {rest}.", copy.size())])
}
