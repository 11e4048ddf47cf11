//! Device memory, pinned host memory, and copies between them.

use std::ops::Range;
use std::ptr;
use std::rc::Rc;

use cudarc::driver::sys;

use super::context::Context;
use crate::backend::ALIGNMENT;
use record::error::{Error, Result};

/// Memory that kernels access: on the device, or pinned on the host.
pub(super) struct Memory {
    context: Rc<Context>,
    /// The driver's address. The first guard zone begins less than [`ALIGNMENT`] bytes behind it.
    allocation: u64,
    address: u64,
    bytes: u64,
    /// Bytes of each of the two guard zones, before and behind the memory.
    guard: u64,
    /// The host memory, if it is not on the device.
    host: Option<Pinned>,
}

impl Memory {
    /// Allocates `bytes`, a multiple of 4, in `context`, which must be current. The contents are undefined.
    pub(super) fn new(context: &Rc<Context>, bytes: u64) -> Result<Self> {
        Self::guarded(context, bytes, 0)
    }

    /// Allocates `bytes` between two guard zones of `guard` bytes, both multiples of 4. Kernels and copies use the
    /// bytes in between, which begin at a multiple of [`ALIGNMENT`]. The contents are undefined.
    pub(super) fn guarded(context: &Rc<Context>, bytes: u64, guard: u64) -> Result<Self> {
        let mut allocation = 0;
        let all = bytes.saturating_add(guard.saturating_mul(2)).saturating_add(ALIGNMENT);
        // SAFETY: `allocation` is a valid place for the pointer.
        let status = unsafe { sys::cuMemAlloc_v2(&raw mut allocation, all as usize) };
        context.check(&format!("allocating {} MiB", all.div_ceil(1 << 20)), status)?;
        let address = (allocation + guard).next_multiple_of(ALIGNMENT);
        Ok(Self { context: Rc::clone(context), allocation, address, bytes, guard, host: None })
    }

    pub(super) fn on_host(pinned: Pinned) -> Result<Self> {
        let mut address = 0;
        // SAFETY: the memory came from `cuMemHostAlloc` and is freed only with `pinned`; `address` is a valid place.
        let status = unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut address, pinned.start.cast(), 0) };
        pinned.context.check("finding the device address of host memory", status)?;
        Ok(Self {
            context: Rc::clone(&pinned.context),
            allocation: address,
            address,
            bytes: pinned.bytes as u64,
            guard: 0,
            host: Some(pinned),
        })
    }

    pub(super) const fn address(&self) -> u64 {
        self.address
    }

    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn fill(&self, word: u32) -> Result<()> {
        self.fill_words(0..self.bytes / 4, word)
    }

    /// Fills these words, as far as the memory has them, with copies of `word`.
    pub(super) fn fill_words(&self, words: Range<u64>, word: u32) -> Result<()> {
        let end = words.end.min(self.bytes / 4);
        let start = words.start.min(end);
        if start == end {
            return Ok(());
        }
        let (address, count) = (self.address + 4 * start, (end - start) as usize);
        // SAFETY: the memory has these words, and the driver frees it only after previous work in the stream.
        self.context.issue("filling memory", |stream| unsafe { sys::cuMemsetD32Async(address, word, count, stream) })
    }

    pub(super) fn fill_guards(&self, word: u32) -> Result<()> {
        let words = self.guard as usize / 4;
        if words == 0 {
            return Ok(());
        }
        for start in [self.address - self.guard, self.address + self.bytes] {
            // SAFETY: `guarded` allocated both zones, and the driver frees them only after previous work.
            let fill = |stream| unsafe { sys::cuMemsetD32Async(start, word, words, stream) };
            self.context.issue("filling memory", fill)?;
        }
        Ok(())
    }

    /// The contents of the guard zones, before and behind the memory.
    pub(super) fn guards(&self) -> Result<[Vec<u8>; 2]> {
        let mut zones = [Vec::new(), Vec::new()];
        for (zone, start) in zones.iter_mut().zip([self.address - self.guard, self.address + self.bytes]) {
            zone.resize(self.guard as usize, 0);
            if zone.is_empty() {
                continue;
            }
            // SAFETY: `guarded` allocated the zone. As a `Vec` is pageable, the driver returns after the copy.
            self.context.issue("copying from the device", |stream| unsafe {
                sys::cuMemcpyDtoHAsync_v2(zone.as_mut_ptr().cast(), start, zone.len(), stream)
            })?;
        }
        self.context.wait()?;
        Ok(zones)
    }

    pub(super) const fn context(&self) -> &Rc<Context> {
        &self.context
    }

    /// Like [`Memory::copy_from`], but possibly between two cards, as work of `context`, which must be current.
    pub(super) fn copy_across(&self, from: &Self, context: &Context) -> Result<()> {
        let bytes = from.bytes.min(self.bytes) as usize;
        let (to_context, from_context) = (self.context.raw(), from.context.raw());
        // SAFETY: both have that many bytes, in contexts that outlive them. The caller waits before freeing either.
        context.issue("copying between cards", |stream| unsafe {
            sys::cuMemcpyPeerAsync(self.address, to_context, from.address, from_context, bytes, stream)
        })
    }

    /// Copies the start of `from` over the start of this memory, up to the shorter length.
    pub(super) fn copy_from(&self, from: &Self) -> Result<()> {
        let bytes = from.bytes.min(self.bytes) as usize;
        // SAFETY: both have at least that many bytes, and the driver frees them only after previous work in the stream.
        self.context.issue("copying memory", |stream| unsafe {
            sys::cuMemcpyDtoDAsync_v2(self.address, from.address, bytes, stream)
        })
    }

    /// Copies `bytes` into this memory, starting at `offset`.
    ///
    /// # Safety
    /// As for [`upload_to`].
    pub(super) unsafe fn upload(&self, offset: u64, bytes: &[u8]) -> Result<()> {
        if offset.saturating_add(bytes.len() as u64) > self.bytes {
            return Err(Error::Validation("a copy to the device is larger than its destination buffer".to_owned()));
        }
        // SAFETY: the length was checked; the caller guarantees the rest.
        unsafe { upload_to(&self.context, bytes, self.address + offset) }
    }

    /// Copies `bytes` of this memory, starting at `offset`, into pinned memory, starting at `at`.
    ///
    /// # Safety
    /// No code accesses `to` before the next [`Context::wait`] has returned without an error.
    pub(super) unsafe fn download(&self, offset: u64, to: &mut Pinned, at: u64, bytes: u64) -> Result<()> {
        if offset.saturating_add(bytes) > self.bytes || at.saturating_add(bytes) > to.bytes as u64 {
            return Err(Error::Validation(
                "a copy to the host is larger than its source or destination buffer".to_owned(),
            ));
        }
        // SAFETY: both lengths were checked. The driver frees both only after previous work in the stream.
        self.context.issue("copying from the device", |stream| unsafe {
            sys::cuMemcpyDtoHAsync_v2(to.start.add(at as usize).cast(), self.address + offset, bytes as usize, stream)
        })
    }

    /// Copies the start of this memory into pageable memory.
    pub(super) fn download_pageable(&self, to: &mut Vec<u8>) -> Result<()> {
        if to.len() as u64 > self.bytes {
            return Err(Error::Validation("a copy to the host is larger than its source buffer".to_owned()));
        }
        // SAFETY: the length was checked. A `Vec` is pageable, so the driver returns only after the copy.
        self.context.issue("copying from the device", |stream| unsafe {
            sys::cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), self.address, to.len(), stream)
        })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.host.is_none() {
            // SAFETY: the memory, from `cuMemAlloc` in this context, is freed only here. The call waits for previous
            // work.
            self.context.free(|| unsafe { sys::cuMemFree_v2(self.allocation) });
        }
    }
}

/// Copies `bytes` to a device address.
///
/// # Safety
/// `context` has that many bytes of memory at `address`. Pinned `bytes` do not change before the next [`Context::wait`]
/// has returned without an error; pageable ones may, because the driver copies them before it returns.
pub(super) unsafe fn upload_to(context: &Context, bytes: &[u8], address: u64) -> Result<()> {
    // SAFETY: the caller guarantees the destination and that pinned memory stays unchanged. The driver frees `Pinned`
    // only after previous work in the stream.
    context.issue("copying to the device", |stream| unsafe {
        sys::cuMemcpyHtoDAsync_v2(address, bytes.as_ptr().cast(), bytes.len(), stream)
    })
}

/// Pinned host memory, which the device copies from and to without staging.
pub(super) struct Pinned {
    context: Rc<Context>,
    start: *mut u8,
    bytes: usize,
}

impl Pinned {
    /// Allocates `bytes` of zeros in `context`, which must be current.
    pub(super) fn new(context: &Rc<Context>, bytes: usize) -> Result<Self> {
        let mut start = ptr::null_mut();
        // SAFETY: `start` is a valid place for the pointer. The driver would refuse an empty allocation.
        let status = unsafe { sys::cuMemHostAlloc(&raw mut start, bytes.max(16), 0) };
        context.check(&format!("pinning {} MiB of host memory", bytes.div_ceil(1 << 20)), status)?;
        let start: *mut u8 = start.cast();
        // SAFETY: at least that many bytes were allocated, and no other code has the pointer yet.
        unsafe { start.write_bytes(0, bytes) };
        Ok(Self { context: Rc::clone(context), start, bytes })
    }

    /// Fails if the context no longer works: closing it frees the memory.
    pub(super) fn bytes(&self) -> Result<&[u8]> {
        self.context.check_open()?;
        // SAFETY: `new` initialised the memory, and only `drop` and `Context::close` free it. No backend closes its
        // context while a job runs. The caller of `Memory::download` waited for its copies into it.
        Ok(unsafe { std::slice::from_raw_parts(self.start, self.bytes) })
    }

    /// Fails like [`Pinned::bytes`].
    pub(super) fn bytes_mut(&mut self) -> Result<&mut [u8]> {
        self.context.check_open()?;
        // SAFETY: as in `bytes`, and `self` is borrowed mutably. The caller of `upload_to` waited for its copies.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) })
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: the memory, from `cuMemHostAlloc`, is freed only here. The call waits for previous work.
        self.context.free(|| unsafe { sys::cuMemFreeHost(self.start.cast()) });
    }
}
