//! How cold caches change the time of cases that were measured with both hot and cold caches.

use std::collections::HashMap;

use crate::report::table::label;
use record::Record;
use record::claim::time;
use record::format;
use record::stats::{self, Estimate};
use record::suite::{COLD, params_text};

/// The name of a case without the state of its caches.
pub(super) fn without_caches(row: &Record) -> String {
    let mut params = row.params.clone();
    params.remove(COLD);
    let (kernel, size) = (format!("{}/{}", row.family, row.benchmark), row.short_size());
    format!("{kernel} {} {size} {}", row.dtype_name(), params_text(&params))
}

fn key(row: &Record) -> Option<String> {
    Some(format!("{} {}", row.toolchain()?.title(), without_caches(row)))
}

/// Shorter hot times are ignored: the launch takes up to 7 µs, and cold launches do not overlap it.
const LEAST_NS: f64 = 10_000.0;

/// For each case measured both ways: cold time ÷ hot time, and the cold row.
fn ratios<'a>(rows: &[&'a Record]) -> Vec<(Estimate, &'a Record)> {
    let timed = |row: &&&Record| row.status.is_timed();
    let hot: HashMap<_, _> =
        rows.iter().filter(timed).filter(|row| !row.is_cold()).filter_map(|row| Some((key(row)?, *row))).collect();
    let ratio = |row: &&'a Record| {
        let hot = time(hot.get(&key(row)?)?).filter(|hot| hot.value >= LEAST_NS)?;
        Some((stats::ratio(time(row)?, hot)?, *row))
    };
    rows.iter().filter(timed).filter(|row| row.is_cold()).filter_map(ratio).collect()
}

/// Compares times with cold and hot caches; `None` if no case has both. Cases within the noise are only counted.
#[must_use]
pub(super) fn sentence(rows: &[&Record]) -> Option<String> {
    let all = ratios(rows);
    if all.is_empty() {
        return None;
    }
    let cases = |count: usize| format::plural(count, "case", "cases");
    let differ = |count: usize| format!("{} differ{}", cases(count), if count == 1 { "s" } else { "" });
    let mut differing: Vec<(f64, &Record)> = all
        .iter()
        .filter(|(ratio, _)| ratio.low > 1.0 || ratio.high < 1.0)
        .map(|(ratio, row)| (ratio.value, *row))
        .collect();
    differing.sort_by(|a, b| a.0.total_cmp(&b.0));
    let unclear = all.len() - differing.len();
    let [Some((least, _)), Some((most, slowest))] = [differing.first(), differing.last()] else {
        return Some(format!("Cold versus hot caches: {} by less than the noise.", differ(unclear)));
    };
    let rest = if unclear == 0 { String::new() } else { format!(" {} by less than the noise.", differ(unclear)) };
    if differing.len() == 1 {
        let name = label(slowest);
        return Some(format!(
            "Cold caches: {name} takes {most:.2}× the time with hot caches (only cases ≥ 10 µs).{rest}"
        ));
    }
    let median = stats::median(&differing.iter().map(|(ratio, _)| *ratio).collect::<Vec<_>>())?;
    let (count, slowest) = (cases(differing.len()), label(slowest));
    Some(format!(
        "Cold caches: {count} take {least:.2}× to {most:.2}× the time with hot caches (only cases ≥ 10 µs). The median \
         is {median:.2}×; the slowest case is {slowest}.{rest}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Status;
    use record::suite::{Api, Dtype, Extent};

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
            ci_low_ns: Some(median_ns * 0.98),
            ci_high_ns: Some(median_ns * 1.02),
            epochs_ns: vec![median_ns; 2],
            ..Record::default()
        }
    }

    #[test]
    fn a_case_is_compared_with_itself_only() {
        let rows = [row(1 << 10, false, 1e4), row(1 << 10, true, 2.5e4), row(1 << 20, true, 9.9e4)];
        let rows: Vec<&Record> = rows.iter().collect();
        assert_eq!(
            sentence(&rows).as_deref(),
            Some("Cold caches: online f32 2^10 cold takes 2.50× the time with hot caches (only cases ≥ 10 µs).")
        );
        assert_eq!(sentence(&rows[1..]), None, "nothing to compare with");
        let more = [row(1 << 20, false, 9e4), row(1 << 5, false, 2e3), row(1 << 5, true, 7e3)];
        let rows: Vec<&Record> = rows.into_iter().chain(&more).collect();
        let expected = "Cold caches: 2 cases take 1.10× to 2.50× the time with hot caches (only cases ≥ 10 µs). The \
                        median is 1.80×; the slowest case is online f32 2^10 cold.";
        assert_eq!(sentence(&rows).as_deref(), Some(expected));
        let close = [row(1 << 20, false, 9.8e4), row(1 << 20, true, 9.9e4)];
        let expected = "Cold versus hot caches: 1 case differs by less than the noise.";
        assert_eq!(sentence(&close.iter().collect::<Vec<_>>()).as_deref(), Some(expected));
        let rows: Vec<&Record> = rows[..2].iter().copied().chain(&close).collect();
        let text = sentence(&rows).expect("two cases");
        assert!(
            text.starts_with("Cold caches: online f32 2^10 cold takes 2.50×") && text.ends_with("noise."),
            "{text}"
        );
    }
}
