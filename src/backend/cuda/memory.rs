//! Memory of the device and of the host, which frees itself.

use std::ptr;
use std::rc::Rc;

use cudarc::driver::sys;

use super::driver::{Context, free};
use crate::error::Result;

/// Memory that kernels reach: the device's, or pinned memory of the host.
pub(super) struct Memory {
    context: Rc<Context>,
    pub(super) address: u64,
    pub(super) bytes: u64,
    /// Where it lies, if not on the device; freed with it.
    host: Option<Pinned>,
}

impl Memory {
    /// Allocates `bytes`, a multiple of 4; their contents are whatever was there.
    pub(super) fn new(context: &Rc<Context>, bytes: u64) -> Result<Self> {
        let mut address = 0;
        // SAFETY: the context is this thread's own, and `address` is a place for the pointer. No allocation is empty.
        let status = unsafe { sys::cuMemAlloc_v2(&raw mut address, bytes.max(16) as usize) };
        context.judge(&format!("allocating {} MiB", bytes.div_ceil(1 << 20)), status)?;
        Ok(Self { context: Rc::clone(context), address, bytes, host: None })
    }

    /// The host's own memory as kernels address it.
    pub(super) fn on_host(pinned: Pinned) -> Result<Self> {
        let mut address = 0;
        // SAFETY: the context is this thread's own, the memory came from `cuMemHostAlloc` in it, and `address` is a place for the pointer.
        let status = unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut address, pinned.start.cast(), 0) };
        pinned.context.judge("finding the device's address of the host's memory", status)?;
        Ok(Self { context: Rc::clone(&pinned.context), address, bytes: pinned.bytes as u64, host: Some(pinned) })
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.host.is_none() {
            // SAFETY: the memory came from `cuMemAlloc` in this context; the call waits for what still uses it.
            free(&self.context, || unsafe { sys::cuMemFree_v2(self.address) });
        }
    }
}

/// Pinned memory of the host, which the device copies from and to without a detour.
pub(super) struct Pinned {
    context: Rc<Context>,
    start: *mut u8,
    bytes: usize,
}

impl Pinned {
    /// Allocates `bytes` of zeros.
    pub(super) fn new(context: &Rc<Context>, bytes: usize) -> Result<Self> {
        let mut start = ptr::null_mut();
        // SAFETY: the context is this thread's own, and `start` is a place for the pointer. No allocation is empty.
        let status = unsafe { sys::cuMemHostAlloc(&raw mut start, bytes.max(16), 0) };
        context.judge(&format!("pinning {} MiB of the host's memory", bytes.div_ceil(1 << 20)), status)?;
        let start: *mut u8 = start.cast();
        // SAFETY: that many bytes were allocated, and nobody else knows of them yet.
        unsafe { start.write_bytes(0, bytes) };
        Ok(Self { context: Rc::clone(context), start, bytes })
    }

    /// The bytes. No copy to them may be under way.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: allocated and initialised by `new`, borrowed as `self` is; users wait for copies before they look.
        unsafe { std::slice::from_raw_parts(self.start, self.bytes) }
    }

    /// The bytes, to write. No copy from or to them may be under way.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, and `self` is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.bytes) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // SAFETY: the memory came from `cuMemHostAlloc` in this context; the call waits for what still uses it.
        free(&self.context, || unsafe { sys::cuMemFreeHost(self.start.cast()) });
    }
}
