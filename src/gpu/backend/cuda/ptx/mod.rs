//! Twins as PTX, NVIDIA's assembly for virtual architectures, so that a program runs them without NVRTC. NVIDIA's driver
//! compiles PTX for the card.
//!
//! `examples/ptx.rs` writes the file; a program that is built with its path in `SHADERBENCH_PTX` contains it.

mod archive;
mod build;

pub use archive::PtxArchive;
pub(super) use archive::cannot_run;
pub use build::{Ptx, ptx};

/// The file that this program was built with.
pub(super) const EMBEDDED: Option<&[u8]> = {
    #[cfg(embedded_ptx)]
    let file: Option<&[u8]> = Some(include_bytes!(env!("SHADERBENCH_PTX_FILE")));
    #[cfg(not(embedded_ptx))]
    let file: Option<&[u8]> = None;
    file
};
