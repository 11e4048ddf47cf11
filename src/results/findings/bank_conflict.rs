//! The number of banks of workgroup memory, and the cost of conflicts.

use super::finding::{Draft, Finding};
use super::query::{has_params, largest, of};
use crate::families::bank_conflict::conflict;
use crate::results::{Record, format};

/// The number of banks that the times over strides 1, 2, 4 … show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Banks {
    /// Stride 2 costs nothing, or no number of banks explains the curve.
    None,
    /// Doubling the stride costs nothing from this one on.
    Inferred(u64),
    /// Doubling the stride costs time up to the largest one measured: there are at least as many.
    AtLeast(u64),
}

/// Infers the number of banks from `time` by stride; `None` where too few strides were measured.
///
/// With B banks, a power of two, stride s is an s-way conflict up to s = B, and B-way from there on: each doubling
/// below B doubles the time, none above it does, and no odd stride conflicts. A ratio above √2 counts as slower: it is
/// nearer to two than to one.
fn banks(time: impl Fn(u64) -> Option<f64>) -> Option<Banks> {
    let is_slower = |slow: f64, fast: f64| slow / fast >= std::f64::consts::SQRT_2;
    let first = time(1)?;
    if (3..64).step_by(2).filter_map(&time).any(|odd| is_slower(odd, first)) {
        return Some(Banks::None);
    }
    let mut stride = 1;
    while let (Some(here), Some(doubled)) = (time(stride), time(2 * stride)) {
        if !is_slower(doubled, here) {
            // Larger strides must cost the same: a single slow row is noise.
            let beyond = (1..=6).map(|power| 1 << power).filter(|&beyond| beyond > stride).filter_map(&time);
            let is_flat = beyond.into_iter().all(|time| !is_slower(time, here) && !is_slower(here, time));
            return Some(if stride > 1 && is_flat { Banks::Inferred(stride) } else { Banks::None });
        }
        stride *= 2;
    }
    (stride > 1).then_some(Banks::AtLeast(stride))
}

/// The number of banks that the rows of one device show, if any.
#[must_use]
pub fn inferred_banks(rows: &[&Record]) -> Option<u64> {
    let first = unstrided(rows)?;
    match banks(|stride| time(rows, first, "stride", ("STRIDE", stride as f64)))? {
        Banks::Inferred(banks) => Some(banks),
        Banks::None | Banks::AtLeast(_) => None,
    }
}

/// The largest row of stride 1.
fn unstrided<'a>(rows: &[&'a Record]) -> Option<&'a Record> {
    largest(of(rows, "stride").filter(|row| has_params(row, &[("STRIDE", 1.0)]) && row.median_ns.is_some()))
}

/// The time of a row with one parameter, of the size of `first`.
fn time(rows: &[&Record], first: &Record, benchmark: &str, param: (&str, f64)) -> Option<f64> {
    of(rows, benchmark).find(|row| has_params(row, &[param]) && row.n == first.n)?.median_ns
}

pub(super) fn find(rows: &[&Record]) -> Option<Finding> {
    let first = unstrided(rows)?;
    let time = |benchmark: &str, param| time(rows, first, benchmark, param);
    let strided = |stride: u64| time("stride", ("STRIDE", stride as f64));
    let speed = |stride: u64| Some(first.median_ns? / strided(stride)?);
    let mut draft = Draft::default();
    let mut text = vec![match banks(strided)? {
        Banks::Inferred(banks) => {
            let banks = draft.count("banks", banks);
            format!("{banks} banks inferred: from stride {banks} on, doubling the stride costs nothing.")
        }
        Banks::AtLeast(banks) => {
            let banks = draft.count("least banks", banks);
            format!("At least {banks} banks: up to stride {banks}, doubling the stride costs time.")
        }
        Banks::None => {
            let (even, odd) = (draft.times("stride 2", speed(2)?), draft.times("stride 3", speed(3)?));
            format!("No banks inferred: strides 2 and 3 run at {even} and {odd} the speed of stride 1.")
        }
    }];
    if let (Some(whole), Some(padded)) = (speed(32), speed(33)) {
        // Up to stride 64 the models of 32 and 16 banks differ only at the multiples of 32.
        let model = |banks| format::ratio(1.0 / conflict(32, banks) as f64);
        let whole = draft.times("stride 32", whole);
        let padded = draft.times("stride 33", padded);
        let broadcast = time("broadcast", ("GROUP", 256.0)).map_or_else(String::new, |shared| {
            let speed = draft.times("one word for all", first.median_ns.unwrap_or(f64::NAN) / shared);
            format!(", one word for all at {speed}")
        });
        text.push(format!(
            "Stride 32 runs at {whole} the speed of stride 1 (model: {} with 32 banks, {} with the 16 of \
             compute capability 1.x), stride 33 at {padded}{broadcast}.",
            model(32),
            model(16),
        ));
    }
    let direct = |benchmark: &str| {
        Some(time(&format!("{benchmark}_direct"), ("APART", 1.0))? / time(benchmark, ("APART", 1.0))?)
    };
    if let (Some(bytes), Some(halves)) = (direct("bytes"), direct("halves")) {
        let (bytes, halves) = (draft.times("bytes direct", bytes), draft.times("halves direct", halves));
        text.push(format!(
            "Loading bytes takes {bytes} as long as extracting them from words, loading halves {halves}."
        ));
    }
    draft.finish(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::findings::Quantity;
    use crate::suite::Extent;

    fn rows(time: impl Fn(u64) -> f64) -> Vec<Record> {
        let row = |stride: u64| Record {
            benchmark: "stride".to_owned(),
            n: Some(Extent::Linear(131_072)),
            params: [("STRIDE".to_owned(), stride as f64)].into(),
            median_ns: Some(time(stride)),
            ..Record::default()
        };
        [1, 2, 3, 4, 8, 16, 17, 31, 32, 33, 48, 64].map(row).into()
    }

    fn found(rows: &[Record]) -> Option<Finding> {
        find(&rows.iter().collect::<Vec<_>>())
    }

    fn text(rows: &[Record]) -> String {
        found(rows).expect("enough rows").text
    }

    /// A launch of 5 µs, and 80 µs for each pass of the conflict.
    fn with_banks(count: u64) -> Vec<Record> {
        rows(|stride| 5e3 + 80e3 * conflict(stride, count) as f64)
    }

    #[test]
    fn banks_are_inferred_from_the_curve() {
        let text_32 = text(&with_banks(32));
        assert!(text_32.starts_with("32 banks inferred"), "{text_32}");
        assert!(text_32.contains("model: 0.0312× with 32 banks, 0.0625× with the 16"), "{text_32}");
        assert!(text_32.contains("stride 33 at 1.00×"), "{text_32}");
        assert_eq!(found(&with_banks(32)).and_then(|found| found.value("banks")), Some(Quantity::Count(32)));
        let text_16 = text(&with_banks(16));
        assert!(text_16.starts_with("16 banks inferred") && text_16.contains("Stride 32 runs at 0.0661×"), "{text_16}");
        let text_64 = text(&with_banks(64));
        assert!(text_64.starts_with("At least 64 banks"), "{text_64}");
        assert_eq!(found(&with_banks(64)).and_then(|found| found.value("banks")), None);
    }

    #[test]
    fn a_flat_curve_shows_no_banks() {
        let text = text(&rows(|stride| 1e6 + 3e4 * (stride % 5) as f64));
        assert!(text.starts_with("No banks inferred"), "{text}");
    }

    /// Noise that slows a single row, or all that comes after the first, is no conflict.
    #[test]
    fn curves_that_no_banks_explain_show_none() {
        let slow = text(&rows(|stride| if stride == 1 { 1e6 } else { 2e6 }));
        assert!(slow.starts_with("No banks inferred: strides 2 and 3 run at 0.500× and 0.500×"), "{slow}");
        let single = text(&rows(|stride| if stride == 2 { 2e6 } else { 1e6 }));
        assert!(single.starts_with("No banks inferred: strides 2 and 3 run at 0.500× and 1.00×"), "{single}");
    }

    #[test]
    fn without_the_first_two_strides_there_is_no_finding() {
        let mut rows = with_banks(32);
        assert_eq!(found(&rows[..1]), None);
        assert_eq!(found(&rows[1..]), None);
        rows[1].median_ns = None;
        assert_eq!(found(&rows), None);
    }
}
