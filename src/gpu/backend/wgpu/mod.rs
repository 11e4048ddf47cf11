//! The backend for Vulkan, Metal, DirectX 12, OpenGL and, in a browser, WebGPU. Only this folder uses wgpu.
//!
//! The suite's kernels are compiled like CUDA's, without run-time checks and zero-initialisation of workgroup memory.
//! Browsers keep both; `platform/web.rs` has the other differences of browsers.

mod adapter;
mod backend;
mod bind;
#[cfg(not(target_family = "wasm"))]
mod dx12;
mod errors;
#[cfg(not(any(target_family = "wasm", target_vendor = "apple")))]
mod executable;
mod fill;
mod gpu;
mod host;
mod host_parts;
mod memory;
mod passthrough;
mod pipelines;
mod platform;
mod pool;
mod prepared;
mod steps;
mod timeouts;
mod timestamps;
mod transfer;
#[cfg(not(any(target_family = "wasm", target_vendor = "apple")))]
mod vulkan;

pub use adapter::{Adapter, adapters, refusal};
pub use backend::WgpuBackend;
pub use platform::APIS;
pub use timeouts::Timeouts;
