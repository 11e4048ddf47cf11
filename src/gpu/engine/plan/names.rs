//! Error texts for unknown names.

use std::collections::HashSet;

/// The error text for an unknown name, with the nearest known name, or all of them.
#[must_use]
pub fn unknown(kind: &str, given: &str, known: &[String]) -> String {
    unknown_name(kind, given, known, &known.join(", "))
}

/// The error text for an unknown benchmark or family. It lists families only: all benchmarks are too many.
#[must_use]
pub fn unknown_benchmark(kind: &str, given: &str, known: &[String]) -> String {
    let mut families: Vec<&str> = known.iter().filter_map(|name| name.split('/').next()).collect();
    let mut seen = HashSet::new();
    families.retain(|name| seen.insert(*name));
    let families = format!("{}; `shaderbench list` shows their benchmarks", families.join(", "));
    unknown_name(kind, given, known, &families)
}

fn unknown_name(kind: &str, given: &str, known: &[String], all: &str) -> String {
    let nearest: Vec<String> = nearest(given, known).into_iter().map(|name| format!("'{name}'")).collect();
    match &nearest[..] {
        [first @ .., last] => {
            let first = if first.is_empty() { String::new() } else { format!("{} or ", first.join(", ")) };
            format!("there is no {kind} '{given}': did you mean {first}{last}?")
        }
        [] if all.is_empty() => format!("there is no {kind} '{given}': there are none"),
        [] => format!("there is no {kind} '{given}': choose from {all}"),
    }
}

/// Known names that `given` may mean: the nearest by Jaro-Winkler similarity, in every family with that benchmark.
fn nearest<'a>(given: &str, known: &'a [String]) -> Vec<&'a String> {
    let of_tail = |tail: &str| known.iter().filter(|name| tail_of(name) == Some(tail)).collect::<Vec<_>>();
    let elsewhere = tail_of(given).map_or_else(Vec::new, of_tail);
    let is_family = |family: &str| known.iter().any(|name| name == family);
    // The right benchmark of the wrong family.
    if !elsewhere.is_empty() && given.split('/').next().is_some_and(is_family) {
        return elsewhere;
    }
    // The name without its family counts too: `tild` is near `transpose/tiled`.
    let likeness = |name: &String| {
        let tail = tail_of(name).unwrap_or(name);
        strsim::jaro_winkler(given, name).max(strsim::jaro_winkler(given, tail))
    };
    let best = known.iter().rev().map(|name| (likeness(name), name)).max_by(|a, b| a.0.total_cmp(&b.0));
    match best.filter(|(likeness, _)| *likeness > 0.75) {
        Some((_, name)) if given.contains('/') => vec![name],
        Some((_, name)) => tail_of(name).map_or_else(|| vec![name], of_tail),
        None => elsewhere,
    }
}

fn tail_of(name: &str) -> Option<&str> {
    name.split_once('/').map(|(_, tail)| tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suggestion_names_every_family_that_has_the_benchmark() {
        let known = ["transpose", "matmul", "transpose/tiled", "matmul/tiled", "matmul/naive"].map(str::to_owned);
        for (given, expected) in [
            ("tield", "did you mean 'transpose/tiled' or 'matmul/tiled'?"),
            ("transpose/naive", "did you mean 'matmul/naive'?"),
            ("xylophone/tiled", "did you mean 'transpose/tiled' or 'matmul/tiled'?"),
            ("transpose/tilde", "did you mean 'transpose/tiled'?"),
            ("matmull", "did you mean 'matmul'?"),
            ("xylophone", "choose from transpose, matmul; `shaderbench list` shows their benchmarks"),
        ] {
            let text = unknown_benchmark("family or benchmark", given, &known);
            assert_eq!(text, format!("there is no family or benchmark '{given}': {expected}"));
        }
    }
}
