//! Formats numbers: one rule per quantity, for all tables, sentences and pages.
//!
//! `format_examples.json` lists examples. The script of the HTML page follows the same rules.

/// `value` with `digits` significant digits, without an exponent. Digits before the decimal point are never rounded.
#[must_use]
pub fn significant(value: f64, digits: usize) -> String {
    /// Maximum number of decimals.
    const MOST: i32 = 100;
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let exponent = value.abs().log10().floor() as i32;
    let decimals = (digits as i32 - 1 - exponent).clamp(0, MOST);
    let scale = 10_f64.powi(decimals);
    // 9.996 rounds to 10.0, not to 10.00.
    let gains_digit = (value.abs() * scale).round() / scale >= 10_f64.powi(exponent + 1);
    let decimals = if gains_digit { (decimals - 1).max(0) } else { decimals };
    format!("{value:.*}", decimals as usize)
}

/// An interval with a half width above this fraction of its value leaves no digit.
const TOO_NOISY: f64 = 0.15;

/// The significant digits, one to four, that a 95 % interval leaves of `value`; `None` if it is too noisy to quote.
///
/// A half width of up to 0.05 % leaves four digits, 0.5 % three, 5 % two, 15 % one: the last digit is then about as
/// uncertain as the interval is wide. If the value rounded to so few digits lies outside of its own interval, the
/// number of digits is the smallest that keeps it inside, as in the shortest decimal number within an interval.
#[must_use]
pub fn digits(value: f64, low: f64, high: f64) -> Option<usize> {
    const MOST: usize = 4;
    let noise = (high - low) / 2.0 / value.abs();
    if !(low <= value && value <= high && noise <= TOO_NOISY) {
        return None;
    }
    let fewest = match noise {
        noise if noise <= 0.0005 => MOST,
        noise if noise <= 0.005 => 3,
        noise if noise <= 0.05 => 2,
        _ => 1,
    };
    Some((fewest..MOST).find(|digits| (low..=high).contains(&rounded(value, *digits))).unwrap_or(MOST))
}

/// `value` rounded to `digits` significant digits, before the decimal point as well.
#[must_use]
pub fn rounded(value: f64, digits: usize) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let exponent = value.abs().log10().floor() as i32 - (digits as i32 - 1);
    // A power of ten below 1 is not exact, its reciprocal is.
    if exponent < 0 {
        let scale = 10_f64.powi(-exponent);
        (value * scale).round() / scale
    } else {
        let scale = 10_f64.powi(exponent);
        (value / scale).round() * scale
    }
}

/// `value` in the first of `units` in which it is below 1000. Each unit is 1000 times the previous one.
#[must_use]
pub fn scaled(mut value: f64, units: &[&str], digits: usize) -> String {
    // A value that rounds to 1000 uses the next unit.
    let limit = 1000.0 - 0.5 * 10_f64.powi(3 - digits.max(3) as i32);
    let mut units = units.iter().peekable();
    let mut unit = units.next().copied().unwrap_or_default();
    while value >= limit
        && let Some(next) = units.next()
    {
        value /= 1000.0;
        unit = next;
    }
    format!("{} {unit}", significant(value, digits))
}

/// Units of a time in nanoseconds.
pub const TIME_UNITS: &[&str] = &["ns", "µs", "ms", "s"];

/// Units of a rate in MB/s.
pub const BYTE_RATE_UNITS: &[&str] = &["MB/s", "GB/s", "TB/s"];

/// Units of 10^6 operations per second, and of 10^9 per joule: those on floats are FLOP.
#[must_use]
pub const fn operation_units(is_float: bool) -> (&'static [&'static str], &'static str) {
    if is_float { (&["MFLOP/s", "GFLOP/s", "TFLOP/s"], "GFLOP/J") } else { (&["MOP/s", "GOP/s", "TOP/s"], "GOP/J") }
}

/// A time in nanoseconds: `251.2 µs`.
#[must_use]
pub fn time(ns: f64) -> String {
    scaled(ns, TIME_UNITS, 4)
}

/// Energy in joules: `84.2 mJ`.
#[must_use]
pub fn energy(joules: f64) -> String {
    scaled(joules * 1e6, &["µJ", "mJ", "J", "kJ"], 3)
}

/// Latency of a dependent load in nanoseconds: `23.8 ns/load`.
#[must_use]
pub fn load_latency(ns: f64) -> String {
    scaled(ns, &["ns/load", "µs/load"], 3)
}

/// Bytes per second, from GB/s: `1.696 TB/s`, `263.7 MB/s`.
#[must_use]
pub fn byte_rate(gb_per_s: f64) -> String {
    scaled(gb_per_s * 1000.0, BYTE_RATE_UNITS, 4)
}

/// Operations per second, from 10^9: `51.6 TFLOP/s` on floats, `33.2 TOP/s` on integers.
#[must_use]
pub fn operation_rate(gflop_per_s: f64, is_float: bool) -> String {
    scaled(gflop_per_s * 1000.0, operation_units(is_float).0, 3)
}

/// Items per second: `38.2 Gkeys/s`.
#[must_use]
pub fn item_rate(per_s: f64, unit: &str) -> String {
    let unit = if unit.is_empty() { "items" } else { unit };
    let units = ["", "k", "M", "G", "T"].map(|prefix| format!("{prefix}{unit}/s"));
    scaled(per_s, &units.each_ref().map(String::as_str), 3)
}

/// A fraction in percent: `98 %`, `0.5 %`, `<0.1 %`.
#[must_use]
pub fn percent(fraction: f64) -> String {
    match fraction * 100.0 {
        percent if percent < 0.1 => "<0.1 %".to_owned(),
        percent if percent < 9.95 => format!("{percent:.1} %"),
        percent => format!("{percent:.0} %"),
    }
}

/// A fraction in percent, as [`percent`] writes it, but only with the digits that its 95 % interval leaves: units if the
/// interval is ±1 % or wider, tens from ±10 % on.
#[must_use]
pub fn percent_within(fraction: f64, low: f64, high: f64) -> String {
    let reach = (high - low) / 2.0;
    let unit = match reach {
        reach if reach >= 0.1 => 10.0,
        reach if reach >= 0.01 => 1.0,
        _ => return percent(fraction),
    };
    let rounded = (fraction * 100.0 / unit).round() * unit;
    match (rounded == 0.0, high) {
        // It may be nothing and all of the peak.
        (true, high) if high > 1.0 => "–".to_owned(),
        (true, high) => format!("<{:.0} %", (high * 100.0 / unit).ceil() * unit),
        (false, _) => format!("{rounded:.0} %"),
    }
}

/// An interval in percent: `96–98 %`; with one decimal if it is narrower than 1 %.
#[must_use]
pub fn percent_range(low: f64, high: f64) -> String {
    let decimals = usize::from(high - low < 0.01);
    format!("{:.decimals$}–{:.decimals$} %", low * 100.0, high * 100.0)
}

/// A difference as a fraction, in percent with one decimal: `10.0 %`.
#[must_use]
pub fn percent_change(fraction: f64) -> String {
    format!("{:.1} %", fraction * 100.0)
}

/// A limit from the user, in percent without trailing zeros: `1.25 %`, `5 %`.
#[must_use]
pub fn percent_limit(fraction: f64) -> String {
    let text = format!("{:.4}", fraction * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A ratio without the × sign: three significant digits, two below 0.01.
#[must_use]
pub fn ratio_number(ratio: f64) -> String {
    significant(ratio, if ratio < 0.01 { 2 } else { 3 })
}

/// A ratio: `1.02×`.
#[must_use]
pub fn ratio(ratio: f64) -> String {
    format!("{}×", ratio_number(ratio))
}

/// A ratio with its confidence interval if it has one: `1.07× [1.06, 1.08]`.
#[must_use]
pub fn ratio_with_interval(value: f64, interval: Option<(f64, f64)>) -> String {
    let interval =
        interval.map_or_else(String::new, |(low, high)| format!(" [{}, {}]", ratio_number(low), ratio_number(high)));
    format!("{}{interval}", ratio(value))
}

/// A change of time from the ratio new ÷ old: `+8.0 % time [7.4, 8.6]`. From a factor of two on it is a multiple:
/// `12.3× the time [11.9, 12.7]`, `2.31× as fast [2.30, 2.32]`.
#[must_use]
pub fn time_change(times: f64, interval: Option<(f64, f64)>) -> String {
    let (value, interval) = changed(times, interval);
    match times {
        times if times >= 2.0 => format!("{value}× the time{interval}"),
        times if times <= 0.5 => format!("{value}× as fast{interval}"),
        _ => format!("{value} % time{interval}"),
    }
}

/// The same for the cell of a table: `+8.0 % [7.4, 8.6]`, `×12.3 [11.9, 12.7]`, `÷2.31 [2.30, 2.32]`.
#[must_use]
pub fn time_change_cell(times: f64, interval: Option<(f64, f64)>) -> String {
    let (value, interval) = changed(times, interval);
    match times {
        times if times >= 2.0 => format!("×{value}{interval}"),
        times if times <= 0.5 => format!("÷{value}{interval}"),
        _ => format!("{value} %{interval}"),
    }
}

/// The figures of a change of time, and its interval.
fn changed(times: f64, interval: Option<(f64, f64)>) -> (String, String) {
    let percent = |times: f64| {
        let text = format!("{:.1}", (times - 1.0) * 100.0);
        if text == "-0.0" { "0.0".to_owned() } else { text }
    };
    let with = |of: &dyn Fn(f64) -> String, interval: Option<(f64, f64)>| {
        interval.map_or_else(String::new, |(low, high)| format!(" [{}, {}]", of(low), of(high)))
    };
    if times >= 2.0 {
        (ratio_number(times), with(&ratio_number, interval))
    } else if times <= 0.5 {
        let inverse = interval.map(|(low, high)| (high.recip(), low.recip()));
        (ratio_number(times.recip()), with(&ratio_number, inverse))
    } else {
        let value = percent(times);
        let sign = if value.starts_with('-') || value == "0.0" { "" } else { "+" };
        (format!("{sign}{value}"), with(&percent, interval))
    }
}

/// Half the width of an interval, relative to the value. Beyond 100 % the figure says nothing more.
#[must_use]
pub fn noise(noise: f64) -> String {
    if noise > 1.0 { ">100 %".to_owned() } else { percent(noise) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_formatted_as_listed() {
        let examples: Vec<(String, f64, String)> =
            serde_json::from_str(include_str!("format_examples.json")).expect("a list of examples");
        for (quantity, value, text) in examples {
            let format = match quantity.as_str() {
                "time" => time,
                "load_latency" => load_latency,
                "byte_rate" => byte_rate,
                "flop_rate" => |gflop| operation_rate(gflop, true),
                "op_rate" => |gop| operation_rate(gop, false),
                "percent" => percent,
                "ratio" => ratio,
                other => panic!("no quantity {other}"),
            };
            assert_eq!(format(value), text, "{quantity} {value}");
        }
    }

    #[test]
    fn a_percentage_has_the_digits_that_its_interval_leaves() {
        let of = |percent: f64, reach: f64| {
            percent_within(percent / 100.0, (percent - reach) / 100.0, (percent + reach) / 100.0)
        };
        assert_eq!([0.1, 2.0, 9.0, 12.0].map(|reach| of(97.3, reach)), ["97 %", "97 %", "97 %", "100 %"]);
        assert_eq!([0.1, 1.5, 11.0].map(|reach| of(3.4, reach)), ["3.4 %", "3 %", "<20 %"]);
        assert_eq!(of(4.0, 120.0), "–");
        assert_eq!((of(0.3, 0.1), of(146.0, 60.0)), ("0.3 %".to_owned(), "150 %".to_owned()));
        let ranges = [(0.962, 0.984), (0.9962, 0.9984), (1.0, 1.0), (0.3, 1.94)];
        let ranges = ranges.map(|(low, high)| percent_range(low, high));
        assert_eq!(ranges, ["96–98 %", "99.6–99.8 %", "100.0–100.0 %", "30–194 %"]);
    }

    #[test]
    fn noise_determines_the_digits() {
        let of = |value: f64, noise: f64| digits(value, value * (1.0 - noise), value * (1.0 + noise));
        assert_eq!(
            [0.0, 0.003, 0.03, 0.12, 0.2].map(|noise| of(2.0, noise)),
            [Some(4), Some(3), Some(2), Some(1), None]
        );
        // 1.05 rounds to 1.1 or 1.0, both outside of its interval.
        assert_eq!((of(1.048, 0.01), of(145.3, 0.03), of(145.3, 0.04)), (Some(3), Some(3), Some(2)));
        assert_eq!([digits(1.0, f64::NAN, 1.0), digits(1.0, 1.1, 1.2), digits(0.0, 0.0, 0.0)], [None; 3]);
        for (value, digits, expected) in [(6626.0, 2, 6600.0), (149.4, 2, 150.0), (0.0347, 2, 0.035), (9.97, 2, 10.0)] {
            assert_eq!(rounded(value, digits), expected, "{value} {digits}");
        }
    }

    /// Four digits round by up to 0.05 %: the quoted number lies within every interval that is wider.
    #[test]
    fn a_quoted_number_lies_within_its_interval() {
        for step in 0..2000 {
            let value = 1.003_f64.powi(step);
            for noise in [0.0006, 0.001, 0.004, 0.01, 0.03, 0.049, 0.06, 0.14] {
                let (low, high) = (value * (1.0 - noise), value * (1.0 + noise));
                let quoted = rounded(value, digits(value, low, high).expect("quiet"));
                assert!((low..=high).contains(&quoted), "{value} ± {noise}: {quoted}");
            }
        }
    }

    #[test]
    fn limits_and_changes_have_the_digits_that_they_need() {
        assert_eq!([percent_limit(0.0125), percent_limit(0.05), percent_limit(0.1)], ["1.25 %", "5 %", "10 %"]);
        assert_eq!(percent_change(0.1), "10.0 %");
        assert_eq!(ratio_with_interval(1.07, Some((1.06, 1.08))), "1.07× [1.06, 1.08]");
        assert_eq!(ratio_with_interval(0.04, None), "0.0400×");
    }

    #[test]
    fn a_change_of_time_is_in_percent_and_from_two_on_a_multiple() {
        assert_eq!(time_change(1.08, Some((1.074, 1.086))), "+8.0 % time [7.4, 8.6]");
        assert_eq!(time_change(0.8, Some((0.79, 0.81))), "-20.0 % time [-21.0, -19.0]");
        assert_eq!([time_change(0.9999, None), time_change(1.0, None)], ["0.0 % time", "0.0 % time"]);
        assert_eq!(time_change(12.34, Some((11.9, 12.7))), "12.3× the time [11.9, 12.7]");
        assert_eq!(time_change(0.25, Some((0.2, 0.4))), "4.00× as fast [2.50, 5.00]");
        let cells = [1.08, 12.34, 0.25].map(|times| time_change_cell(times, Some((times, times))));
        assert_eq!(cells, ["+8.0 % [8.0, 8.0]", "×12.3 [12.3, 12.3]", "÷4.00 [4.00, 4.00]"]);
    }
}
