//! What wgpu does otherwise in a browser: the counterpart of `native.rs`, function by function.
//!
//! The browser keeps every run-time check and zero-initialisation on, whatever it is asked ([`Device::checks`]). Nothing here polls:
//! callbacks come from the browser's event loop.

use std::borrow::Cow;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use futures_channel::oneshot;
use gloo_timers::future::TimeoutFuture;

use super::gpu::Gpu;
use super::{Memory, Patience, unanswered};
use crate::backend::Api;
use crate::backend::Device;
use crate::backend::background::Ahead;
use crate::error::{Error, Result};
use crate::job::Kernel;
use crate::suite::Feature;

/// The one API.
pub const APIS: [(Api, wgpu::Backend); 1] = [(Api::WebGpu, wgpu::Backend::BrowserWebGpu)];

/// Bytes that travel between host and device in one piece: between two pieces the browser hears what its user wants.
pub(super) const PIECE: u64 = 8 << 20;

/// The adapter that the browser prefers for work.
pub(super) async fn find(instance: &wgpu::Instance, _backends: wgpu::Backends) -> Vec<wgpu::Adapter> {
    let power_preference = wgpu::PowerPreference::HighPerformance;
    let options = wgpu::RequestAdapterOptions { power_preference, ..Default::default() };
    instance.request_adapter(&options).await.into_iter().collect()
}

/// An adapter to open a device on again: a browser lets each adapter be opened once.
pub(super) async fn renew(_adapter: &wgpu::Adapter) -> Result<wgpu::Adapter> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let found = find(&instance, wgpu::Backends::all()).await.pop();
    found.ok_or_else(|| {
        Error::NoDevice("the device was lost, and the browser gives this page no adapter any more".to_owned())
    })
}

/// Takes note of features that wgpu does not know in a browser: the page asks for them in its stead.
pub(super) fn note_features(opened: &wgpu::Device, device: &mut Device) {
    if opened.as_webgpu().is_some_and(|raw| raw.features().has("subgroups")) {
        device.features.insert(Feature::Subgroups);
    }
}

/// What stands in front of kernels with subgroup operations. naga does not know the first line and warns of the second, without which a
/// browser refuses a loop that ends by what the subgroup has found together: it cannot see that all its lanes leave at once.
const SUBGROUPS: &str = "enable subgroups;\ndiagnostic(off, subgroup_uniformity);\n";

/// The kernel with the directives that browsers demand.
pub(super) fn source(kernel: &Kernel) -> Cow<'_, str> {
    if kernel.interface.features.contains(&Feature::Subgroups) {
        return format!("{SUBGROUPS}{}", kernel.source).into();
    }
    kernel.source.as_str().into()
}

/// Nothing: a tab has one thread.
pub(super) const fn compile_ahead(
    _gpu: &Gpu,
    _device: &Device,
    _kernels: &[(u64, &Kernel)],
) -> Option<Ahead<wgpu::ComputePipeline>> {
    None
}

/// Nothing: who waits for the browser waits for an [`answer`].
pub(super) const fn poll(
    _device: &wgpu::Device,
    _submission: Option<&wgpu::SubmissionIndex>,
    _patience: Patience,
) -> Result<()> {
    Ok(())
}

/// Writes views of mapped memory. `fill` writes the bytes from an offset on.
pub(super) fn write_views(views: Vec<(u64, wgpu::BufferViewMut)>, fill: impl Fn(u64, &mut [u8])) {
    for (offset, mut view) in views {
        let mut bytes = vec![0; view.len()];
        fill(offset, &mut bytes);
        view.copy_from_slice(&bytes);
    }
}

/// What a callback says within `patience`. No tab sees whether the processor works for it, so that a software device gets all of the time
/// that one that works may take.
pub(super) async fn answer<T>(answer: oneshot::Receiver<T>, patience: Patience) -> Result<T> {
    let patience = patience.working;
    let mut answer = pin!(answer);
    let mut clock = pin!(TimeoutFuture::new(u32::try_from(patience.as_millis()).unwrap_or(u32::MAX)));
    poll_fn(|context| match answer.as_mut().poll(context) {
        Poll::Ready(said) => Poll::Ready(said.map_err(|_| unanswered())),
        Poll::Pending => clock.as_mut().poll(context).map(|()| Err(Error::Timeout { seconds: patience.as_secs_f64() })),
    })
    .await
}

/// Frees memory of the device now: a browser would keep it until its garbage is collected.
pub(super) fn let_go(memory: &Memory) {
    match memory {
        Memory::Buffer(buffer) => buffer.destroy(),
        Memory::Texture(texture) => texture.destroy(),
    }
}
