// CUDA only: a block rotates its words alternately through a static and a dynamic shared array. The size of the dynamic
// array is the third launch argument and unknown to the compiler.
// Work: 2 · ROUNDS · n words moved through workgroup memory, with 16 rounds.
// Summary: fixed_size through a static and a dynamic array alternately
// Look for: Whether it is faster than fixed_size: with two arrays, a round needs one barrier instead of two. Both kinds
// of array share the SM's memory, and one kernel may have both.
// Limits: One barrier per round, between the store to an array and the load from it.

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
    __shared__ T fixed[LENGTH];
    extern __shared__ T given[];
    if (given_bytes() < LENGTH * sizeof(T)) {
        return;
    }
    const u32 t = threadIdx.x;
    const u32 i = block_index() * LENGTH + t;
    T own = T();
    if (i < sizes.n) {
        own = input[i];
    }
    // The arrays take turns, so that one barrier a round is enough.
    for (u32 k = 0u; k < ROUNDS; k += 2u) {
        fixed[t] = own;
        __syncthreads();
        own = fixed[(t + 37u) % LENGTH];
        given[t] = own;
        __syncthreads();
        own = given[(t + 37u) % LENGTH];
    }
    if (i < sizes.n) {
        output[i] = own;
    }
}
