//! The steps that this backend supports.

use crate::job::{Route, Step};
use record::error::{Error, Result};

fn is_copy_command(step: &Step) -> bool {
    matches!(
        step,
        Step::Restore { .. }
            | Step::Clear(_)
            | Step::CopyRows { .. }
            | Step::Send { route: Route::StagingOnly | Route::Pinned, .. }
            | Step::Receive { route: Route::StagingOnly, .. }
    )
}

/// Whether the host takes part in the copy.
pub(super) fn is_host_copy(step: &Step) -> bool {
    matches!(
        step,
        Step::Send { route: Route::Queue | Route::Staging | Route::Mapped, .. }
            | Step::Receive { route: Route::Queue | Route::Staging | Route::Mapped, .. }
    )
}

/// Checks that this backend supports all steps of a launch and of an end-to-end run. Fails with [`Error::Unsupported`]
/// and the first unsupported step.
pub(super) fn check(steps: &[Step], end_to_end: &[Step]) -> Result<()> {
    let runs_kernel = steps.iter().any(Step::is_timed);
    let in_launch = |step: &&Step| match step {
        Step::Dispatch(_) => true,
        step => is_copy_command(step) || (is_host_copy(step) && !runs_kernel),
    };
    let in_end_to_end = |step: &&Step| match step {
        Step::Dispatch(_) | Step::Upload(_) | Step::SumOnHost { .. } => true,
        step => is_copy_command(step),
    };
    let wrong = steps.iter().find(|step| !in_launch(step));
    wrong.or_else(|| end_to_end.iter().find(|step| !in_end_to_end(step))).map_or(Ok(()), |step| Err(unsupported(step)))
}

pub(super) fn unsupported(step: &Step) -> Error {
    step.unsupported("wgpu")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{PackedRows, Routine};

    #[test]
    fn a_step_that_is_not_run_is_an_error_with_its_name() {
        let dispatch = Step::bound([1; 3], Vec::new());
        let send = |route| Step::Send { from: 0, to: 1, route };
        let library = Step::Library { routine: Routine::Transpose { rows: 1, columns: 1 }, buffers: Vec::new() };
        let sum = Step::SumOnHost { buffer: 0, scalars: 1 };
        let pitched = Step::CopyPitched { from: 0, to: 1, rows: PackedRows { bytes: 4, height: 1, slices: 1 } };
        assert!(check(&[dispatch.clone(), Step::Clear(0)], &[Step::Upload(0), dispatch.clone(), sum.clone()]).is_ok());
        assert!(check(&[send(Route::Queue), send(Route::StagingOnly)], &[]).is_ok());
        for (steps, end_to_end, name) in [
            (vec![library.clone()], vec![], "Library"),
            (vec![pitched], vec![], "CopyPitched"),
            (vec![Step::Upload(0)], vec![], "Upload(0)"),
            (vec![sum], vec![], "SumOnHost"),
            (vec![dispatch.clone(), send(Route::Queue)], vec![], "Send"),
            (vec![Step::Receive { from: 0, to: 1, route: Route::Pinned }], vec![], "Receive"),
            (vec![dispatch], vec![send(Route::Mapped)], "route: Mapped"),
            (vec![], vec![library], "Library"),
        ] {
            let error = check(&steps, &end_to_end).expect_err("not run");
            assert!(matches!(error, Error::Unsupported(_)) && error.to_string().contains(name), "{error}");
        }
    }
}
