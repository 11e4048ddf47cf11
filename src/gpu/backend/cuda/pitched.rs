//! Memory whose row pitch the driver chooses, and copies of its rows and slices.

use std::rc::Rc;

use cudarc::driver::sys;

use super::context::Context;
use super::memory::Memory;
use crate::job::PackedRows;
use record::error::{Error, Result};

/// Memory with a row pitch chosen by the driver, as from `cudaMallocPitch` and `cudaMalloc3D`. Slices are not padded.
pub(super) struct Pitched {
    context: Rc<Context>,
    start: u64,
    pitch: usize,
    rows: Counts,
}

/// Bytes per row, rows per slice, and slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counts {
    row: usize,
    height: usize,
    slices: usize,
    all: usize,
    packed: u64,
}

impl Counts {
    /// `None` for no rows, for rows that are not whole words, and for more than the address space holds.
    fn of(rows: PackedRows) -> Option<Self> {
        let all = rows.height.checked_mul(rows.slices)?;
        let packed = all.checked_mul(rows.bytes)?;
        let is_whole = rows.bytes.is_multiple_of(WORD as u64) && packed > 0;
        let size = |count: u64| usize::try_from(count).ok().filter(|_| is_whole);
        Some(Self {
            row: size(rows.bytes)?,
            height: size(rows.height)?,
            slices: size(rows.slices)?,
            all: size(all)?,
            packed,
        })
    }
}

/// Bytes of a row's elements.
const WORD: usize = 4;

/// One side of a copy: its address, and the bytes between the starts of rows.
#[derive(Clone, Copy)]
struct Side {
    start: u64,
    pitch: usize,
}

impl Pitched {
    /// Allocates memory for `rows` in `context`, which must be current. Its contents are undefined.
    pub(super) fn new(context: &Rc<Context>, rows: PackedRows) -> Result<Self> {
        let wrong = || Error::Validation(format!("cannot allocate pitched memory for {rows:?}"));
        let rows = Counts::of(rows).ok_or_else(wrong)?;
        let mut pitched = Self { context: Rc::clone(context), start: 0, pitch: 0, rows };
        // SAFETY: `start` and `pitch` are valid places for the address and the pitch.
        let status = unsafe {
            sys::cuMemAllocPitch_v2(
                &raw mut pitched.start,
                &raw mut pitched.pitch,
                rows.row,
                rows.all,
                WORD as std::ffi::c_uint,
            )
        };
        context.check(&format!("allocating {} pitched rows of {} bytes", rows.all, rows.row), status)?;
        if pitched.pitch < rows.row {
            return Err(wrong());
        }
        Ok(pitched)
    }

    /// Copies packed rows from the start of `from`.
    pub(super) fn copy_from(&self, from: &Memory) -> Result<()> {
        self.copy(self.packed(from)?, self.own())
    }

    /// Copies all rows, packed, over the start of `to`.
    pub(super) fn copy_to(&self, to: &Memory) -> Result<()> {
        self.copy(self.own(), self.packed(to)?)
    }

    /// Fills the rows, but not the padding between them, with copies of `word`.
    pub(super) fn fill(&self, word: u32) -> Result<()> {
        let (width, height) = (self.rows.row / WORD, self.rows.all);
        // SAFETY: `new` allocated these rows, and the driver frees them only after previous work in the stream.
        self.context.issue("filling memory", |stream| unsafe {
            sys::cuMemsetD2D32Async(self.start, self.pitch, word, width, height, stream)
        })
    }

    const fn own(&self) -> Side {
        Side { start: self.start, pitch: self.pitch }
    }

    fn packed(&self, memory: &Memory) -> Result<Side> {
        if self.rows.packed > memory.bytes() {
            return Err(Error::Validation("a copy of pitched rows is larger than its buffer".to_owned()));
        }
        Ok(Side { start: memory.address(), pitch: self.rows.row })
    }

    /// Copies all rows. One side is this memory; `packed` has checked the other one.
    fn copy(&self, from: Side, to: Side) -> Result<()> {
        const ON_DEVICE: sys::CUmemorytype = sys::CUmemorytype::CU_MEMORYTYPE_DEVICE;
        const WHAT: &str = "copying rows";
        let Counts { row, height, slices, .. } = self.rows;
        if slices == 1 {
            let mut copy = std::mem::MaybeUninit::<sys::CUDA_MEMCPY2D>::zeroed();
            let start = copy.as_mut_ptr();
            // SAFETY: `start` points to the structure. Zero is valid for all fields but the memory types, which are
            // set.
            let copy = unsafe {
                (&raw mut (*start).srcMemoryType).write(ON_DEVICE);
                (&raw mut (*start).srcDevice).write(from.start);
                (&raw mut (*start).srcPitch).write(from.pitch);
                (&raw mut (*start).dstMemoryType).write(ON_DEVICE);
                (&raw mut (*start).dstDevice).write(to.start);
                (&raw mut (*start).dstPitch).write(to.pitch);
                (&raw mut (*start).WidthInBytes).write(row);
                (&raw mut (*start).Height).write(height);
                copy.assume_init()
            };
            // SAFETY: both sides have that many rows, and the driver frees both only after previous work in the stream.
            return self.context.issue(WHAT, |stream| unsafe { sys::cuMemcpy2DAsync_v2(&raw const copy, stream) });
        }
        let mut copy = std::mem::MaybeUninit::<sys::CUDA_MEMCPY3D>::zeroed();
        let start = copy.as_mut_ptr();
        // SAFETY: as above. A slice is `height` rows on both sides.
        let copy = unsafe {
            (&raw mut (*start).srcMemoryType).write(ON_DEVICE);
            (&raw mut (*start).srcDevice).write(from.start);
            (&raw mut (*start).srcPitch).write(from.pitch);
            (&raw mut (*start).srcHeight).write(height);
            (&raw mut (*start).dstMemoryType).write(ON_DEVICE);
            (&raw mut (*start).dstDevice).write(to.start);
            (&raw mut (*start).dstPitch).write(to.pitch);
            (&raw mut (*start).dstHeight).write(height);
            (&raw mut (*start).WidthInBytes).write(row);
            (&raw mut (*start).Height).write(height);
            (&raw mut (*start).Depth).write(slices);
            copy.assume_init()
        };
        // SAFETY: both sides have that many slices, and the driver frees both only after previous work in the stream.
        self.context.issue(WHAT, |stream| unsafe { sys::cuMemcpy3DAsync_v2(&raw const copy, stream) })
    }
}

impl Drop for Pitched {
    fn drop(&mut self) {
        if self.start != 0 {
            // SAFETY: the memory, from `cuMemAllocPitch`, is freed only here. The call waits for previous work.
            self.context.free(|| unsafe { sys::cuMemFree_v2(self.start) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_whole_words_that_fit_the_address_space() {
        let counts = |bytes, height, slices| Counts::of(PackedRows { bytes, height, slices });
        let volume = Counts { row: 260, height: 65, slices: 7, all: 455, packed: 118_300 };
        assert_eq!(counts(260, 65, 7), Some(volume));
        for (bytes, height, slices) in [(0, 1, 1), (4, 0, 1), (4, 1, 0), (6, 1, 1), (4, u64::MAX, 2), (1 << 62, 4, 1)] {
            assert_eq!(counts(bytes, height, slices), None, "{bytes} {height} {slices}");
        }
    }
}
