//! cuDNN's functions, handle and errors.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::rc::Rc;

use crate::backend::cuda::context::Context;
use crate::backend::cuda::library::loaded::Loaded;
use record::error::{Error, Result, one_line};

/// File names. The graph API changed in version 9.
const NAMES: [&str; 2] = ["libcudnn.so.9", "libcudnn.so"];
/// cuDNN is not part of the CUDA toolkit.
const ADVICE: &str = "install cuDNN 9, or `pip install nvidia-cudnn-cu13` and add its lib folder to LD_LIBRARY_PATH";

/// `CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED`.
const ALLOC_FAILED: c_int = 4004;

pub(super) type Raw = *mut c_void;
type Status = c_int;
type Create = unsafe extern "C" fn(c_int, *mut Raw) -> Status;
type OfOne = unsafe extern "C" fn(Raw) -> Status;
type Set = unsafe extern "C" fn(Raw, c_int, c_int, i64, *const c_void) -> Status;
type Get = unsafe extern "C" fn(Raw, c_int, c_int, i64, *mut i64, *mut c_void) -> Status;
type Execute = unsafe extern "C" fn(Raw, Raw, Raw) -> Status;
type Describe = unsafe extern "C" fn(Status) -> *const c_char;
type LastError = unsafe extern "C" fn(*mut c_char, usize);

/// The library, with a handle on the stream of one context.
pub(in crate::backend::cuda::library) struct Dnn {
    pub(super) context: Rc<Context>,
    library: Loaded,
    pub(super) handle: Raw,
    /// `cudnnGetVersion`: 91400 for 9.14.0.
    pub(super) version: usize,
    /// `cudnnBackendCreateDescriptor` and the other functions for descriptors.
    pub(super) create: Create,
    pub(super) destroy: OfOne,
    pub(super) finalize: OfOne,
    pub(super) set: Set,
    pub(super) get: Get,
    pub(super) execute: Execute,
}

impl Dnn {
    /// Loads the library and opens a handle in `context`, which must be current. Fails with [`Error::Unsupported`] if
    /// the library or one of its functions is missing.
    pub(in crate::backend::cuda::library) fn open(context: &Rc<Context>) -> Result<Rc<Self>> {
        let library = Loaded::find(("cuDNN", ALLOC_FAILED), &NAMES, ADVICE)?;
        // SAFETY: the types are those of cudnn_graph.h; `dnn.handle` is a valid place. The result keeps the library,
        // and `context` with its stream.
        unsafe {
            let version = library.symbol::<unsafe extern "C" fn() -> usize>("cudnnGetVersion")?();
            let mut dnn = Self {
                context: Rc::clone(context),
                handle: ptr::null_mut(),
                version,
                create: library.symbol("cudnnBackendCreateDescriptor")?,
                destroy: library.symbol("cudnnBackendDestroyDescriptor")?,
                finalize: library.symbol("cudnnBackendFinalize")?,
                set: library.symbol("cudnnBackendSetAttribute")?,
                get: library.symbol("cudnnBackendGetAttribute")?,
                execute: library.symbol("cudnnBackendExecute")?,
                library,
            };
            let create = dnn.library.symbol::<unsafe extern "C" fn(*mut Raw) -> Status>("cudnnCreate")?;
            let set_stream = dnn.library.symbol::<unsafe extern "C" fn(Raw, Raw) -> Status>("cudnnSetStream")?;
            let created = create(&raw mut dnn.handle);
            dnn.check("cudnnCreate", created)?;
            dnn.check("cudnnSetStream", set_stream(dnn.handle, context.stream()))?;
            Ok(Rc::new(dnn))
        }
    }

    /// Turns a status of the library into a result, with the library's explanation.
    pub(super) fn check(&self, operation: &str, status: Status) -> Result<()> {
        match status {
            0 => Ok(()),
            // The installation is broken (1000s), or there is no engine for this graph (3000s).
            1000..2000 | 3000..4000 => {
                let (text, version) = (self.explained(status), self.version);
                Err(Error::Unsupported(format!("{operation} failed in cuDNN {version}: {text} (status {status})")))
            }
            _ => self
                .library
                .check(&format!("{operation} ({}, version {})", self.explained(status), self.version), status),
        }
    }

    /// The name of a status and the last message of this thread.
    fn explained(&self, status: Status) -> String {
        let mut text = String::new();
        // SAFETY: the types are those of cudnn_graph.h. The library returns a constant text, and writes at most the
        // given number of bytes, which leaves the last one 0.
        unsafe {
            if let Ok(describe) = self.library.symbol::<Describe>("cudnnGetErrorString") {
                let name = describe(status);
                if !name.is_null() {
                    text.push_str(&CStr::from_ptr(name).to_string_lossy());
                }
            }
            if let Ok(last) = self.library.symbol::<LastError>("cudnnGetLastErrorString") {
                let mut message = vec![0_u8; 1024];
                last(message.as_mut_ptr().cast(), message.len() - 1);
                let message = CStr::from_bytes_until_nul(&message).unwrap_or_default().to_string_lossy();
                if !message.trim().is_empty() {
                    text.push_str(": ");
                    text.push_str(&message);
                }
            }
        }
        one_line(&text)
    }
}

impl Drop for Dnn {
    fn drop(&mut self) {
        if self.handle.is_null() {
            return;
        }
        self.context.free(|| {
            // SAFETY: the type is that of cudnn_graph.h; the handle came from this library and is destroyed only here.
            unsafe {
                if let Ok(destroy) = self.library.symbol::<OfOne>("cudnnDestroy") {
                    let _ = destroy(self.handle);
                }
            }
            cudarc::driver::sys::CUresult::CUDA_SUCCESS
        });
    }
}
