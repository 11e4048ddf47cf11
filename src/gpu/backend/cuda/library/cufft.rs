//! cuFFT: batched Fourier transforms of complex f32.

use std::ffi::{c_int, c_void};
use std::rc::Rc;

use super::loaded::{Call, Loaded, TOOLKIT, check_lengths};
use crate::backend::cuda::context::Context;
use crate::backend::cuda::memory::Memory;
use record::error::{Error, Result};

/// File names, newest first.
const NAMES: [&str; 4] = ["libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"];

/// `cufftResult`.
const ALLOC_FAILED: c_int = 2;
/// `cufftType`: complex f32 to complex f32.
const C2C: c_int = 0x29;
/// The direction with the negative exponent.
const FORWARD: c_int = -1;

type Handle = c_int;
type Status = c_int;
type Exec = unsafe extern "C" fn(Handle, *mut c_void, *mut c_void, c_int) -> Status;

pub(super) struct Fft {
    context: Rc<Context>,
    library: Loaded,
}

/// Transforms of one length, with the library's own memory.
struct Plan {
    fft: Rc<Fft>,
    handle: Handle,
}

impl Fft {
    /// Loads the library. Fails with [`Error::Unsupported`] if it is missing.
    pub(super) fn open(context: &Rc<Context>) -> Result<Rc<Self>> {
        let library = Loaded::find(("cuFFT", ALLOC_FAILED), &NAMES, TOOLKIT)?;
        Ok(Rc::new(Self { context: Rc::clone(context), library }))
    }

    /// `count` transforms of `points` each, from the first buffer to the second. The context must be current.
    pub(super) fn bind(self: &Rc<Self>, count: u64, points: u64, buffers: &[Rc<Memory>]) -> Result<Call> {
        let bytes = count.saturating_mul(points).saturating_mul(8);
        let [input, output] = check_lengths(buffers, [bytes; 2])?;
        let int = |length: u64| {
            c_int::try_from(length).map_err(|_| Error::Unsupported("cuFFT lengths must fit in 31 bits".to_owned()))
        };
        let (count, points) = (int(count)?, int(points)?);
        let mut handle = 0;
        // SAFETY: the types are those of cufft.h; `handle` is a valid place; the plan keeps context and stream.
        let (plan, exec) = unsafe {
            let new = self
                .library
                .symbol::<unsafe extern "C" fn(*mut Handle, c_int, c_int, c_int) -> Status>("cufftPlan1d")?;
            let set_stream =
                self.library.symbol::<unsafe extern "C" fn(Handle, *mut c_void) -> Status>("cufftSetStream")?;
            let exec = self.library.symbol::<Exec>("cufftExecC2C")?;
            self.library.check("creating a plan", new(&raw mut handle, points, C2C, count))?;
            let plan = Plan { fft: Rc::clone(self), handle };
            self.library.check("setting the stream", set_stream(handle, self.context.stream()))?;
            (plan, exec)
        };
        Ok(Box::new(move || {
            let at = |memory: &Memory| memory.address() as *mut c_void;
            // SAFETY: the lengths are checked above, and this closure keeps the buffers and the plan.
            let status = unsafe { exec(plan.handle, at(&input), at(&output), FORWARD) };
            plan.fft.library.check("the transform", status)
        }))
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        self.fft.context.free(|| {
            // SAFETY: the type is that of cufft.h; the plan came from this library, and no other code destroys it.
            unsafe {
                if let Ok(destroy) = self.fft.library.symbol::<unsafe extern "C" fn(Handle) -> Status>("cufftDestroy") {
                    let _ = destroy(self.handle);
                }
            }
            cudarc::driver::sys::CUresult::CUDA_SUCCESS
        });
    }
}
