//! Memory of a job on the device.

use std::rc::Rc;

use crate::error::{Error, Result};

/// The memory of one of a job's buffers.
#[derive(Clone)]
pub(super) enum Memory {
    Buffer(Rc<wgpu::Buffer>),
    Texture(wgpu::Texture),
}

impl Memory {
    pub(super) fn buffer(&self) -> Result<&wgpu::Buffer> {
        match self {
            Self::Buffer(buffer) => Ok(buffer),
            Self::Texture(_) => Err(Error::Validation("a step needs a buffer, and has a texture".to_owned())),
        }
    }

    /// Frees the memory now. A browser would free it at its next garbage collection; elsewhere the last owner frees it
    /// when dropped.
    pub(super) fn free(&self) {
        if cfg!(target_family = "wasm") {
            match self {
                Self::Buffer(buffer) => buffer.destroy(),
                Self::Texture(texture) => texture.destroy(),
            }
        }
    }
}
