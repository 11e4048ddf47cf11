//! Finds stores outside a buffer, which no result shows.

use crate::backend::Prepared;
use crate::job::{Job, POISON};
use record::error::Result;

/// The first store that a launch left in the guard zone of one of the job's buffers; `None` if there is none.
pub(in crate::engine) async fn store_outside(prepared: &mut dyn Prepared, job: &Job) -> Result<Option<String>> {
    for (index, buffer) in job.buffers.iter().enumerate().filter(|(_, buffer)| buffer.guard > 0) {
        let [before, behind] = prepared.guards(index).await?;
        let is_touched = |zone: &[u8], at: usize| zone[at] != POISON.to_le_bytes()[at % 4];
        let end = (0..behind.len()).find(|at| is_touched(&behind, *at)).map(|at| (at, "after its end"));
        let start = (0..before.len()).rev().find(|at| is_touched(&before, *at));
        let start = start.map(|at| (before.len() - at, "before its start"));
        if let Some((distance, side)) = end.or(start) {
            let name = buffer.name;
            let hint = if job.hint.is_empty() { String::new() } else { format!(" ({})", job.hint) };
            return Ok(Some(format!("the kernel writes outside the buffer '{name}', {distance} bytes {side}{hint}")));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Sample, Task};
    use crate::engine::plan::{Request, plan};
    use record::suite::{Extent, Profile};

    /// A device whose launches leave these guard zones around every buffer.
    struct Zones([Vec<u8>; 2]);

    impl Prepared for Zones {
        fn sample(&mut self, _: u32) -> Task<'_, Sample> {
            Box::pin(async { Ok(Sample { device_ns: None, wall_ns: 1.0 }) })
        }
        fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
            Box::pin(async { Ok((0.0, None)) })
        }
        fn poison(&mut self) -> Task<'_, ()> {
            Box::pin(async { Ok(()) })
        }
        fn guards(&mut self, _: usize) -> Task<'_, [Vec<u8>; 2]> {
            Box::pin(async { Ok(self.0.clone()) })
        }
        fn read<'a>(&'a mut self, _: usize, _: u64, _: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
            Box::pin(async { Ok(()) })
        }
    }

    fn job() -> Job {
        let sizes = vec![Extent::Matrix(64, 96)];
        let request = Request { sizes, ..Request::new(vec!["transpose/tiled".to_owned()], Profile::Quick) };
        let cases = plan(&request).expect("a plan");
        let mut job =
            Job::new(cases.iter().find(|case| case.name() == "transpose/tiled").expect("planned")).expect("valid");
        job.guard(u64::MAX);
        job
    }

    fn found(before: &[u8], behind: &[u8]) -> Option<String> {
        let mut zones = Zones([before.to_vec(), behind.to_vec()]);
        pollster::block_on(store_outside(&mut zones, &job())).expect("nothing fails")
    }

    #[test]
    fn a_touched_guard_zone_is_told_with_its_distance() {
        let clean = POISON.to_le_bytes().repeat(4);
        assert_eq!(found(&clean, &clean), None);
        assert_eq!(found(&[], &[]), None);
        let changes = |at: usize| {
            let mut zone = clean.clone();
            zone[at] ^= 1;
            zone
        };
        let text = |distance: &str| Some(format!("the kernel writes outside the buffer 'output', {distance}"));
        assert_eq!(found(&clean, &changes(0)), text("0 bytes after its end"));
        assert_eq!(found(&clean, &changes(8)), text("8 bytes after its end"));
        assert_eq!(found(&changes(12), &clean), text("4 bytes before its start"));
        assert_eq!(found(&changes(0), &changes(15)), text("15 bytes after its end"));
    }

    #[test]
    fn only_buffers_that_the_kernel_writes_have_zones_and_only_where_they_fit() {
        let guarded = |job: &Job| -> Vec<&str> {
            job.buffers.iter().filter(|buffer| buffer.guard > 0).map(|buffer| buffer.name).collect()
        };
        let mut job = job();
        assert_eq!(guarded(&job), ["output"]);
        job.buffers.iter_mut().for_each(|buffer| buffer.guard = 0);
        job.guard(64 * 96 * 4 + 100);
        assert!(guarded(&job).is_empty(), "a zone would exceed the device's largest buffer");
    }
}
