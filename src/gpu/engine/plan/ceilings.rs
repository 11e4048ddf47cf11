//! The ceilings that cases are compared with.

use std::collections::BTreeMap;

use super::cases::cases_of;
use super::request::Request;
use kernels::FAMILIES;
use kernels::ceiling::LADDER;
use record::suite::{Case, Extent, Limit, Profile, Scalar};

/// The ceilings that `cases` are compared with. Memory ceilings run at the ladder's rungs next to each working set, in
/// the variants that the profile runs at its largest size.
pub(super) fn needed_ceilings(cases: &[Case], request: &Request) -> Vec<Case> {
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
    /// For memory.
    rung: Option<Extent>,
    /// For FMA.
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
    // A declaration may claim more bytes than any buffer holds: a ceiling that runs everywhere is then used instead.
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

/// A rung that every device has memory for: 16 MiB per array.
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
