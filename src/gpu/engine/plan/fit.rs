//! Fits a plan to the devices' limits: kernels with a parameter for the size of their workgroups get smaller ones.

use std::collections::HashSet;
use std::iter;

use super::parameters::accepted;
use crate::backend::Device;
use crate::engine::run::earlier::of_case;
use crate::job::Job;
use record::suite::{Case, Interface, Value};

/// The parameter that sets the invocations of a workgroup.
pub const WORKGROUP_SIZE: &str = "WG";

/// A plan that is fitted to devices.
#[derive(Clone, Default)]
pub struct Fitted {
    /// The cases to run, in the order of the plan.
    pub cases: Vec<Case>,
    /// Indices of the cases with smaller workgroups.
    pub smaller: Vec<usize>,
    /// Number of cases left out because they equal another case once their workgroups are smaller.
    pub repeated: usize,
}

/// Halves the workgroups of each case that exceeds a device's limits on invocations or workgroup memory, until all
/// devices that can run its kernel accept it: the APIs of a run have the same cases. The case then has the parameter
/// [`WORKGROUP_SIZE`]. Cases that cannot be fitted and those that `is_fixed` selects stay: devices skip them.
pub fn fit(cases: Vec<Case>, devices: &[&Device], is_fixed: impl Fn(&Case) -> bool) -> Fitted {
    let smaller = |case: &Case| if is_fixed(case) { None } else { with_smaller_workgroups(case, devices) };
    let smaller: Vec<Option<Case>> = cases.iter().map(smaller).collect();
    let unchanged = cases.iter().zip(&smaller).filter(|(_, smaller)| smaller.is_none());
    let mut known: HashSet<_> = unchanged.map(|(case, _)| of_case(case)).collect();
    let mut fitted = Fitted { cases: Vec::with_capacity(cases.len()), ..Fitted::default() };
    for (case, smaller) in cases.into_iter().zip(smaller) {
        match smaller {
            None => fitted.cases.push(case),
            Some(smaller) if known.insert(of_case(&smaller)) => {
                fitted.smaller.push(fitted.cases.len());
                fitted.cases.push(smaller);
            }
            Some(_) => fitted.repeated += 1,
        }
    }
    fitted
}

/// The case with the largest workgroups that the devices accept; `None` if there is none, or no need.
fn with_smaller_workgroups(case: &Case, devices: &[&Device]) -> Option<Case> {
    let job = Job::new(case).ok()?;
    let refuses =
        |device: &&&Device| device.check_kernel(&job).is_ok() && device.check_workgroup(&job.kernel.interface).is_err();
    let refusing: Vec<&&Device> = devices.iter().filter(refuses).collect();
    if refusing.is_empty() {
        return None;
    }
    let smaller = smaller_sizes(case, &job.kernel.interface);
    // A device that accepts no size skips the case; it must not keep the others from running it.
    let largest = |device: &&Device| smaller.iter().find(|(_, interface)| device.check_workgroup(interface).is_ok());
    let (smallest, _) = refusing.into_iter().filter_map(largest).min_by_key(|(size, _)| *size)?;
    Some(with_size(case, *smallest))
}

/// The sizes below that of `interface` which the kernel accepts, largest first, each with its interface. Halves only:
/// kernels with a tree need powers of two.
fn smaller_sizes(case: &Case, interface: &Interface) -> Vec<(u32, Interface)> {
    let size = interface.overrides.iter().find(|(name, _)| name == WORKGROUP_SIZE).map(|(_, size)| *size);
    let Some(Value::U32(size)) = size else { return Vec::new() };
    let accepted = accepted(case.family, case.benchmark, WORKGROUP_SIZE);
    let halves = iter::successors(Some(size / 2), |size| Some(size / 2)).take_while(|size| *size > 0);
    halves
        .filter(|size| accepted.has(f64::from(*size)))
        .filter_map(|size| Some((size, Job::new(&with_size(case, size)).ok()?.kernel.interface)))
        .collect()
}

fn with_size(case: &Case, size: u32) -> Case {
    let mut case = case.clone();
    case.shape.params.insert(WORKGROUP_SIZE.to_owned(), f64::from(size));
    case
}
