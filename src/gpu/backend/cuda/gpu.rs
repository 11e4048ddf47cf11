//! An open context and its staging memory.

use std::ops::Range;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use super::context::Context;
use super::memory::{Memory, Pinned};
use super::query;
use crate::job::JobBuffer;
use record::error::Result;

/// Bytes copied at once between host and device.
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
            // SAFETY: nothing changes the staging memory before `wait` returns; if `wait` fails, so does `bytes_mut`.
            unsafe { memory.upload(offset, &staging.bytes()?[..length])? };
            self.context.wait()?;
        }
        Ok(())
    }

    /// Passes the bytes of `memory` in `ranges` to `sink`, in pieces. The host waits once for all copies that fit in
    /// the staging memory, because waiting takes longer than a small copy.
    pub(super) fn read(&self, memory: &Memory, ranges: &[Range<u64>], sink: &mut dyn FnMut(u64, &[u8])) -> Result<()> {
        let mut staging = self.staging.borrow_mut();
        let pieces: Vec<(u64, u64)> = ranges
            .iter()
            .flat_map(|range| {
                range.clone().step_by(PIECE).map(|offset| (offset, (range.end - offset).min(PIECE as u64)))
            })
            .collect();
        let mut rest = &pieces[..];
        while !rest.is_empty() {
            let mut used = 0;
            let fits = |(_, length): &&(u64, u64)| {
                used += length;
                used <= PIECE as u64
            };
            let (now, later) = rest.split_at(rest.iter().take_while(fits).count());
            let mut at = 0;
            for (offset, length) in now {
                // SAFETY: the staging memory is read only after waiting for the copies.
                unsafe { memory.download(*offset, &mut staging, at, *length)? };
                at += length;
            }
            self.context.wait()?;
            let mut bytes = staging.bytes()?;
            for (offset, length) in now {
                let (own, behind) = bytes.split_at(*length as usize);
                sink(*offset, own);
                bytes = behind;
            }
            rest = later;
        }
        Ok(())
    }
}
