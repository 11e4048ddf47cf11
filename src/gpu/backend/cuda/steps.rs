//! The steps that this backend supports.

use crate::job::{Dispatch, Route, Step};
use record::error::{Error, Result};

/// Checks that this backend supports all steps of a launch and of an end-to-end run. Fails with [`Error::Unsupported`]
/// and the first unsupported step.
pub(super) fn check(steps: &[Step], end_to_end: &[Step]) -> Result<()> {
    let in_both = |step: &Step| {
        matches!(
            step,
            Step::Dispatch(Dispatch { indirect: None, .. })
                | Step::Library { .. }
                | Step::Restore { .. }
                | Step::Clear(_)
                | Step::CopyRows { .. }
        )
    };
    let in_launch = |step: &&Step| match step {
        Step::CopyPitched { .. } | Step::Beside => true,
        Step::Send { route, .. } => matches!(route, Route::Queue | Route::Staging | Route::Pinned),
        Step::Receive { route, .. } => matches!(route, Route::Queue | Route::Staging | Route::StagingOnly),
        step => in_both(step),
    };
    let in_end_to_end = |step: &&Step| match step {
        Step::Upload(_) | Step::SumOnHost { .. } => true,
        step => in_both(step),
    };
    let wrong = steps.iter().find(|step| !in_launch(step));
    let is_indirect = |step: &Step| matches!(step, Step::Dispatch(Dispatch { indirect: Some(_), .. }));
    if wrong.is_some_and(is_indirect) {
        return Err(Error::Unsupported("CUDA cannot read a launch's block count from device memory".to_owned()));
    }
    wrong.or_else(|| end_to_end.iter().find(|step| !in_end_to_end(step))).map_or(Ok(()), |step| Err(unsupported(step)))
}

/// Whether launches of these steps can be nodes of a graph between two timestamps: only kernels, or only copies and
/// fills on the device. Host steps cannot, and a library may make calls that no graph can hold.
pub(super) fn fit_in_a_graph(steps: &[Step]) -> bool {
    let are_kernels = steps.iter().all(|step| matches!(step, Step::Dispatch(_)));
    let are_copies = steps.iter().all(|step| matches!(step, Step::Restore { .. } | Step::Clear(_)));
    !steps.is_empty() && (are_kernels || are_copies)
}

pub(super) fn unsupported(step: &Step) -> Error {
    step.unsupported("CUDA")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{PackedRows, Routine};

    const COPY_PITCHED: Step =
        Step::CopyPitched { from: 0, to: 1, rows: PackedRows { bytes: 4, height: 1, slices: 1 } };

    #[test]
    fn kernels_alone_and_copies_on_the_device_alone_fit_in_a_graph() {
        let dispatch = || Step::bound([1; 3], Vec::new());
        let send = |route| Step::Send { from: 0, to: 1, route };
        let library = Step::Library { routine: Routine::Transpose { rows: 1, columns: 1 }, buffers: vec![0, 1] };
        assert!(fit_in_a_graph(&[dispatch(), dispatch()]));
        assert!(fit_in_a_graph(&[Step::Clear(0), Step::Restore { from: 0, to: 1 }]));
        for steps in [
            vec![],
            vec![dispatch(), Step::Clear(0)],
            vec![Step::Restore { from: 0, to: 1 }, dispatch()],
            vec![library],
            vec![send(Route::Pinned)],
            vec![send(Route::Queue)],
            vec![Step::Receive { from: 0, to: 1, route: Route::StagingOnly }],
            vec![Step::CopyRows { from: 0, to: 1 }],
            vec![COPY_PITCHED],
            vec![Step::Restore { from: 0, to: 1 }, Step::Beside, Step::Restore { from: 1, to: 0 }],
        ] {
            assert!(!fit_in_a_graph(&steps), "{steps:?}");
        }
    }

    #[test]
    fn a_step_that_is_not_run_is_an_error_with_its_name() {
        let send = |route| Step::Send { from: 0, to: 1, route };
        let receive = |route| Step::Receive { from: 0, to: 1, route };
        let dispatch = Step::bound([1; 3], Vec::new());
        let sum = Step::SumOnHost { buffer: 0, scalars: 1 };
        assert!(check(&[dispatch.clone(), Step::Clear(0)], &[Step::Upload(0), dispatch, sum.clone()]).is_ok());
        assert!(check(&[COPY_PITCHED], &[]).is_ok());
        assert!(check(&[send(Route::Pinned), Step::Beside, receive(Route::StagingOnly)], &[]).is_ok());
        for (steps, end_to_end, name) in [
            (vec![send(Route::StagingOnly)], vec![], "route: StagingOnly"),
            (vec![send(Route::Mapped)], vec![], "route: Mapped"),
            (vec![receive(Route::Pinned)], vec![], "Receive"),
            (vec![Step::Upload(0)], vec![], "Upload(0)"),
            (vec![sum], vec![], "SumOnHost"),
            (vec![], vec![send(Route::Queue)], "Send"),
            (vec![], vec![COPY_PITCHED], "CopyPitched"),
            (vec![], vec![Step::Beside], "Beside"),
        ] {
            let error = check(&steps, &end_to_end).expect_err("not run");
            assert!(matches!(error, Error::Unsupported(_)) && error.to_string().contains(name), "{error}");
        }
    }
}
