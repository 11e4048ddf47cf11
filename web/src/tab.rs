//! A device in a tab: nothing is measured while the tab is hidden, and what would not fit into the tab's memory is refused.

use std::cell::{Cell, RefCell};

use futures_channel::oneshot;
use js_sys::Function;
use shaderbench::backend::wgpu::WgpuBackend;
use shaderbench::backend::{Backend, Device, Prepared, Sample, Task};
use shaderbench::error::{Error, Result};
use shaderbench::job::{Job, Step};
use wasm_bindgen::JsValue;

/// Bytes of host copies that a job may need: the tab's memory ends at 4 GiB, and never shrinks.
const MOST_COPIED: u64 = 512 << 20;

#[derive(Default)]
struct State {
    is_hidden: Cell<bool>,
    is_stopped: Cell<bool>,
    /// How often the tab was hidden.
    times_hidden: Cell<u32>,
    waiting: RefCell<Vec<oneshot::Sender<()>>>,
}

thread_local! {
    static STATE: State = State::default();
}

/// Tells whether the tab is hidden.
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

/// Ends the run before its next case.
pub(crate) fn stop() {
    STATE.with(|state| {
        state.is_stopped.set(true);
        wake(state);
    });
}

/// Forgets an earlier [`stop`].
pub(crate) fn go_on() {
    STATE.with(|state| state.is_stopped.set(false));
}

pub(crate) fn is_stopped() -> bool {
    STATE.with(|state| state.is_stopped.get())
}

fn wake(state: &State) {
    for waiting in state.waiting.take() {
        // One that no longer waits needs no waking.
        let _ = waiting.send(());
    }
}

/// Waits until the tab is seen, or the run is to end. Gives how often it was hidden.
async fn seen() -> u32 {
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

/// Whether the tab was hidden since `times`.
fn was_hidden_since(times: u32) -> bool {
    STATE.with(|state| state.times_hidden.get() != times) && !is_stopped()
}

/// The device, and what is known of its host.
pub(crate) struct Tab {
    pub(crate) backend: WgpuBackend,
    pub(crate) os: String,
    pub(crate) cpu: String,
    /// Whether the last attempt to open a lost device anew failed.
    pub(crate) is_gone: bool,
    /// Called where a lost device was opened anew.
    pub(crate) on_reopened: Option<Function>,
}

impl Tab {
    /// Opens the device anew where it was lost since the last run, or in it.
    ///
    /// # Errors
    /// Why it cannot be opened.
    pub(crate) async fn revive(&mut self) -> Result<()> {
        if self.is_gone || self.backend.is_lost() {
            self.is_gone = true;
            self.backend.reopen().await?;
            self.is_gone = false;
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
            if copied > MOST_COPIED {
                let (needs, has) = (copied >> 20, MOST_COPIED >> 20);
                return Err(Error::Unsupported(format!("needs {needs} MiB of the tab's own memory, past {has} MiB")));
            }
            seen().await;
            let inner = self.backend.prepare(job).await.map_err(|error| match error {
                // What a browser gives to a tab is its own decision, and no fault of the case's.
                Error::OutOfMemory(why) => {
                    Error::Unsupported(format!("the browser gives this tab too little memory: {why}"))
                }
                error => error,
            })?;
            Ok(Box::new(Seen { inner }) as Box<dyn Prepared>)
        })
    }

    fn reopen(&mut self) -> Task<'_, ()> {
        Box::pin(async move {
            self.is_gone = true;
            self.backend.reopen().await?;
            self.is_gone = false;
            if let Some(tell) = &self.on_reopened {
                // A page that throws has had its say on its own console.
                let _ = tell.call2(&JsValue::NULL, &"reopened".into(), &"null".into());
            }
            Ok(())
        })
    }

    fn release(&mut self) {
        self.backend.release();
    }
}

/// Bytes that the host keeps of a job's buffers.
fn copied_bytes(job: &Job) -> u64 {
    let mut places: Vec<usize> = Vec::new();
    for step in job.steps.iter().chain(&job.end_to_end) {
        match step {
            Step::Upload(place) | Step::Send { from: place, .. } | Step::Receive { to: place, .. } => {
                places.push(*place);
            }
            _ => {}
        }
    }
    places.sort_unstable();
    places.dedup();
    places.into_iter().map(|place| job.buffers[place].bytes).sum()
}

/// A job that is timed only while the tab is seen.
struct Seen {
    inner: Box<dyn Prepared>,
}

impl Prepared for Seen {
    fn sample(&mut self, launches: u32) -> Task<'_, Sample> {
        Box::pin(async move {
            loop {
                let times = seen().await;
                let sample = self.inner.sample(launches).await?;
                // A browser may slow what nobody sees: that is no time of the device's.
                if !was_hidden_since(times) {
                    return Ok(sample);
                }
            }
        })
    }

    fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
        Box::pin(async move {
            loop {
                let times = seen().await;
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
