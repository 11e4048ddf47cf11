//! Pipelines of SPIR-V that wgpu's own compiler did not write.

use std::collections::HashMap;

use web_time::Instant;

use super::gpu::Gpu;
use super::pipelines::{Compiled, SLOW};
use super::{passthrough, platform};
use crate::backend::activity;
use crate::backend::{Compilation, CompilerName, Device, RuntimeChecks, Statistics, Translator};
use crate::job::{Kernel, Language};
use record::error::{Error, Result};
use record::suite::Api;

/// A source of SPIR-V, and what became of each kernel, by its key.
pub(super) struct Foreign {
    translator: Box<dyn Translator>,
    ready: HashMap<u64, Compiled>,
    /// Translations, or why there is none. They outlive a lost device.
    known: HashMap<u64, Result<Compilation, String>>,
    /// What the driver reports of kernels.
    statistics: HashMap<u64, Statistics>,
}

impl Foreign {
    pub(super) fn new(translator: Box<dyn Translator>) -> Self {
        Self { translator, ready: HashMap::new(), known: HashMap::new(), statistics: HashMap::new() }
    }

    /// Names the compiler in the device's properties. Which checks its SPIR-V has is not known.
    pub(super) fn describe(&self, device: &mut Device) {
        let (name, version) = (self.translator.name().to_owned(), self.translator.version().to_owned());
        device.kernel_compiler = CompilerName { name, version };
        if device.runtime_checks == RuntimeChecks::Switchable {
            device.runtime_checks = RuntimeChecks::Unknown;
        }
    }

    /// The SPIR-V of the kernel, once it is compiled.
    pub(super) fn compilation(&self, kernel: &Kernel) -> Option<&Compilation> {
        self.known.get(&kernel.key(Language::Wgsl))?.as_ref().ok()
    }

    /// The kernel's pipelines.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the API takes no SPIR-V; [`Error::Shader`] with the message of the source or the API.
    pub(super) async fn get(&mut self, gpu: &Gpu, api: Api, kernel: &Kernel) -> Result<Compiled> {
        let key = kernel.key(Language::Wgsl);
        if let Some(pipeline) = self.ready.get(&key) {
            return Ok(pipeline.clone());
        }
        if !gpu.device.features().contains(wgpu::Features::PASSTHROUGH_SHADERS) {
            let api = api.title();
            return Err(Error::Unsupported(format!("{api} takes no SPIR-V from other compilers: only Vulkan does")));
        }
        if !kernel.interface.is_plain() {
            return Err(Error::Unsupported(
                "other compilers are given kernels with one entry point, main, that bind group 0 and have no immediates"
                    .to_owned(),
            ));
        }
        let translator = &mut self.translator;
        let translate = || {
            let start = Instant::now();
            let spirv = translator.translate(kernel).map_err(reason)?;
            Ok(Compilation { translation_ms: Some(milliseconds(start)), pipeline_ms: None, spirv })
        };
        let known = self.known.entry(key).or_insert_with(translate);
        let compilation = known.as_mut().map_err(|why| Error::Shader(why.clone()))?;
        let start = Instant::now();
        let compiling = activity::compiling();
        let pipeline = vec![passthrough::compile(&gpu.device, kernel, &compilation.spirv).await?];
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
        let spirv = &compilation.spirv[..];
        *self.statistics.entry(key).or_insert_with(|| platform::statistics(&gpu.device, kernel, Some(spirv)))
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

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
