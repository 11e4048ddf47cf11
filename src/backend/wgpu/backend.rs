//! The backend for Vulkan, Metal, DirectX 12, OpenGL and, in a browser, WebGPU: this folder is the only door to wgpu.
//!
//! Kernels are compiled as trusted modules without run-time checks and without zero-initialisation of workgroup memory, as CUDA
//! runs its kernels. A browser keeps both; what else it does otherwise is in `web.rs`.

mod adapter;
mod gpu;
mod pipelines;
#[cfg_attr(target_family = "wasm", path = "web.rs")]
#[cfg_attr(not(target_family = "wasm"), path = "native.rs")]
mod platform;
mod prepared;

use std::time::Duration;

use super::{Backend, Device, DeviceType, Prepared, Task};
use crate::error::{Error, Result};
use crate::job::{Buffer, Job, Mapping};
pub use adapter::{Adapter, adapters};
use gpu::{Gpu, one_line};
use pipelines::Pipelines;
pub use platform::APIS;
use prepared::WgpuJob;

/// How long a device may take over one submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// Without a sign that it works. A GPU gives none.
    pub idle: Duration,
    /// In all, on a software device, which shows that it works by using the processor; other programs may leave it little of that.
    pub working: Duration,
}

impl Patience {
    /// The same whatever the device shows.
    #[must_use]
    pub const fn fixed(limit: Duration) -> Self {
        Self { idle: limit, working: limit }
    }
}

/// The default. A sample is built to stay below half a second; this only ends what hangs.
pub const PATIENCE: Patience = Patience { idle: Duration::from_secs(20), working: Duration::from_secs(300) };

/// An open wgpu device.
pub struct WgpuBackend {
    adapter: Adapter,
    gpu: Gpu,
    pipelines: Pipelines,
    /// Inputs of the job before, which the next one often shares.
    inputs: Vec<(Buffer, Memory)>,
}

impl WgpuBackend {
    /// Opens `adapter` with all of its limits and every feature that a benchmark may need. A submission that takes longer than
    /// `patience` counts as hung.
    ///
    /// # Errors
    /// [`Error::NoDevice`] where the driver refuses.
    pub async fn open(mut adapter: Adapter, patience: Patience) -> Result<Self> {
        let is_software = adapter.device.kind == DeviceType::Software;
        let patience = if is_software { patience } else { Patience::fixed(patience.idle) };
        let gpu = Gpu::open(&adapter, patience).await?;
        platform::note_features(&gpu.device, &mut adapter.device);
        Ok(Self { adapter, gpu, pipelines: Pipelines::default(), inputs: Vec::new() })
    }

    /// Whether the driver has said that the device is gone, as a browser does even while nothing runs on it.
    /// [`Backend::reopen`] opens a new one.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.gpu.is_lost()
    }

    /// Allocates the job's buffers and textures; inputs that the job before had too are shared with it, the others are returned to be
    /// filled.
    async fn allocate(&mut self, job: &Job) -> Result<(Vec<Memory>, Vec<usize>)> {
        if job.buffers.iter().any(Buffer::is_shareable) {
            self.inputs.retain(|(kept, memory)| {
                let is_wanted = job.buffers.iter().any(|buffer| buffer.is_shareable() && kept.is_same_input(buffer));
                if !is_wanted {
                    platform::let_go(memory);
                }
                is_wanted
            });
        }
        let (mut buffers, mut to_fill) = (Vec::new(), Vec::new());
        let scope = self.gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        for (place, buffer) in job.buffers.iter().enumerate() {
            if let Some((_, kept)) =
                self.inputs.iter().find(|(kept, _)| buffer.is_shareable() && kept.is_same_input(buffer))
            {
                buffers.push(kept.clone());
                continue;
            }
            to_fill.push(place);
            if let Some(texture) = buffer.texture() {
                buffers.push(Memory::Texture(self.gpu.texture(buffer.name, texture)));
                continue;
            }
            let role = if buffer.is_uniform { wgpu::BufferUsages::UNIFORM } else { wgpu::BufferUsages::STORAGE };
            let mapping = match buffer.mapping {
                Some(Mapping::Write) => wgpu::BufferUsages::MAP_WRITE,
                // What the host may read lies in its own memory; what it writes may lie on the device.
                Some(Mapping::Read | Mapping::Pinned) => wgpu::BufferUsages::MAP_READ,
                None => wgpu::BufferUsages::empty(),
            };
            let allocated = self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(buffer.name),
                size: buffer.bytes,
                usage: match buffer.mapping.filter(|_| buffer.is_staging) {
                    Some(Mapping::Write) => mapping | wgpu::BufferUsages::COPY_SRC,
                    Some(Mapping::Read) => mapping | wgpu::BufferUsages::COPY_DST,
                    Some(Mapping::Pinned) | None => {
                        role | mapping | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST
                    }
                },
                mapped_at_creation: false,
            });
            let allocated = Memory::Buffer(allocated);
            if buffer.is_shareable() {
                self.inputs.push((buffer.clone(), allocated.clone()));
            }
            buffers.push(allocated);
        }
        if let Some(error) = scope.pop().await {
            buffers.iter().for_each(platform::let_go);
            self.inputs.clear();
            return Err(Error::OutOfMemory(one_line(&error.to_string())));
        }
        Ok((buffers, to_fill))
    }
}

impl Backend for WgpuBackend {
    fn device(&self) -> &Device {
        &self.adapter.device
    }

    fn prepare<'a>(&'a mut self, job: &'a Job) -> Task<'a, Box<dyn Prepared>> {
        Box::pin(async move {
            self.adapter.device.check(job)?;
            let pipeline =
                if job.kernel.is_empty() { None } else { Some(self.pipelines.get(&self.gpu, &job.kernel).await?) };
            let (buffers, to_fill) = self.allocate(job).await?;
            for place in to_fill {
                let spec = &job.buffers[place];
                match &buffers[place] {
                    Memory::Texture(texture) => self.gpu.fill_texture(spec, texture)?,
                    Memory::Buffer(buffer) if spec.is_staging && spec.mapping == Some(Mapping::Write) => {
                        self.gpu.fill_mapped(spec, buffer).await?;
                    }
                    Memory::Buffer(buffer) if spec.is_output() => self.gpu.poison(buffer),
                    Memory::Buffer(buffer) => self.gpu.fill(spec, buffer).await?,
                }
            }
            let prepared = WgpuJob::new(self.gpu.clone(), pipeline, job, buffers).await?;
            Ok(Box::new(prepared) as Box<dyn Prepared>)
        })
    }

    fn reopen(&mut self) -> Task<'_, ()> {
        Box::pin(async move {
            // Dropping a device waits for its queue, and this one may never answer again. A share of it that is never dropped keeps it,
            // even where no new one can be opened.
            std::mem::forget(self.gpu.clone());
            self.pipelines.let_go();
            std::mem::forget(std::mem::take(&mut self.inputs));
            self.adapter.inner = platform::renew(&self.adapter.inner).await?;
            self.gpu = Gpu::open(&self.adapter, self.gpu.patience).await?;
            Ok(())
        })
    }

    fn compile_ahead(&mut self, jobs: &[Job]) {
        self.pipelines.compile_ahead(&self.gpu, &self.adapter.device, jobs);
    }

    fn release(&mut self) {
        self.inputs.drain(..).for_each(|(_, memory)| platform::let_go(&memory));
        // What was dropped is freed when the device is next asked how far its queue is. What goes wrong there the next job is told.
        let _ = self.gpu.device.poll(wgpu::PollType::Poll);
    }
}

/// What a place of [`Job::buffers`] lies in.
#[derive(Clone)]
enum Memory {
    Buffer(wgpu::Buffer),
    Texture(wgpu::Texture),
}

impl Memory {
    fn buffer(&self) -> Result<&wgpu::Buffer> {
        match self {
            Self::Buffer(buffer) => Ok(buffer),
            Self::Texture(_) => Err(Error::Validation("a texture stands where a buffer must".to_owned())),
        }
    }
}

fn unanswered() -> Error {
    Error::Lost("the device dropped what it was asked".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::plan::{Request, plan};
    use crate::suite::Profile;

    #[test]
    fn a_lost_device_is_an_error_and_a_new_one_can_be_opened() {
        pollster::block_on(async {
            let Some(adapter) = adapters(None).await.into_iter().next() else {
                eprintln!("SKIPPED: there is no device to lose");
                return;
            };
            let mut backend = WgpuBackend::open(adapter, PATIENCE).await.expect("the device opens");
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
}
