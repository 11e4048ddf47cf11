//! Textures as CUDA has them: arrays, and the objects that kernels read them through.

use std::ptr;
use std::rc::Rc;

use cudarc::driver::sys::{self, CUresult};

use super::driver::{Context, free};
use super::memory::Memory;
use crate::error::{Error, Result};
use crate::job::{Format, Texture};

/// A 2-D array of texels in the layout that textures are read fast in, and the object that kernels read it through.
pub(super) struct Array {
    context: Rc<Context>,
    raw: sys::CUarray,
    object: sys::CUtexObject,
    row_bytes: usize,
    height: usize,
}

impl Array {
    /// Allocates an array; its contents are whatever was there. Kernels that have a sampler read it by normalised coordinates that wrap
    /// around and with linear filtering, others texel by texel.
    pub(super) fn new(context: &Rc<Context>, texture: &Texture, is_sampled: bool) -> Result<Self> {
        let (format, channels) = match texture.format {
            Format::Rgba8Unorm => (sys::CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8, 4),
            Format::R32Uint => (sys::CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32, 1),
            Format::Rgba32Uint => (sys::CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32, 4),
        };
        let (width, height) = (texture.width as usize, texture.height as usize);
        let shape = sys::CUDA_ARRAY_DESCRIPTOR { Width: width, Height: height, Format: format, NumChannels: channels };
        let row_bytes = width * texture.format.bytes() as usize;
        let mut array = Self { context: Rc::clone(context), raw: ptr::null_mut(), object: 0, row_bytes, height };
        // SAFETY: the context is this thread's own, the description is complete, and the handle has a place.
        let status = unsafe { sys::cuArrayCreate_v2(&raw mut array.raw, &raw const shape) };
        context.judge(&format!("allocating a texture of {width} by {height} texels"), status)?;
        // SAFETY: both are C structures of numbers, for which zero is a value everywhere: the first of each enumeration.
        let (mut resource, mut reading): (sys::CUDA_RESOURCE_DESC, sys::CUDA_TEXTURE_DESC) =
            unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
        resource.resType = sys::CUresourcetype::CU_RESOURCE_TYPE_ARRAY;
        resource.res.array.hArray = array.raw;
        if is_sampled {
            reading.addressMode = [sys::CUaddress_mode::CU_TR_ADDRESS_MODE_WRAP; 3];
            reading.filterMode = sys::CUfilter_mode::CU_TR_FILTER_MODE_LINEAR;
            reading.flags = sys::CU_TRSF_NORMALIZED_COORDINATES;
        } else {
            reading.addressMode = [sys::CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP; 3];
            reading.filterMode = sys::CUfilter_mode::CU_TR_FILTER_MODE_POINT;
            reading.flags = sys::CU_TRSF_READ_AS_INTEGER;
        }
        // SAFETY: the array is of this context and lives as long as the object; the descriptions are complete.
        let status = unsafe {
            sys::cuTexObjectCreate(&raw mut array.object, &raw const resource, &raw const reading, ptr::null())
        };
        context.judge("making a texture object", status)?;
        Ok(array)
    }

    /// What a kernel takes for it.
    pub(super) const fn object(&self) -> u64 {
        self.object
    }

    /// Copies rows `pitch` bytes apart into the array.
    pub(super) fn take(&self, from: &Memory, pitch: usize) -> Result<()> {
        let mut copy = self.rows(from, pitch)?;
        copy.srcMemoryType = sys::CUmemorytype::CU_MEMORYTYPE_DEVICE;
        copy.srcDevice = from.address;
        copy.srcPitch = pitch;
        copy.dstMemoryType = sys::CUmemorytype::CU_MEMORYTYPE_ARRAY;
        copy.dstArray = self.raw;
        // SAFETY: both are of this context, and `rows` has seen that the memory is long enough.
        self.context
            .issue("copying into a texture", |stream| unsafe { sys::cuMemcpy2DAsync_v2(&raw const copy, stream) })
    }

    /// Copies the array into rows `pitch` bytes apart.
    pub(super) fn give(&self, to: &Memory, pitch: usize) -> Result<()> {
        let mut copy = self.rows(to, pitch)?;
        copy.srcMemoryType = sys::CUmemorytype::CU_MEMORYTYPE_ARRAY;
        copy.srcArray = self.raw;
        copy.dstMemoryType = sys::CUmemorytype::CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = to.address;
        copy.dstPitch = pitch;
        // SAFETY: both are of this context, and `rows` has seen that the memory is long enough.
        self.context
            .issue("copying out of a texture", |stream| unsafe { sys::cuMemcpy2DAsync_v2(&raw const copy, stream) })
    }

    /// Bytes of a row of texels.
    pub(super) const fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// A copy of all rows, without its ends.
    fn rows(&self, memory: &Memory, pitch: usize) -> Result<sys::CUDA_MEMCPY2D> {
        if pitch < self.row_bytes || ((self.height - 1) * pitch + self.row_bytes) as u64 > memory.bytes {
            return Err(Error::Validation("a copy of rows runs past its buffer".to_owned()));
        }
        // Zero is no memory type: these are set before the structure counts as one.
        let mut copy = std::mem::MaybeUninit::<sys::CUDA_MEMCPY2D>::zeroed();
        let start = copy.as_mut_ptr();
        // SAFETY: the fields are written in place; afterwards every field holds a value of its type.
        unsafe {
            (&raw mut (*start).srcMemoryType).write(sys::CUmemorytype::CU_MEMORYTYPE_DEVICE);
            (&raw mut (*start).dstMemoryType).write(sys::CUmemorytype::CU_MEMORYTYPE_DEVICE);
            (&raw mut (*start).WidthInBytes).write(self.row_bytes);
            (&raw mut (*start).Height).write(self.height);
            Ok(copy.assume_init())
        }
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        free(&self.context, || {
            // SAFETY: the object, where there is one, and the array came from this context; the calls wait for what still uses them.
            unsafe {
                if self.object != 0 {
                    let _ = sys::cuTexObjectDestroy(self.object);
                }
                if self.raw.is_null() { CUresult::CUDA_SUCCESS } else { sys::cuArrayDestroy(self.raw) }
            }
        });
    }
}
