//! A fault planted in a kernel, so that one can see on the page that wrong results are found: the last store of the kernel stores twice
//! the value. The row's hash of its kernel changes with it.

use shaderbench::error::{Error, Result};
use shaderbench::suite::{Benchmark, Case, Check};

/// Plants the fault in the kernel of the benchmark `name` (`transpose/tiled`).
///
/// # Errors
/// Where it is not among the cases, or nothing is stored in it as it should be.
pub(crate) fn spoil(cases: &mut [Case], name: &str) -> Result<()> {
    let mut spoiled: Option<&'static Benchmark> = None;
    for case in cases.iter_mut().filter(|case| case.name() == name) {
        let benchmark = match spoiled {
            Some(benchmark) => benchmark,
            None => with_fault(case.benchmark)?,
        };
        *case = Case::new(case.family, benchmark, case.shape.clone());
        spoiled = Some(benchmark);
    }
    spoiled.map(drop).ok_or_else(|| Error::Usage(format!("plant: this run has no benchmark '{name}'")))
}

fn with_fault(benchmark: &'static Benchmark) -> Result<&'static Benchmark> {
    let Some(wgsl) = doubled(benchmark.wgsl) else {
        return Err(Error::Usage(format!("plant: the kernel of '{}' has no store to spoil", benchmark.name)));
    };
    let check = &benchmark.check;
    let check = Check { buffer: check.buffer, scalars: check.scalars, oracle: check.oracle };
    // Once a run, for a test: it lives as long as the page.
    Ok(Box::leak(Box::new(Benchmark { wgsl: Box::leak(wgsl.into_boxed_str()), check, ..*benchmark })))
}

/// The source with its last `x[i] = value;` storing twice the value.
fn doubled(wgsl: &str) -> Option<String> {
    let mut lines: Vec<String> = wgsl.lines().map(str::to_owned).collect();
    let line = lines.iter_mut().rev().find(|line| line.contains("] = ") && line.ends_with(';'))?;
    let (place, value) = line.split_once("] = ")?;
    let value = value.trim_end_matches(';');
    *line = format!("{place}] = ({value}) + ({value});");
    Some(lines.join("\n"))
}
