//! The kernel of a case, as reports name it.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::job::{Job, Language};
use record::suite::{Case, Program};

/// The kernel of a case; `None` if the suite cannot make it. Each is read once: reports have the same cases.
#[must_use]
pub fn program(case: &Case) -> Option<Program> {
    static KNOWN: LazyLock<Mutex<HashMap<String, Option<Program>>>> = LazyLock::new(Mutex::default);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let key = case.to_string();
    if let Some(program) = known().get(&key) {
        return program.clone();
    }
    let program = Job::new(case)
        .ok()
        .map(|job| Program { wgsl_hash: job.kernel.hash(Language::Wgsl), cuda_hash: job.kernel.hash(Language::Cuda) });
    known().insert(key, program.clone());
    program
}
