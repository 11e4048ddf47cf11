// Twin of same_address.wgsl: the same code. Here too the compiler may combine the additions of a warp.

struct Sizes { u32 n; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(u32* counters, const Sizes sizes) {
    const u32 i = block_index() * WG + threadIdx.x;
    if (i < sizes.n) {
        for (u32 k = 0u; k < ROUNDS; k++) {
            atomicAdd(&counters[0], i + k);
        }
    }
}
