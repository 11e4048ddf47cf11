//! A loaded program and its kernels.

use std::ffi::{CString, c_void};
use std::ptr;
use std::rc::Rc;

use cudarc::driver::sys::{self, CUresult};

use super::context::Context;
use crate::backend::Statistics;
use record::error::{Error, Result};
use record::suite::Interface;

/// Threads per warp, on every device: *CUDA C++ Programming Guide*, compute capabilities.
const WARP: u32 = 32;

/// A loaded program and its kernels, numbered from 0.
pub(super) struct Module {
    context: Rc<Context>,
    raw: sys::CUmodule,
    functions: Vec<sys::CUfunction>,
}

impl Module {
    /// Loads `image` into `context`, which must be current, and finds the kernels `entries` in it.
    ///
    /// # Safety
    /// `image` is a complete cubin, or PTX that ends with a zero byte, as NVRTC returns them: the driver derives its
    /// length from the contents.
    pub(super) unsafe fn load(context: &Rc<Context>, image: &[u8], entries: &[String]) -> Result<Self> {
        let mut module = Self { context: Rc::clone(context), raw: ptr::null_mut(), functions: Vec::new() };
        // SAFETY: the caller guarantees that the image is complete; `module.raw` is a valid place for the handle.
        let status = unsafe { sys::cuModuleLoadData(&raw mut module.raw, image.as_ptr().cast()) };
        context.check("loading a kernel", status)?;
        for entry in entries {
            let name = CString::new(entry.as_str())
                .map_err(|_| Error::Shader(format!("'{entry}' is not a valid kernel name")))?;
            let mut function = ptr::null_mut();
            // SAFETY: the module was just loaded, `name` ends with a zero, and `function` is a valid place.
            let status = unsafe { sys::cuModuleGetFunction(&raw mut function, module.raw, name.as_ptr()) };
            context.check(&format!("finding '{entry}' in the compiled program"), status)?;
            module.functions.push(function);
        }
        Ok(module)
    }

    /// Allows launches with `bytes` of dynamic shared memory. Otherwise all shared memory is limited to 48 KiB.
    pub(super) fn allow_dynamic_bytes(&self, bytes: u32) -> Result<()> {
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        self.functions.iter().try_for_each(|function| {
            // SAFETY: the function belongs to this module, which stays loaded as long as `self` lives.
            let status = unsafe { sys::cuFuncSetAttribute(*function, attribute, bytes) };
            self.context.check(&format!("requesting {bytes} bytes of dynamic shared memory"), status)
        })
    }

    /// The driver's figures for the kernels of `interface`, by `CUfunction_attribute` and
    /// `cuOccupancyMaxActiveBlocksPerMultiprocessor` (*CUDA Driver API*). `warps`: the most per multiprocessor.
    pub(super) fn statistics(&self, interface: &Interface, dynamic_bytes: u32, warps: Option<u32>) -> Statistics {
        use sys::CUfunction_attribute as Attribute;
        let each = self.functions.iter().zip(&interface.entries).map(|(function, entry)| {
            let number = |attribute| {
                let mut value = 0;
                // SAFETY: the function belongs to this loaded module, and `value` is a valid place.
                let status = unsafe { sys::cuFuncGetAttribute(&raw mut value, attribute, *function) };
                u64::try_from(value).ok().filter(|_| status == CUresult::CUDA_SUCCESS)
            };
            let (threads, mut blocks) = (entry.workgroup_size.iter().product::<u32>(), 0);
            // SAFETY: as above.
            let status = unsafe {
                let (threads, bytes) = (threads.cast_signed(), dynamic_bytes as usize);
                sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut blocks, *function, threads, bytes)
            };
            let held = u32::try_from(blocks).ok().filter(|_| status == CUresult::CUDA_SUCCESS);
            let held = held.map(|blocks| blocks.saturating_mul(threads.div_ceil(WARP)));
            Statistics {
                registers: number(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS),
                local_bytes: number(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
                workgroup_bytes: number(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
                    .map(|bytes| bytes + u64::from(dynamic_bytes)),
                occupancy: held.zip(warps).map(|(held, most)| f64::from(held) / f64::from(most)),
                // No attribute has the code size.
                ..Statistics::default()
            }
        });
        each.reduce(Statistics::with).unwrap_or_default()
    }

    /// Sizes of the parameters of the kernel `entry`, in bytes.
    pub(super) fn parameters(&self, entry: usize) -> Vec<usize> {
        let Some(function) = self.functions.get(entry) else { return Vec::new() };
        let size = |index: usize| {
            let (mut offset, mut bytes) = (0, 0);
            // SAFETY: the function is of this loaded module; both places are valid. Past the last parameter, the call
            // fails.
            let status = unsafe { sys::cuFuncGetParamInfo(*function, index, &raw mut offset, &raw mut bytes) };
            (status == CUresult::CUDA_SUCCESS).then_some(bytes)
        };
        (0..).map_while(size).collect()
    }

    /// Address and size in bytes of the file-scope variable `name`.
    pub(super) fn global(&self, name: &str) -> Result<(u64, u64)> {
        let text = CString::new(name).map_err(|_| Error::Shader(format!("'{name}' is not a valid variable name")))?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the module is loaded, `text` ends with a zero, and both numbers are valid places.
        let status = unsafe { sys::cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, self.raw, text.as_ptr()) };
        self.context.check(&format!("finding '{name}' in the compiled program"), status)?;
        Ok((address, bytes as u64))
    }

    /// Launches the kernel `entry` with `dynamic_bytes` of dynamic shared memory.
    ///
    /// # Safety
    /// There is one pointer per parameter of the kernel, to a value of at least the parameter's size. The memory that
    /// the parameters point to stays allocated until the launch has finished or, in a capture, until the graph is
    /// destroyed.
    pub(super) unsafe fn launch(
        &self,
        entry: usize,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_bytes: u32,
        parameters: &[*mut c_void],
    ) -> Result<()> {
        let function = self.functions.get(entry).copied();
        let function = function.ok_or_else(|| Error::Shader("a dispatch has no entry point".to_owned()))?;
        // SAFETY: the caller guarantees the parameters, which the driver only reads, before it returns. Out-of-bounds
        // accesses of a kernel reach only device memory of this context; the driver reports unmapped addresses.
        self.context.issue("launching a kernel", |stream| unsafe {
            sys::cuLaunchKernel(
                function,
                grid[0],
                grid[1],
                grid[2],
                block[0],
                block[1],
                block[2],
                dynamic_bytes,
                stream,
                parameters.as_ptr().cast_mut(),
                ptr::null_mut(),
            )
        })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: the module was loaded in this context, and no other code unloads it.
            self.context.free(|| unsafe { sys::cuModuleUnload(self.raw) });
        }
    }
}
