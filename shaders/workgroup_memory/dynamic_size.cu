// CUDA only: `fixed_size` with a dynamic array, whose size is the third launch argument and unknown to the compiler.
// Work: 2 · ROUNDS · n words moved through workgroup memory, with 16 rounds.
// Summary: fixed_size with an array length that the host sets at each launch
// Look for: Whether it is as fast as fixed_size: only the declaration of the array differs, and a check of its size.
// Limits: The two barriers of each round. Occupancy is the same as in fixed_size, since the launch requests as many
// bytes.

struct Sizes { u32 n; };

constexpr u32 LENGTH = 256u;
constexpr u32 ROUNDS = 16u;

// Bytes of dynamic shared memory of the launch.
__device__ __forceinline__ u32 given_bytes() {
    u32 bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes;
}

extern "C" __global__ void __launch_bounds__(256)
kernel(const T* __restrict__ input, T* __restrict__ output, const Sizes sizes) {
    extern __shared__ T tile[];
    if (given_bytes() < LENGTH * sizeof(T)) {
        return;
    }
    const u32 t = threadIdx.x;
    const u32 i = block_index() * LENGTH + t;
    T own = T();
    if (i < sizes.n) {
        own = input[i];
    }
    for (u32 k = 0u; k < ROUNDS; k++) {
        tile[t] = own;
        __syncthreads();
        own = tile[(t + 37u) % LENGTH];
        __syncthreads();
    }
    if (i < sizes.n) {
        output[i] = own;
    }
}
