//! The compilers of a run, one line each.

use super::pair::{Gap, Pair, pairs};
use super::{mean, none};
use crate::record::{Record, Status, format, stats::geometric_mean};
use crate::report::layout::{Column, Grid, Mark, Part, Row};
use crate::report::{Section, toolchains};
use crate::suite::Toolchain;

/// A table with a line for each compiler: its rows by status, what it made of the kernels, and the mean ratio of times to
/// the first compiler. `None` unless the run compares compilers.
pub(in crate::answers) fn compilers(sections: &[Section]) -> Option<Vec<Part>> {
    let rows: Vec<&Record> = sections.iter().flat_map(|section| section.rows.iter().copied()).collect();
    let toolchains: Vec<Toolchain> =
        toolchains(rows.iter().copied()).into_iter().filter(|toolchain| !toolchain.compiler.is_empty()).collect();
    let first = *toolchains.first().filter(|_| toolchains.len() > 1)?;
    let headings = ["ok", "wrong", "failed", "skipped", "translation", "pipeline", "bytes", "instructions"];
    let headings = headings.map(str::to_owned).into_iter().chain([format!("{} ÷", first.title())]);
    let grid = Grid {
        columns: headings.map(|heading| Column { heading, is_right: true }).collect(),
        widest_name: None,
        note: None,
        has_marks: true,
        rows: toolchains.iter().map(|toolchain| row(&rows, first, *toolchain)).collect(),
    };
    let versions = toolchains.iter().map(|toolchain| {
        let version = of(&rows, *toolchain).find(|row| !row.compiler_version.is_empty());
        format!("{} {}", toolchain.title(), version.map_or("", |row| &row.compiler_version)).trim_end().to_owned()
    });
    let versions: Vec<String> = versions.collect();
    let title = first.title();
    let lines = [
        format!(
            "Translation and pipeline: mean time of a kernel. Bytes and instructions of the SPIR-V, and times: geometric \
             mean over the cases that both have; bytes and instructions relative to {title}, above 1 larger; times \
             {title} ÷ compiler, above 1 the compiler's kernels are faster."
        ),
        format!("Versions: {}.", versions.join("; ")),
    ];
    let lines = lines.into_iter().map(|text| Part::Text { text, indent: "  " });
    let name = "compilers".to_owned();
    Some([Part::Heading { name, rest: String::new() }, Part::Table(grid)].into_iter().chain(lines).collect())
}

fn of<'r, 'a: 'r>(rows: &'r [&'a Record], toolchain: Toolchain<'r>) -> impl Iterator<Item = &'a Record> + 'r {
    rows.iter().copied().filter(move |row| row.toolchain() == Some(toolchain))
}

fn row(rows: &[&Record], first: Toolchain, toolchain: Toolchain) -> Row {
    let count = |statuses: &[Status]| of(rows, toolchain).filter(|row| statuses.contains(&row.status)).count();
    let wrong = count(&[Status::Wrong]);
    let failed = count(&[Status::Failed]);
    let number = |count: usize| if count == 0 { none() } else { count.to_string() };
    let time = |get: fn(&Record) -> Option<f64>| {
        // Several sizes share a kernel: its times count once.
        let mut times: Vec<(&str, f64)> =
            of(rows, toolchain).filter_map(|row| Some((row.shader_hash.as_str(), get(row)?))).collect();
        times.sort_by(|a, b| a.0.cmp(b.0));
        times.dedup_by_key(|(hash, _)| *hash);
        let sum: f64 = times.iter().map(|(_, ms)| ms).sum();
        if times.is_empty() { none() } else { format::time(1e6 * sum / times.len() as f64) }
    };
    let pairs = pairs(rows, [first, toolchain]);
    let size = |get: fn(&Record) -> Option<u64>| {
        let ratio = |pair: &Pair| {
            let (a, b) = (get(pair.first?)?, get(pair.second?)?);
            (a > 0 && b > 0).then_some(b as f64 / a as f64)
        };
        geometric_mean(&pairs.iter().filter_map(ratio).collect::<Vec<_>>()).map_or_else(none, format::ratio)
    };
    let gaps: Vec<Gap> = pairs.iter().filter_map(Pair::gap).collect();
    let is_first = first == toolchain;
    let speed = if is_first { none() } else { mean(&gaps).map_or_else(none, format::ratio) };
    let cells = [
        number(count(&[Status::Ok, Status::Unverified, Status::Implausible])),
        number(wrong),
        number(failed),
        number(count(&[Status::Skipped])),
        time(|row| row.translation_ms),
        time(|row| row.pipeline_ms),
        if is_first { none() } else { size(|row| row.spirv_bytes) },
        if is_first { none() } else { size(|row| row.spirv_instructions) },
        speed,
    ];
    Row {
        group: String::new(),
        mark: if wrong + failed > 0 { Mark::Fault } else { Mark::None },
        name: toolchain.title().into_owned(),
        cells: cells.map(Into::into).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Clock;
    use crate::report::{Medium, Terminal, lay_out, sections};
    use crate::suite::Api;

    fn record(compiler: &str, hash: &str, ns: f64, instructions: u64, status: Status) -> Record {
        let ns = status.is_timed().then_some(ns);
        Record {
            backend: Some(Api::Vulkan),
            family: "transpose".to_owned(),
            benchmark: hash.to_owned(),
            shader_hash: hash.to_owned(),
            compiler: compiler.to_owned(),
            compiler_version: "1".to_owned(),
            translation_ms: Some(0.5),
            pipeline_ms: Some(2.0),
            spirv_bytes: Some(4 * instructions),
            spirv_instructions: Some(instructions),
            timer: Some(Clock::Timestamp),
            median_ns: ns,
            ci_low_ns: ns,
            ci_high_ns: ns,
            status,
            ..Record::default()
        }
    }

    #[test]
    fn each_compiler_is_one_line_relative_to_the_first() {
        let rows = [
            record("naga", "naive", 100.0, 100, Status::Ok),
            record("naga", "tiled", 100.0, 100, Status::Ok),
            record("tint", "naive", 50.0, 200, Status::Ok),
            record("tint", "tiled", 1.0, 200, Status::Wrong),
        ];
        let text = |rows: &[Record]| {
            compilers(&sections(rows))
                .map(|parts| lay_out(parts, Medium::Terminal(Terminal { width: 120, has_color: false })))
        };
        let table = text(&rows).expect("two compilers");
        let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert!(lines.contains(&vec!["naga", "2", "–", "–", "–", "500", "µs", "2.00", "ms", "–", "–", "–"]), "{table}");
        let tint = ["!", "tint", "1", "1", "–", "–", "500", "µs", "2.00", "ms", "2.00×", "2.00×", "2.00×"];
        assert!(lines.contains(&tint.to_vec()), "{table}");
        assert!(table.contains("Versions: naga 1; tint 1."), "{table}");
        assert!(text(&rows[..2]).is_none(), "one compiler is no comparison");
        let usual: Vec<Record> = rows.iter().map(|row| Record { compiler: String::new(), ..row.clone() }).collect();
        assert!(text(&usual).is_none());
    }
}
