//! Instruction rates in tables of one screen each: one line per operation, one column per type.

use std::collections::BTreeMap;

use crate::report::layout::{Column, Grid, Part, Row, Terminal};
use kernels::rates::{flops, instructions, steps_of_a_chain};
use record::{Record, format};

/// Types in the order of their columns.
const TYPES: [&str; 8] = ["u32", "i32", "u64", "f16", "f32", "f64", "i16", "i64"];

/// Types that are shown only on a terminal of at least [`WIDE`] columns.
const WIDE_TYPES: [&str; 2] = ["i16", "i64"];

/// Minimum terminal width for all types.
const WIDE: usize = 110;

/// The operation with which all rates are compared.
const UNIT: &str = "f32_fma";

/// Latencies and rates from one API's `rows`; `None` if `f32_fma`, the reference for all rates, was not measured.
pub(super) fn parts(rows: &[&Record], terminal: Terminal) -> Option<Vec<Part>> {
    let kept: Vec<&Record> = rows.iter().copied().filter(|row| row.median_ns.is_some()).collect();
    let of_chains = |chains: f64| kept.iter().copied().filter(move |row| row.params.get("CHAINS") == Some(&chains));
    let rates: Vec<(&Record, f64)> = of_chains(8.0).filter_map(|row| Some((row, rate(row)?))).collect();
    let (of_fma, fma) = *rates.iter().find(|(row, _)| row.benchmark == UNIT)?;
    let (unit, name) = if fma >= 1e12 { (1e12, "T/s") } else { (1e9, "G/s") };
    let latencies: Vec<(&Record, String)> = of_chains(1.0).filter_map(|row| Some((row, latency_cell(row)?))).collect();
    let has_clock = of_chains(1.0).any(|row| row.sm_mhz.is_some());
    let cell = |row: &Record, rate: f64| {
        // With more than 12.5 % noise, a neighbouring simple fraction would be as likely.
        let noise = row.noise().unwrap_or(0.0).hypot(of_fma.noise().unwrap_or(0.0));
        let of_fma = if noise <= NEAR { format!(" {}", fraction(rate / fma)) } else { String::new() };
        figure(row, rate / unit) + &of_fma
    };
    let cells: Vec<(&Record, String)> = rates.iter().map(|(row, rate)| (*row, cell(row, *rate))).collect();
    let latency = if has_clock { "latency, ns, cycles" } else { "latency, ns" };
    let rate = format!("{name}, of fma");
    let grids = [false, true].into_iter().flat_map(|is_atomic| {
        let title = |title: &str| if is_atomic { format!("atomic {title}") } else { title.to_owned() };
        [grid(&title(latency), &latencies, is_atomic, terminal), grid(&title(&rate), &cells, is_atomic, terminal)]
    });
    let mut parts: Vec<Part> = grids.filter(|grid| !grid.rows.is_empty()).map(Part::Table).collect();
    let more = if latencies.is_empty() { " `--profile standard` adds latencies." } else { "" };
    parts.push(Part::text(&format!("An FMA counts as one operation.{more}")));
    if terminal.width < WIDE && kept.iter().any(|row| WIDE_TYPES.contains(&split(&row.benchmark).0)) {
        let types = WIDE_TYPES.join(" and ");
        parts.push(Part::text(&format!("To see types {types}, widen the terminal to {WIDE} columns.")));
    }
    Some(parts)
}

/// Operations per second; an FMA counts as one.
fn rate(row: &Record) -> Option<f64> {
    Some(row.gflop_per_s? * 1e9 * instructions(&row.benchmark) as f64 / flops(&row.benchmark) as f64)
}

/// Time of one operation of a chain in ns, and in cycles if the clock is known.
fn latency_cell(row: &Record) -> Option<String> {
    let ns = row.median_ns? / steps_of_a_chain(&row.params) as f64 / instructions(&row.benchmark) as f64;
    let cycles = row.sm_mhz.map(|mhz| format!(" {}", figure(row, ns * mhz as f64 / 1e3)));
    Some(figure(row, ns) + &cycles.unwrap_or_default())
}

/// The `value` with a sign for its noise: the cells have no room for the ±.
fn figure(row: &Record, value: f64) -> String {
    format!("{}{}", format::significant(value, 3), format::plus_minus_sign(row.noise().unwrap_or(0.0)))
}

/// Maximum relative distance of a share from the simple fraction that it is shown as.
const NEAR: f64 = 0.125;

/// A share as a simple fraction or multiple if it is near one, else as a number.
fn fraction(share: f64) -> String {
    let parts = (1.0 / share).round();
    match share {
        share if (share / share.round() - 1.0).abs() <= NEAR && share >= 1.5 => format!("{:.0}×", share.round()),
        share if share > 1.25 => format::ratio(share),
        share if parts >= 1.0 && (share * parts - 1.0).abs() <= NEAR => {
            if parts > 1.0 {
                format!("1/{parts}")
            } else {
                "1".to_owned()
            }
        }
        share => format::ratio_number(share),
    }
}

fn split(benchmark: &str) -> (&str, &str) {
    benchmark.split_once('_').unwrap_or((benchmark, ""))
}

/// Part of the names of atomic operations, which have tables of their own.
const ATOMIC: &str = "_atomic_";

fn grid(title: &str, cells: &[(&Record, String)], is_atomic: bool, terminal: Terminal) -> Grid {
    let (mut order, mut lines) = (Vec::new(), BTreeMap::<&str, BTreeMap<&str, &str>>::new());
    for (row, cell) in cells.iter().filter(|(row, _)| row.benchmark.contains(ATOMIC) == is_atomic) {
        let (dtype, operation) = split(&row.benchmark);
        if terminal.width < WIDE && WIDE_TYPES.contains(&dtype) {
            continue;
        }
        order.push(operation);
        lines.entry(operation).or_default().insert(dtype, cell);
    }
    let types: Vec<&str> =
        TYPES.into_iter().filter(|dtype| lines.values().any(|cells| cells.contains_key(dtype))).collect();
    let row = |operation: &str| {
        let name = operation.replace("_and_", " & ").replace(ATOMIC, "_").replace('_', " ");
        let cell = |dtype: &&str| lines[operation].get(dtype).copied().unwrap_or_default().to_owned();
        Row::new(title, name, types.iter().map(cell))
    };
    Grid::new(types.iter().map(|dtype| Column::right(*dtype)), format::distinct(order).into_iter().map(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::layout::{Medium, lay_out};
    use kernels::rates::FAMILY;
    use record::suite::{Api, Extent};

    fn row(benchmark: &str, chains: f64, median_ns: f64, gflop_per_s: f64) -> Record {
        Record {
            backend: Some(Api::Vulkan),
            family: "rates".to_owned(),
            benchmark: benchmark.to_owned(),
            n: Some(Extent::Linear(32)),
            params: [("CHAINS".to_owned(), chains), ("ROUNDS".to_owned(), 3.0)].into(),
            median_ns: Some(median_ns),
            ci_low_ns: Some(median_ns * 0.999),
            ci_high_ns: Some(median_ns * 1.001),
            gflop_per_s: Some(gflop_per_s),
            ..Record::default()
        }
    }

    #[test]
    fn operations_are_lines_and_types_columns() {
        let rows = [
            row("u32_add", 8.0, 1.0, 29_500.0),
            row("u32_add", 1.0, 252.2, 1.0),
            row("f32_fma", 8.0, 1.0, 61_800.0),
            row("f64_fma", 8.0, 1.0, 32_000.0),
            row("f64_to_f32_and_back", 8.0, 1.0, 3_830.0),
            row("i64_divide", 8.0, 1.0, 263.0),
        ];
        let rows: Vec<&Record> = rows.iter().collect();
        let text = |width| {
            let terminal = Terminal { width, has_color: false };
            lay_out(parts(&rows, terminal).expect("f32_fma is there"), Medium::Terminal(terminal))
        };
        let narrow = text(80);
        assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let expected = "u32 latency, ns add 2.60 u32 f32 f64 T/s, of fma add 29.5 1 fma 30.9 1 16.0 1/2 to f32 & back \
            3.83 1/8 An FMA counts as one operation. To see types i16 and i64, widen the terminal to 110 columns.";
        assert_eq!(squeezed(&narrow), expected);
        assert!(text(120).contains("0.263 1/117"), "{}", text(120));
        assert!(parts(&rows[..2], Terminal { width: 80, has_color: false }).is_none(), "nothing to compare with");
        let noisy = Record { ci_low_ns: Some(0.8), ci_high_ns: Some(1.2), ..rows[3].clone() };
        let rows: Vec<&Record> = rows[..3].iter().copied().chain([&noisy]).collect();
        let terminal = Terminal { width: 80, has_color: false };
        let text = lay_out(parts(&rows, terminal).expect("f32_fma is there"), Medium::Terminal(terminal));
        let expected = "u32 f32 f64 T/s, of fma add 29.5 1 fma 30.9 1 16.0±";
        assert!(squeezed(&text).contains(expected) && !text.contains("1/2"), "1/1 to 1/3 are as likely: {text}");
    }

    #[test]
    fn every_table_of_the_family_is_a_screen() {
        // The values with the most digits: no step of a chain takes more than 1 µs.
        let rows_of = |name| [row(name, 8.0, 1.0, 2340.0), row(name, 1.0, 97.0 * 345.678, 1.0)];
        let rows: Vec<Record> = FAMILY.benchmarks.iter().flat_map(|benchmark| rows_of(benchmark.name)).collect();
        let known = rows.iter().map(|row| Record { sm_mhz: Some(1980), ..row.clone() }).collect::<Vec<_>>();
        for (rows, latency) in [(&rows, "346"), (&known, "346 684")] {
            let rows: Vec<&Record> = rows.iter().collect();
            let terminal = Terminal { width: 80, has_color: false };
            let parts = parts(&rows, terminal).expect("f32_fma is there");
            let tables = parts.into_iter().filter(|part| matches!(part, Part::Table(_)));
            let tables: Vec<String> = tables.map(|table| lay_out(vec![table], Medium::Terminal(terminal))).collect();
            assert_eq!(tables.len(), 4);
            for table in &tables {
                assert!(table.lines().count() <= 24, "{table}");
                assert!(table.lines().all(|line| line.trim_end().chars().count() <= 80), "{table}");
            }
            let line = |table: &str, name: &str| {
                let line = table.lines().find(|line| line.starts_with(name)).map(str::to_owned);
                line.unwrap_or_else(|| panic!("{name}: {table}"))
            };
            assert!(line(&tables[0], "fma ").contains(latency), "{}", tables[0]);
            assert!(line(&tables[2], "global compare exchange").contains(latency), "{}", tables[2]);
            assert!(line(&tables[3], "workgroup xor").contains("2.34 2×"), "{}", tables[3]);
        }
    }

    #[test]
    fn shares_are_simple_fractions() {
        for (share, expected) in [
            (0.95, "1"),
            (0.52, "1/2"),
            (0.034, "1/29"),
            (1.7, "1.70×"),
            (2.1, "2×"),
            (0.62, "0.620"),
            (0.7, "0.700"),
            (0.89, "1"),
        ] {
            assert_eq!(fraction(share), expected);
        }
    }
}
