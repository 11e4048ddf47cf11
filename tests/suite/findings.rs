//! Sentences about devices: what the committed reports support, with noise and without.

use std::collections::BTreeMap;
use std::f64::consts::SQRT_2;
use std::path::Path;

use crate::common::committed_reports;
use answers::report::{apis, csv};
use kernels::FAMILIES;
use kernels::claims::{finding, measured};
use record::claim::{Finding, Quantity};
use record::suite::DeviceType;
use record::{MARGIN, Record};

/// The rows of each report and API, with a name.
fn reports() -> Vec<(String, Vec<Record>)> {
    let mut reports = Vec::new();
    for path in committed_reports(Path::new("")) {
        let records = csv::open(&path).unwrap_or_else(|error| panic!("{}", error.chain())).records;
        for api in apis(&records) {
            let rows = records.iter().filter(|row| row.backend == Some(api)).cloned().collect();
            reports.push((format!("{} {api}", path.display()), rows));
        }
    }
    reports
}

fn found(family: &str, rows: &[Record]) -> Option<Finding> {
    finding(family, &rows.iter().filter(|row| row.family == family).collect::<Vec<_>>())
}

/// The rows with times up to `noise` off (drawn by SplitMix64), several epochs, and intervals so wide that those of the
/// ratios of two rows contain the true ratio.
fn disturbed(rows: &[Record], noise: f64, seed: u64) -> Vec<Record> {
    let mut state = seed;
    let mut draw = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    };
    let disturb = |row: &Record| {
        let (factor, reach) = ((noise * draw()).exp(), (SQRT_2 * noise).exp());
        let scaled = |value: Option<f64>, by: f64| value.map(|value| value * by);
        Record {
            median_ns: scaled(row.median_ns, factor),
            ci_low_ns: scaled(row.median_ns, factor / reach),
            ci_high_ns: scaled(row.median_ns, factor * reach),
            gb_per_s: scaled(row.gb_per_s, 1.0 / factor),
            gflop_per_s: scaled(row.gflop_per_s, 1.0 / factor),
            share: scaled(row.share, 1.0 / factor),
            samples: Some(30),
            drift: None,
            epochs_ns: vec![1.0; 3],
            ..row.clone()
        }
    };
    rows.iter().map(disturb).collect()
}

/// What a noisy claim states against the truth. A time or rate is at most `noise` off, a ratio twice as much, and any
/// other figure at most by the widest interval that is quoted.
fn contradiction(truth: &Finding, noisy: &Finding, noise: f64) -> Option<String> {
    let known: BTreeMap<&str, Quantity> = truth.values().map(|(name, value)| (name.as_str(), *value)).collect();
    let is_of_ties = |name: &str| ["fastest", "slowest"].iter().any(|word| name.starts_with(word));
    for (name, value) in noisy.values() {
        let Some(truth) = known.get(name.as_str()) else { continue };
        let number = |quantity: Quantity| match quantity {
            Quantity::Count(count) | Quantity::Bytes(count) => count as f64,
            Quantity::Nanoseconds(x)
            | Quantity::GbPerS(x)
            | Quantity::GflopPerS(x)
            | Quantity::GopPerS(x)
            | Quantity::Ratio(x) => x,
        };
        let (found, exact) = (number(*value), number(*truth));
        let other_end = |of: &str, other: &str| known.get(name.replace(of, other).as_str()).map(|end| number(*end));
        let is_right = if name.ends_with(" at least") {
            other_end("at least", "at most").is_none_or(|most| found <= most)
        } else if name.ends_with(" at most") {
            other_end("at most", "at least").is_none_or(|least| found >= least)
        } else if matches!(value, Quantity::Count(_) | Quantity::Bytes(_)) {
            found == exact
        } else {
            let widest = match name.as_str() {
                name if name.starts_with("round of") => 0.25,
                // The rate of tied rows: within the margin.
                name if is_of_ties(name) && noisy.text().contains(" tie ") => 4.0 * noise + MARGIN,
                _ => 2.0 * noise,
            };
            (found / exact).ln().abs() <= widest + 1e-4
        };
        if !is_right {
            return Some(format!("{name}: {value:?}, not {truth:?}"));
        }
    }
    // The intervals contain the truth, so a ratio beyond the margin truly is.
    let fastest = |text: &str| -> Vec<String> {
        let starts = text.split(". ").filter_map(|sentence| sentence.split_once(" is fastest at"));
        starts.map(|(start, _)| start.to_owned()).collect()
    };
    let right = fastest(&truth.text());
    fastest(&noisy.text()).into_iter().find(|start| !right.contains(start))
}

#[test]
fn noise_never_changes_what_is_true() {
    for (report, rows) in reports() {
        let exact = disturbed(&rows, 1e-5, 0);
        let truths: Vec<_> = FAMILIES.iter().filter_map(|family| Some((family, found(family.name, &exact)?))).collect();
        for (seed, noise) in (1..6).flat_map(|seed| [0.002, 0.01, 0.03, 0.08].map(|noise| (seed, noise))) {
            let rows = disturbed(&rows, noise, seed);
            for (family, truth) in &truths {
                let Some(noisy) = found(family.name, &rows) else { continue };
                let wrong = contradiction(truth, &noisy, noise);
                assert_eq!(wrong, None, "{report} at ±{noise}:\n{}\n{}", truth.text(), noisy.text());
            }
        }
    }
}

#[test]
fn rows_that_are_too_noisy_support_no_sentence() {
    for (report, rows) in reports() {
        let unknown = |row: &Record| Record { ci_low_ns: None, ci_high_ns: None, ..row.clone() };
        for rows in [disturbed(&rows, 0.9, 7), rows.iter().map(unknown).collect()] {
            for family in FAMILIES {
                assert_eq!(found(family.name, &rows).map(|found| found.text()), None, "{report}");
            }
        }
    }
}

/// Claims whose rows no committed report has.
const UNMEASURED: &[(&str, &str)] = &[("bank_conflict", "no banks")];

#[test]
fn every_claim_is_supported_by_some_report() {
    let reports: Vec<Vec<Record>> = reports().into_iter().map(|(_, rows)| disturbed(&rows, 1e-5, 0)).collect();
    for (family, claim) in measured() {
        let is_stated = reports.iter().any(|rows| {
            let own: Vec<&Record> = rows.iter().filter(|row| row.family == family).collect();
            claim.states(&own)
        });
        assert_eq!(is_stated, !UNMEASURED.contains(&(family, claim.name())), "{family}: {}", claim.name());
    }
}

#[test]
fn a_software_device_has_no_caches_and_no_digits() {
    let software = |rows: &[Record]| rows.iter().any(|row| row.device_type == Some(DeviceType::Software));
    let reports: Vec<_> = reports().into_iter().filter(|(_, rows)| software(rows)).collect();
    assert!(!reports.is_empty());
    for (report, rows) in reports {
        // Other programs share the cores, so no digit would repeat in a second run.
        for family in FAMILIES {
            assert_eq!(found(family.name, &rows).map(|found| found.text()), None, "{report}");
        }
    }
}

/// Runs on one card: no claim of one contradicts another's, and none is faster than its DRAM, 4,800 GB/s by datasheet.
#[test]
fn runs_on_one_h200_agree() {
    let runs: Vec<Finding> = reports()
        .into_iter()
        .filter(|(name, _)| name.contains("nvidia-h200"))
        .filter(|(name, _)| !name.to_lowercase().ends_with("cuda"))
        .map(|(name, rows)| found("cache_curve", &rows).unwrap_or_else(|| panic!("{name}: no levels")))
        .collect();
    assert!(runs.len() > 1);
    for run in &runs {
        println!("{}", run.text());
        let bytes = |name: &str| match run.value(name) {
            Some(Quantity::Bytes(bytes)) => bytes,
            other => panic!("{name}: {other:?} in {}", run.text()),
        };
        for other in &runs {
            let Some(Quantity::Bytes(most)) = other.value("start of latency rise at most") else {
                panic!("{}", other.text())
            };
            assert!(bytes("start of latency rise at least") <= most);
        }
        // The L2 partition next to an SM has about half of the 50 MiB.
        assert!(
            (12 << 20..=24 << 20).contains(&bytes("start of latency rise at least"))
                && bytes("start of latency rise at most") == 32 << 20
        );
        // With one epoch, the bracket reaches one working set further down.
        assert!((96 << 10..=128 << 10).contains(&bytes("L1 size at least")) && bytes("L1 size at most") == 256 << 10);
        let Some(Quantity::GbPerS(rate)) = run.value("DRAM bandwidth") else { panic!("{}", run.text()) };
        assert!((4000.0..4800.0).contains(&rate), "{rate}");
    }
    let latency = |run: &Finding, level: &str| match run.value(&format!("{level} latency")) {
        Some(Quantity::Nanoseconds(ns)) => ns,
        other => panic!("{level}: {other:?} in {}", run.text()),
    };
    let differ = |a: &Finding, b: &Finding, level: &str| (latency(a, level) / latency(b, level) - 1.0).abs();
    for run in &runs {
        assert!(["L1", "L2", "DRAM"].iter().all(|level| differ(run, &runs[0], level) < 0.02), "{}", run.text());
    }
}

/// Tables write 2^28, so a sentence about the same row does too.
#[test]
fn sentences_write_sizes_as_tables_do() {
    for (report, rows) in reports() {
        for family in FAMILIES {
            let Some(text) = found(family.name, &rows).map(|found| found.text()) else { continue };
            // Parameters are not sizes: SLOTS=262144.
            let words = text.split_whitespace().map(|word| word.trim_matches(|edge: char| !edge.is_alphanumeric()));
            let raw = words.filter_map(|word| word.parse().ok()).find(|n: &u64| *n >= 1 << 17 && n.is_power_of_two());
            assert_eq!(raw, None, "{report}: {text}");
        }
    }
}
