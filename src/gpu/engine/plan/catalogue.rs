//! Every kernel that a run of the suite may need.

use std::collections::HashSet;

use crate::engine::clock::canary::canary_of;
use crate::engine::measure::flush_case;
use crate::engine::plan::{Request, plan};
use crate::job::{Job, Kernel, Language};
use record::error::Result;
use record::suite::Profile;

/// The kernels of every profile and those that test the device, each text in `language` once. Kernels of `--shaders`
/// and parameters of `--param` are not included.
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
        // Some kernels support only certain shapes.
        let Ok(Job { kernel, .. }) = Job::new(&case) else { continue };
        if !kernel.text(language).is_empty() && seen.insert(kernel.text(language).to_owned()) {
            kernels.push(kernel);
        }
    }
    Ok(kernels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_has_each_kernel_once_and_the_canary() {
        let kernels = catalogue(Language::Cuda).expect("a catalogue");
        let texts: HashSet<&str> = kernels.iter().map(|kernel| kernel.cuda.as_str()).collect();
        assert_eq!(texts.len(), kernels.len());
        let canary = Job::new(&canary_of(true).expect("the canary")).expect("valid");
        assert!(texts.contains(canary.kernel.cuda.as_str()));
    }
}
