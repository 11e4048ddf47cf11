use super::article::{Answer, Bar, Graph, Picture, Report};
use super::device_rows::{DeviceRows, Named, Why};
use super::facts::Facts;
use super::margin::{compared, is_faster, speed};
use crate::{Record, byte_rate, format};

/// A kernel, and its name in a sentence.
pub type Subject<'a> = (Named<'a>, &'a str);

/// Holds if the first kernel's speed relative to the second is certainly above `least`, at the same type and size.
pub fn faster(rows: &DeviceRows, facts: &mut Facts, least: f64, own: Subject, other: Subject) -> Result<Answer, Why> {
    let [first, second] = rows.together([own.0, other.0])?;
    let holds = is_faster(speed(first, second)?, least)?;
    Ok(Answer::new(holds, sentence(facts, (first, own.1), (second, other.1))?))
}

/// How fast the first kernel is relative to the second, at the same type and size.
pub fn beside(rows: &DeviceRows, facts: &mut Facts, own: Subject, other: Subject) -> Result<Report, Why> {
    let [first, second] = rows.together([own.0, other.0])?;
    sentence(facts, (first, own.1), (second, other.1)).map(Report::new)
}

/// `The padded tile is 1.7× as fast as the unpadded tile: 2.8 TB/s and 1.6 TB/s at 2^28.`
pub fn sentence(facts: &mut Facts, own: (&Record, &str), other: (&Record, &str)) -> Result<String, Why> {
    let compared = compared(facts, &format!("speed ratio: {} / {}", own.1, other.1), speed(own.0, other.0)?)?;
    let rates = rates(facts, own.0, other.0).map_or_else(String::new, |rates| format!(": {rates}"));
    Ok(format!("At {}, {} {} {compared} {}{rates}.", own.0.short_size(), own.1, verb(own.1), other.1))
}

/// `1.7 TB/s and 484 GB/s`, if neither rate is too noisy to quote.
pub fn rates(facts: &mut Facts, own: &Record, other: &Record) -> Option<String> {
    let mut rate = |row: &Record| facts.byte_rate(format!("{} {}", row.name(), row.params_text()), byte_rate(row)?);
    rate(own).zip(rate(other)).map(|(own, other)| format!("{own} and {other}"))
}

/// `are` if the subject has no article: it is a plural.
fn verb(subject: &str) -> &'static str {
    let is_singular = ["a ", "an ", "the ", "one ", "reading ", "filtering ", "writing "]
        .iter()
        .any(|word| subject.starts_with(word));
    if is_singular { "is" } else { "are" }
}

/// Holds if every row of the kernels is verified; `sentence` states what that proves.
pub fn right(rows: &DeviceRows, kernels: &[&str], sentence: impl Fn(&[&Record]) -> String) -> Result<Answer, Why> {
    Ok(match rows.verified(kernels)? {
        Ok(rows) => Answer::new(true, sentence(&rows)),
        Err(kernel) => Answer::new(false, format!("`{kernel}` gives a wrong result on this device.")),
    })
}

/// The timed row of a kernel with the most rounds, at its largest size.
pub fn longest<'a>(rows: &DeviceRows<'a>, named: Named) -> Result<&'a Record, Why> {
    let [row] = rows.together([named])?;
    Ok(row)
}

/// One bar per kernel with its rate at the size of `like`, unless it is too noisy to quote.
pub fn bars(rows: &DeviceRows, like: &Record, kernels: &[(&str, &[(&str, f64)])]) -> Option<Picture> {
    let bar = |(kernel, params): &(&str, &[(&str, f64)])| {
        let row = rows.timed((kernel, params)).find(|row| row.n == like.n && row.dtype == like.dtype)?;
        let rate = byte_rate(row)?;
        format::quotable(rate)?;
        let params = row.params_text();
        let name = if params.is_empty() { row.benchmark.clone() } else { format!("{} {params}", row.benchmark) };
        Some(Bar { name, gb_per_s: rate.value })
    };
    let bars: Vec<Bar> = kernels.iter().filter_map(bar).collect();
    let title = format!("{} of {} {}", like.family, like.short_size(), like.dtype_name());
    (bars.len() > 1).then_some(Picture::Bars(title, bars))
}

/// Values of a parameter.
pub type Range = std::ops::RangeInclusive<u64>;

/// A graph with a value at every point.
pub fn graph(title: &'static str, range: Range, value: impl Fn(u64) -> Option<f64>) -> Graph {
    Graph { title, first: *range.start(), values: range.map(value).collect() }
}

/// A graph of the speeds relative to the parameter's first value, at the largest size; no point for noisy rows.
pub fn speeds(rows: &DeviceRows, title: &'static str, kernel: &str, name: &str, range: Range) -> Option<Picture> {
    let first = *range.start() as f64;
    let relative = |value: u64| {
        let [own, base] = rows.together([(kernel, &[(name, value as f64)]), (kernel, &[(name, first)])]).ok()?;
        let ratio = speed(own, base).ok()?;
        format::quotable(ratio).map(|_| ratio.value)
    };
    let graph = graph(title, range, relative);
    (graph.values.iter().flatten().count() > 1).then_some(Picture::Graph(graph))
}
