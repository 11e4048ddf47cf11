//! The backend for CUDA. Only this folder uses cudarc and the driver.
//!
//! Building it needs nothing of CUDA: the driver and NVRTC are loaded at run time, and a missing one is reported in one
//! sentence. NVRTC compiles twins for the device that is found; without it, the driver compiles the PTX in the program.
//! All work runs in order in one stream.

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
