//! The expected time of a run.

use crate::backend::{Device, DeviceType};
use crate::suite::Profile;

/// Mean seconds of a case through one API with its epochs, kernels' compilation and verification, as runs of the whole
/// suite took on an H200 (`docs/limits.md`). `None` if no such run has been timed.
const fn seconds_per_case(profile: Profile) -> Option<f64> {
    match profile {
        // 404 cases through two APIs in 46 s.
        Profile::Quick => Some(0.057),
        // 1081 cases through one API in 300 s.
        Profile::Standard => Some(0.28),
        Profile::Thorough => None,
    }
}

/// Runs that are expected to end within these seconds need no estimate.
const SHORT: f64 = 10.0;

/// The expected time of a run of the profile's own cases through `card`: `about 5 minutes for 1081 cases`. `None` if it
/// is short, or cannot be known: only discrete GPUs have been timed.
pub(super) fn estimate(profile: Profile, cases: usize, card: &[&Device]) -> Option<String> {
    if card.iter().any(|device| device.kind != DeviceType::Discrete) {
        return None;
    }
    let seconds = seconds_per_case(profile)? * (cases * card.len()) as f64;
    let time = match seconds {
        short if short < SHORT => return None,
        seconds if seconds < 55.0 => format!("{:.0} s", (seconds / 10.0).round() * 10.0),
        seconds if seconds < 90.0 => "1 minute".to_owned(),
        seconds => format!("{:.0} minutes", seconds / 60.0),
    };
    let apis = if card.len() > 1 { format!(" through {} APIs", card.len()) } else { String::new() };
    Some(format!("about {time} for {cases} cases{apis}, estimated from an H200"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Api;
    use crate::cli::selection::fakes::device;

    #[test]
    fn only_what_was_timed_is_estimated() {
        let discrete = device("Fake 9000", Api::Vulkan, &[]);
        let of = |profile, cases, apis: usize| estimate(profile, cases, &vec![&discrete; apis]);
        let expected = |text: &str| Some(format!("about {text}, estimated from an H200"));
        assert_eq!(of(Profile::Standard, 1081, 1), expected("5 minutes for 1081 cases"));
        assert_eq!(of(Profile::Standard, 1081, 2), expected("10 minutes for 1081 cases through 2 APIs"));
        assert_eq!(of(Profile::Quick, 404, 1), expected("20 s for 404 cases"));
        assert_eq!(of(Profile::Standard, 240, 1), expected("1 minute for 240 cases"));
        assert_eq!((of(Profile::Quick, 20, 1), of(Profile::Thorough, 1092, 1)), (None, None));
        let software = device("llvmpipe (LLVM 15)", Api::Vulkan, &[]);
        assert_eq!(estimate(Profile::Standard, 1081, &[&software]), None);
        let integrated = Device { kind: DeviceType::Integrated, ..device("Fake 100", Api::Vulkan, &[]) };
        assert_eq!(estimate(Profile::Standard, 1081, &[&integrated]), None);
    }
}
