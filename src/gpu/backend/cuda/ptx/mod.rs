//! CUDA ports as PTX, NVIDIA's assembly for virtual architectures, which the driver compiles for the card without
//! NVRTC. `examples/ptx.rs` writes the PTX file; a program built with its path in `SHADERBENCH_PTX` contains it.

mod archive;
mod build;

pub use archive::PtxArchive;
pub(super) use archive::cannot_run;
pub use build::{Ptx, ptx};

/// The PTX file in this program.
pub(super) const EMBEDDED: Option<&[u8]> = {
    #[cfg(embedded_ptx)]
    let file: Option<&[u8]> = Some(include_bytes!(env!("SHADERBENCH_PTX_FILE")));
    #[cfg(not(embedded_ptx))]
    let file: Option<&[u8]> = None;
    file
};
