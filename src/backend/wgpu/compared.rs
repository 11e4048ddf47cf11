//! Pipelines of a compiler that is compared with others, and what it made of each kernel.

use std::collections::HashMap;

use web_time::Instant;

use super::gpu::Gpu;
use super::pipelines::{Compiled, SLOW};
use super::{passthrough, pipelines, platform};
use crate::backend::activity;
use crate::backend::{BUILT_IN_VERSION, Compilation, CompilerName, Device, KernelCompiler, RuntimeChecks, Statistics};
use crate::error::{Error, Result};
use crate::job::{Kernel, Language};
use crate::suite::{Api, BUILT_IN};

/// A compiler with its results, by the keys of their kernels.
pub(super) struct Compared {
    compiler: KernelCompiler,
    ready: HashMap<u64, Compiled>,
    /// Translations, or why there is none. They outlive a lost device.
    known: HashMap<u64, Result<Compilation, String>>,
    /// What the driver reports of kernels.
    told: HashMap<u64, Statistics>,
}

impl Compared {
    pub(super) fn new(compiler: KernelCompiler) -> Self {
        Self { compiler, ready: HashMap::new(), known: HashMap::new(), told: HashMap::new() }
    }

    /// Whether there is a compiler to compare; else kernels compile as usual.
    pub(super) const fn is_active(&self) -> bool {
        !matches!(self.compiler, KernelCompiler::Usual)
    }

    /// Whether its SPIR-V is passed through wgpu.
    pub(super) const fn passes_through(&self) -> bool {
        matches!(self.compiler, KernelCompiler::Other(_))
    }

    /// Names the compiler in the device's properties.
    pub(super) fn describe(&self, device: &mut Device) {
        match &self.compiler {
            KernelCompiler::Usual => {}
            KernelCompiler::BuiltIn => {
                let (name, version) = (BUILT_IN.to_owned(), BUILT_IN_VERSION.to_owned());
                device.kernel_compiler = CompilerName { name, version };
            }
            KernelCompiler::Other(other) => {
                let (name, version) = (other.name().to_owned(), other.version().to_owned());
                device.kernel_compiler = CompilerName { name, version };
                if !other.keeps_checks() && device.runtime_checks == RuntimeChecks::Switchable {
                    device.runtime_checks = RuntimeChecks::Unknown;
                }
            }
        }
    }

    /// What the compiler made of the kernel.
    pub(super) fn compilation(&self, kernel: &Kernel) -> Option<&Compilation> {
        self.known.get(&kernel.key(Language::Wgsl))?.as_ref().ok()
    }

    /// The kernel's pipelines.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the API takes no SPIR-V; [`Error::Shader`] with the compiler's message or the API's.
    pub(super) async fn get(&mut self, gpu: &Gpu, api: Api, kernel: &Kernel) -> Result<Compiled> {
        let key = kernel.key(Language::Wgsl);
        if let Some(pipeline) = self.ready.get(&key) {
            return Ok(pipeline.clone());
        }
        if self.passes_through() && !gpu.device.features().contains(wgpu::Features::PASSTHROUGH_SHADERS) {
            let api = api.title();
            return Err(Error::Unsupported(format!("{api} takes no SPIR-V from other compilers: only Vulkan does")));
        }
        if self.passes_through() && !kernel.interface.is_plain() {
            return Err(Error::Unsupported(
                "other compilers are given kernels with one entry point, main, that bind group 0 and have no immediates"
                    .to_owned(),
            ));
        }
        let compiler = &mut self.compiler;
        let known = self.known.entry(key).or_insert_with(|| translate(compiler, kernel).map_err(reason));
        let compilation = known.as_mut().map_err(|why| Error::Shader(why.clone()))?;
        let start = Instant::now();
        let compiling = activity::compiling();
        let pipeline = if matches!(compiler, KernelCompiler::Other(_)) {
            vec![passthrough::compile(&gpu.device, kernel, &compilation.spirv).await?]
        } else {
            pipelines::compile(&gpu.device, kernel).await?
        };
        drop(compiling);
        compilation.pipeline_ms = Some(milliseconds(start));
        gpu.check()?;
        self.ready.insert(key, pipeline.clone());
        Ok(pipeline)
    }

    /// What the driver reports of a kernel whose pipeline is ready.
    pub(super) fn statistics(&mut self, gpu: &Gpu, kernel: &Kernel) -> Statistics {
        let key = kernel.key(Language::Wgsl);
        let Some(Ok(compilation)) = self.known.get(&key) else { return Statistics::default() };
        if compilation.pipeline_ms.is_none_or(|ms| ms > SLOW.as_secs_f64() * 1e3) {
            return Statistics::default();
        }
        let spirv = self.passes_through().then_some(&compilation.spirv[..]);
        *self.told.entry(key).or_insert_with(|| platform::statistics(&gpu.device, kernel, spirv))
    }

    /// Leaks the pipelines of a lost device: dropping them may wait for it forever.
    pub(super) fn leak(&mut self) {
        std::mem::forget(std::mem::take(&mut self.ready));
    }
}

/// The message of an error, which becomes that of another.
fn reason(error: Error) -> String {
    match error {
        Error::Shader(why) => why,
        other => other.chain(),
    }
}

fn translate(compiler: &mut KernelCompiler, kernel: &Kernel) -> Result<Compilation> {
    let start = Instant::now();
    let spirv = match compiler {
        KernelCompiler::Other(other) => other.translate(kernel)?,
        #[cfg(not(target_family = "wasm"))]
        _ => kernel.spirv()?,
        // Browsers compile WGSL themselves, and naga's writer is a fifteenth of the page.
        #[cfg(target_family = "wasm")]
        _ => return Err(Error::Unsupported("browsers take no SPIR-V".to_owned())),
    };
    Ok(Compilation { translation_ms: Some(milliseconds(start)), pipeline_ms: None, spirv })
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
