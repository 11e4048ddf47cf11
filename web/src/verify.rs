//! Verifies kernels by one launch each, without times, so that tests in a browser can run them all.

use gpu::backend::Backend;
use gpu::engine::checks::output::verify;
use gpu::job::Job;
use record::Status;
use record::error::Result;
use record::suite::{Case, Extent};
use serde_json::{Value, json};

/// Maximum elements of a ceiling.
const MOST: u64 = 1 << 16;

/// Drops what only timing needs: large ceilings, and rounds that repeat the same accesses.
pub(crate) fn shorten(cases: &mut [Case]) {
    for Case { family, benchmark, shape, .. } in cases {
        if benchmark.sets_ceiling && shape.count() > MOST {
            shape.extent = Extent::Linear(MOST);
        }
        if family.name == "bank_conflict" {
            shape.params.insert("ROUNDS".to_owned(), 64.0);
        }
    }
}

pub(crate) async fn rows(backend: &mut dyn Backend, cases: &[Case]) -> Value {
    let mut rows = Vec::new();
    for case in cases {
        rows.push(row(backend, case).await);
    }
    Value::from(rows)
}

async fn row(backend: &mut dyn Backend, case: &Case) -> Value {
    let (status, reason) = match fault(backend, case).await {
        Ok(None) => (Status::Ok, String::new()),
        Ok(Some(fault)) => (Status::Wrong, fault),
        Err(error) if error.is_skip() => (Status::Skipped, error.to_string()),
        Err(error) => (Status::Failed, error.chain()),
    };
    let (family, benchmark, label) = (case.family.name, case.benchmark.name, case.to_string());
    json!({ "family": family, "benchmark": benchmark, "case": label, "status": status.name(), "reason": reason })
}

/// The fault in the result of a launch into poisoned outputs.
async fn fault(backend: &mut dyn Backend, case: &Case) -> Result<Option<String>> {
    let job = Job::new(case)?;
    backend.device().check(&job)?;
    let mut prepared = backend.prepare(&job).await?;
    prepared.poison().await?;
    prepared.sample(1).await?;
    // Selects the vectors of Freivalds' check, which the suite's own kernels do not read.
    let mismatch = verify(prepared.as_mut(), &job, 7).await?;
    Ok(mismatch.map(|mismatch| mismatch.to_string()))
}
