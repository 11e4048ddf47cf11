//! A job on a wgpu device.

use std::collections::HashMap;

use web_time::Instant;

use super::Gpu;
use crate::backend::{Prepared, Sample, Task};
use crate::error::{Error, Result};
use crate::job::{self, Contents, Job, Step};

/// Timestamps that one submission may take: two around each stretch of dispatches; the most that every device allows in a set.
const MAX_QUERIES: u32 = 4096;

pub(super) struct WgpuJob {
    gpu: Gpu,
    pipeline: wgpu::ComputePipeline,
    specs: Vec<job::Buffer>,
    buffers: Vec<wgpu::Buffer>,
    steps: Vec<Bound>,
    end_to_end: Vec<Bound>,
    timestamps: Option<Timestamps>,
    /// Host copies of what the end-to-end steps upload, made before their clock starts.
    uploads: HashMap<usize, Vec<u8>>,
}

/// A step with its bind group.
struct Bound {
    step: Step,
    group: Option<wgpu::BindGroup>,
}

struct Timestamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readable: wgpu::Buffer,
}

impl WgpuJob {
    pub(super) async fn new(
        gpu: Gpu,
        pipeline: &wgpu::ComputePipeline,
        job: &Job,
        buffers: Vec<wgpu::Buffer>,
    ) -> Result<Self> {
        let scope = gpu.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let layout = pipeline.get_bind_group_layout(0);
        let bind = |step: &Step| {
            let group = match step {
                Step::Dispatch { buffers: places, .. } => {
                    let entries: Vec<_> = job
                        .kernel
                        .interface
                        .bindings
                        .iter()
                        .zip(places)
                        .map(|(binding, place)| wgpu::BindGroupEntry {
                            binding: binding.index,
                            resource: buffers[*place].as_entire_binding(),
                        })
                        .collect();
                    let descriptor = wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
                    Some(gpu.device.create_bind_group(&descriptor))
                }
                _ => None,
            };
            Bound { step: step.clone(), group }
        };
        let (steps, end_to_end) = (job.steps.iter().map(bind).collect(), job.end_to_end.iter().map(bind).collect());
        let has_timestamps = gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        let timestamps = has_timestamps.then(|| Timestamps::new(&gpu.device));
        if let Some(error) = scope.pop().await {
            return Err(Error::Validation(super::one_line(&error.to_string())));
        }
        let (specs, pipeline) = (job.buffers.clone(), pipeline.clone());
        Ok(Self { gpu, pipeline, specs, buffers, steps, end_to_end, timestamps, uploads: HashMap::new() })
    }

    /// Encodes one launch after the other. Without untimed steps all of them share one pass; else each stretch of dispatches is
    /// a pass with timestamps of its own. Gives the number of timestamps written.
    fn encode(&self, encoder: &mut wgpu::CommandEncoder, launches: u32) -> u32 {
        let mut written = 0;
        let mut pass: Option<wgpu::ComputePass<'static>> = None;
        for bound in (0..launches).flat_map(|_| &self.steps) {
            if let (Step::Dispatch { groups: [x, y, z], .. }, Some(group)) = (&bound.step, &bound.group) {
                let pass = pass.get_or_insert_with(|| {
                    let writes = self.timestamps.as_ref().map(|t| t.writes(&mut written));
                    let descriptor = wgpu::ComputePassDescriptor { label: None, timestamp_writes: writes };
                    let mut pass = encoder.begin_compute_pass(&descriptor).forget_lifetime();
                    pass.set_pipeline(&self.pipeline);
                    pass
                });
                pass.set_bind_group(0, group, &[]);
                pass.dispatch_workgroups(*x, *y, *z);
            } else {
                pass = None;
                self.encode_untimed(encoder, &bound.step);
            }
        }
        drop(pass);
        written
    }

    fn encode_untimed(&self, encoder: &mut wgpu::CommandEncoder, step: &Step) {
        match step {
            Step::Restore { from, to } => {
                let bytes = self.buffers[*from].size();
                encoder.copy_buffer_to_buffer(&self.buffers[*from], 0, &self.buffers[*to], 0, bytes);
            }
            Step::Clear(buffer) => encoder.clear_buffer(&self.buffers[*buffer], 0, None),
            Step::Dispatch { .. } | Step::Upload(_) | Step::SumOnHost { .. } => {}
        }
    }

    /// Sum of the spans between the first `written` timestamps, in nanoseconds.
    async fn device_time(&self, timestamps: &Timestamps, written: u32) -> Result<f64> {
        let mut ticks = 0;
        self.gpu
            .look(&timestamps.readable, u64::from(written) * 8, |bytes| {
                let stamps: Vec<u64> = bytes
                    .chunks_exact(8)
                    .filter_map(|word| word.first_chunk().copied().map(u64::from_le_bytes))
                    .collect();
                ticks = stamps.chunks_exact(2).map(|pair| pair[1].wrapping_sub(pair[0]) as i64).sum::<i64>();
            })
            .await?;
        Ok(ticks as f64 * f64::from(self.gpu.queue.get_timestamp_period()))
    }
}

impl Prepared for WgpuJob {
    fn sample(&mut self, launches: u32) -> Task<'_, Sample> {
        Box::pin(async move {
            let mut encoder = self.gpu.encoder();
            let written = self.encode(&mut encoder, launches);
            if let Some(timestamps) = &self.timestamps {
                let bytes = u64::from(written) * 8;
                encoder.resolve_query_set(&timestamps.queries, 0..written, &timestamps.resolved, 0);
                encoder.copy_buffer_to_buffer(&timestamps.resolved, 0, &timestamps.readable, 0, bytes);
            }
            let commands = encoder.finish();
            let start = Instant::now();
            let submission = self.gpu.queue.submit([commands]);
            self.gpu.wait(submission).await?;
            let wall_ns = start.elapsed().as_nanos() as f64;
            let device_ns = match &self.timestamps {
                Some(timestamps) => Some(self.device_time(timestamps, written).await?),
                None => None,
            };
            Ok(Sample { device_ns, wall_ns })
        })
    }

    fn end_to_end(&mut self) -> Task<'_, (f64, Option<f64>)> {
        Box::pin(async move {
            for bound in &self.end_to_end {
                if let Step::Upload(place) = bound.step {
                    self.uploads.entry(place).or_insert_with(|| {
                        let mut bytes = vec![0; self.specs[place].bytes as usize];
                        self.specs[place].fill(0, &mut bytes);
                        bytes
                    });
                }
            }
            let mut sum = None;
            let start = Instant::now();
            let mut encoder = self.gpu.encoder();
            for bound in &self.end_to_end {
                match &bound.step {
                    Step::Upload(place) => self.gpu.queue.write_buffer(&self.buffers[*place], 0, &self.uploads[place]),
                    Step::Dispatch { groups: [x, y, z], .. } => {
                        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                        pass.set_pipeline(&self.pipeline);
                        pass.set_bind_group(0, bound.group.as_ref(), &[]);
                        pass.dispatch_workgroups(*x, *y, *z);
                    }
                    Step::SumOnHost { buffer, bytes } => {
                        let full = std::mem::replace(&mut encoder, self.gpu.encoder());
                        self.gpu.queue.submit([full.finish()]);
                        let scalar = self.specs[*buffer].scalar;
                        let mut total = 0.0;
                        self.gpu
                            .read(&self.buffers[*buffer], *bytes, &mut |_, piece| {
                                let mut values = vec![0.0; piece.len() / scalar.bytes()];
                                scalar.decode(piece, &mut values);
                                total += values.iter().sum::<f64>();
                            })
                            .await?;
                        sum = Some(total);
                    }
                    step => self.encode_untimed(&mut encoder, step),
                }
            }
            self.gpu.run(encoder).await?;
            Ok((start.elapsed().as_nanos() as f64, sum))
        })
    }

    fn poison(&mut self) -> Task<'_, ()> {
        Box::pin(async move {
            for (spec, buffer) in self.specs.iter().zip(&self.buffers) {
                if spec.contents == Contents::Poison {
                    self.gpu.poison(buffer);
                }
            }
            // Waited for, so that the copies do not run into the sample that follows.
            self.gpu.run(self.gpu.encoder()).await
        })
    }

    fn read<'a>(&'a mut self, buffer: usize, bytes: u64, sink: &'a mut dyn FnMut(u64, &[u8])) -> Task<'a, ()> {
        Box::pin(self.gpu.read(&self.buffers[buffer], bytes, sink))
    }
}

impl Timestamps {
    fn new(device: &wgpu::Device) -> Self {
        let buffer = |usage| {
            let size = u64::from(MAX_QUERIES) * 8;
            device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
        };
        Self {
            queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: wgpu::QueryType::Timestamp,
                count: MAX_QUERIES,
            }),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            readable: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
        }
    }

    fn writes(&self, written: &mut u32) -> wgpu::ComputePassTimestampWrites<'_> {
        let begin = *written;
        *written += 2;
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(begin),
            end_of_pass_write_index: Some(begin + 1),
        }
    }
}
