//! A job in several places of the device's memory.
//!
//! Where its buffers lie is chance: on an H200 it moves what launches of some microseconds take by 1 to 2 %, the same all through a run and
//! otherwise in the next one. So a small job is prepared several times, and samples take turns.

use super::put_away;
use crate::backend::{Backend, Prepared, Sample, Task};
use crate::error::{Error, Result};
use crate::job::Job;

/// Bytes of buffers up to which a job is small: what takes longer than placement matters, and what is cheap to prepare again.
const SMALL: u64 = 64 << 20;

/// Copies of a prepared job. A sample is one copy's; what is read afterwards is what that copy wrote.
pub(super) struct Placements {
    copies: Vec<Box<dyn Prepared>>,
    /// The copy that took the last sample.
    last: usize,
}

impl Placements {
    /// Prepares a small job in `wanted` places, fewer where memory is short, and any other in one.
    ///
    /// # Errors
    /// What preparing gives.
    pub(super) async fn prepare(backend: &mut dyn Backend, job: &Job, wanted: usize) -> Result<Self> {
        let mut placed = Self { copies: vec![backend.prepare(job).await?], last: 0 };
        let bytes: u64 = job.buffers.iter().map(|buffer| buffer.bytes).sum();
        let wanted = if bytes <= SMALL && job.runs_kernel() { wanted } else { 1 };
        while placed.copies.len() < wanted {
            // An input that is kept for the next job would lie where it lay.
            backend.release();
            match backend.prepare(job).await {
                Ok(copy) => placed.copies.push(copy),
                Err(Error::OutOfMemory(_)) => break,
                Err(error) => return put_away(placed, Err(error)),
            }
        }
        Ok(placed)
    }

    fn next(&self) -> usize {
        (self.last + 1) % self.copies.len()
    }
}

impl Prepared for Placements {
    fn sample(&mut self, launches: u32) -> Task<'_, Sample> {
        self.last = self.next();
        self.copies[self.last].sample(launches)
    }

    fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
        self.copies[self.last].end_to_end()
    }

    fn poison(&mut self) -> Task<'_, ()> {
        let next = self.next();
        self.copies[next].poison()
    }

    fn read<'a>(&'a mut self, buffer: usize, bytes: u64, sink: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
        self.copies[self.last].read(buffer, bytes, sink)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;

    /// Notes what it is asked for.
    struct Copy(usize, Rc<RefCell<Vec<String>>>);

    impl Copy {
        fn note(&self, what: &str) {
            self.1.borrow_mut().push(format!("{what} {}", self.0));
        }
    }

    impl Prepared for Copy {
        fn sample(&mut self, _: u32) -> Task<'_, Sample> {
            self.note("sample");
            Box::pin(async { Ok(Sample { device_ns: None, wall_ns: 1.0 }) })
        }
        fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
            Box::pin(async { Ok((1.0, None)) })
        }
        fn poison(&mut self) -> Task<'_, ()> {
            self.note("poison");
            Box::pin(async { Ok(()) })
        }
        fn read<'a>(&'a mut self, _: usize, _: u64, _: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
            self.note("read");
            Box::pin(async { Ok(()) })
        }
    }

    #[test]
    fn copies_take_turns_and_the_one_that_was_poisoned_is_the_one_that_is_read() {
        let said = Rc::default();
        let copies = (0..3).map(|place| Box::new(Copy(place, Rc::clone(&said))) as Box<dyn Prepared>).collect();
        let mut placed = Placements { copies, last: 0 };
        pollster::block_on(async {
            for _ in 0..4 {
                placed.sample(1).await.expect("nothing fails");
            }
            placed.poison().await.expect("nothing fails");
            placed.sample(1).await.expect("nothing fails");
            placed.read(0, 4, &mut |_, _| ()).await.expect("nothing fails");
        });
        let turns = ["sample 1", "sample 2", "sample 0", "sample 1", "poison 2", "sample 2", "read 2"];
        assert_eq!(*said.borrow(), turns);
    }
}
