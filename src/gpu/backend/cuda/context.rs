//! An open CUDA context and its stream.

use std::cell::Cell;
use std::ffi::{c_uint, c_void};
use std::ptr;
use std::rc::Rc;
use std::time::Duration;

use cudarc::driver::sys::{self, CUresult};

use super::status;
use super::wait_clock::WaitClock;
use record::error::{Error, Result};

/// Time to poll without sleeping. Thereafter, a sleep of 50 µs is at most 0.1 % of the wait.
const SPIN: Duration = Duration::from_millis(50);

/// Operations between two fences. With about a thousand operations in flight, the driver blocks without a timeout.
const FENCE_INTERVAL: u64 = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// Failed for good: only destroying the context frees its memory.
    Lost,
    /// Did not finish in time: freeing its memory or destroying the context may block forever.
    Hung,
    /// Destroyed, with everything in it.
    Closed,
}

#[derive(Clone, Copy)]
struct Second {
    stream: sys::CUstream,
    /// Finished when all work in the first stream before the fork is finished.
    fork: sys::CUevent,
    /// Finished when all work in the second stream is finished.
    join: sys::CUevent,
}

/// A context on a device, with one stream that runs all work in order. Used by a single thread: neither a context nor
/// what holds an `Rc` of it is `Send`.
pub(super) struct Context {
    raw: sys::CUcontext,
    stream: sys::CUstream,
    /// Finished when all previous work is finished.
    end: sys::CUevent,
    /// Finished when all work except the last one or two intervals is finished.
    fences: [sys::CUevent; 2],
    /// A second stream, created once a job copies in both directions at once.
    second: Cell<Option<Second>>,
    is_second: Cell<bool>,
    issued: Cell<u64>,
    /// Whether operations are added to a graph instead of run.
    is_capturing: Cell<bool>,
    state: Cell<State>,
    timeout: Duration,
}

impl Context {
    /// Opens a context on a device and makes it current.
    pub(super) fn open(device: sys::CUdevice, timeout: Duration) -> Result<Rc<Self>> {
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is a valid place; null and 0 request an ordinary context. The driver refuses an invalid device.
        let status = unsafe { sys::cuCtxCreate_v4(&raw mut raw, ptr::null_mut(), 0, device) };
        if status != CUresult::CUDA_SUCCESS {
            return Err(status::error("opening a context", status));
        }
        let mut context = Self {
            raw,
            stream: ptr::null_mut(),
            end: ptr::null_mut(),
            fences: [ptr::null_mut(); 2],
            second: Cell::new(None),
            is_second: Cell::new(false),
            issued: Cell::new(0),
            is_capturing: Cell::new(false),
            state: Cell::new(State::Open),
            timeout,
        };
        context.stream = context.new_stream()?;
        context.end = context.untimed_event()?;
        context.fences = [context.untimed_event()?, context.untimed_event()?];
        Ok(Rc::new(context))
    }

    /// A stream that does not wait for others. Destroyed with the context, which must be current.
    fn new_stream(&self) -> Result<sys::CUstream> {
        let mut stream = ptr::null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as c_uint;
        // SAFETY: the context is current, and `stream` is a valid place for the handle.
        let status = unsafe { sys::cuStreamCreate(&raw mut stream, flags) };
        self.check("opening a stream", status)?;
        Ok(stream)
    }

    /// Makes the second stream wait for all work so far. [`Context::beside`] then selects this stream.
    pub(super) fn fork(&self) -> Result<()> {
        self.check_open()?;
        let second = match self.second.get() {
            Some(second) => second,
            None => Second { stream: self.new_stream()?, fork: self.untimed_event()?, join: self.untimed_event()? },
        };
        self.second.set(Some(second));
        // SAFETY: stream and event are of this context, and live as long as it.
        unsafe { self.record(second.fork)? };
        // SAFETY: as above.
        let status = unsafe { sys::cuStreamWaitEvent(second.stream, second.fork, 0) };
        self.check("connecting two streams", status)
    }

    /// Sends later operations to the second stream, which [`Context::fork`] opened.
    pub(super) fn beside(&self) {
        self.is_second.set(true);
    }

    /// Sends later operations to the first stream again, after all work in both.
    pub(super) fn join(&self) -> Result<()> {
        let Some(second) = self.second.get() else { return Ok(()) };
        // SAFETY: stream and event are of this context, and live as long as it.
        let recorded = unsafe { self.record(second.join) };
        self.is_second.set(false);
        recorded?;
        // SAFETY: as above.
        let status = unsafe { sys::cuStreamWaitEvent(self.stream, second.join, 0) };
        self.check("connecting two streams", status)
    }

    fn current(&self) -> sys::CUstream {
        self.second.get().filter(|_| self.is_second.get()).map_or(self.stream, |second| second.stream)
    }

    pub(super) const fn raw(&self) -> sys::CUcontext {
        self.raw
    }

    /// Gives this context, which must be current, access to the other's memory. Fails with [`Error::Unsupported`] if
    /// the cards do not support peer access.
    pub(super) fn access(&self, other: &Self) -> Result<()> {
        // SAFETY: both handles came from `cuCtxCreate`, and `other` is borrowed.
        match unsafe { sys::cuCtxEnablePeerAccess(other.raw, 0) } {
            CUresult::CUDA_SUCCESS | CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => Ok(()),
            CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED => {
                Err(Error::Unsupported("the two cards cannot access each other's memory".to_owned()))
            }
            status => self.check("connecting two cards", status),
        }
    }

    /// An event without a timestamp, which is cheaper. Destroyed with the context.
    fn untimed_event(&self) -> Result<sys::CUevent> {
        let mut raw = ptr::null_mut();
        let flags = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as c_uint;
        // SAFETY: `open` made the context current, and `raw` is a valid place for the handle.
        let status = unsafe { sys::cuEventCreate(&raw mut raw, flags) };
        self.check("creating an event", status)?;
        Ok(raw)
    }

    /// The longest time that a submission may take.
    pub(super) const fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Destroys the context and everything in it, unless that may block forever.
    pub(super) fn close(&self) {
        if matches!(self.state.get(), State::Open | State::Lost) {
            self.state.set(State::Closed);
            // SAFETY: `raw` came from `cuCtxCreate` and is destroyed once: the state is now `Closed`, so `enter`
            // refuses later calls. An error leaves nothing to do.
            let _ = unsafe { sys::cuCtxDestroy_v2(self.raw) };
        }
    }

    /// Fails if the context no longer works.
    pub(super) fn check_open(&self) -> Result<()> {
        match self.state.get() {
            State::Open => Ok(()),
            State::Lost | State::Closed => Err(Error::Lost("the context has already failed".to_owned())),
            State::Hung => Err(Error::Timeout { seconds: self.timeout.as_secs_f64() }),
        }
    }

    pub(super) fn enter(&self) -> Result<()> {
        self.check_open()?;
        // SAFETY: the context is open: `close` would have changed the state.
        let status = unsafe { sys::cuCtxSetCurrent(self.raw) };
        self.check("entering a context", status)
    }

    /// Turns a status into a result and marks the context as lost if it is.
    pub(super) fn check(&self, operation: &str, status: CUresult) -> Result<()> {
        if status == CUresult::CUDA_SUCCESS {
            return Ok(());
        }
        let error = status::error(operation, status);
        if error.ends_device() {
            self.state.set(State::Lost);
        }
        Err(error)
    }

    /// The stream, for libraries.
    pub(super) const fn stream(&self) -> *mut c_void {
        self.stream.cast()
    }

    pub(super) fn issue(&self, name: &str, operation: impl FnOnce(sys::CUstream) -> CUresult) -> Result<()> {
        self.check_open()?;
        self.check(name, operation(self.current()))?;
        self.count_operation()
    }

    /// Counts an operation. At every [`FENCE_INTERVAL`], waits for earlier ones: the driver would block with too many
    /// in flight.
    pub(super) fn count_operation(&self) -> Result<()> {
        if self.is_capturing.get() {
            return Ok(());
        }
        let issued = self.issued.get() + 1;
        self.issued.set(issued);
        if issued.is_multiple_of(FENCE_INTERVAL) {
            let fence = self.fences[(issued / FENCE_INTERVAL % 2) as usize];
            self.wait_for(fence)?;
            // SAFETY: the fences are events of this context, and live as long as it.
            unsafe { self.record(fence)? };
        }
        Ok(())
    }

    /// Captures as a graph what `operations` add to the stream, without running it. The caller destroys the graph. The
    /// context must be current.
    ///
    /// # Safety
    /// All that the operations use, including events, exists until the graph and all graphs instantiated from it are
    /// destroyed.
    ///
    /// # Errors
    /// Errors of the operations, or if the driver cannot capture them. The stream then runs operations again.
    pub(super) unsafe fn capture(&self, operations: impl FnOnce() -> Result<()>) -> Result<sys::CUgraph> {
        self.check_open()?;
        // The stricter modes reject calls outside the stream, which a kernel's first launch may need.
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the stream lives as long as the context, which is open.
        let status = unsafe { sys::cuStreamBeginCapture_v2(self.stream, mode) };
        self.check("starting to capture a graph", status)?;
        self.is_capturing.set(true);
        let added = operations();
        self.is_capturing.set(false);
        let mut graph = ptr::null_mut();
        // SAFETY: this thread began the capture, which ends here even after an error; `graph` is a valid place.
        let status = unsafe { sys::cuStreamEndCapture(self.stream, &raw mut graph) };
        let ended = self.check("capturing a graph", status);
        if graph.is_null() {
            return Err(added
                .and(ended)
                .err()
                .unwrap_or_else(|| Error::Validation("the driver captured no graph".to_owned())));
        }
        if let Err(error) = added.and(ended) {
            // SAFETY: the driver has just returned the graph, and no other code has it. An error leaves nothing to do.
            let _ = unsafe { sys::cuGraphDestroy(graph) };
            return Err(error);
        }
        Ok(graph)
    }

    /// Adds an event to the graph that is being captured.
    ///
    /// # Safety
    /// The event came from `cuEventCreate` in this context and is not destroyed before the graph.
    pub(super) unsafe fn record_in_graph(&self, event: sys::CUevent) -> Result<()> {
        self.check_open()?;
        let flags = sys::CUevent_record_flags::CU_EVENT_RECORD_EXTERNAL as c_uint;
        // SAFETY: the caller guarantees the event; the stream lives as long as the context, which is open. Outside a
        // capture the driver refuses the flag.
        let status = unsafe { sys::cuEventRecordWithFlags(event, self.stream, flags) };
        self.check("adding an event to a graph", status)
    }

    /// Records an event in the stream.
    ///
    /// # Safety
    /// The event came from `cuEventCreate` in this context and is not destroyed.
    pub(super) unsafe fn record(&self, event: sys::CUevent) -> Result<()> {
        self.check_open()?;
        // SAFETY: the caller guarantees the event; the stream lives as long as the context, which is open.
        let status = unsafe { sys::cuEventRecord(event, self.current()) };
        self.check("recording an event", status)
    }

    /// Waits for an event of this context: polls without a pause at first, then every 50 µs. Fails with
    /// [`Error::Timeout`] after the context's timeout, and with errors of the work before the event.
    fn wait_for(&self, event: sys::CUevent) -> Result<()> {
        self.check_open()?;
        let mut clock = WaitClock::start();
        loop {
            // SAFETY: callers pass `end` or a fence, which live as long as the context, and nothing in this loop closes
            // it. An event that was never recorded counts as finished.
            match unsafe { sys::cuEventQuery(event) } {
                CUresult::CUDA_ERROR_NOT_READY => {}
                status => return self.check("waiting for the device", status),
            }
            let waited = clock.tick();
            if waited > self.timeout {
                self.state.set(State::Hung);
                return Err(Error::Timeout { seconds: self.timeout.as_secs_f64() });
            }
            if waited < SPIN { std::thread::yield_now() } else { std::thread::sleep(Duration::from_micros(50)) }
        }
    }

    /// Waits for all work in the stream. After an error the context is unusable: copies may still be in flight.
    pub(super) fn wait(&self) -> Result<()> {
        // A step that failed may have left the second stream.
        self.is_second.set(false);
        // SAFETY: `end` is an event of this context, and lives as long as it.
        let recorded = unsafe { self.record(self.end) };
        let waited = recorded.and_then(|()| self.wait_for(self.end));
        if waited.is_err() && self.state.get() == State::Open {
            self.state.set(State::Lost);
        }
        self.issued.set(0);
        waited
    }

    /// Runs a destructor's call if the context still works. Destroying a lost context frees everything in it.
    pub(super) fn free(&self, call: impl FnOnce() -> CUresult) {
        if self.enter().is_ok() {
            let _ = call();
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        self.close();
    }
}
