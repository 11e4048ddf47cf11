//! The answer of a comparison, in sentences and as a table of kernels.

use super::sentences::{change, count, counted, labels, short_change, without_variation};
use crate::compare::{ChangedKernel, Comparison, Match, Pair, Side, Verdict};
use record::suite::{Api, WorkKind};
use record::{compiled_changes, format};

/// Intervals that reach farther than this to either side are too noisy, as a fraction of the time.
const NOISY: f64 = 0.0275;

/// The answer for the match `of`: first the slower kernels, then what limits the answer.
#[must_use]
pub fn answer(comparison: &Comparison, of: usize) -> Vec<String> {
    let kind = comparison.pairs_in(of).map(|(case, _)| case.kind).min().unwrap_or_default();
    let pairs = comparison.pairs_in(of).filter(|(case, _)| case.kind == kind);
    let pairs: Vec<&Pair> = pairs.map(|(_, pair)| pair).collect();
    let Match { baseline, side } = comparison.matches[of];
    let [a, b] = [baseline, side].map(|side| &comparison.sides[side]);
    let prefix = between(comparison, of);
    if pairs.is_empty() && comparison.unlike(of).next().is_some() {
        return vec![format!("{prefix}Nothing is compared: the sources of all kernels in common have changed.")];
    }
    if pairs.is_empty() {
        return vec![format!("{prefix}Nothing is compared: no case has a time on both sides.")];
    }
    if comparison.is_of_a_copy(of) {
        let [a, b] = [a, b].map(|side| side.reports.join(", "));
        let all = if pairs.len() == 1 { "its case has" } else { "all cases have" };
        let copy = if a == b { format!("{a} is compared with itself") } else { format!("{b} is a copy of {a}") };
        return vec![format!("{prefix}{copy}: {all} the same times.")];
    }
    if pairs.iter().all(|pair| pair.ratio.interval.is_none()) {
        let why = without_variation(comparison, of);
        let why = why.unwrap_or_else(|| "no case shows run-to-run variation on both sides".to_owned());
        return vec![format!("{prefix}No verdict is possible: {why}; use three runs or more per side.")];
    }
    let kernels = comparison.changed_kernels(of);
    let changed = kernels.iter().filter(|kernel| kernel.kind == kind);
    let (slower, faster): (Vec<_>, Vec<_>) = changed.partition(|kernel| kernel.verdict == Verdict::Slower);
    let is_single = a.is_of_one_run(b);
    // Between two devices or APIs the mean matters, between two builds the worst kernel.
    let whole = a.device != b.device || a.api != b.api;
    let mean = comparison.tally(of, None).mean.filter(|_| whole && pairs.len() > 1);
    let mean = mean.map(|mean| format!("{} (mean of {}). ", change(&mean), counted(pairs.len(), kind)));
    let mut sentences = vec![prefix + &mean.unwrap_or_default() + &verdict(&slower, &faster, is_single)];
    sentences
        .extend(WorkKind::ALL.into_iter().filter(|other| *other != kind).filter_map(|other| of_kind(&kernels, other)));
    if a.is_in_turns_with(b) {
        sentences.extend(would_show(comparison, &pairs));
        sentences.extend(clocks(comparison, of));
    } else {
        sentences.extend(too_noisy(comparison, &pairs));
    }
    if is_single && !kernels.is_empty() {
        sentences.push(a.differs_by(b).map_or_else(
            || {
                "With one run per side, smaller differences may be run-to-run variation; use three runs or more."
                    .to_owned()
            },
            |what| {
                format!(
                    "With one run per {what}, this may be run-to-run variation; use three runs or more per {what} to \
                     measure it."
                )
            },
        ));
    }
    sentences
}

/// Changes in other kinds of work than the headline's: `Copies: 1 is slower, 2 are faster.`
fn of_kind(kernels: &[ChangedKernel], kind: WorkKind) -> Option<String> {
    let part = |verdict: Verdict| {
        let count = kernels.iter().filter(|kernel| kernel.kind == kind && kernel.verdict == verdict).count();
        let are = if count == 1 { "is" } else { "are" };
        (count > 0).then(|| format!("{count} {are} {}", verdict.name()))
    };
    let parts: Vec<String> = [Verdict::Slower, Verdict::Faster].into_iter().filter_map(part).collect();
    let plural = kind.plural();
    let title = plural[..1].to_uppercase() + &plural[1..];
    (!parts.is_empty()).then(|| format!("{title}: {}.", parts.join(", ")))
}

/// Names the two sides if devices, APIs or several pairs of sides are compared: `CUDA against Vulkan: `.
fn between(comparison: &Comparison, of: usize) -> String {
    let Match { baseline, side } = comparison.matches[of];
    let [a, b] = [baseline, side].map(|side| &comparison.sides[side]);
    let api = |side: &Side| side.api.map_or("", Api::title).to_owned();
    let compiler = |side: &Side| side.compiler.join(" ").trim_end().to_owned();
    let named = [|side: &Side| side.device.to_owned(), api, compiler].into_iter().map(|name| [name(a), name(b)]);
    let mut names = named.filter(|[a, b]| a != b && !a.is_empty() && !b.is_empty());
    let named = names.next().map(|[a, b]| format!("{b} against {a}"));
    let [first, second] = labels(comparison, of);
    match (named, comparison.matches.len()) {
        (Some(named), 1) => format!("{named}: "),
        (Some(named), _) => format!("{second} against {first} ({named}): "),
        (None, 1) => String::new(),
        (None, _) => format!("{second} against {first}: "),
    }
}

/// `is_single`: a side has only one run, and another run may not show the same differences.
fn verdict(slower: &[&ChangedKernel], faster: &[&ChangedKernel], is_single: bool) -> String {
    let when = if is_single { " in this run" } else { "" };
    let kernels = |count: usize, word: &str| match count {
        0 => None,
        1 => Some(format!("1 {word}is")),
        _ => Some(format!("{count} {word}are")),
    };
    match (slower, faster) {
        ([], []) => "Nothing is slower or faster.".to_owned(),
        ([], [first, rest @ ..]) => {
            let word = if rest.len() == 1 { "more kernel " } else { "more kernels " };
            let more = kernels(rest.len(), word).map_or_else(String::new, |more| format!("; {more} faster"));
            format!("Nothing is slower. {} is faster{when}: {}{more}.", subject(first), figures(first))
        }
        ([first, rest @ ..], faster) => {
            let word = if rest.len() == 1 { "more kernel " } else { "more kernels " };
            let more = kernels(rest.len(), word).map(|more| format!("{more} slower"));
            let word = match (&more, faster.len()) {
                (Some(_), _) => "",
                (None, 1) => "kernel ",
                (None, _) => "kernels ",
            };
            let faster = kernels(faster.len(), word).map(|faster| format!("{faster} faster"));
            let rest: Vec<String> = more.into_iter().chain(faster).collect();
            let rest = if rest.is_empty() { String::new() } else { format!("; {}", rest.join(", ")) };
            format!("{} is slower{when}: {}{rest}.", subject(first), figures(first))
        }
    }
}

/// `6 of 6 sizes, +8.0 % time [7.4, 8.6]`.
fn figures(kernel: &ChangedKernel) -> String {
    let what = if kernel.is_by_size { "size" } else { "case" };
    let plural = if kernel.cases == 1 { "" } else { "s" };
    let what = format!("{}{what}{plural}", cases_of(kernel));
    format::joined([what, change(&kernel.mean), recompiled(kernel)], ", ")
}

/// `registers 32 → 40`; empty if the compiled kernels are equal or unknown.
pub(super) fn recompiled(kernel: &ChangedKernel) -> String {
    kernel.recompiled.map_or_else(String::new, |[from, to]| compiled_changes(from, to))
}

/// `6 of 6 `.
fn cases_of(kernel: &ChangedKernel) -> String {
    match kernel.changed {
        0 => format!("mean of {} ", kernel.cases),
        changed => format!("{changed} of {} ", kernel.cases),
    }
}

fn name(kernel: &ChangedKernel) -> String {
    format!("{}/{}", kernel.family, kernel.benchmark)
}

/// The name, and whether the source changed: the difference then need not come from card or driver.
fn subject(kernel: &ChangedKernel) -> String {
    let other = if kernel.has_other_source { " (its source changed)" } else { "" };
    name(kernel) + other
}

fn too_noisy(comparison: &Comparison, pairs: &[&Pair]) -> Option<String> {
    let is_wide = |(low, high): (f64, f64)| (high / low).ln() / 2.0 > NOISY.ln_1p();
    let is_noisy = |pair: &&&Pair| pair.verdict == Verdict::Unclear && pair.ratio.interval.is_none_or(is_wide);
    let noisy = pairs.iter().filter(is_noisy).count();
    let least = format::percent_limit(comparison.margin + NOISY);
    (noisy > 0).then(|| format!("In {noisy} of {}, noise would hide changes below {least}.", count(pairs.len())))
}

/// Share of the cases in which the reported slow-down would be visible.
const MOST_CASES: f64 = 0.95;

/// The slow-down that would be visible in most cases: large enough for the whole interval to lie beyond the margin.
fn would_show(comparison: &Comparison, pairs: &[&Pair]) -> Option<String> {
    let half_width = |(low, high): (f64, f64)| (high / low).ln() / 2.0;
    let mut changes: Vec<f64> = pairs.iter().filter_map(|pair| pair.ratio.interval).map(half_width).collect();
    changes.sort_by(f64::total_cmp);
    let most = (MOST_CASES * changes.len() as f64).ceil() as usize;
    let change = (changes.get(most.checked_sub(1)?)? + comparison.margin.ln_1p()).exp_m1();
    let cases = if most == changes.len() { count(most) } else { format!("{most} of {}", count(changes.len())) };
    let change = match change {
        large if large >= 9.0 => "beyond 10× the time".to_owned(),
        large if large >= 1.0 => format!("to {}× the time", format::ratio_number(1.0 + large)),
        small => format!("of {}", format::percent(small)),
    };
    Some(format!("A slow-down {change} would show in {cases}."))
}

/// Clocks that differ by at most this fraction are the same.
const CLOCK: f64 = 0.01;

/// How many cases ran at the same clock on both sides, and how many changes vanish in cycles, so are due to the clock.
fn clocks(comparison: &Comparison, of: usize) -> Option<String> {
    let Match { baseline, side } = comparison.matches[of];
    let timed: Vec<(&Pair, f64)> = comparison
        .pairs_in(of)
        .filter_map(|(case, pair)| {
            let mhz = |side: usize| case.entries.get(side)?.row().sm_mhz.filter(|mhz| *mhz > 0);
            Some((pair, mhz(side)? as f64 / mhz(baseline)? as f64))
        })
        .collect();
    let differing = timed.iter().filter(|(_, clock)| clock.ln().abs() > CLOCK.ln_1p()).count();
    // A ratio is baseline time ÷ side time; dividing it by the ratio of the clocks converts it to cycles.
    let is_of_clock = |(pair, clock): &&(&Pair, f64)| {
        matches!(pair.verdict, Verdict::Slower | Verdict::Faster)
            && (pair.ratio.value / clock).ln().abs() <= comparison.margin.ln_1p()
    };
    let of_clock = timed.iter().filter(is_of_clock).count();
    let same = format!("both sides ran at the same clock (within {})", format::percent_limit(CLOCK));
    match (timed.len(), differing, of_clock) {
        (0, ..) => None,
        (_, 0, _) => Some(format!("B{}.", &same[1..])),
        (all, _, 0) => Some(format!("In {} of {} {same}.", all - differing, count(all))),
        (all, _, few) => Some(format!(
            "In {} of {} {same}; {} due to the clock, since cycle counts did not change.",
            all - differing,
            count(all),
            if few == 1 { "1 change is".to_owned() } else { format!("{few} changes are") }
        )),
    }
}

pub(super) fn row(kernel: &ChangedKernel) -> [String; 3] {
    let other = if kernel.has_other_source { "source changed".to_owned() } else { String::new() };
    let notes = format::joined([other, recompiled(kernel)], ", ");
    let notes = if notes.is_empty() { notes } else { format!(" ({notes})") };
    [name(kernel) + &notes, cases_of(kernel).trim_end().to_owned(), short_change(&kernel.mean)]
}

/// The largest changes of each kind of work: at most `most` kernels, and a third as many of each other kind.
pub(super) fn largest_by_kind<'k, 'a>(kernels: &'k [ChangedKernel<'a>], most: usize) -> Vec<&'k ChangedKernel<'a>> {
    let of_kind = |kind: WorkKind| {
        let changed: Vec<&ChangedKernel> = kernels.iter().filter(|kernel| kernel.kind == kind).collect();
        largest(&changed, if kind == WorkKind::Kernel { most } else { most / 3 })
    };
    WorkKind::ALL.into_iter().flat_map(of_kind).collect()
}

/// The `most` largest changes in the order of [`Comparison::changed_kernels`]; up to a third are speed-ups.
fn largest<'k, 'a>(kernels: &[&'k ChangedKernel<'a>], most: usize) -> Vec<&'k ChangedKernel<'a>> {
    let (slower, faster): (Vec<_>, Vec<_>) =
        kernels.iter().copied().partition(|kernel| kernel.verdict == Verdict::Slower);
    let of_slower = slower.len().min(most - faster.len().min(most / 3));
    let shown = slower.into_iter().take(of_slower);
    shown.chain(faster.into_iter().take(most - of_slower)).collect()
}
