// Twin of same_address.wgsl: the same code. Here too the compiler may combine the additions of a warp.

struct Sizes { u32 n; };

__device__ __forceinline__ u32 scrambled(u32 word) {
    const u32 product = word * 0x9e3779b1u;
    return product ^ (product >> 15u);
}

extern "C" __global__ void __launch_bounds__(WG)
kernel(const u32* __restrict__ input, u32* counters, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    if (i < sizes.n) {
        const u32 own = scrambled(input[i & 1023u] ^ i);
        for (u32 k = 0u; k < ROUNDS; k++) {
            atomicAdd(&counters[0], own + k);
        }
    }
}
