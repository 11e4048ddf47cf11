//! Timestamp queries of a job.

use super::gpu::Gpu;
use record::error::Result;

/// Timestamps per submission, two around each run of dispatches: the most that every device allows in a query set.
pub(super) const MAX_QUERIES: u32 = 4096;

pub(super) struct Timestamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readable: wgpu::Buffer,
}

impl Timestamps {
    pub(super) fn new(device: &wgpu::Device) -> Self {
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

    /// Timestamps at the start and end of a pass, as queries `written` and `written + 1`.
    pub(super) fn around_pass(&self, written: &mut u32) -> wgpu::ComputePassTimestampWrites<'_> {
        let begin = *written;
        *written += 2;
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(begin),
            end_of_pass_write_index: Some(begin + 1),
        }
    }

    /// Writes a timestamp between two commands.
    pub(super) fn write(&self, encoder: &mut wgpu::CommandEncoder, index: u32) {
        encoder.write_timestamp(&self.queries, index);
    }

    /// Copies the first `written` timestamps to a buffer that the host can read.
    pub(super) fn resolve(&self, encoder: &mut wgpu::CommandEncoder, written: u32) {
        encoder.resolve_query_set(&self.queries, 0..written, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readable, 0, u64::from(written) * 8);
    }

    /// Device times of the first samples in nanoseconds, each the sum of the intervals between pairs of
    /// its `queries` timestamps.
    pub(super) async fn device_ns(&self, gpu: &Gpu, queries: u32, samples: u32) -> Result<Vec<f64>> {
        let mut ticks = vec![0; samples as usize];
        gpu.read_mapped(&self.readable, u64::from(queries * samples) * 8, |bytes| {
            let stamps: Vec<u64> = bytemuck::pod_collect_to_vec(bytes);
            let each = stamps.chunks_exact(queries.max(1) as usize);
            for (ticks, stamps) in ticks.iter_mut().zip(each) {
                *ticks = stamps.chunks_exact(2).map(|pair| pair[1].wrapping_sub(pair[0]) as i64).sum::<i64>();
            }
        })
        .await?;
        let period_ns = f64::from(gpu.queue.get_timestamp_period());
        Ok(ticks.into_iter().map(|ticks| ticks as f64 * period_ns).collect())
    }
}
