//! An open wgpu device.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use futures_channel::oneshot;

use super::adapter::{self, Adapter};
use super::platform::{self, PIECE};
use super::timeouts::Timeouts;
use crate::backend::Device;
use crate::job::POISON;
use record::error::{Error, Result, one_line};
use record::suite::{Api, Feature};

/// The size of wgpu's buffer of zeros on Direct3D 12, in bytes.
const CLEARED: u64 = 256 << 10;

/// Device, queue, and the errors reported since the last check.
#[derive(Clone)]
pub(super) struct Gpu {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pub(super) timeouts: Timeouts,
    error: Arc<Mutex<Option<Error>>>,
    is_lost: Arc<AtomicBool>,
    pub(super) has_bf16: bool,
    /// [`PIECE`] bytes of [`POISON`].
    pub(super) poison: wgpu::Buffer,
    /// Staging memory, allocated once, because the first access to its pages costs more than writing them.
    pub(super) upload: [wgpu::Buffer; 2],
    pub(super) readback: [wgpu::Buffer; 2],
    /// The kernel that draws inputs, set at its first use; `None` inside if the host must write them instead.
    pub(super) filler: Arc<OnceLock<Option<wgpu::ComputePipeline>>>,
}

impl Gpu {
    /// Opens a device, on Vulkan with support for SPIR-V from other compilers.
    pub(super) async fn open(adapter: &Adapter, timeouts: Timeouts) -> Result<Self> {
        if let Some(refusal) = adapter::refusal(&adapter.device) {
            return Err(Error::NoDevice(refusal));
        }
        let mut required_features = adapter::wanted_features(adapter);
        if adapter.device.api == Api::Vulkan {
            required_features |= adapter.inner.features() & wgpu::Features::PASSTHROUGH_SHADERS;
        }
        let experimental_features = if required_features.intersects(wgpu::Features::all_experimental_mask()) {
            #[expect(unsafe_code, reason = "cooperative matrices are an experimental feature of wgpu")]
            // SAFETY: the only experimental feature requested is cooperative matrices, for which wgpu adds no bounds
            // checks. `WgpuBackend::prepare` and `background::kernels` call `Device::check`, which refuses the feature
            // to untrusted kernels; trusted ones stay within their buffers (`Case::trust`).
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
            required_limits: adapter::wanted_limits(adapter),
            memory_hints: wgpu::MemoryHints::MemoryUsage,
            ..Default::default()
        };
        let wants_bf16 = adapter.device.features.contains(&Feature::Bf16Matrix);
        let extended = platform::open_extended(&adapter.inner, &descriptor, wants_bf16);
        let has_bf16 = wants_bf16 && extended.is_some();
        let (device, queue) = match extended {
            Some(opened) => opened,
            None => adapter.inner.request_device(&descriptor).await.map_err(|error| {
                Error::NoDevice(format!("{} ({}) cannot be opened: {error}", adapter.device.name, adapter.device.api))
            })?,
        };
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
        let gpu = Self {
            device,
            queue,
            timeouts,
            error: reported,
            is_lost,
            has_bf16,
            poison,
            upload,
            readback,
            filler: Arc::default(),
        };
        if let Some(rest) = gpu.left_by_clear().await? {
            // Keeps the memory, so that the next device gets other memory.
            std::mem::forget(gpu);
            let Device { name, api, .. } = &adapter.device;
            return Err(Error::NoDevice(format!(
                "{name} ({api}) did not clear a buffer ({rest:#010x} was left in it), so counters would have wrong \
                 starting values: run again with --resume for the missing rows"
            )));
        }
        Ok(gpu)
    }

    /// The first nonzero word in a cleared buffer. wgpu clears by copying from a buffer that Direct3D guarantees to be
    /// zero, but a translation layer may leave freed data of an earlier device there.
    async fn left_by_clear(&self) -> Result<Option<u32>> {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("cleared"),
            size: CLEARED,
            usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        self.poison(&buffer, 0..CLEARED);
        let mut encoder = self.encoder();
        encoder.clear_buffer(&buffer, 0, None);
        self.run(encoder).await?;
        let mut left = None;
        self.read(&buffer, 0..CLEARED, &mut |_, bytes| left = left.or_else(|| first_word_set(bytes))).await?;
        buffer.destroy();
        Ok(left)
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

fn first_word_set(bytes: &[u8]) -> Option<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).find(|word| *word != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::wgpu::adapters;

    #[test]
    fn a_cleared_buffer_with_a_rest_is_found() {
        let mut bytes = vec![0; CLEARED as usize];
        assert_eq!(first_word_set(&bytes), None);
        bytes[CLEARED as usize - 4..].copy_from_slice(&7_u32.to_le_bytes());
        assert_eq!(first_word_set(&bytes), Some(7));
    }

    #[test]
    fn a_device_is_opened_with_what_its_description_says() {
        let Some(mut adapter) = pollster::block_on(adapters(None)).into_iter().next() else {
            eprintln!("SKIPPED: there is no device");
            return;
        };
        let whole = pollster::block_on(Gpu::open(&adapter, Timeouts::DEFAULT)).expect("a device").device;
        assert_eq!(whole.limits(), adapter.inner.limits());
        adapter.device.max_invocations = 64;
        adapter.device.max_binding_bytes = 1 << 20;
        adapter.device.max_workgroup_bytes = 4096;
        adapter.device.features.remove(&Feature::Subgroups);
        adapter.device.has_timestamps = false;
        adapter.device.has_copy_timestamps = false;
        let lowered = pollster::block_on(Gpu::open(&adapter, Timeouts::DEFAULT)).expect("a device").device;
        let limits = lowered.limits();
        assert_eq!(limits.max_compute_invocations_per_workgroup, 64);
        assert_eq!(limits.max_storage_buffer_binding_size, 1 << 20);
        assert_eq!(limits.max_compute_workgroup_storage_size, 4096);
        let gone = wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::SUBGROUP;
        assert!(!lowered.features().intersects(gone), "{:?}", lowered.features());
    }
}
