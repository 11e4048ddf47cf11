//! Runs kernels on devices. A module imports only from those above it in this table:
//!
//! | module | contains |
//! |---|---|
//! | [`shader`] | WGSL read and translated by naga; the CUDA source of a twin |
//! | [`job`] | a case made concrete: buffers and steps |
//! | [`backend`] | devices: wgpu and CUDA |
//! | [`engine`] | a run, from plan to records |

pub mod backend;
pub mod engine;
pub mod job;
pub mod shader;
