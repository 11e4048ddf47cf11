//! The expected time of a run.

use gpu::backend::Device;
use record::suite::{DeviceType, Profile};

/// Mean seconds per case and API, with epochs, compilation and verification, from runs of the whole suite through
/// Vulkan on H100s (`docs/research/2026-11-25-limits.md`). `None` if no such run has been timed.
const fn seconds_per_case(profile: Profile) -> Option<f64> {
    match profile {
        // 134 cases in 29 to 31 s, on a host where `standard` took 241 s.
        Profile::Quick => Some(0.21),
        // 1409 cases in 242 s.
        Profile::Standard => Some(0.17),
        // Not timed since cases are measured in epochs.
        Profile::Thorough => None,
    }
}

/// Runs that are expected to end within these seconds get no estimate.
const SHORT: f64 = 10.0;

/// The expected time of a run of `cases` of the profile's own cases on `card`: `50 s`, `4 minutes`. `None` if it is
/// short or unknown: only discrete GPUs have been timed.
pub(super) fn estimate(profile: Profile, cases: usize, card: &[&Device]) -> Option<String> {
    if card.iter().any(|device| device.kind != DeviceType::Discrete) {
        return None;
    }
    let seconds = seconds_per_case(profile)? * (cases * card.len()) as f64;
    match seconds {
        short if short < SHORT => None,
        seconds if seconds < 55.0 => Some(format!("{:.0} s", (seconds / 10.0).round() * 10.0)),
        seconds if seconds < 90.0 => Some("1 minute".to_owned()),
        seconds => Some(format!("{:.0} minutes", seconds / 60.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::selection::fakes::device;
    use record::suite::Api;

    #[test]
    fn only_what_was_timed_is_estimated() {
        let discrete = device("Fake 9000", Api::Vulkan, &[]);
        let estimated = |profile, cases, apis: usize| estimate(profile, cases, &vec![&discrete; apis]);
        let expected = |text: &str| Some(text.to_owned());
        assert_eq!(estimated(Profile::Quick, 134, 1), expected("30 s"));
        assert_eq!(estimated(Profile::Quick, 134, 2), expected("1 minute"));
        assert_eq!(estimated(Profile::Quick, 134, 4), expected("2 minutes"));
        assert_eq!(estimated(Profile::Standard, 1409, 1), expected("4 minutes"));
        assert_eq!((estimated(Profile::Quick, 20, 1), estimated(Profile::Thorough, 1081, 1)), (None, None));
        let software = device("llvmpipe (LLVM 15)", Api::Vulkan, &[]);
        assert_eq!(estimate(Profile::Quick, 1081, &[&software]), None);
        let integrated = Device { kind: DeviceType::Integrated, ..device("Fake 100", Api::Vulkan, &[]) };
        assert_eq!(estimate(Profile::Quick, 1081, &[&integrated]), None);
    }
}
