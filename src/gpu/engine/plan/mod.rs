//! The plan of a run: families × types × sizes × parameters, filtered, with the ceilings for their rows.

mod cases;
pub(in crate::engine) mod catalogue;
mod ceilings;
pub mod filter;
pub(in crate::engine) mod fit;
mod names;
mod parameters;
mod request;
pub(in crate::engine) mod schedule;

use std::collections::BTreeMap;

pub use cases::as_declared;
use cases::{cases_of, is_same, planned};
use ceilings::needed_ceilings;
pub use ceilings::{ceilings_of, ladders, reserves};
use filter::Filter;
use kernels::FAMILIES;
pub use names::{unknown, unknown_benchmark};
pub use parameters::params_of;
use record::error::{Error, Result};
use record::suite::kept::{kept, kept_text};
use record::suite::{Benchmark, COLD, Case, Dtype, Extent, Family, Shape, Tag};
pub use request::{Caches, Request, Source};

/// The cases to run, in order: a family that is not the suite's, ceilings, then the families, small sizes first.
///
/// # Errors
/// [`Error::Usage`] if a filter or a parameter matches nothing, with the nearest name; if a kernel does not accept a
/// parameter's value; if no selected benchmark takes one of the sizes.
pub fn plan(request: &Request) -> Result<Vec<Case>> {
    let mut selected = selected(request)?;
    replace_sources(&mut selected, &request.sources);
    parameters::check(&selected, request)?;
    let mut cases: Vec<Case> = selected
        .iter()
        .flat_map(|(family, benchmark)| cases_of(family, benchmark, request, request.is_named()))
        .flat_map(|case| in_caches(case, request.caches))
        .collect();
    if request.caches != Caches::Hot && !cases.iter().any(|case| case.shape.is_cold()) {
        return Err(Error::Usage(
            "--cache: no selected benchmark can start with cold caches (peaks, latencies, copies and host times \
             cannot): omit this option"
                .to_owned(),
        ));
    }
    check_sizes(&selected, &request.sizes)?;
    for case in needed_ceilings(&cases, request) {
        match cases.iter_mut().find(|other| is_same(other, &case)) {
            Some(known) => known.is_reserve &= case.is_reserve,
            None => cases.push(case),
        }
    }
    let index = |case: &Case| {
        let family = FAMILIES.iter().position(|family| family.name == case.family.name);
        let benchmark = case.family.benchmarks.iter().position(|benchmark| benchmark.name == case.benchmark.name);
        // A family that is not the suite's comes before its ceilings, which may take all of a limited time.
        (family.map_or(0, |place| place + 1), benchmark)
    };
    // The sort is stable: parameters keep the order of their declaration.
    cases.sort_by_cached_key(|case| {
        let ((family, benchmark), shape) = (index(case), &case.shape);
        // Tables are per kernel, or per size to compare the variants.
        let kernel_first = case.family.is_by_kernel.then_some(benchmark);
        (family, kernel_first, shape.dtype, shape.count(), shape.extent, benchmark)
    });
    Ok(cases)
}

/// A case as other processes refer to it.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct CaseName {
    family: String,
    benchmark: String,
    dtype: Dtype,
    extent: Extent,
    params: BTreeMap<String, f64>,
    is_reserve: bool,
}

impl From<&Case> for CaseName {
    fn from(Case { family, benchmark, shape, is_reserve, .. }: &Case) -> Self {
        Self {
            family: family.name.to_owned(),
            benchmark: benchmark.name.to_owned(),
            dtype: shape.dtype,
            extent: shape.extent,
            params: shape.params.clone(),
            is_reserve: *is_reserve,
        }
    }
}

/// Whether there is a benchmark of this name.
#[must_use]
pub fn is_known(name: &CaseName, own: Option<&'static Family>) -> bool {
    let families = own.into_iter().chain(FAMILIES.iter().copied());
    let mut named = families.filter(|family| family.name == name.family);
    named.any(|family| family.benchmarks.iter().any(|one| one.name == name.benchmark))
}

/// The planned cases of these names, with the kernels of `own` and of the suite, and `sources` in place of these.
///
/// # Errors
/// [`Error::Usage`] if there is no such benchmark.
pub fn named(
    names: Vec<CaseName>,
    own: Option<&'static Family>,
    sources: &BTreeMap<String, Source>,
) -> Result<Vec<Case>> {
    let families = own.into_iter().chain(FAMILIES.iter().copied());
    let mut known: Vec<_> =
        families.flat_map(|family| family.benchmarks.iter().map(move |one| (family, one))).collect();
    replace_sources(&mut known, sources);
    let case = |name: CaseName| {
        let CaseName { family, benchmark, dtype, extent, params, is_reserve } = name;
        let is_it = |(of, one): &&(&Family, &Benchmark)| of.name == family && one.name == benchmark;
        let fault = || {
            Error::Usage(format!(
                "the worker does not know {family}/{benchmark}: did the kernel file change during the run?"
            ))
        };
        let (family, benchmark) = known.iter().find(is_it).ok_or_else(fault)?;
        Ok(planned(family, benchmark, Shape::new(dtype, extent, params), is_reserve, sources))
    };
    names.into_iter().map(case).collect()
}

fn replace_sources(selected: &mut [(&'static Family, &'static Benchmark)], sources: &BTreeMap<String, Source>) {
    for (family, benchmark) in selected {
        if let Some(source) = sources.get(&format!("{}/{}", family.name, benchmark.name)) {
            *benchmark = with_source(benchmark, source);
        }
    }
}

/// The case with the requested state of the caches, or with both; hot if it may not be cold.
fn in_caches(hot: Case, caches: Caches) -> Vec<Case> {
    if caches == Caches::Hot || !hot.may_be_cold() {
        return vec![hot];
    }
    let mut cold = hot.clone();
    cold.shape.params.insert(COLD.to_owned(), 1.0);
    if caches == Caches::Both { vec![hot, cold] } else { vec![cold] }
}

/// The benchmark with replaced sources. They live as long as the program, like the suite's.
pub fn with_source(benchmark: &Benchmark, source: &Source) -> &'static Benchmark {
    let leaked = |text: &Option<String>, own| text.as_ref().map_or(own, |text| kept_text(text.clone()));
    let (wgsl, cuda) = (leaked(&source.wgsl, benchmark.wgsl), leaked(&source.cuda, benchmark.cuda));
    kept(Benchmark { wgsl, cuda, ..*benchmark })
}

fn selected(request: &Request) -> Result<Vec<(&'static Family, &'static Benchmark)>> {
    match request.own {
        Some(family) => Ok(family.benchmarks.iter().map(|benchmark| (family, benchmark)).collect()),
        None => select_tagged(&request.filters, &request.tags),
    }
}

/// The benchmarks that match `filters`, in the order of the suite; all of them if `filters` is empty.
///
/// # Errors
/// [`Error::Usage`] if a filter matches nothing, with the nearest name.
pub fn select(filters: &[String]) -> Result<Vec<(&'static Family, &'static Benchmark)>> {
    let all: Vec<_> = FAMILIES
        .iter()
        .flat_map(|family| family.benchmarks.iter().map(move |benchmark| (*family, benchmark)))
        .collect();
    let all_names: Vec<String> = all.iter().map(full_name).collect();
    let filters = filters.iter().map(|text| Ok((text, Filter::new(text, &all_names)?))).collect::<Result<Vec<_>>>()?;
    for (text, filter) in &filters {
        if !all_names.iter().any(|name| filter.matches(name)) {
            return Err(Error::Usage(unknown_benchmark("family or benchmark", text, &names(&all))));
        }
    }
    Ok(all
        .into_iter()
        .filter(|one| filters.is_empty() || filters.iter().any(|(_, filter)| filter.matches(&full_name(one))))
        .collect())
}

/// Those of [`select`] whose family has one of `tags`; all of them if `tags` is empty.
///
/// # Errors
/// Those of [`select`], and [`Error::Usage`] if no benchmark that the filters select has one of the tags.
pub fn select_tagged(filters: &[String], tags: &[Tag]) -> Result<Vec<(&'static Family, &'static Benchmark)>> {
    let mut selected = select(filters)?;
    if tags.is_empty() {
        return Ok(selected);
    }
    selected.retain(|(family, _)| family.tags.iter().any(|tag| tags.contains(tag)));
    if selected.is_empty() {
        let (given, names) = (filters.join(", "), Tag::names(tags));
        return Err(Error::Usage(format!("no benchmark of '{given}' has one of these tags: {names}")));
    }
    Ok(selected)
}

/// The filters that match parts of names, each with the benchmarks that it selects.
///
/// # Errors
/// Those of [`select`].
pub fn by_part(filters: &[String]) -> Result<Vec<(&str, Vec<String>)>> {
    let all: Vec<String> = select(&[])?.iter().map(full_name).collect();
    let mut found = Vec::new();
    for text in filters {
        let filter = Filter::new(text, &all)?;
        let names = all.iter().filter(|name| filter.matches(name)).cloned();
        found.extend(filter.is_part().then(|| (text.as_str(), names.collect())));
    }
    Ok(found)
}

fn full_name((family, benchmark): &(&Family, &Benchmark)) -> String {
    format!("{}/{}", family.name, benchmark.name)
}

/// Names of all families, then of all benchmarks, in the form of a filter.
#[must_use]
pub fn all_names() -> Vec<String> {
    names(&select(&[]).unwrap_or_default())
}

fn names(all: &[(&'static Family, &'static Benchmark)]) -> Vec<String> {
    let mut names: Vec<String> = FAMILIES.iter().map(|family| family.name.to_owned()).collect();
    names.extend(all.iter().map(full_name));
    names
}

/// Whether each size fits a selected benchmark. The family `ceiling` keeps its own sizes.
fn check_sizes(selected: &[(&'static Family, &'static Benchmark)], sizes: &[Extent]) -> Result<()> {
    let sized = || selected.iter().filter(|(family, _)| family.name != "ceiling");
    let fits = |size: &Extent| sized().any(|(_, benchmark)| takes(benchmark, *size));
    let Some(size) = sizes.iter().find(|size| !fits(size)).filter(|_| sized().next().is_some()) else { return Ok(()) };
    let mut forms: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (family, form) in sized().flat_map(|(family, benchmark)| forms_of(benchmark).map(|form| (family.name, form))) {
        let families = forms.entry(form).or_default();
        if families.last() != Some(&family) {
            families.push(family);
        }
    }
    let takes: Vec<String> =
        forms.iter().map(|(form, families)| format!("{form} for {}", families.join(", "))).collect();
    Err(Error::Usage(format!("no selected benchmark accepts the size {size}: use {}", takes.join("; "))))
}

/// The selected benchmarks without a case, since none of the request's sizes fits; a family if that holds for all of
/// its selected benchmarks. Empty without sizes.
///
/// # Errors
/// Those of [`select`].
pub fn without_size(request: &Request) -> Result<Vec<String>> {
    let selected = selected(request)?;
    let is_dropped = |(family, benchmark): &(&Family, &Benchmark)| {
        let is_sized = family.name != "ceiling" && !request.sizes.is_empty();
        is_sized && !request.sizes.iter().any(|size| takes(benchmark, *size))
    };
    let mut names: Vec<String> = Vec::new();
    for one in selected.iter().filter(|one| is_dropped(one)) {
        let (family, benchmark) = one;
        let mut others = selected.iter().filter(|(other, _)| other.name == family.name);
        let is_whole = others.all(is_dropped);
        let name = if is_whole { family.name.to_owned() } else { format!("{}/{}", family.name, benchmark.name) };
        if names.last() != Some(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

/// Whether a size from the command line fits one of the benchmark's blocks of cases.
fn takes(benchmark: &Benchmark, size: Extent) -> bool {
    benchmark.cases.iter().any(|block| as_declared(size, block.extents[0]).is_some())
}

fn forms_of(benchmark: &Benchmark) -> impl Iterator<Item = &'static str> {
    benchmark.cases.iter().map(|block| match block.extents[0] {
        Extent::Linear(_) => "N (2^20)",
        Extent::Matrix(..) => "ROWSxCOLUMNS (512x2000) or N, the side of a square of at most 2^40 elements,",
        Extent::Product(..) => "MxNxK (512x256x128) or N, a side of at most 2^20,",
    })
}
