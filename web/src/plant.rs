//! Plants a fault in a kernel, to show that the page reports wrong results: the kernel's last store writes twice the
//! value. The row's `shader_hash` changes too.

use record::error::{Error, Result};
use record::suite::{Benchmark, Case, Check};

/// Plants the fault in the benchmark `name` (`transpose/tiled`).
///
/// # Errors
/// If the benchmark is not among the cases, or its kernel has no suitable store.
pub(crate) fn plant_fault(cases: &mut [Case], name: &str) -> Result<()> {
    let mut faulty: Option<&'static Benchmark> = None;
    for case in cases.iter_mut().filter(|case| case.name() == name) {
        let benchmark = match faulty {
            Some(benchmark) => benchmark,
            None => with_fault(case.benchmark)?,
        };
        *case = Case::new(case.family, benchmark, case.shape.clone());
        faulty = Some(benchmark);
    }
    faulty.map(drop).ok_or_else(|| Error::Usage(format!("plant: this run has no benchmark '{name}'")))
}

fn with_fault(benchmark: &'static Benchmark) -> Result<&'static Benchmark> {
    let Some(wgsl) = doubled(benchmark.wgsl) else {
        return Err(Error::Usage(format!(
            "plant: the kernel of '{}' has no store to plant a fault in",
            benchmark.name
        )));
    };
    let check = &benchmark.check;
    let check = Check { buffer: check.buffer, scalars: check.scalars, oracle: check.oracle };
    // Leaked at most once per run, and only in tests of the page.
    Ok(Box::leak(Box::new(Benchmark { wgsl: Box::leak(wgsl.into_boxed_str()), check, ..*benchmark })))
}

/// The source with its last `x[i] = value;` storing twice the value.
fn doubled(wgsl: &str) -> Option<String> {
    let mut lines: Vec<String> = wgsl.lines().map(str::to_owned).collect();
    let line = lines.iter_mut().rev().find(|line| line.contains("] = ") && line.ends_with(';'))?;
    let (target, value) = line.split_once("] = ")?;
    let value = value.trim_end_matches(';');
    *line = format!("{target}] = ({value}) + ({value});");
    Some(lines.join("\n"))
}
