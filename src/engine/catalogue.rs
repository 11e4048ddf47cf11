//! Every kernel that a run of the suite may need.

use std::collections::HashSet;

use super::canary::canary_of;
use super::plan::{Request, plan};
use super::session::flush_case;
use super::tune::candidates;
use crate::error::Result;
use crate::job::{Job, Kernel, Language};
use crate::suite::Profile;

/// The kernels of every profile with each parameter that `--tune` tries, and those that test the device, each text in
/// `language` once. Kernels of `--shaders` and parameters of `--param` are not among them.
///
/// # Errors
/// Those of [`plan`].
pub fn catalogue(language: Language) -> Result<Vec<Kernel>> {
    let mut cases = vec![canary_of(true)?, canary_of(false)?, flush_case()?];
    for profile in Profile::ALL {
        cases.extend(plan(&Request { has_reserves: true, ..Request::new(Vec::new(), profile) })?);
    }
    let mut seen = HashSet::new();
    let mut kernels = Vec::new();
    for case in cases {
        let tuned = candidates(&case);
        // Some kernels have only certain shapes.
        for kernel in std::iter::once(case).chain(tuned).filter_map(|case| Some(Job::new(&case).ok()?.kernel)) {
            if !kernel.text(language).is_empty() && seen.insert(kernel.text(language).to_owned()) {
                kernels.push(kernel);
            }
        }
    }
    Ok(kernels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_has_each_kernel_once_and_the_canary_and_tuned_ones() {
        let kernels = catalogue(Language::Cuda).expect("a catalogue");
        let texts: HashSet<&str> = kernels.iter().map(|kernel| kernel.cuda.as_str()).collect();
        assert_eq!(texts.len(), kernels.len());
        let canary = Job::new(&canary_of(true).expect("the canary")).expect("valid");
        assert!(texts.contains(canary.kernel.cuda.as_str()));
        let planned = plan(&Request::new(Vec::new(), Profile::Thorough)).expect("a plan");
        let tuned = planned.iter().flat_map(candidates).next().expect("a family that is tuned");
        assert!(texts.contains(Job::new(&tuned).expect("valid").kernel.cuda.as_str()));
    }
}
