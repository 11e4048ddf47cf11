//! Browsers keep every run-time check and zero-initialisation on. Nothing here polls: the browser's event loop calls
//! the callbacks.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use futures_channel::oneshot;
use gloo_timers::future::TimeoutFuture;
use wgpu::web_sys::js_sys;

use crate::backend::background::BackgroundCompiler;
use crate::backend::wgpu::errors::unanswered;
use crate::backend::wgpu::timeouts::Timeouts;
use crate::backend::{Device, HlslCompiler, Statistics};
use crate::job::Kernel;
use record::error::{Error, Result};
use record::suite::{Api, Feature};

/// The only API.
pub const APIS: [(Api, wgpu::Backend); 1] = [(Api::WebGpu, wgpu::Backend::BrowserWebGpu)];

/// Bytes copied at once between host and device. Between two copies the browser handles user input.
pub(in crate::backend::wgpu) const PIECE: u64 = 8 << 20;

/// The adapter that the browser prefers for high performance.
pub(in crate::backend::wgpu) async fn adapters(
    _backends: wgpu::Backends,
) -> Vec<(wgpu::Adapter, Option<HlslCompiler>)> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let power_preference = wgpu::PowerPreference::HighPerformance;
    let options = wgpu::RequestAdapterOptions { power_preference, ..Default::default() };
    instance.request_adapter(&options).await.into_iter().map(|adapter| (adapter, None)).collect()
}

/// A new adapter: in a browser, each adapter opens only one device.
pub(in crate::backend::wgpu) async fn renewed(_adapter: &wgpu::Adapter) -> Result<wgpu::Adapter> {
    let found = adapters(wgpu::Backends::all()).await.pop();
    found
        .map(|(adapter, _)| adapter)
        .ok_or_else(|| Error::NoDevice("the device was lost, and the browser offers no other adapter".to_owned()))
}

/// Browsers do not report it.
pub(in crate::backend::wgpu) const fn is_translated(_adapter: &wgpu::Adapter) -> bool {
    false
}

/// Browsers do not report it.
pub(in crate::backend::wgpu) const fn sub_texel_bits(_adapter: &wgpu::Adapter) -> Option<u32> {
    None
}

/// Adds features that the page requests but wgpu does not report; drops those that the browser's WGSL lacks.
pub(in crate::backend::wgpu) fn detect_features(opened: &wgpu::Device, device: &mut Device) {
    if opened.as_webgpu().is_some_and(|raw| raw.features().has("subgroups")) {
        device.features.insert(Feature::Subgroups);
    }
    device.features.retain(|feature| feature.of_language().is_none_or(knows));
}

/// Whether the browser's WGSL has a feature of the language: `navigator.gpu.wgslLanguageFeatures`.
fn knows(feature: &'static str) -> bool {
    let set = ["navigator", "gpu", "wgslLanguageFeatures"]
        .into_iter()
        .try_fold(js_sys::global().into(), |object, name| js_sys::Reflect::get(&object, &name.into()));
    set.is_ok_and(|set| {
        let has = js_sys::Reflect::get(&set, &"has".into()).map(js_sys::Function::from);
        has.and_then(|has| has.call1(&set, &feature.into())).is_ok_and(|answer| answer.is_truthy())
    })
}

/// Browsers have none of these matrices.
pub(in crate::backend::wgpu) const fn matrices(_adapter: &wgpu::Adapter) -> BTreeSet<Feature> {
    BTreeSet::new()
}

/// Browsers have nothing to add.
pub(in crate::backend::wgpu) const fn open_extended(
    _adapter: &wgpu::Adapter,
    _descriptor: &wgpu::DeviceDescriptor<'_>,
    _has_bf16: bool,
) -> Option<(wgpu::Device, wgpu::Queue)> {
    None
}

/// Browsers do not accept SPIR-V.
pub(in crate::backend::wgpu) const fn shared_memory_spirv(_: &wgpu::Device, _: &Kernel) -> Option<Result<Vec<u32>>> {
    None
}

/// Browsers report none.
pub(in crate::backend::wgpu) fn statistics(_device: &wgpu::Device, _kernel: &Kernel) -> Statistics {
    Statistics::default()
}

/// The kernel's text with the directives that browsers need.
pub(in crate::backend::wgpu) fn source(kernel: &Kernel) -> Cow<'_, str> {
    match kernel.directives() {
        "" => kernel.source.as_str().into(),
        directives => format!("{directives}{}", kernel.source).into(),
    }
}

/// Never: a tab has one thread.
pub(in crate::backend::wgpu) const fn can_compile_in_background(_device: &Device) -> bool {
    false
}

pub(in crate::backend::wgpu) fn compile_in_background<T, C, F>(
    _programs: impl Iterator<Item = (u64, C)>,
) -> Option<BackgroundCompiler<T>>
where
    C: FnOnce() -> F,
    F: Future<Output = Option<T>>,
{
    None
}

/// Does nothing: [`answer`] waits.
pub(in crate::backend::wgpu) const fn poll(
    _device: &wgpu::Device,
    _submission: Option<&wgpu::SubmissionIndex>,
    _timeouts: Timeouts,
) -> Result<()> {
    Ok(())
}

/// Writes views of mapped memory. `fill` writes the bytes that start at an offset.
pub(in crate::backend::wgpu) fn write_views(views: Vec<(u64, wgpu::BufferViewMut)>, fill: impl Fn(u64, &mut [u8])) {
    for (offset, mut view) in views {
        let mut bytes = vec![0; view.len()];
        fill(offset, &mut bytes);
        view.copy_from_slice(&bytes);
    }
}

/// The result of a callback. Waits up to the total limit even for software devices: a tab cannot measure CPU time.
pub(in crate::backend::wgpu) async fn answer<T>(answer: oneshot::Receiver<T>, timeouts: Timeouts) -> Result<T> {
    let limit = timeouts.total;
    let mut answer = pin!(answer);
    let mut clock = pin!(TimeoutFuture::new(u32::try_from(limit.as_millis()).unwrap_or(u32::MAX)));
    poll_fn(|context| match answer.as_mut().poll(context) {
        Poll::Ready(said) => Poll::Ready(said.map_err(|_| unanswered())),
        Poll::Pending => clock.as_mut().poll(context).map(|()| Err(Error::Timeout { seconds: limit.as_secs_f64() })),
    })
    .await
}
