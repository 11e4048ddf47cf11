//! Adapts cases to the device: browsers allow fewer invocations per workgroup than native APIs on the same device.

use shaderbench::backend::Device;
use shaderbench::engine::plan::params_of;
use shaderbench::job::Job;
use shaderbench::suite::Case;
use shaderbench::suite::Value;

/// The parameter that sets the number of invocations per workgroup.
const WG: &str = "WG";

/// Reduces the workgroup size of cases that exceed the device's limit, if the kernel has a parameter for it. Their rows
/// then have this parameter. Other cases stay unchanged and are skipped with the reason.
pub(crate) fn fit(cases: Vec<Case>, device: &Device) -> Vec<Case> {
    let mut fitting: Vec<Case> = Vec::with_capacity(cases.len());
    for case in cases.into_iter().map(|case| with_smaller_workgroup(&case, device).unwrap_or(case)) {
        if !fitting.iter().any(|other| other.name() == case.name() && other.shape == case.shape) {
            fitting.push(case);
        }
    }
    fitting
}

fn with_smaller_workgroup(case: &Case, device: &Device) -> Option<Case> {
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
