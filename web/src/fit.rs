//! Cases as this device can run them: browsers allow fewer invocations a workgroup than native APIs on the same card.

use shaderbench::backend::Device;
use shaderbench::engine::plan::params_of;
use shaderbench::job::Job;
use shaderbench::suite::Case;
use shaderbench::suite::Value;

/// The parameter that sets how many invocations a workgroup has.
const WG: &str = "WG";

/// The cases with smaller workgroups where the device allows no larger ones and the kernel takes any. Their rows say so among their
/// parameters. What cannot be made to fit stays as it is, and is skipped with the reason.
pub(crate) fn fit(cases: Vec<Case>, device: &Device) -> Vec<Case> {
    let mut fitting: Vec<Case> = Vec::with_capacity(cases.len());
    for case in cases.into_iter().map(|case| smaller(&case, device).unwrap_or(case)) {
        if !fitting.iter().any(|other| other.name() == case.name() && other.shape == case.shape) {
            fitting.push(case);
        }
    }
    fitting
}

fn smaller(case: &Case, device: &Device) -> Option<Case> {
    let interface = Job::new(case).ok()?.kernel.interface;
    if interface.invocations() <= device.max_invocations || !params_of(case.benchmark).iter().any(|name| name == WG) {
        return None;
    }
    let (_, value) = interface.overrides.iter().find(|(name, _)| name == WG)?;
    let Value::U32(mut size) = *value else { return None };
    let mut invocations = interface.invocations();
    while invocations > device.max_invocations && size > 1 {
        (size, invocations) = (size / 2, invocations / 2);
    }
    let mut case = case.clone();
    case.shape.params.insert(WG.to_owned(), f64::from(size));
    (Job::new(&case).ok()?.kernel.interface.invocations() <= device.max_invocations).then_some(case)
}
