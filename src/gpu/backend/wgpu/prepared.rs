//! A job on a wgpu device.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;

use web_time::Instant;

use super::bind::{Resources, bind_groups, sampler};
use super::gpu::Gpu;
use super::host::Host;
use super::memory::Memory;
use super::pipelines::Compiled;
use super::platform::PIECE;
use super::steps::{is_host_copy, unsupported};
use super::timestamps::{MAX_QUERIES, Timestamps};
use super::transfer::texture_at;
use crate::backend::{Prepared, Sample, Task, within};
use crate::job::{self, Dispatch, Job, JobBuffer, Route, Step};
use record::error::{Error, Result, one_line};

/// Encoders that samples use in rotation. The address of an encoder's commands changes the time of microsecond launches
/// by 1 to 2 %, and wgpu reuses the encoder that was returned last: all samples of a run would share one address, and
/// those of the next run another.
const ENCODERS: usize = 16;

pub(super) struct WgpuJob {
    pub(super) gpu: Gpu,
    pub(super) pipelines: Compiled,
    pub(super) specs: Vec<job::JobBuffer>,
    pub(super) memory: Vec<Memory>,
    pub(super) steps: Vec<Bound>,
    end_to_end: Vec<Bound>,
    timestamps: Option<Timestamps>,
    encoders: VecDeque<wgpu::CommandEncoder>,
    /// Host copies of the uploaded buffers, made before any timing.
    uploads: HashMap<usize, Vec<u8>>,
    /// Downloaded data, by the destination buffer of [`Step::Receive`].
    received: HashMap<usize, Vec<u8>>,
    runs_kernel: bool,
    is_host_timed: bool,
    /// Whether uniform blocks hold the words of immediates.
    has_blocks: bool,
    /// The part of the host's work that is timed, if any.
    pub(super) host: Option<Host>,
}

/// A step with its bind groups, by group number.
pub(super) struct Bound {
    pub(super) step: Step,
    pub(super) groups: Vec<wgpu::BindGroup>,
}

impl WgpuJob {
    pub(super) async fn new(gpu: Gpu, pipelines: Compiled, job: &Job, memory: Vec<Memory>) -> Result<Self> {
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let views: Vec<_> = memory.iter().zip(&job.buffers).map(|(memory, spec)| memory.view(spec)).collect();
        let samplers: Vec<_> = job.samplers.iter().map(|own| sampler(&gpu.device, *own)).collect();
        let (specs, host) = (&job.buffers, Host::of(&gpu.device, job));
        let (interface, reads_lengths) = (&job.kernel.interface, job.kernel.reads_lengths());
        let (views, samplers) = (&views, &samplers);
        let resources = Resources { interface, reads_lengths, specs, memory: &memory, views, samplers };
        let bind = |step: &Step| {
            let groups = match step {
                Step::Dispatch(own) => match pipelines.get(own.entry) {
                    Some(pipeline) => {
                        bind_groups(&gpu.device, |number| pipeline.get_bind_group_layout(number), resources, own, None)
                    }
                    None => Vec::new(),
                },
                _ => Vec::new(),
            };
            Bound { step: step.clone(), groups }
        };
        let (steps, end_to_end) = (job.steps.iter().map(bind).collect(), job.end_to_end.iter().map(bind).collect());
        let has_timestamps = gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        let has_copy_timestamps = gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);
        let timestamps = (has_timestamps && host.is_none()).then(|| Timestamps::new(&gpu.device));
        if let Some(error) = scope.pop().await {
            return Err(Error::Validation(one_line(&error.to_string())));
        }
        let mut prepared = Self {
            gpu,
            pipelines,
            specs: job.buffers.clone(),
            memory,
            steps,
            end_to_end,
            timestamps,
            encoders: VecDeque::new(),
            uploads: HashMap::new(),
            received: HashMap::new(),
            runs_kernel: job.runs_kernel(),
            is_host_timed: job.is_host_timed(has_copy_timestamps),
            has_blocks: host.as_ref().is_some_and(Host::has_blocks),
            host,
        };
        if let Some(host) = prepared.host.take_if(|host| host.has_blocks()) {
            prepared.bind(&host);
            prepared.host = Some(host);
        }
        for step in &job.steps {
            match step {
                Step::Send { from, .. } if is_host_copy(step) => prepared.copy_to_host(*from),
                Step::Receive { to, .. } if is_host_copy(step) => {
                    let bytes = prepared.specs[*to].bytes as usize;
                    prepared.received.insert(*to, vec![0; bytes]);
                }
                _ => {}
            }
        }
        Ok(prepared)
    }

    /// Copies a buffer's initial contents to host memory.
    fn copy_to_host(&mut self, index: usize) {
        let spec = &self.specs[index];
        self.uploads.entry(index).or_insert_with(|| {
            let mut bytes = vec![0; spec.bytes as usize];
            spec.fill(0, &mut bytes);
            bytes
        });
    }

    /// Runs the steps of a job without a kernel in order, and waits for the last one.
    async fn run_on_host(&mut self, launches: u32) -> Result<()> {
        // Consecutive steps without the host share one submission.
        let (mut encoder, mut is_pending) = (self.gpu.encoder(), false);
        for step in (0..launches).flat_map(|_| &self.steps).map(|bound| &bound.step) {
            if is_pending && is_host_copy(step) {
                let full = std::mem::replace(&mut encoder, self.gpu.encoder());
                self.gpu.queue.submit([full.finish()]);
                is_pending = false;
            }
            match step {
                Step::Send { from, to, route: Route::Queue } => {
                    self.gpu.queue.write_buffer(self.memory[*to].buffer()?, 0, &self.uploads[from]);
                    self.gpu.queue.submit([]);
                }
                Step::Send { from, to, route: Route::Staging } => {
                    self.gpu.upload_staged(&self.uploads[from], self.memory[*to].buffer()?).await?;
                }
                Step::Send { from, to, route: Route::Mapped } => {
                    self.gpu.write_mapped(&self.uploads[from], self.memory[*to].buffer()?).await?;
                }
                Step::Receive { from, to, route: route @ (Route::Queue | Route::Staging | Route::Mapped) } => {
                    let Some(host) = self.received.get_mut(to) else { return Err(unsupported(step)) };
                    let (buffer, bytes) = (self.memory[*from].buffer()?, self.specs[*from].bytes);
                    let mut store = |offset: u64, piece: &[u8]| {
                        host[offset as usize..][..piece.len()].copy_from_slice(piece);
                    };
                    match route {
                        Route::Mapped => self.gpu.read_mapped(buffer, bytes, |piece| store(0, piece)).await?,
                        _ => self.gpu.read(buffer, 0..bytes, &mut store).await?,
                    }
                }
                step => {
                    self.encode_copy(&mut encoder, step)?;
                    is_pending = true;
                }
            }
        }
        self.gpu.run(encoder).await
    }

    fn encoder(&mut self) -> wgpu::CommandEncoder {
        while self.encoders.len() < ENCODERS {
            self.encoders.push_back(self.gpu.encoder());
        }
        self.encoders.pop_front().unwrap_or_else(|| self.gpu.encoder())
    }

    /// Encodes the copies of all launches between queries `first` and `first + 1`. Returns the number of timestamps.
    fn encode_copies(&self, encoder: &mut wgpu::CommandEncoder, launches: u32, first: u32) -> Result<u32> {
        let stamp = |encoder: &mut wgpu::CommandEncoder, index: u32| {
            self.timestamps.iter().for_each(|timestamps| timestamps.write(encoder, index));
        };
        stamp(encoder, first);
        for bound in (0..launches).flat_map(|_| &self.steps) {
            self.encode_copy(encoder, &bound.step)?;
        }
        stamp(encoder, first + 1);
        Ok(2)
    }

    fn pipeline(&self, own: &Dispatch<usize>) -> Result<&wgpu::ComputePipeline> {
        self.pipelines.get(own.entry).ok_or_else(|| Error::Validation("a dispatch has no entry point".to_owned()))
    }

    /// Encodes a dispatch whose pipeline is set.
    fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, bound: &Bound, own: &Dispatch<usize>) -> Result<()> {
        for (number, group) in (0..).zip(&bound.groups) {
            pass.set_bind_group(number, group, &[]);
        }
        if !own.immediates.is_empty() && !self.has_blocks {
            pass.set_immediates(0, bytemuck::cast_slice(&own.immediates));
        }
        let [x, y, z] = own.groups;
        match own.indirect {
            Some((buffer, at)) => pass.dispatch_workgroups_indirect(self.memory[buffer].buffer()?, at),
            None => pass.dispatch_workgroups(x, y, z),
        }
        Ok(())
    }

    /// Encodes all launches. Consecutive dispatches share a pass with its own timestamps, starting at query `first`.
    /// Returns the number of timestamps.
    pub(super) fn encode(&self, encoder: &mut wgpu::CommandEncoder, launches: u32, first: u32) -> Result<u32> {
        let mut written = first;
        let mut pass: Option<wgpu::ComputePass<'static>> = None;
        // The entry point that is set, and whether the pass is timed.
        let (mut entry, mut is_timed) = (None, None);
        for bound in (0..launches).flat_map(|_| &self.steps) {
            if let Step::Dispatch(own) = &bound.step {
                if is_timed != Some(own.is_timed) {
                    pass = None;
                }
                is_timed = Some(own.is_timed);
                let pass = pass.get_or_insert_with(|| {
                    let timestamps = self.timestamps.as_ref().filter(|_| own.is_timed);
                    let writes = timestamps.map(|t| t.around_pass(&mut written));
                    let descriptor = wgpu::ComputePassDescriptor { label: None, timestamp_writes: writes };
                    entry = None;
                    encoder.begin_compute_pass(&descriptor).forget_lifetime()
                });
                if entry != Some(own.entry) {
                    entry = Some(own.entry);
                    pass.set_pipeline(self.pipeline(own)?);
                }
                self.dispatch(pass, bound, own)?;
            } else {
                pass = None;
                self.encode_copy(encoder, &bound.step)?;
            }
        }
        drop(pass);
        Ok(written - first)
    }

    /// Submits up to `count` samples, as many as there are timestamps for, an encoder each, and waits for their times.
    async fn submit(&mut self, launches: u32, count: usize) -> Result<Vec<Sample>> {
        let (mut encoders, mut written, mut queries) = (Vec::new(), 0, 0);
        while encoders.len() < count.max(1) && written + queries <= MAX_QUERIES {
            let mut encoder = self.encoder();
            queries = if self.runs_kernel {
                self.encode(&mut encoder, launches, written)?
            } else {
                self.encode_copies(&mut encoder, launches, written)?
            };
            written += queries;
            encoders.push(encoder);
        }
        if let (Some(timestamps), Some(last)) = (&self.timestamps, encoders.last_mut()) {
            timestamps.resolve(last, written);
        }
        let commands: Vec<_> = encoders.into_iter().map(wgpu::CommandEncoder::finish).collect();
        let (number, start) = (commands.len(), Instant::now());
        let submission = self.gpu.queue.submit(commands);
        self.gpu.wait(submission).await?;
        let wall_ns = start.elapsed().as_nanos() as f64 / number as f64;
        let Some(timestamps) = &self.timestamps else { return Ok(vec![Sample { device_ns: None, wall_ns }; number]) };
        let times_ns = timestamps.device_ns(&self.gpu, queries, number as u32).await?;
        Ok(times_ns.into_iter().map(|ns| Sample { device_ns: Some(ns), wall_ns }).collect())
    }

    fn encode_copy(&self, encoder: &mut wgpu::CommandEncoder, step: &Step) -> Result<()> {
        match step {
            Step::Restore { from, to }
            | Step::Send { from, to, route: Route::StagingOnly | Route::Pinned }
            | Step::Receive { from, to, route: Route::StagingOnly } => {
                if let (Memory::Texture(from), Memory::Texture(to)) = (&self.memory[*from], &self.memory[*to]) {
                    encoder.copy_texture_to_texture(texture_at(from, 0), texture_at(to, 0), to.size());
                    return Ok(());
                }
                // The guard zone is not part of the buffer.
                let bytes = self.specs[*from].bytes.min(self.specs[*to].bytes);
                let (from, to) = (self.memory[*from].buffer()?, self.memory[*to].buffer()?);
                encoder.copy_buffer_to_buffer(from, 0, to, 0, bytes);
            }
            Step::Clear(buffer) => {
                encoder.clear_buffer(self.memory[*buffer].buffer()?, 0, Some(self.specs[*buffer].bytes));
            }
            Step::CopyRows { from, to } => match (&self.memory[*from], &self.memory[*to]) {
                (Memory::Buffer(buffer), Memory::Texture(texture)) => {
                    let rows = self.rows(*to, buffer);
                    encoder.copy_buffer_to_texture(rows, texture_at(texture, 0), texture.size());
                }
                (Memory::Texture(texture), Memory::Buffer(buffer)) => {
                    let rows = self.rows(*from, buffer);
                    encoder.copy_texture_to_buffer(texture_at(texture, 0), rows, texture.size());
                }
                _ => {
                    return Err(Error::Validation("rows can only be copied between a buffer and a texture".to_owned()));
                }
            },
            step => return Err(unsupported(step)),
        }
        Ok(())
    }

    /// `buffer` as the rows of a texture.
    fn rows<'a>(&self, texture: usize, buffer: &'a wgpu::Buffer) -> wgpu::TexelCopyBufferInfo<'a> {
        let pitch = self.specs[texture].texture().map(|texture| texture.pitch() as u32);
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: pitch, rows_per_image: None };
        wgpu::TexelCopyBufferInfo { buffer, layout }
    }
}

impl WgpuJob {
    /// Poisons the bytes of outputs that `wanted` returns, and the host's received data.
    async fn poison_where(&mut self, wanted: impl Fn(usize, &JobBuffer) -> Option<Range<u64>>) -> Result<()> {
        for (index, (spec, memory)) in self.specs.iter().zip(&self.memory).enumerate() {
            let Some(bytes) = wanted(index, spec).filter(|_| spec.is_output()) else { continue };
            match memory {
                Memory::Buffer(buffer) => self.gpu.poison(buffer, bytes),
                Memory::Texture(texture) => self.gpu.upload_texture(spec, texture)?,
            }
        }
        self.received.values_mut().for_each(|bytes| bytes.fill(0xff));
        // So that the copies do not overlap the next sample.
        self.gpu.run(self.gpu.encoder()).await
    }
}

impl Prepared for WgpuJob {
    fn sample(&mut self, launches: u32) -> Task<'_, Sample> {
        Box::pin(async move {
            if let Some(host) = self.host.take() {
                return self.host_sample(host, launches).await;
            }
            if self.is_host_timed {
                let start = Instant::now();
                self.run_on_host(launches).await?;
                return Ok(Sample { device_ns: None, wall_ns: start.elapsed().as_nanos() as f64 });
            }
            let samples = self.submit(launches, 1).await?;
            samples.into_iter().next().ok_or_else(|| Error::Validation("a submission returned no sample".to_owned()))
        })
    }

    fn samples(&mut self, launches: u32, count: usize) -> Task<'_, Vec<Sample>> {
        Box::pin(async move {
            // Without timestamps, only the time of a whole submission is known.
            if self.is_host_timed || self.timestamps.is_none() {
                return Ok(vec![self.sample(launches).await?]);
            }
            self.submit(launches, count).await
        })
    }

    fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
        Box::pin(async move {
            let uploaded: Vec<usize> = self.end_to_end.iter().filter_map(|bound| bound.step.uploaded()).collect();
            uploaded.into_iter().for_each(|index| self.copy_to_host(index));
            let mut sum = None;
            let start = Instant::now();
            let mut encoder = self.gpu.encoder();
            for bound in &self.end_to_end {
                match &bound.step {
                    Step::Upload(index) => {
                        let (bytes, buffer) = (&self.uploads[index], self.memory[*index].buffer()?);
                        if bytes.len() as u64 > PIECE {
                            // The queue's staging would hold a second copy of the whole buffer.
                            self.gpu.upload_staged(bytes, buffer).await?;
                        } else {
                            self.gpu.queue.write_buffer(buffer, 0, bytes);
                        }
                    }
                    Step::Dispatch(own) => {
                        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                        pass.set_pipeline(self.pipeline(own)?);
                        self.dispatch(&mut pass, bound, own)?;
                    }
                    Step::SumOnHost { buffer, scalars } => {
                        let full = std::mem::replace(&mut encoder, self.gpu.encoder());
                        self.gpu.queue.submit([full.finish()]);
                        let scalar = self.specs[*buffer].scalar;
                        let bytes = scalars * scalar.bytes() as u64;
                        let mut total = 0.0;
                        self.gpu
                            .read(self.memory[*buffer].buffer()?, 0..bytes, &mut |_, piece| {
                                let mut values = vec![0.0; piece.len() / scalar.bytes()];
                                scalar.decode(piece, &mut values);
                                total += values.iter().sum::<f64>();
                            })
                            .await?;
                        sum = Some(total);
                    }
                    step => self.encode_copy(&mut encoder, step)?,
                }
            }
            self.gpu.run(encoder).await?;
            Ok((start.elapsed().as_nanos() as f64, sum))
        })
    }

    fn poison(&mut self) -> Task<'_, ()> {
        Box::pin(async move { self.poison_where(|_, spec| Some(0..spec.bytes + spec.guard)).await })
    }

    fn poison_range(&mut self, buffer: usize, bytes: Range<u64>) -> Task<'_, ()> {
        let words = bytes.start.next_multiple_of(4)..bytes.end & !3;
        Box::pin(async move { self.poison_where(|index, _| (index == buffer).then(|| words.clone())).await })
    }

    fn refill<'a>(&'a mut self, buffers: &'a [JobBuffer]) -> Task<'a, bool> {
        Box::pin(async move {
            let all = || buffers.iter().zip(&self.memory).filter(|(spec, _)| !spec.is_output());
            if all().any(|(spec, _)| spec.mapping.is_some() || spec.is_staging) {
                return Ok(false);
            }
            for (spec, memory) in all() {
                match memory {
                    Memory::Buffer(buffer) => self.gpu.upload_contents(spec, buffer).await?,
                    Memory::Texture(texture) => self.gpu.upload_texture(spec, texture)?,
                }
            }
            self.gpu.run(self.gpu.encoder()).await?;
            Ok(true)
        })
    }

    fn guards(&mut self, buffer: usize) -> Task<'_, [Vec<u8>; 2]> {
        Box::pin(async move {
            let (spec, mut behind) = (&self.specs[buffer], Vec::new());
            if spec.guard > 0 {
                let zone = spec.bytes..spec.bytes + spec.guard;
                let memory = self.memory[buffer].buffer()?;
                self.gpu.read(memory, zone, &mut |_, bytes| behind.extend_from_slice(bytes)).await?;
            }
            Ok([Vec::new(), behind])
        })
    }

    fn read_parts<'a>(
        &'a mut self,
        buffer: usize,
        ranges: Vec<Range<u64>>,
        sink: &'a mut dyn FnMut(u64, &[u8]),
    ) -> Task<'a, ()> {
        Box::pin(async move {
            if let Some(host) = self.received.get(&buffer) {
                ranges.iter().for_each(|part| sink(part.start, &host[part.start as usize..part.end as usize]));
                return Ok(());
            }
            match &self.memory[buffer] {
                Memory::Buffer(memory) if !self.specs[buffer].is_staging => {
                    self.gpu.read_parts(memory, &ranges, sink).await
                }
                // Textures and mapped memory are read once, whole.
                _ => {
                    let end = ranges.iter().map(|range| range.end).max().unwrap_or(0);
                    self.read(buffer, end, &mut within(&ranges, sink)).await
                }
            }
        })
    }

    fn read<'a>(&'a mut self, buffer: usize, bytes: u64, sink: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
        Box::pin(async move {
            if let Some(host) = self.received.get(&buffer) {
                sink(0, &host[..bytes as usize]);
                return Ok(());
            }
            let is_staging = self.specs[buffer].is_staging;
            match &self.memory[buffer] {
                Memory::Buffer(buffer) if is_staging => self.gpu.read_mapped(buffer, bytes, |all| sink(0, all)).await,
                Memory::Buffer(buffer) => self.gpu.read(buffer, 0..bytes, sink).await,
                Memory::Texture(texture) => self.gpu.read_texture(&self.specs[buffer], texture, bytes, sink).await,
            }
        })
    }
}

impl Drop for WgpuJob {
    fn drop(&mut self) {
        // Shareable inputs are cached for the next job.
        let unshared = self.specs.iter().zip(&self.memory).filter(|(spec, _)| !spec.is_shareable());
        unshared.for_each(|(_, memory)| memory.free());
    }
}
