//! The part of the host's work that a job times.

use crate::job::{Job, Kernel};
use record::suite::HostPart;

/// Bytes from one uniform block to the next: the alignment that every device accepts.
pub(super) const BLOCK: u64 = 256;

/// The part of the host's work that a job times.
pub(super) struct Host {
    pub(super) part: HostPart,
    pub(super) kernel: Kernel,
    /// The uniform blocks of the dispatches, where each has its own.
    pub(super) blocks: Option<wgpu::Buffer>,
}

impl Host {
    /// That of `job`; `None` if it times its kernel.
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

    /// Whether the words of immediates go to uniform blocks.
    pub(super) const fn has_blocks(&self) -> bool {
        self.blocks.is_some()
    }
}
