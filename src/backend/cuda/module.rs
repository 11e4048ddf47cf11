//! A loaded program and its kernel.

use std::ffi::{CString, c_void};
use std::ptr;
use std::rc::Rc;

use cudarc::driver::sys::{self, CUresult};

use super::context::Context;
use crate::error::{Error, Result};

/// A loaded program and its kernel.
pub(super) struct Module {
    context: Rc<Context>,
    raw: sys::CUmodule,
    function: sys::CUfunction,
}

impl Module {
    /// Loads `image` into `context`, which must be current, and finds the kernel `entry` in it.
    ///
    /// # Safety
    /// `image` is a complete cubin, or PTX that ends with a zero byte, as NVRTC returns them: the driver reads as far
    /// as its contents say.
    pub(super) unsafe fn load(context: &Rc<Context>, image: &[u8], entry: &str) -> Result<Self> {
        let name = CString::new(entry).map_err(|_| Error::Shader(format!("'{entry}' is no name of a kernel")))?;
        let mut module = Self { context: Rc::clone(context), raw: ptr::null_mut(), function: ptr::null_mut() };
        // SAFETY: the caller promises that the image is complete; `module.raw` is a valid place for the handle.
        let status = unsafe { sys::cuModuleLoadData(&raw mut module.raw, image.as_ptr().cast()) };
        context.check("loading a kernel", status)?;
        // SAFETY: the module was just loaded, and `name` ends with a zero; `module.function` is a valid place for the
        // handle.
        let status = unsafe { sys::cuModuleGetFunction(&raw mut module.function, module.raw, name.as_ptr()) };
        context.check(&format!("finding '{entry}' in the compiled program"), status)?;
        Ok(module)
    }

    /// Allows launches with `bytes` of dynamic shared memory. Without this call, static and dynamic shared memory are
    /// limited to 48 KiB.
    pub(super) fn allow_dynamic_bytes(&self, bytes: u32) -> Result<()> {
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        // SAFETY: the function belongs to this module, which stays loaded as long as `self` lives.
        let status = unsafe { sys::cuFuncSetAttribute(self.function, attribute, bytes) };
        self.context.check(&format!("asking for {bytes} bytes of dynamic shared memory"), status)
    }

    /// Sizes of the kernel's parameters, in bytes.
    pub(super) fn parameters(&self) -> Vec<usize> {
        let size = |index: usize| {
            let (mut offset, mut bytes) = (0, 0);
            // SAFETY: the function belongs to this loaded module, and both numbers are valid places. Past the last
            // parameter the driver returns an error.
            let status = unsafe { sys::cuFuncGetParamInfo(self.function, index, &raw mut offset, &raw mut bytes) };
            (status == CUresult::CUDA_SUCCESS).then_some(bytes)
        };
        (0..).map_while(size).collect()
    }

    /// Address and size in bytes of the variable `name` at file scope.
    pub(super) fn global(&self, name: &str) -> Result<(u64, u64)> {
        let text = CString::new(name).map_err(|_| Error::Shader(format!("'{name}' is no name of a variable")))?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the module is loaded, `text` ends with a zero, and both numbers are valid places.
        let status = unsafe { sys::cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, self.raw, text.as_ptr()) };
        self.context.check(&format!("finding '{name}' in the compiled program"), status)?;
        Ok((address, bytes as u64))
    }

    /// Launches the kernel with `dynamic_bytes` of dynamic shared memory.
    ///
    /// # Safety
    /// There are as many pointers as the kernel has parameters, each to a value of at least the parameter's size. The
    /// memory that the parameters point to stays allocated until the launch has finished; in a capture, until the graph
    /// is destroyed.
    pub(super) unsafe fn launch(
        &self,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_bytes: u32,
        parameters: &[*mut c_void],
    ) -> Result<()> {
        // SAFETY: the caller promises the parameters, which the driver reads before it returns and does not write. A
        // kernel that accesses memory out of bounds reaches device memory of this context only; the driver reports an
        // address that is not mapped.
        self.context.issue("launching a kernel", |stream| unsafe {
            sys::cuLaunchKernel(
                self.function,
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
