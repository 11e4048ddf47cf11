//! Bind groups of a dispatch.

use std::collections::BTreeMap;

use super::memory::{self, Memory};
use crate::job::{Dispatch, JobBuffer, Sampling};
use record::suite::{Access, Interface};

/// The resources of a job's bind groups.
#[derive(Clone, Copy)]
pub(super) struct Resources<'a> {
    pub(super) interface: &'a Interface,
    /// [`Kernel::reads_lengths`](crate::job::Kernel::reads_lengths).
    pub(super) reads_lengths: bool,
    pub(super) specs: &'a [JobBuffer],
    pub(super) memory: &'a [Memory],
    pub(super) views: &'a [Option<wgpu::TextureView>],
    pub(super) samplers: &'a [wgpu::Sampler],
}

/// The bind groups of a dispatch, of layouts from `layout`. `block`, if given, replaces each uniform buffer.
pub(super) fn bind_groups(
    device: &wgpu::Device,
    layout: impl Fn(u32) -> wgpu::BindGroupLayout,
    of: Resources<'_>,
    own: &Dispatch<usize>,
    block: Option<wgpu::BufferBinding<'_>>,
) -> Vec<wgpu::BindGroup> {
    let Resources { interface, reads_lengths, specs, memory, views, samplers } = of;
    let Some(entry) = interface.entries.get(own.entry) else { return Vec::new() };
    let mut groups: BTreeMap<u32, Vec<wgpu::BindGroupEntry<'_>>> = BTreeMap::new();
    for place in &entry.bindings {
        let (binding, buffer) = (&interface.bindings[*place], own.buffers[*place]);
        let view = views.get(buffer).and_then(Option::as_ref);
        let resource = match (&memory[buffer], view, &block) {
            (_, _, Some(block)) if binding.access == Access::Uniform => wgpu::BindingResource::Buffer(block.clone()),
            (Memory::Buffer(memory), ..) => memory::binding(memory, &specs[buffer], reads_lengths),
            (_, Some(view), _) => wgpu::BindingResource::TextureView(view),
            _ => continue,
        };
        groups.entry(binding.group).or_default().push(wgpu::BindGroupEntry { binding: binding.index, resource });
    }
    for place in &entry.samplers {
        let at = &interface.samplers[*place];
        let resource = wgpu::BindingResource::Sampler(&samplers[*place]);
        groups.entry(at.group).or_default().push(wgpu::BindGroupEntry { binding: at.index, resource });
    }
    // Groups between others may have no bindings.
    let count = groups.keys().max().map_or(0, |last| last + 1);
    let group = |number: u32| {
        let layout = &layout(number);
        let entries = groups.get(&number).map_or(&[][..], Vec::as_slice);
        device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries })
    };
    (0..count).map(group).collect()
}

/// A sampler with normalised coordinates.
pub(super) fn sampler(device: &wgpu::Device, own: Sampling) -> wgpu::Sampler {
    let address = if own.repeats { wgpu::AddressMode::Repeat } else { wgpu::AddressMode::ClampToEdge };
    let filter = if own.is_linear { wgpu::FilterMode::Linear } else { wgpu::FilterMode::Nearest };
    device.create_sampler(&wgpu::SamplerDescriptor {
        address_mode_u: address,
        address_mode_v: address,
        mag_filter: filter,
        min_filter: filter,
        ..Default::default()
    })
}
