//! What the backend uses of an open CUDA device: contexts, events, modules, each of which frees itself.

use std::cell::Cell;
use std::ffi::{CString, c_uint, c_void};
use std::ptr;
use std::rc::Rc;
use std::time::Duration;

use cudarc::driver::result::DriverError;
use cudarc::driver::sys::{self, CUresult};
use web_time::Instant;

use super::memory::{Memory, Pinned};
use crate::error::{Error, Result};

/// How long to look for the end of a submission without sleeping: a sleep of 50 µs would be a per cent of the shortest sample that is
/// timed by the host's clock, and is nothing of a longer one.
const IMPATIENT: Duration = Duration::from_millis(50);

/// Operations between two fences. The driver blocks, for as long as it takes, where about a thousand are under way.
const STRETCH: u64 = 256;

/// What the driver says of a status, behind what was being done.
pub(super) fn explain(doing: &str, status: CUresult) -> String {
    let said = DriverError(status);
    let text = said.error_string().map_or_else(|_| String::new(), |text| text.to_string_lossy().into_owned());
    format!("{doing}: {text} ({status:?})")
}

fn fault(doing: &str, status: CUresult) -> Error {
    let text = explain(doing, status);
    match status {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => Error::OutOfMemory(text),
        // After these a context answers nothing else.
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
        | CUresult::CUDA_ERROR_LAUNCH_FAILED
        | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
        | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
        | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
        | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
        | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
        | CUresult::CUDA_ERROR_INVALID_PC
        | CUresult::CUDA_ERROR_ASSERT
        | CUresult::CUDA_ERROR_ECC_UNCORRECTABLE
        | CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE
        | CUresult::CUDA_ERROR_CONTAINED
        | CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED
        | CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE
        | CUresult::CUDA_ERROR_EXTERNAL_DEVICE
        | CUresult::CUDA_ERROR_TENSOR_MEMORY_LEAK
        | CUresult::CUDA_ERROR_DEINITIALIZED
        | CUresult::CUDA_ERROR_UNKNOWN => Error::Lost(text),
        _ => Error::Validation(text),
    }
}

/// Whether a context still answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// It failed for good: freeing has to go through destroying it.
    Lost,
    /// It did not answer in time: freeing and destroying might wait for ever.
    Hung,
    /// It was destroyed, and everything in it.
    Closed,
}

/// A context on a device, with one stream in which everything happens in order.
pub(super) struct Context {
    raw: sys::CUcontext,
    stream: sys::CUstream,
    /// Reached when everything before it is done.
    end: sys::CUevent,
    /// Reached when all but the last stretches are done.
    fences: [sys::CUevent; 2],
    issued: Cell<u64>,
    state: Cell<State>,
    patience: Duration,
}

impl Context {
    /// Opens a context on the device with this handle and makes it the thread's own.
    pub(super) fn open(device: sys::CUdevice, patience: Duration) -> Result<Rc<Self>> {
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is a place for the handle; no parameters and no flags ask for an ordinary context.
        let status = unsafe { sys::cuCtxCreate_v4(&raw mut raw, ptr::null_mut(), 0, device) };
        if status != CUresult::CUDA_SUCCESS {
            return Err(fault("opening a context", status));
        }
        let mut context = Self {
            raw,
            stream: ptr::null_mut(),
            end: ptr::null_mut(),
            fences: [ptr::null_mut(); 2],
            issued: Cell::new(0),
            state: Cell::new(State::Open),
            patience,
        };
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as c_uint;
        // SAFETY: the context was made this thread's own, and `stream` is a place for the handle.
        let status = unsafe { sys::cuStreamCreate(&raw mut context.stream, flags) };
        context.judge("opening a stream", status)?;
        context.end = context.untimed_event()?;
        context.fences = [context.untimed_event()?, context.untimed_event()?];
        Ok(Rc::new(context))
    }

    /// An event without a time, which costs the device less. It goes with the context.
    fn untimed_event(&self) -> Result<sys::CUevent> {
        let mut raw = ptr::null_mut();
        let flags = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as c_uint;
        // SAFETY: the context is this thread's own, and `raw` is a place for the handle.
        let status = unsafe { sys::cuEventCreate(&raw mut raw, flags) };
        self.judge("making an event", status)?;
        Ok(raw)
    }

    /// How long a submission may take.
    pub(super) const fn patience(&self) -> Duration {
        self.patience
    }

    /// Destroys the context and everything in it, unless that might wait for ever.
    pub(super) fn close(&self) {
        if matches!(self.state.get(), State::Open | State::Lost) {
            self.state.set(State::Closed);
            // SAFETY: what still holds a share of this context asks for its state before it calls the driver. Failure frees no more.
            let _ = unsafe { sys::cuCtxDestroy_v2(self.raw) };
        }
    }

    /// Makes the context this thread's own: every call below goes to it.
    pub(super) fn enter(&self) -> Result<()> {
        match self.state.get() {
            State::Open => {}
            State::Lost | State::Closed => return Err(Error::Lost("the context failed before".to_owned())),
            State::Hung => return Err(Error::Timeout { seconds: self.patience.as_secs_f64() }),
        }
        // SAFETY: the context is open, and nobody but `close` destroys it.
        let status = unsafe { sys::cuCtxSetCurrent(self.raw) };
        self.judge("entering a context", status)
    }

    /// A status as a result; one that ends the context is remembered.
    pub(super) fn judge(&self, doing: &str, status: CUresult) -> Result<()> {
        if status == CUresult::CUDA_SUCCESS {
            return Ok(());
        }
        let error = fault(doing, status);
        if error.ends_device() {
            self.state.set(State::Lost);
        }
        Err(error)
    }

    /// The stream, for libraries that work in it.
    pub(super) const fn stream(&self) -> *mut c_void {
        self.stream.cast()
    }

    /// Puts an operation into the stream. Every so often it waits for operations long before it, so that the driver never has so many
    /// under way that it would block.
    pub(super) fn issue(&self, doing: &str, operation: impl FnOnce(sys::CUstream) -> CUresult) -> Result<()> {
        self.judge(doing, operation(self.stream))?;
        self.pace()
    }

    /// Counts an operation that was put into the stream.
    pub(super) fn pace(&self) -> Result<()> {
        let issued = self.issued.get() + 1;
        self.issued.set(issued);
        if issued.is_multiple_of(STRETCH) {
            let fence = self.fences[(issued / STRETCH % 2) as usize];
            self.reach(fence)?;
            self.record(fence)?;
        }
        Ok(())
    }

    fn record(&self, event: sys::CUevent) -> Result<()> {
        // SAFETY: event and stream are of this context, which is this thread's own.
        let status = unsafe { sys::cuEventRecord(event, self.stream) };
        self.judge("recording an event", status)
    }

    /// Waits until an event is reached: it looks without a pause at first, then every 50 µs.
    ///
    /// # Errors
    /// [`Error::Timeout`] after the context's patience; what the device did wrong in the meantime.
    fn reach(&self, event: sys::CUevent) -> Result<()> {
        let start = Instant::now();
        loop {
            // SAFETY: the event is of this context, which is this thread's own. One that was never recorded counts as reached.
            match unsafe { sys::cuEventQuery(event) } {
                CUresult::CUDA_ERROR_NOT_READY => {}
                status => return self.judge("waiting for the device", status),
            }
            let waited = start.elapsed();
            if waited > self.patience {
                self.state.set(State::Hung);
                return Err(Error::Timeout { seconds: self.patience.as_secs_f64() });
            }
            if waited < IMPATIENT { std::thread::yield_now() } else { std::thread::sleep(Duration::from_micros(50)) }
        }
    }

    /// Waits until everything in the stream is done.
    pub(super) fn wait(&self) -> Result<()> {
        self.record(self.end)?;
        self.reach(self.end)?;
        self.issued.set(0);
        Ok(())
    }

    /// Covers memory with copies of `word`.
    pub(super) fn fill(&self, memory: &Memory, word: u32) -> Result<()> {
        let words = memory.bytes as usize / 4;
        // SAFETY: the memory is of this context and as long as that.
        self.issue("filling memory", |stream| unsafe { sys::cuMemsetD32Async(memory.address, word, words, stream) })
    }

    /// Copies the whole of `from` over the start of `to`.
    pub(super) fn copy(&self, from: &Memory, to: &Memory) -> Result<()> {
        let bytes = from.bytes.min(to.bytes) as usize;
        // SAFETY: both are of this context and at least so long.
        self.issue("copying memory", |stream| unsafe {
            sys::cuMemcpyDtoDAsync_v2(to.address, from.address, bytes, stream)
        })
    }

    /// Copies `bytes` to `address`. From pageable memory the call returns when the driver has read them; pinned memory must be left
    /// alone until [`Context::wait`].
    ///
    /// # Safety
    /// There are that many bytes of this context's memory at `address`.
    pub(super) unsafe fn send(&self, bytes: &[u8], address: u64) -> Result<()> {
        // SAFETY: the caller vouches for the destination; the source is a slice, and pinned ones outlive their copies (their owner
        // frees them through the driver, which waits).
        self.issue("copying to the device", |stream| unsafe {
            sys::cuMemcpyHtoDAsync_v2(address, bytes.as_ptr().cast(), bytes.len(), stream)
        })
    }

    /// Copies what lies in `from` from `offset` on into the first `bytes` of pinned memory, which must be left alone until
    /// [`Context::wait`].
    pub(super) fn receive(&self, from: &Memory, offset: u64, to: &mut Pinned, bytes: u64) -> Result<()> {
        if offset + bytes > from.bytes || bytes as usize > to.bytes().len() {
            return Err(Error::Validation("a copy to the host runs past its buffers".to_owned()));
        }
        // SAFETY: both lengths were checked; both are of this context.
        self.issue("copying from the device", |stream| unsafe {
            sys::cuMemcpyDtoHAsync_v2(to.bytes_mut().as_mut_ptr().cast(), from.address + offset, bytes as usize, stream)
        })
    }

    /// Copies what `from` starts with into pageable memory. The driver returns when it is there.
    pub(super) fn receive_pageable(&self, from: &Memory, to: &mut [u8]) -> Result<()> {
        if to.len() as u64 > from.bytes {
            return Err(Error::Validation("a copy to the host runs past its buffer".to_owned()));
        }
        // SAFETY: the length was checked, the memory is of this context, and the slice is borrowed for as long as the call writes it.
        self.issue("copying from the device", |stream| unsafe {
            sys::cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), from.address, to.len(), stream)
        })
    }

    /// Notes the device's time when everything before is done.
    pub(super) fn stamp(&self, event: &Event) -> Result<()> {
        self.record(event.raw)
    }

    /// Launches a kernel with `dynamic_bytes` of shared memory beyond what it declares.
    ///
    /// # Safety
    /// The pointers are as many as the kernel has parameters, each to a value of its type; the kernel stays within the memory that
    /// they lead to.
    pub(super) unsafe fn launch(
        &self,
        module: &Module,
        grid: [u32; 3],
        block: [u32; 3],
        dynamic_bytes: u32,
        parameters: &[*mut c_void],
    ) -> Result<()> {
        // SAFETY: the caller vouches for the parameters, which the driver reads before it returns and does not write.
        self.issue("launching a kernel", |stream| unsafe {
            sys::cuLaunchKernel(
                module.function,
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

impl Drop for Context {
    fn drop(&mut self) {
        self.close();
    }
}

/// Runs a destructor's call where the context still answers; a lost context takes everything along when it is destroyed.
pub(super) fn free(context: &Context, call: impl FnOnce() -> CUresult) {
    if context.enter().is_ok() {
        let _ = call();
    }
}

/// A place for a time of the device.
pub(super) struct Event {
    context: Rc<Context>,
    raw: sys::CUevent,
}

impl Event {
    /// Makes one.
    pub(super) fn new(context: &Rc<Context>) -> Result<Self> {
        let mut raw = ptr::null_mut();
        // SAFETY: the context is this thread's own, and `raw` is a place for the handle.
        let status = unsafe { sys::cuEventCreate(&raw mut raw, sys::CUevent_flags::CU_EVENT_DEFAULT as c_uint) };
        context.judge("making an event", status)?;
        Ok(Self { context: Rc::clone(context), raw })
    }

    /// Nanoseconds from this event to a later one. Both must have been reached.
    pub(super) fn ns_until(&self, later: &Self) -> Result<f64> {
        let mut milliseconds = 0.0_f32;
        // SAFETY: both events are of this context, which is this thread's own, and the number has a place.
        let status = unsafe { sys::cuEventElapsedTime_v2(&raw mut milliseconds, self.raw, later.raw) };
        self.context.judge("reading the device's clock", status)?;
        // The driver tells milliseconds in 32 bits: of some ten of them a nanosecond is all that these hold.
        Ok((f64::from(milliseconds) * 1e6).round())
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the event came from `cuEventCreate` in this context.
        free(&self.context, || unsafe { sys::cuEventDestroy_v2(self.raw) });
    }
}

/// A loaded program and its kernel.
pub(super) struct Module {
    context: Rc<Context>,
    raw: sys::CUmodule,
    function: sys::CUfunction,
}

impl Module {
    /// Loads `image`, machine code or PTX that ends with a zero, and finds the kernel `entry` in it.
    pub(super) fn load(context: &Rc<Context>, image: &[u8], entry: &str) -> Result<Self> {
        let name = CString::new(entry).map_err(|_| Error::Shader(format!("'{entry}' is no name of a kernel")))?;
        let mut module = Self { context: Rc::clone(context), raw: ptr::null_mut(), function: ptr::null_mut() };
        // SAFETY: the context is this thread's own; the image is complete, as its compiler gave it.
        let status = unsafe { sys::cuModuleLoadData(&raw mut module.raw, image.as_ptr().cast()) };
        context.judge("loading a kernel", status)?;
        // SAFETY: the module was just loaded; the name ends with a zero.
        let status = unsafe { sys::cuModuleGetFunction(&raw mut module.function, module.raw, name.as_ptr()) };
        context.judge(&format!("finding '{entry}' in what was compiled"), status)?;
        Ok(module)
    }

    /// Lets launches ask for `bytes` of shared memory beyond what the kernel declares: without this, no more than 48 KiB in all.
    pub(super) fn allow(&self, bytes: u32) -> Result<()> {
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        // SAFETY: the function is of a loaded module.
        let status = unsafe { sys::cuFuncSetAttribute(self.function, attribute, bytes) };
        self.context.judge(&format!("asking for {bytes} bytes of dynamic shared memory"), status)
    }

    /// Sizes of the kernel's parameters, in bytes.
    pub(super) fn parameters(&self) -> Vec<usize> {
        let size = |place: usize| {
            let (mut offset, mut bytes) = (0, 0);
            // SAFETY: the function is of a loaded module, and both numbers have a place. Past the last parameter it is refused.
            let status = unsafe { sys::cuFuncGetParamInfo(self.function, place, &raw mut offset, &raw mut bytes) };
            (status == CUresult::CUDA_SUCCESS).then_some(bytes)
        };
        (0..).map_while(size).collect()
    }

    /// Address and size in bytes of the variable `name` at file scope.
    pub(super) fn global(&self, name: &str) -> Result<(u64, u64)> {
        let text = CString::new(name).map_err(|_| Error::Shader(format!("'{name}' is no name of a variable")))?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the module is loaded, the name ends with a zero, and both numbers have a place.
        let status = unsafe { sys::cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, self.raw, text.as_ptr()) };
        self.context.judge(&format!("finding '{name}' in what was compiled"), status)?;
        Ok((address, bytes as u64))
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: the module was loaded in this context.
            free(&self.context, || unsafe { sys::cuModuleUnload(self.raw) });
        }
    }
}
