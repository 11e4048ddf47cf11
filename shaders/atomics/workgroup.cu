// Twin of workgroup.wgsl: the first and last access to the counter are plain; the barriers order them with the atomic
// ones.

struct Sizes { u32 n; };

__device__ __forceinline__ u32 scrambled(u32 word) {
    const u32 product = word * 0x9e3779b1u;
    return product ^ (product >> 15u);
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const u32* __restrict__ input, u32* __restrict__ counters, const Sizes sizes) {
    __shared__ u32 counter;
    const u32 t = threadIdx.x;
    const u32 block = block_index();
    const u32 i = block * WG + t;
    if (t == 0u) {
        counter = 0u;
    }
    __syncthreads();
    if (i < sizes.n) {
        const u32 own = scrambled(input[i & 1023u] ^ i);
        for (u32 k = 0u; k < ROUNDS; k++) {
            atomicAdd(&counter, own + k);
        }
    }
    __syncthreads();
    if (t == 0u && i < sizes.n) {
        counters[block] = counter;
    }
}
