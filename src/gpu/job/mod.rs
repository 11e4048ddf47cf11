//! A case made concrete: the kernel's interface bound to buffers, and the steps of one launch.

mod bind;
mod buffer;
mod check;
mod flush;
mod kernel;
mod step;

pub use bind::{Job, Only, ReferenceJob};
pub use buffer::{JobBuffer, Mapping};
pub use check::OutputCheck;
pub use kernel::{Kernel, Language};
pub use record::suite::{
    Checks, Contents, Dispatch, POISON, PackedRows, Precision, Product, ROW_PITCH, Route, Routine, Sampling, Scalar,
    Shape, TexelFormat, Texture,
};
pub use step::Step;
