// CUDA only: `fixed_bytes` with a dynamic array, whose size is the third launch argument and unknown to the compiler.
// Work: 30 · n bytes moved through workgroup memory.
// Summary: fixed_bytes with an array length (8 bytes) that the host sets at each launch
// Look for: A ratio of 1.00 to fixed_bytes, since the array starts at the same address either way.
// Limits: Workgroups of 8 invocations, which leave most lanes of a subgroup idle, and their barriers.

struct Sizes { u32 n; };

constexpr u32 LENGTH = 8u;
constexpr u32 ROUNDS = 15u;

// Bytes of dynamic shared memory of the launch.
__device__ __forceinline__ u32 given_bytes() {
    u32 bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes;
}

extern "C" __global__ void __launch_bounds__(8)
kernel(const u32* __restrict__ input, u32* __restrict__ output, const Sizes sizes) {
    extern __shared__ unsigned char bytes[];
    if (given_bytes() < LENGTH) {
        return;
    }
    const u32 t = threadIdx.x;
    const u32 i = block_index() * LENGTH + t;
    unsigned char own = 0u;
    if (i < sizes.n) {
        own = (unsigned char)input[i];
    }
    for (u32 k = 0u; k < ROUNDS; k++) {
        bytes[t] = own;
        __syncthreads();
        own = bytes[(t + 3u) % LENGTH];
        __syncthreads();
    }
    if (i < sizes.n) {
        output[i] = own;
    }
}
