//! Judgements that several steps share.

use super::rows::{Cannot, Named, Rows, compared, is_faster, is_no_slower, speed};
use super::step::{Answer, Bar, Graph, Picture, Told};
use crate::record::{Record, format};
use crate::results::findings::{Draft, byte_rate};

/// A kernel, and its name in a sentence.
pub(super) type Subject<'a> = (Named<'a>, &'a str);

/// Holds if the first kernel is faster than the second, by more than the margin, at the same type and size.
pub(super) fn faster(rows: &Rows, draft: &mut Draft, own: Subject, other: Subject) -> Told {
    let [first, second] = rows.together([own.0, other.0])?;
    let speed = speed(first, second)?;
    let holds = is_faster(speed)?;
    let compared = compared(draft, "speed", speed)?;
    let rates = rates(draft, first, second);
    Ok(Answer::new(holds, format!("{} {} {compared} {}{rates}.", capital(own.1), verb(own.1), other.1)))
}

/// Holds if the first kernel is no slower than the second, within the margin, at the same type and size.
pub(super) fn no_slower(rows: &Rows, draft: &mut Draft, own: Subject, other: Subject) -> Told {
    let [first, second] = rows.together([own.0, other.0])?;
    not_slower(draft, (first, own.1), (second, other.1))
}

/// Holds if the first row is no slower than the second, within the margin. Both do the same work.
pub(super) fn not_slower(draft: &mut Draft, own: (&Record, &str), other: (&Record, &str)) -> Told {
    let speed = speed(own.0, other.0)?;
    let holds = is_no_slower(speed)?;
    let compared = compared(draft, "speed", speed)?;
    let rates = rates(draft, own.0, other.0);
    Ok(Answer::new(holds, format!("{} {} {compared} {}{rates}.", capital(own.1), verb(own.1), other.1)))
}

/// `: 1.7 TB/s and 484 GB/s`, if neither rate is too noisy to quote.
pub(super) fn rates(draft: &mut Draft, own: &Record, other: &Record) -> String {
    let mut rate = |name, row| byte_rate(row).and_then(|rate| draft.byte_rate(name, rate));
    let both = rate("own rate", own).zip(rate("other rate", other));
    both.map_or_else(String::new, |(own, other)| format!(": {own} and {other}"))
}

/// `are` after a plural, which has no article.
fn verb(subject: &str) -> &'static str {
    let is_singular =
        ["a ", "an ", "the ", "one ", "reading ", "filtering "].iter().any(|word| subject.starts_with(word));
    if is_singular { "is" } else { "are" }
}

/// `text` with a capital letter at its start.
fn capital(text: &str) -> String {
    let mut characters = text.chars();
    let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    first + characters.as_str()
}

/// Holds if every row of the kernels is verified; `sentence` says what that proves.
pub(super) fn right(rows: &Rows, kernels: &[&str], sentence: impl Fn(&[&Record]) -> String) -> Told {
    Ok(match rows.verified(kernels)? {
        Ok(rows) => Answer::new(true, sentence(&rows)),
        Err(kernel) => Answer::new(false, format!("`{kernel}` gives a wrong answer on this device.")),
    })
}

/// The timed row of a kernel with the most rounds, at its largest size.
pub(super) fn longest<'a>(rows: &Rows<'a>, named: Named) -> Result<&'a Record, Cannot> {
    let [row] = rows.together([named])?;
    Ok(row)
}

/// The rates of the kernels at the size of `like`, a bar each, from rates that are not too noisy to quote.
pub(super) fn bars(rows: &Rows, like: &Record, kernels: &[(&str, &[(&str, f64)])]) -> Option<Picture> {
    let bar = |(kernel, params): &(&str, &[(&str, f64)])| {
        let row = rows.timed((kernel, params)).find(|row| row.n == like.n && row.dtype == like.dtype)?;
        let rate = byte_rate(row)?;
        format::digits(rate.value, rate.low, rate.high)?;
        let params = row.params_text();
        let name = if params.is_empty() { row.benchmark.clone() } else { format!("{} {params}", row.benchmark) };
        Some(Bar { name, gb_per_s: rate.value })
    };
    let bars: Vec<Bar> = kernels.iter().filter_map(bar).collect();
    let title = format!("{} of {} {}", like.family, like.short_size(), like.dtype_name());
    (bars.len() > 1).then_some(Picture::Bars(title, bars))
}

/// A graph with a value at every point.
pub(super) fn graph(
    title: &'static str,
    range: std::ops::RangeInclusive<u64>,
    value: impl Fn(u64) -> Option<f64>,
) -> Graph {
    Graph { title, first: *range.start(), values: range.map(value).collect() }
}

/// A measured graph; `None` if fewer than two points have a row.
pub(super) fn measured(graph: Graph) -> Option<Picture> {
    (graph.values.iter().flatten().count() > 1).then_some(Picture::Graph(graph))
}
