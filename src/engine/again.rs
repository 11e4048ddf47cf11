//! What a run made of a case, made again: its kernel, and its shares of the run's ceilings.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use super::ceilings::Ceilings;
use crate::claim::is_software;
use crate::job::{Job, Language};
use crate::record::{Cause, Record, Status};
use crate::suite::{Case, Program};

/// The kernel of a case; `None` if the suite cannot make it. Each is read once: reports have the same cases.
#[must_use]
pub fn program(case: &Case) -> Option<Program> {
    static KNOWN: LazyLock<Mutex<HashMap<String, Option<Program>>>> = LazyLock::new(Mutex::default);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = case.to_string();
    if let Some(program) = known().get(&key) {
        return program.clone();
    }
    let program = Job::new(case).ok().map(|job| Program {
        wgsl_hash: job.kernel.hash(Language::Wgsl),
        cuda_hash: job.kernel.hash(Language::Cuda),
        workgroup_size: (!job.kernel.is_empty()).then_some(job.kernel.interface.workgroup_size),
    });
    known().insert(key, program.clone());
    program
}

/// The rows of one API with the ceilings and shares that follow from all of them.
#[must_use]
pub fn judged_again(rows: &[(Case, &Record)]) -> Vec<Record> {
    let counts = |row: &Record| row.status.is_timed() || row.status == Status::Implausible;
    let ceilings = Ceilings::from_rows(rows.iter().filter(|(_, row)| counts(row)).map(|(case, row)| (case, *row)));
    let judged = |(case, row): &(Case, &Record)| {
        let mut again = (*row).clone();
        if again.cause.is_some_and(Cause::is_by_ceiling) {
            (again.cause, again.reason) = (None, String::new());
        }
        if row.status.is_timed() {
            ceilings.judge(case, &mut again, is_software(row).then_some(0.0));
        }
        again
    };
    rows.iter().map(judged).collect()
}
