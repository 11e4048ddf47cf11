//! Buffers of the kernels of all spaces.

use record::suite::prelude::*;
use record::suite::{TexelFormat, Texture};

pub(super) fn output(scalars: u64) -> Buffer {
    Buffer::output("output", scalars)
}

/// A square texture of this many texels.
pub(super) fn square(texels: u64, format: TexelFormat, contents: Contents) -> Contents {
    let side = texels.isqrt();
    Contents::Texture(Texture { width: side, height: side, format, is_storage: false, texels: Box::new(contents) })
}
