// Twin of exchange.wgsl: the same code.

struct Sizes { u32 n; };

extern "C" __global__ void __launch_bounds__(WG)
kernel(const u32* __restrict__ input, u32* __restrict__ output, const Sizes sizes) {
    __shared__ u32 tile[2u * WG];
    const u32 t = threadIdx.x;
    const u32 i = block_index() * WG + t;
    u32 x = 0u;
    if (i < sizes.n) {
        x = input[i];
    }
    const u32 neighbour = (t + 1u) % WG;
    for (u32 k = 0u; k < ROUNDS; k++) {
        const u32 half = (k & 1u) * WG;
        tile[half + t] = x;
        __syncthreads();
        x = tile[half + neighbour] + (x ^ k);
    }
    if (i < sizes.n) {
        output[i] = x;
    }
}
