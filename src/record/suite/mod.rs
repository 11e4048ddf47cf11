//! Types of declarations and rows. A benchmark is one literal of [`Benchmark`] in a [`Family`], and one WGSL file. The
//! literal declares only what the shader does not: bindings, workgroup size, workgroup memory and features are read
//! from the shader. A kernel that only CUDA can express has a `.cu` file instead, read in the same way; if Vulkan runs
//! it too, also a `.comp` file and its SPIR-V.

mod accepted;
mod api;
mod benchmark;
mod bound;
#[cfg(not(target_family = "wasm"))]
pub mod budget;
mod buffer;
mod case;
mod case_blocks;
mod csr;
mod device;
mod family;
mod hash;
mod host_part;
pub mod input;
mod interface;
pub mod kept;
mod library;
mod limit;
mod oracle;
mod params;
mod pcie;
pub mod pointer_chase;
mod product;
mod profile;
mod reading;
mod rows;
mod scalar;
mod shape;
mod significands;
mod step;
mod tag;
mod toolchain;
mod traffic;
mod units;
pub mod vectors;
mod whole_rows;
mod work_kind;

pub use accepted::Accepted;
pub use api::Api;
pub use benchmark::{Answer, Benchmark, Check, Declaration, OfSize, Reference, Work, all, one};
pub use bound::Bound;
pub use buffer::{Buffer, Contents, Layers, POISON, ROW_PITCH, Sampling, TexelFormat, Texture, uniform};
pub use case::{Case, Program};
pub use case_blocks::{Block, Cases, Quick};
pub use csr::{Csr, CsrArray, Pattern};
pub use device::{DeviceType, SubgroupSize};
pub use family::{Chart, Family, Headline};
pub use hash::Fnv;
pub use hash::hash;
pub use host_part::HostPart;
pub use interface::{Access, Binding, Checks, Constants, Entry, Feature, Interface, SamplerBinding, Value};
pub use library::{Library, Precision, Routine};
pub use limit::Limit;
pub use oracle::{Oracle, each};
pub use oracle::{constant, copied, each_of_period, each_on_all_cores, sum};
pub use params::{CHECK_PARAMS, COLD, HOST_PARAMS, PLAIN, Params, params_text, parse_params};
pub use params::{consecutive, sets, values};
pub use pcie::PcieLink;
pub use product::Product;
pub use profile::Profile;
pub use reading::{Reading, Throttle};
pub use rows::by_rows;
pub use scalar::Scalar;
pub use shape::{Dtype, Extent, Shape};
pub use shape::{linear, matrices, powers, products};
pub use significands::Significands;
pub use step::{Dispatch, PackedRows, Route, Step, grid};
pub use tag::Tag;
pub use toolchain::{AGAINST, BUILT_IN, Toolchain};
pub use traffic::SUBGROUP;
pub use traffic::Traffic;
pub use units::{binary_range, binary_size, parse_binary_size};
pub use whole_rows::WholeRows;
pub use work_kind::WorkKind;

/// The names that declarations of benchmarks use: files of `kernels` import all of them.
pub mod prelude {
    pub use super::input::Values;
    pub use super::{
        Accepted, Benchmark, Bound, Buffer, Cases, Chart, Check, Contents, Dtype, Extent, Family, Headline, Interface,
        Library, Limit, Oracle, PLAIN, Params, Quick, Routine, Scalar, Shape, Step, Tag, Work, all, constant, each,
        grid, linear, matrices, one, powers, products, sets, uniform, values,
    };
}
