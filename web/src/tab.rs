//! A device in a tab. Measuring pauses while the tab is hidden, and cases too large for the tab's memory are refused.

use std::cell::{Cell, RefCell};

use futures_channel::oneshot;
use gpu::backend::wgpu::WgpuBackend;
use gpu::backend::{Backend, Device, Prepared, Sample, Task};
use gpu::job::{Job, Step};
use js_sys::Function;
use record::error::{Error, Result};

use crate::event::Event;

/// Maximum bytes of a job's host copies: the tab's memory is limited to 4 GiB and never shrinks.
const MAX_HOST_COPY_BYTES: u64 = 512 << 20;

#[derive(Default)]
struct State {
    is_hidden: Cell<bool>,
    is_stopped: Cell<bool>,
    times_hidden: Cell<u32>,
    waiting: RefCell<Vec<oneshot::Sender<()>>>,
}

thread_local! {
    static STATE: State = State::default();
}

pub(crate) fn hide(is_hidden: bool) {
    STATE.with(|state| {
        if is_hidden && !state.is_hidden.get() {
            state.times_hidden.set(state.times_hidden.get() + 1);
        }
        state.is_hidden.set(is_hidden);
        if !is_hidden {
            wake(state);
        }
    });
}

pub(crate) fn stop() {
    STATE.with(|state| {
        state.is_stopped.set(true);
        wake(state);
    });
}

/// Cancels an earlier [`stop`].
pub(crate) fn clear_stop() {
    STATE.with(|state| state.is_stopped.set(false));
}

pub(crate) fn is_stopped() -> bool {
    STATE.with(|state| state.is_stopped.get())
}

fn wake(state: &State) {
    for waiting in state.waiting.take() {
        // Sending fails if nothing waits any more.
        let _ = waiting.send(());
    }
}

/// Waits until the tab is visible or the run is stopped. Returns how often the tab was hidden.
async fn until_visible() -> u32 {
    loop {
        let woken = STATE.with(|state| {
            if !state.is_hidden.get() || state.is_stopped.get() {
                return None;
            }
            let (waker, woken) = oneshot::channel();
            state.waiting.borrow_mut().push(waker);
            Some(woken)
        });
        match woken {
            Some(woken) => drop(woken.await),
            None => return STATE.with(|state| state.times_hidden.get()),
        }
    }
}

/// Whether the tab was hidden since the count was `times`; false once the run is stopped.
fn was_hidden_since(times: u32) -> bool {
    STATE.with(|state| state.times_hidden.get() != times) && !is_stopped()
}

pub(crate) struct Tab {
    pub(crate) backend: WgpuBackend,
    pub(crate) os: String,
    pub(crate) cpu: String,
    pub(crate) reopen_failed: bool,
    pub(crate) on_reopened: Option<Function>,
}

impl Tab {
    /// Reopens the device if it was lost in the last run or since.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(crate) async fn reopen_if_lost(&mut self) -> Result<()> {
        if self.reopen_failed || self.backend.is_lost() {
            self.reopen_failed = true;
            self.backend.reopen().await?;
            self.reopen_failed = false;
        }
        Ok(())
    }
}

impl Backend for Tab {
    fn device(&self) -> &Device {
        self.backend.device()
    }

    fn prepare<'a>(&'a mut self, job: &'a Job) -> Task<'a, Box<dyn Prepared>> {
        Box::pin(async move {
            let copied = copied_bytes(job);
            if copied > MAX_HOST_COPY_BYTES {
                let (needs, has) = (copied >> 20, MAX_HOST_COPY_BYTES >> 20);
                return Err(Error::Unsupported(format!(
                    "needs {needs} MiB of the tab's memory; the limit is {has} MiB"
                )));
            }
            until_visible().await;
            let inner = self.backend.prepare(job).await.map_err(|error| match error {
                // The browser limits a tab's memory: the case is unsupported, not failed.
                Error::OutOfMemory(reason) => {
                    Error::Unsupported(format!("the browser gives this tab too little memory: {reason}"))
                }
                error => error,
            })?;
            Ok(Box::new(WhileVisible { inner }) as Box<dyn Prepared>)
        })
    }

    fn reopen(&mut self) -> Task<'_, ()> {
        Box::pin(async move {
            self.reopen_failed = true;
            self.backend.reopen().await?;
            self.reopen_failed = false;
            if let Some(callback) = &self.on_reopened {
                Event::Reopened.post(callback);
            }
            Ok(())
        })
    }

    fn release(&mut self) {
        self.backend.release();
    }
}

/// Bytes of a job's buffers that have host copies.
fn copied_bytes(job: &Job) -> u64 {
    let mut buffers: Vec<usize> = Vec::new();
    for step in job.steps.iter().chain(&job.end_to_end) {
        match step {
            Step::Upload(buffer) | Step::Send { from: buffer, .. } | Step::Receive { to: buffer, .. } => {
                buffers.push(*buffer);
            }
            _ => {}
        }
    }
    buffers.sort_unstable();
    buffers.dedup();
    buffers.into_iter().map(|buffer| job.buffers[buffer].bytes).sum()
}

/// A job that is timed only while the tab is visible.
struct WhileVisible {
    inner: Box<dyn Prepared>,
}

impl Prepared for WhileVisible {
    fn sample(&mut self, launches: u32) -> Task<'_, Sample> {
        Box::pin(async move {
            loop {
                let times = until_visible().await;
                let sample = self.inner.sample(launches).await?;
                // Browsers may throttle a hidden tab, so drop the sample.
                if !was_hidden_since(times) {
                    return Ok(sample);
                }
            }
        })
    }

    fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
        Box::pin(async move {
            loop {
                let times = until_visible().await;
                let timed = self.inner.end_to_end().await?;
                if !was_hidden_since(times) {
                    return Ok(timed);
                }
            }
        })
    }

    fn poison(&mut self) -> Task<'_, ()> {
        self.inner.poison()
    }

    fn read<'a>(&'a mut self, buffer: usize, bytes: u64, sink: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
        self.inner.read(buffer, bytes, sink)
    }
}
