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
    // The name without its family counts too: `tiled` is near `transpose/tiled`.
    let likeness = |name: &String| {
        let tail = name.rsplit('/').next().unwrap_or(name);
        strsim::jaro_winkler(given, name).max(strsim::jaro_winkler(given, tail))
    };
    let nearest = known.iter().rev().map(|name| (likeness(name), name)).max_by(|a, b| a.0.total_cmp(&b.0));
    match nearest {
        Some((likeness, name)) if likeness > 0.75 => format!("there is no {kind} '{given}': did you mean '{name}'?"),
        _ if all.is_empty() => format!("there is no {kind} '{given}', nor any other"),
        _ => format!("there is no {kind} '{given}': there are {all}"),
    }
}
