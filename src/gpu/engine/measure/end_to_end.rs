//! Times of jobs with their copies from and to the host.

use std::time::Duration;

use crate::backend::Prepared;
use crate::job::{Job, Step};
use record::Record;
use record::error::Result;
use record::stats::{self, round_to_seven_digits};
use record::suite::Dtype;

/// Times the end-to-end steps unless they upload over `most_bytes`, verifies the host's sum, returns the time spent.
pub(in crate::engine) async fn end_to_end(
    job: &Job,
    budget_ns: f64,
    most_bytes: u64,
    prepared: &mut dyn Prepared,
    record: &mut Record,
) -> Result<Duration> {
    let uploaded = job.end_to_end.iter().filter_map(Step::uploaded).map(|index| job.buffers[index].bytes);
    if job.end_to_end.is_empty() || uploaded.sum::<u64>() > most_bytes {
        return Ok(Duration::ZERO);
    }
    let (mut samples, mut spent, mut want) = (Vec::new(), 0.0, None);
    while samples.len() < 2 || (samples.len() < 20 && spent < budget_ns / 4.0) {
        let (wall_ns, sum) = prepared.end_to_end().await?;
        if let Some(got) = sum {
            // The kernel's u32 sums wrap; the host's exact sum does not.
            let wrapped = |sum: f64| if record.dtype == Some(Dtype::U32) { sum % 4_294_967_296.0 } else { sum };
            let want = *want.get_or_insert_with(|| wrapped(job.check.sum()));
            if wrapped(got) != want {
                record.mark_wrong(format!("end-to-end sum is {}, must be {want}", wrapped(got)));
                return Ok(Duration::ZERO);
            }
        }
        samples.push(wall_ns);
        spent += wall_ns;
    }
    // The first sample is warm-up.
    record.end_to_end_ns = stats::median(&samples[1..]).map(round_to_seven_digits);
    Ok(Duration::from_nanos(spent as u64))
}
