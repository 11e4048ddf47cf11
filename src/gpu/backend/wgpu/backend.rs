//! The wgpu backend.

use std::rc::Rc;

use super::adapter::Adapter;
use super::gpu::Gpu;
use super::memory::Memory;
use super::pipelines::Pipelines;
use super::platform;
use super::pool::Pool;
use super::prepared::WgpuJob;
use super::steps;
use super::timeouts::Timeouts;
use crate::backend::{ALIGNMENT, Backend, Device, Prepared, Statistics, Task, spacers};
use crate::job::{Job, JobBuffer, Kernel, Mapping};
use record::error::{Error, Result, one_line};
use record::suite::{DeviceType, Feature};

/// An open wgpu device.
pub struct WgpuBackend {
    adapter: Adapter,
    gpu: Gpu,
    pipelines: Pipelines,
    /// Inputs of the previous job: the next job often has the same.
    inputs: Vec<(JobBuffer, Memory)>,
    pool: Pool,
    /// Unused buffers that shift later allocations.
    spacers: Vec<wgpu::Buffer>,
}

impl WgpuBackend {
    /// Opens `adapter` with all of its limits and every feature that a benchmark may need.
    ///
    /// # Errors
    /// [`Error::NoDevice`] if the driver refuses.
    pub async fn open(mut adapter: Adapter, timeouts: Timeouts) -> Result<Self> {
        // Direct3D on Wine gives every device, even a software device, the name and type of a GPU.
        let may_be_software = adapter.device.kind == DeviceType::Software || platform::is_translated(&adapter.inner);
        let timeouts = if may_be_software { timeouts } else { Timeouts::fixed(timeouts.idle) };
        let gpu = Gpu::open(&adapter, timeouts).await?;
        platform::detect_features(&gpu.device, &mut adapter.device);
        remove_missing(&gpu, &mut adapter.device);
        let pipelines = Pipelines::default();
        Ok(Self { adapter, gpu, pipelines, inputs: Vec::new(), pool: Pool::default(), spacers: Vec::new() })
    }

    /// Whether the driver has reported that the device is lost, which browsers do even while nothing runs.
    /// [`Backend::reopen`] opens a new device.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.gpu.is_lost()
    }

    /// The memory of an equal input of the previous job, or of an earlier buffer of this one.
    fn cached(&self, buffer: &JobBuffer) -> Option<&Memory> {
        let same = self.inputs.iter().find(|(cached, _)| buffer.is_shareable() && cached.is_same_input(buffer));
        same.map(|(_, memory)| memory)
    }

    /// Allocates the job's buffers and textures, except cached inputs. Returns the indices to fill.
    async fn allocate(&mut self, job: &Job) -> Result<(Vec<Memory>, Vec<usize>)> {
        if job.buffers.iter().any(JobBuffer::is_shareable) {
            self.inputs.retain(|(cached, memory)| {
                let is_wanted = job.buffers.iter().any(|buffer| buffer.is_shareable() && cached.is_same_input(buffer));
                if !is_wanted {
                    memory.free();
                }
                is_wanted
            });
        }
        let is_fresh = |buffer: &JobBuffer| buffer.texture().is_none() && self.cached(buffer).is_none();
        let wanted: Vec<_> = job.buffers.iter().map(|buffer| is_fresh(buffer).then(|| shape(buffer))).collect();
        let mut taken = self.pool.take(&wanted);
        // wgpu frees dropped memory at a poll. The job reports an error of this poll.
        let _ = self.gpu.device.poll(wgpu::PollType::Poll);
        let (mut buffers, mut to_fill) = (Vec::new(), Vec::new());
        let scope = self.gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        for (index, buffer) in job.buffers.iter().enumerate() {
            if let Some(memory) = self.cached(buffer) {
                buffers.push(memory.clone());
                continue;
            }
            to_fill.push(index);
            if let Some(texture) = buffer.texture() {
                buffers.push(Memory::Texture(self.gpu.texture(buffer.name, texture)));
                continue;
            }
            let allocated = Memory::Buffer(taken[index].take().unwrap_or_else(|| {
                let (label, (size, usage)) = (Some(buffer.name), shape(buffer));
                let descriptor = wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false };
                let buffer = Rc::new(self.gpu.device.create_buffer(&descriptor));
                self.pool.keep(&buffer);
                buffer
            }));
            if buffer.is_shareable() {
                self.inputs.push((buffer.clone(), allocated.clone()));
            }
            buffers.push(allocated);
        }
        if let Some(error) = scope.pop().await {
            buffers.iter().for_each(Memory::free);
            self.inputs.clear();
            drop(buffers);
            self.pool.clear();
            let bytes: u64 = job.buffers.iter().map(|buffer| buffer.bytes + buffer.guard).sum();
            return Err(Error::OutOfMemory(format!(
                "the case needs {} MiB: {}",
                bytes.div_ceil(1 << 20),
                one_line(&error.to_string())
            )));
        }
        Ok((buffers, to_fill))
    }

    async fn prepare_job(&mut self, job: &Job) -> Result<Box<dyn Prepared>> {
        self.adapter.device.check(job)?;
        steps::check(&job.steps, &job.end_to_end)?;
        let pipelines = match &job.kernel {
            kernel if kernel.is_empty() => Vec::new(),
            kernel => self.pipelines.get(&self.gpu, kernel).await?,
        };
        let (buffers, to_fill) = match self.allocate(job).await {
            // A reused buffer may have been much larger than needed. The pool is empty now.
            Err(Error::OutOfMemory(_)) => self.allocate(job).await?,
            allocated => allocated?,
        };
        for index in to_fill {
            let spec = &job.buffers[index];
            match &buffers[index] {
                Memory::Texture(texture) => self.gpu.upload_texture(spec, texture)?,
                Memory::Buffer(buffer) if spec.is_upload_staging() => {
                    self.gpu.write_mapped_contents(spec, buffer).await?;
                }
                Memory::Buffer(buffer) if spec.is_output() => self.gpu.poison(buffer, 0..spec.bytes + spec.guard),
                Memory::Buffer(buffer) => {
                    self.gpu.upload_contents(spec, buffer).await?;
                    self.gpu.poison(buffer, spec.bytes..spec.bytes + spec.guard);
                }
            }
        }
        let prepared = WgpuJob::new(self.gpu.clone(), pipelines, job, buffers).await?;
        Ok(Box::new(prepared) as Box<dyn Prepared>)
    }
}

/// Removes features that the driver refused when the device was opened.
fn remove_missing(gpu: &Gpu, device: &mut Device) {
    if !gpu.has_bf16 {
        device.features.remove(&Feature::Bf16Matrix);
    }
}

impl Backend for WgpuBackend {
    fn device(&self) -> &Device {
        &self.adapter.device
    }

    fn prepare<'a>(&'a mut self, job: &'a Job) -> Task<'a, Box<dyn Prepared>> {
        Box::pin(self.prepare_job(job))
    }

    fn statistics(&mut self, kernel: &Kernel) -> Statistics {
        self.pipelines.statistics(&self.gpu, kernel)
    }

    fn reopen(&mut self) -> Task<'_, ()> {
        Box::pin(async move {
            // Dropping a lost device may wait forever for its queue. Leak a reference, even if no new device opens.
            std::mem::forget(self.gpu.clone());
            self.pipelines.leak();
            std::mem::forget(std::mem::take(&mut self.inputs));
            std::mem::forget(std::mem::take(&mut self.pool));
            std::mem::forget(std::mem::take(&mut self.spacers));
            self.adapter.inner = platform::renewed(&self.adapter.inner).await?;
            self.gpu = Gpu::open(&self.adapter, self.gpu.timeouts).await?;
            remove_missing(&self.gpu, &mut self.adapter.device);
            Ok(())
        })
    }

    fn compile_in_background(&mut self, jobs: &[Job]) {
        self.pipelines.compile_in_background(&self.gpu, &self.adapter.device, jobs);
    }

    fn move_to(&mut self, place: u64) -> Task<'_, ()> {
        Box::pin(async move {
            self.release();
            let scope = self.gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
            let create = |size: u64, usage| {
                self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("spacer"),
                    size,
                    usage: usage | wgpu::BufferUsages::COPY_DST,
                    mapped_at_creation: false,
                })
            };
            if let Some(spacers) = spacers(place, self.adapter.device.kind) {
                let on_device = spacers.on_device.into_iter().map(|size| create(size, wgpu::BufferUsages::STORAGE));
                self.spacers = on_device.chain([create(spacers.on_host, wgpu::BufferUsages::MAP_READ)]).collect();
            }
            if scope.pop().await.is_some() {
                // If they do not fit, allocations stay where they are.
                self.spacers.clear();
            }
            Ok(())
        })
    }

    fn release(&mut self) {
        self.spacers.clear();
        self.inputs.drain(..).for_each(|(_, memory)| memory.free());
        self.pool.clear();
        // wgpu frees dropped memory at the next poll. The next job reports an error of the poll.
        let _ = self.gpu.device.poll(wgpu::PollType::Poll);
    }
}

/// Size and usage of a job's buffer. Small sizes are multiples of [`ALIGNMENT`], so that the next buffer in the same
/// memory block is aligned, too.
fn shape(buffer: &JobBuffer) -> (u64, wgpu::BufferUsages) {
    let role = if buffer.is_uniform { wgpu::BufferUsages::UNIFORM } else { wgpu::BufferUsages::STORAGE };
    let mapping = match buffer.mapping {
        Some(Mapping::Write) => wgpu::BufferUsages::MAP_WRITE,
        // wgpu allocates MAP_READ buffers in host memory, and may allocate MAP_WRITE buffers on the device.
        Some(Mapping::Read | Mapping::Pinned) => wgpu::BufferUsages::MAP_READ,
        None => wgpu::BufferUsages::empty(),
    };
    let usage = match buffer.mapping.filter(|_| buffer.is_staging) {
        Some(Mapping::Write) => mapping | wgpu::BufferUsages::COPY_SRC,
        Some(Mapping::Read) => mapping | wgpu::BufferUsages::COPY_DST,
        Some(Mapping::Pinned) | None => role | mapping | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
    };
    let usage = if buffer.is_indirect { usage | wgpu::BufferUsages::INDIRECT } else { usage };
    let size = buffer.bytes + buffer.guard;
    // The size of a large buffer may be the device's limit.
    (if size < 1 << 26 { size.next_multiple_of(ALIGNMENT) } else { size }, usage)
}

#[cfg(test)]
mod tests {
    use super::super::adapter::adapters;
    use super::super::pipelines::compile_in_background;
    use super::*;
    use crate::backend::background;
    use crate::engine::checks::output::verify;
    use crate::engine::plan::{Request, plan};
    use crate::job::Language;
    use record::suite::{Case, Extent, Profile};

    #[test]
    fn a_lost_device_is_an_error_and_a_new_one_can_be_opened() {
        pollster::block_on(async {
            let Some(adapter) = adapters(None).await.into_iter().next() else {
                eprintln!("SKIPPED: there is no device to lose");
                return;
            };
            let mut backend = WgpuBackend::open(adapter, Timeouts::DEFAULT).await.expect("the device opens");
            let filters = vec!["ceiling/launch".to_owned()];
            let request = Request::new(filters, Profile::Quick);
            let job = Job::new(&plan(&request).expect("a plan")[0]).expect("valid");
            let mut prepared = backend.prepare(&job).await.expect("prepared");
            prepared.sample(1).await.expect("the device runs");
            backend.gpu.device.destroy();
            let error = prepared.sample(1).await.expect_err("the device is gone");
            assert!(error.ends_device(), "{error}");
            backend.reopen().await.expect("a new device");
            let mut prepared = backend.prepare(&job).await.expect("prepared anew");
            prepared.sample(1).await.expect("the new device runs");
        });
    }

    fn jobs(filters: &[&str]) -> Vec<Job> {
        let mut request = Request::new(filters.iter().map(|name| (*name).to_owned()).collect(), Profile::Quick);
        request.sizes = vec![Extent::Linear(1003)];
        let cases = plan(&request).expect("a plan");
        let is_kernel = |case: &&Case| case.family.name != "ceiling" && case.benchmark.library.is_none();
        cases.iter().filter(is_kernel).filter_map(|case| Job::new(case).ok()).collect()
    }

    #[test]
    fn kernels_compiled_in_background_answer_alike_and_a_faulty_one_fails() {
        pollster::block_on(async {
            let Some(adapter) = adapters(None).await.into_iter().next() else {
                eprintln!("SKIPPED: there is no device to compile for");
                return;
            };
            let mut backend = WgpuBackend::open(adapter, Timeouts::DEFAULT).await.expect("the device opens");
            let mut jobs = jobs(&["reduction/sequential", "scan/three_kernels", "histogram/*"]);
            assert!(jobs.len() > 3, "{}", jobs.len());
            jobs[1].kernel.source.push_str("\nthis is no WGSL");
            let Err(alone) = backend.prepare(&jobs[1]).await else { panic!("no WGSL, no pipeline") };

            let kernels = background::kernels(&backend.adapter.device, &jobs, Default::default());
            let started = compile_in_background(&backend.gpu.device, &kernels);
            let mut compiler = started.expect("there are threads");
            let keys: Vec<u64> = kernels.iter().map(|(key, _)| *key).collect();
            let faulty = jobs[1].kernel.key(Language::Wgsl);
            // Until a kernel is requested, the threads compile all of them.
            while !compiler.is_idle() {
                std::thread::yield_now();
            }
            compiler.receive(0, |key, (pipeline, _)| drop(backend.pipelines.ready.insert(key, pipeline)));
            for key in keys {
                assert_eq!(backend.pipelines.ready.contains_key(&key), key != faulty);
            }
            backend.gpu.check().expect("a faulty kernel is no error of the device");
            backend.pipelines.background = Some(compiler);
            for (index, job) in jobs.iter().enumerate() {
                match backend.prepare(job).await {
                    Ok(mut prepared) => {
                        prepared.poison().await.expect("poisoned");
                        prepared.sample(1).await.expect("it runs");
                        assert_eq!(verify(prepared.as_mut(), job, 7).await.expect("read"), None, "{}", job.label);
                    }
                    Err(error) => {
                        assert_eq!((index, error.to_string()), (1, alone.to_string()), "the same message");
                    }
                }
            }
        });
    }
}
