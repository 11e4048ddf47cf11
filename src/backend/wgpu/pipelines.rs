//! Kernels as pipelines: each compiled once, ahead of the run where that pays.

use std::collections::HashMap;

use super::gpu::{Gpu, one_line};
use super::platform;
use crate::backend::Device;
use crate::backend::background::{self, Ahead};
use crate::error::{Error, Result};
use crate::job::{Job, Kernel, Language};
use crate::shader::ENTRY_POINT;

/// A device's pipelines, by the keys of their kernels.
#[derive(Default)]
pub(super) struct Pipelines {
    ready: HashMap<u64, wgpu::ComputePipeline>,
    /// Those that other threads compile.
    ahead: Option<Ahead<wgpu::ComputePipeline>>,
}

impl Pipelines {
    /// The kernel's pipeline.
    ///
    /// # Errors
    /// [`Error::Shader`] where it does not compile; what went wrong on the device meanwhile.
    pub(super) async fn get(&mut self, gpu: &Gpu, kernel: &Kernel) -> Result<wgpu::ComputePipeline> {
        let key = kernel.key(Language::Wgsl);
        if let Some(ahead) = &mut self.ahead {
            ahead.receive(key, |key, pipeline| {
                self.ready.insert(key, pipeline);
            });
        }
        if let Some(pipeline) = self.ready.get(&key) {
            return Ok(pipeline.clone());
        }
        let pipeline = compiled(&gpu.device, kernel).await?;
        gpu.check()?;
        self.ready.insert(key, pipeline.clone());
        Ok(pipeline)
    }

    /// Starts to compile what the jobs need, where threads can: see [`platform::compile_ahead`].
    pub(super) fn compile_ahead(&mut self, gpu: &Gpu, device: &Device, jobs: &[Job]) {
        let kernels = background::kernels(device, jobs, self.ready.keys().copied().collect());
        self.ahead = platform::compile_ahead(gpu, device, &kernels);
    }

    /// Gives up the pipelines of a lost device: dropping them may wait for it forever.
    pub(super) fn let_go(&mut self) {
        std::mem::forget(std::mem::take(&mut self.ready));
        if let Some(ahead) = self.ahead.take() {
            ahead.let_go();
        }
    }
}

/// Compiles a kernel.
///
/// # Errors
/// [`Error::Shader`] with what is wrong with it. What the driver says beside that, the device's other listeners hear.
pub(super) async fn compiled(device: &wgpu::Device, kernel: &Kernel) -> Result<wgpu::ComputePipeline> {
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let descriptor =
        wgpu::ShaderModuleDescriptor { label: None, source: wgpu::ShaderSource::Wgsl(platform::source(kernel)) };
    #[expect(unsafe_code, reason = "checks off is what the suite measures, as CUDA runs")]
    // SAFETY: the module is one of the suite's own kernels. Tests run each of them at odd sizes between guard zones that no
    // access may reach; their loops end, and they divide by no zero.
    let module = unsafe {
        let mut checks = wgpu::ShaderRuntimeChecks::unchecked();
        checks.bounds_checks = kernel.checks.bounds;
        checks.force_loop_bounding = kernel.checks.loops;
        device.create_shader_module_trusted(descriptor, checks)
    };
    let constants: Vec<_> = kernel.constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some(ENTRY_POINT),
        compilation_options: wgpu::PipelineCompilationOptions {
            constants: &constants,
            zero_initialize_workgroup_memory: kernel.checks.zero_init,
        },
        cache: None,
    });
    match scope.pop().await {
        Some(error) => Err(Error::Shader(one_line(&error.to_string()))),
        None => Ok(pipeline),
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::super::{PATIENCE, WgpuBackend, adapters};
    use super::*;
    use crate::backend::Backend;
    use crate::engine::plan::{Request, plan};
    use crate::engine::verify::verify;
    use crate::suite::Profile;

    fn jobs(filters: &[&str]) -> Vec<Job> {
        let mut request = Request::new(filters.iter().map(|name| (*name).to_owned()).collect(), Profile::Quick);
        request.sizes = vec![crate::suite::Extent::Linear(1003)];
        let cases = plan(&request).expect("a plan");
        cases.iter().filter(|case| case.family.name != "ceiling").filter_map(|case| Job::new(case).ok()).collect()
    }

    #[test]
    fn kernels_compiled_ahead_give_the_same_answers_and_one_that_does_not_compile_fails_alone() {
        pollster::block_on(async {
            let Some(adapter) = adapters(None).await.into_iter().next() else {
                eprintln!("SKIPPED: there is no device to compile for");
                return;
            };
            let mut backend = WgpuBackend::open(adapter, PATIENCE).await.expect("the device opens");
            let mut jobs = jobs(&["reduction/sequential", "scan/three_kernels", "histogram/*"]);
            assert!(jobs.len() > 3, "{}", jobs.len());
            jobs[1].kernel.source.push_str("\nthis is no WGSL");
            let Err(alone) = backend.prepare(&jobs[1]).await else { panic!("no WGSL, no pipeline") };

            let kernels = background::kernels(&backend.adapter.device, &jobs, Default::default());
            let mut ahead = platform::start(&backend.gpu, &kernels);
            let keys: Vec<u64> = kernels.iter().map(|(key, _)| *key).collect();
            let faulty = jobs[1].kernel.key(Language::Wgsl);
            // So long as none is asked for, all are the threads' own.
            while !ahead.is_idle() {
                thread::yield_now();
            }
            ahead.receive(0, |key, pipeline| drop(backend.pipelines.ready.insert(key, pipeline)));
            for key in keys {
                assert_eq!(backend.pipelines.ready.contains_key(&key), key != faulty);
            }
            backend.gpu.check().expect("what does not compile is no trouble of the device's");
            backend.pipelines.ahead = Some(ahead);
            for (place, job) in jobs.iter().enumerate() {
                match backend.prepare(job).await {
                    Ok(mut prepared) => {
                        prepared.poison().await.expect("poisoned");
                        prepared.sample(1).await.expect("it runs");
                        assert_eq!(verify(prepared.as_mut(), job).await.expect("read"), None, "{}", job.label);
                    }
                    Err(error) => {
                        assert_eq!((place, error.to_string()), (1, alone.to_string()), "the same message");
                    }
                }
            }
        });
    }
}
