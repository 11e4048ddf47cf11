//! Adds the steps of a job to the stream.

use std::rc::Rc;

use super::{Bound, CudaJob, Received};
use crate::backend::cuda::event::Event;
use crate::backend::cuda::steps::unsupported;
use crate::job::{Route, Step};
use record::error::{Error, Result};

/// Most events of a submission, two around each run of timed steps.
const MAX_EVENTS: usize = 4096;

impl CudaJob {
    /// Copies `bytes` of `uploads` or `pinned` to the start of a buffer. The driver stages pageable memory, as with
    /// `cudaMemcpy`.
    fn upload(&self, bytes: &[u8], to: usize) -> Result<()> {
        // SAFETY: `copy_to_host` and `pin` write `uploads` and `pinned` once; nothing changes them afterwards.
        unsafe { self.buffers[to].upload(0, bytes) }
    }

    /// Adds a step to the stream, or to the second stream if it runs beside the previous step.
    pub(super) fn issue(&mut self, index: usize, is_end_to_end: bool) -> Result<()> {
        let is_beside =
            |index: usize| !is_end_to_end && matches!(self.steps.get(index), Some(Bound { step: Step::Beside, .. }));
        let (is_first, is_second) = (is_beside(index + 1), index > 0 && is_beside(index - 1));
        if is_beside(index) {
            return Ok(());
        }
        if is_first {
            self.gpu.context.fork()?;
            self.starts[0].record()?;
        }
        if is_second {
            self.gpu.context.beside();
            self.starts[1].record()?;
        }
        let issued = self.issue_alone(index, is_end_to_end);
        if is_second { issued.and(self.gpu.context.join()) } else { issued }
    }

    fn issue_alone(&mut self, index: usize, is_end_to_end: bool) -> Result<()> {
        let bound = if is_end_to_end { &self.end_to_end[index] } else { &self.steps[index] };
        let step = &bound.step;
        match step {
            Step::Dispatch(own) => match (&self.module, &bound.arguments) {
                // SAFETY: `new` checked the arguments with `Arguments::check` against the parameters of this module,
                // and `self` owns them and their memory. Dropping `self` destroys the graphs first and frees the memory
                // through the driver, which waits for the launch.
                (Some(module), Some(arguments)) => unsafe {
                    module.launch(
                        own.entry,
                        own.groups,
                        self.blocks[own.entry],
                        self.dynamic_bytes,
                        arguments.pointers(),
                    )
                },
                _ => Err(unsupported(step)),
            },
            Step::Library { .. } => bound.call.as_ref().map_or_else(|| Err(unsupported(step)), |call| call()),
            Step::Restore { from, to } => {
                let (from, to) = (&self.buffers[*from], &self.buffers[*to]);
                if Rc::ptr_eq(from.context(), to.context()) {
                    to.copy_from(from)
                } else {
                    to.copy_across(from, &self.gpu.context)
                }
            }
            Step::Clear(buffer) => self.buffers[*buffer].fill(0),
            Step::Upload(from) if is_end_to_end => match self.uploads.get(from) {
                Some(bytes) => self.upload(bytes, *from),
                None => Err(unsupported(step)),
            },
            Step::Send { from, to, route: Route::Queue } => match self.uploads.get(from) {
                Some(bytes) => self.upload(bytes, *to),
                None => Err(unsupported(step)),
            },
            Step::Send { from, to, route: Route::Staging | Route::Pinned } => match self.pinned.get(from) {
                Some(pinned) => self.upload(pinned.bytes()?, *to),
                None => Err(unsupported(step)),
            },
            Step::CopyRows { from, to } => match (self.arrays.get(from), self.arrays.get(to)) {
                (None, Some(array)) => array.copy_from(&self.buffers[*from], self.pitch(*to)),
                (Some(array), None) => array.copy_to(&self.buffers[*to], self.pitch(*from)),
                _ => Err(Error::Validation("rows can only be copied between a buffer and a texture".to_owned())),
            },
            Step::CopyPitched { from, to, .. } => match &bound.pitched {
                Some(pitched) => {
                    pitched.copy_from(&self.buffers[*from])?;
                    pitched.copy_to(&self.buffers[*to])
                }
                None => Err(unsupported(step)),
            },
            Step::Receive { from, to, .. } => {
                let (bytes, from) = (self.specs[*from].bytes, &self.buffers[*from]);
                match self.received.get_mut(to) {
                    // SAFETY: `timed`, `timed_end_to_end` and `poisoned` wait for the stream before they return, and
                    // nothing else accesses `received` in between.
                    Some(Received::Pinned(pinned)) => unsafe { from.download(0, pinned, 0, bytes) },
                    Some(Received::Pageable(memory)) => from.download_pageable(memory),
                    None => Err(unsupported(step)),
                }
            }
            Step::Upload(_) | Step::Send { .. } | Step::SumOnHost { .. } | Step::Beside => Err(unsupported(step)),
        }
    }

    /// Time between the starts of the last two simultaneous copies, and the time of such a pair, in nanoseconds.
    pub(super) fn skew(&self, launches: u32, device_ns: f64) -> Result<(f64, f64)> {
        let [first, second] = &self.starts[..] else { return Ok((0.0, device_ns)) };
        let pairs = self.steps.iter().filter(|bound| bound.step == Step::Beside).count();
        let each_ns = device_ns / (f64::from(launches) * pairs as f64);
        Ok((first.ns_until(second)?, each_ns))
    }

    /// Bytes between the starts of rows in a buffer that is copied to or from a texture.
    fn pitch(&self, texture: usize) -> usize {
        self.specs[texture].texture().map_or(0, |texture| texture.pitch() as usize)
    }

    /// Adds all launches to the stream, with two events around each run of timed steps. Returns the number of events.
    pub(in crate::backend::cuda) fn submit(&mut self, launches: u32) -> Result<usize> {
        let (mut stamped, mut is_running) = (0, false);
        for _ in 0..launches {
            for index in 0..self.steps.len() {
                let is_timed = !self.runs_kernel || self.steps[index].step.is_timed();
                if is_timed != is_running && !self.is_host_timed {
                    self.stamp(stamped)?;
                    stamped += 1;
                    is_running = is_timed;
                }
                self.issue(index, false)?;
            }
        }
        if is_running {
            self.stamp(stamped)?;
            stamped += 1;
        }
        Ok(stamped)
    }

    fn stamp(&mut self, index: usize) -> Result<()> {
        if index >= MAX_EVENTS {
            return Err(Error::Validation(format!("a submission has more than {MAX_EVENTS} timestamps")));
        }
        while self.events.len() <= index {
            self.events.push(Event::new(&self.gpu.context)?);
        }
        self.events[index].record()
    }

    /// Sum of the intervals between pairs of the first `stamped` events, in nanoseconds.
    pub(super) fn device_ns(&self, stamped: usize) -> Result<f64> {
        self.events[..stamped].chunks_exact(2).map(|pair| pair[0].ns_until(&pair[1])).sum()
    }
}
