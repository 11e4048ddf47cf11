//! Memory of a job on the device.

use std::rc::Rc;

use crate::job::JobBuffer;
use record::error::{Error, Result};
use record::suite::Layers;

pub(super) const fn view_dimension(layers: Layers) -> wgpu::TextureViewDimension {
    match layers {
        Layers::One => wgpu::TextureViewDimension::D2,
        Layers::Array(_) => wgpu::TextureViewDimension::D2Array,
        Layers::Deep(_) => wgpu::TextureViewDimension::D3,
    }
}

#[derive(Clone)]
pub(super) enum Memory {
    Buffer(Rc<wgpu::Buffer>),
    Texture(wgpu::Texture),
}

impl Memory {
    pub(super) fn buffer(&self) -> Result<&wgpu::Buffer> {
        match self {
            Self::Buffer(buffer) => Ok(buffer),
            Self::Texture(_) => Err(Error::Validation("a step needs a buffer, but has a texture".to_owned())),
        }
    }

    /// The view of a texture; `None` for a buffer.
    pub(super) fn view(&self, spec: &JobBuffer) -> Option<wgpu::TextureView> {
        // Otherwise an array of one layer would be viewed as a plain texture.
        let dimension = spec.texture().map(|texture| view_dimension(texture.layers));
        match self {
            Self::Buffer(_) => None,
            Self::Texture(texture) => {
                Some(texture.create_view(&wgpu::TextureViewDescriptor { dimension, ..Default::default() }))
            }
        }
    }

    /// In a browser, frees the memory now and not at a late garbage collection. Elsewhere the last owner frees it.
    pub(super) fn free(&self) {
        if cfg!(target_family = "wasm") {
            match self {
                Self::Buffer(buffer) => buffer.destroy(),
                Self::Texture(texture) => texture.destroy(),
            }
        }
    }
}

/// Binds a job's buffer and its guard zone: APIs drop or move stores outside a binding, so that nothing would detect
/// them. A kernel that reads lengths gets no guard zone. The rest of the memory, which may be longer (`Pool`), is never
/// bound.
pub(super) fn binding<'a>(
    memory: &'a wgpu::Buffer,
    spec: &JobBuffer,
    reads_lengths: bool,
) -> wgpu::BindingResource<'a> {
    // A uniform block has the length of its type, a multiple of 16 bytes.
    let told = if spec.is_uniform { spec.bytes } else { spec.told_bytes };
    let size = std::num::NonZero::new(if reads_lengths { told } else { spec.bytes + spec.guard });
    wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer: memory, offset: 0, size })
}
