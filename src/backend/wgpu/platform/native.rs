//! What wgpu does outside a browser and does otherwise in one: see `web.rs`, which has the same functions.

use std::borrow::Cow;
use std::time::Duration;

use futures_channel::oneshot;
use rayon::prelude::*;

use super::gpu::{Gpu, one_line};
use super::{Memory, Patience, pipelines, unanswered};
use crate::backend::Api;
use crate::backend::background::{self, Ahead, Work};
use crate::backend::{Device, DeviceType};
use crate::error::{Error, Result};
use crate::job::Kernel;

/// The APIs that wgpu can drive here, the preferred one first.
pub const APIS: [(Api, wgpu::Backend); 4] = [
    (Api::Vulkan, wgpu::Backend::Vulkan),
    (Api::Metal, wgpu::Backend::Metal),
    (Api::Dx12, wgpu::Backend::Dx12),
    (Api::Gl, wgpu::Backend::Gl),
];

/// Bytes that travel between host and device in one piece, so that neither side stages a whole gigabyte at once.
pub(super) const PIECE: u64 = 32 << 20;

/// Every adapter.
pub(super) async fn find(instance: &wgpu::Instance, backends: wgpu::Backends) -> Vec<wgpu::Adapter> {
    instance.enumerate_adapters(backends).await
}

/// An adapter to open a device on again.
#[expect(clippy::unused_async, reason = "a browser answers later")]
pub(super) async fn renew(adapter: &wgpu::Adapter) -> Result<wgpu::Adapter> {
    Ok(adapter.clone())
}

/// Nothing: the adapter has told everything.
pub(super) const fn note_features(_opened: &wgpu::Device, _device: &mut Device) {}

/// The kernel as it is handed over.
pub(super) fn source(kernel: &Kernel) -> Cow<'_, str> {
    kernel.source.as_str().into()
}

/// Compiles kernels ahead of the run. Not for devices that run on the cores that compile, nor where these are too few to stay out of the
/// measuring thread's way; nor through OpenGL, whose one context every call waits for.
pub(super) fn compile_ahead(
    gpu: &Gpu,
    device: &Device,
    kernels: &[(u64, &Kernel)],
) -> Option<Ahead<wgpu::ComputePipeline>> {
    let is_apart = device.kind != DeviceType::Software && device.api != Api::Gl;
    (is_apart && background::cores() >= 4).then(|| start(gpu, kernels))
}

pub(super) fn start(gpu: &Gpu, kernels: &[(u64, &Kernel)]) -> Ahead<wgpu::ComputePipeline> {
    let programs = kernels.iter().map(|(key, kernel)| {
        let (device, kernel) = (gpu.device.clone(), (*kernel).clone());
        let work: Work<wgpu::ComputePipeline> = Box::new(move || {
            // Scopes are their thread's own. What the driver says here is no trouble of the case in flight.
            let outer = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
            let inner = device.push_error_scope(wgpu::ErrorFilter::Internal);
            let compiled = pollster::block_on(pipelines::compiled(&device, &kernel));
            let errors = [pollster::block_on(inner.pop()), pollster::block_on(outer.pop())];
            compiled.ok().filter(|_| errors.iter().all(Option::is_none))
        });
        (*key, work)
    });
    Ahead::start(programs.collect())
}

/// Waits until the device is done with `submission`, or with everything.
///
/// # Errors
/// [`Error::Timeout`] where it takes longer than `patience`, [`Error::Lost`] for anything else that goes wrong.
pub(super) fn poll(
    device: &wgpu::Device,
    submission: Option<&wgpu::SubmissionIndex>,
    patience: Patience,
) -> Result<()> {
    // Time is counted in slices: a process that was stopped for hours, or a machine that slept, has not waited.
    let (mut waited, mut idle, mut used) = (Duration::ZERO, Duration::ZERO, None);
    while idle < patience.idle && waited < patience.working {
        let slice = SLICE.min(patience.idle - idle).min(patience.working - waited);
        match device.poll(wgpu::PollType::Wait { submission_index: submission.cloned(), timeout: Some(slice) }) {
            Ok(_) => return Ok(()),
            Err(wgpu::PollError::Timeout) => {}
            Err(error) => return Err(Error::Lost(one_line(&error.to_string()))),
        }
        (waited, idle) = (waited + slice, idle + slice);
        if patience.working > patience.idle {
            let now = processor_time();
            if now.is_some_and(|now| used.is_none_or(|before| now >= before + slice / 100)) {
                idle = Duration::ZERO;
            }
            used = now;
        }
    }
    Err(Error::Timeout { seconds: waited.as_secs_f64() })
}

/// How often a device that does not answer is looked at.
const SLICE: Duration = Duration::from_secs(1);

/// The processor time that this process has used, on all cores; `None` where the system does not tell.
fn processor_time() -> Option<Duration> {
    let own = sysinfo::get_current_pid().ok()?;
    let mut system = sysinfo::System::new().ok()?;
    let wanted = sysinfo::ProcessRefreshKind::nothing().with_cpu();
    system.refresh_processes_specifics(sysinfo::ProcessesToUpdate::Some(&[own]), false, wanted);
    Some(Duration::from_millis(system.process(own)?.accumulated_cpu_time()))
}

/// Writes views of mapped memory on all cores: one alone copies more slowly than a device takes. `fill` writes the bytes from an offset on.
pub(super) fn write_views(views: Vec<(u64, wgpu::BufferViewMut)>, fill: impl Fn(u64, &mut [u8]) + Sync) {
    views.into_par_iter().for_each_init(Vec::new, |bytes, (offset, mut view)| {
        bytes.resize(view.len(), 0);
        fill(offset, bytes);
        view.copy_from_slice(bytes);
    });
}

/// What a callback says, which polling has called.
pub(super) async fn answer<T>(answer: oneshot::Receiver<T>, _patience: Patience) -> Result<T> {
    answer.await.map_err(|_| unanswered())
}

/// Nothing: memory is freed when its last owner drops it.
pub(super) const fn let_go(_memory: &Memory) {}
