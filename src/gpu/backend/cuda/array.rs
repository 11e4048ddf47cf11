//! Textures: CUDA arrays and texture objects.

use std::ptr;
use std::rc::Rc;

use cudarc::driver::sys::{self, CUresult};

use super::context::Context;
use super::memory::Memory;
use crate::job::{Scalar, TexelFormat, Texture};
use record::error::{Error, Result};

/// A 2-D CUDA array and the texture object through which kernels read it.
pub(super) struct Array {
    context: Rc<Context>,
    raw: sys::CUarray,
    object: sys::CUtexObject,
    row_bytes: usize,
    height: usize,
}

impl Array {
    /// Allocates an array in `context`, which must be current. Its contents are undefined. Kernels read it texel by
    /// texel or, if `is_sampled`, with normalised coordinates, wrap addressing and linear filtering.
    pub(super) fn new(context: &Rc<Context>, texture: &Texture, is_sampled: bool) -> Result<Self> {
        let format = match texture.format {
            TexelFormat::R32Sint => sys::CUarray_format::CU_AD_FORMAT_SIGNED_INT32,
            format => match format.scalar() {
                Scalar::Unorm8 => sys::CUarray_format::CU_AD_FORMAT_UNSIGNED_INT8,
                Scalar::F16 => sys::CUarray_format::CU_AD_FORMAT_HALF,
                Scalar::F32 => sys::CUarray_format::CU_AD_FORMAT_FLOAT,
                _ => sys::CUarray_format::CU_AD_FORMAT_UNSIGNED_INT32,
            },
        };
        let channels = texture.format.channels() as u32;
        let (width, height) = (texture.width as usize, texture.height as usize);
        let shape = sys::CUDA_ARRAY_DESCRIPTOR { Width: width, Height: height, Format: format, NumChannels: channels };
        let row_bytes = width * texture.format.bytes() as usize;
        let mut array = Self { context: Rc::clone(context), raw: ptr::null_mut(), object: 0, row_bytes, height };
        // SAFETY: every field of the description is set, and `array.raw` is a valid place for the handle.
        let status = unsafe { sys::cuArrayCreate_v2(&raw mut array.raw, &raw const shape) };
        context.check(&format!("allocating a texture of {width} by {height} texels"), status)?;
        // SAFETY: zero is a valid value for C structures of integers, floats, pointers and enumerations.
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
        // SAFETY: the array was just created, and `drop` destroys the object before it; other fields may be zero.
        let status = unsafe {
            sys::cuTexObjectCreate(&raw mut array.object, &raw const resource, &raw const reading, ptr::null())
        };
        context.check("creating a texture object", status)?;
        Ok(array)
    }

    /// The kernel argument.
    pub(super) const fn object(&self) -> u64 {
        self.object
    }

    /// Copies rows `pitch` bytes apart into the array.
    pub(super) fn copy_from(&self, from: &Memory, pitch: usize) -> Result<()> {
        let mut copy = self.rows(from, pitch)?;
        copy.srcMemoryType = sys::CUmemorytype::CU_MEMORYTYPE_DEVICE;
        copy.srcDevice = from.address();
        copy.srcPitch = pitch;
        copy.dstMemoryType = sys::CUmemorytype::CU_MEMORYTYPE_ARRAY;
        copy.dstArray = self.raw;
        // SAFETY: `rows` checked the memory; the array has `height` rows. Both are freed only after previous work.
        self.context
            .issue("copying into a texture", |stream| unsafe { sys::cuMemcpy2DAsync_v2(&raw const copy, stream) })
    }

    /// Copies the array into rows `pitch` bytes apart.
    pub(super) fn copy_to(&self, to: &Memory, pitch: usize) -> Result<()> {
        let mut copy = self.rows(to, pitch)?;
        copy.srcMemoryType = sys::CUmemorytype::CU_MEMORYTYPE_ARRAY;
        copy.srcArray = self.raw;
        copy.dstMemoryType = sys::CUmemorytype::CU_MEMORYTYPE_DEVICE;
        copy.dstDevice = to.address();
        copy.dstPitch = pitch;
        // SAFETY: as in `copy_from`.
        self.context
            .issue("copying out of a texture", |stream| unsafe { sys::cuMemcpy2DAsync_v2(&raw const copy, stream) })
    }

    pub(super) const fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// A copy of all rows; the caller sets source and destination.
    fn rows(&self, memory: &Memory, pitch: usize) -> Result<sys::CUDA_MEMCPY2D> {
        if pitch < self.row_bytes || ((self.height - 1) * pitch + self.row_bytes) as u64 > memory.bytes() {
            return Err(Error::Validation("a copy of texture rows does not fit in its pitch or buffer".to_owned()));
        }
        // Zero is no valid memory type: set both before the structure is read.
        let mut copy = std::mem::MaybeUninit::<sys::CUDA_MEMCPY2D>::zeroed();
        let start = copy.as_mut_ptr();
        // SAFETY: once both memory types are set, every field of the structure at `start` is valid: others are zero.
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
        self.context.free(|| {
            // SAFETY: object and array, if created, are of this context, and no other code destroys them. The calls
            // wait for previous work.
            unsafe {
                if self.object != 0 {
                    let _ = sys::cuTexObjectDestroy(self.object);
                }
                if self.raw.is_null() { CUresult::CUDA_SUCCESS } else { sys::cuArrayDestroy(self.raw) }
            }
        });
    }
}
