//! An open context and its staging memory.

use std::ops::Range;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use super::context::Context;
use super::memory::{Memory, Pinned};
use super::query;
use crate::error::Result;
use crate::job::JobBuffer;

/// Bytes of one copy between host and device.
const PIECE: usize = 32 << 20;

/// A context, and pinned staging memory for large buffers.
#[derive(Clone)]
pub(super) struct Gpu {
    pub(super) context: Rc<Context>,
    staging: Rc<RefCell<Pinned>>,
}

impl Gpu {
    pub(super) fn open(ordinal: i32, timeout: Duration) -> Result<Self> {
        let context = Context::open(query::device(ordinal)?, timeout)?;
        let staging = Rc::new(RefCell::new(Pinned::new(&context, PIECE)?));
        Ok(Self { context, staging })
    }

    /// Uploads the initial contents of `spec`, in pieces.
    pub(super) fn upload(&self, spec: &JobBuffer, memory: &Memory) -> Result<()> {
        let mut staging = self.staging.borrow_mut();
        for offset in (0..spec.bytes.min(memory.bytes())).step_by(PIECE) {
            let length = (spec.bytes - offset).min(PIECE as u64) as usize;
            spec.fill(offset, &mut staging.bytes_mut()?[..length]);
            // SAFETY: nothing changes the staging memory before `wait` has returned; after an error of `wait`,
            // `bytes_mut` fails, too.
            unsafe { memory.upload(offset, &staging.bytes()?[..length])? };
            self.context.wait()?;
        }
        Ok(())
    }

    /// Passes the first `bytes` of `memory` to `sink`, in pieces.
    pub(super) fn read(&self, memory: &Memory, range: Range<u64>, sink: &mut dyn FnMut(u64, &[u8])) -> Result<()> {
        let mut staging = self.staging.borrow_mut();
        for offset in range.clone().step_by(PIECE) {
            let length = (range.end - offset).min(PIECE as u64);
            // SAFETY: the staging memory is read after the copy was waited for.
            unsafe { memory.download(offset, &mut staging, length)? };
            self.context.wait()?;
            sink(offset, &staging.bytes()?[..length as usize]);
        }
        Ok(())
    }
}
