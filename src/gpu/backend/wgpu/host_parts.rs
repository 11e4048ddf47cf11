//! Times parts of the host's work for a submission.

use std::hash::{BuildHasher, RandomState};

use web_time::Instant;

use super::bind::{Resources, bind_groups};
use super::host::{BLOCK, Host};
use super::pipelines::compile;
use super::prepared::WgpuJob;
use crate::backend::Sample;
use crate::job::Step;
use record::error::Result;
use record::suite::HostPart;

impl WgpuJob {
    /// Runs `launches` submissions one after another. `device_ns` of the sample is the host time of the part.
    pub(super) async fn host_sample(&mut self, mut host: Host, launches: u32) -> Result<Sample> {
        let (start, mut part_ns) = (Instant::now(), 0.0);
        for _ in 0..launches {
            match self.host_launch(&mut host).await {
                Ok(ns) => part_ns += ns,
                Err(error) => {
                    self.host = Some(host);
                    return Err(error);
                }
            }
        }
        let wall_ns = start.elapsed().as_nanos() as f64;
        self.host = Some(host);
        Ok(Sample { device_ns: Some(part_ns), wall_ns })
    }

    /// Runs one submission and returns the time of the part, in nanoseconds.
    async fn host_launch(&mut self, host: &mut Host) -> Result<f64> {
        if host.part == HostPart::FirstPipeline {
            // A number that this device's caches have not seen, in this process or another.
            let number = RandomState::new().hash_one(self.steps.len()) as u32;
            host.kernel.constants.insert("NONCE".to_owned(), f64::from(number));
        }
        let is_bound = !host.part.compiles() && host.part != HostPart::BindGroups;
        // Dropped after the last clock is read.
        let old: Vec<_> = if is_bound { Vec::new() } else { self.unbind() };
        let mut old_pipelines = Vec::new();
        let start = Instant::now();
        if host.part.compiles() {
            let pipelines = compile(&self.gpu.device, &host.kernel).await?;
            old_pipelines = std::mem::replace(&mut self.pipelines, pipelines);
        }
        let compiled = Instant::now();
        if !is_bound {
            self.bind(host);
        }
        let bound = Instant::now();
        self.write_blocks(host);
        let mut encoder = self.gpu.encoder();
        self.encode(&mut encoder, 1, 0)?;
        let commands = encoder.finish();
        let encoded = Instant::now();
        let submission = self.gpu.queue.submit([commands]);
        let submitted = Instant::now();
        self.gpu.wait(submission).await?;
        let done = Instant::now();
        drop((old, old_pipelines));
        let part = match host.part {
            HostPart::Whole | HostPart::Uniforms | HostPart::Graph => done - bound,
            HostPart::BindGroups => bound - compiled,
            HostPart::Encode => encoded - bound,
            HostPart::Submit => submitted - encoded,
            HostPart::Wait => done - submitted,
            HostPart::FirstPipeline | HostPart::NextPipeline => compiled - start,
        };
        Ok(part.as_nanos() as f64)
    }

    fn unbind(&mut self) -> Vec<Vec<wgpu::BindGroup>> {
        self.steps.iter_mut().map(|bound| std::mem::take(&mut bound.groups)).collect()
    }

    /// Makes the bind groups of all dispatches. Such jobs have one entry point and one group.
    pub(super) fn bind(&mut self, host: &Host) {
        let Some(layout) = self.pipelines.first().map(|pipeline| pipeline.get_bind_group_layout(0)) else { return };
        let (interface, specs, memory) = (&host.kernel.interface, &self.specs, &self.memory);
        let resources = Resources { interface, reads_lengths: false, specs, memory, views: &[], samplers: &[] };
        for (number, bound) in (0..).zip(&mut self.steps) {
            let Step::Dispatch(own) = &bound.step else { continue };
            let block = host.blocks.as_ref().map(|buffer| wgpu::BufferBinding {
                buffer,
                offset: BLOCK * number,
                size: wgpu::BufferSize::new(16),
            });
            bound.groups = bind_groups(&self.gpu.device, |_| layout.clone(), resources, own, block);
        }
    }

    /// Writes the uniform block of each dispatch with one call each.
    fn write_blocks(&self, host: &Host) {
        let Some(blocks) = &host.blocks else { return };
        for (number, bound) in (0..).zip(&self.steps) {
            if let Step::Dispatch(own) = &bound.step {
                self.gpu.queue.write_buffer(blocks, BLOCK * number, bytemuck::cast_slice(&own.immediates));
            }
        }
    }
}
