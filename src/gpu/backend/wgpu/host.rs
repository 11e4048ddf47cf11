//! The part of the host's work that a job times.

use crate::job::{Job, Kernel};
use record::suite::HostPart;

/// Bytes between the starts of uniform blocks: an alignment that every device accepts.
pub(super) const BLOCK: u64 = 256;

pub(super) struct Host {
    pub(super) part: HostPart,
    pub(super) kernel: Kernel,
    /// The uniform blocks, if each dispatch has its own.
    pub(super) blocks: Option<wgpu::Buffer>,
}

impl Host {
    /// The timed part of `job`; `None` if it times its kernel.
    pub(super) fn of(device: &wgpu::Device, job: &Job) -> Option<Self> {
        let part = job.host_part?;
        let blocks = (part == HostPart::Uniforms).then(|| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("blocks"),
                size: BLOCK * job.steps.len() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        Some(Self { part, kernel: job.kernel.clone(), blocks })
    }

    /// Whether uniform blocks hold the words of immediates.
    pub(super) const fn has_blocks(&self) -> bool {
        self.blocks.is_some()
    }
}
