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
    of("thread", "invocation", "one run of the kernel's code"),
    of("block", "workgroup", "threads that share memory and barriers"),
    of("warp", "subgroup", "threads that execute together: 32 on NVIDIA, 8 to 128 elsewhere"),
    of("lane", "subgroup_invocation_id", "a thread's index in its warp"),
    of("grid", "dispatch", "all blocks of one launch"),
    of("streaming multiprocessor", "none", "where blocks run; compute unit on AMD"),
    of("__global__ void kernel(…)", "@compute fn main(…)", "the entry point"),
    of("__device__ function", "fn", "a function that kernels call"),
    of("__launch_bounds__(256)", "@workgroup_size(256)", "CUDA's is a limit, WGSL's is the size"),
    of("threadIdx", "local_invocation_id", "index in the block"),
    of("blockIdx", "workgroup_id", "index of the block"),
    of("blockDim", "@workgroup_size", "known at compile time in WGSL"),
    of("gridDim", "num_workgroups", "blocks of the launch"),
    of("blockIdx*blockDim+threadIdx", "global_invocation_id", "index in the launch"),
    of("warpSize", "subgroup_size", "may be known only at run time in WGSL"),
    of("global memory", "var<storage>", "device memory, through L2 and L1"),
    of("const T* __restrict__", "var<storage, read>", "no thread writes it"),
    of("T*", "var<storage, read_write>", "read and written"),
    of("__ldg()", "var<storage, read>", "a load through the read-only path"),
    of("__shared__", "var<workgroup>", "WGSL sets it to zero before the kernel begins"),
    of("extern __shared__", "override array length", "WGSL fixes the size when it creates the pipeline"),
    of("__constant__", "var<uniform>", "filled by the host"),
    of("__constant__ with values", "const", "a table known at compile time"),
    of("register", "let, var", "a local variable"),
    of("local memory", "var<private>", "arrays indexed at run time, spilled registers"),
    of("texture", "texture_2d<f32>", "read through the texture unit"),
    of("texture objects", "texture_2d, sampler", "CUDA 12 has no texture references"),
    of("cudaTextureObject_t", "texture_2d, sampler", "the WGSL sampler holds filter and addressing"),
    of("tex2D()", "textureSampleLevel()", "a filtered read"),
    of("__syncthreads()", "workgroupBarrier()", "waits for the block, and orders its memory"),
    of("__syncwarp()", "none", "waits for the warp"),
    of("__threadfence()", "none", "orders memory for the device; storageBarrier() orders it for the workgroup"),
    of("atomicAdd()", "atomicAdd()", "WGSL type: atomic<u32> or atomic<i32>"),
    of("atomicMax()", "atomicMax()", "the same"),
    of("__shfl_down_sync()", "subgroupShuffleDown()", "a value from another lane"),
    of("__reduce_add_sync()", "subgroupAdd()", "the sum over the warp"),
    of("clock()", "none", "the low 32 bits of clock64()"),
    of("clock64(), %globaltimer", "none", "the SM's clock, the device's clock"),
    of("float4", "vec4<f32>", "a 16-byte load or store"),
    of("double", "f64", "a feature of wgpu, not of WebGPU"),
    of("__half", "f16", "a feature"),
    of("char and short", "none", "WGSL unpacks them from u32"),
    of("#define, -D", "override", "a constant that the host sets"),
    of("mma.sync", "coop_mat", "tensor cores; a feature of wgpu, not of WebGPU"),
    of("kernel<<<blocks, threads>>>", "dispatch_workgroups()", "the block size belongs to the kernel in WGSL"),
    of("cudaStream_t", "queue", "launches in order; WebGPU has one"),
    of("cudaEvent_t", "timestamp query", "a clock read between launches"),
    of("cudaMalloc()", "create_buffer()", "WebGPU sets new buffers to zero"),
    of("cudaMallocPitch()", "none", "rows of a multiple of 256 bytes, by hand"),
    of("cudaMalloc3D()", "none", "slices of pitched rows, by hand"),
    of("cudaMallocArray()", "create_texture()", "memory in the layout of the texture unit"),
    of("cudaMallocHost()", "MAP_WRITE buffer", "host memory for copies in; MAP_READ for copies out"),
    of("cudaHostAlloc()", "MAP_WRITE buffer", "the same with flags: mapped, write-combined"),
    of("cudaArray", "texture", "memory in the layout of the texture unit"),
    of("cudaMemcpy() to the device", "write_buffer()", "from pageable memory"),
    of("cudaMemcpy() to the host", "map_async()", "after a copy into a MAP_READ buffer"),
    of("cudaMemcpy2D()", "copy_buffer_to_texture()", "rows with a pitch"),
    of("cudaMemcpy2DToArray()", "copy_buffer_to_texture()", "rows with a pitch into an array; deprecated"),
    of("cudaMemcpy3D()", "copy_buffer_to_texture()", "slices of rows with a pitch"),
    of("cudaMemcpyToSymbol()", "write_buffer()", "fills a constant or uniform buffer"),
    of("cudaMemset()", "clear_buffer()", "WebGPU sets zeros only"),
    of("cudaGetDeviceProperties()", "adapter info and limits", "shaderbench devices prints them"),
];
