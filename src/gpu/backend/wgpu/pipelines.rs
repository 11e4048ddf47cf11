//! Compute pipelines. Each kernel is compiled once, on other threads while cases run if that helps.

use std::collections::HashMap;
use std::time::Duration;

use web_time::Instant;

use super::gpu::Gpu;
use super::{passthrough, platform};
use crate::backend::activity;
use crate::backend::background::{self, BackgroundCompiler};
use crate::backend::{Device, Statistics};
use crate::job::{Job, Kernel, Language};
use record::error::{Error, Result, one_line};
use record::suite::Entry;

/// The pipelines of a kernel, one per entry point.
pub(super) type Compiled = Vec<wgpu::ComputePipeline>;

/// Pipelines that take longer to make have no statistics, which would take the same time again.
const SLOW: Duration = Duration::from_secs(2);

/// A device's pipelines, by the keys of their kernels.
#[derive(Default)]
pub(super) struct Pipelines {
    pub(super) ready: HashMap<u64, Compiled>,
    /// The driver's figures for kernels; empty for slow ones.
    pub(super) reported: HashMap<u64, Statistics>,
    pub(super) background: Option<BackgroundCompiler<(Compiled, Statistics)>>,
}

impl Pipelines {
    /// The kernel's pipelines. Fails with [`Error::Shader`], or with an error that the device reported meanwhile.
    pub(super) async fn get(&mut self, gpu: &Gpu, kernel: &Kernel) -> Result<Compiled> {
        let key = kernel.key(Language::Wgsl);
        if let Some(background) = &mut self.background {
            background.receive(key, |key, (pipeline, reported)| {
                self.ready.insert(key, pipeline);
                self.reported.insert(key, reported);
            });
        }
        if let Some(pipeline) = self.ready.get(&key) {
            return Ok(pipeline.clone());
        }
        let (compiling, start) = (activity::compiling(), Instant::now());
        let pipeline = compile(&gpu.device, kernel).await?;
        drop(compiling);
        gpu.check()?;
        if start.elapsed() > SLOW {
            self.reported.insert(key, Statistics::default());
        }
        self.ready.insert(key, pipeline.clone());
        Ok(pipeline)
    }

    /// The driver's figures for a kernel whose pipelines are ready.
    pub(super) fn statistics(&mut self, gpu: &Gpu, kernel: &Kernel) -> Statistics {
        let key = kernel.key(Language::Wgsl);
        *self.reported.entry(key).or_insert_with(|| {
            let _compiling = activity::compiling();
            platform::statistics(&gpu.device, kernel)
        })
    }

    /// Starts to compile the kernels of `jobs` on other threads, if the platform can.
    pub(super) fn compile_in_background(&mut self, gpu: &Gpu, device: &Device, jobs: &[Job]) {
        if platform::can_compile_in_background(device) {
            let kernels = background::kernels(device, jobs, self.ready.keys().copied().collect());
            self.background = compile_in_background(&gpu.device, &kernels);
        }
    }

    /// Leaks the pipelines of a lost device: dropping them may block forever.
    pub(super) fn leak(&mut self) {
        std::mem::forget(std::mem::take(&mut self.ready));
        if let Some(background) = self.background.take() {
            background.leak();
        }
    }
}

pub(super) fn compile_in_background(
    device: &wgpu::Device,
    kernels: &[(u64, &Kernel)],
) -> Option<BackgroundCompiler<(Compiled, Statistics)>> {
    platform::compile_in_background(kernels.iter().map(|(key, kernel)| {
        let (device, kernel) = (device.clone(), (*kernel).clone());
        (*key, move || compile_quietly(device, kernel))
    }))
}

/// Compiles a kernel on a background thread. Errors go to this thread's error scopes, not to the case that is running.
async fn compile_quietly(device: wgpu::Device, kernel: Kernel) -> Option<(Compiled, Statistics)> {
    let start = Instant::now();
    let outer = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let inner = device.push_error_scope(wgpu::ErrorFilter::Internal);
    let compiled = compile(&device, &kernel).await;
    let errors = [inner.pop().await, outer.pop().await];
    let compiled = compiled.ok().filter(|_| errors.iter().all(Option::is_none))?;
    let is_slow = start.elapsed() > SLOW;
    let reported = if is_slow { Statistics::default() } else { platform::statistics(&device, &kernel) };
    Some((compiled, reported))
}

/// Compiles a kernel. Fails with [`Error::Shader`] and the compiler's message. Other errors go to the device's outer
/// error scopes.
pub(super) async fn compile(device: &wgpu::Device, kernel: &Kernel) -> Result<Compiled> {
    if device.features().contains(wgpu::Features::PASSTHROUGH_SHADERS) && !kernel.module.is_empty() {
        return passthrough::compile(device, kernel, &passthrough::specialized(kernel)?).await;
    }
    if let Some(spirv) = platform::shared_memory_spirv(device, kernel) {
        return passthrough::compile(device, kernel, &spirv?).await;
    }
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let descriptor =
        wgpu::ShaderModuleDescriptor { label: None, source: wgpu::ShaderSource::Wgsl(platform::source(kernel)) };
    let module = if kernel.is_trusted() {
        let mut checks = wgpu::ShaderRuntimeChecks::unchecked();
        checks.bounds_checks = kernel.checks.bounds;
        checks.force_loop_bounding = kernel.checks.loops;
        #[expect(unsafe_code, reason = "the suite measures kernels without run-time checks, as CUDA runs them")]
        // SAFETY: the kernel is trusted. Either `Case::new` found its text in the suite, whose kernels are tested at
        // odd sizes between guard zones, or the caller of `Case::trust` guarantees it. Code that edits its text keeps
        // that guarantee: see `Kernel`.
        unsafe {
            device.create_shader_module_trusted(descriptor, checks)
        }
    } else {
        device.create_shader_module(descriptor)
    };
    let constants: Vec<_> = kernel.constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let pipeline = |entry: &Entry| {
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some(&entry.name),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                zero_initialize_workgroup_memory: kernel.checks.zero_init,
            },
            cache: None,
        })
    };
    let pipelines = kernel.interface.entries.iter().map(pipeline).collect();
    match scope.pop().await {
        Some(error) => Err(Error::Shader(one_line(&error.to_string()))),
        None => Ok(pipelines),
    }
}
