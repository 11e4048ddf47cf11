//! An open wgpu device.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_channel::oneshot;

use super::adapter::{self, Adapter};
use super::platform::{self, PIECE};
use super::timeouts::Timeouts;
use crate::backend::Api;
use crate::error::{Error, Result, one_line};
use crate::job::POISON;

/// Device, queue, and the errors reported since the last check.
#[derive(Clone)]
pub(super) struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) timeouts: Timeouts,
    error: Arc<Mutex<Option<Error>>>,
    is_lost: Arc<AtomicBool>,
    /// [`PIECE`] bytes of [`POISON`].
    pub(super) poison: wgpu::Buffer,
    /// Staging memory for large buffers. Allocated once, because the first access to its pages costs more than writing
    /// them.
    pub(super) upload: [wgpu::Buffer; 2],
    pub(super) readback: [wgpu::Buffer; 2],
}

impl Gpu {
    /// Opens a device; with `passes_through`, one that takes the SPIR-V of other compilers, where the API does.
    pub(super) async fn open(adapter: &Adapter, timeouts: Timeouts, passes_through: bool) -> Result<Self> {
        if let Some(refusal) = adapter::refusal(&adapter.device) {
            return Err(Error::NoDevice(refusal));
        }
        let mut required_features = adapter::wanted_features(&adapter.inner);
        if passes_through && adapter.device.api == Api::Vulkan {
            required_features |= adapter.inner.features() & wgpu::Features::PASSTHROUGH_SHADERS;
        }
        let experimental_features = if required_features.intersects(wgpu::Features::all_experimental_mask()) {
            #[expect(unsafe_code, reason = "cooperative matrices are an experimental feature of wgpu")]
            // SAFETY: the only experimental feature requested is cooperative matrices, for which wgpu adds no bounds
            // checks. `WgpuBackend::prepare` and `background::kernels` call `Device::check`, which refuses the feature
            // to kernels that are not trusted; trusted ones stay within their buffers (`Case::trust`).
            unsafe {
                wgpu::ExperimentalFeatures::enabled()
            }
        } else {
            wgpu::ExperimentalFeatures::disabled()
        };
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("shaderbench"),
            required_features,
            experimental_features,
            required_limits: adapter.inner.limits(),
            memory_hints: wgpu::MemoryHints::MemoryUsage,
            ..Default::default()
        };
        let (device, queue) = adapter.inner.request_device(&descriptor).await.map_err(|error| {
            Error::NoDevice(format!("{} ({}) cannot be opened: {error}", adapter.device.name, adapter.device.api))
        })?;
        let reported = Arc::new(Mutex::new(None));
        let on_error = Arc::clone(&reported);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let text = one_line(&error.to_string());
            let error = match error {
                wgpu::Error::OutOfMemory { .. } => Error::OutOfMemory(text),
                _ => Error::Validation(text),
            };
            on_error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }));
        let is_lost = Arc::new(AtomicBool::new(false));
        let (on_loss, loss) = (Arc::clone(&reported), Arc::clone(&is_lost));
        device.set_device_lost_callback(move |reason, message| {
            loss.store(true, Ordering::Relaxed);
            let error = Error::Lost(one_line(&format!("{reason:?}: {message}")));
            *on_loss.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        });
        let buffer = |label, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: PIECE,
                usage,
                mapped_at_creation: false,
            })
        };
        let poison = buffer("poison", wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST);
        let upload = ["upload", "upload"]
            .map(|label| buffer(label, wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC));
        let readback = ["readback", "readback"]
            .map(|label| buffer(label, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST));
        queue.write_buffer(&poison, 0, bytemuck::cast_slice(&vec![POISON; poison.size() as usize / 4]));
        Ok(Self { device, queue, timeouts, error: reported, is_lost, poison, upload, readback })
    }

    /// Returns the error reported since the last check, if any.
    pub(super) fn check(&self) -> Result<()> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    pub(super) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }

    /// Submits and waits until the device has finished.
    pub(super) async fn run(&self, encoder: wgpu::CommandEncoder) -> Result<()> {
        self.wait(self.queue.submit([encoder.finish()])).await
    }

    pub(super) async fn wait(&self, submission: wgpu::SubmissionIndex) -> Result<()> {
        let (done, is_done) = oneshot::channel();
        self.queue.on_submitted_work_done(move || {
            let _ = done.send(());
        });
        let polled = platform::poll(&self.device, Some(&submission), self.timeouts);
        self.check()?;
        polled?;
        platform::answer(is_done, self.timeouts).await?;
        self.check()
    }

    pub(super) fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }
}
