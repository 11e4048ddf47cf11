//! The CUDA backend: only this folder uses cudarc and the driver. All work runs in order in one stream.
//!
//! Building needs no part of CUDA: the driver and NVRTC are loaded at run time, and an error of one sentence reports a
//! missing one. NVRTC compiles CUDA ports for the device; without NVRTC, the driver compiles the PTX in the program.

#![expect(
    unsafe_code,
    reason = "the driver is a C library: its functions take pointers, and kernels write through pointers"
)]

mod arguments;
mod array;
mod backend;
mod card;
mod context;
mod cubin;
mod device;
mod event;
mod gpu;
mod graph;
mod host;
mod host_parts;
mod library;
mod memory;
mod module;
mod nvrtc;
mod pitched;
mod prepared;
mod ptx;
mod query;
mod status;
mod steps;
mod toolkit;
mod twins;
mod wait_clock;

pub use backend::CudaBackend;
pub use card::{Card, card};
pub use device::{CudaDevice, devices};
pub use nvrtc::{Compiled, Compiler};
pub use ptx::{Ptx, PtxArchive, ptx};
pub use twins::check_compiler;
