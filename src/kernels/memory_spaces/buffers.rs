//! Buffers of the kernels of all spaces.

use record::suite::TexelFormat;
use record::suite::prelude::*;

pub(super) fn output(scalars: u64) -> Buffer {
    Buffer::output("output", scalars)
}

/// A square texture of this many texels.
pub(super) fn square(texels: u64, format: TexelFormat, contents: Contents) -> Contents {
    Contents::texture((texels.isqrt(), texels.isqrt()), format, contents)
}
