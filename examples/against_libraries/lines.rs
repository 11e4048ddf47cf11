//! The lines of the table: which rows of the suite are compared with which figure, and the goal of the ratio.

/// The reference of a line.
#[derive(Clone, Copy)]
pub(crate) enum Against {
    /// A line that `libraries.cu` prints.
    Library(&'static str),
    /// Reading: the fastest row of `ceiling/read` and `ceiling/read_tree` at 1 GiB through the same API.
    ReadPeak,
    /// The fastest row of these benchmarks of the suite, through the same API.
    Own(&'static [&'static str]),
    /// The fastest of these figures of clpeak and vkpeak through the same API, where they ran on this card.
    Peers(&'static [&'static str]),
    /// A library's row, which only CUDA has.
    Row(&'static [&'static str]),
}

use Against::{Library, Own, Peers, ReadPeak, Row};

/// The unit of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// 10⁹ bytes a second, reads plus writes.
    Bytes,
    /// 10¹² operations on floats a second.
    Operations,
    /// 10¹² operations on integers a second.
    Integers,
    /// 10⁹ elements a second.
    Elements,
    /// Microseconds: less is better, and the ratio is the suite's time divided by the library's.
    Time,
}

use Unit::{Bytes, Elements, Integers, Operations, Time};

/// A line of the table.
pub(crate) struct Line {
    /// The label.
    pub what: &'static str,
    /// The benchmarks or families, of which the fastest row counts.
    pub of: &'static [&'static str],
    /// The types; empty for any.
    pub dtypes: &'static [&'static str],
    /// The size; empty for any.
    pub n: &'static str,
    /// Parameters and their values, `A=1;B=2`; empty for any.
    pub params: &'static str,
    /// The unit.
    pub unit: Unit,
    /// The reference.
    pub against: Against,
    /// The goal of the ratio, if there is one.
    pub reach: Option<f64>,
}

impl Line {
    pub(crate) const fn has_peers(&self) -> bool {
        matches!(self.against, Against::Peers(..))
    }
}

const fn line(
    what: &'static str,
    of: &'static [&'static str],
    (dtypes, n): (&'static [&'static str], &'static str),
    unit: Unit,
    against: Against,
    reach: f64,
) -> Line {
    Line { what, of, dtypes, n, params: "", unit, against, reach: Some(reach) }
}

/// A comparison without a goal.
const fn beside(line: Line) -> Line {
    Line { reach: None, ..line }
}

const fn with(params: &'static str, line: Line) -> Line {
    Line { params, ..line }
}

const V4: &[&str] = &["vec4<f32>"];
const F32: &[&str] = &["f32"];
const F16: &[&str] = &["f16"];
const F64: &[&str] = &["f64"];
const U32: &[&str] = &["u32"];
const N28: &str = "268435456";
const N22: &str = "4194304";
const COPY: Against = Library("memcpy_d2d_1GiB");
/// Of 256 MiB.
const SMALLER_COPY: Against = Library("memcpy_d2d_8192_square_f32");
const SUM: &[&str] = &["reduction/vec4_grid_stride"];
const SCAN: &[&str] = &["scan/single_pass_subgroup"];
const TRANSPOSES: &[&str] = &["transpose/tiled", "transpose/tiled_vec4", "transpose/registers", "transpose/tiled_wide"];
const GEMV: &[&str] = &["gemv/vec4", "gemv/packed", "gemv/split_k"];
const SENT: &[&str] = &[
    "transfer/write_buffer",
    "transfer/mapped_staging",
    "transfer/pinned_to_device",
    "transfer/pinned_by_kernel",
    "transfer/mapped_primary_write",
];
const RECEIVED: &[&str] = &["transfer/read_back", "transfer/device_to_staging", "transfer/mapped_primary_read"];
const TEXTURE: (&[&str], &str) = (U32, "4096x4096");
const TENSOR: (&[&str], &str) = (&[], N22);
const READ_PEERS: &[&str] = &["clpeak/vulkan/global_memory_bandwidth", "clpeak/cuda/global_memory_bandwidth"];
const F16_PEERS: &[&str] = &["vkpeak/vulkan/fp16-matrix", "clpeak/vulkan/coopmat_fp16", "clpeak/cuda/wmma_fp16"];
const BF16_PEERS: &[&str] = &["vkpeak/vulkan/bf16-matrix", "clpeak/vulkan/coopmat_bf16", "clpeak/cuda/wmma_bf16"];
const INT8_PEERS: &[&str] =
    &["vkpeak/vulkan/int8-matrix", "clpeak/vulkan/coopmat_int8", "clpeak/cuda/wmma_int8", "clpeak/cuda/wmma_int8_k32"];
const FMA_PEERS: &[&str] = &[
    "vkpeak/vulkan/fp32-scalar",
    "vkpeak/vulkan/fp32-vec4",
    "clpeak/vulkan/single_precision_compute",
    "clpeak/cuda/single_precision_compute",
];
const HALF_PEERS: &[&str] =
    &["vkpeak/vulkan/fp16-vec4", "clpeak/vulkan/half_precision_compute", "clpeak/cuda/half_precision_compute"];
const DOUBLE_PEERS: &[&str] = &[
    "vkpeak/vulkan/fp64-scalar",
    "vkpeak/vulkan/fp64-vec4",
    "clpeak/vulkan/double_precision_compute",
    "clpeak/cuda/double_precision_compute",
];
const INTEGER_PEERS: &[&str] = &[
    "vkpeak/vulkan/int32-scalar",
    "vkpeak/vulkan/int32-vec4",
    "clpeak/vulkan/integer_compute",
    "clpeak/cuda/integer_compute",
];
const DOT_PEERS: &[&str] =
    &["vkpeak/vulkan/int8-dotprod", "clpeak/vulkan/integer_compute_int8_dp", "clpeak/cuda/integer_compute_int8_dp"];
const LOCAL_PEERS: &[&str] = &["clpeak/vulkan/local_memory_bandwidth", "clpeak/cuda/local_memory_bandwidth"];

/// The table.
#[rustfmt::skip]
pub(crate) const LINES: &[Line] = &[
    line("copy, 1 GiB", &["ceiling/copy"], (V4, N28), Bytes, COPY, 1.01),
    line("read, 1 GiB", &["ceiling/read", "ceiling/read_tree"], (V4, N28), Bytes,
        Peers(READ_PEERS), 1.02),
    line("fill, 1 GiB", &["ceiling/fill"], (V4, N28), Bytes, Library("memset_1GiB"), 1.0),
    line("sum of 2^28 f32", SUM, (F32, N28), Bytes, Library("cub_reduce_sum_f32_268435456"), 1.03),
    line("sum of 2^20 f32: time", SUM, (F32, "1048576"), Time, Library("cub_reduce_sum_f32_1048576_time"), 0.8),
    line("transpose f32 4096", TRANSPOSES, (F32, "4096x4096"), Bytes, Library("cublas_transpose_f32_4096"), 1.05),
    line("transpose f32 8192", TRANSPOSES, (F32, "8192x8192"), Bytes, Library("cublas_transpose_f32_8192"), 1.0),
    line("transpose f32 16384", TRANSPOSES, (F32, "16384x16384"), Bytes, Library("cublas_transpose_f32_16384"), 1.0),
    line("transpose f64 8192", TRANSPOSES, (F64, "8192x8192"), Bytes, Library("cublas_transpose_f64_8192"), 1.0),
    line("GEMM f32 4096", &["matmul/double_buffered"], (F32, "4096x4096x4096"), Operations,
        Library("cublas_sgemm_fp32_4096"), 1.0),
    line("GEMM f32 8192", &["matmul/double_buffered"], (F32, "8192x8192x8192"), Operations,
        Library("cublas_sgemm_fp32_8192"), 1.0),
    line("GEMM f16 to f32 4096", &["matmul/cooperative"], (F16, "4096x4096x4096"), Operations,
        Library("cublas_gemm_f16_f32_4096"), 0.5),
    line("inclusive scan of 2^28 f32", SCAN, (F32, N28), Bytes, COPY, 0.85),
    line("the same", SCAN, (F32, N28), Bytes, Library("cub_scan_inclusive_f32_2^28"), 0.95),
    line("histogram of 2^30 random bytes", &["histogram/vec4"], (U32, N28), Bytes,
        Library("cub_histogram256_random_u8"), 0.9),
    with("PAIRS=0", line("radix sort of 2^28 keys", &["radix_sort/onesweep"], (U32, N28), Elements,
        Library("cub_radix_sort_keys_268435456"), 0.75)),
    with("PAIRS=0", beside(line("radix sort of 2^24 keys", &["radix_sort/onesweep"], (U32, "16777216"), Elements,
        Library("cub_radix_sort_keys_16777216"), 0.0))),
    line("matrix × vector f16, 1 GiB", GEMV, (F16, "32768x16384"), Bytes, ReadPeak, 0.93),
    beside(line("the same", GEMV, (F16, "32768x16384"), Bytes, Library("cublas_gemv_f16_32768x16384"), 0.0)),
    beside(line("matrix × vector f32, 1 GiB", GEMV, (F32, "16384x16384"), Bytes,
        Library("cublas_sgemv_16384x16384"), 0.0)),
    line("matrix × vector, 4-bit weights, 1.1 GiB", &["gemv/q4_vec4", "gemv/q4_dot4"], (F32, "65536x32768"), Bytes, ReadPeak, 0.80),
    line("softmax, rows of 1024", &["softmax/subgroup"], (F32, "65536x1024"), Bytes, SMALLER_COPY, 0.95),
    line("softmax, rows of 16384", &["softmax/subgroup"], (F32, "4096x16384"), Bytes, SMALLER_COPY, 0.95),
    line("RMS norm, rows of 1024", &["rmsnorm/subgroup"], (F32, "65536x1024"), Bytes, SMALLER_COPY, 0.95),
    line("RMS norm, rows of 16384", &["rmsnorm/subgroup"], (F32, "4096x16384"), Bytes, SMALLER_COPY, 0.95),
    line("8192 FFTs of 4096 points", &["fft/stockham"], (F32, "8192x4096"), Bytes, SMALLER_COPY, 0.90),
    beside(line("the same", &["fft/stockham"], (F32, "8192x4096"), Bytes, Library("cufft_c2c_8192x4096"), 0.0)),
    line("5-point stencil, 16384×16384", &["stencil/rolled_2d"], (F32, "16384x16384"), Bytes, COPY, 0.90),
    line("7-point stencil, 512×512×512", &["stencil/rolled_3d"], (F32, "512x512x512"), Bytes,
        Library("memcpy_d2d_512MiB"), 0.90),
    with("MATRIX=0", line("banded matrix in CSR × vector", &["spmv/lanes", "spmv/subgroup"], (F32, N22), Bytes,
        ReadPeak, 0.85)),
    with("MATRIX=0", beside(line("the same", &["spmv/lanes", "spmv/subgroup"], (F32, N22), Bytes,
        Library("cusparse_spmv_banded_4194304"), 0.0))),
    with("CAUSAL=0;D=128", line("attention f16, 16 heads of 128 by 16384", &["attention/cooperative"], (F16, "16x16384"),
        Operations, Row(&["attention/cudnn"]), 0.25)),
    line("STREAM triad", &["stream/triad"], (V4, N28), Bytes, COPY, 1.0),
    line("STREAM dot", &["stream/dot"], (V4, N28), Bytes, COPY, 1.0),
    line("tensor cores, f16 to f32", &["ceiling/tensor"], TENSOR, Operations, Peers(F16_PEERS), 0.97),
    line("tensor cores, bf16 to f32", &["ceiling/tensor_bf16"], TENSOR, Operations, Peers(BF16_PEERS), 0.97),
    line("tensor cores, int8 to i32", &["ceiling/tensor_int8"], TENSOR, Integers, Peers(INT8_PEERS), 0.97),
    line("tensor cores, tf32 to f32", &["ceiling/tensor_tf32"], TENSOR, Operations,
        Peers(&["clpeak/cuda/wmma_tf32"]), 0.97),
    beside(line("tensor cores, fp8 to f32", &["ceiling/tensor_fp8"], TENSOR, Operations, Own(&["ceiling/tensor"]), 0.0)),
    line("FMA f32", &["ceiling/fma"], (&["f32", "vec2<f32>", "vec4<f32>"], N22), Operations,
        Peers(FMA_PEERS), 0.99),
    line("FMA f16×2", &["ceiling/fma_f16"], (&["vec2<f16>"], N22), Operations, Peers(HALF_PEERS), 0.99),
    line("FMA f64", &["ceiling/fma"], (F64, N22), Operations, Peers(DOUBLE_PEERS), 0.99),
    line("multiply-add i32", &["ceiling/mad"], (U32, N22), Integers, Peers(INTEGER_PEERS), 0.99),
    beside(line("dot product of 4 bytes", &["ceiling/dot4"], (U32, N22), Integers, Peers(DOT_PEERS), 0.0)),
    line("workgroup memory", &["ceiling/workgroup_read"], (&["f32", "vec4<f32>"], ""), Bytes,
        Peers(LOCAL_PEERS), 1.17),
    line("host to device, 256 MiB", SENT, (&["f32", "vec4<f32>"], "67108864"), Bytes, Library("h2d_pinned"), 0.95),
    line("device to host, 256 MiB", RECEIVED, (F32, "67108864"), Bytes, Library("d2h_pinned"), 0.95),
    beside(line("buffer to texture, 64 MiB", &["pitched/buffer_to_texture"], TEXTURE, Bytes,
        Library("memcpy_to_array_4096_square"), 0.0)),
    beside(line("texture to buffer, 64 MiB", &["pitched/texture_to_buffer"], TEXTURE, Bytes,
        Library("memcpy_from_array_4096_square"), 0.0)),
];
