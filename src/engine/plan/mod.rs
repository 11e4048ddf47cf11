//! The plan of a run: families × types × sizes × parameters, filtered, and the ceilings that their rows are compared
//! with.

pub(in crate::engine) mod catalogue;
pub mod filter;
pub(in crate::engine) mod fit;
mod names;
mod parameters;
mod request;
pub(in crate::engine) mod schedule;

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::families::FAMILIES;
use crate::families::ceiling::LADDER;
use crate::suite::kept::{kept, kept_text};
use crate::suite::{Benchmark, COLD, Case, Dtype, Extent, Family, Limit, Params, Profile, Scalar, Shape, Tag};
use filter::Filter;
pub use names::{unknown, unknown_benchmark};
pub use parameters::params_of;
use request::blocks;
pub use request::{Caches, Request, Source};

/// The cases to run, in order: a family that is not the suite's, ceilings, then family by family, small sizes before
/// large ones.
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
            "--cache: no selected benchmark can start with empty caches, as peaks, latencies, copies and the host's parts \
             cannot: leave it out"
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

/// A case as another process names it.
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

/// The planned cases of these names, with the same kernels as in the plan: those of `own` and of the suite, with `sources`
/// in place of the suite's.
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
        let fault = || Error::Usage(format!("the measuring process has no {family}/{benchmark}: did its file change?"));
        let (family, benchmark) = known.iter().find(is_it).ok_or_else(fault)?;
        Ok(planned(family, benchmark, Shape::new(dtype, extent, params), is_reserve, sources))
    };
    names.into_iter().map(case).collect()
}

/// A case that may run without run-time checks if the source of its kernel is trusted.
fn planned(
    family: &'static Family,
    benchmark: &'static Benchmark,
    shape: Shape,
    is_reserve: bool,
    sources: &BTreeMap<String, Source>,
) -> Case {
    let mut case = Case::new(family, benchmark, shape);
    case.is_reserve = is_reserve;
    if sources.get(&case.name()).is_some_and(|source| source.is_trusted) {
        #[expect(unsafe_code, reason = "the caller of `Source::trust` made the promise")]
        // SAFETY: the WGSL is the text of the `Source`, whose promise covers every planned shape.
        unsafe {
            case.trust();
        }
    }
    case
}

/// Replaces the kernels that have sources of other kernels.
fn replace_sources(selected: &mut [(&'static Family, &'static Benchmark)], sources: &BTreeMap<String, Source>) {
    for (family, benchmark) in selected {
        if let Some(source) = sources.get(&format!("{}/{}", family.name, benchmark.name)) {
            *benchmark = with_source(benchmark, source);
        }
    }
}

/// The case in the state of the caches that is asked for, or in both. A case that may not be cold is hot.
fn in_caches(hot: Case, caches: Caches) -> Vec<Case> {
    if caches == Caches::Hot || !hot.may_be_cold() {
        return vec![hot];
    }
    let mut cold = hot.clone();
    cold.shape.params.insert(COLD.to_owned(), 1.0);
    if caches == Caches::Both { vec![hot, cold] } else { vec![cold] }
}

/// The benchmark with replaced sources. They live as long as the program, like the suite's.
pub(crate) fn with_source(benchmark: &Benchmark, source: &Source) -> &'static Benchmark {
    let leaked = |text: &Option<String>, own| text.as_ref().map_or(own, |text| kept_text(text.clone()));
    let (wgsl, cuda) = (leaked(&source.wgsl, benchmark.wgsl), leaked(&source.cuda, benchmark.cuda));
    kept(Benchmark { wgsl, cuda, ..*benchmark })
}

fn is_same(a: &Case, b: &Case) -> bool {
    a.name() == b.name() && a.shape == b.shape
}

/// The benchmarks that a request names.
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
        return Err(Error::Usage(format!("no benchmark of '{given}' has the tag {names}")));
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

/// The cases of a benchmark. `is_named`: whether the user names it, so that it has cases in every profile.
fn cases_of(family: &'static Family, benchmark: &'static Benchmark, request: &Request, is_named: bool) -> Vec<Case> {
    let declared = params_of(benchmark);
    let is_declared = request.sizes.is_empty() || family.name == "ceiling";
    let mut found: Vec<Case> = Vec::new();
    let given = combinations(request.params.iter().filter(|(name, _)| declared.contains(name)));
    let mut add_one = |dtype: Dtype, extent: Extent, params: BTreeMap<String, f64>, is_reserve: bool| {
        let case = planned(family, benchmark, Shape::new(dtype, extent, params), is_reserve, &request.sources);
        if !found.iter().any(|other| is_same(other, &case)) {
            found.push(case);
        }
    };
    let mut add = |dtype: Dtype, extent: Extent, declared: Params, is_reserve: bool| {
        for given in &given {
            let mut params: BTreeMap<String, f64> =
                declared.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
            params.extend(given.clone());
            add_one(dtype, extent, params, is_reserve);
        }
    };
    let blocks = blocks(benchmark, request.profile, is_named);
    for (dtypes, extents, sets) in &blocks {
        let requested = request.sizes.iter().filter_map(|size| as_declared(*size, extents[0]));
        let extents: Vec<Extent> = if is_declared { extents.to_vec() } else { requested.collect() };
        for (dtype, extent, params) in product(dtypes, &extents, sets) {
            add(dtype, extent, params, false);
        }
    }
    for (dtypes, extents, sets) in blocks.iter().filter(|_| is_declared && request.has_reserves) {
        let Some(least) = extents.iter().min_by_key(|extent| extent.count()) else { continue };
        for (dtype, params) in dtypes.iter().flat_map(|dtype| sets.iter().map(move |params| (*dtype, *params))) {
            for smaller in smaller_sizes(benchmark, dtype, params, *least) {
                add(dtype, smaller, params, true);
            }
        }
    }
    found
}

/// All combinations of the values that each name is given.
fn combinations<'a>(given: impl Iterator<Item = &'a (String, f64)>) -> Vec<BTreeMap<String, f64>> {
    let mut values: BTreeMap<&String, Vec<f64>> = BTreeMap::new();
    for (name, value) in given {
        values.entry(name).or_default().push(*value);
    }
    values.into_iter().fold(vec![BTreeMap::new()], |all, (name, values)| {
        let with =
            |one: &BTreeMap<String, f64>, value| one.clone().into_iter().chain([(name.clone(), value)]).collect();
        all.iter().flat_map(|one| values.iter().map(move |value| with(one, *value))).collect()
    })
}

/// The sizes that stand in for `extent` on a device which lacks memory or time for it: those that the benchmark declares
/// with the same type and parameters, and its small one. Odd sizes stand in for odd ones only.
fn smaller_sizes(benchmark: &Benchmark, dtype: Dtype, params: Params, extent: Extent) -> Vec<Extent> {
    let is_even = |extent: Extent| extent.sides().into_iter().all(|side| side >> side.trailing_zeros() < 8);
    let alike = benchmark.cases.iter().filter(|block| block.dtypes.contains(&dtype) && block.params.contains(&params));
    let least = benchmark.small.map_or(0, Extent::count);
    let declared = alike.flat_map(|block| block.extents).copied();
    let declared = declared.filter(|other| !is_even(extent) || is_even(*other));
    let stands_in = |other: &Extent| (least..extent.count()).contains(&other.count());
    declared.chain(benchmark.small).filter(stands_in).collect()
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
    Err(Error::Usage(format!("no selected benchmark takes the size {size}: give {}", takes.join("; "))))
}

/// The selected benchmarks that none of the request's sizes fits, so that they have no case: families, where all of
/// their selected benchmarks are among them, and else benchmarks. Empty without sizes.
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

/// The forms of the benchmark's sizes, as they are written.
fn forms_of(benchmark: &Benchmark) -> impl Iterator<Item = &'static str> {
    benchmark.cases.iter().map(|block| match block.extents[0] {
        Extent::Linear(_) => "N (2^20)",
        Extent::Matrix(..) => "ROWSxCOLUMNS (512x2000) or N, the side of a square of at most 2^40 elements,",
        Extent::Product(..) => "MxNxK (512x256x128) or N, a side of at most 2^20,",
    })
}

/// Converts a size from the command line to the form of `declared`: a single number becomes the side of a square or
/// cube. `None` if the forms do not match, or the square is too large.
const fn as_declared(size: Extent, declared: Extent) -> Option<Extent> {
    let converted = match (size, declared) {
        (Extent::Linear(n), Extent::Matrix(..)) => Extent::Matrix(n, n),
        (Extent::Linear(n), Extent::Product(..)) => Extent::Product(n, n, n),
        (Extent::Linear(_), Extent::Linear(_))
        | (Extent::Matrix(..), Extent::Matrix(..))
        | (Extent::Product(..), Extent::Product(..)) => size,
        _ => return None,
    };
    if converted.is_countable() { Some(converted) } else { None }
}

fn product<'a, P: Copy>(
    dtypes: &'a [Dtype],
    extents: &'a [Extent],
    params: &'a [P],
) -> impl Iterator<Item = (Dtype, Extent, P)> + 'a {
    dtypes.iter().flat_map(move |dtype| {
        extents.iter().flat_map(move |extent| params.iter().map(move |params| (*dtype, *extent, *params)))
    })
}

/// The ceilings that `cases` are compared with. Memory ceilings: the rungs of the ladder next to each working set, by the
/// variants that the profile runs at its largest size.
fn needed_ceilings(cases: &[Case], request: &Request) -> Vec<Case> {
    let Some(family) = FAMILIES.iter().find(|family| family.name == "ceiling") else { return Vec::new() };
    let needed: Vec<(Need, bool)> =
        cases.iter().flat_map(|case| needs(case).into_iter().map(|need| (need, case.is_reserve))).collect();
    // Memory ceilings may need any rung of the ladder; the others run at the profile's sizes.
    let candidates = family.benchmarks.iter().flat_map(|benchmark| {
        let is_memory = benchmark.ceiling.is_some_and(Limit::is_memory);
        let profile = if is_memory { Profile::Thorough } else { request.profile };
        let request_of = |profile| Request { has_reserves: request.has_reserves, ..Request::new(Vec::new(), profile) };
        let planned = cases_of(family, benchmark, &request_of(request.profile), false);
        let largest = planned.iter().map(|case| case.shape.count()).max();
        let variant = |case: &Case| (case.shape.dtype, case.params_text());
        let variants: Vec<_> = planned.iter().filter(|case| Some(case.shape.count()) == largest).map(variant).collect();
        let all = cases_of(family, benchmark, &request_of(profile), false);
        all.into_iter().filter(move |case| !is_memory || variants.contains(&variant(case)))
    });
    let mut needed_by: Vec<Case> = Vec::new();
    for mut case in candidates {
        let mut needs = needed.iter().filter(|(need, _)| need.is_met_by(&case)).peekable();
        if needs.peek().is_some() {
            case.is_reserve |= needs.all(|(_, is_reserve)| *is_reserve);
            needed_by.push(case);
        }
    }
    needed_by
}

/// A ceiling that a case is compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Need {
    limit: Limit,
    /// The rung of the ladder, for memory.
    rung: Option<Extent>,
    /// The type, for FMA.
    scalar: Option<Scalar>,
}

impl Need {
    fn is_met_by(&self, ceiling: &Case) -> bool {
        ceiling.benchmark.sets_ceiling
            && ceiling.benchmark.ceiling == Some(self.limit)
            && self.scalar.is_none_or(|scalar| scalar == ceiling.shape.dtype.scalar())
            && self.rung.is_none_or(|rung| rung == ceiling.shape.extent)
    }
}

/// The ceilings that `case` is compared with; none if it is a ceiling itself.
fn needs(case: &Case) -> Vec<Need> {
    if case.benchmark.sets_ceiling {
        return Vec::new();
    }
    // What a declaration claims may be more than any buffer holds: a ceiling that runs everywhere then stands in.
    let is_claim = case.benchmark.declared.is_some();
    let needs = |limit: Limit| {
        if limit.is_memory() {
            let rungs = rungs(limit, case.working_set());
            let everywhere = (is_claim && rungs.iter().all(|rung| *rung > EVERYWHERE)).then_some(EVERYWHERE);
            let rungs = rungs.into_iter().chain(everywhere);
            let mut needs: Vec<Need> = rungs.map(|rung| Need { limit, rung: Some(rung), scalar: None }).collect();
            needs.push(Need { limit: Limit::Launch, rung: None, scalar: None });
            return needs;
        }
        if limit == Limit::Tensor && is_claim {
            let of_tensor = Need { limit, rung: None, scalar: None };
            return vec![of_tensor, Need { limit: Limit::Fma, rung: None, scalar: Some(Scalar::F32) }];
        }
        vec![Need { limit, rung: None, scalar: (limit == Limit::Fma).then_some(case.shape.dtype.scalar()) }]
    };
    case.limits().flat_map(needs).collect()
}

/// Groups of cases that differ only in size, by index, smallest first.
#[must_use]
pub fn ladders(cases: &[Case]) -> Vec<Vec<usize>> {
    let mut ladders: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, case) in cases.iter().enumerate() {
        let key = format!("{} {} {}", case.name(), case.shape.dtype.name(), case.params_text());
        ladders.entry(key).or_default().push(index);
    }
    ladders.into_values().collect()
}

/// Maps the index of each case with a smaller size in reserve ([`Request::has_reserves`]) to the index of that case.
#[must_use]
pub fn reserves(cases: &[Case]) -> BTreeMap<usize, usize> {
    let ladders = ladders(cases);
    let steps = ladders.iter().flat_map(|ladder| ladder.windows(2));
    steps.filter(|step| cases[step[0]].is_reserve).map(|step| (step[1], step[0])).collect()
}

/// Indices of the ceilings in `cases` that `case` is compared with.
#[must_use]
pub fn ceilings_of(case: &Case, cases: &[Case]) -> Vec<usize> {
    let needs = needs(case);
    let is_needed = |index: &usize| needs.iter().any(|need| need.is_met_by(&cases[*index]));
    (0..cases.len()).filter(is_needed).collect()
}

/// A rung that no device is too small for: 16 MiB per array.
const EVERYWHERE: Extent = Extent::Linear(1 << 22);

/// The rungs next to a working set: one if a rung is within 25 %, else two.
fn rungs(limit: Limit, working_set: u64) -> Vec<Extent> {
    let bytes = |rung: &Extent| rung.count() * 4 * if limit == Limit::Copy { 2 } else { 1 };
    let is_near = |rung: &&Extent| bytes(rung) * 4 <= working_set * 5 && working_set * 4 <= bytes(rung) * 5;
    if let Some(rung) = LADDER.iter().find(is_near) {
        return vec![*rung];
    }
    let below = LADDER.iter().rfind(|rung| bytes(rung) < working_set);
    let above = LADDER.iter().find(|rung| bytes(rung) > working_set);
    below.into_iter().chain(above).copied().collect()
}
