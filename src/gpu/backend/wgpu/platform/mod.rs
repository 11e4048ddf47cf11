//! The differences between browsers and other platforms. `native.rs` and `web.rs` have the same functions.

#[cfg(not(target_family = "wasm"))]
mod native;
#[cfg(target_family = "wasm")]
mod web;

#[cfg(not(target_family = "wasm"))]
pub use native::APIS;
#[cfg(not(target_family = "wasm"))]
pub(super) use native::{
    PIECE, adapters, answer, can_compile_in_background, compile_in_background, detect_features, is_translated,
    matrices, open_extended, poll, renewed, shared_memory_spirv, source, statistics, sub_texel_bits, write_views,
};
#[cfg(target_family = "wasm")]
pub use web::APIS;
#[cfg(target_family = "wasm")]
pub(super) use web::{
    PIECE, adapters, answer, can_compile_in_background, compile_in_background, detect_features, is_translated,
    matrices, open_extended, poll, renewed, shared_memory_spirv, source, statistics, sub_texel_bits, write_views,
};
