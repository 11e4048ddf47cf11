//! CUDA's names and WGSL's for the same things.

/// A thing that both languages have, or one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Term {
    /// CUDA's name.
    pub cuda: &'static str,
    /// WGSL's or WebGPU's name; `none` where it has none.
    pub wgsl: &'static str,
    /// What it is, or how the two differ.
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

/// The terms one of whose names is this word or has it, in capitals or not: `warp`, `__syncthreads`.
#[must_use]
pub fn terms_named(word: &str) -> Vec<Term> {
    let word = word.trim_end_matches("()").to_lowercase();
    let has_word =
        |name: &str| name.to_lowercase().split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|part| part == word);
    GLOSSARY.iter().copied().filter(|term| has_word(term.cuda) || has_word(term.wgsl)).collect()
}

/// Every term: execution, memory, synchronisation, types, the host's side.
pub const GLOSSARY: &[Term] = &[
    of("thread", "invocation", "one execution of the kernel's code"),
    of("block", "workgroup", "threads that share memory and barriers"),
    of("warp", "subgroup", "threads that execute together: 32 on NVIDIA, 8 to 128 elsewhere"),
    of("lane", "subgroup_invocation_id", "a thread's index in its warp"),
    of("grid", "dispatch", "all blocks of one launch"),
    of("streaming multiprocessor", "none", "hardware unit that runs blocks; compute unit on AMD"),
    of("__global__ void kernel(…)", "@compute fn main(…)", "the entry point of a kernel"),
    of("__device__ function", "fn", "a function that kernels call"),
    of("__launch_bounds__(256)", "@workgroup_size(256)", "threads in a block: a limit in CUDA, the exact size in WGSL"),
    of("threadIdx", "local_invocation_id", "index of the thread in the block"),
    of("blockIdx", "workgroup_id", "index of the block in the grid"),
    of("blockDim", "@workgroup_size", "threads in a block; known at compile time in WGSL"),
    of("gridDim", "num_workgroups", "number of blocks in the launch"),
    of("blockIdx*blockDim+threadIdx", "global_invocation_id", "index of the thread in the launch"),
    of("warpSize", "subgroup_size", "threads in a warp; in WGSL, may be known only at run time"),
    of("global memory", "var<storage>", "device memory, cached in L2 and L1"),
    of("const T* __restrict__", "var<storage, read>", "a read-only buffer"),
    of("T*", "var<storage, read_write>", "a buffer that threads read and write"),
    of("__ldg()", "var<storage, read>", "a load through the read-only cache path"),
    of("__shared__", "var<workgroup>", "memory of a block; WGSL sets it to zero before the kernel begins"),
    of("extern __shared__", "override array length", "shared memory sized at launch; in WGSL, at pipeline creation"),
    of("__constant__", "var<uniform>", "read-only data that the host fills"),
    of("__constant__ with values", "const", "a table known at compile time"),
    of("register", "let, var", "a local variable"),
    of("local memory", "var<private>", "memory of one thread: arrays indexed at run time, spilled registers"),
    of("texture", "texture_2d<f32>", "data that the texture unit reads"),
    of("texture objects", "texture_2d, sampler", "texture and sampler; CUDA 12 has no texture references"),
    of("cudaTextureObject_t", "texture_2d, sampler", "texture handle; the WGSL sampler sets filter and addressing"),
    of("tex2D()", "textureSampleLevel()", "a filtered read"),
    of("__syncthreads()", "workgroupBarrier()", "barrier for the block that also orders its memory"),
    of("__syncwarp()", "none", "barrier for the warp"),
    of("__threadfence()", "none", "device-wide memory fence; storageBarrier() covers the workgroup only"),
    of("atomicAdd()", "atomicAdd()", "atomic addition; in WGSL, on atomic<u32> or atomic<i32>"),
    of("atomicMax()", "atomicMax()", "atomic maximum; in WGSL, on atomic<u32> or atomic<i32>"),
    of("__shfl_down_sync()", "subgroupShuffleDown()", "reads a value from another lane"),
    of("__reduce_add_sync()", "subgroupAdd()", "sum over the warp"),
    of("clock()", "none", "the low 32 bits of clock64()"),
    of("clock64(), %globaltimer", "none", "clock of the SM and clock of the device"),
    of("float4", "vec4<f32>", "vector of four f32, loaded or stored as 16 bytes"),
    of("double", "f64", "64-bit float; a feature of wgpu, not of WebGPU"),
    of("__half", "f16", "16-bit float; an optional feature of WebGPU"),
    of("char and short", "none", "8-bit and 16-bit integers, which WGSL unpacks from u32"),
    of("#define, -D", "override", "a constant that the host sets"),
    of("mma.sync", "coop_mat", "matrix product on tensor cores; a feature of wgpu, not of WebGPU"),
    of("kernel<<<blocks, threads>>>", "dispatch_workgroups()", "launch; in WGSL, the kernel sets the block size"),
    of("cudaStream_t", "queue", "launches that run in order; WebGPU has one queue"),
    of("cudaEvent_t", "timestamp query", "a clock read between launches"),
    of("cudaMalloc()", "create_buffer()", "memory allocation; WebGPU sets new buffers to zero"),
    of("cudaMallocPitch()", "none", "allocates padded rows; in WGSL, pad rows to 256 bytes by hand"),
    of("cudaMalloc3D()", "none", "allocates slices of padded rows; in WGSL, pad by hand"),
    of("cudaMallocArray()", "create_texture()", "allocates memory in the layout of the texture unit"),
    of("cudaMallocHost()", "MAP_WRITE buffer", "pinned host memory for copies in; MAP_READ for copies out"),
    of("cudaHostAlloc()", "MAP_WRITE buffer", "cudaMallocHost() with flags: mapped, write-combined"),
    of("cudaArray", "texture", "memory in the layout of the texture unit"),
    of("cudaMemcpy() to the device", "write_buffer()", "copy from pageable memory"),
    of("cudaMemcpy() to the host", "map_async()", "read back, after a copy into a MAP_READ buffer"),
    of("cudaMemcpy2D()", "copy_buffer_to_texture()", "copies rows with a pitch"),
    of("cudaMemcpy2DToArray()", "copy_buffer_to_texture()", "copies rows with a pitch into an array; deprecated"),
    of("cudaMemcpy3D()", "copy_buffer_to_texture()", "copies slices of rows with a pitch"),
    of("cudaMemcpyToSymbol()", "write_buffer()", "fills constant memory or a uniform buffer"),
    of("cudaMemset()", "clear_buffer()", "fills memory; WebGPU can fill only with zeros"),
    of("cudaGetDeviceProperties()", "adapter info and limits", "device properties; shaderbench devices prints them"),
];
