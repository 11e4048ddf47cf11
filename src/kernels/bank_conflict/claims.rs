//! The number of banks of workgroup memory, and the cost of conflicts.

use crate::bank_conflict::conflict;
use crate::predicted;
use record::claim::*;
use record::stats::Estimate;
use record::{Record, Status, format, stats};

pub(crate) const CLAIMS: &[Claim] = &[
    Claim::Measured(Measured { name: "number of banks", state: number }),
    Claim::Measured(Measured { name: "no banks", state: none }),
    Claim::Measured(Measured { name: "stride 32", state: stride_32 }),
    Claim::Measured(Measured { name: "bytes and halves", state: direct }),
    Claim::Article(ArticleClaim {
        id: "E1",
        title: "strides, and the number of banks",
        claim: "From compute capability 2.x on, shared memory has 32 banks, which serve a whole warp at once.",
        kernels: &[STRIDE],
        terms: &["__shared__", "warp"],
        computed_prediction: || {
            let speed = |stride, banks| format::percent(1.0 / conflict(stride, banks) as f64);
            format!(
                "At stride s, gcd(s, 32) threads of a warp share a bank. Relative to stride 1, the speed is {} at \
                stride 2, {} at stride 32, and 100 % at every odd stride. With the 16 banks of compute capability 1.x, \
                it is {} at stride 32.",
                speed(2, 32),
                speed(32, 32),
                speed(32, 16)
            )
        },
        judge: Judge::Claim(count_banks),
        model: || vec![graph("speed by STRIDE, predicted for 32 banks", STRIDES, |s| predicted(STRIDE, "STRIDE", s))],
        picture: |rows| speeds(rows, "speed by STRIDE, measured", STRIDE, "STRIDE", STRIDES),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "E2",
        title: "the same word for many threads",
        claim: "From compute capability 2.x on, several words are broadcast at once, each to all threads that read it.",
        kernels: &["bank_conflict/broadcast", STRIDE],
        terms: &["__shared__", "warp"],
        prediction: "The speed is that of stride 1, however many threads read the same word. Compute capability 1.x \
            broadcasts one word per step.",
        judge: Judge::Claim(broadcast),
        ..ArticleClaim::BLANK
    }),
    Claim::Article(ArticleClaim {
        id: "E3",
        title: "bytes and halves",
        claim: "From compute capability 2.x on, threads that read neighbouring bytes of the same word do not conflict.",
        kernels: &[
            "bank_conflict/bytes",
            "bank_conflict/halves",
            "bank_conflict/bytes_direct",
            "bank_conflict/halves_direct",
        ],
        terms: &["char and short", "__shared__"],
        prediction: "Since compute capability 2.x, threads that read parts of the same word are as fast as threads \
            that each read their own word. On 1.x they conflict.",
        judge: Judge::Claim(narrow),
        ..ArticleClaim::BLANK
    }),
];

/// The number of banks inferred from the times by stride.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Banks {
    /// Stride 2 costs nothing, or no number of banks explains the curve.
    None,
    /// From this stride, doubling costs nothing.
    Inferred(u64),
    /// Doubling costs time up to the largest stride measured, so there are at least this many.
    AtLeast(u64),
}

/// Whether `slow` takes longer; `None` if the ratio's interval contains √2, the geometric mean of 1 and 2.
fn is_slower(slow: Estimate, fast: Estimate) -> Option<bool> {
    let ratio = stats::ratio(slow, fast)?;
    if ratio.low >= std::f64::consts::SQRT_2 {
        return Some(true);
    }
    (ratio.high < std::f64::consts::SQRT_2).then_some(false)
}

/// Infers the number of banks from `time` by stride; `None` with too few strides or too much noise.
///
/// With B banks (a power of two), stride s, also a power of two, is a min(s, B)-way conflict: each doubling up to B
/// doubles the time, and further doublings cost nothing. Odd strides do not conflict.
fn banks(time: impl Fn(u64) -> Option<Estimate>) -> Option<Banks> {
    let first = time(1)?;
    for odd in (3..64).step_by(2).filter_map(&time) {
        if is_slower(odd, first)? {
            return Some(Banks::None);
        }
    }
    let mut stride = 1;
    while let (Some(here), Some(doubled)) = (time(stride), time(2 * stride)) {
        if !is_slower(doubled, here)? {
            // Larger strides must cost the same: a single slow row is noise.
            for beyond in (1..=6).map(|power| 1 << power).filter(|&beyond| beyond > stride).filter_map(&time) {
                if is_slower(beyond, here)? || is_slower(here, beyond)? {
                    return Some(Banks::None);
                }
            }
            return Some(if stride > 1 { Banks::Inferred(stride) } else { Banks::None });
        }
        stride *= 2;
    }
    (stride > 1).then_some(Banks::AtLeast(stride))
}

/// The number of banks that the rows of one device show, if any.
#[must_use]
pub fn inferred_banks(rows: &[&Record]) -> Option<u64> {
    let rows: Vec<&Record> = rows.iter().copied().filter(|row| row.status == Status::Ok).collect();
    match shown(&rows)? {
        Banks::Inferred(banks) => Some(banks),
        Banks::None | Banks::AtLeast(_) => None,
    }
}

fn unstrided<'a>(rows: &[&'a Record]) -> Option<&'a Record> {
    largest(of(rows, "stride").filter(|row| has_params(row, &[("STRIDE", 1.0)]) && row.median_ns.is_some()))
}

/// The time of a row with one parameter, at the size of the stride-1 row.
fn time(rows: &[&Record], benchmark: &str, param: (&str, f64)) -> Option<Estimate> {
    let first = unstrided(rows)?;
    record::claim::time(of(rows, benchmark).find(|row| has_params(row, &[param]) && row.n == first.n)?)
}

fn strided(rows: &[&Record], stride: u64) -> Option<Estimate> {
    time(rows, "stride", ("STRIDE", stride as f64))
}

fn speed_at(rows: &[&Record], stride: u64) -> Option<Estimate> {
    stats::ratio(strided(rows, 1)?, strided(rows, stride)?)
}

fn shown(rows: &[&Record]) -> Option<Banks> {
    if rows.iter().any(|row| is_software(row)) {
        return None;
    }
    banks(|stride| strided(rows, stride))
}

fn number(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    match shown(rows)? {
        Banks::Inferred(banks) => {
            let banks = facts.count("banks", banks);
            Some(format!("{banks} banks inferred: from stride {banks} on, doubling the stride costs nothing."))
        }
        Banks::AtLeast(banks) => {
            let banks = facts.count("least banks", banks);
            Some(format!("At least {banks} banks: up to stride {banks}, doubling the stride costs time."))
        }
        Banks::None => None,
    }
}

fn none(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    if shown(rows)? != Banks::None {
        return None;
    }
    let even = facts.times("speed ratio: stride 2 / stride 1", speed_at(rows, 2)?)?;
    let odd = facts.times("speed ratio: stride 3 / stride 1", speed_at(rows, 3)?)?;
    Some(format!("No banks inferred: strides 2 and 3 run at {even} and {odd} the speed of stride 1."))
}

fn stride_32(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    if rows.iter().any(|row| is_software(row)) {
        return None;
    }
    // Up to stride 64 the models of 32 and 16 banks differ only at the multiples of 32.
    let model = |banks| format::ratio(1.0 / conflict(32, banks) as f64);
    let whole = facts.times("speed ratio: stride 32 / stride 1", speed_at(rows, 32)?)?;
    let padded = facts.times("speed ratio: stride 33 / stride 1", speed_at(rows, 33)?)?;
    let shared = time(rows, "broadcast", ("GROUP", 256.0)).and_then(|shared| stats::ratio(strided(rows, 1)?, shared));
    let rest = match shared.and_then(|speed| facts.times("speed ratio: one word / stride 1", speed)) {
        Some(speed) => format!(", stride 33 at {padded}, and one word read by all threads at {speed}"),
        None => format!(" and stride 33 at {padded}"),
    };
    Some(format!(
        "Stride 32 runs at {whole} the speed of stride 1 (model: {} with 32 banks, {} with the 16 of compute \
        capability 1.x){rest}.",
        model(32),
        model(16)
    ))
}

fn direct(rows: &DeviceRows, facts: &mut Facts) -> Option<String> {
    let mut takes = |benchmark: &str| {
        let time_apart = |benchmark: &str| time(rows, benchmark, ("APART", 1.0));
        let takes = facts.duration(
            format!("time ratio: {benchmark}_direct / {benchmark}"),
            time_apart(&format!("{benchmark}_direct"))?,
            time_apart(benchmark)?,
        )?;
        Some(format!("loading {benchmark} takes {takes} extracting them from words"))
    };
    let list = joined(["bytes", "halves"].into_iter().filter_map(&mut takes), "; ")?;
    Some(format!("In workgroup memory, {list}."))
}

const STRIDE: &str = "bank_conflict/stride";
const STRIDES: Range = 1..=64;

fn count_banks(rows: &DeviceRows, facts: &mut Facts) -> Result<Answer, Why> {
    let at = |s: f64| -> [(&str, f64); 1] { [("STRIDE", s)] };
    let [one, two, whole, odd] =
        rows.together([(STRIDE, &at(1.0)), (STRIDE, &at(2.0)), (STRIDE, &at(32.0)), (STRIDE, &at(33.0))])?;
    let (second, whole, odd) = (speed(two, one)?, speed(whole, one)?, speed(odd, one)?);
    let mut quoted = |name, ratio| facts.times(name, ratio).ok_or_else(|| noisy("the ratio of the speeds is", ratio));
    let text = format!(
        "Relative to stride 1, the speed is {} at stride 2, {} at stride 32, and {} at stride 33.",
        quoted("speed ratio: stride 2 / stride 1", second)?,
        quoted("speed ratio: stride 32 / stride 1", whole)?,
        quoted("speed ratio: stride 33 / stride 1", odd)?
    );
    match inferred_banks(&rows.family("bank_conflict")) {
        Some(banks) => Ok(Answer::new(banks == 32, format!("The times show {banks} banks. {text}"))),
        None if is_near(whole, 1.0)? => Ok(Answer::new(false, format!("No bank conflicts. {text}"))),
        None => Err(Why::new("no number of banks explains the times of all strides, or the times are too noisy")),
    }
}

fn broadcast(rows: &DeviceRows, facts: &mut Facts) -> Result<Answer, Why> {
    const GROUPS: [f64; 3] = [2.0, 16.0, 256.0];
    let mut holds = true;
    let mut figures = Vec::new();
    for group in GROUPS {
        let [shared, one] =
            rows.together([("bank_conflict/broadcast", &[("GROUP", group)]), (STRIDE, &[("STRIDE", 1.0)])])?;
        let speed = speed(shared, one)?;
        holds &= is_no_slower(speed)?;
        let name = format!("{group} threads per word");
        let times = facts.times(format!("speed ratio: {name} / stride 1"), speed);
        figures.push(times.map(|times| format!("{name} {times}")));
    }
    let text = if holds {
        format!("Reads of one word by 2, 16 or all threads are as fast as reads at stride 1, {WITHIN}.")
    } else {
        "Reads of one word by several threads are slower than reads at stride 1.".to_owned()
    };
    Ok(Answer::new(holds, text).with(figures))
}

fn narrow(rows: &DeviceRows, facts: &mut Facts) -> Result<Answer, Why> {
    let mut holds = true;
    let mut parts = Vec::new();
    for (name, apart) in [("bytes", 4.0), ("halves", 2.0), ("bytes_direct", 4.0), ("halves_direct", 2.0)] {
        let kernel = format!("bank_conflict/{name}");
        let pair = rows.together([(&kernel, &[("APART", 1.0)]), (&kernel, &[("APART", apart)])]);
        // The direct kernels are CUDA only.
        if name.ends_with("_direct") && pair.is_err() {
            continue;
        }
        let [near, far] = pair?;
        let speed = speed(near, far)?;
        let is_free = is_no_slower(speed)?;
        holds &= is_free;
        if !is_free {
            let times = facts.times(format!("speed ratio, {name}: neighbouring / one word apart"), speed);
            let times = times.ok_or_else(|| noisy("the ratio of the speeds is", speed))?;
            parts.push(format!(
                "reads of neighbouring {} are {times} as fast as reads one word apart",
                name.replace("_direct", " loaded directly")
            ));
        }
    }
    let text = match parts.as_slice() {
        [] => format!(
            "Four threads reading one word's bytes are as fast as four threads reading bytes of four words, and two \
            threads reading one word's halves as two threads reading halves of two words ({WITHIN})."
        ),
        parts => format!("Bank conflicts: {}.", parts.join(", ")),
    };
    Ok(Answer::new(holds, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::{found, noisy, row};
    use record::claim::{Finding, Quantity};
    use record::suite::DeviceType;

    fn rows(time: impl Fn(u64) -> f64) -> Vec<Record> {
        let row = |stride: u64| row("stride", &[("STRIDE", stride as f64)], 131_072, time(stride));
        [1, 2, 3, 4, 8, 16, 17, 31, 32, 33, 48, 64].map(row).into()
    }

    fn finding(rows: &[Record]) -> Option<Finding> {
        found("bank_conflict", rows)
    }

    fn text(rows: &[Record]) -> String {
        finding(rows).expect("enough rows").text()
    }

    /// 5 µs for the launch, and 80 µs for each pass of the conflict.
    fn with_banks(count: u64) -> Vec<Record> {
        rows(|stride| 5e3 + 80e3 * conflict(stride, count) as f64)
    }

    #[test]
    fn banks_are_inferred_from_the_curve() {
        let text_32 = text(&with_banks(32));
        assert!(text_32.starts_with("32 banks inferred"), "{text_32}");
        assert!(text_32.contains("model: 0.0312× with 32 banks, 0.0625× with the 16"), "{text_32}");
        assert!(text_32.contains("stride 33 at 1.00×"), "{text_32}");
        assert_eq!(finding(&with_banks(32)).and_then(|found| found.value("banks")), Some(Quantity::Count(32)));
        let text_16 = text(&with_banks(16));
        assert!(text_16.starts_with("16 banks inferred") && text_16.contains("Stride 32 runs at 0.0661×"), "{text_16}");
        let text_64 = text(&with_banks(64));
        assert!(text_64.starts_with("At least 64 banks"), "{text_64}");
        assert_eq!(finding(&with_banks(64)).and_then(|found| found.value("banks")), None);
    }

    #[test]
    fn a_flat_curve_shows_no_banks() {
        let text = text(&rows(|stride| 1e6 + 3e4 * (stride % 5) as f64));
        assert!(text.starts_with("No banks inferred"), "{text}");
    }

    /// Noise that slows one row, or every row after the first, is no conflict.
    #[test]
    fn curves_that_no_banks_explain_show_none() {
        let slow = text(&rows(|stride| if stride == 1 { 1e6 } else { 2e6 }));
        assert!(slow.starts_with("No banks inferred: strides 2 and 3 run at 0.500× and 0.500×"), "{slow}");
        let single = text(&rows(|stride| if stride == 2 { 2e6 } else { 1e6 }));
        assert!(single.starts_with("No banks inferred: strides 2 and 3 run at 0.500× and 1.00×"), "{single}");
    }

    #[test]
    fn noise_never_changes_the_number_of_banks() {
        for count in [16, 32] {
            for (seed, noise) in (0..40).flat_map(|seed| [0.01, 0.05, 0.1, 0.3].map(|noise| (seed, noise))) {
                let rows = noisy(&with_banks(count), noise, seed);
                let banks = inferred_banks(&rows.iter().collect::<Vec<_>>());
                assert!(banks == Some(count) || banks.is_none() && noise > 0.05, "{banks:?} at ±{noise}");
                let text = finding(&rows).map_or_else(String::new, |found| found.text());
                assert!(!text.contains("No banks") && !text.contains("At least"), "{text}");
            }
        }
    }

    #[test]
    fn without_the_first_two_strides_or_in_software_there_is_no_finding() {
        let mut rows = with_banks(32);
        assert_eq!(finding(&rows[..1]), None);
        assert_eq!(finding(&rows[1..]), None);
        rows[1].median_ns = None;
        assert!(!text(&rows).contains("banks inferred"));
        let software = |row: Record| Record { device_type: Some(DeviceType::Software), ..row };
        assert_eq!(finding(&with_banks(32).into_iter().map(software).collect::<Vec<_>>()), None);
    }
}
