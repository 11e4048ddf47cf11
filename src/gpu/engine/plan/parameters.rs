//! Checks that the selected kernels have the parameters that a request sets, and accept their values.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::names::unknown;
use super::request::{Request, blocks};
use crate::shader::Shader;
use record::error::{Error, Result};
use record::suite::{Accepted, Benchmark, Dtype, Family, HOST_PARAMS};

type Selected = (&'static Family, &'static Benchmark);

/// Checks that a selected kernel has each parameter, and that every kernel with it accepts the value.
pub(in crate::engine) fn check(selected: &[Selected], request: &Request) -> Result<()> {
    for (name, value) in &request.params {
        let owners: Vec<&Selected> =
            selected.iter().filter(|(_, benchmark)| params_of(benchmark).contains(name)).collect();
        if owners.is_empty() {
            let mut known: Vec<String> = selected.iter().flat_map(|(_, benchmark)| params_of(benchmark)).collect();
            known.sort();
            known.dedup();
            return Err(Error::Usage(if known.is_empty() {
                format!("there is no parameter '{name}': the selected kernels have no parameters")
            } else {
                unknown("parameter", name, &known)
            }));
        }
        for (family, benchmark) in owners {
            let accepted = accepted(family, benchmark, name);
            let refusal = if !accepted.has(*value) {
                format!("{name} must be {accepted}")
            } else if let Some(dtype) = unfit_type(benchmark, request, name, *value) {
                format!("{} cannot represent that value", dtype.scalar().name())
            } else {
                continue;
            };
            let kernel = format!("{}/{}", family.name, benchmark.name);
            return Err(Error::Usage(format!("{kernel} does not accept {name}={value}: {refusal}")));
        }
    }
    Ok(())
}

/// A type of the planned cases that cannot hold `value`, which becomes an element of the input.
fn unfit_type(benchmark: &'static Benchmark, request: &Request, name: &str, value: f64) -> Option<Dtype> {
    let blocks = blocks(benchmark, request.profile, request.is_named()).into_iter().filter(|_| name == "INPUT");
    blocks.flat_map(|(dtypes, ..)| dtypes).copied().find(|dtype| !dtype.scalar().holds(value))
}

/// The values of a parameter. For a kernel that replaces the suite's, only the type is known.
pub(in crate::engine) fn accepted(family: &Family, benchmark: &Benchmark, name: &str) -> Accepted {
    let is_own = family.benchmarks.iter().any(|own| own.name == benchmark.name && own.wgsl == benchmark.wgsl);
    if is_own || HOST_PARAMS.contains(&name) {
        return benchmark.accepted(name);
    }
    parsed(benchmark).and_then(|shader| shader.accepted(name)).unwrap_or(Accepted::U32)
}

/// The kernel in its first element type; `None` if it has no WGSL or is faulty.
fn parsed(benchmark: &Benchmark) -> Option<Shader> {
    let dtype = benchmark.cases.iter().flat_map(|cases| cases.dtypes).next()?;
    Shader::parse(benchmark.wgsl, dtype.name()).ok()
}

/// The overrides of a kernel. Cached: a plan needs them often, and parsing all kernels takes a second.
fn overrides(benchmark: &Benchmark) -> Vec<String> {
    /// By text and element type.
    type Known = BTreeMap<(&'static str, Option<Dtype>), Vec<String>>;
    static KNOWN: Mutex<Known> = Mutex::new(Known::new());
    let dtype = benchmark.cases.iter().flat_map(|cases| cases.dtypes).next().copied();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let names = known.entry((benchmark.wgsl, dtype)).or_insert_with(|| {
        let shader = parsed(benchmark);
        shader.map_or_else(Vec::new, |shader| shader.overrides().into_iter().map(str::to_owned).collect())
    });
    names.clone()
}

/// Names of a benchmark's parameters: its shader's overrides, and the harness's parameters that it uses.
#[must_use]
pub fn params_of(benchmark: &Benchmark) -> Vec<String> {
    let declared = benchmark.blocks().flat_map(|(.., sets)| sets).flat_map(|params| params.iter());
    // A benchmark that only CUDA has declares all its parameters.
    let is_known = |name: &&str| benchmark.only_cuda.is_some() || HOST_PARAMS.contains(name);
    let mut names: Vec<String> = declared.map(|(name, _)| *name).filter(is_known).map(str::to_owned).collect();
    names.extend(overrides(benchmark));
    names.retain(|name| !benchmark.of_size.iter().any(|(own, _)| own == name));
    names.sort();
    names.dedup();
    names
}
