//! CUDA's names and WGSL's for the same things.

/// A concept of CUDA, WGSL or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Term {
    /// CUDA's name.
    pub cuda: &'static str,
    /// WGSL's or WebGPU's name; `none` if it has none.
    pub wgsl: &'static str,
    /// What the thing is, or how the two languages differ.
    pub note: &'static str,
}

const fn of(cuda: &'static str, wgsl: &'static str, note: &'static str) -> Term {
    Term { cuda, wgsl, note }
}

/// The term with this CUDA name.
#[must_use]
pub fn term(cuda: &str) -> Option<&'static Term> {
    GLOSSARY.iter().find(|term| term.cuda == cuda)
}

/// The terms whose CUDA or WGSL name contains this word, in any case: `warp`, `__syncthreads`.
#[must_use]
pub fn terms_named(word: &str) -> Vec<Term> {
    let word = word.trim_end_matches("()").to_lowercase();
    let has_word =
        |name: &str| name.to_lowercase().split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|part| part == word);
    GLOSSARY.iter().copied().filter(|term| has_word(term.cuda) || has_word(term.wgsl)).collect()
}

/// Every term: execution, memory, synchronisation, types, then the host side.
pub const GLOSSARY: &[Term] = &[
    of("thread", "invocation", "one execution of the kernel"),
    of("block", "workgroup", "threads sharing memory and barriers"),
    of("warp", "subgroup", "threads executing together: 32 on NVIDIA, 4 to 128 elsewhere"),
    of("lane", "subgroup_invocation_id", "thread index in the warp"),
    of("grid", "dispatch", "all blocks of one launch"),
    of("streaming multiprocessor", "none", "hardware that runs blocks; AMD: compute unit"),
    of("__global__ void kernel(…)", "@compute fn main(…)", "kernel entry point"),
    of("__device__ function", "fn", "function called by kernels"),
    of("__launch_bounds__(256)", "@workgroup_size(256)", "block size: maximum in CUDA, exact in WGSL"),
    of("threadIdx", "local_invocation_id", "thread index in the block"),
    of("blockIdx", "workgroup_id", "block index in the grid"),
    of("blockDim", "@workgroup_size", "threads per block, known at compile time in WGSL"),
    of("gridDim", "num_workgroups", "blocks in the grid"),
    of("blockIdx*blockDim+threadIdx", "global_invocation_id", "thread index in the grid"),
    of("warpSize", "subgroup_size", "threads per warp; a run-time value in WGSL"),
    of("global memory", "var<storage>", "device memory, cached in L2 and L1"),
    of("const T* __restrict__", "var<storage, read>", "read-only buffer"),
    of("T*", "var<storage, read_write>", "read-write buffer"),
    of("__ldg()", "var<storage, read>", "load through the read-only cache"),
    of("__shared__", "var<workgroup>", "memory shared by a block; WGSL zeroes it at kernel start"),
    of("extern __shared__", "override array length", "sized at launch; in WGSL, at pipeline creation"),
    of("__constant__", "var<uniform>", "read-only data set by the host"),
    of("__constant__ with values", "const", "compile-time table"),
    of("register", "let, var", "local variable"),
    of("local memory", "var<private>", "per-thread: arrays indexed at run time, spilled registers"),
    of("texture", "texture_2d<f32>", "data read by the texture unit"),
    of("texture objects", "texture_2d, sampler", "replace texture references, removed in CUDA 12"),
    of("cudaTextureObject_t", "texture_2d, sampler", "handle; in WGSL, the sampler sets filtering and addressing"),
    of("tex2D()", "textureSampleLevel()", "filtered read"),
    of("__syncthreads()", "workgroupBarrier()", "block barrier that also orders memory"),
    of("__syncwarp()", "none", "warp barrier"),
    of("__threadfence()", "none", "device-wide memory fence; storageBarrier() covers only the workgroup"),
    of("atomicAdd()", "atomicAdd()", "in WGSL, on atomic<u32> or atomic<i32>"),
    of("atomicMax()", "atomicMax()", "in WGSL, on atomic<u32> or atomic<i32>"),
    of("__shfl_down_sync()", "subgroupShuffleDown()", "reads another lane's value"),
    of("__reduce_add_sync()", "subgroupAdd()", "sum over the warp"),
    of("clock()", "none", "low 32 bits of clock64()"),
    of("clock64(), %globaltimer", "none", "SM clock and device clock"),
    of("float4", "vec4<f32>", "four f32 in one 16-byte access"),
    of("double", "f64", "64-bit float; in wgpu, not in WebGPU"),
    of("__half", "f16", "16-bit float; optional in WebGPU"),
    of("char and short", "none", "8-bit and 16-bit integers; in WGSL, unpacked from u32"),
    of("#define, -D", "override", "constant set by the host"),
    of("mma.sync", "coop_mat", "matrix product on tensor cores; in wgpu, not in WebGPU"),
    of("kernel<<<blocks, threads>>>", "dispatch_workgroups()", "launch; WGSL kernels set the block size"),
    of("cudaStream_t", "queue", "runs launches in order; WebGPU has one queue"),
    of("cudaEvent_t", "timestamp query", "clock read between launches"),
    of("cudaMalloc()", "create_buffer()", "allocates memory; WebGPU zeroes it"),
    of("cudaMallocPitch()", "none", "allocates padded rows; in WGSL, pad to 256 bytes by hand"),
    of("cudaMalloc3D()", "none", "allocates slices of padded rows; in WGSL, pad by hand"),
    of("cudaMallocArray()", "create_texture()", "allocates a cudaArray"),
    of("cudaMallocHost()", "MAP_WRITE buffer", "pinned memory for uploads; MAP_READ for readback"),
    of("cudaHostAlloc()", "MAP_WRITE buffer", "cudaMallocHost() with flags: mapped, write-combined"),
    of("cudaArray", "texture", "memory in the layout of the texture unit"),
    of("cudaMemcpy() to the device", "write_buffer()", "copy from pageable memory"),
    of("cudaMemcpy() to the host", "map_async()", "readback, after a copy into a MAP_READ buffer"),
    of("cudaMemcpy2D()", "copy_buffer_to_texture()", "copies pitched rows"),
    of("cudaMemcpy2DToArray()", "copy_buffer_to_texture()", "copies pitched rows into an array; deprecated"),
    of("cudaMemcpy3D()", "copy_buffer_to_texture()", "copies slices of pitched rows"),
    of("cudaMemcpyToSymbol()", "write_buffer()", "fills constant memory or a uniform buffer"),
    of("cudaMemset()", "clear_buffer()", "fills memory; WebGPU only with zeros"),
    of("cudaGetDeviceProperties()", "adapter info and limits", "device properties; shaderbench devices prints them"),
];
