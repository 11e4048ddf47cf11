//! The cases of a benchmark.

use std::collections::BTreeMap;

use super::parameters::params_of;
use super::request::{Request, Source, blocks};
use record::suite::{Benchmark, Case, Dtype, Extent, Family, Params, Shape};

/// `is_named`: the user names the benchmark, so that it has cases in every profile.
pub(super) fn cases_of(
    family: &'static Family,
    benchmark: &'static Benchmark,
    request: &Request,
    is_named: bool,
) -> Vec<Case> {
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

/// Sizes that replace `extent` on a device without memory or time for it: those that the benchmark declares with the
/// same type and parameters, and its small one. Odd sizes replace odd ones only.
fn smaller_sizes(benchmark: &Benchmark, dtype: Dtype, params: Params, extent: Extent) -> Vec<Extent> {
    let is_even = |extent: Extent| extent.sides().into_iter().all(|side| side >> side.trailing_zeros() < 8);
    let alike = benchmark.cases.iter().filter(|block| block.dtypes.contains(&dtype) && block.params.contains(&params));
    let least = benchmark.small.map_or(0, Extent::count);
    let declared = alike.flat_map(|block| block.extents).copied();
    let declared = declared.filter(|other| !is_even(extent) || is_even(*other));
    let stands_in = |other: &Extent| (least..extent.count()).contains(&other.count());
    declared.chain(benchmark.small).filter(stands_in).collect()
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

/// A case that may run without run-time checks if the source of its kernel is trusted.
pub(super) fn planned(
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

pub(super) fn is_same(a: &Case, b: &Case) -> bool {
    a.name() == b.name() && a.shape == b.shape
}

/// Converts a size from the command line to the form of `declared`: a single number becomes the side of a square or
/// cube. `None` if the forms do not match, or the square is too large.
#[must_use]
pub const fn as_declared(size: Extent, declared: Extent) -> Option<Extent> {
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
