//! What a run will do on a card: profile, time limit and cases.

use std::time::Duration;

use super::arguments::Arguments;
use crate::cli::estimate::estimate;
use crate::cli::messages::smaller_workgroups;
use crate::cli::output::{print, say};
use gpu::backend::Device;
use gpu::engine::plan::{Caches, Request, plan};
use gpu::engine::{Fitted, WORKGROUP_SIZE, fit};
use record::error::Result;
use record::format::plural;
use record::suite::{Case, DeviceType, Profile};

/// The request of the command line. `has_reserves` adds small sizes, for runs with a time limit.
pub(super) fn request(arguments: &Arguments, profile: Profile, has_reserves: bool) -> Request {
    Request {
        filters: arguments.filters.clone(),
        tags: arguments.tags.clone(),
        profile,
        sizes: arguments.sizes.clone(),
        params: arguments.params.clone(),
        caches: arguments.caches,
        sources: arguments.kernels.sources.clone(),
        own: arguments.kernels.own,
        has_reserves,
    }
}

/// The cases of a run, fitted to the limits of `card`. A workgroup size that the user sets stays.
pub(super) fn cases_for(
    arguments: &Arguments,
    profile: Profile,
    time: Option<Duration>,
    card: &[&Device],
) -> Result<Fitted> {
    let is_given = arguments.params.iter().any(|(name, _)| name == WORKGROUP_SIZE);
    let is_fixed = |case: &Case| is_given && case.shape.params.contains_key(WORKGROUP_SIZE);
    let cases = plan(&request(arguments, profile, time.is_some()))?;
    Ok(fit(cases, card, is_fixed))
}

/// The profile of the command line, or the default: `standard` on a GPU if the user names benchmarks, else `quick`.
pub(super) fn profile_for(arguments: &Arguments, device: &Device) -> Profile {
    let is_whole = arguments.names_benchmarks() && device.kind != DeviceType::Software;
    let usual = if is_whole { Profile::Standard } else { Profile::Quick };
    arguments.profile.unwrap_or(usual)
}

/// Default time limit of `quick`: under a minute including start and end.
const QUICK_TIME: Duration = Duration::from_secs(55);

/// The user's time limit, or the default for so many APIs. None with --against: sides would leave out other cases.
pub(super) fn time_for(arguments: &Arguments, profile: Profile, apis: usize) -> Option<Duration> {
    if arguments.other_side().is_some() {
        return None;
    }
    arguments.time.or((profile == Profile::Quick).then(|| QUICK_TIME * apis.max(1) as u32))
}

pub(super) fn expected_time(
    arguments: &Arguments,
    profile: Profile,
    time: Option<Duration>,
    cases: usize,
    card: &[&Device],
) -> Option<String> {
    let time = usual_time(arguments, profile, time, cases, card)?;
    let apis = if card.len() > 1 { format!(" through {} APIs", card.len()) } else { String::new() };
    Some(format!("about {time} for {cases} cases{apis}, estimated from times on an H100"))
}

/// The expected time of a run of `cases` cases, if no option changes the time per case.
fn usual_time(
    arguments: &Arguments,
    profile: Profile,
    time: Option<Duration>,
    cases: usize,
    card: &[&Device],
) -> Option<String> {
    let is_usual = arguments.caches == Caches::Hot
        && arguments.sizes.is_empty()
        && arguments.params.is_empty()
        && arguments.epochs.is_none();
    let has_more =
        arguments.shaders.is_some() || arguments.other_side().is_some() || time.is_some() || arguments.energy;
    if is_usual && !has_more { estimate(profile, cases, card) } else { None }
}

/// After a quick run, how to measure all sizes: `all sizes: --profile standard, about 4 minutes`.
pub(super) fn all_sizes(arguments: &Arguments, profile: Profile, card: &[&Device]) -> Option<String> {
    if profile != Profile::Quick || !arguments.sizes.is_empty() {
        return None;
    }
    let cases_of = |profile| Some(cases_for(arguments, profile, None, card).ok()?.cases.len());
    let cases = cases_of(Profile::Standard).filter(|all| cases_of(profile) != Some(*all))?;
    let time = usual_time(arguments, Profile::Standard, None, cases, card);
    let about = time.map_or_else(String::new, |time| format!(", about {time}"));
    Some(format!("all sizes: --profile {}{about}", Profile::Standard.name()))
}

pub(super) fn dry_run(arguments: &Arguments, card: &[&Device]) -> Result<u8> {
    let profile = profile_for(arguments, card[0]);
    let time = time_for(arguments, profile, card.len());
    let fitted = cases_for(arguments, profile, time, card)?;
    smaller_workgroups(&fitted, card).iter().for_each(|note| say(note));
    let Fitted { cases, .. } = fitted;
    // Reserve cases run only in place of a listed case.
    let listed: Vec<&Case> = cases.iter().filter(|case| !case.is_reserve).collect();
    let mut text: String = listed.iter().map(|case| format!("{case}\n")).collect();
    let (count, name) = (listed.len(), &card[0].name);
    let apis: Vec<_> = card.iter().map(|device| device.api.name()).collect();
    let through = if apis.len() > 1 { format!(" through {}", apis.join(", ")) } else { String::new() };
    let within = time.map_or_else(String::new, |time| format!(", time limit {} s", time.as_secs()));
    let cases = plural(count, "case", "cases");
    text.push_str(&format!("{cases}, profile {}, on {name}{through}{within}\n", profile.name()));
    let expected = expected_time(arguments, profile, time, count, card);
    text.extend(expected.map(|expected| format!("{expected}\n")));
    print(&text)?;
    Ok(0)
}
