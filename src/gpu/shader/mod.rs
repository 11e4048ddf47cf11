//! What a WGSL file declares, and its translations for each platform. Only this folder uses naga.
//!
//! A benchmark's file names its element type once, in the line `alias T = f32;`. [`Shader::parse`] inserts the type of
//! the case there, as `-DT=float` would in CUDA, and adds the directive `enable f16;` where the type needs it. Loops
//! that a comment marks are unrolled. The file on disk stays valid WGSL for every other tool.

mod bound;
pub mod compute_capability;
pub mod cuda_declaration;
mod fold;
mod hlsl;
mod interface;
mod layout;
mod memory_model;
pub mod module;
mod parse;
#[cfg(not(target_family = "wasm"))]
mod spirv;
#[cfg_attr(target_family = "wasm", expect(dead_code, reason = "browsers do not read SPIR-V"))]
mod spirv_images;
mod spirv_interface;
mod spirv_reader;
mod translate;
pub mod twin;
mod unroll;
mod uses;

pub use hlsl::ShaderModel;
pub use layout::{Field, Layout, Texels};
pub use parse::Shader;
#[cfg(not(target_family = "wasm"))]
pub use spirv::{Formats, SpirvKernel};
pub use spirv_interface::ModuleInterface;
pub use translate::{Capability, Enabled, Target};
pub use uses::{BufferUse, Reach};
