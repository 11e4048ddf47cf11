//! All platforms except browsers.

use std::borrow::Cow;
#[cfg(target_vendor = "apple")]
use std::collections::BTreeSet;
use std::future::Future;
use std::time::Duration;

use futures_channel::oneshot;
use rayon::prelude::*;

#[cfg(target_vendor = "apple")]
use crate::backend::Statistics;
use crate::backend::background::{BackgroundCompiler, Work, cores};
use crate::backend::wgpu::dx12;
use crate::backend::wgpu::errors::unanswered;
use crate::backend::wgpu::timeouts::Timeouts;
use crate::backend::{Device, HlslCompiler};
use crate::job::Kernel;
use record::error::{Error, Result, one_line};
#[cfg(target_vendor = "apple")]
use record::suite::Feature;
use record::suite::{Api, DeviceType};

/// The APIs that wgpu can use here, preferred first.
pub const APIS: [(Api, wgpu::Backend); 4] = [
    (Api::Vulkan, wgpu::Backend::Vulkan),
    (Api::Metal, wgpu::Backend::Metal),
    (Api::Dx12, wgpu::Backend::Dx12),
    (Api::Gl, wgpu::Backend::Gl),
];

/// Bytes copied at once between host and device: in pieces, neither side stages gigabytes of a large buffer.
pub(in crate::backend::wgpu) const PIECE: u64 = 32 << 20;

/// Every adapter; those of DirectX 12 with their HLSL compiler.
pub(in crate::backend::wgpu) async fn adapters(backends: wgpu::Backends) -> Vec<(wgpu::Adapter, Option<HlslCompiler>)> {
    let dx12 = if cfg!(windows) { backends & wgpu::Backends::DX12 } else { wgpu::Backends::empty() };
    let mut found: Vec<_> = found(backends - dx12, None).await.into_iter().map(|adapter| (adapter, None)).collect();
    if dx12.is_empty() {
        return found;
    }
    for candidate in dx12::candidates() {
        let with = self::found(dx12, Some(candidate.choice.clone())).await;
        if !with.is_empty() {
            found.extend(with.into_iter().map(|adapter| {
                let compiler = candidate.on(&adapter);
                (adapter, Some(compiler))
            }));
            break;
        }
    }
    found
}

/// The adapters of `backends`, which compile with `compiler` on DirectX 12.
async fn found(backends: wgpu::Backends, compiler: Option<wgpu::Dx12Compiler>) -> Vec<wgpu::Adapter> {
    if backends.is_empty() {
        return Vec::new();
    }
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    descriptor.backends = backends;
    if let Some(compiler) = compiler {
        descriptor.backend_options.dx12.shader_compiler = compiler;
    }
    wgpu::Instance::new(descriptor).enumerate_adapters(backends).await
}

/// The adapter, ready to open another device.
pub(in crate::backend::wgpu) async fn renewed(adapter: &wgpu::Adapter) -> Result<wgpu::Adapter> {
    Ok(adapter.clone())
}

/// See [`dx12::is_translated`].
pub(in crate::backend::wgpu) fn is_translated(adapter: &wgpu::Adapter) -> bool {
    dx12::is_translated(adapter)
}

/// Fraction bits of a texture coordinate, which wgpu does not expose; `None` if the API does not report them.
#[cfg(not(target_vendor = "apple"))]
pub(in crate::backend::wgpu) fn sub_texel_bits(adapter: &wgpu::Adapter) -> Option<u32> {
    #[expect(unsafe_code, reason = "the adapter outlives the call, which reads properties only")]
    // SAFETY: the physical device belongs to this instance; neither is changed or kept.
    unsafe {
        let vulkan = adapter.as_hal::<wgpu::hal::api::Vulkan>()?;
        let instance = vulkan.shared_instance().raw_instance();
        let properties = instance.get_physical_device_properties(vulkan.raw_physical_device());
        Some(properties.limits.sub_texel_precision_bits)
    }
}

/// Metal does not report them.
#[cfg(target_vendor = "apple")]
pub(in crate::backend::wgpu) const fn sub_texel_bits(_adapter: &wgpu::Adapter) -> Option<u32> {
    None
}

#[cfg(not(target_vendor = "apple"))]
pub(in crate::backend::wgpu) use crate::backend::wgpu::{
    executable::{shared_memory_spirv, statistics},
    vulkan::{matrices, open_extended},
};

/// Metal has none.
#[cfg(target_vendor = "apple")]
pub(in crate::backend::wgpu) const fn matrices(_adapter: &wgpu::Adapter) -> BTreeSet<Feature> {
    BTreeSet::new()
}

/// Metal has nothing to add.
#[cfg(target_vendor = "apple")]
pub(in crate::backend::wgpu) const fn open_extended(
    _adapter: &wgpu::Adapter,
    _descriptor: &wgpu::DeviceDescriptor<'_>,
    _has_bf16: bool,
) -> Option<(wgpu::Device, wgpu::Queue)> {
    None
}

/// Metal does not accept SPIR-V.
#[cfg(target_vendor = "apple")]
pub(in crate::backend::wgpu) const fn shared_memory_spirv(_: &wgpu::Device, _: &Kernel) -> Option<Result<Vec<u32>>> {
    None
}

/// Metal reports none.
#[cfg(target_vendor = "apple")]
pub(in crate::backend::wgpu) fn statistics(_device: &wgpu::Device, _kernel: &Kernel) -> Statistics {
    Statistics::default()
}

/// Does nothing: the adapter reports every feature.
pub(in crate::backend::wgpu) const fn detect_features(_opened: &wgpu::Device, _device: &mut Device) {}

pub(in crate::backend::wgpu) fn source(kernel: &Kernel) -> Cow<'_, str> {
    kernel.source.as_str().into()
}

/// Whether kernels compile on other threads. Not for software devices, which run on the same cores; not on fewer than
/// four cores, which would disturb the measuring thread; not through OpenGL, whose calls wait for its one context.
pub(in crate::backend::wgpu) fn can_compile_in_background(device: &Device) -> bool {
    device.kind != DeviceType::Software && device.api != Api::Gl && cores() >= 4
}

pub(in crate::backend::wgpu) fn compile_in_background<T, C, F>(
    programs: impl Iterator<Item = (u64, C)>,
) -> Option<BackgroundCompiler<T>>
where
    T: Send + 'static,
    C: FnOnce() -> F + Send + 'static,
    F: Future<Output = Option<T>>,
{
    let blocking = |(key, compile): (u64, C)| -> (u64, Work<T>) { (key, Box::new(|| pollster::block_on(compile()))) };
    Some(BackgroundCompiler::start(programs.map(blocking).collect()))
}

/// Waits until the device has finished `submission`, or all submissions. Fails with [`Error::Timeout`] past the limits
/// in `timeouts`, and with [`Error::Lost`] otherwise.
pub(in crate::backend::wgpu) fn poll(
    device: &wgpu::Device,
    submission: Option<&wgpu::SubmissionIndex>,
    timeouts: Timeouts,
) -> Result<()> {
    // Time is counted in slices, so that hours in which the process or machine was suspended count as one slice.
    let (mut waited, mut idle, mut used) = (Duration::ZERO, Duration::ZERO, None);
    while idle < timeouts.idle && waited < timeouts.total {
        let slice = SLICE.min(timeouts.idle - idle).min(timeouts.total - waited);
        match device.poll(wgpu::PollType::Wait { submission_index: submission.cloned(), timeout: Some(slice) }) {
            Ok(_) => return Ok(()),
            Err(wgpu::PollError::Timeout) => {}
            Err(error) => return Err(Error::Lost(one_line(&error.to_string()))),
        }
        (waited, idle) = (waited + slice, idle + slice);
        if timeouts.total > timeouts.idle {
            let now = cpu_time();
            if now.is_some_and(|now| used.is_none_or(|before| now >= before + slice / 100)) {
                idle = Duration::ZERO;
            }
            used = now;
        }
    }
    Err(Error::Timeout { seconds: waited.as_secs_f64() })
}

/// Interval at which the progress of a waiting submission is checked.
const SLICE: Duration = Duration::from_secs(1);

/// The CPU time of this process on all cores; `None` if the system does not report it.
fn cpu_time() -> Option<Duration> {
    let process = sysinfo::get_current_pid().ok()?;
    let mut system = sysinfo::System::new().ok()?;
    let wanted = sysinfo::ProcessRefreshKind::nothing().with_cpu();
    system.refresh_processes_specifics(sysinfo::ProcessesToUpdate::Some(&[process]), false, wanted);
    Some(Duration::from_millis(system.process(process)?.accumulated_cpu_time()))
}

/// Writes views of mapped memory on all cores: one is slower than the copy to the device. `fill` writes from an offset.
pub(in crate::backend::wgpu) fn write_views(
    views: Vec<(u64, wgpu::BufferViewMut)>,
    fill: impl Fn(u64, &mut [u8]) + Sync,
) {
    views.into_par_iter().for_each_init(Vec::new, |bytes, (offset, mut view)| {
        bytes.resize(view.len(), 0);
        fill(offset, bytes);
        view.copy_from_slice(bytes);
    });
}

/// The result of a callback that [`poll`] has called.
pub(in crate::backend::wgpu) async fn answer<T>(answer: oneshot::Receiver<T>, _timeouts: Timeouts) -> Result<T> {
    answer.await.map_err(|_| unanswered())
}
