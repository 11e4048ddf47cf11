//! Kernel time measured by a clock that the kernel itself reads.

use crate::backend::Prepared;
use crate::job::{Contents, Job, POISON};
use record::Record;
use record::error::Result;
use record::stats::{self, round_to_seven_digits};

/// Samples for the median of the in-kernel time.
const CLOCK_SAMPLES: usize = 11;

/// Sets `in_kernel_ns` if the kernel writes clock values. Samples have as many launches as the timed ones; only the
/// last launch's values remain in the buffer.
pub(in crate::engine) async fn in_kernel(job: &Job, prepared: &mut dyn Prepared, record: &mut Record) -> Result<()> {
    let Some(index) = job.buffers.iter().position(|buffer| buffer.contents == Contents::Clock) else { return Ok(()) };
    let launches = record.launches.and_then(|launches| u32::try_from(launches).ok()).unwrap_or(1);
    let mut spans = Vec::new();
    for _ in 0..CLOCK_SAMPLES {
        prepared.poison().await?;
        prepared.sample(launches).await?;
        let mut bytes = Vec::new();
        prepared.read(index, job.buffers[index].bytes, &mut |_, piece| bytes.extend_from_slice(piece)).await?;
        match span(&bytes) {
            Ok(span) => spans.push(span as f64),
            Err(reason) => {
                record.mark_wrong(reason);
                return Ok(());
            }
        }
    }
    record.in_kernel_ns = stats::median(&spans).map(round_to_seven_digits);
    Ok(())
}

/// Latest end minus earliest start of the 64-bit pairs in `bytes`. An error if a time is missing or a pair reversed.
fn span(bytes: &[u8]) -> Result<u64, String> {
    let poison = u64::from(POISON) << 32 | u64::from(POISON);
    let times: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let (pairs, _) = times.as_chunks::<2>();
    let is_wrong = |[start, end]: &[u64; 2]| [*start, *end].contains(&poison) || end < start;
    if let Some(group) = pairs.iter().position(is_wrong) {
        let [start, end] = pairs[group];
        return Err(format!("workgroup {group} wrote no valid time: start {start}, end {end}"));
    }
    let earliest = pairs.iter().map(|[start, _]| *start).min().unwrap_or_default();
    let latest = pairs.iter().map(|[_, end]| *end).max().unwrap_or_default();
    Ok(latest - earliest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_from_the_earliest_start_to_the_latest_end() {
        let bytes = |times: &[u64]| times.iter().flat_map(|time| time.to_le_bytes()).collect::<Vec<_>>();
        assert_eq!(span(&bytes(&[1000, 1500, 960, 1200, 1100, 1700])), Ok(740));
        let poison = u64::from(POISON) << 32 | u64::from(POISON);
        for times in [[1000, 1500, 960, poison], [1000, 1500, poison, poison], [1000, 1500, 960, 900]] {
            let reason = span(&bytes(&times)).expect_err("the second is invalid");
            assert!(reason.starts_with("workgroup 1 wrote no valid time"), "{reason}");
        }
    }
}
