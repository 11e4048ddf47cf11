//! The backend for Vulkan, Metal, DirectX 12 and OpenGL: this folder is the only door to wgpu.
//!
//! Kernels are compiled as trusted modules without run-time checks and without zero-initialisation of workgroup memory, as CUDA
//! runs its kernels.

mod adapter;
mod prepared;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_channel::oneshot;

use super::{Backend, Device, Prepared, Task};
use crate::error::{Error, Result};
use crate::job::{Buffer, Format, Job, Kernel, Language, Mapping, Texture};
use crate::shader::ENTRY_POINT;
pub use adapter::{APIS, Adapter, adapters};
use prepared::WgpuJob;

/// How long the device may take over one submission by default. A sample is built to stay below half a second; this only ends what
/// hangs.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Bytes that travel between host and device in one piece, so that neither side stages a whole gigabyte at once.
const PIECE: u64 = 32 << 20;

/// An open wgpu device.
pub struct WgpuBackend {
    adapter: Adapter,
    gpu: Gpu,
    pipelines: HashMap<u64, wgpu::ComputePipeline>,
    /// Inputs of the job before, which the next one often shares.
    inputs: Vec<(Buffer, wgpu::Buffer)>,
}

impl WgpuBackend {
    /// Opens `adapter` with all of its limits and every feature that a benchmark may need. A submission that takes longer than
    /// `patience` counts as hung.
    ///
    /// # Errors
    /// [`Error::NoDevice`] where the driver refuses.
    pub async fn open(adapter: Adapter, patience: Duration) -> Result<Self> {
        let gpu = Gpu::open(&adapter, patience).await?;
        Ok(Self { adapter, gpu, pipelines: HashMap::new(), inputs: Vec::new() })
    }

    async fn pipeline(&mut self, kernel: &Kernel) -> Result<wgpu::ComputePipeline> {
        if let Some(pipeline) = self.pipelines.get(&kernel.key(Language::Wgsl)) {
            return Ok(pipeline.clone());
        }
        let scope = self.gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let descriptor = wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(kernel.source.as_str().into()),
        };
        #[expect(unsafe_code, reason = "checks off is what the suite measures, as CUDA runs")]
        // SAFETY: the module is one of the suite's own kernels. Tests run each of them at odd sizes between guard zones that no
        // access may reach; their loops end, and they divide by no zero.
        let module = unsafe {
            let mut checks = wgpu::ShaderRuntimeChecks::unchecked();
            checks.bounds_checks = kernel.checks.bounds;
            checks.force_loop_bounding = kernel.checks.loops;
            self.gpu.device.create_shader_module_trusted(descriptor, checks)
        };
        let constants: Vec<_> = kernel.constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let pipeline = self.gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
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
        if let Some(error) = scope.pop().await {
            return Err(Error::Shader(one_line(&error.to_string())));
        }
        self.gpu.check()?;
        self.pipelines.insert(kernel.key(Language::Wgsl), pipeline.clone());
        Ok(pipeline)
    }

    /// Allocates the job's buffers and textures; inputs that the job before had too are shared with it, the others are returned to be
    /// filled.
    async fn allocate(&mut self, job: &Job) -> Result<(Vec<Memory>, Vec<usize>)> {
        if job.buffers.iter().any(Buffer::is_shareable) {
            self.inputs.retain(|(kept, _)| {
                job.buffers.iter().any(|buffer| buffer.is_shareable() && kept.is_same_input(buffer))
            });
        }
        let (mut buffers, mut to_fill) = (Vec::new(), Vec::new());
        let scope = self.gpu.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        for (place, buffer) in job.buffers.iter().enumerate() {
            if let Some((_, kept)) =
                self.inputs.iter().find(|(kept, _)| buffer.is_shareable() && kept.is_same_input(buffer))
            {
                buffers.push(Memory::Buffer(kept.clone()));
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
                Some(Mapping::Read) => wgpu::BufferUsages::MAP_READ,
                None => wgpu::BufferUsages::empty(),
            };
            let allocated = self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(buffer.name),
                size: buffer.bytes,
                usage: role | mapping | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            if buffer.is_shareable() {
                self.inputs.push((buffer.clone(), allocated.clone()));
            }
            buffers.push(Memory::Buffer(allocated));
        }
        if let Some(error) = scope.pop().await {
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
            let pipeline = if job.kernel.is_empty() { None } else { Some(self.pipeline(&job.kernel).await?) };
            let (buffers, to_fill) = self.allocate(job).await?;
            for place in to_fill {
                let spec = &job.buffers[place];
                match &buffers[place] {
                    Memory::Texture(texture) => self.gpu.fill_texture(spec, texture)?,
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
            std::mem::forget(std::mem::take(&mut self.pipelines));
            std::mem::forget(std::mem::take(&mut self.inputs));
            self.gpu = Gpu::open(&self.adapter, self.gpu.patience).await?;
            Ok(())
        })
    }

    fn release(&mut self) {
        self.inputs.clear();
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

/// Device, queue, and what went wrong on them since somebody looked.
#[derive(Clone)]
struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    patience: Duration,
    trouble: Arc<Mutex<Option<Error>>>,
    /// A piece of [`crate::job::POISON`] to copy from.
    poison: wgpu::Buffer,
    /// Host-visible memory through which large buffers travel, made once: its pages cost more to touch first than to fill.
    upload: wgpu::Buffer,
    readback: [wgpu::Buffer; 2],
}

impl Gpu {
    async fn open(adapter: &Adapter, patience: Duration) -> Result<Self> {
        let required_features = adapter::wanted_features(&adapter.inner);
        let experimental_features = if required_features.intersects(wgpu::Features::all_experimental_mask()) {
            #[expect(unsafe_code, reason = "cooperative matrices are an experiment of wgpu's")]
            // SAFETY: the one that is asked for is used by the suite's own kernels alone, in shapes and types that the adapter says it
            // has; their loads and stores lie within their buffers, which tests hold between guard zones.
            unsafe {
                wgpu::ExperimentalFeatures::enabled()
            }
        } else {
            wgpu::ExperimentalFeatures::disabled()
        };
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("shaderbench"),
            required_features,
            experimental_features,
            required_limits: adapter.inner.limits(),
            memory_hints: wgpu::MemoryHints::MemoryUsage,
            ..Default::default()
        };
        let (device, queue) = adapter.inner.request_device(&descriptor).await.map_err(|error| {
            Error::NoDevice(format!("{} ({}) cannot be opened: {error}", adapter.device.name, adapter.device.backend))
        })?;
        let trouble = Arc::new(Mutex::new(None));
        let on_error = Arc::clone(&trouble);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let text = one_line(&error.to_string());
            let error = match error {
                wgpu::Error::OutOfMemory { .. } => Error::OutOfMemory(text),
                _ => Error::Validation(text),
            };
            on_error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }));
        let on_loss = Arc::clone(&trouble);
        device.set_device_lost_callback(move |reason, message| {
            let error = Error::Lost(one_line(&format!("{reason:?}: {message}")));
            *on_loss.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        });
        let buffer = |label, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: PIECE,
                usage,
                mapped_at_creation: false,
            })
        };
        let poison = buffer("poison", wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST);
        let upload = buffer("upload", wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC);
        let readback = ["readback", "readback"]
            .map(|label| buffer(label, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST));
        queue.write_buffer(&poison, 0, &crate::job::POISON.to_le_bytes().repeat(poison.size() as usize / 4));
        Ok(Self { device, queue, patience, trouble, poison, upload, readback })
    }

    /// Gives what went wrong, if anything did.
    fn check(&self) -> Result<()> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    /// Submits and waits until the device is done.
    async fn run(&self, encoder: wgpu::CommandEncoder) -> Result<()> {
        self.wait(self.queue.submit([encoder.finish()])).await
    }

    async fn wait(&self, submission: wgpu::SubmissionIndex) -> Result<()> {
        let (done, is_done) = oneshot::channel();
        self.queue.on_submitted_work_done(move || {
            let _ = done.send(());
        });
        let wait = wgpu::PollType::Wait { submission_index: Some(submission), timeout: Some(self.patience) };
        let polled = self.device.poll(wait);
        self.check()?;
        match polled {
            Ok(_) => {}
            Err(wgpu::PollError::Timeout) => return Err(Error::Timeout { seconds: self.patience.as_secs_f64() }),
            Err(error) => return Err(Error::Lost(one_line(&error.to_string()))),
        }
        is_done.await.map_err(|_| Error::Lost("the queue dropped a submission".to_owned()))
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Uploads what `spec` starts with, piece by piece: all cores work out the next one while this thread copies.
    async fn fill(&self, spec: &Buffer, buffer: &wgpu::Buffer) -> Result<()> {
        let length = |offset: u64| spec.bytes.saturating_sub(offset).min(PIECE) as usize;
        let (mut piece, mut next) = (vec![0; length(0)], vec![0; length(PIECE)]);
        spec.fill(0, &mut piece);
        for offset in (0..spec.bytes).step_by(PIECE as usize) {
            let (here, ahead) = (length(offset), length(offset + PIECE));
            self.write(&self.upload, here as u64, |mut view| {
                rayon::in_place_scope(|scope| {
                    scope.spawn(|_| spec.fill(offset + PIECE, &mut next[..ahead]));
                    view.copy_from_slice(&piece[..here]);
                });
            })
            .await?;
            self.run(self.copied(&self.upload, 0, buffer, offset, here as u64)).await?;
            std::mem::swap(&mut piece, &mut next);
        }
        Ok(())
    }

    fn texture(&self, label: &str, texture: &Texture) -> wgpu::Texture {
        let side = |length: u64| u32::try_from(length).unwrap_or(u32::MAX);
        self.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: wgpu::Extent3d { width: side(texture.width), height: side(texture.height), depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: match texture.format {
                Format::Rgba8Unorm => wgpu::TextureFormat::Rgba8Unorm,
                Format::R32Uint => wgpu::TextureFormat::R32Uint,
                Format::Rgba32Uint => wgpu::TextureFormat::Rgba32Uint,
            },
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_SRC | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        })
    }

    /// Uploads what `spec` starts with through the queue's own staging; in queue order, not waited for.
    fn fill_texture(&self, spec: &Buffer, texture: &wgpu::Texture) -> Result<()> {
        let Some(shape) = spec.texture() else { return Ok(()) };
        let row = shape.width * shape.format.bytes();
        // Whole rows, whose bytes are a multiple of the 16 that contents come in.
        let rows = (PIECE / row).max(4) / 4 * 4;
        for first in (0..shape.height).step_by(rows as usize) {
            let rows = rows.min(shape.height - first);
            let mut bytes = vec![0; (rows * row).next_multiple_of(16) as usize];
            spec.fill(first * row, &mut bytes);
            let layout =
                wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row as u32), rows_per_image: None };
            let size = wgpu::Extent3d { width: texture.width(), height: rows as u32, depth_or_array_layers: 1 };
            self.queue.write_texture(texture_at(texture, first), &bytes[..(rows * row) as usize], layout, size);
        }
        Ok(())
    }

    /// Hands the first `bytes` of a texture's texels to `sink`, row by row as the host sees them.
    async fn read_texture(
        &self,
        spec: &Buffer,
        texture: &wgpu::Texture,
        bytes: u64,
        sink: &mut dyn FnMut(u64, &[u8]),
    ) -> Result<()> {
        let Some(shape) = spec.texture() else { return Ok(()) };
        let (row, pitch) = (shape.width * shape.format.bytes(), shape.pitch());
        let rows = (PIECE / pitch).max(1);
        for first in (0..bytes.div_ceil(row)).step_by(rows as usize) {
            let rows = rows.min(shape.height - first);
            let mut encoder = self.encoder();
            let layout =
                wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(pitch as u32), rows_per_image: None };
            let size = wgpu::Extent3d { width: texture.width(), height: rows as u32, depth_or_array_layers: 1 };
            let to = wgpu::TexelCopyBufferInfo { buffer: &self.readback[0], layout };
            encoder.copy_texture_to_buffer(texture_at(texture, first), to, size);
            self.run(encoder).await?;
            let mut packed = Vec::with_capacity((rows * row) as usize);
            self.look(&self.readback[0], rows * pitch, |view| {
                view.chunks(pitch as usize).for_each(|padded| packed.extend_from_slice(&padded[..row as usize]));
            })
            .await?;
            packed.truncate((bytes - first * row) as usize);
            sink(first * row, &packed);
        }
        Ok(())
    }

    /// Copies `bytes`, at most a piece of them, to `buffer` through the mapped staging buffer, and waits.
    async fn send(&self, bytes: &[u8], buffer: &wgpu::Buffer, offset: u64) -> Result<()> {
        self.put(bytes, &self.upload).await?;
        self.run(self.copied(&self.upload, 0, buffer, offset, bytes.len() as u64)).await
    }

    /// Writes `bytes`, a multiple of 8 of them, to the front of a host-visible buffer, which no submission in flight uses.
    async fn put(&self, bytes: &[u8], buffer: &wgpu::Buffer) -> Result<()> {
        self.write(buffer, bytes.len() as u64, |mut view| view.copy_from_slice(bytes)).await
    }

    /// Hands the first `bytes`, a multiple of 8, of such a buffer to `pen`.
    async fn write(&self, buffer: &wgpu::Buffer, bytes: u64, pen: impl FnOnce(wgpu::BufferViewMut)) -> Result<()> {
        self.map(buffer, wgpu::MapMode::Write, bytes).await?;
        pen(buffer.get_mapped_range_mut(..bytes).map_err(|error| unmappable(&error.to_string()))?);
        buffer.unmap();
        Ok(())
    }

    fn copied(&self, from: &wgpu::Buffer, at: u64, to: &wgpu::Buffer, offset: u64, bytes: u64) -> wgpu::CommandEncoder {
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(from, at, to, offset, bytes);
        encoder
    }

    /// Hands the first `bytes` of `buffer` to `sink`, piece by piece: the next one is under way meanwhile.
    async fn read(&self, buffer: &wgpu::Buffer, bytes: u64, sink: &mut dyn FnMut(u64, &[u8])) -> Result<()> {
        let start = |offset: u64| {
            let [even, odd] = &self.readback;
            let to = if (offset / PIECE).is_multiple_of(2) { even } else { odd };
            let piece = (bytes - offset).min(PIECE);
            let copied = self.copied(buffer, offset, to, 0, piece.next_multiple_of(4));
            (offset, to, piece, self.queue.submit([copied.finish()]))
        };
        let mut under_way = (bytes > 0).then(|| start(0));
        while let Some((offset, from, piece, submission)) = under_way {
            self.wait(submission).await?;
            // Mapping waits for everything that is under way: before there is more.
            self.map(from, wgpu::MapMode::Read, piece.next_multiple_of(8)).await?;
            under_way = (offset + PIECE < bytes).then(|| start(offset + PIECE));
            show(from, piece, |view| sink(offset, view))?;
        }
        Ok(())
    }

    /// Hands the first `bytes` of a host-visible buffer, which no submission in flight writes, to `eye`.
    async fn look(&self, buffer: &wgpu::Buffer, bytes: u64, eye: impl FnOnce(&[u8])) -> Result<()> {
        self.map(buffer, wgpu::MapMode::Read, bytes.next_multiple_of(8)).await?;
        show(buffer, bytes, eye)
    }

    async fn map(&self, buffer: &wgpu::Buffer, mode: wgpu::MapMode, bytes: u64) -> Result<()> {
        let (mapped, is_mapped) = oneshot::channel();
        buffer.map_async(mode, ..bytes, move |result| {
            let _ = mapped.send(result);
        });
        let polled = self.device.poll(wgpu::PollType::Wait { submission_index: None, timeout: Some(self.patience) });
        self.check()?;
        if matches!(polled, Err(wgpu::PollError::Timeout)) {
            return Err(Error::Timeout { seconds: self.patience.as_secs_f64() });
        }
        is_mapped.await.map_err(|_| unmappable("no answer"))?.map_err(|error| unmappable(&error.to_string()))
    }

    /// Covers `buffer` with poison; in queue order, not waited for.
    fn poison(&self, buffer: &wgpu::Buffer) {
        let mut encoder = self.encoder();
        for offset in (0..buffer.size()).step_by(self.poison.size() as usize) {
            let bytes = (buffer.size() - offset).min(self.poison.size());
            encoder.copy_buffer_to_buffer(&self.poison, 0, buffer, offset, bytes);
        }
        self.queue.submit([encoder.finish()]);
    }
}

/// A texture from row `row` on, for a copy.
fn texture_at(texture: &wgpu::Texture, row: u64) -> wgpu::TexelCopyTextureInfo<'_> {
    wgpu::TexelCopyTextureInfo {
        texture,
        mip_level: 0,
        origin: wgpu::Origin3d { x: 0, y: row as u32, z: 0 },
        aspect: wgpu::TextureAspect::All,
    }
}

/// Hands the first `bytes` of a mapped buffer to `eye`, and unmaps it.
fn show(buffer: &wgpu::Buffer, bytes: u64, eye: impl FnOnce(&[u8])) -> Result<()> {
    let view = buffer.get_mapped_range(..bytes.next_multiple_of(8)).map_err(|error| unmappable(&error.to_string()))?;
    eye(&view[..bytes as usize]);
    drop(view);
    buffer.unmap();
    Ok(())
}

fn unmappable(why: &str) -> Error {
    Error::Lost(format!("a buffer could not be mapped: {why}"))
}

/// wgpu's messages run over many indented lines; a row of a report has one.
fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Request, plan};
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
            let request = Request { filters, profile: Profile::Quick, sizes: Vec::new(), params: Vec::new() };
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
