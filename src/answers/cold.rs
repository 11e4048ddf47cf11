//! What cold caches change: cases that were measured with hot caches and with cold ones.

use std::collections::HashMap;

use crate::record::{Record, stats};
use crate::report::table::label;
use crate::suite::{COLD, params_text};

/// The key of a case, whatever its caches.
fn key(row: &Record) -> Option<String> {
    let mut params = row.params.clone();
    params.remove(COLD);
    let (kernel, size) = (format!("{}/{}", row.family, row.benchmark), row.short_size());
    let toolchain = row.toolchain()?.title().into_owned();
    Some(format!("{toolchain} {kernel} {} {size} {}", row.dtype_name(), params_text(&params)))
}

/// The time of each case with cold caches, as a multiple of its time with hot ones, and the row with cold ones.
fn ratios<'a>(rows: &[&'a Record]) -> Vec<(f64, &'a Record)> {
    let timed = |row: &&&Record| row.status.is_timed() && row.median_ns.is_some();
    let hot: HashMap<_, _> =
        rows.iter().filter(timed).filter(|row| !row.is_cold()).filter_map(|row| Some((key(row)?, *row))).collect();
    let cold = rows.iter().filter(timed).filter(|row| row.is_cold());
    cold.filter_map(|row| Some((row.median_ns? / hot.get(&key(row)?)?.median_ns?, *row))).collect()
}

/// How the times of `rows` with cold caches compare with those with hot ones; `None` where no case has both.
#[must_use]
pub fn sentence(rows: &[&Record]) -> Option<String> {
    let mut ratios = ratios(rows);
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let median = stats::median(&ratios.iter().map(|(ratio, _)| *ratio).collect::<Vec<_>>())?;
    let ((least, _), (most, slowest)) = (ratios.first()?, ratios.last()?);
    let cases = if ratios.len() == 1 { "1 case takes".to_owned() } else { format!("{} cases take", ratios.len()) };
    if ratios.len() == 1 {
        return Some(format!("Cold caches: {cases} {most:.2}× the time with hot ones."));
    }
    Some(format!(
        "Cold caches: {cases} {least:.2}× to {most:.2}× the time with hot ones, {median:.2}× in the median; most: {}.",
        label(slowest)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Status;
    use crate::suite::{Api, Dtype, Extent};

    fn row(n: u64, is_cold: bool, median_ns: f64) -> Record {
        Record {
            backend: Some(Api::Vulkan),
            family: "softmax".to_owned(),
            benchmark: "online".to_owned(),
            dtype: Some(Dtype::F32),
            n: Some(Extent::Linear(n)),
            params: is_cold.then(|| (COLD.to_owned(), 1.0)).into_iter().collect(),
            status: Status::Ok,
            median_ns: Some(median_ns),
            ..Record::default()
        }
    }

    #[test]
    fn a_case_is_compared_with_itself_only() {
        let rows = [row(1 << 10, false, 10.0), row(1 << 10, true, 25.0), row(1 << 20, true, 99.0)];
        let rows: Vec<&Record> = rows.iter().collect();
        assert_eq!(sentence(&rows).as_deref(), Some("Cold caches: 1 case takes 2.50× the time with hot ones."));
        assert_eq!(sentence(&rows[1..]), None, "nothing to compare with");
        let more = [row(1 << 20, false, 90.0)];
        let rows: Vec<&Record> = rows.into_iter().chain(&more).collect();
        let expected = "Cold caches: 2 cases take 1.10× to 2.50× the time with hot ones, 1.80× in the median; most: online \
                        f32 2^10 cold.";
        assert_eq!(sentence(&rows).as_deref(), Some(expected));
    }
}
