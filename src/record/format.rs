//! Formats numbers: one rule per quantity, for all tables, sentences and pages. Figures have three significant digits,
//! followed by `±N %` where the 95 % interval is wider than ±2 %. `format_examples.json` lists examples; the script of
//! the HTML page follows the same rules.

use super::stats::Estimate;

/// `value` with `digits` significant digits, but every digit before the point; an exponent only below 10^-9.
#[must_use]
pub fn significant(value: f64, digits: usize) -> String {
    const LEAST: f64 = 1e-9;
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    if value.abs() < LEAST {
        return format!("{value:.*e}", digits - 1);
    }
    let exponent = value.abs().log10().floor() as i32;
    let decimals = (digits as i32 - 1 - exponent).max(0);
    let scale = 10_f64.powi(decimals);
    // 9.996 rounds to 10.0, not to 10.00.
    let gains_digit = (value.abs() * scale).round() / scale >= 10_f64.powi(exponent + 1);
    let decimals = if gains_digit { (decimals - 1).max(0) } else { decimals };
    format!("{value:.*}", decimals as usize)
}

const DIGITS: usize = 3;

/// An interval with a half width above this fraction of its value is too noisy to quote.
const TOO_NOISY: f64 = 0.15;

/// A half width above this fraction of its value is printed beside the figure.
const NOTED: f64 = 0.02;

/// Half the width of a figure's 95 % interval, relative to the figure; `None` if it is too noisy to quote.
#[must_use]
pub fn quotable(of: Estimate) -> Option<f64> {
    let noise = (of.high - of.low) / 2.0 / of.value.abs();
    (of.low <= of.value && of.value <= of.high && noise <= TOO_NOISY).then_some(noise)
}

/// The suffix of a figure with this noise: ` ±5 %`; empty up to 2 %.
#[must_use]
pub fn plus_minus(noise: f64) -> String {
    if noise > NOTED { format!(" ±{:.0} %", noise * 100.0) } else { String::new() }
}

/// [`plus_minus`] where there is no room for a number: `±`.
#[must_use]
pub fn plus_minus_sign(noise: f64) -> String {
    if noise > NOTED { "±".to_owned() } else { String::new() }
}

/// `value` in the first of `units` in which it is below 1000. Each unit is 1000 times the previous one.
#[must_use]
pub fn scaled(mut value: f64, units: &[&str]) -> String {
    // A value that rounds to 1000 uses the next unit.
    const LIMIT: f64 = 999.5;
    let mut units = units.iter().peekable();
    let mut unit = units.next().copied().unwrap_or_default();
    while value >= LIMIT
        && let Some(next) = units.next()
    {
        value /= 1000.0;
        unit = next;
    }
    format!("{} {unit}", significant(value, DIGITS))
}

/// A figure in the first of `units` that fits, with its noise; `None` if it is too noisy to quote.
#[must_use]
pub fn quoted(of: Estimate, units: &[&str]) -> Option<String> {
    let noise = quotable(of)?;
    Some(format!("{}{}", scaled(of.value, units), plus_minus(noise)))
}

/// Units of a time in nanoseconds.
pub const TIME_UNITS: &[&str] = &["ns", "µs", "ms", "s"];

/// Units of a rate in MB/s.
pub const BYTE_RATE_UNITS: &[&str] = &["MB/s", "GB/s", "TB/s"];

/// Units of 10^6 operations per second, and of 10^9 per joule; operations on floats are FLOP.
#[must_use]
pub const fn operation_units(is_float: bool) -> (&'static [&'static str], &'static str) {
    if is_float { (&["MFLOP/s", "GFLOP/s", "TFLOP/s"], "GFLOP/J") } else { (&["MOP/s", "GOP/s", "TOP/s"], "GOP/J") }
}

/// The texts that are not empty, with `between` between them.
pub fn joined(texts: impl IntoIterator<Item = impl AsRef<str>>, between: &str) -> String {
    let texts: Vec<_> = texts.into_iter().filter(|text| !text.as_ref().is_empty()).collect();
    texts.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(between)
}

/// The values without repetitions, in the order of their first occurrence.
pub fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found: Vec<T> = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// `Both results are correct`, for `count` results.
#[must_use]
pub fn all_correct(count: usize) -> String {
    match count {
        1 => "The result is correct".to_owned(),
        2 => "Both results are correct".to_owned(),
        _ => format!("All {count} results are correct"),
    }
}

/// `1 case`, `2 cases`.
#[must_use]
pub fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A time in nanoseconds: `251 µs`.
#[must_use]
pub fn time(ns: f64) -> String {
    scaled(ns, TIME_UNITS)
}

/// Energy in joules: `84.2 mJ`.
#[must_use]
pub fn energy(joules: f64) -> String {
    scaled(joules * 1e6, &["µJ", "mJ", "J", "kJ"])
}

/// Latency of a dependent load in nanoseconds: `23.8 ns/load`.
#[must_use]
pub fn load_latency(ns: f64) -> String {
    scaled(ns, &["ns/load", "µs/load"])
}

/// Bytes per second, from GB/s: `1.70 TB/s`, `264 MB/s`.
#[must_use]
pub fn byte_rate(gb_per_s: f64) -> String {
    scaled(gb_per_s * 1000.0, BYTE_RATE_UNITS)
}

/// Operations per second, from 10^9: `51.6 TFLOP/s` on floats, `33.2 TOP/s` on integers.
#[must_use]
pub fn operation_rate(gflop_per_s: f64, is_float: bool) -> String {
    scaled(gflop_per_s * 1000.0, operation_units(is_float).0)
}

/// Items per second: `38.2 Gkeys/s`.
#[must_use]
pub fn item_rate(per_s: f64, unit: &str) -> String {
    let unit = if unit.is_empty() { "items" } else { unit };
    let units = ["", "k", "M", "G", "T"].map(|prefix| format!("{prefix}{unit}/s"));
    scaled(per_s, &units.each_ref().map(String::as_str))
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

/// A share in percent with its noise in percentage points: `80 % ±6 %` is 74 to 86 %. `None` if too noisy to quote.
#[must_use]
pub fn part(of: Estimate) -> Option<String> {
    quotable(of)?;
    Some(format!("{}{}", percent(of.value), plus_minus((of.high - of.low) / 2.0)))
}

/// A ratio, with its noise: `2.31×`, `2.31× ±5 %`; `None` if it is too noisy to quote.
#[must_use]
pub fn quoted_ratio(of: Estimate) -> Option<String> {
    Some(format!("{}{}", ratio(of.value), plus_minus(quotable(of)?)))
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

/// A change of time from the ratio new ÷ old: `+8.0 % time [7.4, 8.6]`. A factor of two or more is a multiple: `12.3×
/// the time [11.9, 12.7]`, `2.31× as fast [2.30, 2.32]`.
#[must_use]
pub fn time_change(times: f64, interval: Option<(f64, f64)>) -> String {
    let (value, interval) = changed(times, interval);
    match times {
        times if times >= 2.0 => format!("{value}× the time{interval}"),
        times if times <= 0.5 => format!("{value}× as fast{interval}"),
        _ => format!("{value} % time{interval}"),
    }
}

/// [`time_change`] in a table cell: `+8.0 % [7.4, 8.6]`, `×12.3 [11.9, 12.7]`, `÷2.31 [2.30, 2.32]`.
#[must_use]
pub fn time_change_cell(times: f64, interval: Option<(f64, f64)>) -> String {
    let (value, interval) = changed(times, interval);
    match times {
        times if times >= 2.0 => format!("×{value}{interval}"),
        times if times <= 0.5 => format!("÷{value}{interval}"),
        _ => format!("{value} %{interval}"),
    }
}

/// The number and the interval of [`time_change`].
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

/// Half the width of an interval, relative to the value; beyond 100 % just `>100 %`.
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
    fn a_figure_has_three_digits_and_its_noise_beside_it() {
        let estimate =
            |value: f64, noise: f64| Estimate { value, low: value * (1.0 - noise), high: value * (1.0 + noise) };
        let time = |value: f64, noise: f64| quoted(estimate(value, noise), TIME_UNITS);
        for (value, text) in [(47.99, "48.0 ns"), (292.0, "292 ns"), (2.96, "2.96 ns"), (4.11, "4.11 ns")] {
            assert_eq!(time(value, 0.12), Some(format!("{text} ±12 %")));
            assert_eq!(time(value, 0.0199).as_deref(), Some(text));
        }
        assert_eq!((time(1.0, 0.16), time(f64::NAN, 0.0)), (None, None));
        assert_eq!(quoted_ratio(estimate(1.52, 0.03)).as_deref(), Some("1.52× ±3 %"));
        assert_eq!(part(estimate(0.8, 0.075)).as_deref(), Some("80 % ±6 %"));
        assert_eq!((plus_minus_sign(0.02), plus_minus_sign(0.021)), (String::new(), "±".to_owned()));
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
