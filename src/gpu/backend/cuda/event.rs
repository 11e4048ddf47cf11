//! Timestamps of the device.

use std::ffi::c_uint;
use std::ptr;
use std::rc::Rc;

use cudarc::driver::sys;

use super::context::Context;
use record::error::Result;

pub(super) struct Event {
    context: Rc<Context>,
    raw: sys::CUevent,
}

impl Event {
    /// Creates an event in `context`, which must be current.
    pub(super) fn new(context: &Rc<Context>) -> Result<Self> {
        let mut raw = ptr::null_mut();
        // SAFETY: `raw` is a valid place for the handle. Without a current context, the driver returns an error.
        let status = unsafe { sys::cuEventCreate(&raw mut raw, sys::CUevent_flags::CU_EVENT_DEFAULT as c_uint) };
        context.check("creating an event", status)?;
        Ok(Self { context: Rc::clone(context), raw })
    }

    /// Records the device's time once all previous work in the stream is finished.
    pub(super) fn record(&self) -> Result<()> {
        // SAFETY: the event came from `cuEventCreate` in this context, and only `drop` destroys it.
        unsafe { self.context.record(self.raw) }
    }

    /// Adds the event to the graph that is being captured: each launch of the graph records it.
    pub(super) fn record_in_graph(&self) -> Result<()> {
        // SAFETY: the event came from `cuEventCreate` in this context. Its owner, a `Graph`, destroys the graph first.
        unsafe { self.context.record_in_graph(self.raw) }
    }

    /// Nanoseconds from this event to a later one. Both must be finished.
    pub(super) fn ns_until(&self, later: &Self) -> Result<f64> {
        let mut milliseconds = 0.0_f32;
        // SAFETY: both events came from `cuEventCreate`; only `drop` destroys them; `milliseconds` is a valid place.
        let status = unsafe { sys::cuEventElapsedTime_v2(&raw mut milliseconds, self.raw, later.raw) };
        self.context.check("reading the device's clock", status)?;
        // The driver returns milliseconds as f32, whose resolution at 10 ms is 1 ns.
        Ok((f64::from(milliseconds) * 1e6).round())
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the event came from `cuEventCreate` in this context, and no other code destroys it.
        self.context.free(|| unsafe { sys::cuEventDestroy_v2(self.raw) });
    }
}
